//! Tests how much a change of a pet's status writes: PostgreSQL keeps a long name out of
//! the row, and the change does not write it again.

use super::store;
use crate::{fixtures::new_pet, postgres_server::shared};
use petstore_models::PetStatus;
use serde_json::Value;
use tokio_postgres::SimpleQueryMessage;

#[tokio::test]
async fn changing_the_status_of_a_pet_with_a_long_name_writes_few_bytes() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let store = store(&database).await;
    for length in [3, 64 << 10, 1 << 20] {
        // A name that cannot be compressed.
        let name: String = (0..length / 2 + 1)
            .map(|number: u32| char::from_u32(0xa1 + number.wrapping_mul(2_654_435_761) % 1_500))
            .map(|letter| letter.expect("a character"))
            .collect();
        let pet = new_pet(name, 1, Some(PetStatus::Available));
        let pet = store.create_pet(pet).await.expect("a pet");
        let db = database.client().await;
        let explain = format!(
            "EXPLAIN (ANALYZE, WAL, FORMAT JSON) UPDATE pets SET status = 'pending' WHERE id = {}",
            pet.id
        );
        let messages = db.simple_query(&explain).await.expect("a plan");
        let plan = messages.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => row.get(0),
            _ => None,
        });
        let plan: Value = serde_json::from_str(plan.expect("a row")).expect("JSON");
        let bytes = plan[0]["Plan"]["WAL Bytes"].as_u64().expect("a number");
        println!("a name of {length} bytes: {bytes} bytes of log");
        assert!((1..64 << 10).contains(&bytes), "{length}: {bytes}");
    }
}
