//! Tests the declarations of the rules: each rule is reported for its example,
//! and `RULES.md` is generated from the declarations.

use crate::diff::{changes, day};
use crate::support::{assert_golden, problems, with_schemas};
use openapi_dropshot_contract::diff::Policy;
use openapi_dropshot_contract::rules::{self, ChangeRule, Part, Profile, Rule};
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::path::Path;

#[test]
fn ids_are_unique_and_in_kebab_case() {
    let ids = rules::all().map(|rule| rule.id);
    let ids: Vec<&str> = ids
        .chain(rules::all_changes().map(|rule| rule.id))
        .collect();
    let unique: HashSet<&str> = ids.iter().copied().collect();
    assert_eq!(unique.len(), ids.len());
    for id in ids {
        let fits = |c: char| c.is_ascii_lowercase() || c == '-';
        assert!(id.chars().all(fits), "{id}");
    }
}

/// The document that shows a part in its place: of OpenAPI 3.1, if the part has what 3.0 lacks.
fn document(part: Part, text: &str) -> String {
    const NEWER: [&str; 14] = [
        "webhooks: ",
        "if: ",
        "then: ",
        "const: ",
        "contains: ",
        "prefixItems: ",
        "items: false",
        "exclusiveMaximum: ",
        "exclusiveMinimum: ",
        "patternProperties: ",
        "propertyNames: ",
        "unevaluated",
        "dependentRequired: ",
        "dependentSchemas: ",
    ];
    let flags = text.contains("imum: true");
    let document = document_of_older_version(part, text);
    match NEWER.iter().any(|keyword| text.contains(keyword)) && !flags {
        true => document.replacen("openapi: 3.0.3", "openapi: 3.1.0", 1),
        false => document,
    }
}

fn document_of_older_version(part: Part, text: &str) -> String {
    let head = |text: &str| {
        let info = if text.contains("info: ") {
            ""
        } else {
            "info: {title: T, version: 1.0.0}\n"
        };
        let paths = if text.contains("paths: ") {
            ""
        } else {
            "paths: {}\n"
        };
        format!(
            "openapi: 3.0.3\n{info}{paths}{}\n",
            text.replace(", paths: ", "\npaths: ")
        )
    };
    match part {
        Part::Text => text.to_owned(),
        Part::Document => head(text),
        Part::Paths => head(&format!("paths: {{{text}}}")),
        Part::Operation => {
            let responses = match text.contains("responses: ") {
                true => "",
                false => ", responses: {'204': {description: Done.}}",
            };
            let members = format!("{text}{responses}");
            head(&format!(
                "paths: {{/a: {{get: {{{}}}}}}}",
                members.trim_start_matches(", ")
            ))
        }
        Part::Flow => {
            let scheme = format!("{{type: oauth2, flows: {{authorizationCode: {{{text}}}}}}}");
            head(&format!("components: {{securitySchemes: {{k: {scheme}}}}}"))
        }
        Part::Parameter => {
            let parameter = format!("{{name: q, in: query, schema: {{type: string}}, {text}}}");
            document(Part::Operation, &format!("parameters: [{parameter}]"))
        }
        Part::Body => {
            let responses = format!("responses: {{'200': {{description: Here., {text}}}}}");
            document(
                Part::Operation,
                &format!("requestBody: {{{text}}}, {responses}"),
            )
        }
        Part::Property => document(Part::Schema, &property(text)),
        Part::Schema => with_schemas(&format!("    A: {text}\n")),
        Part::Words => panic!("`{text}` is not a part of a document"),
    }
}

fn property(members: &str) -> String {
    format!("{{type: object, properties: {{a: {{{members}}}}}}}")
}

/// The documents for the rules whose examples are too large to write down.
fn large(rule: &Rule) -> (String, String) {
    let extension = |value: String| document(Part::Document, &format!("x-a: {value}"));
    let nested = |depth: usize| extension(format!("{}1{}", "[".repeat(depth), "]".repeat(depth)));
    let named = |length: usize| extension(format!("{{{}: 1}}", "n".repeat(length)));
    let referring = |count: usize| {
        let operation = "get: {parameters: [{$ref: '#/components/parameters/P'}], responses: {'204': {description: Done.}}}";
        let paths: Vec<String> = (0..count)
            .map(|index| format!("/a{index}: {{{operation}}}"))
            .collect();
        let example = vec!["1"; 10_000].join(", ");
        let parameter = format!("{{name: q, in: query, schema: {{}}, example: [{example}]}}");
        document(Part::Paths, &paths.join(", "))
            + &format!("components: {{parameters: {{P: {parameter}}}}}\n")
    };
    match rule.id {
        "nesting-too-deep" => (nested(129), nested(100)),
        "name-too-long" => (named(3000), named(30)),
        "too-many-references" => (referring(300), referring(30)),
        id => panic!("there is no document for `{id}`"),
    }
}

#[test]
fn each_rule_is_reported_for_the_example_that_breaks_it_and_not_for_the_other() {
    for rule in rules::all() {
        let (breaks, keeps) = match rule.part {
            Part::Words => large(rule),
            part => (document(part, rule.breaks), document(part, rule.keeps)),
        };
        let problem = problems(&breaks, rule.profile)
            .into_iter()
            .find(|problem| problem.rule == rule.id);
        let Some(problem) = problem else {
            let found = problems(&breaks, rule.profile);
            panic!(
                "`{}` is not reported, but {found:?}, for:\n{breaks}",
                rule.id
            )
        };
        if rule.profile == Profile::General {
            assert_eq!(problem.severity, rule.severity, "{}", rule.id);
            assert_eq!(
                problems(&keeps, Profile::General),
                [],
                "`{}`, for:\n{keeps}",
                rule.id
            );
        }
        let is_reported = problems(&keeps, rule.profile)
            .iter()
            .any(|problem| problem.rule == rule.id);
        assert!(!is_reported, "`{}` is reported for:\n{keeps}", rule.id);
    }
}

/// A document that has a schema at every place where one can be.
fn everywhere(schema: &str) -> String {
    let bodies = |path: &str, schema: &str| {
        let content = format!(
            "content: {{application/json: {{schema: {schema}}}, text/plain: {{schema: {schema}}}}}"
        );
        format!(
            "/{path}: {{post: {{parameters: [{{name: q, in: query, schema: {schema}}}], requestBody: {{{content}}}, \
             responses: {{'200': {{description: Here., headers: {{X-A: {{schema: {schema}}}}}, {content}}}}}}}}}"
        )
    };
    let wrapped = |flag: &str| property(&format!("{flag}: true, allOf: [{schema}]"));
    let paths = [
        bodies("body", schema),
        bodies(
            "property",
            &format!("{{type: object, properties: {{a: {schema}}}}}"),
        ),
        bodies("read", &wrapped("readOnly")),
        bodies("write", &wrapped("writeOnly")),
    ];
    document(Part::Paths, &paths.join(", "))
}

#[test]
fn each_rule_for_changes_is_reported_for_its_example() {
    let policy = |days| Policy {
        deprecation_days_stable: days,
        ..Policy::on(day("2026-11-21"))
    };
    let mut reported: BTreeMap<_, HashSet<(&str, String)>> = BTreeMap::new();
    let mut missing = Vec::new();
    for rule in rules::all_changes() {
        let is_reported = rule.examples.iter().any(|(part, base, revision)| {
            let found = reported
                .entry((part_name(*part), base, revision))
                .or_insert_with(|| {
                    let show = |text| match part {
                        Part::Schema => everywhere(text),
                        Part::Property => everywhere(&property(text)),
                        part => document(*part, text),
                    };
                    let (base, revision) = (show(base), show(revision));
                    let both =
                        [policy(0), policy(30)].map(|policy| changes(&base, &revision, &policy));
                    let all = both.into_iter().flatten();
                    all.map(|change| (change.id, change.level.to_string()))
                        .collect()
                });
            found.contains(&(rule.id, rule.level.to_string()))
        });
        if !is_reported {
            missing.push(format!("{} {}: {:?}", rule.level, rule.id, rule.examples));
        }
    }
    assert!(
        missing.is_empty(),
        "{} are not reported:\n{}",
        missing.len(),
        missing.join("\n")
    );
}

#[test]
fn the_sources_report_declared_rules_only() {
    fn visit(folder: &Path, files: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                visit(&path, files);
            } else {
                let text = std::fs::read_to_string(&path).expect("a source file");
                files.push((path.display().to_string(), text));
            }
        }
    }
    let mut files = Vec::new();
    visit(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut files,
    );
    assert!(files.len() > 30);
    for (path, text) in files {
        if !path.ends_with("src/problem.rs") {
            for constructor in ["Problem::error", "Problem::warning", "Problem {"] {
                let is_used = text
                    .lines()
                    .any(|line| line.contains(constructor) && !line.contains("-> "));
                assert!(
                    !is_used,
                    "{path} uses `{constructor}`: declare a rule and report that"
                );
            }
        }
    }
}

#[test]
fn rules_md_is_made_of_the_declarations() {
    assert_golden(&documentation(), include_str!("../../RULES.md"), "RULES.md");
}

fn documentation() -> String {
    let mut text = String::from(
        "<!-- Made of the declarations in src/rules by `UPDATE_GOLDEN=1 cargo test -p openapi-dropshot-contract rules_md`; do not edit. -->\n\n\
         # Rules\n\n\
         The rules of `openapi-dropshot-contract`: first those for one document, then those for the changes between two.\n\n\
         ## Rules for one document\n\n\
         `read` and `lint` report these. Rules of the profile `Strict` are the project rules; `Profile::General` leaves them out.\n\
         An example shows a part of a document: one that breaks the rule, and one that keeps it.\n",
    );
    for rule in rules::all() {
        let strict = if rule.profile == Profile::Strict {
            ", `Strict`"
        } else {
            ""
        };
        let severity = format!("{:?}", rule.severity).to_lowercase();
        writeln!(
            text,
            "\n### `{}` ({severity}{strict})\n\n{} {}\n",
            rule.id, rule.meaning, rule.remedy
        )
        .expect("a string");
        let part = part_name(rule.part);
        for (verb, example) in [("Breaks it", rule.breaks), ("Keeps it", rule.keeps)] {
            writeln!(text, "- {verb} ({part}): {}", code(rule.part, example)).expect("a string");
        }
    }
    text.push_str(
        "\n## Rules for changes\n\n\
         `diff::compare` reports these. The level is that for a stable operation; for `beta` and `experimental` ones, `ERR` becomes `WARN`,\n\
         except for promises about sunsets and stability. Ids and levels are oasdiff's where oasdiff has the rule.\n\n\
         An example shows a part of the base, and what it became in the revision.\n",
    );
    let mut meanings: Vec<(&ChangeRule, Vec<&ChangeRule>)> = Vec::new();
    for rule in rules::all_changes() {
        match meanings
            .iter_mut()
            .find(|(first, _)| first.meaning == rule.meaning)
        {
            Some((_, rules)) => rules.push(rule),
            None => meanings.push((rule, vec![rule])),
        }
    }
    for (first, rules) in meanings {
        let (head, rest) = first.meaning.split_at(1);
        writeln!(text, "\n### {}{rest}\n", head.to_uppercase()).expect("a string");
        let mut groups: Vec<(&ChangeRule, Vec<String>)> = Vec::new();
        for rule in rules {
            let id = format!("`{}`", rule.id);
            let same =
                |first: &ChangeRule| (first.level, first.remedy()) == (rule.level, rule.remedy());
            match groups.iter_mut().find(|(first, _)| same(first)) {
                Some((_, ids)) => ids.push(id),
                None => groups.push((rule, vec![id])),
            }
        }
        for (first, ids) in groups {
            let (level, remedy) = (first.level, first.remedy());
            writeln!(text, "- {level} {}: {remedy}", ids.join(", ")).expect("a string");
        }
        for (part, base, revision) in first.examples {
            let (base, revision) = (code(*part, base), code(*part, revision));
            let part = part_name(*part);
            writeln!(text, "\nExample ({part}): {base} became {revision}").expect("a string");
        }
    }
    text
}

fn part_name(part: Part) -> &'static str {
    match part {
        Part::Text => "the whole text",
        Part::Document => "members of the document",
        Part::Paths => "members of `paths`",
        Part::Operation => "members of an operation",
        Part::Flow => "members of an OAuth 2.0 flow",
        Part::Parameter => "members of a parameter",
        Part::Body => "members of a body",
        Part::Property => "members of a property",
        Part::Schema => "a schema",
        Part::Words => "in words",
    }
}

fn code(part: Part, example: &str) -> String {
    match (part, example) {
        (Part::Words, _) => example.to_owned(),
        (_, "") => "nothing".to_owned(),
        _ => format!("`{}`", example.replace('\n', "` `")),
    }
}
