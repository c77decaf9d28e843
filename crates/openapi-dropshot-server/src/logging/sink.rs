//! Writes the lines of the log: a bounded buffer, and a thread that writes its
//! content. Logging never waits for a terminal, a pipe or a
//! disk; if stderr is blocked and 8 MiB of lines are buffered, further lines are lost and counted.

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

/// Bytes that may be buffered: some seconds of a busy service.
const BYTES: usize = 8 * 1024 * 1024;
/// The capacity that the buffers keep when there is little to do.
const KEPT: usize = 1024 * 1024;
/// How long lines gather after a write, so that a busy service writes many at
/// a time. A crash loses as much.
const GATHER: Duration = Duration::from_millis(5);
/// How long the end of the program waits for a reader that has stopped reading.
const LAST_WORDS: Duration = Duration::from_secs(2);

#[derive(Clone, Default)]
pub(super) struct Sink(Arc<Shared>);

#[derive(Default)]
struct Shared {
    lines: Mutex<Lines>,
    /// There is something to write.
    came: Condvar,
    /// All is written.
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
        // Locked a write at a time: others write to stderr too.
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

    /// Takes a line, or loses it where the buffer is full.
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

    /// Waits until everything is written, within bounds.
    pub(super) fn write_out(&self) {
        let pending = |lines: &mut Lines| lines.writing || !lines.waiting.is_empty();
        let lines = lock(&self.0.lines);
        // If the reader has stopped reading, the lines are lost.
        let _waited = self
            .0
            .written
            .wait_timeout_while(lines, LAST_WORDS, pending);
    }
}

impl Shared {
    /// Says that what was taken before is written, and waits for more.
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
mod tests {
    use super::*;
    use std::sync::mpsc;

    /// Hands over what is written to it, and waits for each to be taken.
    struct Handed(mpsc::SyncSender<Vec<u8>>);

    impl Write for Handed {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.send(bytes.to_vec()).map_err(io::Error::other)?;
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_come_out_whole_and_in_their_order() {
        let (sender, written) = mpsc::sync_channel(100);
        let sink = Sink::to(Handed(sender));
        let lines: Vec<String> = (0..50).map(|number| format!("{number}\n")).collect();
        for line in &lines {
            sink.push(line.as_bytes());
        }
        sink.write_out();
        let bytes: Vec<u8> = written.try_iter().flatten().collect();
        assert_eq!(String::from_utf8_lossy(&bytes), lines.concat());
        assert_eq!(sink.lost(), 0);
    }

    #[test]
    fn who_logs_never_waits_and_what_is_lost_is_counted() {
        let (sender, written) = mpsc::sync_channel(0);
        let sink = Sink::to(Handed(sender));
        let mut line = vec![b'x'; 1023];
        line.push(b'\n');
        // As much as one blocked write, as much as may be buffered, and more.
        let pushed = 2 * BYTES / line.len() + 3;
        for _ in 0..pushed {
            sink.push(&line);
        }
        let lost = usize::try_from(sink.lost()).expect("no more than were pushed");
        assert!((3..=pushed - BYTES / line.len()).contains(&lost), "{lost}");
        // The buffered lines are written once the reader reads.
        let mut missing = (pushed - lost) * line.len();
        while missing > 0 {
            missing -= written.recv().expect("written").len();
        }
        sink.write_out();
    }

    #[test]
    fn a_reader_that_is_gone_loses_the_lines_and_nothing_else() {
        let (sender, written) = mpsc::sync_channel(0);
        drop(written);
        let sink = Sink::to(Handed(sender));
        sink.push(b"one\ntwo\n");
        sink.write_out();
        assert_eq!(sink.lost(), 2);
    }
}
