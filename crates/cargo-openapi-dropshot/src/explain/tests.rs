//! Tests of the descriptions: the sources report no rule without one, the examples show
//! what they say, and the page is made of them.

use super::{all, example, find, gates, generator, page, roundtrip};
use openapi_dropshot_contract::{
    Problem, Profile, lint, read,
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

fn found(text: &str, profile: Profile) -> Vec<Problem> {
    match read("api.yaml", text) {
        Ok(document) => lint(&document, profile),
        Err(problems) => problems.into_problems(),
    }
}

#[test]
fn the_linter_reports_each_rule_for_its_example_and_not_for_the_other() {
    let mut count = 0;
    for rule in rules::all() {
        let both = [rule.breaks, rule.keeps].map(|text| example::document(rule.part, text));
        let [Some(breaks), Some(keeps)] = both else {
            assert_eq!(rule.part, Part::Words);
            continue;
        };
        let is_found = |text: &str| {
            let mut found = found(text, rule.profile).into_iter();
            found.any(|problem| problem.rule == rule.id)
        };
        assert!(is_found(&breaks), "{} is not reported:\n{breaks}", rule.id);
        assert!(!is_found(&keeps), "{} is reported:\n{keeps}", rule.id);
        count += 1;
    }
    assert!(count > 60, "only {count} examples");
}

#[test]
fn the_comparison_reports_each_rule_for_its_example_and_nothing_without_a_change() {
    let mut wrong = Vec::new();
    for rule in rules::all_changes() {
        let shows = |(part, base, revision): &(Part, &str, &str)| {
            example::changes(*part, base, revision).contains(&rule.id)
                && example::changes(*part, base, base).is_empty()
        };
        if !rule.examples.iter().any(shows) {
            wrong.push(rule.id);
        }
    }
    assert!(wrong.is_empty(), "not shown by their examples: {wrong:?}");
}

#[test]
fn the_generator_reports_each_rule_for_its_example_and_not_for_the_other() {
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
    let rejected = |text: &str| -> Result<Vec<String>, String> {
        let document = read("api.yaml", text).map_err(|problems| problems.to_string())?;
        let rejected = openapi_dropshot::generate(&document, &options).err();
        let rejected = rejected.unwrap_or_default();
        Ok(rejected
            .iter()
            .map(|problem| problem.rule.to_owned())
            .collect())
    };
    let mut wrong = Vec::new();
    let mut count = 0;
    for rule in generator::RULES {
        let both = [rule.breaks, rule.keeps].map(|text| example::document(rule.part, text));
        let [Some(breaks), Some(keeps)] = both else {
            assert_eq!(rule.part, Part::Words);
            continue;
        };
        count += 1;
        match (rejected(&breaks), rejected(&keeps)) {
            (Ok(first), Ok(other)) if first.iter().any(|id| id == rule.id) && other.is_empty() => {}
            results => wrong.push(format!("{}: {results:?}", rule.id)),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(count > 35, "only {count} examples");
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
