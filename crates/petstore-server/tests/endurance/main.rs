//! Runs a mixed load for minutes or hours while faults are switched on and off at random:
//! slow, stalled and failing disks, restarts of the service and of PostgreSQL, locked
//! tables, paused backends, and hostile clients. A request of a kind that the current fault
//! does not touch, and every request from two seconds after a fault on, has a response
//! within a second; the memory stays below 256 MB; nothing acknowledged is lost or doubled.
//!
//! Half of the time belongs to SQLite, half to PostgreSQL. `.ci/endurance` runs it and
//! `cargo xtask test` does not.
//!
//! | variable | for |
//! |---|---|
//! | `PETSTORE_ENDURANCE_SECONDS` | how long it takes; without it nothing is run |
//! | `PETSTORE_ENDURANCE_SEED` | another order of the faults; it is printed |
//! | `PETSTORE_ENDURANCE_FAULTS` | only these faults, by their names, with commas between them |
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
