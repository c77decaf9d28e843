//! The server as a library, on a store that can be made to fail and a clock
//! that can be set: what cannot be provoked in the real program from outside.
//! `tests/e2e` has what can be.

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
mod faults;
mod idempotency;
mod pressure;
mod rate_limit;
mod running;
mod stop;
mod sunset;
mod usage;
