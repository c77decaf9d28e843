//! Tests `cargo xtask generate` on copies of this workspace: the command itself, and the effect of
//! its output on hand-written code.

mod application;
mod command;
mod contract_change;
mod older_client;
