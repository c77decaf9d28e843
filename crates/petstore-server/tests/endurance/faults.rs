//! The faults: what they do, and which requests they affect.

use crate::{
    attack,
    faulty_disk::{Disk, Reads, STALLED},
    flood::flood,
    history::Touch,
    postgres::{Cluster, Database},
    probe::probe,
    probes::Probe,
    raw::Request,
    world::World,
};
use rand::{RngExt as _, rngs::StdRng};
use rustix::{
    fs::{Advice, fadvise},
    process::{Pid, Signal, kill_process},
};
use serde_json::json;
use std::{
    fs::File,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};
use tokio::runtime::Runtime;

/// The number of hostile clients of each kind.
const HALF_HEADS: usize = 600;
const NON_READERS: usize = 40;
const STREAMS: usize = 60;
const SLOW_BODIES: usize = 70;
/// The largest body; 64 such bodies fill the budget for bodies.
const BODY: usize = 1 << 20;
/// More creations than may run at the same time.
const WAITING: usize = 600;
/// How much longer a table is locked than other faults last: longer than the deadline of a request.
const LOCKED: u32 = 3;

/// A fault that can be switched on and off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    SlowReads,
    StalledReads,
    /// Only reads of pages that are not in memory stall.
    ColdReads,
    SlowSyncs,
    StalledSyncs,
    /// The same, with more creations than may run at the same time.
    StalledWrites,
    FailingSyncs,
    FullDisk,
    DatabaseRestart,
    LockedForWrites,
    Locked,
    PausedBackends,
    Kill,
    Terminate,
    Reload,
    HalfHeads,
    NonReaders,
    NoWindow,
    SlowBodies,
    UnauthorizedFlood,
    CreateFlood,
}

const ON_DISK: [Fault; 8] = [
    Fault::SlowReads,
    Fault::StalledReads,
    Fault::ColdReads,
    Fault::SlowSyncs,
    Fault::StalledSyncs,
    Fault::StalledWrites,
    Fault::FailingSyncs,
    Fault::FullDisk,
];
const OF_POSTGRES: [Fault; 4] = [
    Fault::DatabaseRestart,
    Fault::LockedForWrites,
    Fault::Locked,
    Fault::PausedBackends,
];
const ALWAYS: [Fault; 9] = [
    Fault::Kill,
    Fault::Terminate,
    Fault::Reload,
    Fault::HalfHeads,
    Fault::NonReaders,
    Fault::NoWindow,
    Fault::SlowBodies,
    Fault::UnauthorizedFlood,
    Fault::CreateFlood,
];

/// The storage of the service, and what can be done to it.
pub(crate) enum Storage<'run> {
    Sqlite,
    Postgres {
        runtime: &'run Runtime,
        cluster: &'run Cluster,
        database: &'run Database<'run>,
    },
}

impl Storage<'_> {
    /// Returns the faults that this storage can have.
    pub(crate) fn faults(&self) -> Vec<Fault> {
        match self {
            Self::Sqlite => [&ON_DISK[..], &ALWAYS].concat(),
            Self::Postgres { .. } => [&OF_POSTGRES[..], &ALWAYS].concat(),
        }
    }

    /// Returns the number of connections of the service to PostgreSQL; 0 for SQLite.
    pub(crate) fn backends(&self) -> i64 {
        let Self::Postgres {
            runtime, database, ..
        } = self
        else {
            return 0;
        };
        runtime.block_on(async {
            let client = database.client().await;
            let sql = "SELECT count(*) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()";
            client.query_one(sql, &[]).await.expect("a number").get(0)
        })
    }
}

impl Fault {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::SlowReads => "slow-reads",
            Self::StalledReads => "stalled-reads",
            Self::ColdReads => "cold-reads",
            Self::SlowSyncs => "slow-syncs",
            Self::StalledSyncs => "stalled-syncs",
            Self::StalledWrites => "stalled-writes",
            Self::FailingSyncs => "failing-syncs",
            Self::FullDisk => "full-disk",
            Self::DatabaseRestart => "database-restart",
            Self::LockedForWrites => "locked-writes",
            Self::Locked => "locked",
            Self::PausedBackends => "paused-backends",
            Self::Kill => "sigkill",
            Self::Terminate => "sigterm",
            Self::Reload => "sighup",
            Self::HalfHeads => "half-heads",
            Self::NonReaders => "non-readers",
            Self::NoWindow => "no-window",
            Self::SlowBodies => "slow-bodies",
            Self::UnauthorizedFlood => "flood-of-401",
            Self::CreateFlood => "flood-of-creates",
        }
    }

    /// Returns how the fault may affect a request.
    pub(crate) fn touches(self, probe: Probe) -> Touch {
        use Probe::{Create, Get, List, Ready};
        match (self, probe) {
            (Self::Kill | Self::Terminate, _)
            | (
                Self::SlowReads
                | Self::StalledReads
                | Self::DatabaseRestart
                | Self::Locked
                | Self::PausedBackends,
                Get | List | Create,
            )
            | (
                Self::ColdReads
                | Self::SlowSyncs
                | Self::StalledSyncs
                | Self::StalledWrites
                | Self::FailingSyncs
                | Self::FullDisk
                | Self::LockedForWrites,
                Create,
            ) => Touch::Everything,
            (
                Self::SlowReads
                | Self::StalledReads
                | Self::ColdReads
                | Self::SlowSyncs
                | Self::StalledSyncs
                | Self::StalledWrites
                | Self::FailingSyncs
                | Self::FullDisk
                | Self::DatabaseRestart
                | Self::LockedForWrites
                | Self::Locked
                | Self::PausedBackends,
                Ready,
            ) => Touch::Status,
            _ => Touch::Nothing,
        }
    }

    /// Switches the fault on for some time.
    pub(crate) fn happen(self, world: &Arc<World>, storage: &Storage<'_>, random: &mut StdRng) {
        let while_on = Duration::from_millis(random.random_range(2000..7000));
        let hold = || thread::sleep(while_on);
        match self {
            Self::SlowReads => {
                let delay = Duration::from_millis(random.random_range(2..40));
                disk(world).delay_reads(Reads::All, delay);
                hold();
            }
            Self::StalledReads => {
                disk(world).delay_reads(Reads::All, STALLED);
                hold();
            }
            Self::ColdReads => {
                evict(world);
                disk(world).delay_reads(Reads::Cold, STALLED);
                hold();
            }
            Self::SlowSyncs => {
                disk(world).delay_syncs(Duration::from_millis(random.random_range(50..900)));
                hold();
            }
            Self::StalledSyncs => {
                disk(world).delay_syncs(STALLED);
                hold();
            }
            Self::StalledWrites => {
                disk(world).delay_syncs(STALLED);
                let pet = json!({"name": "hostile-waiting", "categoryId": 1});
                let create = Request::post("/v1/pets", pet.to_string()).key(&world.keys.load);
                let waiting = attack::non_readers(world.address, &create, WAITING);
                hold();
                drop(waiting);
            }
            Self::FailingSyncs => {
                disk(world).fail_syncs();
                hold();
            }
            Self::FullDisk => {
                disk(world).fill();
                hold();
            }
            Self::DatabaseRestart | Self::LockedForWrites | Self::Locked | Self::PausedBackends => {
                self.happen_to_postgres(world, storage, while_on);
            }
            Self::Kill => restart(world, Signal::KILL),
            Self::Terminate => restart(world, Signal::TERM),
            Self::Reload => {
                world.signal(Signal::HUP);
                hold();
            }
            Self::HalfHeads => {
                let heads = attack::half_heads(world.address, HALF_HEADS, while_on);
                hold();
                drop(heads);
            }
            Self::NonReaders => {
                let list = Request::get("/v1/pets?limit=100").key(&world.keys.hostile);
                let clients = attack::non_readers(world.address, &list, NON_READERS);
                hold();
                drop(clients);
            }
            Self::NoWindow => {
                let attack = attack::connect(world.address).and_then(|stream| {
                    let key = &world.keys.hostile;
                    attack::without_window(stream, "/v1/pets?limit=100", key, STREAMS)
                });
                hold();
                drop(attack);
            }
            Self::SlowBodies => {
                let key = &world.keys.hostile;
                let send =
                    |bytes, count| attack::slow_bodies(world.address, key, bytes, count, while_on);
                let mut bodies = send(BODY, SLOW_BODIES);
                let begin = Instant::now();
                // Many of the connections that arrive at once are rejected; others take their
                // place.
                while begin.elapsed() < while_on {
                    for bytes in [BODY, BODY / 16, BODY / 256, 64, 32] {
                        bodies.extend(send(bytes, 4));
                    }
                    thread::sleep(Duration::from_millis(20));
                }
                drop(bodies);
            }
            Self::UnauthorizedFlood => {
                let list = Request::get("/v1/pets").bytes();
                flood(world, while_on, move |_| list.clone());
            }
            Self::CreateFlood => {
                let key = world.keys.hostile.clone();
                flood(world, while_on, move |number| {
                    let pet = json!({"name": format!("hostile-{number}"), "categoryId": 1});
                    Request::post("/v1/pets", pet.to_string()).key(&key).bytes()
                });
            }
        }
        if let Some(disk) = &world.disk {
            disk.heal();
        }
    }

    fn happen_to_postgres(self, world: &World, storage: &Storage<'_>, while_on: Duration) {
        let Storage::Postgres {
            runtime,
            cluster,
            database,
        } = storage
        else {
            panic!("{} needs PostgreSQL", self.name());
        };
        let lock = |mode: &str| {
            let client = runtime.block_on(database.client());
            let sql = format!("BEGIN; SET LOCAL lock_timeout = 0; LOCK TABLE pets IN {mode} MODE");
            runtime
                .block_on(client.batch_execute(&sql))
                .expect("a lock");
            thread::sleep(LOCKED * while_on);
            world.count_backends(storage.backends());
            // PostgreSQL ends the transaction of a client that has disconnected.
            drop(client);
        };
        match self {
            Self::DatabaseRestart => {
                cluster.kill();
                thread::sleep(while_on / 2);
                runtime.block_on(cluster.start());
            }
            Self::LockedForWrites => lock("EXCLUSIVE"),
            Self::Locked => lock("ACCESS EXCLUSIVE"),
            _ => {
                let paused = Paused::begin(runtime, database);
                thread::sleep(while_on);
                world.count_backends(storage.backends());
                drop(paused);
            }
        }
    }
}

fn disk(world: &World) -> &Disk {
    world.disk.as_ref().expect("a run on SQLite has one")
}

/// Makes the operating system drop the file of the database from its cache, except the hot pet.
fn evict(world: &World) {
    let file = File::open(world.file()).expect("the store");
    file.sync_all().expect("synced");
    fadvise(&file, 0, None, Advice::DontNeed).expect("the advice is taken");
    let get = Request::get(&format!("/v1/pets/{}", world.hot_pet)).key(&world.keys.probe);
    let list = Request::get("/v1/pets?limit=1").key(&world.keys.probe);
    for _ in 0..4 {
        for request in [&get, &list] {
            let probed = probe(world.address, request);
            drop(probed);
        }
    }
}

fn restart(world: &World, signal: Signal) {
    let begin = Instant::now();
    world.stop(signal);
    let took = begin.elapsed();
    if took > Duration::from_secs(6) {
        world
            .history
            .defect(format!("it ended {took:.1?} after {signal:?}"));
    }
    world.start_again();
}

/// Backends of the database, which are stopped until this is dropped.
struct Paused(Vec<Pid>);

impl Paused {
    fn begin(runtime: &Runtime, database: &Database<'_>) -> Self {
        let backends = runtime.block_on(async {
            let client = database.client().await;
            let sql = "SELECT pid FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                AND backend_type = 'client backend'";
            client.query(sql, &[]).await.expect("the backends")
        });
        let pid = |row: &tokio_postgres::Row| Pid::from_raw(row.get(0));
        let paused = Self(backends.iter().filter_map(pid).collect());
        paused.signal(Signal::STOP);
        paused
    }

    fn signal(&self, signal: Signal) {
        for pid in &self.0 {
            // A backend may have ended meanwhile.
            let _ = kill_process(*pid, signal);
        }
    }
}

impl Drop for Paused {
    fn drop(&mut self) {
        self.signal(Signal::CONT);
    }
}
