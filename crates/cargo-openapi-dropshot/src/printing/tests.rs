//! Tests of writing to readers that are gone.

use super::*;

/// A writer that fails.
struct Failing(io::ErrorKind);

impl Write for Failing {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(self.0.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn only_a_reader_that_is_gone_is_no_error() {
    let write = |kind| write(Failing(kind), format_args!("a"));
    assert!(write(io::ErrorKind::BrokenPipe).is_ok());
    assert!(write(io::ErrorKind::StorageFull).is_err());
}
