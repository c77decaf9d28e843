//! Tests the server as a library, with a store that fails on request and a clock that the tests
//! set. `tests/e2e` contains the tests that need neither.

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

use petstore_test_support::{faulty, raw};
