//! Tests the server as a library, with a store that fails on request and a
//! clock that the tests set. `tests/e2e` has the tests that need neither.

#[expect(
    dead_code,
    reason = "shared with `tests/pressure`, which needs a slow one"
)]
#[path = "../support/faulty.rs"]
mod faulty;
#[expect(dead_code, reason = "shared with `tests/e2e`, which needs more of it")]
#[path = "../support/raw.rs"]
mod raw;

mod compression;
mod cors;
mod date;
mod faults;
mod idempotency;
mod key_limits;
mod pressure;
mod rate_limit;
mod running;
mod stop;
mod sunset;
mod usage;
