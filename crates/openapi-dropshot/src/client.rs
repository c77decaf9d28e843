//! The client: progenitor's output for the document, made to keep what the
//! document promises, in one file a concern.
//!
//! What progenitor would refuse by a panic, drop or misread is refused first
//! ([`preconditions`], [`names`]) or put in words that it understands
//! ([`prepare`]). Then a pass over its tokens ([`pass`]) adds what it cannot
//! say: deprecation, stability, bounds, documentation, room to grow.
//!
//! The generated code leaves to its hand-written parent, the root of the crate
//! of the client, everything that happens between a request that was built and
//! an answer that was read:
//!
//! - `Call::new(&Client)`, `Call::base_url(&self) -> &str`, `Call::request(&self,
//!   Method, String) -> reqwest::RequestBuilder`, `Call::set_options(&mut self,
//!   CallOptions)` and `Call::prepare(self, reqwest::Request, Operation) ->
//!   Prepared`, with `struct Operation { id, takes_idempotency_key }`;
//! - `Prepared::send(self) -> Result<reqwest::Response, Error>`, async;
//! - `Pages<T>` and `Items<T>`, each with `new(Result<Prepared, Error>)`, and
//!   `blocking::wait(future)` under the cargo feature `blocking`;
//! - the cargo features `beta` and `experimental`, behind which the operations
//!   of these levels stand;
//! - `Error::invalid_request(String)`, `Error::not_built(reqwest::Error)` and
//!   `Error::from_response(reqwest::Response)`, the last one async;
//! - `Response<T>` with `json` (async), `empty`, `stream` and `into_inner`.
//!
//! The examples in its documentation also take `next` of `Pages` and `Items` to
//! be async, and `CallOptions` to have `new` and `timeout`.

mod names;
mod pass;
mod preconditions;
mod prepare;
mod run;
mod split;

use crate::{File, Options};
use openapi_dropshot_contract::{Problem, model::Document};

/// Generates the files of the client.
///
/// # Errors
///
/// Everything in the document that progenitor cannot carry, each at its place.
pub(crate) fn generate(document: &Document, options: &Options) -> Result<Vec<File>, Vec<Problem>> {
    let mut problems = preconditions::check(document);
    let names = names::collect(document, &mut problems);
    if !problems.is_empty() {
        return Err(problems);
    }
    let prepared = prepare::prepare(document, &names);
    let generated = run::run(document, &prepared)?;
    let modules = pass::apply(document, &names, generated, &options.client_crate)?;
    split::files(modules, options)
        .map_err(|error| vec![pass::surprise(document, &error.to_string())])
}

#[cfg(test)]
mod tests;
