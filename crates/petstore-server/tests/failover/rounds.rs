//! Kills the leading machine under load, then a server, and starts both again. Then it kills the proxy.

use crate::{
    cluster::Cluster,
    haproxy::Haproxy,
    ledger::Ledger,
    load::{Event, Faults, Seen, Target},
    settings,
    subscribers::{Subscribers, is_consumer},
};
use rustix::process::Signal;
use std::{env, sync::Arc, time::Instant};
use test_support::{Need, leave_to, skip};

const CONSUMER: &str =
    "rounds::killing_a_leader_and_a_server_loses_and_duplicates_no_acknowledged_write";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killing_a_leader_and_a_server_loses_and_duplicates_no_acknowledged_write() {
    if is_consumer().await {
        return;
    }
    let Ok(rounds) = env::var("PETSTORE_FAILOVER_ROUNDS") else {
        return leave_to(".ci/failover", "takes minutes");
    };
    let rounds: usize = rounds
        .parse()
        .expect("PETSTORE_FAILOVER_ROUNDS is a number");
    let programs = match settings::programs() {
        Ok(programs) => programs,
        Err(why) => return skip(Need::Patroni, why),
    };
    let begin = Instant::now();
    let mut cluster = Cluster::start(&programs).await;
    // The first server creates the tables and the key.
    let first = cluster.machines[0].serve();
    let key = cluster.machines[0].create_key();
    let mut servers = [
        first,
        cluster.machines[1].serve(),
        cluster.machines[2].serve(),
    ];
    let mut proxy = Haproxy::start(&cluster.servers());
    println!("all is up after {:.1} s", begin.elapsed().as_secs_f64());
    let ledger = Arc::<Ledger>::default();
    let mut subscribers = Subscribers::start(CONSUMER, proxy.address, &key, &["pet.created"]);
    let mut pets = Vec::new();

    for round in 1..=rounds {
        let target = Target::new(proxy.address, &key);
        let mut load = target.load(&round.to_string(), Faults::ProxiedOutages, &ledger);
        load.answered(200).await;
        let before = load.seen();
        assert_eq!(
            (before.rejected, before.cut),
            (0, 0),
            "nothing is wrong yet"
        );

        let leader = cluster.leader().await;
        let name = cluster.machines[leader].name;
        let also = if cluster.leads_etcd(leader).await {
            " and of etcd"
        } else {
            ""
        };
        cluster.machines[leader].kill();
        load.met(Event::Rejected, 1).await;
        load.answered(200).await;
        report(
            round,
            &format!("the leader of the database{also}, {name}, was killed"),
            load.seen(),
        );
        assert_ne!(cluster.leader().await, leader, "another one leads");

        // The server beside the killed database is not chosen, because its end is another fault.
        let server = (leader + 1 + round % 2) % servers.len();
        let name = cluster.machines[server].name;
        servers[server].signal(Signal::KILL);
        servers[server].ended();
        subscribers.kill_consumer();
        load.answered(200).await;
        report(
            round,
            &format!("the server of {name} was killed"),
            load.seen(),
        );

        let back = Instant::now();
        cluster.machines[leader].start();
        servers[server] = cluster.machines[server].serve();
        cluster.until_whole().await;
        load.answered(200).await;
        let seconds = back.elapsed().as_secs_f64();
        report(
            round,
            &format!("both were back after {seconds:.1} s"),
            load.seen(),
        );

        let left = load.end(|| drop(proxy)).await;
        proxy = Haproxy::start(&cluster.servers());
        subscribers.follow(proxy.address);
        let target = Target::new(proxy.address, &key);
        target.repeat(&left, &ledger).await;
        pets = target.walk().await;
        let counts = ledger.compare(&pets);
        println!(
            "round {round}: {counts}; {} were asked for again",
            left.len()
        );
        counts.assert_nothing_wrong();
    }
    // In each round, a database and a server were killed.
    subscribers
        .check("failover on PostgreSQL", 2 * rounds, || 0, &[&pets])
        .await;
}

fn report(round: usize, what: &str, seen: Seen) {
    let Seen {
        answered,
        rejected,
        cut,
        away,
    } = seen;
    let away = away.as_secs_f64();
    println!(
        "round {round}: {what}; no create was answered for {away:.1} s; {answered} answered, {rejected} got 503, {cut} were cut"
    );
}
