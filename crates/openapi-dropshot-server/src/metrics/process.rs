//! Exports the statistics that Linux has about this process, under the names that all Prometheus
//! libraries use. On other systems these metrics do not exist.

use super::{Metrics, reading::Value};
use prometheus::Opts;
use rustix::{
    process::{Resource, getrlimit},
    time::{ClockId, clock_gettime},
};
use std::{fs, path::Path, time::SystemTime};

pub(super) fn watch(metrics: &Metrics) {
    if !Path::new("/proc/self/status").exists() {
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
        max_fds,
    );
    metrics.gauge("process_threads", "Threads.", || {
        in_status("Threads:").unwrap_or_default()
    });
    let cpu = Opts::new(
        "process_cpu_seconds_total",
        "Processor time in user and in kernel mode.",
    );
    metrics.add(&cpu, || Some(Value::Counter(cpu_seconds())));
    let started = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0.0, |since| since.as_secs_f64());
    metrics.gauge(
        "process_start_time_seconds",
        "When the service started, as a Unix timestamp in seconds.",
        move || started,
    );
}

/// Returns the first number after this word.
fn in_status(word: &str) -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(word))?;
    line.split_whitespace().next()?.parse().ok()
}

fn max_fds() -> f64 {
    let limit = getrlimit(Resource::Nofile).current;
    limit.map_or(f64::INFINITY, |limit| limit as f64)
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_metrics_of_this_process_have_values() {
        assert!(in_status("VmRSS:").is_some_and(|kib| kib > 100.0));
        assert!(in_status("Threads:").is_some_and(|threads| threads >= 1.0));
        assert!(max_fds() >= 3.0);
        let busy = std::hint::black_box((0..50_000_000_u64).fold(0, |sum, n| sum ^ n));
        assert!(cpu_seconds() > 0.0, "{busy}");
    }
}
