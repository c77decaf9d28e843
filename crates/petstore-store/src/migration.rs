//! Reports the progress of a migration, which can take minutes, while it runs.

use parking_lot::Mutex;
use std::{
    fmt,
    sync::Arc,
    time::{Duration, Instant},
};

/// How often the progress of a migration is reported.
const INTERVAL: Duration = Duration::from_secs(5);

/// The progress of the upgrade of a store. Each step upgrades the store to the next schema version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationProgress {
    /// The schema version from which the store is upgraded.
    pub from: i64,
    /// The schema version to which it is upgraded.
    pub to: i64,
    /// The number of the current step, from 1; 0 before the first step.
    pub step: usize,
    /// The number of steps.
    pub steps: usize,
    /// What the step changes.
    pub about: &'static str,
    /// The time since the beginning of the first step.
    pub elapsed: Duration,
    /// Whether all steps are done.
    pub is_done: bool,
}

/// The planned upgrade of a store.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MigrationPlan {
    /// The schema version of the store; 0 if there is no store.
    pub from: i64,
    /// The schema version of this code.
    pub to: i64,
    /// What each step changes.
    pub steps: Vec<&'static str>,
    /// The estimated duration, from a measurement on a part of the store.
    pub estimate: Duration,
}

/// What a migration changes: the text of its first line.
pub(crate) fn about(sql: &'static str) -> &'static str {
    let title = sql.lines().next().unwrap_or_default();
    let about = title.split_once(": ").map_or(title, |(_, about)| about);
    about.trim_end_matches('.')
}

impl fmt::Display for MigrationProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            from,
            to,
            step,
            steps,
            about,
            ..
        } = self;
        let seconds = self.elapsed.as_secs();
        if *step == 0 {
            return write!(
                f,
                "upgrading the store from schema version {from} to {to}: {about}, {seconds} s so far"
            );
        }
        if self.is_done {
            return write!(
                f,
                "the store was upgraded from schema version {from} to {to} in {seconds} s"
            );
        }
        write!(
            f,
            "upgrading the store from schema version {from} to {to}: step {step} of {steps} ({about}), {seconds} s so far"
        )
    }
}

/// A function that is called at the beginning of each step of a migration, every five seconds
/// while the step runs, and at the end. It is not called for a new store.
pub type OnMigration = Arc<dyn Fn(&MigrationProgress) + Send + Sync>;

/// Counts the steps of one migration and reports them.
pub(crate) struct Reporter {
    on_migration: OnMigration,
    started: Instant,
    interval: Duration,
    state: Mutex<State>,
}

struct State {
    progress: MigrationProgress,
    /// The highest step that was begun. After a failed attempt, the steps begin again at 1.
    highest: usize,
    reported: Instant,
}

impl Reporter {
    pub(crate) fn new(on_migration: OnMigration, from: i64, to: i64) -> Self {
        let now = Instant::now();
        Self {
            on_migration,
            started: now,
            interval: INTERVAL,
            state: Mutex::new(State {
                progress: MigrationProgress {
                    from,
                    to,
                    step: 0,
                    steps: usize::try_from(to - from).unwrap_or(0),
                    about: "waiting for another server that upgrades it",
                    elapsed: Duration::ZERO,
                    is_done: false,
                },
                highest: 0,
                reported: now,
            }),
        }
    }

    /// Reports that a step begins. `sql` begins with a comment that says what the step changes.
    pub(crate) fn begin(&self, sql: &'static str) {
        self.report(
            |State {
                 progress, highest, ..
             }| {
                progress.step += 1;
                progress.about = about(sql);
                let is_new = progress.step > *highest;
                *highest = progress.step.max(*highest);
                is_new
            },
        );
    }

    /// Reports that all steps were rolled back. They start again when the cause in `about` has ended.
    pub(crate) fn wait(&self, about: &'static str) {
        self.report(|State { progress, .. }| {
            progress.step = 0;
            std::mem::replace(&mut progress.about, about) != about
        });
    }

    /// Reports the current step again if the last report is old.
    pub(crate) fn go_on(&self) {
        self.report(|_| false);
    }

    pub(crate) fn end(&self) {
        self.report(|State { progress, .. }| {
            progress.is_done = true;
            true
        });
    }

    pub(crate) const fn interval(&self) -> Duration {
        self.interval
    }

    /// Changes the state. Reports it if `change` returns true, or if the last report is old.
    fn report(&self, change: impl FnOnce(&mut State) -> bool) {
        let mut state = self.state.lock();
        let is_new = change(&mut state);
        if !is_new && state.reported.elapsed() < self.interval {
            return;
        }
        state.reported = Instant::now();
        state.progress.elapsed = self.started.elapsed();
        // The creation of a new store is fast and not an upgrade.
        if state.progress.from > 0 {
            (self.on_migration)(&state.progress);
        }
    }

    /// Reports at every call of [`go_on`](Self::go_on).
    #[cfg(test)]
    pub(crate) fn without_pauses(mut self) -> Self {
        self.interval = Duration::ZERO;
        self
    }
}

#[cfg(test)]
mod tests;
