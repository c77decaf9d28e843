//! Test support for the pet store: starts the program and databases, sends requests and attacks,
//! and injects faults.

#![expect(missing_docs, reason = "only tests of this repository use it")]

pub mod attack;
pub mod faulty;
pub mod faulty_disk;
pub mod fixtures;
pub mod frames;
pub mod haproxy;
pub mod key_limits;
pub mod ledger;
pub mod load;
pub mod memory;
pub mod postgres;
pub mod probe;
pub mod process;
pub mod raw;
pub mod sales;
pub mod samples;
pub mod scrape;
pub mod subscribers;
pub mod webhooks;
