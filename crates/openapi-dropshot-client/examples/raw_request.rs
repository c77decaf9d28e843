//! Sends a request that no document describes, with the retries and time limits of a generated client. Run it with `cargo
//! run --features rustls --example raw_request -- https://books.example/v1 /books`.

use openapi_dropshot_client::{Client, RawRequest, RetryPolicy, reqwest::Method};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(url), Some(path)) = (arguments.next(), arguments.next()) else {
        return Err("pass the base URL of a service and a path".into());
    };
    let client = Client::builder(&url)
        .retry(RetryPolicy::new().max_tries(3))
        .build()?;
    let request: RawRequest = client.request(Method::GET, &path);
    let response = request.send::<serde_json::Value>().await?;
    println!("{} {}", response.status(), *response);
    Ok(())
}
