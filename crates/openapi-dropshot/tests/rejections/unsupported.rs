//! Parts of a document that would be dropped in silence, and paths that mean
//! something else to the router.

use super::{PATH, assert_rejected, operation, problems};

const GONE: &str = "      responses: {'204': {description: Gone.}}\n";

/// An operation with this member.
fn with(yaml: &str) -> String {
    operation(&format!(
        "    get:\n      operationId: a{PATH}\n{yaml}{GONE}"
    ))
}

/// The same after an operation without anything of note.
fn after(yaml: &str) -> String {
    with("") + yaml
}

#[test]
fn what_nothing_generated_would_keep_is_rejected() {
    let link = "{next: {operationId: a}}";
    assert_rejected(&[
        (
            with("      callbacks: {done: {'{$request.body#/url}': {post: {responses: {'204': {description: A.}}}}}}\n"),
            "unsupported-callbacks 11:7 `callbacks` is not supported … describe in words",
        ),
        (
            after("components: {callbacks: {done: {'{$request.body#/url}': {post: {responses: {'204': {description: A.}}}}}}}\n"),
            "unsupported-callbacks",
        ),
        (
            with("").replace("description: Gone.", &format!("description: Gone., links: {link}")),
            "unsupported-links … name the operation in the description",
        ),
        (
            after(&format!("components: {{links: {link}}}\n")),
            "unsupported-links",
        ),
        (
            after(&format!("components: {{responses: {{A: {{description: A., links: {link}}}}}}}\n")),
            "unsupported-links",
        ),
        (
            with("      servers: [{url: 'https://other.example'}]\n"),
            "unsupported-servers 11:7 `servers` is not supported … at the root",
        ),
        (
            operation("    servers: [{url: 'https://other.example'}]\n") + &with("")[operation("").len()..],
            "unsupported-servers 7:5",
        ),
        (
            after("servers: [{url: '{a}/v1', variables: {a: {default: 'http://a'}}}, {url: 'https://a.example/v2'}]\n"),
            "unsupported-servers … give all servers the same path",
        ),
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
fn servers_of_one_path_are_supported() {
    let servers = "servers: [{url: '{a}/v1', variables: {a: {default: 'http://a'}}}, {url: 'https://a.example/v1/'}]\n";
    assert_eq!(problems(&after(servers)), Vec::<String>::new());
}

#[test]
fn paths_that_the_router_reads_in_another_way_are_rejected() {
    let at = |path: &str| {
        with("")
            .replace("/things/{thingId}:", &format!("{path}:"))
            .replace(PATH, "")
    };
    assert_rejected(&[
        (
            at("/things/"),
            "unsupported-path 6:3 a path that ends with a slash … without the slash",
        ),
        (
            at("/a//b"),
            "unsupported-path 6:3 an empty segment … write one slash",
        ),
        (
            at("/a%20b"),
            "unsupported-path 6:3 `%` in a path … stand for themselves",
        ),
    ]);
}
