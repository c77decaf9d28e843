//! One door: the running server has no routes of its own, so that no request
//! passes by `crates/petstore-server/src/door`. What the door does with a
//! request is shown by the server's own tests.

use crate::{
    Copy, assert_kept, assert_seen,
    crates_and_sources::{ANOTHER_SERVICE, House, Source},
    tokens::{is_test, words},
};

/// Where requests enter.
const DOOR: &str = "crates/petstore-server/src/door";

/// The only other listener: health and metrics, no operation.
const ADMIN: &str = "crates/petstore-server/src/admin";

/// What dropshot offers to give a listener its routes.
const OPENS: [&str; 5] = [
    "ApiDescription",
    "ApiEndpoint",
    "api_description",
    "channel",
    "endpoint",
];

/// The only path that is registered: it takes every request.
const CATCH_ALL: &str = "\"/{rest:.*}\"";

fn every_request_enters_by_the_door(house: &House) -> Vec<String> {
    let mut faults = Vec::new();
    let knows_dropshot = |name: &&String| {
        house.crates[*name]
            .dependencies
            .iter()
            .any(|used| used.name == "dropshot")
    };
    let of_the_pet_store = |name: &&String| *name != ANOTHER_SERVICE;
    let names = house.crates.keys().filter(of_the_pet_store);
    for name in names.filter(knows_dropshot) {
        let sources = house.sources(&format!("{}/src", house.crates[name].folder));
        for source in sources
            .iter()
            .filter(|source| !source.is_generated() && !is_door(source) && !is_test(source))
        {
            let words = words(source);
            // The same words mean other things elsewhere; whoever hands
            // dropshot's on names it, and is seen there.
            if !words.iter().any(|word| word == "dropshot") {
                continue;
            }
            if let Some(word) = words.iter().find(|word| OPENS.contains(&word.as_str())) {
                faults.push(format!(
                    "{} uses dropshot's `{word}`: a request could pass by the door; \
                     add the operation to spec/openapi.yaml, or the route to {DOOR}",
                    source.path
                ));
            }
        }
    }
    faults
}

fn is_door(source: &Source) -> bool {
    source
        .path
        .strip_prefix(DOOR)
        .is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
}

fn the_door_registers_catch_all_routes_only(house: &House) -> Vec<String> {
    let mut faults = Vec::new();
    let mut registers = false;
    for source in house
        .sources("crates/petstore-server/src")
        .iter()
        .filter(|source| is_door(source))
    {
        let words = words(source);
        registers |= words.iter().any(|word| word == CATCH_ALL);
        for path in words
            .iter()
            .filter(|word| word.starts_with("\"/") && word.contains('{') && *word != CATCH_ALL)
        {
            faults.push(format!(
                "{} has the route {path}: the door registers {CATCH_ALL} for every method and finds operations in the \
                 router of petstore-api",
                source.path
            ));
        }
    }
    if !registers {
        faults.push(format!(
            "{DOOR} does not register {CATCH_ALL}: no request would reach the door"
        ));
    }
    faults
}

fn the_admin_listener_serves_no_operation(house: &House) -> Vec<String> {
    let mut faults = Vec::new();
    for source in house.sources("crates/petstore-server/src") {
        let (path, words) = (&source.path, words(&source));
        let uses = |name: &str| words.iter().any(|word| word == name);
        let is_admin = path.starts_with(&format!("{ADMIN}/"));
        if is_admin && (uses("petstore_api") || uses("dropshot")) {
            faults.push(format!(
                "{path} knows the API: the listener of {ADMIN} serves health and metrics; operations enter by {DOOR}"
            ));
        }
        if !is_admin && uses("serve_connection") {
            faults.push(format!(
                "{path} answers connections by itself: a request could pass by {DOOR}"
            ));
        }
    }
    faults
}

#[test]
fn every_request_enters_by_one_door() {
    assert_kept(every_request_enters_by_the_door);
}

#[test]
fn a_listener_beside_the_door_is_seen() {
    let broken = Copy::of_the_house().with(
        "crates/petstore-server/src/side_entrance.rs",
        "//! A shortcut.\n\npub(crate) fn open() {\n    dropshot::ApiDescription::<()>::new();\n}\n",
    );
    assert_seen(
        every_request_enters_by_the_door,
        &broken,
        &["crates/petstore-server/src/side_entrance.rs uses dropshot's `ApiDescription`"],
    );
}

#[test]
fn the_door_takes_every_path() {
    assert_kept(the_door_registers_catch_all_routes_only);
}

#[test]
fn a_route_beside_the_catch_all_is_seen() {
    let broken = Copy::of_the_house().with(
        "crates/petstore-server/src/door/side_entrance.rs",
        "//! A shortcut.\n\nconst ROUTE: &str = \"/pets/{petId}\";\n",
    );
    assert_seen(
        the_door_registers_catch_all_routes_only,
        &broken,
        &["has the route \"/pets/{petId}\""],
    );
}

#[test]
fn beside_the_door_there_are_health_and_metrics_only() {
    assert_kept(the_admin_listener_serves_no_operation);
}

#[test]
fn an_operation_on_the_admin_listener_is_seen() {
    let broken = Copy::of_the_house().with(
        "crates/petstore-server/src/admin/pets.rs",
        "//! A shortcut.\n\nuse petstore_api::OPERATIONS;\n",
    );
    assert_seen(
        the_admin_listener_serves_no_operation,
        &broken,
        &["crates/petstore-server/src/admin/pets.rs knows the API"],
    );
}

#[test]
fn a_second_listener_for_anything_is_seen() {
    let broken = Copy::of_the_house().with(
        "crates/petstore-server/src/side_entrance.rs",
        "//! A shortcut.\n\nfn open() { http1::Builder::new().serve_connection((), ()); }\n",
    );
    assert_seen(
        the_admin_listener_serves_no_operation,
        &broken,
        &["crates/petstore-server/src/side_entrance.rs answers connections by itself"],
    );
}
