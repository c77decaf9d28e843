//! A running candidate: the time until it was ready, its memory, and its end.

use anyhow::{Context as _, Result, bail};
use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// A running server. It is stopped when this is dropped.
pub(super) struct Running {
    child: Child,
    pub(super) address: SocketAddr,
    /// The time from the start of the process until it printed that it listens.
    pub(super) ready: Duration,
}

impl Running {
    /// Starts a program that prints `listening on http://ADDRESS/v1`. Its log is written to a file,
    /// as it would be on a server.
    pub(super) fn start(command: &mut Command, log: &Path) -> Result<Self> {
        let file = File::create(log).with_context(|| format!("cannot create {}", log.display()))?;
        let begin = Instant::now();
        let child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(file)
            .spawn();
        let mut child = child.with_context(|| format!("cannot start {command:?}"))?;
        let mut line = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let ready = begin.elapsed();
        let address = line.trim().strip_prefix("listening on http://");
        let address = address.and_then(|rest| rest.strip_suffix("/v1")?.parse().ok());
        let Some(address) = address else {
            // The program has ended, or cannot be used.
            let _ended = child.kill().and_then(|()| child.wait());
            let log = fs::read_to_string(log).unwrap_or_default();
            bail!("{command:?} did not print that it listens: {line}{log}");
        };
        Ok(Self {
            child,
            address,
            ready,
        })
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the memory in bytes: the maximum so far (`VmHWM`) or the current value (`VmRSS`).
    pub(super) fn memory(&self, field: &str) -> Result<u64> {
        let path = format!("/proc/{}/status", self.id());
        let status = fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
        let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        Ok(kibibytes.with_context(|| format!("{path} has no {field}"))? * 1024)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // If these fail, the process has already ended.
        let _ended = self.child.kill().and_then(|()| self.child.wait());
    }
}
