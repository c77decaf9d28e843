//! Code that the programs of the benchmark share: the pets in every store, the loads, and the
//! measurements that one program prints and another reads. `cargo xtask bench` runs the programs; the
//! book describes what is measured and why.

pub mod pets;

use serde::{Deserialize, Serialize};
use std::{fmt, fs};

/// The requests of a load.
#[derive(Clone, Copy, Debug, Eq, PartialEq, Serialize, clap::ValueEnum)]
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

/// The measurements of one run of the program `load`.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Measured {
    /// The throughput.
    pub requests_per_second: f64,
    /// The median of the latencies, in microseconds.
    pub p50_us: f64,
    /// The 99th percentile.
    pub p99_us: f64,
    /// The 99.9th percentile.
    pub p999_us: f64,
    /// The longest latency.
    pub max_us: f64,
    /// The processor time of the candidate per request, in microseconds.
    pub cpu_us: f64,
    /// The processor time of the load per request, in microseconds.
    pub load_cpu_us: f64,
    /// The share of the processor time that the hypervisor gave to other machines, from 0 to 1.
    pub stolen: f64,
}

/// The measurements of the program `client`.
#[derive(Deserialize, Serialize)]
pub struct ClientReport {
    /// One call.
    pub call: Compared,
    /// Following the pages of a list.
    pub walk: Compared,
    /// The number of pets in the list.
    pub walk_pets: usize,
    /// The maximum memory in bytes while lists were read, in the first half of all rounds and in the
    /// second half. Both are equal if no memory is retained.
    pub memory_halves: [u64; 2],
}

/// The medians of the client and of bare reqwest.
#[derive(Deserialize, Serialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Compared {
    pub client: Took,
    pub bare: Took,
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

/// Returns the value of the field `name` in a file of Linux with lines such as `VmRSS: 1 kB`.
#[must_use]
pub fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let mut lines = text.lines().filter_map(|line| line.split_once(':'));
    let (_, value) = lines.find(|(field, _)| field.trim_end() == name)?;
    Some(value.trim().to_owned())
}

/// Returns the memory of a process in bytes: the maximum so far (`VmHWM`) or the current value
/// (`VmRSS`).
#[must_use]
pub fn memory(process: u32, name: &str) -> Option<u64> {
    let value = field(&format!("/proc/{process}/status"), name)?;
    let kibibytes: u64 = value.strip_suffix(" kB")?.parse().ok()?;
    Some(kibibytes * 1024)
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
