//! Reports the progress and the result of an import: to people on stderr, and to programs on
//! stdout.

use super::journal::{self, State};
use crate::{
    exit::{self, Exit},
    output::{self, Form, Out, grouped, printable},
};
use anyhow::{Context as _, Result, bail};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use serde_json::json;
use std::{
    fmt,
    fs::{self, File},
    io::{BufWriter, Write as _},
    num::NonZeroU64,
    path::Path,
};

/// The progress of an import. It is shown only if stderr is a terminal.
pub(super) struct Progress(ProgressBar);

impl Progress {
    pub(super) fn begin(state: &State, records: u64) -> Self {
        let style =
            ProgressStyle::with_template("[{bar:32}] {human_pos} of {human_len} lines{pace}{msg}")
                .unwrap_or_else(|_| ProgressStyle::default_bar())
                .with_key("pace", pace_since(state.settled()))
                .progress_chars("=> ");
        if (1..records).contains(&state.settled()) {
            eprintln!(
                "continuing: {} of {} lines are done",
                grouped(state.settled()),
                grouped(records)
            );
        }
        let bar = ProgressBar::with_draw_target(Some(records), ProgressDrawTarget::stderr())
            .with_style(style)
            .with_position(state.settled());
        Progress(bar)
    }

    pub(super) fn show(&self, state: &State) {
        self.0.set_position(state.settled());
        if state.refused > 0 && self.0.message().is_empty() {
            self.0.set_message(", some rejected");
        }
    }

    /// Prints text above the progress bar.
    pub(super) fn say(&self, text: &str) {
        self.0.suspend(|| eprintln!("{text}"));
    }

    /// Prints that a line was rejected.
    pub(super) fn refused(&self, line: u64, reason: &str) {
        self.say(&format!("line {line} is rejected: {}", printable(reason)));
    }

    /// Removes the progress bar, because the report contains more.
    pub(super) fn end(self) {
        self.0.finish_and_clear();
    }
}

/// Shows the speed and the remaining time. Both are computed from the lines of this run only,
/// because earlier runs took none of its time.
fn pace_since(begun: u64) -> impl Fn(&ProgressState, &mut dyn fmt::Write) + Clone + Send + Sync {
    move |progress, text| {
        let done = progress.pos().saturating_sub(begun);
        let left = progress
            .len()
            .unwrap_or_default()
            .saturating_sub(progress.pos());
        let elapsed = progress.elapsed();
        let Some(second) = NonZeroU64::new(elapsed.as_secs()) else {
            return;
        };
        if done > 0 {
            // If the line cannot be drawn now, it is drawn the next time.
            let _ = write!(
                text,
                ", {} a second, {} s left",
                grouped(done / second),
                grouped(left.saturating_mul(second.get()) / done)
            );
        }
    }
}

/// A set of line numbers, displayed in the form `3, 5-7`.
#[derive(Debug, Default)]
pub(super) struct Ranges(Vec<(u64, u64)>);

impl Ranges {
    /// Adds a line, whose number must be greater than all earlier ones.
    pub(super) fn push(&mut self, line: u64) {
        match self.0.last_mut() {
            Some((_, to)) if *to + 1 == line => *to = line,
            _ => self.0.push((line, line)),
        }
    }

    pub(super) fn count(&self) -> u64 {
        self.0.iter().map(|(from, to)| to - from + 1).sum()
    }
}

impl fmt::Display for Ranges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (from, to)) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            match from == to {
                true => write!(f, "{comma}{from}")?,
                false => write!(f, "{comma}{from}-{to}")?,
            }
        }
        Ok(())
    }
}

/// The outcome of an import, as far as the journal does not contain it.
#[derive(Default)]
pub(super) struct Outcome {
    pub(super) records: u64,
    /// How many lines were done before this run.
    pub(super) already: u64,
    /// Lines that may have been added and were held back.
    pub(super) held: Ranges,
    /// How many lines of this run were sent but have no response.
    pub(super) unanswered: u64,
    /// The signal that ended the import.
    pub(super) signal: Option<Exit>,
    /// The error that stopped the import, if no signal did.
    pub(super) failure: Option<anyhow::Error>,
}

impl Outcome {
    /// Prints the outcome and returns the exit code.
    pub(super) fn tell(
        &self,
        form: Form,
        input: &Path,
        journal: &Path,
        state: &State,
    ) -> Result<Exit> {
        let stopped = self.signal.is_some() || self.failure.is_some();
        let by = match self.signal {
            Some(Exit::Interrupted) => " by SIGINT",
            Some(_) => " by SIGTERM",
            None => "",
        };
        let verb = match stopped {
            true => "stopped",
            false if self.records > 0 && self.already == self.records => "already imported",
            false => "imported",
        };
        let mut counts = format!("{} added", grouped(state.added));
        for (count, what) in [
            (state.refused, "rejected"),
            (state.skipped, "skipped"),
            (self.held.count(), "held back"),
            (self.unanswered, "sent without a response"),
        ] {
            if count > 0 {
                counts += &format!(", {} {what}", grouped(count));
            }
        }
        eprintln!(
            "{verb}{by}: {} of {} lines of {} are done ({counts})",
            grouped(state.settled()),
            grouped(self.records),
            input.display()
        );
        if self.held.count() > 0 {
            eprintln!(
                "held back: line {}: each line was sent more than 24 hours ago, or with another API key, and its response was \
                 not received, so it is unknown whether its pet was added; look for these pets with `petstore pets export`, then run the same \
                 command with `--unknown send` to add them, or with `--unknown skip` if they were already added",
                self.held
            );
        }
        if stopped {
            let soon = match self.unanswered {
                0 => "",
                _ => " within 24 hours",
            };
            eprintln!(
                "to continue, run the same command again{soon}; {} records what was done",
                journal.display()
            );
        } else {
            eprintln!(
                "keep {}: it prevents the file from being imported twice",
                journal.display()
            );
        }
        if form == Form::Json {
            let json = json!({
                "lines": self.records,
                "added": state.added,
                "refused": state.refused,
                "skipped": state.skipped,
                "held": self.held.count(),
                "unanswered": self.unanswered,
                "left": self.records.saturating_sub(state.settled()),
                "journal": journal.display().to_string(),
            });
            let mut out = Out::new();
            out.write(format!("{json}\n"))?;
            out.flush()?;
        }
        Ok(match (&self.failure, self.signal) {
            (Some(failure), _) => exit::of(failure),
            (None, Some(signal)) => signal,
            _ if self.held.count() > 0 => Exit::Unknown,
            _ if state.refused > 0 => Exit::Refused,
            _ => Exit::Done,
        })
    }
}

/// Writes the rejected lines of all runs to a file.
pub(super) fn write_rejected(to: &Path, journal: &Path) -> Result<()> {
    let context = || format!("cannot write the rejected lines to `{}`", to.display());
    let mut file = BufWriter::new(File::create(to).with_context(context)?);
    journal::refused(journal, |line, reason| {
        let text = json!({"line": line, "reason": reason});
        let mut line = output::json(&text)?;
        line.push(b'\n');
        file.write_all(&line).with_context(context)
    })?;
    file.flush().with_context(context)
}

/// Checks that the file for rejected lines does not overwrite the input or the journal.
pub(super) fn check_rejected(to: &Path, input: &Path, journal: &Path) -> Result<()> {
    let Ok(to) = fs::canonicalize(to) else {
        return Ok(());
    };
    for other in [input, journal] {
        if fs::canonicalize(other).is_ok_and(|other| other == to) {
            bail!(crate::exit::WrongUsage(format!(
                "--rejected would overwrite `{}`: name another file",
                to.display()
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consecutive_lines_are_displayed_as_a_range() {
        let mut ranges = Ranges::default();
        [3, 5, 6, 7, 9]
            .into_iter()
            .for_each(|line| ranges.push(line));
        assert_eq!(
            (ranges.to_string().as_str(), ranges.count()),
            ("3, 5-7, 9", 5)
        );
    }
}
