//! Code that the programs of the benchmark share: the pets in every store, the loads, and the
//! measurements that one program prints and another reads. `cargo xtask bench` runs the programs; the
//! book describes what is measured and why.

pub mod pets;
pub mod process;

use pets::{Filter, Members};
use serde::{Deserialize, Serialize};
use std::{fmt, net::SocketAddr};

/// The input of the program `load`, as JSON.
#[derive(Deserialize, Serialize)]
#[expect(missing_docs, reason = "the types say it")]
pub struct Job {
    pub service: Service,
    pub work: Work,
}

/// The service that receives the requests.
#[derive(Clone, Deserialize, Serialize)]
pub struct Service {
    /// Where it listens.
    pub address: SocketAddr,
    /// The API key.
    pub key: String,
    /// Number of pets in its store.
    pub pets: i64,
    /// The properties of its pets, and their order.
    pub members: Members,
    /// Whether every page is the first page, and every pet is the first pet.
    pub fixed: bool,
    /// The filter of its lists.
    pub filter: Filter,
    /// The pages to request; if there are none, the first page.
    pub pages: Vec<Place>,
}

/// The position of a page.
#[derive(Clone, Deserialize, Serialize)]
pub struct Place {
    /// The path and the query of the page.
    pub target: String,
    /// The number of the last pet before the page.
    pub after: i64,
}

/// What the program `load` does, and what it prints as JSON.
#[derive(Deserialize, Serialize)]
pub enum Work {
    /// Follows the links of a list and checks every page; prints the positions of the last pages, as
    /// [`Place`]s.
    Walk {
        /// Number of pets on a page.
        limit: usize,
        /// Maximum number of pages to follow.
        most: usize,
        /// Maximum number of positions to print.
        keep: usize,
    },
    /// Sends requests and checks every response; prints the measurements, as [`Measured`].
    Run(Run),
    /// Sends one request on each of many connections; prints the memory of the process in bytes while
    /// they are idle.
    Idle {
        /// Number of connections.
        connections: usize,
        /// The id of the process.
        process: u32,
    },
}

/// One run of the load: a number of connections, for a certain time.
#[derive(Clone, Deserialize, Serialize)]
pub struct Run {
    /// The requests to send.
    pub load: Load,
    /// Number of connections.
    pub connections: usize,
    /// Duration of the measurement.
    pub seconds: f64,
    /// Duration of the warm-up before the measurement.
    pub warm_up_seconds: f64,
    /// Requests per second; `None` if each connection sends its next request when a response arrives.
    pub rate: Option<f64>,
    /// Processes whose processor time is measured, including their child processes.
    pub watch: Vec<u32>,
}

/// The requests of a load.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Load {
    /// A page of 20 pets.
    List,
    /// One pet.
    Get,
    /// Of one hundred requests, 90 are for a page, 9 are for one pet, and 1 creates a pet.
    Mix,
    /// A new pet.
    Create,
}

impl Load {
    /// All loads in the order in which they are measured. Creations come last.
    pub const ALL: [Self; 4] = [Self::List, Self::Get, Self::Mix, Self::Create];
}

impl fmt::Display for Load {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Load::List => "list of 20, filtered",
            Load::Get => "get",
            Load::Mix => "90 lists, 9 gets, 1 create",
            Load::Create => "create",
        })
    }
}

/// The measurements of one run of the program `load`: the throughput, and percentiles of the latency in
/// microseconds.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Measured {
    pub requests_per_second: f64,
    pub p50_us: f64,
    pub p99_us: f64,
    pub p999_us: f64,
    pub max_us: f64,
    /// The processor time of the candidate per request, in microseconds.
    pub cpu_us: f64,
    /// The processor time of the load per request, in microseconds.
    pub load_cpu_us: f64,
    /// The share of the processor time that the hypervisor gave to other machines, from 0 to 1.
    pub stolen: f64,
}

/// The measurements of the program `client`: in each pair, first those of the client, then those of
/// bare reqwest.
#[derive(Deserialize, Serialize)]
pub struct ClientReport {
    /// One call.
    pub call: [Took; 2],
    /// Following the pages of a list.
    pub walk: [Took; 2],
    /// The number of pets in the list.
    pub walk_pets: usize,
    /// The maximum memory in bytes while lists were read, in the first half of all rounds and in the
    /// second half. Both are equal if no memory is retained.
    pub memory_halves: [u64; 2],
}

/// The time of a call or of a list in microseconds. If a machine is slow to wake a thread, most of the
/// time of a single call is waiting time. Only the processor time of the caller is caused by the
/// caller.
#[derive(Clone, Copy, Default, Deserialize, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Took {
    pub elapsed_us: f64,
    pub processor_us: f64,
}

/// Returns the middle value, or the mean of the two middle values; `None` if there are no values.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    Some(match values.len() % 2 {
        0 => f64::midpoint(values[middle - 1], upper),
        _ => upper,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_value() {
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([4.0, 1.0]), Some(2.5));
        assert_eq!(median([]), None);
    }
}
