//! Adds a pet. If that fails, it prints what the caller can do: `handle_errors NAME CATEGORY`.

use anyhow::{Context, Result, bail};
use petstore_client::{Error, ErrorCode, ErrorKind, NewPet, RetryDecision, RetryPolicy, RetryStop};
use std::time::Duration;

/// Allows three tries, and retries after 500, because our proxy responds with 500 while it restarts. A creation can be
/// sent again, because it has an `Idempotency-Key`.
fn policy() -> RetryPolicy {
    let policy = RetryPolicy::new().max_tries(3);
    policy
        .first_pause(Duration::from_millis(50))
        .classify(
            |outcome| match outcome.status_code().map(|status| status.as_u16()) {
                Some(500) if outcome.is_repeatable() => RetryDecision::Retry,
                _ => RetryDecision::Default,
            },
        )
}

fn explain(error: &Error) -> String {
    match (error.code(), error.kind()) {
        (Some(ErrorCode::InvalidRequest), _) => format!("change the pet: {}", error.message()),
        (Some(ErrorCode::Unauthorized), _) => "get another API key".to_owned(),
        // The client does not retry if the certificate is not trusted.
        (_, ErrorKind::Tls) => format!("check the certificate: {error}"),
        _ => {
            let why = match error.retry_stop() {
                Some(RetryStop::Tries) => "all tries failed",
                Some(RetryStop::Budget) => "too many calls fail at present",
                Some(RetryStop::Timeout) => "there was no time for another try",
                _ => "another try would not help",
            };
            // The message of the error does not contain the text that a proxy sent.
            let excerpt = error.excerpt().unwrap_or("nothing that can be shown");
            format!("{why}: {error}; the response says: {excerpt}")
        }
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, category] = arguments.as_slice() else {
        bail!("usage: handle_errors NAME CATEGORY")
    };
    let category: i64 = category.parse().context("CATEGORY must be an integer")?;
    let client = petstore_examples::builder()?.retry(policy()).build()?;
    match client
        .create_pet()
        .body(NewPet::new(category, name))
        .send()
        .await
    {
        Ok(added) => println!("added with the id {}", added.id),
        Err(error) => println!("{}", explain(&error)),
    }
    Ok(())
}
