//! `cargo xtask check` and `cargo xtask release` as programs, tried on copies of
//! this workspace: what each gate sees, and what a release changes. The gate
//! `roundtrip` compiles something, so that its faults are tried where it is
//! (`src/check/roundtrip`); the other gates are run without it.

mod accepted;
mod formats;
mod mutations;
mod release;
mod sunsets;
#[path = "../support/mod.rs"]
mod support;
mod table;
mod tree;
