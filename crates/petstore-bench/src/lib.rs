//! Code that the programs of the bench share: the pets that every store holds. `cargo
//! xtask bench` runs the programs; the book describes what is measured and why.

pub mod pets;
