//! Tests the expiry, rate limit, scope and replacement of API keys on PostgreSQL.

use crate::{
    limits::{self, Shop},
    postgres::shared,
    process::Service,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_have_the_same_limits_as_on_sqlite() {
    let Some(cluster) = shared().await else {
        return;
    };
    for test in [
        limits::key_list_shows_the_limits_of_keys,
        limits::an_expired_key_is_rejected,
        limits::a_key_with_the_scope_read_cannot_write,
        limits::a_key_has_its_own_rate_limit,
        limits::a_key_can_be_replaced_by_another_key_with_the_same_name,
        limits::invalid_limits_of_keys_are_rejected,
    ] {
        let database = cluster.database().await;
        let url = database.url().to_string();
        let arguments = ["--database", &url];
        let burst = ["--rate-limit-burst", "3"];
        let service = Service::start_with(&[&arguments[..], &burst].concat());
        test(&Shop {
            service: &service,
            database: &arguments,
        });
    }
}
