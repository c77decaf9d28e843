//! Reads and parses `/metrics` from the admin listener.

use crate::{
    process::Service,
    raw::{self, RawResponse, Request},
};
use std::{
    collections::BTreeMap,
    net::SocketAddr,
    thread,
    time::{Duration, Instant},
};

/// If a test waits longer than this, it has failed.
const PATIENCE: Duration = Duration::from_secs(20);

/// A service with its admin listener.
pub struct Watched {
    pub service: Service,
    pub admin: SocketAddr,
}

impl Watched {
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    pub fn start_with(arguments: &[&str]) -> Self {
        let arguments = [&["--admin-listen", "127.0.0.1:0"], arguments].concat();
        let service = Service::start_with(&arguments);
        let admin = address(&service);
        Watched { service, admin }
    }

    /// Requests `/readyz` until it has this status, and returns the last line. It takes some
    /// seconds until the service reports the fault that the test causes.
    pub fn until_readiness(&self, status: u16) -> String {
        let begin = Instant::now();
        loop {
            let response = self.ask("/readyz");
            let line = String::from_utf8(response.body).expect("text");
            if response.status == status {
                return line;
            }
            assert!(begin.elapsed() < PATIENCE, "not {status}: {line}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    pub fn ask(&self, path: &str) -> RawResponse {
        raw::send(self.admin, &Request::get(path))
    }

    pub fn scrape(&self) -> Scrape {
        Scrape::of(self.admin)
    }
}

/// Returns the address of the admin listener, read from the log.
pub fn address(service: &Service) -> SocketAddr {
    let line = service.log.wait_for("health and metrics on http://");
    let address = line.split("http://").nth(1).expect("an address");
    let end = address.find('"').unwrap_or(address.len());
    address[..end].parse().expect("an address")
}

/// A line of a scrape.
#[derive(Debug)]
pub struct Sample {
    pub name: String,
    pub labels: BTreeMap<String, String>,
    pub value: f64,
}

/// All metrics that were served at one time.
#[derive(Debug)]
pub struct Scrape {
    pub text: String,
    pub samples: Vec<Sample>,
}

impl Scrape {
    pub fn of(admin: SocketAddr) -> Self {
        let response = raw::send(admin, &Request::get("/metrics"));
        assert_eq!(response.status, 200, "{response:?}");
        Scrape::read(String::from_utf8(response.body).expect("text"))
    }

    fn read(text: String) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let samples = lines.map(sample).collect();
        Scrape { text, samples }
    }

    /// Returns the sum over all series that have these labels; `None` if there are none.
    pub fn find(&self, name: &str, labels: &[(&str, &str)]) -> Option<f64> {
        let has = |sample: &&Sample| {
            let mut labels = labels.iter();
            sample.name == name
                && labels.all(|(label, value)| {
                    sample.labels.get(*label).map(String::as_str) == Some(value)
                })
        };
        let found: Vec<f64> = self
            .samples
            .iter()
            .filter(has)
            .map(|sample| sample.value)
            .collect();
        (!found.is_empty()).then(|| found.iter().sum())
    }

    #[track_caller]
    pub fn assert(&self, name: &str, labels: &[(&str, &str)], expected: f64) {
        assert_eq!(
            self.find(name, labels),
            Some(expected),
            "{name} {labels:?} in {}",
            self.text
        );
    }
}

/// Parses `name{label="value",…} number`; our values contain no quotes.
fn sample(line: &str) -> Sample {
    let (series, value) = line.rsplit_once(' ').expect("a value");
    let (name, labels) = series.split_once('{').unwrap_or((series, "}"));
    let pairs = labels
        .trim_end_matches('}')
        .split(',')
        .filter(|pair| !pair.is_empty());
    let label = |pair: &str| {
        let (name, value) = pair.split_once('=').expect("a label");
        (name.to_owned(), value.trim_matches('"').to_owned())
    };
    Sample {
        name: name.to_owned(),
        labels: pairs.map(label).collect(),
        value: value.parse().expect("a number"),
    }
}
