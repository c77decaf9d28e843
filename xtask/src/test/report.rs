//! Reads what `cargo test` prints, line by line, and sums it up. Running it is
//! left to the task.

use std::{fmt::Write as _, time::Duration};

/// What a test that cannot run here writes on standard error, past the capture
/// of the test harness, before the name of what is left out and the reason.
const SKIPPED: &str = "skipped: ";

/// What the suite did so far.
#[derive(Debug, Default)]
pub(super) struct Report {
    suites: usize,
    passed: usize,
    failed: usize,
    ignored: usize,
    skipped: Vec<String>,
    failures: Vec<String>,
    suite: String,
    /// Whether the last line was one of an explanation, such as a compiler's.
    in_prose: bool,
}

impl Report {
    /// Takes a line in, and says whether a reader wants to see it: a test that
    /// passed is only counted.
    pub(super) fn take(&mut self, line: &str) -> bool {
        if line.is_empty() {
            return self.in_prose;
        }
        if let Some(at) = line.find(SKIPPED) {
            self.skipped
                .push(line[at + SKIPPED.len()..].trim().to_owned());
        }
        self.in_prose = false;
        let trimmed = line.trim_start();
        if let Some(target) = trimmed
            .strip_prefix("Running ")
            .or_else(|| trimmed.strip_prefix("Doc-tests "))
        {
            self.suite = target.split(" (").next().unwrap_or(target).to_owned();
            return true;
        }
        if let Some(result) = line.strip_prefix("test result: ") {
            return self.end_of_suite(result);
        }
        if let Some(test) = line.strip_prefix("test ") {
            if let Some(name) = test.strip_suffix(" ... FAILED") {
                self.failures.push(format!("{name} ({})", self.suite));
            }
            return !test.ends_with(" ... ok");
        }
        self.in_prose = !is_count(line);
        self.in_prose
    }

    fn end_of_suite(&mut self, result: &str) -> bool {
        let count = |what: &str| {
            let words: Vec<&str> = result.split([' ', ';']).collect();
            let at = words.iter().position(|word| *word == what);
            at.and_then(|at| words[..at].last())
                .and_then(|number| number.parse().ok())
                .unwrap_or(0)
        };
        self.suites += 1;
        self.passed += count("passed");
        self.failed += count("failed");
        self.ignored += count("ignored");
        count("passed") + count("failed") + count("ignored") > 0
    }

    /// The closing lines.
    pub(super) fn summary(&self, took: Duration, succeeded: bool) -> String {
        if self.suites == 0 {
            return "\nthe tests did not run: see the errors above\n".to_owned();
        }
        let mut text = String::from("\n");
        for failure in &self.failures {
            let _ = writeln!(text, "failed: {failure}");
        }
        for skipped in &self.skipped {
            let _ = writeln!(text, "skipped: {skipped}");
        }
        if self.skipped.is_empty() {
            let _ = writeln!(text, "skipped: nothing; every tool the tests need is here");
        }
        let _ = writeln!(
            text,
            "{} tests in {} suites: {} passed, {} failed, {} ignored; {} s",
            self.passed + self.failed + self.ignored,
            self.suites,
            self.passed,
            self.failed,
            self.ignored,
            took.as_secs(),
        );
        let closing = if succeeded {
            "all tests passed"
        } else {
            "the suite failed: see the first failure above"
        };
        let _ = writeln!(text, "{closing}");
        text
    }
}

/// Whether this is the line with which the harness opens a suite.
fn is_count(line: &str) -> bool {
    line.strip_prefix("running ")
        .is_some_and(|rest| rest.ends_with(" tests") || rest.ends_with(" test"))
}

#[cfg(test)]
mod tests {
    use super::Report;
    use std::time::Duration;

    const OUTPUT: &str = "\
   Compiling xtask v1.0.0
     Running tests/first.rs (target/debug/deps/first-0)

running 3 tests
test a_good_one ... ok
skipped: PostgreSQL: `initdb` is not installed
test a_bad_one ... FAILED
test a_late_one ... ignored

test result: FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.10s

   Doc-tests second

running 0 tests

test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";

    fn report_of(output: &str) -> (Report, Vec<&str>) {
        let mut report = Report::default();
        let shown = output.lines().filter(|line| report.take(line)).collect();
        (report, shown)
    }

    #[test]
    fn the_summary_counts_and_names_what_failed_and_what_was_skipped() {
        let (report, _) = report_of(OUTPUT);
        assert_eq!(
            report.summary(Duration::from_secs(12), false),
            "
failed: a_bad_one (tests/first.rs)
skipped: PostgreSQL: `initdb` is not installed
3 tests in 2 suites: 1 passed, 1 failed, 1 ignored; 12 s
the suite failed: see the first failure above
"
        );
    }

    #[test]
    fn a_passed_test_is_counted_and_not_shown() {
        let (_, shown) = report_of(OUTPUT);
        assert!(
            !shown.iter().any(|line| line.contains("a_good_one")),
            "{shown:#?}"
        );
        assert!(
            shown.iter().any(|line| line.contains("a_bad_one")),
            "{shown:#?}"
        );
    }

    #[test]
    fn a_suite_that_does_not_compile_is_told_from_one_that_failed() {
        let (report, shown) = report_of("error[E0432]: unresolved import");
        assert_eq!(shown, ["error[E0432]: unresolved import"]);
        assert!(
            report
                .summary(Duration::ZERO, false)
                .contains("the tests did not run")
        );
    }
}
