//! Writes the lines of the log through a bounded buffer and a thread that writes its content.
//! Logging never waits for a terminal, a pipe or a disk. If stderr is blocked and 8 MiB of lines
//! are buffered, further lines are dropped and counted.

use crate::lock::lock;
use std::{
    io::{self, Write},
    mem,
    sync::{
        Arc, Condvar, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

/// The number of bytes that may be buffered: a few seconds of a busy service.
const BYTES: usize = 8 * 1024 * 1024;
/// The capacity that the buffers keep when few lines are logged.
const KEPT: usize = 1024 * 1024;
/// How long lines are collected after a write, so that a busy service writes many lines at once. A
/// crash loses the lines of this time.
const GATHER: Duration = Duration::from_millis(5);
/// How long the program waits at its end for a reader of stderr that has stopped reading.
const LAST_WORDS: Duration = Duration::from_secs(2);

#[derive(Clone, Default)]
pub(super) struct Sink(Arc<Shared>);

#[derive(Default)]
struct Shared {
    lines: Mutex<Lines>,
    /// Signals that there is something to write.
    came: Condvar,
    written: Condvar,
    lost: AtomicU64,
}

#[derive(Default)]
struct Lines {
    waiting: Vec<u8>,
    writing: bool,
}

impl Sink {
    pub(super) fn to_stderr() -> Self {
        // stderr is locked for each write only, because other code writes to it, too.
        Self::to(io::stderr())
    }

    pub(super) fn to(mut out: impl Write + Send + 'static) -> Self {
        let sink = Sink::default();
        let shared = sink.0.clone();
        let writes = move || {
            let mut taken = Vec::new();
            loop {
                shared.take(&mut taken);
                if out.write_all(&taken).and_then(|()| out.flush()).is_err() {
                    let lines = taken.iter().filter(|byte| **byte == b'\n').count();
                    shared.lost.fetch_add(lines as u64, Ordering::Relaxed);
                }
                taken.clear();
                taken.shrink_to(KEPT);
                thread::sleep(GATHER);
            }
        };
        let thread = thread::Builder::new().name("log".to_owned());
        thread.spawn(writes).expect("the system starts a thread");
        sink
    }

    /// Buffers a line, or drops it if the buffer is full.
    pub(super) fn push(&self, line: &[u8]) {
        let mut lines = lock(&self.0.lines);
        if lines.waiting.len() + line.len() > BYTES {
            self.0.lost.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let first = lines.waiting.is_empty();
        lines.waiting.extend_from_slice(line);
        drop(lines);
        if first {
            self.0.came.notify_one();
        }
    }

    pub(super) fn lost(&self) -> u64 {
        self.0.lost.load(Ordering::Relaxed)
    }

    /// Waits for a limited time until everything is written.
    pub(super) fn write_out(&self) {
        let pending = |lines: &mut Lines| lines.writing || !lines.waiting.is_empty();
        let lines = lock(&self.0.lines);
        // If the reader has stopped reading, these lines are lost.
        let _waited = self
            .0
            .written
            .wait_timeout_while(lines, LAST_WORDS, pending);
    }
}

impl Shared {
    /// Reports that the buffered lines are written, and waits for more lines.
    fn take(&self, taken: &mut Vec<u8>) {
        let mut lines = lock(&self.lines);
        lines.writing = false;
        self.written.notify_all();
        while lines.waiting.is_empty() {
            lines = self
                .came
                .wait(lines)
                .unwrap_or_else(PoisonError::into_inner);
        }
        mem::swap(&mut lines.waiting, taken);
        lines.writing = true;
    }
}

#[cfg(test)]
mod tests;
