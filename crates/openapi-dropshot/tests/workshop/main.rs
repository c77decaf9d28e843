//! Tests the compiled golden files of `workshop.yaml`: the values that they accept, reject and
//! write, their description for dropshot, and their behaviour in a server.

#[rustfmt::skip]
#[path = "../golden/workshop/api/mod.rs"]
pub mod workshop_api;
#[rustfmt::skip]
#[path = "../golden/workshop/models/mod.rs"]
pub mod workshop_models;

mod document;
mod parameters;
mod service;
mod values;
