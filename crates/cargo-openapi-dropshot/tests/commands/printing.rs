//! Tests of what the commands print, and of a closed output pipe.

use crate::repository::{DOCUMENT, Repository, assert_printed};
use std::{fs, io, process::Stdio};

#[test]
fn a_command_with_a_closed_output_pipe_has_the_same_exit_code_and_effect() {
    let repository = Repository::with_crates();
    assert_eq!(repository.run(&["generate"]).0, 0);
    repository.replace(DOCUMENT, "maximum: 100", "maximum: 50");
    for (arguments, code) in [
        (&["explain"][..], 0),
        (&["schema"], 0),
        (&["man"], 0),
        (&["completions", "bash"], 0),
        (&["diff", "spec/released/1.0.0.yaml", DOCUMENT], 1),
        (&["check", "--skip", "roundtrip"], 1),
        (&["check", "--skip", "roundtrip", "--format", "json"], 1),
        (&["generate", "--check"], 4),
        (&["no-such-command"], 2),
        (&["generate"], 0),
    ] {
        let closed = || {
            let (reader, writer) = io::pipe().expect("a pipe");
            drop(reader);
            Stdio::from(writer)
        };
        let mut command = repository.command(arguments);
        let output = command.stdout(closed()).stderr(Stdio::piped()).output();
        let output = output.expect("the program runs");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {errors}");
        assert!(!errors.contains("panicked"), "{arguments:?}: {errors}");
        let status = repository
            .command(arguments)
            .stdout(closed())
            .stderr(closed())
            .status();
        let code = status.expect("the program runs").code();
        assert!(
            code.is_some_and(|code| code <= 4),
            "{arguments:?}: {code:?}"
        );
    }
    assert_printed(repository.run(&["generate", "--check"]), 0, &["fresh: "]);
}

#[test]
#[cfg(target_os = "linux")]
fn output_that_cannot_be_written_is_an_error() {
    let repository = Repository::code_first();
    let full = fs::File::options()
        .write(true)
        .open("/dev/full")
        .expect("a device");
    let mut command = repository.command(&["explain"]);
    let output = command.stdout(full).stderr(Stdio::piped()).output();
    let output = output.expect("the program runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(
        errors.starts_with("error: cannot write to standard output"),
        "{errors}"
    );
}

#[test]
fn a_long_line_of_a_generated_file_is_shortened_in_the_printed_diff() {
    let repository = Repository::with_crates();
    assert_eq!(repository.run(&["generate"]).0, 0);
    repository.replace(DOCUMENT, "maximum: 100", "maximum: 50");
    for (arguments, code) in [
        (&["generate", "--check"][..], 4),
        (&["check", "--gate", "generated"], 1),
    ] {
        let (found, printed) = repository.run(arguments);
        assert_eq!(found, code, "{printed}");
        let longest = printed.lines().map(|line| line.chars().count()).max();
        assert!(longest < Some(400), "{longest:?} in {arguments:?}");
    }
    let (_, printed) = repository.run(&["generate", "--check"]);
    let json = printed
        .lines()
        .find(|line| line.starts_with("+{\"components\""));
    let json = json.expect("the document as JSON is compared");
    assert!(json.ends_with(" more characters"), "{json}");
}
