//! Exports Linux's figures about this process, under the names that all
//! Prometheus libraries use. On other systems these metrics are not served.

use super::{Metrics, reading::Reading};
use prometheus::Opts;
use std::{fs, path::Path, time::SystemTime};

/// The unit of times in `/proc/self/stat`; fixed at 100 a second for programs.
const TICKS: f64 = 100.0;

pub(super) fn watch(metrics: &Metrics) {
    if !Path::new("/proc/self/stat").exists() {
        return;
    }
    metrics.gauge("process_resident_memory_bytes", "Resident memory.", || {
        in_status("VmRSS:").unwrap_or_default() * 1024.0
    });
    metrics.gauge("process_open_fds", "Open file descriptors.", || {
        fs::read_dir("/proc/self/fd").map_or(0.0, |fds| fds.count() as f64)
    });
    metrics.gauge(
        "process_max_fds",
        "File descriptors that may be open.",
        || max_fds().unwrap_or_default(),
    );
    metrics.gauge("process_threads", "Threads.", || {
        in_status("Threads:").unwrap_or_default()
    });
    let cpu_seconds = Opts::new(
        "process_cpu_seconds_total",
        "Time on a processor, for the program and in the kernel.",
    );
    metrics.add(Reading::counter(cpu_seconds, || {
        self::cpu_seconds().unwrap_or_default()
    }));
    let started = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64());
    metrics.gauge(
        "process_start_time_seconds",
        "When the service started, in seconds since 1970.",
        move || started,
    );
}

/// The first number after that word.
fn in_status(word: &str) -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(word))?;
    line.split_whitespace().next()?.parse().ok()
}

fn max_fds() -> Option<f64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits
        .lines()
        .find_map(|line| line.strip_prefix("Max open files"))?;
    match line.split_whitespace().next()? {
        "unlimited" => Some(f64::INFINITY),
        soft => soft.parse().ok(),
    }
}

fn cpu_seconds() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The second field is the program's name in parentheses, and may have
    // spaces; `utime` and `stime` are the 14th and 15th.
    let (_, rest) = stat.rsplit_once(") ")?;
    let mut times = rest
        .split(' ')
        .skip(11)
        .map_while(|time| time.parse::<f64>().ok());
    Some((times.next()? + times.next()?) / TICKS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_has_memory_files_threads_and_a_past() {
        assert!(in_status("VmRSS:").is_some_and(|kib| kib > 100.0));
        assert!(in_status("Threads:").is_some_and(|threads| threads >= 1.0));
        assert!(max_fds().is_some_and(|fds| fds >= 3.0));
        let busy = std::hint::black_box((0..50_000_000_u64).fold(0, |sum, n| sum ^ n));
        assert!(cpu_seconds().is_some_and(|seconds| seconds > 0.0), "{busy}");
    }
}
