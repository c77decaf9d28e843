//! What the two `openapi-*` crates are: the only place where schemas become
//! Rust, pure, and for any service.

use crate::{
    Copy, assert_kept, assert_seen,
    crates_and_sources::{ANOTHER_SERVICE, House},
    tokens::{is_template, is_test, words},
};

/// The crates for any spec-first service.
const GENERAL: [&str; 2] = ["openapi-dropshot-contract", "openapi-dropshot"];

/// Libraries that make Rust.
const MAKERS_OF_RUST: [&str; 10] = [
    "genco",
    "prettyplease",
    "progenitor",
    "progenitor-impl",
    "progenitor-macro",
    "proc-macro2-diagnostics",
    "quote",
    "typify",
    "typify-impl",
    "typify-macro",
];

/// Ways to learn something that is not in the document, or to leave a trace:
/// modules of std, what they and other crates call the clock and the network,
/// and crates that are for nothing else.
const IMPURE_MODULES: [&str; 6] = ["env", "fs", "os", "process", "thread", "time"];
const IMPURE_NAMES: [&str; 8] = [
    "Instant",
    "SystemTime",
    "TcpListener",
    "TcpStream",
    "ToSocketAddrs",
    "UdpSocket",
    "new_v4",
    "now",
];
const IMPURE_CRATES: [&str; 6] = [
    "getrandom",
    "rand",
    "reqwest",
    "tempfile",
    "tokio",
    "walkdir",
];

/// Collections that are walked in another order in every process. Reading a
/// document only asks them whether something is there; what writes code walks.
const WITHOUT_ORDER: [&str; 2] = ["HashMap", "HashSet"];

fn only_the_generator_turns_schemas_into_rust(house: &House) -> Vec<String> {
    let mut faults = Vec::new();
    for (name, member) in &house.crates {
        let mut used = member
            .dependencies
            .iter()
            .filter(|used| MAKERS_OF_RUST.contains(&used.name.as_str()));
        if let (true, Some(used)) = (name != "openapi-dropshot", used.next()) {
            faults.push(format!(
                "{name} depends on {}: only openapi-dropshot turns schemas into Rust; \
                 let it make what is needed and commit it under src/generated",
                used.name
            ));
        }
        if member.has_build_script && name != ANOTHER_SERVICE {
            faults.push(format!(
                "{name} has a build script: code that nobody reviewed could come from it; \
                 generate with openapi-dropshot, or compute at run time"
            ));
        }
    }
    faults
}

fn reader_and_generator_are_pure(house: &House) -> Vec<String> {
    let mut faults = Vec::new();
    for name in GENERAL {
        let Some(member) = house.crates.get(name) else {
            continue;
        };
        for used in member
            .dependencies
            .iter()
            .filter(|used| !used.only_for_tests)
        {
            if IMPURE_CRATES.contains(&used.name.as_str()) {
                faults.push(format!(
                    "{name} depends on {}: the same document would not always give the same bytes; \
                     take what it is for as an argument, and let xtask get it",
                    used.name
                ));
            }
        }
        for source in house
            .sources(&format!("{}/src", member.folder))
            .iter()
            .filter(|source| !is_test(source) && !is_template(source))
        {
            let words = words(source);
            for impure in impure_words(&words) {
                faults.push(format!(
                    "{} uses `{impure}`: the same document would not always give the same bytes; \
                     take what it is for as an argument, and let xtask get it",
                    source.path
                ));
            }
            let without_order = WITHOUT_ORDER
                .iter()
                .find(|name| words.iter().any(|word| word == *name));
            if let (true, Some(collection)) = (name == "openapi-dropshot", without_order) {
                faults.push(format!(
                    "{} uses `{collection}`: the same document would not always give the same bytes; \
                     use a collection with an order (BTreeMap, IndexMap)",
                    source.path
                ));
            }
        }
    }
    faults
}

fn impure_words(words: &[String]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if IMPURE_NAMES.contains(&word.as_str()) {
            found.push(word.clone());
        }
        if word == "std" && words[at + 1..].iter().take(2).eq([":", ":"]) {
            found.extend(impure_modules(&words[at + 3..]));
        }
    }
    found.sort();
    found.dedup();
    found
}

/// The modules that follow `std::`: one name in a path, several in a list.
fn impure_modules(after_std: &[String]) -> impl Iterator<Item = String> {
    let length = match after_std.first().map(String::as_str) {
        Some("{") => length_of_list(after_std),
        _ => 1,
    };
    let meant = after_std.iter().take(length);
    meant
        .filter(|word| IMPURE_MODULES.contains(&word.as_str()))
        .map(|word| format!("std::{word}"))
}

/// How many words a list has, lists in it included.
fn length_of_list(words: &[String]) -> usize {
    let mut depth = 0;
    for (at, word) in words.iter().enumerate() {
        match word.as_str() {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    words.len()
}

fn reader_and_generator_name_no_pet(house: &House) -> Vec<String> {
    let mut faults = Vec::new();
    for name in GENERAL {
        let Some(member) = house.crates.get(name) else {
            continue;
        };
        let folders = [
            format!("{}/src/", member.folder),
            format!("{}/examples/", member.folder),
        ];
        let texts = ["Cargo.toml", "README.md"].map(|file| format!("{}/{file}", member.folder));
        for path in &house.files {
            let is_shown =
                folders.iter().any(|folder| path.starts_with(folder)) || texts.contains(path);
            // Tests may be tried on pets: they have to be tried on something.
            let in_tests = path
                .split('/')
                .any(|part| part == "tests" || part == "tests.rs");
            if !is_shown || in_tests {
                continue;
            }
            let text = house.text(path);
            let outside_of_tests = text
                .split("#[cfg(test)]\nmod tests {")
                .next()
                .unwrap_or_default();
            for (number, line) in outside_of_tests
                .lines()
                .enumerate()
                .filter(|(_, line)| names_a_pet(line))
            {
                faults.push(format!(
                    "{path}:{}: names a pet in `{}`: this crate is for any service; \
                     take the word from the document, or another one as example",
                    number + 1,
                    line.trim()
                ));
            }
        }
    }
    faults
}

/// Whether a text has `pet`, `pets` or `petstore` as a word, also as a part of
/// a name such as `NewPet`, `pet_id` or `PETSTORE_URL`.
fn names_a_pet(text: &str) -> bool {
    let mut word = String::new();
    let mut before = ' ';
    for letter in text.chars().chain([' ']) {
        let begins = letter.is_uppercase() && before.is_lowercase();
        if (!letter.is_alphabetic() || begins) && is_pet(&std::mem::take(&mut word)) {
            return true;
        }
        if letter.is_alphabetic() {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    false
}

fn is_pet(word: &str) -> bool {
    matches!(word, "pet" | "pets" | "petstore" | "petstores")
}

#[test]
fn only_openapi_dropshot_turns_schemas_into_rust() {
    assert_kept(only_the_generator_turns_schemas_into_rust);
}

#[test]
fn a_second_maker_of_rust_is_seen() {
    let broken = Copy::of_the_house().with_dependency(
        "crates/petstore-client/Cargo.toml",
        "progenitor-impl.workspace = true",
    );
    assert_seen(
        only_the_generator_turns_schemas_into_rust,
        &broken,
        &[
            "petstore-client depends on progenitor-impl",
            "only openapi-dropshot",
        ],
    );
}

#[test]
fn a_build_script_is_seen() {
    let broken = Copy::of_the_house().with(
        "crates/petstore-models/build.rs",
        "//! Makes models behind the reviewer's back.\n\nfn main() {}\n",
    );
    assert_seen(
        only_the_generator_turns_schemas_into_rust,
        &broken,
        &["petstore-models has a build script"],
    );
}

#[test]
fn the_reader_and_the_generator_are_pure() {
    assert_kept(reader_and_generator_are_pure);
}

#[test]
fn a_generator_that_reads_a_file_is_seen() {
    let broken = Copy::of_the_house().appending(
        "crates/openapi-dropshot/src/lib.rs",
        "\n/// Reads.\npub fn peek() -> bool {\n    std::fs::exists(\"/etc\").is_ok()\n}\n",
    );
    assert_seen(
        reader_and_generator_are_pure,
        &broken,
        &["openapi-dropshot/src/lib.rs uses `std::fs`"],
    );
}

#[test]
fn a_generator_that_imports_the_environment_in_a_list_is_seen() {
    let broken = Copy::of_the_house().appending(
        "crates/openapi-dropshot/src/lib.rs",
        "\nuse std::{cmp::Ordering, env};\n",
    );
    assert_seen(reader_and_generator_are_pure, &broken, &["uses `std::env`"]);
}

#[test]
fn a_generator_that_asks_the_clock_is_seen() {
    let broken = Copy::of_the_house().appending(
        "crates/openapi-dropshot/src/lib.rs",
        "\n/// Today.\npub fn today() -> chrono::NaiveDate {\n    chrono::Utc::now().date_naive()\n}\n",
    );
    assert_seen(reader_and_generator_are_pure, &broken, &["uses `now`"]);
}

#[test]
fn a_generator_with_a_map_without_order_is_seen() {
    let broken = Copy::of_the_house().appending(
        "crates/openapi-dropshot/src/lib.rs",
        "\nuse std::collections::HashMap;\n",
    );
    assert_seen(reader_and_generator_are_pure, &broken, &["uses `HashMap`"]);
}

#[test]
fn a_generator_that_throws_dice_is_seen() {
    let broken = Copy::of_the_house().with_dependency(
        "crates/openapi-dropshot/Cargo.toml",
        "rand.workspace = true",
    );
    assert_seen(
        reader_and_generator_are_pure,
        &broken,
        &["openapi-dropshot depends on rand"],
    );
}

#[test]
fn the_reader_and_the_generator_name_no_pet() {
    assert_kept(reader_and_generator_name_no_pet);
}

#[test]
fn a_generator_that_knows_pets_is_seen() {
    let broken = Copy::of_the_house().appending(
        "crates/openapi-dropshot/src/lib.rs",
        "\nconst SPECIAL: &str = \"NewPet\";\n",
    );
    assert_seen(
        reader_and_generator_name_no_pet,
        &broken,
        &[
            "openapi-dropshot/src/lib.rs",
            "names a pet in `const SPECIAL",
        ],
    );
}

#[test]
fn a_pet_is_told_from_a_word_with_the_same_letters() {
    for text in [
        "Pet",
        "/pets/{petId}",
        "NewPet",
        "pet_id",
        "PETSTORE_URL",
        "petstore-api",
        "a pet",
    ] {
        assert!(names_a_pet(text), "{text}");
    }
    for text in ["repetition", "competent", "petty", "carpet", "petgraph"] {
        assert!(!names_a_pet(text), "{text}");
    }
}
