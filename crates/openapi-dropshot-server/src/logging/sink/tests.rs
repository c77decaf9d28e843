//! Tests that lines are written in order, and that dropped lines are counted.

use super::*;
use std::sync::mpsc;

/// Passes on what is written to it, and waits until each write is received.
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
fn lines_are_written_completely_and_in_order() {
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
fn logging_never_blocks_and_lost_lines_are_counted() {
    let (sender, written) = mpsc::sync_channel(0);
    let sink = Sink::to(Handed(sender));
    let mut line = vec![b'x'; 1023];
    line.push(b'\n');
    // One blocked write, a full buffer, and more.
    let pushed = 2 * BYTES / line.len() + 3;
    for _ in 0..pushed {
        sink.push(&line);
    }
    let lost = usize::try_from(sink.lost()).expect("no more than were pushed");
    assert!((3..=pushed - BYTES / line.len()).contains(&lost), "{lost}");
    // The buffered lines are written as soon as the reader reads.
    let mut missing = (pushed - lost) * line.len();
    while missing > 0 {
        missing -= written.recv().expect("written").len();
    }
    sink.write_out();
}

#[test]
fn if_the_log_output_is_closed_lines_are_lost_and_counted_but_the_service_continues() {
    let (sender, written) = mpsc::sync_channel(0);
    drop(written);
    let sink = Sink::to(Handed(sender));
    sink.push(b"one\ntwo\n");
    sink.write_out();
    assert_eq!(sink.lost(), 2);
}
