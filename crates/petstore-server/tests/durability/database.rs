//! Tests repeated SIGKILLs under load on one PostgreSQL database, of the
//! service and of the database server. A service whose database server was
//! killed recovers without a restart.

use crate::{
    crash::{CONSUMER, setting},
    ledger::{Counts, Ledger},
    load::{Event, Faults, Target},
    postgres::own,
    subscribers::Subscribers,
    webhooks::{serve, serve_again},
};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use rustix::process::Signal;
use std::sync::Arc;

/// There are few rounds, so that the suite stays fast.
const ROUNDS: u64 = 3;
const SEED: u64 = 20_261_121;

/// The process that is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Victim {
    Service,
    Database,
    Both,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sigkill_of_service_or_database_under_load_loses_and_duplicates_nothing() {
    let Some(cluster) = own(&[]).await else {
        return;
    };
    let rounds = setting("PETSTORE_CRASH_ROUNDS_POSTGRES", ROUNDS);
    let seed = setting("PETSTORE_CRASH_SEED", SEED);
    let most = usize::try_from(setting("PETSTORE_CRASH_PETS", 400)).expect("few");
    let mut random = StdRng::seed_from_u64(seed);
    let ledger = Arc::<Ledger>::default();
    let url = cluster.database().await.url().to_string();
    let arguments = ["--database", url.as_str()];
    let mut service = serve(&arguments);
    let key = service.key.clone();
    let mut subscribers = Subscribers::start(CONSUMER, service.address, &key, &["pet.created"]);
    let mut pets = Vec::new();
    let (mut counts, mut rejected, mut cut, mut repeated) = (Counts::default(), 0, 0, 0);
    let mut killed = [0; 3];

    for round in 0..rounds {
        let victims = [Victim::Service, Victim::Database, Victim::Both];
        let place = usize::try_from(round).expect("few") % victims.len();
        let victim = victims[place];
        killed[place] += 1;
        let target = Target::new(service.address, &key);
        let mut load = target.load(&round.to_string(), Faults::Outages, &ledger);
        load.answered(random.random_range(1..most)).await;
        subscribers.kill_consumer();
        if victim != Victim::Service {
            cluster.kill();
        }
        if victim == Victim::Database {
            load.met(Event::Rejected, 20).await;
            cluster.start().await;
            load.answered(random.random_range(1..most)).await;
        }
        let seen = load.seen();
        (rejected, cut) = (rejected + seen.rejected, cut + seen.cut);
        let left = if victim == Victim::Database {
            load.end(|| ()).await
        } else {
            let left = load.end(|| service.signal(Signal::KILL)).await;
            service.ended();
            if victim == Victim::Both {
                cluster.start().await;
            }
            let folder = Arc::clone(&service.folder);
            service = serve_again(folder, &arguments, Some(&key));
            subscribers.follow(service.address);
            left
        };
        let target = Target::new(service.address, &key);
        target.repeat(&left, &ledger).await;
        repeated += left.len();
        pets = target.walk().await;
        counts = ledger.compare(&pets);
        counts.assert_nothing_wrong();
    }
    let kills = usize::try_from(rounds).expect("few");
    subscribers
        .check("pets on PostgreSQL", kills, || 0, &[&pets])
        .await;
    let [services, databases, both] = killed;
    println!(
        "PostgreSQL: rounds {rounds} (service {services}, database {databases}, both {both}), seed {seed}, {counts}; {rejected} got 503, {cut} were cut, {repeated} were asked for again"
    );
    assert!(counts.answered > 0 && counts.found >= counts.answered);
}
