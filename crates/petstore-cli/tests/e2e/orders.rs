//! Tests `orders list`, `place`, `get` and `update`, and their exit codes.

use crate::{program::User, relay::Relay, service::Service};
use serde_json::Value;

/// Adds a pet that can be ordered, and returns its id as an argument.
fn pet(user: &User) -> String {
    let add = ["pets", "add", "--name", "Rex", "--category-id", "7"];
    let finished = user.run(&[&add[..], &["--status", "available"]].concat());
    finished.json(0)["id"].to_string()
}

/// Adds a pet and an order for it; returns the id of the order.
fn placed(user: &User) -> i64 {
    let finished = user.run(&["orders", "place", &pet(user)]).json(0);
    finished["id"].as_i64().expect("an id")
}

/// Returns the ids of the listed orders, and the text on stderr.
fn listed(user: &User, arguments: &[&str]) -> (Vec<i64>, String) {
    let finished = user.run(&[&["orders", "list"], arguments].concat());
    let orders = finished.json(0);
    let orders = orders.as_array().expect("an array").iter();
    let ids = orders.map(|order| order["id"].as_i64().expect("an id"));
    (ids.collect(), finished.err)
}

fn after(word: &str, text: &str) -> String {
    let mut words = text.split_whitespace().skip_while(|found| *found != word);
    let next = words.nth(1).map(|next| next.trim_end_matches(';'));
    next.unwrap_or_else(|| panic!("nothing after {word} in {text}"))
        .to_owned()
}

fn status(user: &User, what: &str) -> Vec<Value> {
    let all = user.run(&[what, "list", "--all"]).json(0);
    let all = all.as_array().expect("an array").iter();
    all.map(|one| one["status"].clone()).collect()
}

#[test]
fn an_order_is_placed_fetched_and_changed_with_its_pet() {
    let service = Service::start();
    let user = User::of(&service);
    let pet = pet(&user);
    let finished = user.run(&["orders", "place", &pet]);
    let order = finished.json(0);
    assert_eq!(finished.err, "");
    assert_eq!(
        (&order["id"], &order["petId"], &order["status"]),
        (&1.into(), &1.into(), &"placed".into())
    );
    assert_eq!(order["placedAt"], order["updatedAt"]);
    assert_eq!(
        user.run(&["orders", "get", "1"]).stdout_of(0),
        finished.stdout_of(0)
    );
    assert_eq!(status(&user, "pets"), ["pending"]);
    for (next, its_pet) in [("approved", "pending"), ("delivered", "sold")] {
        let finished = user.run(&["orders", "update", "1", "--status", next]);
        assert_eq!(finished.json(0)["status"], next);
        assert_eq!(finished.err, "");
        assert_eq!(status(&user, "pets"), [its_pet]);
    }
}

#[test]
fn a_pet_is_ordered_once_until_its_order_is_cancelled() {
    let service = Service::start();
    let user = User::of(&service);
    let pet = pet(&user);
    let place = ["orders", "place", &pet];
    user.run(&place).stdout_of(0);
    let refused = user.run(&place);
    assert_eq!(refused.stdout_of(3), "");
    refused.reports(&[
        "error: the order was not placed: ",
        "409 pet_not_available",
        "order another one",
    ]);
    assert_eq!(refused.err.lines().count(), 1, "{}", refused.err);
    user.run(&["orders", "update", "1", "--status", "cancelled"])
        .stdout_of(0);
    assert_eq!(user.run(&place).json(0)["id"], 2);
}

#[test]
fn an_invalid_transition_is_rejected_and_changes_nothing() {
    let service = Service::start();
    let user = User::of(&service);
    placed(&user);
    let before = user.run(&["orders", "get", "1"]);
    for next in ["placed", "delivered"] {
        let refused = user.run(&["orders", "update", "1", "--status", next]);
        assert_eq!(refused.stdout_of(3), "");
        refused.reports(&[
            &format!("error: cannot change the status of the order 1 to {next}: "),
            "409 invalid_transition",
        ]);
        assert_eq!(refused.err.lines().count(), 1, "{}", refused.err);
    }
    assert_eq!(
        user.run(&["orders", "get", "1"]).stdout_of(0),
        before.stdout_of(0)
    );
}

#[test]
fn a_missing_pet_or_order_has_its_own_exit_code() {
    let service = Service::start();
    let user = User::of(&service);
    for (arguments, words) in [
        (&["orders", "place", "99"][..], "the order was not placed"),
        (&["orders", "place", "-99"], "the order was not placed"),
        (&["orders", "get", "99"], "cannot fetch the order 99"),
        (
            &["orders", "update", "99", "--status", "approved"],
            "cannot change the status of the order 99 to approved",
        ),
    ] {
        let finished = user.run(arguments);
        assert_eq!(finished.stdout_of(6), "", "{arguments:?}");
        finished.reports(&[words, "404 not_found"]);
    }
    assert_eq!(user.run(&["orders", "list"]).stdout_of(0), "[]\n");
}

#[test]
fn orders_are_listed_by_status_and_by_pet_the_newest_first() {
    let service = Service::start();
    let user = User::of(&service);
    for _ in 0..3 {
        placed(&user);
    }
    user.run(&["orders", "update", "2", "--status", "cancelled"])
        .stdout_of(0);
    user.run(&["orders", "place", "2"]).stdout_of(0);
    let ids = |arguments: &[&str]| listed(&user, arguments).0;
    assert_eq!(ids(&[]), [4, 3, 2, 1]);
    assert_eq!(ids(&["--status", "placed"]), [4, 3, 1]);
    assert_eq!(ids(&["--pet", "2"]), [4, 2]);
    assert_eq!(ids(&["--pet", "2", "--status", "cancelled"]), [2]);
    assert_eq!(ids(&["--pet", "-2"]), [0; 0]);
}

#[test]
fn a_page_of_orders_shows_the_next_cursor_and_the_option_all_lists_every_page() {
    let service = Service::start();
    let user = User::of(&service);
    for _ in 0..5 {
        placed(&user);
    }
    let (first, finished) = listed(&user, &["--limit", "2"]);
    assert_eq!(first, [5, 4]);
    let cursor = after("--cursor", &finished);
    let (next, _) = listed(&user, &["--limit", "2", "--cursor", &cursor]);
    assert_eq!(next, [3, 2]);
    for (arguments, ids) in [
        (&["--limit", "2", "--all"][..], &[5, 4, 3, 2, 1][..]),
        (&["--all"], &[5, 4, 3, 2, 1]),
        (&["--all", "--cursor", &cursor], &[3, 2, 1]),
    ] {
        assert_eq!(listed(&user, arguments), (ids.to_vec(), String::new()));
    }
}

#[test]
fn a_table_has_a_row_for_each_order() {
    let service = Service::start();
    let user = User::of(&service);
    placed(&user);
    let order = user.run(&["orders", "get", "1"]).json(0);
    let at = order["placedAt"].as_str().expect("a time");
    let at = &at[.."2026-11-21T12:00:00".len()];
    let table = format!(
        "ID  STATUS          PET  PLACED                UPDATED\n \
         1  placed            1  {at}Z  {at}Z\n"
    );
    for command in [&["orders", "list"][..], &["orders", "get", "1"]] {
        let finished = user.run(&[command, &["--output", "table"]].concat());
        assert_eq!(finished.stdout_of(0), table);
    }
}

#[test]
fn invalid_order_arguments_are_reported_before_anything_is_sent() {
    let service = Service::start();
    let user = User::of(&service);
    for (arguments, words) in [
        (&["orders", "list", "--limit", "101"][..], "from 1 to 100"),
        (&["orders", "list", "--cursor", ""], "`cursor`"),
        (&["orders", "list", "--status", "sold"], "delivered"),
        (&["orders", "list", "--pet", "Rex"], "Rex"),
        (&["orders", "place"], "PET_ID"),
        (
            &["orders", "place", "1", "--idempotency-key", ""],
            "`Idempotency-Key`",
        ),
        (&["orders", "update", "1"], "--status"),
        (&["orders", "get", "Rex"], "Rex"),
    ] {
        let finished = user.run(arguments);
        assert_eq!(finished.stdout_of(2), "", "{arguments:?}");
        finished.reports(&[words]);
    }
}

#[test]
fn an_order_whose_response_was_lost_is_placed_only_once_if_the_printed_key_is_used_again() {
    let service = Service::start();
    let mut user = User::of(&service);
    let pet = pet(&user);
    let relay = Relay::before(&service.url);
    user.url.clone_from(&relay.url);
    relay.lose(true);
    let lost = user.run(&["orders", "place", &pet]);
    assert_eq!(lost.stdout_of(75), "");
    lost.reports(&[
        "the order may have been placed",
        "not placed, as far as the program knows",
    ]);
    let key = after("--idempotency-key", &lost.err);
    relay.lose(false);
    let finished = user.run(&["orders", "place", &pet, "--idempotency-key", &key]);
    assert_eq!(finished.json(0)["id"], 1);
    assert_eq!(status(&user, "orders"), ["placed"]);
}

#[test]
fn a_change_whose_response_was_lost_is_visible_in_its_order() {
    let service = Service::start();
    let mut user = User::of(&service);
    placed(&user);
    let relay = Relay::before(&service.url);
    user.url.clone_from(&relay.url);
    relay.lose(true);
    let lost = user.run(&["orders", "update", "1", "--status", "approved"]);
    assert_eq!(lost.stdout_of(75), "");
    lost.reports(&["may have become approved; `petstore orders get 1`"]);
    relay.lose(false);
    assert_eq!(
        user.run(&["orders", "get", "1"]).json(0)["status"],
        "approved"
    );
}
