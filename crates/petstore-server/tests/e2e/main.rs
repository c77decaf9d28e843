//! The real program, driven over sockets and by its command line: what an owner
//! and a client see of it. Faults that cannot be provoked from outside are left
//! to `tests/in_process`.

#[path = "../support/process.rs"]
mod process;
#[path = "../support/raw.rs"]
mod raw;

mod bad_input;
mod config;
mod connections;
mod errors;
mod keys;
mod lifecycle;
mod log;
mod pets;
mod start;
mod stop;
