//! The tests that every backend of the store must pass. Each is a function over a
//! new store, and runs on each of the backends named at the end of this file.

mod backends;
mod closing;
mod events;
mod keys;
mod members;
mod model;
pub(crate) mod once;
mod orders;
mod pages;
mod pets;
mod usage;

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
                backends, closing, events, keys, members, model, once, orders, pages, pets, usage,
            };
            use crate::contract::orders::{clients as order_clients, repeated as repeated_orders};

            contract! {
                $backend:
                closing::a_closed_store_rejects_everything,
                closing::a_store_that_works_passes_its_check,
                closing::its_connections_are_counted_while_it_is_open,
                closing::writes_are_counted,
                events::a_change_that_is_rejected_or_repeated_has_no_event,
                events::a_cursor_of_another_history_is_reset,
                events::a_feed_begins_anew_after_changes_without_events,
                events::a_page_of_some_types_moves_on_although_it_is_empty,
                events::each_change_has_its_events_in_order_with_the_new_version,
                events::old_events_are_deleted_from_the_beginning_and_no_position_is_used_again,
                events::pages_of_any_size_have_each_event_once,
                events::writers_at_once_lose_no_event,
                keys::a_key_is_found_by_its_hash_until_it_is_revoked,
                keys::a_revoked_key_keeps_its_first_time,
                keys::a_time_comes_back_to_the_microsecond,
                keys::an_id_and_a_hash_are_taken_once,
                keys::an_unknown_key_is_neither_found_nor_revoked,
                keys::keys_are_listed_oldest_first_with_the_revoked,
                keys::of_many_first_keys_one_is_made,
                keys::the_limits_of_a_key_are_kept,
                keys::there_is_no_second_first_key,
                keys::two_keys_of_one_name_work_until_one_is_revoked,
                members::every_member_of_a_pet_comes_back_by_every_way,
                members::every_member_of_an_order_comes_back_by_every_way,
                model::any_calls_return_what_a_list_would,
                once::a_caller_who_leaves_finds_the_pet_when_it_asks_again,
                once::a_clock_that_jumps_back_neither_loses_a_key_nor_doubles_a_pet,
                once::a_key_belongs_to_its_api_key_and_to_its_letters,
                once::a_key_is_for_one_value,
                once::a_key_is_kept_for_its_time_and_then_free,
                once::a_repeated_creation_returns_the_first_pet,
                once::of_creations_at_once_with_one_key_one_adds,
                once::old_keys_are_deleted_a_few_at_a_time_and_no_other,
                order_clients::any_calls_of_several_clients_return_what_calls_one_after_the_other_would,
                repeated_orders::a_key_of_a_pet_is_none_for_an_order,
                repeated_orders::a_rejected_order_leaves_its_key_free,
                repeated_orders::a_repeated_order_returns_it_as_it_was_placed,
                orders::a_clock_that_goes_back_moves_no_order_back,
                orders::a_walk_meets_every_earlier_order_once_while_others_are_placed,
                orders::an_order_comes_back_as_it_was_placed_and_takes_its_pet,
                orders::each_step_changes_order_and_pet_and_every_other_is_rejected_and_changes_nothing,
                orders::of_many_orders_for_one_pet_at_once_one_is_placed,
                orders::of_many_steps_of_one_order_at_once_one_is_taken,
                orders::only_a_pet_that_is_available_can_be_ordered,
                orders::pages_of_orders_begin_with_the_newest_and_keep_their_filters,
                pages::a_filter_keeps_what_has_that_status,
                pages::a_page_ends_before_it_becomes_too_large,
                pages::a_page_may_begin_anywhere,
                pages::a_page_says_whether_there_are_more,
                pages::a_walk_meets_every_earlier_pet_once_while_others_are_added,
                pages::an_empty_store_has_an_empty_page,
                pages::names_of_every_length_come_back_in_pages_of_a_status,
                pets::a_pet_comes_back_as_it_was_added,
                pets::a_created_pet_is_there_for_every_caller,
                pets::an_unknown_id_finds_nothing,
                pets::any_name_comes_back_byte_for_byte,
                pets::categories_reach_both_ends_of_int64,
                pets::ids_begin_at_one_and_ascend,
                pets::pets_added_at_once_have_ids_of_their_own,
                usage::a_key_shows_when_it_was_used_last,
                usage::an_operation_is_counted_since_the_first_time_that_was_stored,
                usage::calls_add_up_between_the_first_and_the_last,
                usage::calls_count_for_their_day_and_old_days_are_deleted,
                usage::usage_counters_are_sorted_by_operation_and_the_latest_caller,
                usage::usage_that_is_added_at_once_is_counted_once_each,
                usage::what_concerns_no_key_of_the_store_is_not_shown,
            }
        }
    };
    ($backend:ident: $($module:ident::$test:ident,)*) => {$(
        // Several threads, so that calls really meet in the store.
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
