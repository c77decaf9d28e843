//! Reports the progress of a migration, which can take minutes, while it runs.

use std::{
    fmt,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// How often a migration that is running is reported.
const INTERVAL: Duration = Duration::from_secs(5);

/// The progress of the upgrade of a store. Each step makes the next schema version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationProgress {
    /// The schema version from which the store is upgraded.
    pub from: i64,
    /// The schema version to which it is upgraded.
    pub to: i64,
    /// The number of the present step, from 1; 0 before the first step.
    pub step: usize,
    /// The number of steps.
    pub steps: usize,
    /// What the step is about.
    pub about: &'static str,
    /// The time since the beginning of the first step.
    pub elapsed: Duration,
    /// Whether all steps are done.
    pub is_done: bool,
}

/// The upgrade of a store that was not begun.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MigrationPlan {
    /// The schema version of the store; 0 where there is none.
    pub from: i64,
    /// The schema version of this code.
    pub to: i64,
    /// What each step is about.
    pub steps: Vec<&'static str>,
    /// About how long it takes, as measured on a part of the store.
    pub estimate: Duration,
}

/// What a migration is about: its first line.
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

/// Is called at the beginning of each step of a migration, every five seconds while the
/// step runs, and at the end. A new store has nothing to migrate.
pub type OnMigration = Arc<dyn Fn(&MigrationProgress) + Send + Sync>;

/// Counts the steps of one migration and reports them.
pub(crate) struct Reporter {
    on_migration: OnMigration,
    from: i64,
    to: i64,
    steps: usize,
    step: AtomicUsize,
    /// The highest step that was begun. After a failed attempt the steps begin again.
    highest: AtomicUsize,
    about: Mutex<&'static str>,
    started: Instant,
    interval: Duration,
    reported: Mutex<Instant>,
}

impl Reporter {
    pub(crate) fn new(on_migration: OnMigration, from: i64, to: i64) -> Self {
        let now = Instant::now();
        Self {
            on_migration,
            from,
            to,
            steps: usize::try_from(to - from).unwrap_or(0),
            step: AtomicUsize::new(0),
            highest: AtomicUsize::new(0),
            about: Mutex::new("waiting for another server that upgrades it"),
            started: now,
            interval: INTERVAL,
            reported: Mutex::new(now),
        }
    }

    /// Reports that a step begins. `sql` begins with a comment that says what it is about.
    pub(crate) fn begin(&self, sql: &'static str) {
        let step = self.step.fetch_add(1, Ordering::Relaxed) + 1;
        *locked(&self.about) = about(sql);
        if step > self.highest.fetch_max(step, Ordering::Relaxed) {
            self.report(false);
        } else {
            self.go_on();
        }
    }

    /// All steps were rolled back, and begin again when that is over which `about` names.
    pub(crate) fn wait(&self, about: &'static str) {
        self.step.store(0, Ordering::Relaxed);
        let is_new = std::mem::replace(&mut *locked(&self.about), about) != about;
        if is_new {
            self.report(false);
        } else {
            self.go_on();
        }
    }

    /// Reports the present step again if the last report is old.
    pub(crate) fn go_on(&self) {
        if locked(&self.reported).elapsed() >= self.interval {
            self.report(false);
        }
    }

    pub(crate) fn end(&self) {
        self.report(true);
    }

    pub(crate) const fn interval(&self) -> Duration {
        self.interval
    }

    fn report(&self, is_done: bool) {
        *locked(&self.reported) = Instant::now();
        // Empty databases are made in no time; this is not an upgrade.
        if self.from == 0 {
            return;
        }
        (self.on_migration)(&MigrationProgress {
            from: self.from,
            to: self.to,
            step: self.step.load(Ordering::Relaxed),
            steps: self.steps,
            about: *locked(&self.about),
            elapsed: self.started.elapsed(),
            is_done,
        });
    }

    /// Reports at every call of [`go_on`](Self::go_on).
    #[cfg(test)]
    pub(crate) fn without_pauses(mut self) -> Self {
        self.interval = Duration::ZERO;
        self
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_what_is_done_and_how_far_it_is() {
        let mut progress = MigrationProgress {
            from: 4,
            to: 7,
            step: 2,
            steps: 3,
            about: "limits of keys",
            elapsed: Duration::from_millis(12_700),
            is_done: false,
        };
        assert_eq!(
            progress.to_string(),
            "upgrading the store from schema version 4 to 7: step 2 of 3 (limits of keys), 12 s so far"
        );
        progress.is_done = true;
        assert_eq!(
            progress.to_string(),
            "the store was upgraded from schema version 4 to 7 in 12 s"
        );
    }

    #[test]
    fn a_new_store_is_not_reported() {
        let reports = Arc::new(AtomicUsize::new(0));
        let counted = reports.clone();
        let count: OnMigration = Arc::new(move |_| {
            counted.fetch_add(1, Ordering::Relaxed);
        });
        for (from, expected) in [(0, 0), (4, 2)] {
            let reporter = Reporter::new(count.clone(), from, 7);
            reporter.begin("-- Schema 5: something.");
            reporter.end();
            assert_eq!(reports.swap(0, Ordering::Relaxed), expected);
        }
    }
}
