//! Orders a pet and changes the status of the order: `order_pet PET [STATUS…]`. The operations
//! on orders are `beta`, so this example needs the feature `beta` of `petstore-client`.

use anyhow::{Context, Result, bail};
use petstore_client::{ErrorCode, NewOrder, OrderStatus, OrderUpdate};

#[tokio::main]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [pet, steps @ ..] = arguments.as_slice() else {
        bail!("usage: order_pet PET [approved|delivered|cancelled…]")
    };
    let pet: i64 = pet
        .parse()
        .with_context(|| format!("PET must be an integer, found `{pet}`"))?;

    let client = petstore_examples::client()?;
    let request = client.create_order().body(NewOrder::builder().pet_id(pet));
    let order = match request.send().await {
        Ok(order) => order.into_inner(),
        Err(error) if error.code() == Some(&ErrorCode::PetNotAvailable) => {
            bail!("the pet cannot be ordered: {}", error.message())
        }
        Err(error) => return Err(error).context("the order was not placed"),
    };
    println!("order {}: {}", order.id, order.status);
    for step in steps {
        let to: OrderStatus = step
            .parse()
            .with_context(|| format!("STATUS `{step}` is not valid"))?;
        let update = OrderUpdate::builder().status(to);
        let request = client.update_order().order_id(order.id).body(update);
        let order = request.send().await.context("the order was not changed")?;
        println!("order {}: {}", order.id, order.status);
    }
    Ok(())
}
