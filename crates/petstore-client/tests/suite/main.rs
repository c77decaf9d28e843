//! Tests of the client against a service that answers what each test needs.

mod deprecation;
mod errors;
mod pages;
mod requests;
mod secrets;
mod service;
