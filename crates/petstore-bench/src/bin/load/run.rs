//! A run: so many connections, for so long, on half of the processors, since
//! the service needs the others; and the figures.

use crate::{
    Asked, Service,
    asks::{Asks, Created},
    open_loop::Schedule,
    processor,
};
use anyhow::{Context as _, ensure};
use futures::future::try_join_all;
use hdrhistogram::Histogram;
use serde::Serialize;
use std::{
    cell::{Cell, RefCell},
    process,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};
use tokio::time;

/// The longest latency that is told apart, in microseconds.
const LONGEST_US: u64 = 60_000_000;
/// Time for all connections to be made before the first request.
const CONNECT: Duration = Duration::from_millis(100);

#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    service: Service,
    #[command(flatten)]
    asked: Asked,
    #[arg(long)]
    connections: usize,
    /// How long is measured
    #[arg(long)]
    seconds: f64,
    /// How long before that is asked as well
    #[arg(long)]
    warm_up_seconds: f64,
    /// Requests a second; otherwise as many as are answered
    #[arg(long)]
    rate: Option<f64>,
    /// Processes whose time is measured, with all they start
    #[arg(long)]
    watch: Vec<u32>,
}

#[derive(Serialize)]
struct Report {
    requests: u64,
    requests_per_second: f64,
    p50_us: u64,
    p99_us: u64,
    p999_us: u64,
    max_us: u64,
    /// What the watched processes took for a request.
    cpu_us: f64,
    /// What this process took for a request.
    load_cpu_us: f64,
    /// The share of the processors' time that the hypervisor gave to others.
    stolen: f64,
}

/// What is measured, and when.
struct Run {
    asks: Asks,
    start: Instant,
    begin: Instant,
    end: Instant,
    /// A wrong answer ends the run.
    failed: AtomicBool,
}

/// What the connections of a thread found.
struct Found {
    latencies: Histogram<u64>,
    created: Vec<Created>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let start = Instant::now() + CONNECT;
    let begin = start + Duration::from_secs_f64(options.warm_up_seconds);
    let run = Arc::new(Run {
        asks: Asks::read(&options.service, &options.asked)?,
        start,
        begin,
        end: begin + Duration::from_secs_f64(options.seconds),
        failed: AtomicBool::new(false),
    });
    let threads = thread::available_parallelism().map_or(1, |all| all.get() / 2);
    let threads = threads.clamp(1, options.connections.max(1));
    let (failed, failure) = mpsc::channel();
    let running: Vec<_> = (0..threads)
        .map(|thread| {
            let (run, failed) = (Arc::clone(&run), failed.clone());
            let connections = (thread..options.connections).step_by(threads).collect();
            let rate = options.rate.map(|rate| rate / threads as f64);
            thread::spawn(move || {
                run.thread(connections, rate).inspect_err(|_| {
                    // Nobody listens any more where another thread failed.
                    let _heard = failed.send(());
                })
            })
        })
        .collect();

    // A failure ends the wait; the figures are of no use then.
    let wait =
        |until: Instant| failure.recv_timeout(until.saturating_duration_since(Instant::now()));
    let read = || {
        let own = processor::used_us(&[process::id()]);
        (
            processor::used_us(&options.watch),
            own,
            processor::Machine::now(),
        )
    };
    let _failed = wait(run.begin);
    let before = read();
    let _failed = wait(run.end);
    let after = read();

    let mut latencies = histogram()?;
    let mut created = Vec::new();
    for thread in running {
        let found = thread
            .join()
            .map_err(|_| anyhow::anyhow!("a thread of the load panicked"))??;
        latencies.add(found.latencies)?;
        created.extend(found.created);
    }
    check(&run.asks, &mut created)?;
    let requests = latencies.len();
    ensure!(
        requests > 0,
        "nothing was answered in {} s",
        options.seconds
    );
    let report = Report {
        requests,
        requests_per_second: requests as f64 / options.seconds,
        p50_us: latencies.value_at_quantile(0.5),
        p99_us: latencies.value_at_quantile(0.99),
        p999_us: latencies.value_at_quantile(0.999),
        max_us: latencies.max(),
        cpu_us: (after.0 - before.0) / requests as f64,
        load_cpu_us: (after.1 - before.1) / requests as f64,
        stolen: after.2.stolen_since(before.2),
    };
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

/// No pet has the id of another, and those that were created are there.
fn check(asks: &Asks, created: &mut [Created]) -> anyhow::Result<()> {
    created.sort_unstable_by_key(|created| created.id);
    let doubled = created.windows(2).find(|pair| pair[0].id == pair[1].id);
    if let Some([one, _]) = doubled {
        anyhow::bail!("two pets were created with the id {}", one.id);
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(asks.confirm(created))
}

fn histogram() -> anyhow::Result<Histogram<u64>> {
    Histogram::new_with_bounds(1, LONGEST_US, 3).context("a histogram with three digits")
}

impl Run {
    /// Asks on these connections until the end.
    fn thread(&self, connections: Vec<usize>, rate: Option<f64>) -> anyhow::Result<Found> {
        let schedule = rate.map(|rate| Schedule::new(self.start, self.end, rate));
        let found = RefCell::new(Found {
            latencies: histogram()?,
            created: Vec::new(),
        });
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        let taken = Cell::new(0);
        let all = connections
            .iter()
            .map(|&index| self.connection(index, schedule.as_ref(), &taken, &found));
        thread::scope(|scope| {
            if let Some(schedule) = &schedule {
                scope.spawn(|| schedule.keep(connections.len()));
            }
            runtime.block_on(try_join_all(all))
        })
        .inspect_err(|_| self.failed.store(true, Ordering::Relaxed))?;
        Ok(found.into_inner())
    }

    /// Asks on one connection, one thing after the other.
    async fn connection(
        &self,
        index: usize,
        schedule: Option<&Schedule>,
        taken: &Cell<u64>,
        found: &RefCell<Found>,
    ) -> anyhow::Result<()> {
        let mut asker = self.asks.asker(index).await?;
        time::sleep_until(self.start.into()).await;
        while !self.failed.load(Ordering::Relaxed) {
            let since = match schedule {
                Some(schedule) => schedule.next(taken).await,
                None => Some(Instant::now()).filter(|now| *now < self.end),
            };
            let Some(since) = since else { break };
            let created = asker.ask().await?;
            let now = Instant::now();
            let mut found = found.borrow_mut();
            found.created.extend(created);
            // At a rate, what was due in the time counts, however late it is.
            let counted = if schedule.is_some() { since } else { now };
            if (self.begin..self.end).contains(&counted) {
                let latency = now.saturating_duration_since(since).as_micros();
                let latency = u64::try_from(latency).unwrap_or(u64::MAX);
                found.latencies.saturating_record(latency);
            }
        }
        Ok(())
    }
}
