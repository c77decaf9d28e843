//! Signs and delivers webhooks as [Standard Webhooks](https://www.standardwebhooks.com) specifies.
//!
#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod deliveries;
mod egress;
mod engine;
mod schedule;
mod secrets;
mod sender;
mod signing;
#[cfg(test)]
mod test_receiver;

pub use deliveries::{BoxError, Claim, Deliveries, Disable, Due, Finished, Next};
pub use egress::{EgressRules, RejectedUrl};
pub use engine::{Engine, Handle};
pub use schedule::next_try;
pub use secrets::{InvalidMasterKey, InvalidSecret, MasterKey, Secret};
pub use sender::{Failure, InvalidSender, Sender, Sent};
pub use signing::{InvalidMessage, sign};

/// The version of ipnet that this crate is built on, for [`EgressRules::allowed_networks`].
pub use ipnet;
/// The version of url that this crate is built on, for [`EgressRules`].
pub use url;
