//! Describes the machine, because absolute measurements have no meaning without it.

use serde::Serialize;
use std::{
    fmt, fs, thread,
    time::{SystemTime, UNIX_EPOCH},
};

#[derive(Default, Serialize)]
pub(super) struct Machine {
    processors: usize,
    model: String,
    memory: String,
    linux: String,
    /// Seconds since 1970-01-01T00:00:00Z.
    time: u64,
    /// The load average of the last minute. If it is higher than some tenths, the machine was busy
    /// with something else.
    load_before: f64,
}

impl Machine {
    pub(super) fn this() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let load = read("/proc/loadavg");
        Self {
            processors: thread::available_parallelism().map_or(0, usize::from),
            model: field("/proc/cpuinfo", "model name"),
            memory: field("/proc/meminfo", "MemTotal"),
            linux: read("/proc/sys/kernel/osrelease").trim().to_owned(),
            time: now.map_or(0, |since| since.as_secs()),
            load_before: load
                .split(' ')
                .next()
                .and_then(|load| load.parse().ok())
                .unwrap_or_default(),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            processors,
            model,
            memory,
            linux,
            load_before,
            ..
        } = self;
        write!(
            f,
            "{processors} processors ({model}), {memory} of memory, Linux {linux}; load before: {load_before}"
        )
    }
}

/// Returns the number of the first processor that this process may use.
pub(super) fn first_processor() -> String {
    let allowed = field("/proc/self/status", "Cpus_allowed_list");
    let digits = allowed.chars().take_while(char::is_ascii_digit);
    digits.collect()
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn field(path: &str, name: &str) -> String {
    let text = read(path);
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let value = line.and_then(|rest| Some(rest.split_once(':')?.1.trim()));
    value.unwrap_or("unknown").to_owned()
}
