//! Tests interrupted imports: after the same command has finished, each pet exists exactly once,
//! however the earlier runs ended.

use crate::{
    program::{Finished, User, until},
    relay::Relay,
    service::Service,
};
use rustix::process::Signal;
use std::{collections::BTreeSet, env, fmt::Write as _};

const FILE: &str = "pets.ndjson";
const JOURNAL: &str = "pets.ndjson.journal";
const IMPORT: [&str; 3] = ["pets", "import", FILE];
/// The same, with a separate request for each line.
const ONE_BY_ONE: [&str; 5] = ["pets", "import", FILE, "--concurrency", "16"];

/// More pets than are sent before a test can interrupt the import.
const SOME: u64 = 3_000;

fn lines() -> u64 {
    let finished = env::var("PETSTORE_IMPORT_LINES").ok();
    finished.map_or(SOME, |lines| lines.parse().expect("a number of lines"))
}

/// A file of this many pets, each with its own name.
pub(crate) fn pets(count: u64) -> String {
    let mut text = String::new();
    for number in 1..=count {
        let status = ["available", "pending", "sold"][usize::try_from(number % 3).expect("small")];
        writeln!(
            text,
            r#"{{"name":"pet {number}","categoryId":{number},"status":"{status}"}}"#
        )
        .expect("memory");
    }
    text
}

/// Returns how many lines the journal records as added.
fn added(user: &User) -> u64 {
    user.read(JOURNAL).matches("{\"added\"").count() as u64
}

/// Checks that each line was added exactly once.
#[track_caller]
pub(crate) fn each_is_there_once(service: &Service, count: u64) {
    let pets = service.pets();
    let names: BTreeSet<String> = pets.iter().map(|pet| pet.name.clone()).collect();
    assert_eq!(names.len(), pets.len(), "some were doubled");
    let expected: BTreeSet<String> = (1..=count).map(|number| format!("pet {number}")).collect();
    assert!(names == expected, "{} of {count} are there", names.len());
    assert!(
        pets.iter()
            .all(|pet| pet.name == format!("pet {}", pet.category_id)),
        "the parts of some pets were mixed"
    );
}

/// Interrupts an import with this signal after a quarter and after half of the lines; then lets it
/// finish.
fn interrupted_twice(signal: Signal) -> [Finished; 2] {
    let service = Service::start();
    let user = User::of(&service);
    let count = lines();
    user.write(FILE, &pets(count));
    let interrupted = [count / 4, count / 2].map(|at| {
        let mut import = user.start(&IMPORT);
        until("the import to get there", || {
            assert!(import.runs(), "it ended too early");
            added(&user) >= at
        });
        import.signal(signal);
        let finished = import.ended();
        assert!(added(&user) < count, "it was at its end: {finished:?}");
        finished
    });
    let end = user.run(&IMPORT);
    let report = end.json(0);
    assert_eq!(
        (&report["added"], &report["left"]),
        (&count.into(), &0.into())
    );
    each_is_there_once(&service, count);
    interrupted
}

#[test]
fn an_import_interrupted_by_sigint_continues_and_adds_each_pet_once() {
    for finished in interrupted_twice(Signal::INT) {
        let report = finished.json(130);
        assert_eq!(report["unanswered"], 0, "{report}");
        finished.reports(&["stopped by SIGINT", "run the same command again", JOURNAL]);
    }
}

#[test]
fn an_import_interrupted_by_sigterm_continues_and_adds_each_pet_once() {
    for finished in interrupted_twice(Signal::TERM) {
        finished.json(143);
        finished.reports(&["stopped by SIGTERM", "run the same command again"]);
    }
}

#[test]
fn a_killed_import_continues_and_adds_each_pet_once() {
    for finished in interrupted_twice(Signal::KILL) {
        assert_eq!(
            (finished.code, finished.out.as_str()),
            (None, ""),
            "{finished:?}"
        );
    }
}

/// An import of 100 lines that receives no response.
pub(crate) struct WithoutResponses {
    pub(crate) service: Service,
    pub(crate) user: User,
    pub(crate) relay: Relay,
}

/// As many responses as there are lines in flight, so that the import waits for them.
const LOST: u64 = 16;

impl WithoutResponses {
    /// Starts the import, and ends it with SIGKILL.
    pub(crate) fn killed() -> Self {
        let (this, import) = Self::waiting();
        import.signal(Signal::KILL);
        import.ended();
        this.relay.lose(false);
        this
    }

    fn waiting() -> (Self, crate::program::Running) {
        let service = Service::start();
        let mut user = User::of(&service);
        let relay = Relay::before(&service.url);
        user.url.clone_from(&relay.url);
        user.write(FILE, &pets(100));
        relay.lose(true);
        let import = user.start(&ONE_BY_ONE);
        until("the responses to be lost", || relay.lost() >= LOST);
        let this = WithoutResponses {
            service,
            user,
            relay,
        };
        (this, import)
    }
}

#[test]
fn lines_whose_responses_were_lost_are_sent_again_and_added_once() {
    let WithoutResponses {
        service,
        user,
        relay: _relay,
    } = WithoutResponses::killed();
    assert_eq!(service.pets().len() as u64, LOST, "they were added");
    assert_eq!(added(&user), 0, "and nobody knows");
    user.run(&IMPORT).stdout_of(0);
    each_is_there_once(&service, 100);
}

#[test]
fn a_second_sigint_ends_the_import_at_once_without_losing_a_pet() {
    let (this, mut import) = WithoutResponses::waiting();
    import.signal(Signal::INT);
    import.wait_for("stopping: waiting for 16 lines in flight");
    import.signal(Signal::INT);
    let finished = import.ended();
    finished.reports(&["ended at once", "sent again, with the same keys"]);
    assert_eq!(
        finished.stdout_of(130),
        "",
        "no report of what nobody knows"
    );
    this.relay.lose(false);
    this.user.run(&IMPORT).stdout_of(0);
    each_is_there_once(&this.service, 100);
}

#[test]
fn after_sigint_the_import_waits_for_responses_for_a_limited_time() {
    let (this, import) = WithoutResponses::waiting();
    import.signal(Signal::INT);
    let finished = import.ended();
    assert_eq!(finished.json(130)["unanswered"], LOST);
    finished.reports(&["16 sent without a response", "within 24 hours"]);
    this.relay.lose(false);
    this.user.run(&IMPORT).stdout_of(0);
    each_is_there_once(&this.service, 100);
}

#[test]
fn an_import_that_ended_because_of_an_unreachable_service_can_be_continued_later() {
    let mut service = Service::start();
    let user = User::of(&service);
    user.write(FILE, &pets(SOME));
    let import = user.start(&IMPORT);
    until("some pets", || added(&user) > 100);
    service.kill();
    let finished = import.ended();
    finished.reports(&[
        "error: line ",
        "was not added",
        "run the same command again",
    ]);
    let report = finished.json(75);
    let left = report["left"].as_u64().expect("a number");
    assert_eq!(left, SOME - added(&user), "{report}");
}

#[test]
fn an_import_that_ended_because_of_a_revoked_key_can_be_continued_with_another_key() {
    let service = Service::start();
    let mut user = User::of(&service);
    let other = service.command(&["key", "create", "other"]);
    user.key = service
        .command(&["key", "create", "import"])
        .trim()
        .to_owned();
    let listed = service.command(&["key", "list"]);
    let listed = listed.lines().find(|line| line.contains("import"));
    let id = listed.and_then(|line| line.split_whitespace().next());
    user.write(FILE, &pets(SOME));
    let import = user.start(&ONE_BY_ONE);
    until("some pets", || added(&user) > 100);
    service.command(&["key", "revoke", id.expect("an id")]);
    let finished = import.ended();
    finished.reports(&["401", "run the same command again"]);
    finished.stdout_of(5);
    user.key = other.trim().to_owned();
    user.run(&IMPORT).stdout_of(0);
    each_is_there_once(&service, SOME);
}
