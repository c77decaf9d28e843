//! Reads the memory use of a process.

use rustix::process::Pid;
use std::{fmt, fs};

/// The memory limit of the service, whatever its clients do.
pub const BOUND: Memory = Memory(256 << 20);

/// An amount of memory in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Memory(pub u64);

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} MB", self.0 >> 20)
    }
}

/// Returns the resident memory of a process; `None` if it has ended.
pub fn resident(pid: Pid) -> Option<Memory> {
    field(pid, "VmRSS:")
}

/// Returns the highest resident memory of a process; `None` if it has ended.
pub fn peak(pid: Pid) -> Option<Memory> {
    field(pid, "VmHWM:")
}

fn field(pid: Pid, name: &str) -> Option<Memory> {
    let status = fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(Memory(kilobytes * 1024))
}
