//! Tests what a migration reports.

use super::*;
use std::sync::atomic::{AtomicUsize, Ordering};

#[test]
fn the_report_of_a_migration_has_its_step_and_its_progress() {
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
fn the_creation_of_a_store_is_not_reported_as_a_migration() {
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
