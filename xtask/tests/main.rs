//! Tests of this repository: its tasks as programs, the commands of its README, and its project
//! rules.

mod check;
mod copy;
mod diff;
mod generate;
mod policy;
mod readme;
mod roundtrip;
