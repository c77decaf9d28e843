//! Waits for the delivery of an order, against the service in memory.

use petstore_client::{Client, NewPet, OrderStatus, PetStatus, WaitError, types::OrderUpdate};
use petstore_testing::Server;
use std::future::IntoFuture as _;

/// Orders a new pet, and returns the id of the order.
async fn order(client: &Client) -> i64 {
    let mut rex = NewPet::new(7, "Rex");
    rex.status = Some(PetStatus::Available);
    let pet = client
        .create_pet()
        .body(rex)
        .send()
        .await
        .expect("it is added");
    let order = petstore_client::NewOrder::new(pet.id);
    let order = client.create_order().body(order).send().await;
    order.expect("the pet is available").id
}

async fn become_status(client: &Client, id: i64, status: OrderStatus) {
    let update = OrderUpdate::new(status);
    let updated = client.update_order().order_id(id).body(update).send().await;
    updated.expect("the transition is allowed");
}

#[tokio::test]
async fn waiting_ends_when_the_order_is_delivered() {
    let server = Server::start().await.expect("a port is free");
    let client = server.client();
    let id = order(&client).await;
    let waiting = client.wait_until_order_delivered(id);
    let delivery = async {
        become_status(&client, id, OrderStatus::Approved).await;
        become_status(&client, id, OrderStatus::Delivered).await;
    };
    let (delivered, ()) = tokio::join!(waiting.into_future(), delivery);
    assert_eq!(
        delivered.expect("it is delivered").status,
        OrderStatus::Delivered
    );
}

#[tokio::test]
async fn waiting_ends_with_an_error_when_the_order_is_cancelled() {
    let server = Server::start().await.expect("a port is free");
    let client = server.client();
    let id = order(&client).await;
    become_status(&client, id, OrderStatus::Cancelled).await;
    let error = client.wait_until_order_delivered(id).await;
    let error = error.expect_err("it is cancelled");
    assert!(
        matches!(error, WaitError::Failed { ref state, .. } if state == "cancelled"),
        "{error}"
    );
}
