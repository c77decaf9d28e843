//! Tests of writing to a closed pipe.

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
fn a_closed_pipe_is_the_only_write_error_that_is_ignored() {
    let write = |kind| write(Failing(kind), format_args!("a"));
    assert!(write(io::ErrorKind::BrokenPipe).is_ok());
    assert!(write(io::ErrorKind::StorageFull).is_err());
}
