//! The tests that every backend of the store must pass. Each test is a function that gets a
//! new store, and runs on each backend at the end of this file.

mod backends;
mod closing;
mod deliveries;
mod events;
mod keys;
mod members;
mod model;
pub(crate) mod once;
mod orders;
mod pages;
mod pets;
mod usage;
mod webhooks;

use crate::fixtures;
use petstore_models::{NewPet, Pet, PetStatus};
use petstore_store::{PetQuery, Store};
use std::sync::Arc;

/// The store that a test gets.
type AnyStore = Arc<dyn Store>;

fn new_pet(name: impl Into<String>, status: Option<PetStatus>) -> NewPet {
    fixtures::new_pet(name, 7, status)
}

async fn create(store: &AnyStore, name: impl Into<String>, status: Option<PetStatus>) -> Pet {
    store
        .create_pet(new_pet(name, status))
        .await
        .expect("a pet is created")
}

/// All pets that match, page by page.
async fn walk(store: &AnyStore, status: Option<PetStatus>, limit: usize) -> Vec<Pet> {
    let mut met = Vec::new();
    let mut after = None;
    loop {
        let page = store
            .list_pets(PetQuery {
                after,
                status,
                ..PetQuery::first(limit)
            })
            .await
            .expect("a page");
        assert!(page.pets.len() <= limit);
        after = page.pets.last().map(|pet| pet.id);
        met.extend(page.pets);
        if !page.more {
            return met;
        }
    }
}

macro_rules! contract {
    ($backend:ident) => {
        mod $backend {
            use crate::contract::{
                backends, closing, deliveries, events, keys, members, model, once, orders, pages, pets, usage,
                webhooks,
            };
            use crate::contract::orders::{clients as order_clients, repeated as repeated_orders};

            contract! {
                $backend:
                closing::a_closed_store_rejects_every_call,
                closing::a_working_store_passes_the_health_check,
                closing::connections_are_counted_while_the_store_is_open,
                closing::writes_are_counted,
                events::a_change_that_is_rejected_or_repeated_has_no_event,
                events::a_cursor_from_another_history_is_rejected_as_reset,
                events::a_new_incarnation_begins_after_changes_without_events,
                events::a_page_after_an_event_number_begins_with_the_next_event_that_still_exists,
                events::an_empty_page_of_some_types_advances_the_position,
                events::each_change_has_its_events_in_order_with_the_new_version,
                events::old_events_are_deleted_first_and_positions_are_never_reused,
                events::pages_of_any_size_contain_each_event_exactly_once,
                events::concurrent_writers_lose_no_event,
                keys::a_key_is_found_by_its_hash_until_it_is_revoked,
                keys::a_key_that_is_revoked_again_keeps_the_time_of_its_first_revocation,
                keys::times_are_stored_in_microseconds,
                keys::a_second_key_with_the_same_id_or_hash_is_rejected,
                keys::an_unknown_key_is_neither_found_nor_revoked,
                keys::keys_are_listed_oldest_first_including_revoked_keys,
                keys::concurrent_creations_of_a_first_key_add_one_key,
                keys::the_limits_of_a_key_are_stored,
                keys::a_first_key_is_not_added_if_any_key_exists,
                keys::two_keys_with_the_same_name_work_until_one_is_revoked,
                members::every_member_of_a_pet_is_stored_and_returned,
                members::every_member_of_an_order_is_stored_and_returned,
                model::any_sequence_of_calls_returns_the_same_as_the_model,
                once::a_retry_after_a_cancelled_call_finds_the_pet,
                once::a_clock_that_is_set_back_loses_no_key_and_duplicates_no_pet,
                once::an_idempotency_key_belongs_to_one_api_key_and_is_case_sensitive,
                once::an_idempotency_key_cannot_be_used_for_another_value,
                once::an_idempotency_key_can_be_used_again_after_its_expiry,
                once::a_repeated_creation_returns_the_first_pet,
                once::concurrent_creations_with_one_key_add_one_pet,
                once::only_expired_idempotency_keys_are_deleted_and_at_most_as_many_as_the_limit,
                order_clients::concurrent_calls_have_the_same_results_as_some_sequential_order,
                repeated_orders::the_idempotency_key_of_a_pet_cannot_be_used_for_an_order,
                repeated_orders::the_idempotency_key_of_a_rejected_order_can_be_used_again,
                repeated_orders::a_repeated_order_returns_the_order_as_it_was_placed,
                orders::the_update_time_of_an_order_never_goes_back,
                orders::paging_returns_every_earlier_order_once_while_others_are_placed,
                orders::a_placed_order_is_returned_and_reserves_its_pet,
                orders::allowed_transitions_change_order_and_pet_and_others_change_nothing,
                orders::only_one_of_many_concurrent_orders_for_one_pet_is_placed,
                orders::only_one_of_many_concurrent_transitions_of_an_order_succeeds,
                orders::only_a_pet_that_is_available_can_be_ordered,
                orders::pages_of_orders_begin_with_the_newest_and_keep_their_filters,
                pages::a_status_filter_returns_only_pets_with_that_status,
                pages::a_page_ends_before_it_becomes_too_large,
                pages::a_page_may_begin_after_any_id,
                pages::a_page_says_whether_more_pets_follow,
                pages::paging_returns_every_earlier_pet_once_while_others_are_added,
                pages::an_empty_store_has_an_empty_page,
                pages::names_of_every_length_are_returned_in_pages_of_a_status,
                pets::a_pet_is_returned_as_it_was_added,
                pets::a_created_pet_is_visible_to_every_caller,
                pets::no_pet_is_found_for_an_unknown_id,
                pets::any_name_is_returned_unchanged,
                pets::categories_can_have_every_value_of_int64,
                pets::ids_begin_at_one_and_ascend,
                pets::pets_that_are_added_concurrently_have_different_ids,
                usage::the_last_use_of_a_key_is_stored,
                usage::the_time_since_which_an_operation_is_counted_is_not_overwritten,
                usage::calls_are_added_up_and_the_first_and_last_times_are_kept,
                usage::calls_are_counted_by_day_and_old_days_are_deleted,
                usage::usage_counters_are_sorted_by_operation_and_then_by_the_time_of_the_last_call,
                usage::concurrent_usage_is_counted_exactly_once,
                usage::usage_of_unknown_keys_is_not_returned,
                deliveries::a_claim_skips_busy_endpoints_and_separates_failing_endpoints,
                webhooks::a_deleted_endpoint_has_no_deliveries,
                deliveries::a_delivery_is_claimed_again_when_its_lease_has_ended,
                deliveries::a_revoked_or_expired_key_gets_no_deliveries,
                webhooks::an_endpoint_is_returned_as_it_was_created_and_changed,
                webhooks::an_endpoint_gets_the_events_of_its_types_after_it_was_enabled,
                webhooks::an_endpoint_with_many_deliveries_is_deleted,
                deliveries::concurrent_claims_return_each_delivery_once,
                deliveries::a_single_delivery_or_all_deliveries_of_a_period_can_be_sent_again,
                webhooks::endpoints_of_a_key_are_listed_oldest_first,
                webhooks::only_one_of_many_callers_at_one_position_creates_the_deliveries,
                deliveries::old_deliveries_are_deleted_up_to_the_limit,
                deliveries::pages_of_deliveries_begin_with_the_newest_and_keep_their_filter,
                deliveries::the_result_of_a_delivery_is_stored_and_updates_the_state_of_the_endpoint,
                webhooks::the_limit_of_endpoints_is_exact_under_concurrent_creations,
                deliveries::the_other_enabled_endpoints_of_the_key_get_a_message_when_one_is_disabled,
                webhooks::an_endpoint_that_was_not_enabled_for_a_time_knows_the_events_that_it_missed,
                deliveries::the_statistics_count_deliveries_and_endpoints,
            }
        }
    };
    ($backend:ident: $($module:ident::$test:ident,)*) => {$(
        // Several threads, so that calls really run at the same time.
        #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
        async fn $test() {
            let Some(backend) = backends::$backend().await else { return };
            $module::$test(backend.store()).await;
            backend.end().await;
        }
    )*};
}

contract!(sqlite_file);
contract!(sqlite_memory);
contract!(postgres);
