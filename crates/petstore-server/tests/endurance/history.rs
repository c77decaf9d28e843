//! Records the faults and the results of the probes, and evaluates them at the end.

use crate::{
    faults::Fault,
    memory::{BOUND, Memory},
    probes::Probe,
};
use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard},
    time::{Duration, Instant},
};

/// The longest time that a healthy request may take.
///
/// The build of the tests is not optimised, so it gets more time than the release build that
/// `PETSTORE_TEST_PROGRAM` names.
pub(crate) fn freeze() -> Duration {
    Duration::from_secs(if is_release() { 1 } else { 5 })
}

fn is_release() -> bool {
    std::env::var_os("PETSTORE_TEST_PROGRAM").is_some()
}

/// How long `/readyz` waits for the database.
const NOT_READY: Duration = Duration::from_millis(800);
/// From this time after the end of a fault on, every request must be healthy.
pub(crate) const SETTLE: Duration = Duration::from_secs(2);
/// How many problems of one kind are printed.
const EXAMPLES: usize = 8;

/// How a fault may affect a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    Nothing,
    /// The request may be rejected, but not late.
    Status,
    Everything,
}

#[derive(Clone, Copy)]
struct Period {
    fault: Fault,
    begin: Instant,
    /// `None` while the fault is switched on.
    end: Option<Instant>,
}

#[derive(Clone, Copy)]
struct Result {
    probe: Probe,
    begin: Instant,
    took: Duration,
    /// Whether the response was the expected one.
    is_right: bool,
    /// The status, or 0 if there was no response.
    status: u16,
}

impl Result {
    /// Whether `/readyz` responded with 503 because the database was slow. In a build that is not
    /// optimised, a healthy request may take longer than `/readyz` waits for the database, because
    /// the load takes processor time from the database.
    fn is_impatient(&self) -> bool {
        !is_release() && self.probe == Probe::Ready && self.status == 503 && self.took >= NOT_READY
    }
}

/// The whole record.
#[derive(Default)]
pub(crate) struct History(Mutex<Records>);

#[derive(Default)]
struct Records {
    periods: Vec<Period>,
    results: Vec<Result>,
    /// Rejections of the well-behaved clients, by the fault that was active.
    rejected: BTreeMap<&'static str, usize>,
    requests: usize,
    defects: Vec<String>,
    peak: Memory,
    peak_during: &'static str,
}

impl History {
    fn records(&self) -> MutexGuard<'_, Records> {
        self.0.lock().expect("no holder panics")
    }

    pub(crate) fn begin(&self, fault: Fault) {
        self.records().periods.push(Period {
            fault,
            begin: Instant::now(),
            end: None,
        });
    }

    pub(crate) fn end(&self) {
        if let Some(last) = self.records().periods.last_mut() {
            last.end = Some(Instant::now());
        }
    }

    /// The result of a probe.
    pub(crate) fn probed(&self, probe: Probe, begin: Instant, took: Duration, status: Option<u16>) {
        let is_right = status == probe.expected();
        let status = status.unwrap_or_default();
        self.records().results.push(Result {
            probe,
            begin,
            took,
            is_right,
            status,
        });
    }

    /// Records a request of a well-behaved client, and whether it was rejected or disconnected.
    pub(crate) fn requested(&self, is_rejected: bool) {
        let mut records = self.records();
        records.requests += 1;
        if is_rejected {
            let during = records.current(Instant::now());
            *records.rejected.entry(during).or_default() += 1;
        }
    }

    /// Records something that must never happen.
    pub(crate) fn defect(&self, what: String) {
        eprintln!("defect: {what}");
        let mut records = self.records();
        if records.defects.len() < 50 {
            records.defects.push(what);
        }
    }

    pub(crate) fn uses(&self, memory: Memory) {
        let mut records = self.records();
        if memory > records.peak {
            records.peak = memory;
            records.peak_during = records.current(Instant::now());
        }
    }

    /// Prints the summary, and returns the problems.
    pub(crate) fn judge(&self) -> Vec<String> {
        let records = self.records();
        records.print();
        let mut problems = records.defects.clone();
        let mut late = Vec::new();
        let mut wrong = Vec::new();
        for result in &records.results {
            let touch = records.touch(result);
            let Result {
                probe,
                took,
                status,
                ..
            } = result;
            let during = records.named(result);
            if touch != Touch::Everything && *took > probe.bound() {
                late.push(format!("{} took {took:.1?} during {during}", probe.name()));
            }
            if touch == Touch::Nothing && !result.is_right && !result.is_impatient() {
                wrong.push(format!("{} got {status} during {during}", probe.name()));
            }
        }
        for (what, found) in [("late", late), ("wrong", wrong)] {
            if !found.is_empty() {
                let examples = &found[..found.len().min(EXAMPLES)];
                problems.push(format!("{} {what}: {}", found.len(), examples.join("; ")));
            }
        }
        if records.peak >= BOUND {
            problems.push(format!(
                "the service used {} during {}",
                records.peak, records.peak_during
            ));
        }
        problems
    }
}

impl Records {
    fn current(&self, at: Instant) -> &'static str {
        match self.periods.last() {
            Some(period) if period.end.is_none_or(|end| at < end + SETTLE) => period.fault.name(),
            _ => NO_FAULT,
        }
    }

    /// Returns the faults that may have affected it.
    fn overlapping(&self, result: &Result) -> impl Iterator<Item = &Period> {
        let (begin, end) = (result.begin, result.begin + result.took);
        self.periods.iter().filter(move |period| {
            period.begin < end && period.end.is_none_or(|over| begin < over + SETTLE)
        })
    }

    fn touch(&self, result: &Result) -> Touch {
        let touches = |period: &Period| period.fault.touches(result.probe);
        let touches: Vec<_> = self.overlapping(result).map(touches).collect();
        [Touch::Everything, Touch::Status]
            .into_iter()
            .find(|touch| touches.contains(touch))
            .unwrap_or(Touch::Nothing)
    }

    fn named(&self, result: &Result) -> &'static str {
        let mut overlapping = self.overlapping(result);
        overlapping
            .next()
            .map_or(NO_FAULT, |period| period.fault.name())
    }

    fn print(&self) {
        let mut rows: BTreeMap<&str, (usize, Duration)> = BTreeMap::new();
        for period in &self.periods {
            let row = rows.entry(period.fault.name()).or_default();
            row.0 += 1;
            row.1 += period.end.map_or(Duration::ZERO, |end| end - period.begin);
        }
        rows.insert(NO_FAULT, (0, Duration::ZERO));
        let mut worst: BTreeMap<(&str, Probe), (Duration, usize)> = BTreeMap::new();
        for result in &self.results {
            let cell = worst.entry((self.named(result), result.probe)).or_default();
            cell.0 = cell.0.max(result.took);
            cell.1 += usize::from(!result.is_right);
        }
        println!(
            "the longest times in milliseconds, and how many got another response than expected:"
        );
        print!("{:<18} {:>5} {:>7}", "fault", "times", "seconds");
        for probe in Probe::ALL {
            print!(" {:>13}", probe.name());
        }
        println!(" {:>9}", "rejected");
        for (name, (count, time)) in rows {
            print!("{name:<18} {count:>5} {:>7.1}", time.as_secs_f64());
            for probe in Probe::ALL {
                let cell = worst.get(&(name, probe));
                let cell = cell.map_or_else(String::new, |(took, wrong)| match wrong {
                    0 => took.as_millis().to_string(),
                    _ => format!("{} ({wrong})", took.as_millis()),
                });
                print!(" {cell:>13}");
            }
            println!(" {:>9}", self.rejected.get(name).copied().unwrap_or(0));
        }
        println!(
            "{} requests of well-behaved clients and {} probes; the service used at most {}, during {}",
            self.requests,
            self.results.len(),
            self.peak,
            self.peak_during
        );
    }
}

const NO_FAULT: &str = "none";
