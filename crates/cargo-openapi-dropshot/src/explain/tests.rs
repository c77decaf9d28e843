//! Tests of the descriptions: the sources report no rule without one, the examples show
//! what they say, and the page is made of them.

use super::{all, find, gates, generator, page, roundtrip};
use openapi_dropshot_contract::{
    Profile, Severity, read,
    rules::{self, Part},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// The sources that report rules, with the file of each text.
fn sources() -> Vec<(PathBuf, String)> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    let mut folders = vec![
        own.join("src"),
        own.join("../openapi-dropshot/src"),
        own.join("../openapi-dropshot-contract/src"),
    ];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            // `init` fills templates, whose keys look like rules, and reports no rule itself.
            let without_rules = ["explain", "tests", "program", "rules", "init"];
            if path.is_dir() && !without_rules.contains(&name.as_str()) {
                folders.push(path);
            } else if name.ends_with(".rs") && !["tests.rs", "explain.rs"].contains(&name.as_str())
            {
                let text = fs::read_to_string(&path).expect("a source file");
                files.push((path, text));
            }
        }
    }
    assert!(files.len() > 100, "only {} files", files.len());
    files
}

/// The string literals of a line of Rust.
fn literals(line: &str) -> impl Iterator<Item = &str> {
    let code = if line.trim_start().starts_with("//") {
        ""
    } else {
        line
    };
    let parts = code.split('"').enumerate();
    parts
        .filter(|(index, _)| index % 2 == 1)
        .map(|(_, text)| text)
}

fn is_kebab(text: &str) -> bool {
    let mut words = text.split('-');
    let is_word = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase());
    words.all(is_word)
}

/// The texts in kebab case that are no rules.
const NO_RULES: &[&str] = &[
    "cargo-openapi-dropshot",
    "openapi-dropshot",
    "openapi-dropshot-types",
    "openapi-to-rust",
    "async-trait",
    "http-body-util",
    "content-type",
    "content-length",
    "set-cookie",
    "accept-encoding",
    "retry-after",
    "date-time",
    "ignore-",
    "kebab-case",
    "keep-alive",
    "skip-unsupported",
    "accepted-breaks",
    "no-such-folder",
    "user-agent",
    "www-authenticate",
    "transfer-encoding",
    "octet-stream",
    "form-data",
    "x-www-form-urlencoded",
    "zz-not-in-the-document",
    "zz-no-such-word",
    "rev-parse",
    "the-key",
];

#[test]
fn every_rule_that_the_sources_can_report_is_explained() {
    // What follows these is the id of a rule.
    const REPORTING: &[&str] = &[
        "reject(",
        "differ(",
        "same(",
        "lost(",
        "added(",
        "extensions(",
        "Problem::error(",
        "Problem::warning(",
        "fault(",
        "Outcome::failed(",
        "rule: ",
        "const RULE: &str = ",
        "const LOST: &str = ",
        "form: ",
        "more: ",
        "added: ",
        "lost: ",
    ];
    let mut unknown = BTreeMap::new();
    let mut known = BTreeSet::new();
    let all_ids = all();
    for (path, text) in sources() {
        let code = text
            .split("#[cfg(test)]\nmod tests {")
            .next()
            .unwrap_or_default();
        let mut ids = BTreeSet::new();
        for line in code.lines() {
            ids.extend(literals(line).filter(|text| is_kebab(text) && text.contains('-')));
        }
        for mark in REPORTING {
            for rest in code.split(mark).skip(1) {
                let rest = rest.trim_start().strip_prefix('"');
                let id = rest.and_then(|rest| rest.split('"').next());
                ids.extend(id.filter(|id| is_kebab(id)));
            }
        }
        for id in ids {
            // Places from which the ids of changes are made, and extensions.
            let is_place = all_ids
                .iter()
                .any(|rule| rule.starts_with(&format!("{id}-")));
            if find(id).is_some() {
                known.insert(id.to_owned());
            } else if !is_place && !id.starts_with("x-") && !NO_RULES.contains(&id) {
                unknown.insert(id.to_owned(), path.clone());
            }
        }
    }
    assert!(unknown.is_empty(), "these are not explained: {unknown:#?}");
    let declared = generator::RULES.iter().map(|rule| rule.id);
    let declared = declared.chain(gates::RULES.iter().map(|rule| rule.id));
    let unused: Vec<&str> = declared
        .chain(roundtrip::ids())
        .filter(|id| !known.contains(*id))
        .collect();
    assert!(unused.is_empty(), "no source reports these: {unused:?}");
}

#[test]
fn each_rule_has_one_description_that_says_everything() {
    let ids = all();
    let unique: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(unique.len(), ids.len(), "an id is declared twice");
    for id in ids {
        let rule = find(id).unwrap_or_else(|| panic!("`{id}` is not explained"));
        let ends = |text: &str| text.trim_end().ends_with(['.', '`', ':']);
        assert!(ends(&rule.meaning) && ends(&rule.remedy), "{id}: {rule:#?}");
        assert!(!rule.configuration.is_empty(), "{id}");
        assert_ne!(rule.example.breaks, rule.example.keeps, "{id}");
        let text = page::text(&rule);
        assert!(
            text.contains("How to fix it: ") && text.contains("How to configure it: "),
            "{text}"
        );
    }
}

/// The rules of which no document shows anything, each with the reason.
const WITHOUT_DOCUMENT: &[(&str, &str)] = &[
    ("client-path", "the linter reports it first"),
    (
        "client-unsupported",
        "no document is known for which progenitor reports an error",
    ),
    (
        "client-shape",
        "only another version of progenitor shows it",
    ),
    ("generator-fault", "only a fault of the generator shows it"),
];

/// The documents that break and that keep the rules whose examples are in words. Fails for a
/// rule that is not known, so that a new rule comes with its documents.
fn in_words(id: &str) -> (String, String) {
    let extension = |value: String| {
        Part::Document
            .document(&format!("x-a: {value}"))
            .expect("a document")
    };
    let nested = |depth: usize| extension(format!("{}1{}", "[".repeat(depth), "]".repeat(depth)));
    let named = |length: usize| extension(format!("{{{}: 1}}", "n".repeat(length)));
    let arrays = |depth: usize| {
        let items = "{type: array, items: ".repeat(depth);
        let schema = format!("{items}{{type: string}}{}", "}".repeat(depth));
        Part::Schema.document(&schema).expect("a document")
    };
    let plain = "{type: object, required: [b, c], properties: {a: {type: array, items: {type: string}}, b: {}, c: {}}}";
    match id {
        "nesting-too-deep" => (nested(129), nested(100)),
        "name-too-long" => (named(3000), named(30)),
        "too-many-references" => (referring(300, 10_000, plain), referring(30, 10_000, plain)),
        "too-deep" => (arrays(70), arrays(10)),
        // The form that the generator knows has one value more in each copy, which is too many,
        // so that the document stays as it is.
        "required-without-property" | "meaningless-default" => {
            let schema = "{type: object, required: [b, c], properties: {a: {type: array, items: {type: string, default: d}}}}";
            (largest(schema), largest(plain))
        }
        id => panic!("there is no document for `{id}`"),
    }
}

/// A document in which this number of operations refer to a response with this schema and
/// an extension with this number of elements.
fn referring(operations: usize, elements: usize, schema: &str) -> String {
    let paths: Vec<String> = (0..operations)
        .map(|index| {
            format!("/a{index}: {{get: {{operationId: a{index}, responses: {{'200': {{$ref: '#/components/responses/R'}}}}}}}}")
        })
        .collect();
    let extension = vec!["1"; elements].join(", ");
    let content = format!("content: {{application/json: {{schema: {schema}}}}}");
    format!(
        "openapi: 3.0.3\ninfo: {{title: T, version: 1.0.0}}\npaths: {{{}}}\ncomponents: {{responses: {{R: {{description: A., {content}, x-a: [{extension}]}}}}}}\n",
        paths.join(", ")
    )
}

/// A document that has as many values behind references as can be read: 2,000,000.
fn largest(schema: &str) -> String {
    const OPERATIONS: usize = 200;
    let small = read("api.yaml", &referring(1, 1, schema)).expect("a document");
    let response = small.root.pointer("/components/responses/R");
    let size = response.expect("the response").size();
    referring(OPERATIONS, 2_000_000 / OPERATIONS - size + 1, schema)
}

/// The errors of the reader, the linter and the generator for a text.
fn errors(text: &str, with_client: bool) -> Vec<String> {
    let options = openapi_dropshot::Options {
        command: "test".to_owned(),
        source: "api.yaml".to_owned(),
        models: "models".to_owned(),
        api: "api".to_owned(),
        client: "client".to_owned(),
        models_crate: "models".to_owned(),
        client_crate: "client".to_owned(),
        trait_name: None,
    };
    let problems = match read("api.yaml", text) {
        Err(problems) => problems.into_problems(),
        Ok(document) => match with_client {
            true => openapi_dropshot::generate(&document, &options),
            false => openapi_dropshot::generate_service(&document, &options),
        }
        .err()
        .unwrap_or_default(),
    };
    let errors = problems.iter().filter(|problem| problem.is_error());
    errors.map(|problem| problem.rule.to_owned()).collect()
}

#[test]
fn a_document_that_follows_the_remedy_of_an_error_is_accepted() {
    let of_reader = rules::all()
        .filter(|rule| rule.severity == Severity::Error && rule.profile == Profile::General);
    let of_reader = of_reader.map(|rule| (rule, false));
    let of_generator = generator::RULES.iter().map(|rule| (rule, true));
    let mut wrong = Vec::new();
    let mut count = 0;
    for (rule, with_client) in of_reader.chain(of_generator) {
        if WITHOUT_DOCUMENT.iter().any(|(id, _)| *id == rule.id) {
            continue;
        }
        let both = [rule.breaks, rule.keeps].map(|text| rule.part.document(text));
        let (breaks, keeps) = match both {
            [Some(breaks), Some(keeps)] => (breaks, keeps),
            _ => in_words(rule.id),
        };
        count += 1;
        let (first, other) = (errors(&breaks, with_client), errors(&keeps, with_client));
        if !first.iter().any(|id| id == rule.id) || !other.is_empty() {
            wrong.push(format!("{}: {first:?}, then {other:?}", rule.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 100, "only {count} rules");
}

#[test]
fn the_page_is_made_of_the_descriptions() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules.md");
    let text = page::markdown();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, text).expect("the folder is writable");
        return;
    }
    let expected = fs::read_to_string(&path).expect("the page exists");
    assert!(
        text == expected,
        "docs/rules.md: set UPDATE_GOLDEN=1 to accept the new text"
    );
}
