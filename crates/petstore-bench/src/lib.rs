//! What the programs of the bench have in common: the pets that every store is
//! filled with. How the programs are put together is left to `cargo xtask
//! bench`; the README tells what is measured, and why so.

pub mod pets;
