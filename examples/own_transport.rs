//! Lists pets with the HTTP client of hyper instead of reqwest: you can use every `tower::Service` for `http` requests as a
//! transport. An interceptor prints each try.

use anyhow::{Context, Result};
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use petstore_client::{BoxError, Interceptor, TryOutcome, TryRequest};

struct Print;

impl Interceptor for Print {
    fn before_try(&self, request: &mut TryRequest<'_>) -> Result<(), BoxError> {
        // You can add a signature or a token in the same way.
        let number = request.number().into();
        request.headers_mut().insert("x-try", number);
        Ok(())
    }

    fn after_try(&self, outcome: &TryOutcome<'_>) {
        let status = outcome.status_code().map(|status| status.as_u16());
        println!(
            "{}, try {}: {status:?}",
            outcome.operation(),
            outcome.number()
        );
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let hyper = Client::builder(TokioExecutor::new()).build_http();
    let client = petstore_examples::builder()?
        .transport(hyper)
        .interceptor(Print)
        .build()?;
    let pets = client.list_pets().limit(10).send().await;
    let pets = pets.context("the pets cannot be listed")?;
    println!("{} pets", pets.len());
    Ok(())
}
