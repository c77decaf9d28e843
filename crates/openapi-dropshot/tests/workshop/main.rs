//! What the golden files of `workshop.yaml` do, compiled: what they accept and
//! reject, what they write back, what they tell dropshot, and how they serve.

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
