//! Which crate may know which: the arrows of `crates/README.md`.

use crate::{Copy, assert_kept, assert_seen, crates_and_sources::House};
use std::collections::{BTreeMap, BTreeSet};

/// Each crate, the crates of the workspace it depends on, and those that only
/// its tests need.
const ARROWS: &[(&str, &[&str], &[&str])] = &[
    (
        "bookmarks",
        &["openapi-dropshot-contract", "openapi-dropshot"],
        &[],
    ),
    ("openapi-dropshot-contract", &[], &[]),
    ("openapi-dropshot", &["openapi-dropshot-contract"], &[]),
    ("petstore-api", &["petstore-models"], &[]),
    (
        "petstore-bench",
        &[
            "openapi-dropshot-contract",
            "openapi-dropshot",
            "petstore-client",
        ],
        &[],
    ),
    ("petstore-cli", &["petstore-client"], &[]),
    ("petstore-client", &[], &[]),
    (
        "petstore-examples",
        &["petstore-client"],
        &["petstore-testing"],
    ),
    ("petstore-models", &[], &[]),
    (
        "petstore-server",
        &["petstore-api", "petstore-models", "petstore-store"],
        &["petstore-client"],
    ),
    ("petstore-store", &["petstore-models"], &[]),
    (
        "petstore-testing",
        &["petstore-client", "petstore-server", "petstore-store"],
        &[],
    ),
    (
        "xtask",
        &["openapi-dropshot-contract", "openapi-dropshot"],
        &[],
    ),
];

/// The one crate that knows both sides.
const SERVER: &str = "petstore-server";

/// Everything that talks to a database.
const STORAGE: &[&str] = &["petstore-store", "rusqlite", "sqlx", "tokio-postgres"];

/// What a client never needs: what the service is made of.
const SERVER_SIDE: &[&str] = &[
    "dropshot",
    "petstore-api",
    "petstore-models",
    "petstore-server",
    "petstore-store",
];

fn arrows_are_those_of_the_code_map(house: &House) -> Vec<String> {
    let mut faults = Vec::new();
    for name in house.crates.keys() {
        let Some((_, uses, tests_use)) = ARROWS.iter().find(|(crate_name, ..)| crate_name == name)
        else {
            faults.push(format!(
                "{name} is new: say what it may depend on in ARROWS ({}) and in crates/README.md",
                file!()
            ));
            continue;
        };
        for (allowed, only_for_tests) in [(uses, false), (tests_use, true)] {
            let found = members_used_by(house, name, only_for_tests);
            let allowed: BTreeSet<&str> = allowed.iter().copied().collect();
            for extra in found.difference(&allowed) {
                faults.push(format!(
                    "{name} depends on {extra}{}, which no arrow allows: \
                     move the code to the crate that may know both, or draw the arrow in crates/README.md and in {}",
                    if only_for_tests { " in its tests" } else { "" },
                    file!(),
                ));
            }
            for missing in allowed.difference(&found) {
                faults.push(format!(
                    "{name} no longer depends on {missing}: take the arrow out of crates/README.md and of {}",
                    file!()
                ));
            }
        }
    }
    faults
}

fn members_used_by<'h>(house: &'h House, name: &str, only_for_tests: bool) -> BTreeSet<&'h str> {
    let dependencies = house.crates[name].dependencies.iter();
    dependencies
        .filter(|dependency| dependency.only_for_tests == only_for_tests)
        .map(|dependency| dependency.name.as_str())
        .filter(|dependency| house.crates.contains_key(*dependency))
        .collect()
}

fn xtask_reaches_no_generated_code(house: &House) -> Vec<String> {
    let reach = house.reach("xtask");
    let generated = house.generated_crates();
    let reached = reach.intersection(&generated);
    reached
        .map(|name| {
            format!(
                "xtask depends on {name}, which holds generated code: broken output could not be generated again; \
                 move what xtask needs of it to a crate without generated code"
            )
        })
        .collect()
}

fn only_the_server_knows_dropshot_and_storage(house: &House) -> Vec<String> {
    let know_both: BTreeMap<&str, &str> = house
        .crates
        .keys()
        .filter(|name| *name != SERVER)
        .filter_map(|name| {
            // Who stands on the server as a whole needs to know neither.
            let reach = house.reach_past(name, Some(SERVER));
            let mut storage = STORAGE.iter();
            let storage = storage.find(|storage| reach.contains(*storage) || name == *storage)?;
            reach
                .contains("dropshot")
                .then_some((name.as_str(), *storage))
        })
        .collect();
    know_both
        .iter()
        // Where it begins: who depends on such a crate is not at fault.
        .filter(|(name, _)| {
            let mut used = house.crates[**name].dependencies.iter();
            !used.any(|used| know_both.contains_key(used.name.as_str()))
        })
        .map(|(name, storage)| {
            format!(
                "{name} knows both dropshot and {storage}: only petstore-server may; \
                 move what needs both there"
            )
        })
        .collect()
}

fn the_client_knows_nothing_of_the_server(house: &House) -> Vec<String> {
    let reach = house.reach("petstore-client");
    let reached = SERVER_SIDE.iter().filter(|name| reach.contains(*name));
    reached
        .map(|name| {
            format!(
                "petstore-client depends on {name}: it is published alone and knows the service by its document only; \
                 put tests that need both into crates/petstore-server/tests"
            )
        })
        .collect()
}

fn models_and_client_always_have_chrono_and_uuid(house: &House) -> Vec<String> {
    let mut faults = Vec::new();
    for name in ["petstore-models", "petstore-client"] {
        for needed in ["chrono", "uuid"] {
            let has = house.crates.get(name).is_some_and(|member| {
                let mut dependencies = member.dependencies.iter();
                dependencies
                    .any(|found| found.name == needed && !found.optional && !found.only_for_tests)
            });
            if !has {
                faults.push(format!(
                    "{name} does not always depend on {needed}: the generator edits no Cargo.toml, so a date or a uuid \
                     in the document would not compile; put `{needed}.workspace = true` under its [dependencies]"
                ));
            }
        }
    }
    faults
}

#[test]
fn the_crates_depend_on_each_other_as_the_code_map_says() {
    assert_kept(arrows_are_those_of_the_code_map);
}

#[test]
fn an_arrow_that_nobody_drew_is_seen() {
    let broken = Copy::of_the_house().with_dependency(
        "crates/petstore-models/Cargo.toml",
        "openapi-dropshot-contract.workspace = true",
    );
    assert_seen(
        arrows_are_those_of_the_code_map,
        &broken,
        &[
            "petstore-models depends on openapi-dropshot-contract",
            "no arrow allows",
        ],
    );
}

#[test]
fn an_arrow_that_is_gone_is_seen() {
    let broken = Copy::of_the_house().replacing(
        "crates/petstore-store/Cargo.toml",
        "petstore-models.workspace = true\n",
        "",
    );
    assert_seen(
        arrows_are_those_of_the_code_map,
        &broken,
        &["petstore-store no longer depends on petstore-models"],
    );
}

#[test]
fn a_crate_without_a_place_in_the_code_map_is_seen() {
    let broken = Copy::of_the_house()
        .with(
            "crates/petstore-extra/Cargo.toml",
            "[package]\nname = \"petstore-extra\"\nversion = \"1.0.0\"\nedition = \"2024\"\n",
        )
        .with("crates/petstore-extra/src/lib.rs", "//! Extra.\n");
    assert_seen(
        arrows_are_those_of_the_code_map,
        &broken,
        &["petstore-extra is new"],
    );
}

#[test]
fn xtask_depends_on_no_crate_that_holds_generated_code() {
    assert_kept(xtask_reaches_no_generated_code);
}

#[test]
fn generated_code_behind_the_generator_is_seen() {
    let broken = Copy::of_the_house().with_dependency(
        "crates/openapi-dropshot/Cargo.toml",
        "petstore-models.workspace = true",
    );
    assert_seen(
        xtask_reaches_no_generated_code,
        &broken,
        &["xtask depends on petstore-models"],
    );
}

#[test]
fn generated_code_in_the_tests_of_xtask_is_seen() {
    let broken = Copy::of_the_house().replacing(
        "xtask/Cargo.toml",
        "[dev-dependencies]\n",
        "[dev-dependencies]\npetstore-client.workspace = true\n",
    );
    assert_seen(
        xtask_reaches_no_generated_code,
        &broken,
        &["xtask depends on petstore-client"],
    );
}

#[test]
fn only_petstore_server_knows_both_dropshot_and_storage() {
    assert_kept(only_the_server_knows_dropshot_and_storage);
}

#[test]
fn dropshot_in_the_store_is_seen() {
    let broken = Copy::of_the_house().with_dependency(
        "crates/petstore-store/Cargo.toml",
        "dropshot.workspace = true",
    );
    assert_seen(
        only_the_server_knows_dropshot_and_storage,
        &broken,
        &["petstore-store knows both"],
    );
}

#[test]
fn dropshot_in_the_service_for_tests_is_seen() {
    let broken = Copy::of_the_house().with_dependency(
        "crates/petstore-testing/Cargo.toml",
        "dropshot.workspace = true",
    );
    assert_seen(
        only_the_server_knows_dropshot_and_storage,
        &broken,
        &["petstore-testing knows both dropshot and petstore-store"],
    );
}

#[test]
fn a_database_beside_the_trait_is_seen() {
    let broken = Copy::of_the_house().with_dependency(
        "crates/petstore-api/Cargo.toml",
        "rusqlite.workspace = true",
    );
    assert_seen(
        only_the_server_knows_dropshot_and_storage,
        &broken,
        &["petstore-api knows both dropshot and rusqlite"],
    );
}

#[test]
fn petstore_client_depends_on_nothing_of_the_server() {
    assert_kept(the_client_knows_nothing_of_the_server);
}

#[test]
fn a_server_crate_in_the_client_is_seen() {
    let broken = Copy::of_the_house().with_dependency(
        "crates/petstore-client/Cargo.toml",
        "petstore-models.workspace = true",
    );
    assert_seen(
        the_client_knows_nothing_of_the_server,
        &broken,
        &["petstore-client depends on petstore-models"],
    );
}

#[test]
fn models_and_client_depend_on_chrono_and_uuid() {
    assert_kept(models_and_client_always_have_chrono_and_uuid);
}

#[test]
fn a_client_without_uuid_is_seen() {
    let broken = Copy::of_the_house().replacing(
        "crates/petstore-client/Cargo.toml",
        "uuid.workspace = true\n",
        "",
    );
    assert_seen(
        models_and_client_always_have_chrono_and_uuid,
        &broken,
        &["petstore-client does not always depend on uuid"],
    );
}
