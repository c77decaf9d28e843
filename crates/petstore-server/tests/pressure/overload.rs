//! Sends ten times as many requests as the capacity allows, at fixed times, independent of the
//! responses ("open loop"): the excess requests are rejected at once, and the others are served as
//! fast as without load.

use crate::{
    server::{self, AT_ONCE, CAPACITY, Running},
    talk::{self, Connection},
};
use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    task::JoinSet,
    time::{self, Instant},
};

const OFFERED: u32 = 10 * CAPACITY;
const TICK: Duration = Duration::from_millis(5);

/// The latency of a response, measured from the time when its request was due.
struct Seen {
    status: u16,
    retry_after: bool,
    took: Duration,
}

/// Connections that wait for their next request.
type Idle = Arc<Mutex<Vec<Connection>>>;

async fn ask(address: SocketAddr, idle: Idle, request: Arc<[u8]>, due: Instant) -> Seen {
    let waiting = idle.lock().expect("nobody panics").pop();
    let mut connection = match waiting {
        Some(connection) => connection,
        None => Connection::open(address).await.expect("it listens"),
    };
    let response = connection.ask(&request).await.expect("it responds");
    idle.lock().expect("nobody panics").push(connection);
    Seen {
        status: response.status,
        retry_after: response.retry_after,
        took: due.elapsed(),
    }
}

pub(crate) async fn requests_beyond_the_capacity_are_rejected_at_once_and_the_others_are_served(
    time: Duration,
) {
    let server = Running::start();
    let request: Arc<[u8]> = talk::list(&server.key).into();
    let idle = Idle::default();
    let total = OFFERED * u32::try_from(time.as_secs()).expect("some seconds");
    let gap = Duration::from_secs(1) / OFFERED;

    let begin = Instant::now();
    let mut requests = JoinSet::new();
    let mut seen = Vec::with_capacity(total as usize);
    for number in 0..total {
        let due = begin + gap * number;
        if due > Instant::now() {
            time::sleep_until(due.max(Instant::now() + TICK)).await;
        }
        requests.spawn(ask(server.address, idle.clone(), request.clone(), due));
        while let Some(done) = requests.try_join_next() {
            seen.push(done.expect("every request is answered"));
        }
    }
    let sent = begin.elapsed();
    while let Some(done) = requests.join_next().await {
        seen.push(done.expect("every request is answered"));
    }
    assert_eq!(seen.len(), total as usize);
    report(&seen, sent, &server);
}

fn report(seen: &[Seen], sent: Duration, server: &Running) {
    let (served, rejected): (Vec<&Seen>, Vec<&Seen>) =
        seen.iter().partition(|seen| seen.status == 200);
    for response in &rejected {
        let told = (response.status, response.retry_after);
        assert_eq!(told, (503, true), "rejected, and told when to try again");
    }
    let mut times: Vec<Duration> = served.iter().map(|seen| seen.took).collect();
    times.sort_unstable();
    let at = |part: usize| times.get(times.len() * part / 100).copied();
    let (median, p99) = (at(50).unwrap_or_default(), at(99).unwrap_or_default());
    let worst = times.last().copied().unwrap_or_default();
    let memory = server.assert_memory_is_bounded();
    println!(
        "  {} requests in {sent:.1?}: {} served (p50 {median:.0?}, p99 {p99:.0?}, max {worst:.0?}), {} rejected; at most {memory} MB",
        seen.len(),
        served.len(),
        rejected.len(),
    );
    let deadline = server::limits().request_deadline_seconds.duration();
    assert!(worst < deadline, "an accepted request took {worst:?}");
    let share = served.len() as f64 / (f64::from(CAPACITY) * sent.as_secs_f64());
    println!("  {share:.2} of the capacity");
    assert!(share < 1.2, "served more than its capacity");
    // How much of its capacity the server reaches depends on the machine, but it serves requests
    // to the end, and not only the first ones.
    assert!(served.len() > 5 * AT_ONCE, "the permits are not used again");
    assert!(rejected.len() > served.len());
}
