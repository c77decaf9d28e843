//! Exports the metrics of the store: its batches, its queue, and its read connections.

use openapi_dropshot_server::metrics::{Metrics, Observations};
use petstore_store::{BATCH_SIZES, Store, WriteStats};
use std::sync::Arc;

/// Registers the metrics.
pub(crate) fn register(metrics: &Metrics, store: &Arc<dyn Store>) {
    let read = |value: fn(&dyn Store) -> f64| {
        let store = store.clone();
        move || value(&*store)
    };
    let batches = store.clone();
    metrics.histogram(
        "petstore_store_batch_size",
        "Number of writes in each committed transaction.",
        move || observations(&batches.stats()),
    );
    metrics.gauge(
        "petstore_store_queued_writes",
        "Writes that wait in the queue of the store.",
        read(|store| store.stats().queued as f64),
    );
    let connections = "Open connections that the store reads from.";
    for (state, value) in [
        ("used", read(|store| store.pool().used as f64)),
        ("idle", read(|store| store.pool().idle as f64)),
    ] {
        let name = "petstore_store_connections";
        metrics.gauge_with_label(name, connections, ("state", state), value);
    }
    metrics.gauge(
        "petstore_store_connections_limit",
        "Connections that the store can use for reads.",
        read(|store| store.pool().limit as f64),
    );
    let backups = store.clone();
    metrics.optional_gauge(
        "petstore_last_backup_timestamp_seconds",
        "When the last backup was created with the command `backup`, as a Unix timestamp in seconds.",
        move || Some(backups.last_backup()?.timestamp() as f64),
    );
    let waits = store.clone();
    metrics.counter(
        "petstore_store_connection_waits_total",
        "Reads that had to wait for a connection.",
        move || waits.pool().waits,
    );
}

fn observations(stats: &WriteStats) -> Observations {
    let classes = BATCH_SIZES.into_iter().zip(stats.sizes);
    Observations {
        // These numbers are small enough for a double to hold them exactly.
        classes: classes
            .map(|(bound, count)| (bound as f64, count))
            .collect(),
        count: stats.batches,
        sum: stats.writes as f64,
    }
}

#[cfg(test)]
mod tests {
    use openapi_dropshot_server::Setup;
    use petstore_models::NewPet;

    #[tokio::test]
    async fn a_batch_of_writes_is_counted_in_the_histogram_bucket_of_its_size_and_in_all_larger_buckets()
     {
        let url = "sqlite::memory:".parse().expect("a database");
        let store = petstore_store::open(&url).await.expect("a store");
        for _ in 0..3 {
            let pet: NewPet =
                serde_json::from_str(r#"{"name":"Rex","categoryId":7}"#).expect("a new pet");
            store.create_pet(pet).await.expect("created");
        }
        let setup = Setup::new(&crate::INFO, crate::PetStore::new(store));
        let server = crate::bind(setup).expect("a port is free").start();
        let metrics = server.metrics().expect("they are on");
        let text = metrics.text().expect("can be written");
        for line in [
            "petstore_store_batch_size_bucket{le=\"1\"} 3",
            "petstore_store_batch_size_bucket{le=\"256\"} 3",
            "petstore_store_batch_size_bucket{le=\"+Inf\"} 3",
            "petstore_store_batch_size_sum 3",
            "petstore_store_batch_size_count 3",
            "petstore_store_queued_writes 0",
            "petstore_store_connections{state=\"used\"} 0",
            "petstore_store_connections{state=\"idle\"} 1",
            "petstore_store_connections_limit 1",
            "petstore_store_connection_waits_total 0",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}: {text}");
        }
    }
}
