//! Prints to standard output and standard error. The macros `print!`, `println!` and `eprintln!` of this crate replace the
//! macros of the standard library, which panic if the pipe is closed, as in `cargo openapi-dropshot explain | head`.

use std::{
    fmt,
    io::{self, Write},
    process,
};

macro_rules! print {
    ($($arguments:tt)*) => { $crate::printing::on_stdout(format_args!($($arguments)*)) };
}

macro_rules! println {
    () => { $crate::printing::on_stdout(format_args!("\n")) };
    ($($arguments:tt)*) => { $crate::printing::on_stdout(format_args!("{}\n", format_args!($($arguments)*))) };
}

macro_rules! eprint {
    ($($arguments:tt)*) => { $crate::printing::on_stderr(format_args!($($arguments)*)) };
}

macro_rules! eprintln {
    ($($arguments:tt)*) => { $crate::printing::on_stderr(format_args!("{}\n", format_args!($($arguments)*))) };
}

/// Prints to standard output.
pub(crate) fn on_stdout(text: fmt::Arguments<'_>) {
    if let Err(error) = write(io::stdout().lock(), text) {
        on_stderr(format_args!(
            "error: cannot write to standard output\n  because: {error}\n"
        ));
        process::exit(1);
    }
}

/// Prints to standard error. An error is ignored, because it cannot be reported anywhere.
pub(crate) fn on_stderr(text: fmt::Arguments<'_>) {
    drop(write(io::stderr().lock(), text));
}

/// Writes a text. If the reader has closed the pipe, the command continues, so that its exit code and its files are the same.
fn write(mut to: impl Write, text: fmt::Arguments<'_>) -> io::Result<()> {
    match to.write_fmt(text).and_then(|()| to.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result,
    }
}

#[cfg(test)]
mod tests;
