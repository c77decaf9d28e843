//! Sends a request of each kind every second, and measures how long each one takes.

use crate::{history::freeze, memory, probe::probe, raw::Request, world::World};
use serde_json::{Value, json};
use std::{
    os::unix::net::UnixDatagram,
    sync::Arc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// The time between two requests of a kind.
const EVERY: Duration = Duration::from_secs(1);
/// The time between two measurements of the memory.
const SAMPLE: Duration = Duration::from_millis(100);
/// The service must notify its supervisor again within this time.
pub(crate) const WATCHDOG: Duration = Duration::from_secs(2);

/// A kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Probe {
    Unauthorized,
    Live,
    Ready,
    /// A request for a pet that is read all the time.
    Get,
    List,
    Create,
    /// The time between two notifications of the watchdog.
    Watchdog,
}

impl Probe {
    pub(crate) const ALL: [Self; 7] = [
        Self::Unauthorized,
        Self::Live,
        Self::Ready,
        Self::Get,
        Self::List,
        Self::Create,
        Self::Watchdog,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Unauthorized => "401",
            Self::Live => "/livez",
            Self::Ready => "/readyz",
            Self::Get => "get",
            Self::List => "list",
            Self::Create => "create",
            Self::Watchdog => "watchdog",
        }
    }

    /// The status of the response; `None` for the watchdog.
    pub(crate) fn expected(self) -> Option<u16> {
        match self {
            Self::Unauthorized => Some(401),
            Self::Live | Self::Ready | Self::Get | Self::List => Some(200),
            Self::Create => Some(201),
            Self::Watchdog => None,
        }
    }

    pub(crate) fn bound(self) -> Duration {
        match self {
            Self::Watchdog => WATCHDOG,
            _ => freeze(),
        }
    }

    fn request(self, world: &World, pet: &Value) -> Request {
        let key = &world.keys.probe;
        match self {
            Self::Unauthorized => Request::get("/v1/pets"),
            Self::Live => Request::get("/livez"),
            Self::Ready | Self::Watchdog => Request::get("/readyz"),
            Self::Get => Request::get(&format!("/v1/pets/{}", world.hot_pet)).key(key),
            Self::List => Request::get("/v1/pets?limit=1").key(key),
            Self::Create => Request::post("/v1/pets", pet.to_string()).key(key),
        }
    }
}

/// Starts a thread for each kind, and a thread that measures the memory; they end with the run.
pub(crate) fn start(world: &Arc<World>, watchdog: UnixDatagram) -> Vec<JoinHandle<()>> {
    let kinds = Probe::ALL
        .into_iter()
        .filter(|probe| *probe != Probe::Watchdog);
    let mut threads: Vec<_> = kinds
        .map(|kind| {
            let world = Arc::clone(world);
            thread::spawn(move || ask(&world, kind))
        })
        .collect();
    let sampled = Arc::clone(world);
    threads.push(thread::spawn(move || sample(&sampled)));
    let watched = Arc::clone(world);
    threads.push(thread::spawn(move || listen(&watched, &watchdog)));
    threads
}

fn ask(world: &World, kind: Probe) {
    for number in 0.. {
        if world.is_over() {
            return;
        }
        let begin = Instant::now();
        let pet = json!({"name": format!("probe-{number}"), "categoryId": number});
        if kind == Probe::Create {
            world.ledger.ask(&pet);
        }
        let address = match kind {
            Probe::Live | Probe::Ready => world.admin,
            _ => world.address,
        };
        let probed = probe(address, &kind.request(world, &pet));
        world
            .history
            .probed(kind, begin, probed.took, probed.status());
        if let Ok(reply) = probed.response
            && Some(reply.status) == kind.expected()
            && kind == Probe::Create
        {
            let created = serde_json::from_slice(&reply.body).expect("a pet is JSON");
            world.ledger.answered(created);
        }
        thread::sleep(EVERY.saturating_sub(begin.elapsed()));
    }
}

fn sample(world: &World) {
    while !world.is_over() {
        if let Some(memory) = world.pid().and_then(memory::peak) {
            world.history.uses(memory);
        }
        thread::sleep(SAMPLE);
    }
}

/// Receives the notifications that systemd would get.
fn listen(world: &World, socket: &UnixDatagram) {
    socket.set_read_timeout(Some(WATCHDOG)).expect("not none");
    let mut buffer = [0; 1024];
    let mut last = Instant::now();
    while !world.is_over() {
        let Ok(length) = socket.recv(&mut buffer) else {
            continue;
        };
        if buffer[..length].starts_with(b"WATCHDOG=1") {
            world
                .history
                .probed(Probe::Watchdog, last, last.elapsed(), None);
            last = Instant::now();
        }
    }
    world
        .history
        .probed(Probe::Watchdog, last, last.elapsed(), None);
}
