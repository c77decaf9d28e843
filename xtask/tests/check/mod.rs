//! `cargo xtask check` and `cargo xtask release` as programs, tried on copies of
//! this workspace. The gate `roundtrip` compiles something; its faults are tested
//! in `cargo-openapi-dropshot`, and the other gates run without it.

mod accepted;
mod formats;
mod mutations;
mod release;
mod sunsets;
mod table;
mod tree;
