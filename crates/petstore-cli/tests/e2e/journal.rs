//! Tests the journal of an import: the file and the service to which it belongs, how long it is
//! valid, and how damage is handled.

use crate::{
    interrupted::{WithoutResponses, each_is_there_once, pets},
    program::User,
    service::Service,
};
use std::fs::{self, File};

const FILE: &str = "pets.ndjson";
const JOURNAL: &str = "pets.ndjson.journal";
const IMPORT: [&str; 3] = ["pets", "import", FILE];

/// Starts a service into which three pets were imported.
fn imported() -> (Service, User) {
    let service = Service::start();
    let user = User::of(&service);
    user.write(FILE, &pets(3));
    user.run(&IMPORT).stdout_of(0);
    (service, user)
}

#[test]
fn a_file_that_was_changed_is_rejected() {
    let (service, user) = imported();
    for text in [pets(4), pets(3).replace("pet 2", "pot 2"), pets(2)] {
        user.write(FILE, &text);
        let finished = user.run(&IMPORT);
        finished
            .reports(&[
                "`pets.ndjson` was changed",
                "new lines from a separate file",
            ])
            .stdout_of(2);
    }
    each_is_there_once(&service, 3);
}

#[test]
fn a_journal_of_another_service_or_format_is_rejected() {
    let (service, mut user) = imported();
    let finished = user.run(&[&IMPORT[..], &["--format", "csv"]].concat());
    assert_eq!(finished.stdout_of(2), "");
    let other = Service::start();
    (user.url, user.key) = (other.url.clone(), other.key.clone());
    let finished = user.run(&IMPORT);
    finished
        .reports(&[&service.url, &other.url, "--journal"])
        .stdout_of(2);
    assert!(other.pets().is_empty());
}

#[test]
fn a_file_that_is_not_a_journal_is_not_changed() {
    let service = Service::start();
    let user = User::of(&service);
    user.write(FILE, &pets(3));
    user.write("notes", "buy milk\n");
    let finished = user.run(&[&IMPORT[..], &["--journal", "notes"]].concat());
    finished
        .reports(&["`notes` is not the journal"])
        .stdout_of(2);
    assert_eq!(user.read("notes"), "buy milk\n");
    let finished = user.run(&[&IMPORT[..], &["--journal", FILE]].concat());
    finished.reports(&["is not the journal"]).stdout_of(2);
    assert_eq!(user.read(FILE), pets(3));
    assert!(service.pets().is_empty());
}

#[test]
fn two_imports_of_a_file_do_not_run_at_once() {
    let (_service, user) = imported();
    let held = File::open(user.path(JOURNAL)).expect("the journal is there");
    held.lock().expect("nobody else has it");
    let finished = user.run(&IMPORT);
    finished
        .reports(&["another import writes the journal"])
        .stdout_of(1);
    drop(held);
    user.run(&IMPORT).stdout_of(0);
}

#[test]
fn an_incomplete_last_line_is_removed_and_a_damaged_earlier_line_is_reported() {
    let (service, user) = imported();
    let whole = user.read(JOURNAL);
    // As if the response to the last line had not been written to disk.
    let torn = &whole[..whole.len() - 5];
    user.write(JOURNAL, torn);
    let report = user.run(&IMPORT).json(0);
    assert_eq!((&report["added"], &report["left"]), (&3.into(), &0.into()));
    each_is_there_once(&service, 3);

    let mut lines: Vec<&str> = whole.lines().collect();
    lines[1] = "{\"sending\":";
    user.write(JOURNAL, &(lines.join("\n") + "\n"));
    let finished = user.run(&IMPORT);
    finished
        .reports(&["line 2 of the journal", "is damaged"])
        .stdout_of(1);
    each_is_there_once(&service, 3);
}

#[test]
fn only_the_owner_can_read_the_journal_and_it_contains_no_key() {
    use std::os::unix::fs::PermissionsExt as _;
    let (_service, user) = imported();
    let mode = fs::metadata(user.path(JOURNAL))
        .expect("there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(!user.read(JOURNAL).contains(&user.key));
}

/// Changes all times in the journal to a year ago.
fn age(user: &User) {
    let journal = user.read(JOURNAL);
    let year = journal.split("\"at\":\"").nth(1).expect("a time")[..4].to_owned();
    let earlier = (year.parse::<u32>().expect("a year") - 1).to_string();
    let old = journal.replace(&format!("\"at\":\"{year}"), &format!("\"at\":\"{earlier}"));
    assert_ne!(old, journal);
    user.write(JOURNAL, &old);
}

#[test]
fn lines_that_may_have_been_sent_a_day_ago_are_held_back_and_listed() {
    let WithoutResponses {
        service,
        user,
        relay: _relay,
    } = WithoutResponses::killed();
    let sent = service.pets().len();
    age(&user);
    for _ in 0..2 {
        let finished = user.run(&IMPORT);
        let report = finished.json(4);
        assert_eq!(
            (&report["held"], &report["added"]),
            (&100.into(), &0.into())
        );
        finished.reports(&["held back: line 1-100:", "--unknown send", "--unknown skip"]);
        assert_eq!(service.pets().len(), sent, "nothing was sent");
    }
    let finished = user.run(&[&IMPORT[..], &["--unknown", "send"]].concat());
    assert_eq!(finished.json(0)["added"], 100);
}

#[test]
fn the_option_unknown_skip_counts_lines_as_added_and_sends_nothing() {
    let WithoutResponses {
        service,
        user,
        relay: _relay,
    } = WithoutResponses::killed();
    let sent = service.pets().len();
    age(&user);
    let skip = [&IMPORT[..], &["--unknown", "skip"]].concat();
    let report = user.run(&skip).json(0);
    assert_eq!(
        (&report["skipped"], &report["left"]),
        (&100.into(), &0.into())
    );
    assert_eq!(service.pets().len(), sent);
    assert_eq!(user.run(&IMPORT).json(0)["skipped"], 100);
}

#[test]
fn lines_that_another_api_key_may_have_sent_are_held_back() {
    let WithoutResponses {
        service,
        mut user,
        relay: _relay,
    } = WithoutResponses::killed();
    let first = user.key.clone();
    user.key = service
        .command(&["key", "create", "other"])
        .trim()
        .to_owned();
    let finished = user.run(&IMPORT);
    assert_eq!(finished.json(4)["held"], 100);
    finished.reports(&["another API key"]);
    user.key = first;
    user.run(&IMPORT).stdout_of(0);
    each_is_there_once(&service, 100);
}

/// The tests of interrupted imports rely on this: only the idempotency keys prevent duplicate pets.
#[test]
fn lines_that_are_sent_again_with_other_keys_are_added_twice() {
    let WithoutResponses {
        service,
        user,
        relay: _relay,
    } = WithoutResponses::killed();
    let sent = service.pets().len();
    let journal = user.read(JOURNAL);
    let (before, rest) = journal.split_once("\"run\":\"").expect("a run");
    let (run, after) = rest.split_once('"').expect("its id");
    let other: String = run.chars().rev().collect();
    user.write(
        JOURNAL,
        &format!("{before}\"run\":\"{}\"{after}", parted(&other)),
    );
    user.run(&[&IMPORT[..], &["--unknown", "send"]].concat())
        .stdout_of(0);
    assert_eq!(service.pets().len(), sent + 100);
}

/// The digits of a UUID, with hyphens where they belong.
fn parted(digits: &str) -> String {
    let digits: String = digits.chars().filter(|digit| *digit != '-').collect();
    [0..8, 8..12, 12..16, 16..20, 20..32]
        .map(|part| &digits[part])
        .join("-")
}
