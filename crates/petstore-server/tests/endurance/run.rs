//! Runs the load with random faults on one kind of storage.

use crate::{
    faults::{Fault, Storage},
    history::SETTLE,
    postgres::own,
    probes,
    sales::check,
    workers::{WORKERS, Worker},
    world::World,
};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng, seq::SliceRandom as _};
use serde_json::Value;
use std::{
    env, thread,
    time::{Duration, Instant, SystemTime},
};
use test_support::{Need, leave_to, skip};
use tokio::{runtime::Runtime, task::JoinSet};

const SECONDS: &str = "PETSTORE_ENDURANCE_SECONDS";
const SEED: &str = "PETSTORE_ENDURANCE_SEED";
const FAULTS: &str = "PETSTORE_ENDURANCE_FAULTS";
/// How many connections to PostgreSQL a fault may add: the connection that holds a lock, and
/// connections that are ending.
const MORE_BACKENDS: i64 = 4;

#[test]
fn faults_on_sqlite_cause_no_hang_no_loss_and_no_duplicate() {
    let Some(time) = half_of_the_time() else {
        return;
    };
    let runtime = Runtime::new().expect("a runtime can be made");
    let Some((world, watchdog)) = World::start(&[], true) else {
        return skip(Need::CCompiler, "there is no C compiler");
    };
    let probes = probes::start(&world, watchdog);
    let run = Run {
        name: "SQLite",
        time,
        runtime: &runtime,
        storage: Storage::Sqlite,
    };
    run.endure(&world, probes);
}

#[test]
fn faults_on_postgresql_cause_no_hang_no_loss_and_no_duplicate() {
    let Some(time) = half_of_the_time() else {
        return;
    };
    let runtime = Runtime::new().expect("a runtime can be made");
    let Some(cluster) = runtime.block_on(own(&["max_connections=100"])) else {
        return;
    };
    let database = runtime.block_on(cluster.database());
    let url = database.url().to_string();
    let (world, watchdog) = World::start(&["--database", &url], false).expect("no disk");
    let probes = probes::start(&world, watchdog);
    let run = Run {
        name: "PostgreSQL",
        time,
        runtime: &runtime,
        storage: Storage::Postgres {
            runtime: &runtime,
            cluster: &cluster,
            database: &database,
        },
    };
    run.endure(&world, probes);
}

/// Returns the time of one run; `None`, after printing a message, if nothing should be run.
fn half_of_the_time() -> Option<Duration> {
    let Ok(seconds) = env::var(SECONDS) else {
        leave_to(".ci/endurance", "takes minutes");
        return None;
    };
    openapi_dropshot_server::open_files::raise_limit()
        .expect("the limit of open files can be raised");
    let seconds: u64 = seconds.parse().expect("a number of seconds");
    Some(Duration::from_secs(seconds) / 2)
}

fn seed() -> u64 {
    match env::var(SEED) {
        Ok(text) => text.parse().expect("a number"),
        Err(_) => SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .expect("after 1970")
            .as_secs(),
    }
}

struct Run<'run> {
    name: &'static str,
    time: Duration,
    runtime: &'run Runtime,
    storage: Storage<'run>,
}

impl Run<'_> {
    fn endure(&self, world: &std::sync::Arc<World>, probes: Vec<thread::JoinHandle<()>>) {
        let seed = seed();
        println!("{}: {:?}, {SEED}={seed}", self.name, self.time);
        let mut random = StdRng::seed_from_u64(seed);
        let mut workers = JoinSet::new();
        for number in 0..WORKERS {
            let worker = Worker::new(world, number);
            workers.spawn_on(worker.work(seed), self.runtime.handle());
        }
        thread::sleep(SETTLE);
        let usual = self.storage.backends();
        let begin = Instant::now();
        let mut faults = Vec::new();
        while begin.elapsed() < self.time {
            if faults.is_empty() {
                faults = self.chosen();
                faults.shuffle(&mut random);
            }
            let fault = faults.pop().expect("some are chosen");
            println!("{:6.1} s: {}", begin.elapsed().as_secs_f64(), fault.name());
            world.history.begin(fault);
            fault.happen(world, &self.storage, &mut random);
            world.count_backends(self.storage.backends());
            world.history.end();
            let quiet = Duration::from_millis(random.random_range(1000..3000));
            thread::sleep(SETTLE + quiet);
        }
        world.end();
        let left: Vec<Value> = self.runtime.block_on(workers.join_all()).concat();
        for probe in probes {
            probe.join().expect("no panic");
        }
        let worker = Worker::new(world, WORKERS);
        self.runtime.block_on(worker.repeat(&left));
        let pets = self.runtime.block_on(worker.walk("/pets"));
        let orders = self.runtime.block_on(worker.walk("/store/orders"));

        let mut problems = world.history.judge();
        let name = |pet: &Value| pet["name"].as_str().unwrap_or_default().to_owned();
        let (sales, others): (Vec<_>, Vec<_>) = pets
            .into_iter()
            .partition(|pet| name(pet).starts_with("sale-"));
        let apart = |pet: &Value| {
            let name = name(pet);
            name == "hot"
                || ["hostile-", "large-"]
                    .iter()
                    .any(|prefix| name.starts_with(prefix))
        };
        let own: Vec<_> = others.into_iter().filter(|pet| !apart(pet)).collect();
        let counts = world.ledger.compare(&own);
        println!(
            "{}: {counts}; {} were asked for again; {} pets were sold in {} orders",
            self.name,
            left.len(),
            sales.len(),
            orders.len()
        );
        if let Some(disk) = &world.disk {
            println!("{:?}", disk.effects());
        }
        let most = world.most_backends();
        if most > 0 {
            println!("{most} connections to PostgreSQL at most, {usual} without faults");
        }
        if most > usual + MORE_BACKENDS {
            problems.push(format!(
                "{most} connections to PostgreSQL instead of {usual}"
            ));
        }
        check(&world.orders, &sales, &orders);
        counts.assert_nothing_wrong();
        assert!(problems.is_empty(), "{}: {problems:#?}", self.name);
    }

    fn chosen(&self) -> Vec<Fault> {
        let all = self.storage.faults();
        let Ok(names) = env::var(FAULTS) else {
            return all;
        };
        let names: Vec<&str> = names.split(',').collect();
        let chosen: Vec<_> = all
            .into_iter()
            .filter(|fault| names.contains(&fault.name()))
            .collect();
        assert!(
            !chosen.is_empty(),
            "{names:?} are not faults of {}",
            self.name
        );
        chosen
    }
}
