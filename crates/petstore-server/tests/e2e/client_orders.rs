//! Tests orders with the real client, whose feature `beta` is enabled.

use crate::{client::client_of, process::Service};
use petstore_client::{ErrorCode, NewOrder, OrderStatus, OrderUpdate};

#[tokio::test]
async fn the_client_places_changes_and_lists_orders() {
    let service = Service::start();
    let client = client_of(&service);
    let mut orders = Vec::new();
    for _ in 0..7 {
        let pet = service.add("Rex", Some("available"));
        let request = client.create_order().body(NewOrder::builder().pet_id(pet));
        let order = request.send().await.expect("placed").into_inner();
        assert_eq!((order.pet_id, &order.status), (pet, &OrderStatus::Placed));
        assert_eq!(order.placed_at, order.updated_at);
        orders.push(order);
    }
    let update = |id, status| {
        let update = OrderUpdate::builder().status(status);
        client.update_order().order_id(id).body(update).send()
    };
    let first = update(orders[0].id, OrderStatus::Approved).await;
    assert_eq!(first.expect("a step").status, OrderStatus::Approved);
    let found = client.get_order().order_id(orders[0].id).send().await;
    assert_eq!(found.expect("found").status, OrderStatus::Approved);

    let mut walk = client
        .list_orders()
        .status(OrderStatus::Placed)
        .limit(2)
        .stream();
    let mut met = Vec::new();
    while let Some(order) = walk.next().await {
        met.push(order.expect("an order").id);
    }
    assert_eq!(met, [7, 6, 5, 4, 3, 2]);

    // A rejected request is not repeated and changes nothing.
    let again = client
        .create_order()
        .body(NewOrder::builder().pet_id(orders[0].pet_id));
    let error = again.send().await.expect_err("it is taken");
    assert_eq!(error.code(), Some(&ErrorCode::PetNotAvailable));
    assert_eq!((error.retries(), error.is_retryable()), (0, false));
    let back = update(orders[0].id, OrderStatus::Placed).await;
    let error = back.expect_err("there is no such step");
    assert_eq!(error.code(), Some(&ErrorCode::InvalidTransition));
    assert_eq!((error.retries(), error.is_retryable()), (0, false));
}
