//! Runs programs: to their end, or as servers with the time until they were ready, their memory and
//! their end.

use anyhow::{Context as _, Result, bail, ensure};
use petstore_bench::memory;
use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// A running server. It is stopped when this is dropped.
pub(crate) struct Running {
    child: Child,
    pub(crate) address: SocketAddr,
    /// The time from the start of the process until it printed that it listens.
    ready: Duration,
}

impl Running {
    /// Starts a program that prints `listening on http://ADDRESS/v1`. Its log is written to a file,
    /// as it would be on a server.
    pub(crate) fn start(command: &mut Command, log: &Path) -> Result<Self> {
        let file = File::create(log).with_context(|| format!("cannot create {}", log.display()))?;
        let begin = Instant::now();
        command.stdin(Stdio::null()).stderr(file);
        let (mut child, line) = spawn(command)?;
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

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn ready_ms(&self) -> f64 {
        self.ready.as_secs_f64() * 1e3
    }

    /// Returns the memory in bytes: the maximum so far (`VmHWM`) or the current value (`VmRSS`).
    pub(crate) fn memory(&self, field: &str) -> Result<u64> {
        memory(self.id(), field).with_context(|| format!("Linux reports no {field}"))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // If these fail, the process has already ended.
        let _ended = self.child.kill().and_then(|()| self.child.wait());
    }
}

/// Starts a program and waits for the first line that it prints.
pub(crate) fn spawn(command: &mut Command) -> Result<(Child, String)> {
    let child = command.stdout(Stdio::piped()).spawn();
    let mut child = child.with_context(|| format!("cannot start {command:?}"))?;
    let mut line = String::new();
    if let Some(stdout) = child.stdout.take() {
        BufReader::new(stdout).read_line(&mut line)?;
    }
    Ok((child, line))
}

/// Runs a command until it ends, and returns its output.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.output();
    let output = output.with_context(|| format!("cannot start {command:?}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "{command:?} failed: {}",
        errors.trim()
    );
    String::from_utf8(output.stdout)
        .with_context(|| format!("{command:?} printed text that is not UTF-8"))
}
