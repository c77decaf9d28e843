//! Tests a disk that reads slowly or not at all, simulated by a preloaded library. The watchdog,
//! the shutdown and requests that need no disk must not wait for it.

use crate::{
    faulty_disk::{Disk, Reads, STALLED},
    process::{Service, program},
    raw::{self, Request},
    scrape,
    stalled::{PETS, add_pets},
};
use rustix::process::Signal;
use std::{
    os::unix::net::UnixDatagram,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;
use test_support::{Need, skip};

/// The service must notify its supervisor within this time.
const WATCHDOG: Duration = Duration::from_secs(2);
/// This is long enough for several notifications.
const UNDER_WAY: Duration = Duration::from_secs(6);
/// A service that is told to stop must have ended within this time: the grace period of two
/// seconds, plus some time for a slow machine.
const STOPPED: Duration = Duration::from_secs(8);
const READERS: i64 = 16;
/// How long each read of the disk takes.
const READ: Duration = Duration::from_millis(10);
const PROBES: usize = 200;
/// Half of the requests that need no disk must get a response within this time.
const PROMPT: Duration = Duration::from_millis(100);
/// All of these requests must get a response within this time.
const FREEZE: Duration = Duration::from_secs(1);

/// A service with many pets, its disk, and the socket of its supervisor.
fn serve() -> Option<(Service, Disk, UnixDatagram)> {
    let folder = Arc::new(TempDir::new().expect("a folder can be made"));
    let Some(disk) = Disk::new(folder.path()) else {
        skip(Need::CCompiler, "there is no C compiler");
        return None;
    };
    let mut first = Service::start_in(Arc::clone(&folder), &[], &[]);
    let key = first.shown_key();
    first.signal(Signal::TERM);
    first.ended();
    add_pets(&folder.path().join("petstore.db"));
    let notify = folder.path().join("notify");
    let supervisor = UnixDatagram::bind(&notify).expect("a socket can be made");
    let mut command = program(folder.path());
    command
        .args(["serve", "--listen", "127.0.0.1:0"])
        .args(["--admin-listen", "127.0.0.1:0"])
        .args(["--request-deadline-seconds", "2"])
        .args(["--shutdown-grace-seconds", "2"])
        .env("NOTIFY_SOCKET", &notify)
        .env("WATCHDOG_USEC", WATCHDOG.as_micros().to_string());
    disk.attach(&mut command);
    let mut service = Service::start_by(command, folder);
    service.key = key;
    assert_eq!(service.get("/v1/pets/1").status, 200);
    Some((service, disk, supervisor))
}

/// Returns the times between the notifications of the watchdog while something else runs.
fn gaps(supervisor: &UnixDatagram, time: Duration) -> Vec<Duration> {
    supervisor
        .set_read_timeout(Some(WATCHDOG))
        .expect("not none");
    let (begin, mut last) = (Instant::now(), Instant::now());
    let (mut gaps, mut buffer) = (Vec::new(), [0; 1024]);
    while begin.elapsed() < time {
        if let Ok(length) = supervisor.recv(&mut buffer)
            && buffer[..length].starts_with(b"WATCHDOG=1")
        {
            gaps.push(last.elapsed());
            last = Instant::now();
        }
    }
    gaps.push(last.elapsed());
    gaps
}

#[test]
fn the_watchdog_and_the_shutdown_do_not_wait_for_a_stalled_read() {
    let Some((mut service, disk, supervisor)) = serve() else {
        return;
    };
    let admin = scrape::address(&service);
    disk.delay_reads(Reads::All, STALLED);
    let stalled: Vec<_> = (1..=READERS)
        .map(|number| {
            let target = format!("/v1/pets/{}", PETS / (READERS + 1) * number);
            let mut connection = service.connect();
            connection.write(Request::get(&target).key(&service.key).bytes());
            connection
        })
        .collect();
    let gaps = gaps(&supervisor, UNDER_WAY);
    let longest = gaps.iter().max().copied().unwrap_or_default();
    println!(
        "{} notifications, at most {longest:.0?} apart",
        gaps.len() - 1
    );
    let effects = disk.effects();
    assert!(effects.delayed_reads > 0, "{effects:?}");
    assert!(gaps.len() > 1 && longest < WATCHDOG, "{gaps:?}");
    assert_eq!(raw::send(admin, &Request::get("/livez")).status, 200);

    let told = Instant::now();
    service.signal(Signal::TERM);
    let (status, _) = service.ended();
    println!("it ended after {:.1?}", told.elapsed());
    assert!(status.success(), "{status}");
    assert!(told.elapsed() < STOPPED, "{:?}", told.elapsed());
    drop(stalled);
}

#[test]
fn requests_that_need_no_disk_are_fast_while_other_requests_read_from_a_slow_disk() {
    let Some((service, disk, _supervisor)) = serve() else {
        return;
    };
    disk.delay_reads(Reads::All, READ);
    let is_over = Arc::<AtomicBool>::default();
    let readers: Vec<_> = (0..READERS)
        .map(|reader| {
            let (mut connection, key) = (service.connect(), service.key.clone());
            let is_over = Arc::clone(&is_over);
            thread::spawn(move || {
                let mut count = 0;
                while !is_over.load(Ordering::Relaxed) {
                    // The pets are far from each other, so each needs separate pages.
                    let pet = (reader * 7919 + count * 104_729) % PETS + 1;
                    let target = format!("/v1/pets/{pet}");
                    connection.write(Request::get(&target).key(&key).bytes());
                    assert_eq!(connection.response().status, 200);
                    count += 1;
                }
                count
            })
        })
        .collect();
    let mut connection = service.connect();
    let mut times: Vec<_> = (0..PROBES)
        .map(|_| {
            let sent = Instant::now();
            connection.write(Request::get("/v1/pets").bytes());
            assert_eq!(connection.response().status, 401);
            let took = sent.elapsed();
            thread::sleep(READ);
            took
        })
        .collect();
    is_over.store(true, Ordering::Relaxed);
    let read: i64 = readers
        .into_iter()
        .map(|reader| reader.join().expect("no panic"))
        .sum();
    times.sort_unstable();
    let at = |percent: usize| times[(times.len() - 1) * percent / 100];
    println!(
        "401 beside {READERS} readers, who read {read} pets: p50 {:.1?}, p99 {:.1?}, at most {:.1?}",
        at(50),
        at(99),
        at(100)
    );
    assert!(read > 0 && disk.effects().delayed_reads > 0);
    assert!(at(50) < PROMPT, "p50 {:?}", at(50));
    assert!(at(100) < FREEZE, "at most {:?}", at(100));
}
