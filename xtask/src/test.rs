//! Task `test`: runs the whole test suite, with `cargo nextest` if it is installed and with
//! `cargo test` otherwise, and prints which tests were skipped.

use anyhow::{Context, Result};
use std::{
    collections::BTreeMap,
    env,
    ffi::OsString,
    fs,
    num::NonZero,
    path::Path,
    process::{Command, ExitCode},
    thread,
};
use test_support::{RECORD, REQUIRED};

/// The options of the task `test`.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Fail the tests that are otherwise skipped because this machine lacks something that they need
    #[arg(long)]
    require_all: bool,

    /// More arguments for `cargo nextest run` or `cargo test`, such as `-p PACKAGE` or a
    /// part of a test's name; with such arguments, the documentation tests are not run
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGUMENT"
    )]
    arguments: Vec<OsString>,
}

impl Options {
    /// Whether an argument begins with this text.
    fn has(&self, option: &str) -> bool {
        let mut arguments = self.arguments.iter();
        arguments.any(|argument| argument.to_string_lossy().starts_with(option))
    }
}

/// Runs the suite in the workspace at `root`.
pub(crate) fn run(root: &Path, options: &Options) -> Result<ExitCode> {
    let cargo = |arguments: &[&str]| {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(root).args(arguments);
        cargo
    };
    // The crates for all platforms are needed, because tests call cargo commands that read every
    // package in the lock file.
    println!("downloading missing crates of Cargo.lock: cargo fetch --locked");
    if !succeeds(&mut cargo(&["fetch", "--locked"]))? {
        println!(
            "some crates are missing and cannot be downloaded: tests that need them will fail"
        );
    }
    let nextest = cargo(&["nextest", "--version"]).output();
    let has_nextest = nextest.is_ok_and(|output| output.status.success());
    let runner: &[&str] = if has_nextest {
        &["nextest", "run"]
    } else {
        &["test"]
    };
    let left_out = tempfile::NamedTempFile::new().context("cannot create a temporary file")?;
    let mut suite = cargo(runner);
    suite.arg("--no-fail-fast").env(RECORD, left_out.path());
    if options.require_all {
        suite.env(REQUIRED, "all");
    }
    if !options.has("-p") && !options.has("--package") {
        suite.arg("--workspace");
    }
    if has_nextest && !options.has("--test-threads") {
        // Most of the time, many tests only wait. Tests that measure times run alone.
        let processors = thread::available_parallelism().map_or(2, NonZero::get);
        suite.arg(format!("--test-threads={}", 3 * processors));
    }
    // nextest does not run documentation tests. They run at the same time, but with a lower
    // priority, so that the other tests get the processors first.
    let examples = has_nextest && options.arguments.is_empty();
    let examples = examples.then(|| {
        let mut nice = Command::new("nice");
        nice.current_dir(root).arg(cargo(&[]).get_program());
        nice.args(["test", "--workspace", "--doc", "--no-fail-fast", "--quiet"]);
        thread::spawn(move || nice.output())
    });
    let mut passed = succeeds(suite.args(&options.arguments))?;
    if let Some(examples) = examples {
        println!("the examples of the documentation:");
        let output = examples.join().expect("no panic");
        let output = output.context("cannot start the examples of the documentation")?;
        print!("{}", String::from_utf8_lossy(&output.stdout));
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
        passed &= output.status.success();
    }
    let records =
        fs::read_to_string(left_out.path()).context("cannot read which tests were left out")?;
    print!("{}", table(&records));
    Ok(ExitCode::from(u8::from(!passed)))
}

/// Returns the table of skipped tests: for each reason, what to do so that they run.
fn table(records: &str) -> String {
    let mut reasons: BTreeMap<(&str, &str), Vec<&str>> = BTreeMap::new();
    for record in records.lines() {
        let mut fields = record.split('\t');
        if let (Some(test), Some(reason), Some(remedy)) =
            (fields.next(), fields.next(), fields.next())
        {
            reasons.entry((reason, remedy)).or_default().push(test);
        }
    }
    if reasons.is_empty() {
        return "no test was left out\n".to_owned();
    }
    let mut text = "\nleft out:\n".to_owned();
    for ((reason, remedy), mut tests) in reasons {
        tests.sort_unstable();
        tests.dedup();
        text += &format!(
            "{:>6}  {reason}: {remedy}\n        {}\n",
            tests.len(),
            tests.join("\n        ")
        );
    }
    text
}

fn succeeds(command: &mut Command) -> Result<bool> {
    let status = command.status();
    let status = status.with_context(|| format!("cannot start {command:?}"))?;
    Ok(status.success())
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn tests_that_were_left_out_are_listed_by_reason_with_a_remedy() {
        let records = "proxy::b\tHAProxy is not installed\tinstall HAProxy\n\
                       tls::a\tthe command `openssl` is missing\tinstall openssl\n\
                       proxy::a\tHAProxy is not installed\tinstall HAProxy\n";
        assert_eq!(
            table(records),
            "\nleft out:\n     2  HAProxy is not installed: install HAProxy\n        proxy::a\n        proxy::b\n     \
             1  the command `openssl` is missing: install openssl\n        tls::a\n"
        );
        assert_eq!(table(""), "no test was left out\n");
    }
}
