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

#[path = "../support/attack.rs"]
mod attack;
#[path = "../support/faulty_disk.rs"]
mod faulty_disk;
#[expect(
    dead_code,
    reason = "shared with `tests/hostile`, which needs more of it"
)]
#[path = "../support/frames.rs"]
mod frames;
#[expect(
    dead_code,
    reason = "shared with `tests/durability`, which needs more of it"
)]
#[path = "../support/ledger.rs"]
mod ledger;
#[expect(
    dead_code,
    reason = "shared with `tests/hostile`, which needs more of it"
)]
#[path = "../support/memory.rs"]
mod memory;
#[expect(
    dead_code,
    reason = "shared with `petstore-store`, which needs more of it"
)]
#[path = "../../../petstore-store/tests/support/postgres.rs"]
mod postgres;
#[path = "../support/probe.rs"]
mod probe;
#[expect(dead_code, reason = "shared with `tests/e2e`, which needs more of it")]
#[path = "../support/process.rs"]
mod process;
#[expect(dead_code, reason = "shared with `tests/e2e`, which needs more of it")]
#[path = "../support/raw.rs"]
mod raw;
#[path = "../support/sales.rs"]
mod sales;

mod faults;
mod flood;
mod history;
mod probes;
mod run;
mod workers;
mod world;
