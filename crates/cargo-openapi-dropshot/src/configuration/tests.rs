//! Tests of the configuration: the JSON Schema and the parser accept the same files, and the
//! committed schema is the one generated from the parser's types.

use super::Configuration;
use crate::{json_schema, settings::Settings};
use serde_json::Value;
use std::{fs, path::Path};

/// A file with every key.
const ALL_KEYS: &str = r#"
command = "cargo xtask"

[[document]]
name = "shop"
path = "spec/shop.yaml"
releases = "spec/shop-released"
accepted-breaks = "spec/shop-accepted-breaks.toml"
changelog = "spec/CHANGELOG-shop.md"
cargo-version = true
usage-command = "shop usage"
profile = "general"
deprecation-days = { beta = 30, stable = 365 }

[document.generate]
models = { folder = "crates/shop-models/src/generated", crate = "shop_models" }
api = { folder = "crates/shop-api/src/generated", crate = "shop_api" }
client = { folder = "crates/shop-client/src/generated", crate = "shop_client::generated" }
trait = "Shop"
skip-in-client = ["addFile"]

[document.skip]
"GET /export" = "The export is another program."

[document.rename]
NewLoanNote = "LoanNote"

[document.rules]
missing-example = { level = "warn", reason = "They follow." }
undeclared-tag = { level = "off", reason = "Tags are free." }

[[document]]
path = "spec/admin.json"
releases = "spec/admin-released"
changelog = "spec/CHANGELOG-admin.md"
"#;

/// Edits of that file, each with a flag that tells whether the result has the correct form.
const EDITS: &[(&str, &str, bool)] = &[
    ("", "", true),
    ("name = \"shop\"\n", "", true),
    ("path = \"spec/shop.yaml\"\n", "", false),
    ("path = \"spec/shop.yaml\"", "path = 5", false),
    ("releases = \"spec/shop-released\"\n", "", true),
    ("releases =", "releses =", false),
    ("command =", "comand =", false),
    ("command = \"cargo xtask\"", "command = true", false),
    ("\"general\"", "\"strict\"", true),
    ("\"general\"", "\"lenient\"", false),
    ("cargo-version = true", "cargo-version = 1", false),
    ("beta = 30, ", "", true),
    ("beta = 30", "beta = -1", false),
    ("beta = 30", "beta = \"30\"", false),
    ("beta = 30", "alpha = 30", false),
    ("api = {", "apy = {", false),
    (
        "api = { folder = \"crates/shop-api/src/generated\", crate = \"shop_api\" }\n",
        "",
        false,
    ),
    (
        "client = { folder = \"crates/shop-client/src/generated\", crate = \"shop_client::generated\" }\n",
        "",
        true,
    ),
    (", crate = \"shop_api\"", "", true),
    ("folder = \"crates/shop-api/src/generated\", ", "", false),
    ("crate = \"shop_api\"", "krate = \"shop_api\"", false),
    ("trait = \"Shop\"\n", "", true),
    ("trait = \"Shop\"", "trait = [\"Shop\"]", false),
    ("NewLoanNote = \"LoanNote\"", "NewLoanNote = 1", false),
    ("level = \"warn\"", "level = \"warning\"", false),
    ("level = \"warn\", ", "", false),
    (", reason = \"They follow.\"", "", false),
    (
        "{ level = \"warn\", reason = \"They follow.\" }",
        "\"warn\"",
        false,
    ),
    ("[document.rules]", "[document.rule]", false),
    ("[[document]]\nname", "[document]\nname", false),
];

#[test]
fn the_schema_and_the_parser_accept_the_same_files() {
    let schema: Value = serde_json::from_str(&json_schema()).expect("a schema");
    let validator = jsonschema::validator_for(&schema).expect("a valid schema");
    for (old, new, is_valid) in EDITS {
        assert!(ALL_KEYS.contains(old), "{old}");
        let text = ALL_KEYS.replacen(old, new, 1);
        let parsed = toml::from_str::<Settings>(&text);
        let value: Result<toml::Value, _> = toml::from_str(&text);
        let by_schema = value.is_ok_and(|value| {
            validator.is_valid(&serde_json::to_value(value).expect("TOML without dates is JSON"))
        });
        assert_eq!(
            parsed.is_ok(),
            *is_valid,
            "the parser of `{old}` → `{new}`: {:?}",
            parsed.err()
        );
        assert_eq!(by_schema, *is_valid, "the schema of `{old}` → `{new}`");
    }
}

#[test]
fn the_test_file_with_every_key_contains_every_key_of_the_schema() {
    fn keys(schema: &Value, found: &mut Vec<String>) {
        if let Some(properties) = schema["properties"].as_object() {
            found.extend(properties.keys().cloned());
        }
        for (_, inner) in schema["definitions"].as_object().into_iter().flatten() {
            keys(inner, found);
        }
    }
    let schema: Value = serde_json::from_str(&json_schema()).expect("a schema");
    let mut found = Vec::new();
    keys(&schema, &mut found);
    assert!(found.len() > 20, "{found:?}");
    for key in found {
        let is_there =
            ALL_KEYS.contains(&format!("{key} =")) || ALL_KEYS.contains(&format!("{key}]"));
        assert!(is_there, "`{key}` is not tried");
    }
}

#[test]
fn the_committed_schema_matches_the_parser() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi-dropshot.schema.json");
    test_support::assert_golden(&path, &json_schema());
}

/// The problems of a file, each as `line:column message / help`.
fn problems(text: &str) -> Vec<String> {
    match Configuration::parse(Path::new("no-such-folder"), "openapi-dropshot.toml", text) {
        Ok(_) => Vec::new(),
        Err(problems) => {
            let problems = problems.problems().iter().map(|problem| {
                let (line, column) = (problem.at.line, problem.at.column);
                format!("{line}:{column} {} / {}", problem.message, problem.help)
            });
            problems.collect()
        }
    }
}

#[test]
fn a_configuration_with_every_key_is_read_without_problems() {
    assert_eq!(problems(ALL_KEYS), Vec::<String>::new());
    let read = Configuration::parse(Path::new("r"), "a", ALL_KEYS).expect("a configuration");
    let [shop, admin] = read.projects.as_slice() else {
        panic!("two documents");
    };
    assert_eq!((shop.name.as_str(), admin.name.as_str()), ("shop", "admin"));
    assert_eq!(shop.command, "cargo xtask");
    assert_eq!(
        (shop.deprecation_days_beta, shop.deprecation_days_stable),
        (30, 365)
    );
    assert_eq!(
        (admin.deprecation_days_beta, admin.deprecation_days_stable),
        (0, 180)
    );
    assert_eq!(shop.severities.len(), 2);
    assert_eq!(admin.accepted_breaks, "spec/admin-accepted-breaks.toml");
    assert!(shop.cargo_version && !admin.cargo_version);
    assert!(shop.output.is_some() && admin.output.is_none());
}

#[test]
fn unusable_configuration_values_are_reported_at_their_place() {
    for (old, new, expected) in [
        (
            "spec/shop.yaml",
            "../shop.yaml",
            "6:8 `../shop.yaml` is not a path below the folder of this file",
        ),
        (
            "spec/shop.yaml",
            "/shop.yaml",
            "6:8 `/shop.yaml` is not a path",
        ),
        (
            "name = \"shop\"",
            "name = \"admin\"",
            "33:8 two documents have the name `admin`",
        ),
        (
            "spec/CHANGELOG-admin.md",
            "spec/CHANGELOG-shop.md",
            "35:13 two documents have the same changelog",
        ),
        (
            "spec/admin-released",
            "spec/shop-released",
            "34:12 two documents have the same folder of releases",
        ),
        (
            "changelog = \"spec/CHANGELOG-admin.md\"",
            "changelog = \"spec/CHANGELOG-admin.md\"\naccepted-breaks = \"spec/shop-accepted-breaks.toml\"",
            "36:19 two documents have the same file of accepted breaks",
        ),
        (
            "crates/shop-client/src/generated",
            "spec/",
            "18:21 `spec` must contain only generated code, but contains a document (spec/shop.yaml)",
        ),
        (
            "crates/shop-client/src/generated",
            "spec/admin-released",
            "18:21 `spec/admin-released` must contain only generated code, but contains the releases",
        ),
        (
            "spec/admin.json",
            "spec/shop.yaml",
            "33:8 two documents have the same document",
        ),
        (
            "shop_client::generated",
            "shop_models",
            "18:65 two folders of generated code have the same crate `shop_models` / write the `crate`",
        ),
        (
            "crates/shop-api/src/generated",
            "crates/shop-models/src/generated",
            "17:18 `crates/shop-models/src/generated` is used for two parts of the generated code",
        ),
        (
            "crates/shop-api/src/generated",
            "crates/shop-models/src",
            "17:18 one of the folders",
        ),
        (
            "\"shop_models\"",
            "\"shop-models\"",
            "16:65 `shop-models` is not a valid name of a crate or a module",
        ),
        (", crate = \"shop_models\"", "", "16:21 no Cargo.toml above"),
        (
            "\"Shop\"",
            "\"The Shop\"",
            "19:9 `The Shop` is not a valid name of a trait",
        ),
        (
            "The export is another program.",
            " ",
            "23:17 `GET /export` is skipped without a reason",
        ),
        (
            "\"LoanNote\"",
            "\"loan-note\"",
            "26:15 `loan-note` is not a valid name of a type",
        ),
        (
            "missing-example =",
            "missing-exmple =",
            "29:1 the linter has no rule `missing-exmple` / did you mean `missing-example`?",
        ),
        (
            "missing-example =",
            "syntax =",
            "29:20 the severity of `syntax` cannot be lowered",
        ),
        (
            "missing-example =",
            "request-body-removed =",
            "29:1 `request-body-removed` is a rule about changes",
        ),
        (
            "They follow.",
            " ",
            "29:46 the severity of `missing-example` has no reason",
        ),
        (
            "changelog = \"spec/CHANGELOG-admin.md\"",
            "changelog = \"spec/CHANGELOG-admin.md\"\ncargo-version = true",
            "36:17 two documents cannot both have their version in Cargo.toml",
        ),
    ] {
        assert!(ALL_KEYS.contains(old), "{old}");
        let found = problems(&ALL_KEYS.replacen(old, new, 1));
        assert!(
            found.iter().any(|problem| problem.starts_with(expected)),
            "expected {expected}, found {found:#?}"
        );
    }
}

#[test]
fn unknown_keys_and_values_are_reported_with_a_suggestion() {
    for (old, new, expected) in [
        (
            "releases =",
            "releses =",
            "7:1 unknown key `releses` / did you mean `releases`?",
        ),
        (
            "command =",
            "comand =",
            "2:1 unknown key `comand` / did you mean `command`?",
        ),
        (
            "crate = \"shop_api\"",
            "krate = \"shop_api\"",
            "17:51 unknown key `krate` / did you mean `crate`?",
        ),
        (
            "level = \"warn\"",
            "level = \"wran\"",
            "29:29 unknown value `wran` / did you mean `warn`?",
        ),
        (
            "[document.rules]",
            "[document.ruls]",
            "28:11 unknown key `ruls` / did you mean `rules`?",
        ),
        (
            "path = \"spec/shop.yaml\"\n",
            "",
            "4:1 the key `path` is missing / add the key",
        ),
    ] {
        let found = problems(&ALL_KEYS.replacen(old, new, 1));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(
            found[0].starts_with(expected),
            "expected {expected}, found {found:?}"
        );
    }
}

#[test]
fn two_documents_with_the_same_file_of_accepted_breaks_are_rejected() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    fs::create_dir(path("spec")).expect("a folder");
    let read = |more: &str| {
        let one = "[[document]]\npath = \"spec/one.yaml\"\n";
        let two =
            "[[document]]\npath = \"spec/two.yaml\"\nreleases = \"r\"\nchangelog = \"c.md\"\n";
        let found = Configuration::parse(folder.path(), "a", &format!("{one}{two}{more}"));
        found.map(|found| {
            let projects = found.projects.into_iter();
            projects.map(|own| own.accepted_breaks).collect::<Vec<_>>()
        })
    };
    let (one, two) = (
        "spec/one-accepted-breaks.toml",
        "spec/two-accepted-breaks.toml",
    );
    assert_eq!(read("").expect("no problem"), [one, two]);
    // The file that both documents used by default in earlier versions.
    fs::write(path("spec/accepted-breaks.toml"), "").expect("a file");
    let problems = read("").expect_err("the file is of both");
    let [problem] = problems.problems() else {
        panic!("{problems}");
    };
    assert!(
        problem.message == "two documents have the same file of accepted breaks"
            && problem.help.contains("such as `spec/two-accepted-breaks.toml`, and move its entries from spec/accepted-breaks.toml"),
        "{problems}"
    );
    let former = "spec/accepted-breaks.toml";
    let explicit = read(&format!("accepted-breaks = \"{two}\"\n"));
    assert_eq!(explicit.expect("no problem"), [former, two]);
    // Following the help is sufficient.
    fs::write(path(two), "").expect("a file");
    assert_eq!(read("").expect("no problem"), [former, two]);
}
