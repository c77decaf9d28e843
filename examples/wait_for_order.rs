//! Orders a pet and waits until it is delivered: `wait_for_order PET SECONDS`. `x-waiters` in the contract declares the states
//! for which a client can wait.

use anyhow::{Context, Result, bail};
use petstore_client::{NewOrder, WaitError};
use std::time::Duration;

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [pet, seconds] = arguments.as_slice() else {
        bail!("usage: wait_for_order PET SECONDS")
    };
    let pet: i64 = pet.parse().context("PET must be an integer")?;
    let seconds: u64 = seconds.parse().context("SECONDS must be an integer")?;

    let client = petstore_examples::client()?;
    let order = client.create_order().body(NewOrder::new(pet)).send().await;
    let order = order.context("the order was not placed")?;
    println!("order {}: {}", order.id, order.status);
    let delivery = client.wait_until_order_delivered(order.id);
    match delivery.timeout(Duration::from_secs(seconds)).await {
        Ok(order) => println!("order {}: {}", order.id, order.status),
        Err(WaitError::Failed { state, .. }) => println!("it will never be delivered: {state}"),
        Err(WaitError::Timeout { state, .. }) => {
            println!("still {}", state.unwrap_or_default());
        }
        Err(error) => return Err(error).context("the order cannot be watched"),
    }
    Ok(())
}
