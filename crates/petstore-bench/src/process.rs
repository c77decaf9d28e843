//! Runs programs: to their end, or as servers with the time until they were ready, their memory and
//! their end.

use anyhow::{Context as _, Result, bail, ensure};
use procfs::process::Process;
use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader, Write as _},
    net::SocketAddr,
    path::Path,
    process::{Child, Command, Stdio},
    time::Instant,
};

/// A running server. It is stopped when this is dropped.
pub struct Running {
    child: Child,
    /// The address on which it listens.
    pub address: SocketAddr,
    /// The time from the start of the process until it printed that it listens, in milliseconds.
    pub ready_ms: f64,
}

impl Running {
    /// Starts a program that prints `listening on http://ADDRESS/v1`. Its log is written to a file,
    /// as it would be on a server.
    pub fn start(command: &mut Command, log: &Path) -> Result<Self> {
        let file = File::create(log).with_context(|| format!("cannot create {}", log.display()))?;
        let begin = Instant::now();
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(file);
        let child = command.spawn();
        let mut child = child.with_context(|| format!("cannot start {command:?}"))?;
        let stdout = child.stdout.take().context("it is piped")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let ready_ms = begin.elapsed().as_secs_f64() * 1e3;
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
            ready_ms,
        })
    }

    /// Returns the id of the process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // If these fail, the process has already ended.
        let _ended = self.child.kill().and_then(|()| self.child.wait());
    }
}

/// Runs a command until it ends, and returns its output.
pub fn output(command: &mut Command) -> Result<String> {
    output_with(command, "")
}

/// Runs a command with this standard input until it ends, and returns its output.
pub fn output_with(command: &mut Command, input: &str) -> Result<String> {
    command.stdin(Stdio::piped());
    let child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.with_context(|| format!("cannot start {command:?}"))?;
    let mut stdin = child.stdin.take().context("it is piped")?;
    stdin.write_all(input.as_bytes())?;
    drop(stdin);
    let output = child.wait_with_output()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(
        output.status.success(),
        "{command:?} failed: {}",
        errors.trim()
    );
    String::from_utf8(output.stdout)
        .with_context(|| format!("{command:?} printed text that is not UTF-8"))
}

/// Returns the memory of a process in bytes: the current value, and the maximum so far.
pub fn memory(process: u32) -> Result<(u64, u64)> {
    let status = Process::new(process.try_into()?)?.status()?;
    let memory = status.vmrss.zip(status.vmhwm);
    let (current, maximum) = memory.context("Linux reports no memory")?;
    Ok((current * 1024, maximum * 1024))
}
