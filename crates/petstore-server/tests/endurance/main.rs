//! Runs a mixed load for minutes or hours while faults are switched on and off at random: slow,
//! stalled and failing disks, restarts of the service and of PostgreSQL, locked tables, paused
//! backends, and hostile clients. A request that the current fault does not affect must have a
//! response within a second, and so must every request from two seconds after the end of a fault
//! on. The memory must stay below 256 MB, and nothing acknowledged may be lost or duplicated.
//!
//! Half of the time is used for SQLite, and half for PostgreSQL. `.ci/endurance` runs this test;
//! `cargo xtask test` does not.
//!
//! | variable | for |
//! |---|---|
//! | `PETSTORE_ENDURANCE_SECONDS` | how long it takes; without it nothing is run |
//! | `PETSTORE_ENDURANCE_SEED` | another order of the faults; the seed is printed |
//! | `PETSTORE_ENDURANCE_FAULTS` | only these faults: their names, separated by commas |
//! | `PETSTORE_TEST_PROGRAM` | another build of the program, such as a release build |

mod faults;
mod flood;
mod history;
mod probes;
mod run;
mod workers;
mod world;

use petstore_test_support::{
    attack, faulty_disk, ledger, memory, postgres, probe, process, raw, sales,
};
