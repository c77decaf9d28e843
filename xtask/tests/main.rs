//! Tests of this repository: its tasks as programs, its README's commands, and its
//! project rules.

mod check;
mod copy;
mod diff;
mod generate;
mod policy;
mod readme;
mod roundtrip;
