//! Tests that a rejected document is accepted after following the message, for each rule that
//! rejects a part of the tested documents.

use openapi_dropshot::{Options, generate_service};
use openapi_dropshot_contract::Problem;

/// A document with these paths and these component schemas.
fn document(version: &str, paths: &str, schemas: &str) -> String {
    format!(
        "openapi: {version}\ninfo: {{title: Remedies, version: 1.0.0}}\npaths:\n{paths}\ncomponents:\n  schemas:\n    Other: {{type: object, properties: {{a: {{type: string}}}}}}\n{schemas}\n"
    )
}

fn problems(text: &str) -> Vec<Problem> {
    let options = Options {
        command: "test".to_owned(),
        source: "api.yaml".to_owned(),
        models: "models".to_owned(),
        api: "api".to_owned(),
        client: "client".to_owned(),
        models_crate: "models".to_owned(),
        client_crate: "client".to_owned(),
        trait_name: None,
        renames: Default::default(),
    };
    let document = openapi_dropshot_contract::read("api.yaml", text)
        .unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    generate_service(&document, &options)
        .err()
        .unwrap_or_default()
}

/// Checks that the first document violates a rule whose remedy contains these words, and that the
/// second document violates no rule.
#[track_caller]
fn check(rule: &str, remedy: &str, before: &str, after: &str) {
    let found = problems(before);
    let own = found.iter().find(|problem| problem.rule == rule);
    let own = own.unwrap_or_else(|| panic!("no {rule}: {found:?}\n{before}"));
    assert!(own.help.contains(remedy), "{rule}: {}", own.help);
    assert!(own.at.line > 1, "{rule} has no place");
    let left = problems(after);
    assert!(left.is_empty(), "{rule}: {left:?}\n{after}");
}

fn schema(version: &str, yaml: &str) -> String {
    let body = "{$ref: '#/components/schemas/Thing'}";
    let paths = format!(
        "  /things:\n    post:\n      requestBody: {{required: true, content: {{application/json: {{schema: {body}}}}}}}\n      responses: {{'204': {{description: Gone.}}}}"
    );
    document(version, &paths, &format!("    Thing: {yaml}"))
}

fn path(path: &str, parameters: &str) -> String {
    let yaml = format!(
        "  {path}:\n    get:\n      parameters: [{parameters}]\n      responses: {{'204': {{description: Gone.}}}}"
    );
    document("3.0.3", &yaml, "")
}

#[test]
fn a_schema_that_follows_the_remedy_of_an_error_is_accepted() {
    let old = |yaml: &str| schema("3.0.3", yaml);
    let new = |yaml: &str| schema("3.1.1", yaml);
    let closed = "{type: object, properties: {a: {type: string}}, additionalProperties: false}";
    let open = "{type: object, properties: {a: {type: string}}}";
    let both = |first: &str| {
        old(&format!(
            "{{allOf: [{first}, {{type: object, properties: {{b: {{type: string}}}}}}]}}"
        ))
    };
    check(
        "unsupported-all-of",
        "remove it from that part",
        &both(closed),
        &both(open),
    );
    let conflict = |kind: &str| {
        old(&format!(
            "{{allOf: [{{$ref: '#/components/schemas/Other'}}, {{type: object, properties: {{{kind}b: {{type: string}}}}}}]}}"
        ))
    };
    check(
        "all-of-conflict",
        "define the member in only one part",
        &conflict("a: {type: integer}, "),
        &conflict(""),
    );
    check(
        "unsupported-schema",
        "write `$ref`",
        &new("{type: array, items: {$dynamicRef: '#item'}}"),
        &new("{type: array, items: {$ref: '#/components/schemas/Other'}}"),
    );
    check(
        "unsupported-schema",
        "describe the values that are allowed instead",
        &old("{type: string, not: {enum: [a]}}"),
        &old("{type: string, enum: [b, c]}"),
    );
    check(
        "unsupported-schema",
        "write `oneOf`, with a schema for each case",
        &new(
            "{type: object, properties: {a: {type: string}, b: {type: string}}, dependentRequired: {a: [b]}}",
        ),
        &new(
            "{oneOf: [{type: object, additionalProperties: false, properties: {b: {type: string}}}, {type: object, required: [a, b], properties: {a: {type: string}, b: {type: string}}}]}",
        ),
    );
    check(
        "unsupported-schema",
        "write all members in `properties` of one schema, with `additionalProperties: false`",
        &new(
            "{type: object, allOf: [{$ref: '#/components/schemas/Other'}], properties: {b: {type: string}}, unevaluatedProperties: false}",
        ),
        &new(
            "{type: object, properties: {a: {type: string}, b: {type: string}}, additionalProperties: false}",
        ),
    );
    let defaulted = |default: &str| {
        old(&format!(
            "{{type: object, properties: {{a: {{type: integer{default}}}}}}}"
        ))
    };
    check(
        "invalid-default",
        "write a value of the type",
        &defaulted(", default: '5'"),
        &defaulted(", default: 5"),
    );
    check(
        "enum-null",
        "add `nullable: true`",
        &old("{type: string, enum: [a, null]}"),
        &old("{type: string, nullable: true, enum: [a, null]}"),
    );
    check(
        "missing-items",
        "add `items`",
        &old("{type: array}"),
        &old("{type: array, items: {}}"),
    );
}

#[test]
fn a_path_or_parameter_that_follows_the_remedy_of_an_error_is_accepted() {
    let variables = "{name: name, in: path, required: true, schema: {type: string}}, \
        {name: extension, in: path, required: true, schema: {type: string}}";
    check(
        "unsupported-path",
        "put a slash between the variables",
        &path("/{name}.{extension}", variables),
        &path("/{name}/latest.{extension}", variables),
    );
    check(
        "unsupported-path",
        "write one slash",
        &path("//events/", ""),
        &path("/events/", ""),
    );
    let query = |schema: &str| {
        path(
            "/events",
            &format!("{{name: q, in: query, schema: {schema}}}"),
        )
    };
    check(
        "unsupported-parameter",
        "use a string",
        &query("{}"),
        &query("{type: string}"),
    );
    let object = |rules: &str| {
        query(&format!(
            "{{type: object, properties: {{a: {{type: string}}, b: {{type: string}}}}{rules}}}"
        ))
    };
    for rules in [
        ", minProperties: 1",
        ", maxProperties: 1",
        ", required: [a]",
    ] {
        check(
            "unsupported-parameter",
            "an object without `minProperties`",
            &object(rules),
            &object(""),
        );
    }
    let required = |text: String| text.replace("in: query,", "in: query, required: true,");
    check(
        "unsupported-parameter",
        "`required` only if the parameter is required, too",
        &object(", required: [a]"),
        &required(object(", required: [a]")),
    );
    let deep = |text: String| text.replace("in: query,", "in: query, style: deepObject,");
    check(
        "unsupported-parameter",
        "`additionalProperties`",
        &deep(object(", additionalProperties: false")),
        &deep(object("")),
    );
    let cookie = |explode: &str| {
        path(
            "/events",
            &format!(
                "{{name: seen, in: cookie, {explode}schema: {{type: array, items: {{type: string}}}}}}"
            ),
        )
    };
    check(
        "unsupported-parameter",
        "write `explode: false`",
        &cookie(""),
        &cookie("explode: false, "),
    );
    let early = path("/events", "").replace(
        "'204': {description: Gone.}",
        "'103': {description: Early.}",
    );
    check(
        "unsupported-status",
        "remove it",
        &early,
        &path("/events", ""),
    );
}

#[test]
fn a_body_that_follows_the_remedy_of_an_error_is_accepted() {
    let body = |content: &str| {
        let yaml = format!(
            "  /events:\n    post:\n      requestBody: {{required: true, content: {{{content}}}}}\n      responses: {{'204': {{description: Gone.}}}}"
        );
        document("3.0.3", &yaml, "")
    };
    let form = |schema: &str| {
        body(&format!(
            "application/x-www-form-urlencoded: {{schema: {schema}}}"
        ))
    };
    check(
        "unsupported-form",
        "an object with `properties` that are strings",
        &form("{type: array, items: {type: string}}"),
        &form("{type: object, properties: {a: {type: string}}}"),
    );
}
