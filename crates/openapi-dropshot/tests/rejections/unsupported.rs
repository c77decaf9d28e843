//! Tests that parts of a document that would otherwise be dropped silently are rejected, and also
//! paths that have another meaning for the router.

use super::{PATH, assert_rejected, operation, problems};

const GONE: &str = "      responses: {'204': {description: Gone.}}\n";

/// An operation with this member.
fn with(yaml: &str) -> String {
    operation(&format!(
        "    get:\n      operationId: a{PATH}\n{yaml}{GONE}"
    ))
}

/// The same document, after another, ordinary operation.
fn after(yaml: &str) -> String {
    with("") + yaml
}

#[test]
fn constructs_that_generated_code_would_ignore_are_rejected() {
    assert_rejected(&[
        (
            with("").replace(
                "schema: {type: string}}",
                "schema: {type: string}}\n        - {name: q, in: query, allowReserved: true, schema: {type: string}}",
            ),
            "unsupported-allow-reserved 11:47 … remove `allowReserved`",
        ),
        (
            after("components: {parameters: {Q: {name: q, in: query, allowReserved: true, schema: {type: string}}}}\n"),
            "unsupported-allow-reserved",
        ),
    ]);
}

#[test]
fn constructs_in_documents_of_other_teams_are_supported() {
    let responses = |yaml: &str| with("").replace(GONE, &format!("      responses: {yaml}\n"));
    let body = |yaml: &str| with(&format!("      requestBody: {yaml}\n")).replace("get:", "post:");
    for text in [
        with("      callbacks: {done: {'{$request.body#/url}': {post: {responses: {'204': {description: A.}}}}}}\n"),
        with("").replace("description: Gone.", "description: Gone., links: {next: {operationId: a}}"),
        with("      servers: [{url: 'https://other.example'}]\n"),
        with("").replace("      operationId: a\n", ""),
        after("  /things/all:\n    get:\n      responses: {'204': {description: All.}}\n"),
        responses("{'200': {description: A.}, '201': {description: B.}}"),
        responses("{2XX: {description: A.}, default: {description: B.}}"),
        responses("{default: {description: A.}}"),
        responses("{'404': {description: A.}}"),
        responses("{'200': {description: A., content: {application/json: {}}}}"),
        responses("{'200': {description: A., content: {text/csv: {}, text/plain: {}}}}"),
        responses(
            "{'204': {description: A.}, '400': {description: B., content: {application/problem+json: {schema: {type: string}}}}, '404': {description: C., content: {application/json: {schema: {type: integer}}}}, '409': {description: D., content: {text/plain: {}}}}",
        ),
        body("{required: true, content: {text/plain: {schema: {type: string}}}}"),
        body("{required: true, content: {multipart/form-data: {schema: {type: object}}}}"),
        body("{required: true, content: {application/json: {}}}"),
        body("{required: true, content: {application/json: {schema: {type: string}}, application/xml: {schema: {type: string}}}}"),
        body("{content: {application/json: {schema: {type: object, required: [id], properties: {id: {type: integer, readOnly: true}}}}}}"),
        responses("{'200': {description: A., content: {application/json: {schema: {type: object, required: [a], properties: {a: {type: string, writeOnly: true}}}}}}}"),
        after("servers: [{url: '{a}/v1', variables: {a: {default: 'http://a'}}}, {url: 'https://a.example/v2'}]\n"),
        with("").replace(
            "schema: {type: string}}",
            "schema: {type: string}}\n        - {name: h, in: header, schema: {type: array, items: {type: string}}}",
        ),
        with("").replace(
            "schema: {type: string}}",
            "schema: {type: string}}\n        - {name: q, in: query, schema: {type: object, required: [b], properties: {b: {type: string}}}}",
        ),
        with("").replace(
            "schema: {type: string}}",
            "schema: {type: string}}\n        - {name: q, in: query, style: deepObject, explode: true, schema: {type: object, properties: {b: {type: string}}}}",
        ),
        with("").replace(
            "schema: {type: string}}",
            "schema: {type: string}}\n        - {name: q, in: query, explode: false, schema: {type: array, items: {type: string}}}",
        ),
    ] {
        assert_eq!(problems(&text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn several_servers_with_the_same_path_are_supported() {
    let servers = "servers: [{url: '{a}/v1', variables: {a: {default: 'http://a'}}}, {url: 'https://a.example/v1/'}]\n";
    assert_eq!(problems(&after(servers)), Vec::<String>::new());
}

#[test]
fn paths_that_requests_cannot_have_are_rejected() {
    let at = |path: &str| {
        with("")
            .replace("/things/{thingId}:", &format!("{path}:"))
            .replace(PATH, "")
    };
    assert_rejected(&[
        (
            at("/a/../b"),
            "unsupported-path 6:3 the segments `.` and `..` … without them",
        ),
        (
            at("/a//b"),
            "unsupported-path 6:3 an empty segment … write one slash",
        ),
        (
            at("/a%20b"),
            "unsupported-path 6:3 `%` in a path … stand for themselves",
        ),
        (
            at("/a/{b:int}"),
            "unsupported-path … a variable of a path is not supported with `:` in its name",
        ),
        (
            at("/a b"),
            "unsupported-path … a path has none of the characters",
        ),
        (
            at("/openapi.json"),
            "unsupported-path 6:3 the service has a page of its own … leave it out",
        ),
    ]);
}
