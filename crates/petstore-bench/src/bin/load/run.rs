//! One run of the load: a number of connections, for a certain time, on half of the processors,
//! because the service needs the other half.

use crate::{
    open_loop::Schedule,
    processor::{self, Machine},
    requests::{Created, Requests},
    runtime,
};
use anyhow::{Context as _, bail, ensure};
use futures::future::try_join_all;
use hdrhistogram::Histogram;
use petstore_bench::{Measured, Run, Service};
use std::{
    cell::RefCell,
    process,
    sync::atomic::{AtomicBool, Ordering},
    thread::{self, Thread},
    time::{Duration, Instant},
};
use tokio::time;

/// The longest latency that the histogram can represent, in microseconds.
const LONGEST_US: u64 = 60_000_000;
/// Time to open all connections before the first request.
const CONNECT: Duration = Duration::from_millis(100);

/// The requests of a run, and its times.
struct Running<'job> {
    requests: Requests<'job>,
    start: Instant,
    begin: Instant,
    end: Instant,
    /// Set if a response was wrong; this ends the run.
    failed: AtomicBool,
    /// The thread that waits for the end of the run.
    waiting: Thread,
}

/// The measurements of the connections of one thread.
struct Measurements {
    latencies: Histogram<u64>,
    created: Vec<Created>,
}

pub(crate) fn run(service: &Service, options: &Run) -> anyhow::Result<Measured> {
    let requests = Requests::new(service, options.load);
    let start = Instant::now() + CONNECT;
    let begin = start + Duration::from_secs_f64(options.warm_up_seconds);
    let run = Running {
        requests,
        start,
        begin,
        end: begin + Duration::from_secs_f64(options.seconds),
        failed: AtomicBool::new(false),
        waiting: thread::current(),
    };
    let threads = thread::available_parallelism().map_or(1, |all| all.get() / 2);
    let connections = options.connections;
    let threads = threads.clamp(1, connections.max(1));
    let mut latencies = histogram()?;
    let mut created = Vec::new();
    let ((before, machine_before), (after, machine_after)) = thread::scope(|scope| {
        let run = &run;
        let start = |thread: usize| {
            let connections = (thread..connections).step_by(threads).collect();
            let rate = options.rate.map(|rate| rate / threads as f64);
            scope.spawn(move || run.thread(connections, rate))
        };
        let threads: Vec<_> = (0..threads).map(start).collect();
        let times_at = |time: Instant| {
            // A failure ends the wait, because the measurements are then useless.
            while Instant::now() < time && !run.failed.load(Ordering::Relaxed) {
                thread::park_timeout(time.saturating_duration_since(Instant::now()));
            }
            let used = processor::used_us([&options.watch, &[process::id()]])?;
            anyhow::Ok((used, Machine::now()?))
        };
        let (before, after) = (times_at(run.begin)?, times_at(run.end)?);
        for thread in threads {
            let measurements = thread.join().expect("it does not panic")?;
            latencies.add(measurements.latencies)?;
            created.extend(measurements.created);
        }
        anyhow::Ok((before, after))
    })?;
    check(&run.requests, &mut created)?;
    let requests = latencies.len();
    ensure!(requests > 0, "no response arrived in {} s", options.seconds);
    let percentile = |quantile| latencies.value_at_quantile(quantile) as f64;
    Ok(Measured {
        requests_per_second: requests as f64 / options.seconds,
        p50_us: percentile(0.5),
        p99_us: percentile(0.99),
        p999_us: percentile(0.999),
        max_us: latencies.max() as f64,
        cpu_us: (after[0] - before[0]) / requests as f64,
        load_cpu_us: (after[1] - before[1]) / requests as f64,
        stolen: machine_after.stolen_since(&machine_before),
    })
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

impl Running<'_> {
    /// Sends requests on these connections until the end of the run.
    fn thread(&self, connections: Vec<usize>, rate: Option<f64>) -> anyhow::Result<Measurements> {
        let schedule = rate.map(|rate| Schedule::new(self.start, self.end, rate));
        let schedule = schedule.as_ref();
        let measurements = RefCell::new(Measurements {
            latencies: histogram()?,
            created: Vec::new(),
        });
        let all = connections.iter();
        let all = all.map(|&index| self.connection(index, schedule, &measurements));
        let keep = async {
            match schedule {
                Some(schedule) => schedule.keep(connections.len()).await,
                None => Ok(()),
            }
        };
        runtime()?
            .block_on(async { tokio::try_join!(keep, try_join_all(all)) })
            .inspect_err(|_| {
                self.failed.store(true, Ordering::Relaxed);
                self.waiting.unpark();
            })?;
        Ok(measurements.into_inner())
    }

    /// Sends requests on one connection, one after the other.
    async fn connection(
        &self,
        index: usize,
        schedule: Option<&Schedule>,
        measurements: &RefCell<Measurements>,
    ) -> anyhow::Result<()> {
        let mut requester = self.requests.requester(index).await?;
        time::sleep_until(self.start.into()).await;
        while !self.failed.load(Ordering::Relaxed) {
            let since = match schedule {
                Some(schedule) => schedule.next().await,
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
                measurements.latencies.saturating_record(latency as u64);
            }
        }
        Ok(())
    }
}
