//! Tests repeated SIGKILLs of a service under load on one file, and clients that disconnect before
//! they get a response.

use crate::{
    ledger::{Counts, Ledger},
    load::{Faults, Target},
    process::{Service, program},
    raw::Request,
    subscribers::{Subscribers, is_consumer},
    webhooks::{serve, serve_again},
};
use rand::{Rng, RngExt as _, SeedableRng as _, rngs::StdRng};
use rustix::process::Signal;
use serde_json::json;
use std::{
    env,
    process::Stdio,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// There are few rounds, so that the suite stays fast.
const ROUNDS: usize = 4;
/// If a test waits longer than this, it has failed.
const PATIENCE: Duration = Duration::from_secs(20);
const SEED: u64 = 20_261_120;
/// The test that runs the consumers of this suite.
pub(crate) const CONSUMER: &str = "crash::sigkill_under_load_loses_and_duplicates_nothing";

/// Returns a number that an environment variable can set.
pub(crate) fn setting(variable: &str, default: u64) -> u64 {
    match env::var(variable) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|error| panic!("{variable}={text}: {error}")),
        Err(_) => default,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sigkill_under_load_loses_and_duplicates_nothing() {
    if is_consumer().await {
        return;
    }
    let rounds = setting("PETSTORE_CRASH_ROUNDS", ROUNDS as u64);
    let seed = setting("PETSTORE_CRASH_SEED", SEED);
    let most = usize::try_from(setting("PETSTORE_CRASH_PETS", 800)).expect("few");
    let mut random = StdRng::seed_from_u64(seed);
    let ledger = Arc::<Ledger>::default();
    let mut service = serve(&[]);
    let (folder, key) = (Arc::clone(&service.folder), service.key.clone());
    let mut subscribers = Subscribers::start(CONSUMER, service.address, &key, &["pet.created"]);
    let (mut counts, mut repeated, mut pets) = (Counts::default(), 0, Vec::new());

    for round in 0..rounds {
        let target = Target::new(service.address, &key);
        let mut load = target.load(&round.to_string(), Faults::None, &ledger);
        load.answered(random.random_range(1..most)).await;
        subscribers.kill_consumer();
        let moment = Duration::from_micros(random.random_range(0..1500));
        let left = load
            .end(|| {
                spin(moment);
                service.signal(Signal::KILL);
            })
            .await;
        service.ended();

        if random.random_ratio(1, 3) {
            interrupt_a_start(&service, &mut random);
        }
        service = serve_again(Arc::clone(&folder), &[], Some(&key));
        subscribers.follow(service.address);
        let target = Target::new(service.address, &key);
        target.repeat(&left, &ledger).await;
        repeated += left.len();
        pets = target.walk().await;
        counts = ledger.compare(&pets);
        counts.assert_nothing_wrong();
    }
    let kills = usize::try_from(rounds).expect("few");
    subscribers
        .check("pets on SQLite", kills, || 0, &[&pets])
        .await;
    println!("rounds {rounds}, seed {seed}, {counts}; {repeated} were asked for again");
    assert!(counts.answered > 0 && counts.found >= counts.answered);
    assert!(repeated > 0, "no create was cut off");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_disconnects_has_created_its_pet_once_or_not_at_all() {
    let ledger = Ledger::default();
    let service = Service::start();
    let target = Target::new(service.address, &service.key);
    let begin = Instant::now();
    // Repeats until some pets were created although no client waited for the response.
    for round in 0.. {
        for number in 0..20 {
            let pet = json!({"name": format!("{round}-{number}"), "categoryId": 7});
            ledger.ask(&pet);
            let request = Request::post("/v1/pets", pet.to_string()).key(&service.key);
            service.connect().write(request.bytes());
        }
        let counts = ledger.compare(&target.walk().await);
        counts.assert_nothing_wrong();
        if counts.found >= 10 {
            return;
        }
        assert!(begin.elapsed() < PATIENCE, "{counts}");
    }
}

/// Also kills the service at a random time of its start. The next start must recover from a partial
/// recovery.
fn interrupt_a_start(service: &Service, random: &mut impl Rng) {
    let mut start = program(service.folder.path())
        .args(["serve", "--listen", "127.0.0.1:0"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program can be run");
    // This sleep determines the time of the fault; it does not wait for an event.
    thread::sleep(Duration::from_micros(random.random_range(0..40_000)));
    start.kill().expect("it can be killed");
    start.wait().expect("it ended");
}

/// Waits more precisely than a sleep.
fn spin(time: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < time {
        std::hint::spin_loop();
    }
}
