//! Code that the programs of the benchmark share: the pets in every store. `cargo xtask bench` runs
//! the programs; the book describes what is measured and why.

pub mod pets;
