//! Makes whole documents of the parts that the examples of rules show.

use openapi_dropshot_contract::{
    diff::{Policy, compare},
    read_draft,
    rules::{ChangeRule, Part},
};
use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

/// What a part is, in words.
pub(super) fn name_of(part: Part) -> &'static str {
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

/// The keywords that OpenAPI 3.1 has and 3.0 lacks.
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

/// The version of OpenAPI in which a text has a meaning: 3.1 only if it has what 3.0 lacks,
/// because most documents are of 3.0.
fn version_of(text: &str) -> &'static str {
    let is_newer = NEWER.iter().any(|keyword| text.contains(keyword));
    // In 3.0, the exclusive bounds are flags.
    let has_flag = text.contains("imum: true");
    match is_newer && !has_flag {
        true => "3.1.0",
        false => "3.0.3",
    }
}

/// The document that shows a part in its place; `None` if the example is in words.
pub(super) fn document(part: Part, text: &str) -> Option<String> {
    let head = |text: &str| {
        let unless = |member: &str, line: &str| match text.contains(member) {
            true => String::new(),
            false => format!("{line}\n"),
        };
        let info = unless("info: ", "info: {title: T, version: 1.0.0}");
        let paths = unless("paths: ", "paths: {}");
        let text = text.replace(", paths: ", "\npaths: ");
        let version = version_of(&text);
        format!("openapi: {version}\n{info}{paths}{text}\n")
    };
    Some(match part {
        Part::Text => text.to_owned(),
        Part::Document => head(text),
        Part::Paths => head(&format!("paths: {{{text}}}")),
        Part::Operation => {
            let responses = match text.contains("responses: ") {
                true => "",
                false => ", responses: {'204': {description: Done.}}",
            };
            let members = format!("{text}{responses}");
            let members = members.trim_start_matches(", ");
            head(&format!("paths: {{/a: {{get: {{{members}}}}}}}"))
        }
        Part::Flow => {
            let scheme = format!("{{type: oauth2, flows: {{authorizationCode: {{{text}}}}}}}");
            head(&format!("components: {{securitySchemes: {{k: {scheme}}}}}"))
        }
        Part::Parameter => {
            let parameter = format!("{{name: q, in: query, schema: {{type: string}}, {text}}}");
            return document(Part::Operation, &format!("parameters: [{parameter}]"));
        }
        Part::Body => {
            let responses = format!("responses: {{'200': {{description: Here., {text}}}}}");
            let members = format!("requestBody: {{{text}}}, {responses}");
            return document(Part::Operation, &members);
        }
        Part::Property => {
            let schema = format!("{{type: object, properties: {{a: {{{text}}}}}}}");
            return document(Part::Schema, &schema);
        }
        Part::Schema => head(&format!("components:\n  schemas:\n    A: {text}")),
        Part::Words => return None,
    })
}

/// A document that has a schema at every place where one can be.
fn everywhere(schema: &str) -> Option<String> {
    let bodies = |path: &str, schema: &str| {
        let content = format!(
            "content: {{application/json: {{schema: {schema}}}, text/plain: {{schema: {schema}}}}}"
        );
        format!(
            "/{path}: {{post: {{parameters: [{{name: q, in: query, schema: {schema}}}], requestBody: {{{content}}}, \
             responses: {{'200': {{description: Here., headers: {{X-A: {{schema: {schema}}}}}, {content}}}}}}}}}"
        )
    };
    let property = |members: &str| format!("{{type: object, properties: {{a: {members}}}}}");
    let wrapped = |flag: &str| property(&format!("{{{flag}: true, allOf: [{schema}]}}"));
    let paths = [
        bodies("body", schema),
        bodies("property", &property(schema)),
        bodies("read", &wrapped("readOnly")),
        bodies("write", &wrapped("writeOnly")),
    ];
    document(Part::Paths, &paths.join(", "))
}

/// The ids of the changes that an example shows. Many rules have the same examples, so the
/// results are kept.
pub(super) fn changes(part: Part, base: &str, revision: &str) -> Vec<&'static str> {
    type Results = BTreeMap<(&'static str, String, String), Vec<&'static str>>;
    static RESULTS: Mutex<Results> = Mutex::new(BTreeMap::new());
    let key = (name_of(part), base.to_owned(), revision.to_owned());
    let mut results = RESULTS.lock().unwrap_or_else(PoisonError::into_inner);
    let found = results
        .entry(key)
        .or_insert_with(|| compared(part, base, revision));
    found.clone()
}

fn compared(part: Part, base: &str, revision: &str) -> Vec<&'static str> {
    let show = |text: &str| match part {
        Part::Schema => everywhere(text),
        Part::Property => everywhere(&format!("{{type: object, properties: {{a: {{{text}}}}}}}")),
        part => document(part, text),
    };
    let read = |name: &str, text: &str| Some(read_draft(name, &show(text)?).ok()?.root);
    let both = read("base.yaml", base).zip(read("revision.yaml", revision));
    let Some((base, revision)) = both else {
        return Vec::new();
    };
    let today = chrono::NaiveDate::from_ymd_opt(2026, 11, 21).unwrap_or_default();
    let policies = [0, 30].map(|deprecation_days_stable| Policy {
        deprecation_days_stable,
        ..Policy::on(today)
    });
    let changes = policies
        .iter()
        .flat_map(|policy| compare(&base, &revision, policy));
    changes.map(|change| change.id).collect()
}

/// The first example of a rule that shows it: the part, the base and the revision.
pub(super) fn of_change(rule: &ChangeRule) -> (&'static str, &'static str, &'static str) {
    let shows = |(part, base, revision): &&(Part, &str, &str)| {
        changes(*part, base, revision).contains(&rule.id)
    };
    let example = rule.examples.iter().find(shows).or(rule.examples.first());
    example.map_or(("in words", "", ""), |(part, base, revision)| {
        (name_of(*part), *base, *revision)
    })
}
