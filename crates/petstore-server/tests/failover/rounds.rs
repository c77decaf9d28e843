//! Kills the leading machine under load, then a server, and starts both again.

use crate::{
    cluster::Cluster,
    haproxy::Haproxy,
    ledger::Ledger,
    load::{Event, Faults, Seen, Target},
    settings,
};
use rustix::process::Signal;
use std::{env, sync::Arc, time::Instant};
use test_support::{Need, leave_to, skip};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killing_a_leader_and_a_server_loses_and_duplicates_no_acknowledged_write() {
    let Ok(rounds) = env::var("PETSTORE_FAILOVER_ROUNDS") else {
        return leave_to(".ci/failover", "takes minutes");
    };
    let rounds = rounds
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
    let key = first.shown_key();
    let mut servers = [
        first,
        cluster.machines[1].serve(),
        cluster.machines[2].serve(),
    ];
    let proxy = Haproxy::start(&cluster.servers());
    println!("all is up after {:.1} s", begin.elapsed().as_secs_f64());
    let target = Target::new(proxy.address, &key);
    let ledger = Arc::<Ledger>::default();

    for round in 1..=rounds {
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

        let left = load.end(|| ()).await;
        target.repeat(&left, &ledger).await;
        let counts = ledger.compare(&target.walk().await);
        println!(
            "round {round}: {counts}; {} were asked for again",
            left.len()
        );
        counts.assert_nothing_wrong();
    }
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
