//! Tests of the client against a service that answers what each test needs.

#[cfg(feature = "blocking")]
mod blocking;
mod clock;
mod connections;
mod deprecated_answers;
mod deprecation;
mod errors;
mod examples;
mod pages;
mod requests;
mod retries;
mod secrets;
mod service;
mod walks;
