//! `cargo xtask generate`, tried on copies of this workspace: what the command
//! says and does, and what its output does to the code written by hand.

mod application;
mod command;
mod contract_change;
mod older_client;
#[path = "../support/mod.rs"]
mod support;
