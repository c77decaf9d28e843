//! One run of the load: a number of connections, for a certain time, on half of the processors,
//! because the service needs the other half.

use crate::{
    LoadOptions,
    open_loop::Schedule,
    processor,
    requests::{Created, Requests},
    runtime,
};
use anyhow::{Context as _, anyhow, bail, ensure};
use futures::future::try_join_all;
use hdrhistogram::Histogram;
use petstore_bench::Measured;
use std::{
    cell::{Cell, RefCell},
    process,
    sync::{
        atomic::{AtomicBool, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};
use tokio::time;

/// The longest latency that the histogram can represent, in microseconds.
const LONGEST_US: u64 = 60_000_000;
/// Time to open all connections before the first request.
const CONNECT: Duration = Duration::from_millis(100);

#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    load_options: LoadOptions,
    /// Duration of the measurement
    #[arg(long)]
    seconds: f64,
    /// Duration of the warm-up before the measurement
    #[arg(long)]
    warm_up_seconds: f64,
    /// Requests per second; by default, each connection sends its next request when a response
    /// arrives
    #[arg(long)]
    rate: Option<f64>,
    /// Processes whose processor time is measured, including their child processes
    #[arg(long)]
    watch: Vec<u32>,
}

/// The requests of a run, and its times.
struct Run<'options> {
    requests: Requests<'options>,
    start: Instant,
    begin: Instant,
    end: Instant,
    /// Set if a response was wrong; this ends the run.
    failed: AtomicBool,
}

/// The measurements of the connections of one thread.
struct Measurements {
    latencies: Histogram<u64>,
    created: Vec<Created>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let start = Instant::now() + CONNECT;
    let begin = start + Duration::from_secs_f64(options.warm_up_seconds);
    let run = Run {
        requests: Requests::read(&options.load_options)?,
        start,
        begin,
        end: begin + Duration::from_secs_f64(options.seconds),
        failed: AtomicBool::new(false),
    };
    let threads = thread::available_parallelism().map_or(1, |all| all.get() / 2);
    let connections = options.load_options.connections;
    let threads = threads.clamp(1, connections.max(1));
    let mut latencies = histogram()?;
    let mut created = Vec::new();
    let (before, after) = thread::scope(|scope| {
        let (failed, failure) = mpsc::channel();
        let threads: Vec<_> = (0..threads)
            .map(|thread| {
                let (run, failed) = (&run, failed.clone());
                let connections = (thread..connections).step_by(threads).collect();
                let rate = options.rate.map(|rate| rate / threads as f64);
                scope.spawn(move || {
                    run.thread(connections, rate).inspect_err(|_| {
                        // The receiver was dropped if another thread failed.
                        let _heard = failed.send(());
                    })
                })
            })
            .collect();
        // A failure ends the wait, because the measurements are then useless.
        let times_at = |time: Instant| {
            let _failed = failure.recv_timeout(time.saturating_duration_since(Instant::now()));
            let [watched, own] = [&options.watch[..], &[process::id()]].map(processor::used_us);
            (watched, own, processor::Machine::now())
        };
        let (before, after) = (times_at(run.begin), times_at(run.end));
        for thread in threads {
            let measurements = thread.join();
            let measurements = measurements.map_err(|_| anyhow!("a thread of the load panicked"));
            let measurements = measurements??;
            latencies.add(measurements.latencies)?;
            created.extend(measurements.created);
        }
        anyhow::Ok((before, after))
    })?;
    check(&run.requests, &mut created)?;
    let requests = latencies.len();
    ensure!(requests > 0, "no response arrived in {} s", options.seconds);
    let percentile = |quantile| latencies.value_at_quantile(quantile) as f64;
    let report = Measured {
        requests_per_second: requests as f64 / options.seconds,
        p50_us: percentile(0.5),
        p99_us: percentile(0.99),
        p999_us: percentile(0.999),
        max_us: latencies.max() as f64,
        cpu_us: (after.0 - before.0) / requests as f64,
        load_cpu_us: (after.1 - before.1) / requests as f64,
        stolen: after.2.stolen_since(before.2),
    };
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

/// Checks that no two created pets have the same id, and that the created pets can be
/// fetched.
fn check(requests: &Requests<'_>, created: &mut [Created]) -> anyhow::Result<()> {
    created.sort_unstable_by_key(|created| created.id);
    let doubled = created.windows(2).find(|pair| pair[0].id == pair[1].id);
    if let Some([one, _]) = doubled {
        bail!("two pets were created with the id {}", one.id);
    }
    runtime()?.block_on(requests.confirm(created))
}

fn histogram() -> anyhow::Result<Histogram<u64>> {
    Histogram::new_with_bounds(1, LONGEST_US, 3).context("a histogram with three digits")
}

impl Run<'_> {
    /// Sends requests on these connections until the end of the run.
    fn thread(&self, connections: Vec<usize>, rate: Option<f64>) -> anyhow::Result<Measurements> {
        let schedule = rate.map(|rate| Schedule::new(self.start, self.end, rate));
        let measurements = RefCell::new(Measurements {
            latencies: histogram()?,
            created: Vec::new(),
        });
        let taken = Cell::new(0);
        let all = connections
            .iter()
            .map(|&index| self.connection(index, schedule.as_ref(), &taken, &measurements));
        let schedule = async {
            match &schedule {
                Some(schedule) => schedule.keep(connections.len()).await,
                None => Ok(()),
            }
        };
        runtime()?
            .block_on(async { tokio::try_join!(schedule, try_join_all(all)) })
            .inspect_err(|_| self.failed.store(true, Ordering::Relaxed))?;
        Ok(measurements.into_inner())
    }

    /// Sends requests on one connection, one after the other.
    async fn connection(
        &self,
        index: usize,
        schedule: Option<&Schedule>,
        taken: &Cell<u64>,
        measurements: &RefCell<Measurements>,
    ) -> anyhow::Result<()> {
        let mut requester = self.requests.requester(index).await?;
        time::sleep_until(self.start.into()).await;
        while !self.failed.load(Ordering::Relaxed) {
            let since = match schedule {
                Some(schedule) => schedule.next(taken).await,
                None => Some(Instant::now()).filter(|now| *now < self.end),
            };
            let Some(since) = since else { break };
            let created = requester.send_next().await?;
            let now = Instant::now();
            let mut measurements = measurements.borrow_mut();
            measurements.created.extend(created);
            // At a fixed rate, all requests that were due during the measurement count, however
            // late they are.
            let counted = if schedule.is_some() { since } else { now };
            if (self.begin..self.end).contains(&counted) {
                let latency = now.saturating_duration_since(since).as_micros();
                let latency = u64::try_from(latency).unwrap_or(u64::MAX);
                measurements.latencies.saturating_record(latency);
            }
        }
        Ok(())
    }
}
