//! Orders a pet exactly once, even if the program ends before it receives the response: `resume_order PET FILE`. FILE stores the
//! idempotency key for the next run. Run the program again until it prints the order.

use anyhow::{Context, Result, bail};
use petstore_client::{
    CallOptions, NewOrder,
    recovery::{self, SameCredential},
};
use std::{fs, io};

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [pet, file] = arguments.as_slice() else {
        bail!("usage: resume_order PET FILE")
    };
    let pet: i64 = pet.parse().context("PET must be an integer")?;

    // The first line is the idempotency key. The second line is the fingerprint of the API key of the first request.
    let stored = fs::read_to_string(file).unwrap_or_default();
    let mut lines = stored.lines().map(str::to_owned);
    let key = lines.next().unwrap_or_else(recovery::new_idempotency_key);
    let (path, first) = (file.clone(), key.clone());
    // Both are stored before anything is sent.
    let same = SameCredential::new(lines.next(), move |fingerprint| {
        Ok(store(&path, &format!("{first}\n{fingerprint}"))?)
    });

    // For 24 hours, the service returns the first response again. It shows the order as it was when it was placed.
    let order = petstore_examples::client()?
        .create_order_with(NewOrder::new(pet))
        .idempotency_key(key)
        .with(CallOptions::new().interceptor(same))
        .send()
        .await
        .context("run the program again")?;
    println!("order {}: {}", order.id, order.status);
    fs::remove_file(file).context("FILE cannot be removed")
}

/// Replaces the whole file atomically.
fn store(file: &str, text: &str) -> io::Result<()> {
    let new = format!("{file}.new");
    fs::write(&new, text)?;
    fs::rename(new, file)
}
