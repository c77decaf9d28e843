//! Tests the form of paths, parameters, bodies, servers, security schemes and components, each
//! separately.

use crate::support::{
    assert_clean, assert_fault, assert_warning, problems, with_components, with_operation,
    with_paths, with_schemas,
};
use openapi_dropshot_contract::Profile;

const RESPONSES: &str = "responses: {'200': {description: Fine.}}";

#[test]
fn invalid_paths_are_reported() {
    let path = |path: &str| with_paths(&format!("  «{path}:\n    get: {{{RESPONSES}}}\n"));
    assert_fault(
        &path("books"),
        "path-form",
        "does not begin with `/`",
        "write `/books`",
    );
    assert_fault(
        &path("/books?all"),
        "path-form",
        "a query or a fragment",
        "in: query",
    );
    for broken in ["/{a", "/a}", "/{}", "/{a{b}}", "/{a/b}"] {
        assert_fault(
            &path(&format!("'{broken}'")),
            "path-form",
            "braces",
            "{name}",
        );
    }
}

#[test]
fn invalid_status_codes_are_reported() {
    for code in ["20", "2000", "600", "2xx", "XX2", "ok"] {
        let text = with_paths(&format!(
            "  /a:\n    get:\n      responses:\n        «'{code}': {{description: Odd.}}\n"
        ));
        assert_fault(&text, "status-code", "is not a status code", "'200'");
    }
    assert_clean(&with_paths(
        "  /a:\n    get:\n      responses:\n        2XX: {description: Fine.}\n        default: {description: Else.}\n",
    ));
    let text = with_paths("  /a:\n    get:\n      responses: «{}\n");
    assert_warning(&text, "no-response", "has no response", "'200'");
}

#[test]
fn invalid_parameters_are_reported() {
    let parameter =
        |members: &str| with_operation(&format!("      parameters:\n        - {members}\n"));
    let text = parameter("{name: q, in: «body, schema: {}}");
    assert_fault(
        &text,
        "parameter-in",
        "cannot be sent in `body`",
        "requestBody",
    );
    let text = parameter("«{name: q, in: query}");
    assert_fault(
        &text,
        "missing-member",
        "neither `schema` nor `content`",
        "add `schema`",
    );
    let text = parameter("{name: q, in: query, schema: {}, content: «{a/b: {}}}");
    assert_fault(
        &text,
        "exclusive-members",
        "`content` beside `schema`",
        "keep one",
    );
    let text = parameter("{name: q, in: query, content: «{a/b: {}, c/d: {}}}");
    assert_fault(&text, "wrong-type", "exactly one media type", "keep one");
    let text = parameter("{name: q, in: query, schema: {}, example: 1, examples: «{}}");
    assert_fault(
        &text,
        "exclusive-members",
        "`examples` is written beside `example`",
        "keep one",
    );
    let text = with_components("  parameters:\n    P: «{name: id, in: path, schema: {}}\n");
    assert_fault(
        &text,
        "path-parameter-required",
        "`id` is not required",
        "required: true",
    );
    let text = with_operation(
        "      parameters:\n        - {name: X-A, in: header, schema: {}}\n        - «{name: x-a, in: header, schema: {}}\n",
    );
    assert_fault(
        &text,
        "duplicate-parameter",
        "the header parameter `x-a` is listed twice",
        "remove",
    );
}

#[test]
fn bodies_with_invalid_media_types_are_reported() {
    let text = with_paths(&format!(
        "  /a:\n    post:\n      requestBody: {{content: {{«json: {{}}}}}}\n      {RESPONSES}\n"
    ));
    assert_fault(
        &text,
        "media-type",
        "`json` is not a media type",
        "application/json",
    );
    let text = with_paths(&format!(
        "  /a:\n    post:\n      requestBody: «{{required: true}}\n      {RESPONSES}\n"
    ));
    assert_fault(
        &text,
        "missing-member",
        "a request body lacks `content`",
        "add `content`",
    );
    assert_clean(&with_paths(&format!(
        "  /a:\n    post:\n      requestBody: {{content: {{'image/*': {{}}, 'text/plain; charset=utf-8': {{}}}}}}\n      {RESPONSES}\n"
    )));
}

#[test]
fn undefined_server_variables_are_reported() {
    let servers = |server: &str| {
        format!(
            "openapi: 3.0.3\ninfo: {{title: T, version: 1.0.0}}\npaths: {{}}\nservers:\n  - {server}\n"
        )
    };
    let text = servers("{url: «'https://{host}/v1'}");
    assert_fault(
        &text,
        "server-variable",
        "the variable `{host}`",
        "with a `default`",
    );
    let text = servers("{url: '{h}', variables: {h: {enum: [a], default: «b}}}");
    assert_fault(
        &text,
        "server-variable",
        "`b` is not in `enum`",
        "one of its values",
    );
    let text = servers("{url: '{h}', variables: {h: «{}}}");
    assert_fault(
        &text,
        "missing-member",
        "a server variable lacks `default`",
        "add",
    );
}

#[test]
fn duplicate_tags_are_reported() {
    let text = "openapi: 3.0.3\ninfo: {title: T, version: 1.0.0}\npaths: {}\ntags:\n  - name: a\n  - name: «a\n";
    assert_warning(text, "duplicate-tag", "declared twice", "remove");
}

#[test]
fn incomplete_security_schemes_are_reported() {
    let scheme =
        |members: &str| with_components(&format!("  securitySchemes:\n    S: {members}\n"));
    assert_fault(
        &scheme("«{type: http}"),
        "missing-member",
        "lacks `scheme`",
        "add",
    );
    assert_fault(
        &scheme("{type: «basic}"),
        "security-scheme",
        "not a type of a security scheme",
        "scheme: basic",
    );
    assert_fault(
        &scheme("{type: apiKey, name: k, in: «body}"),
        "security-scheme",
        "cannot be sent in `body`",
        "header",
    );
    assert_fault(
        &scheme("«{type: oauth2}"),
        "missing-member",
        "lacks `flows`",
        "add",
    );
    let text = scheme("{type: oauth2, flows: {password: «{scopes: {}}}}");
    assert_fault(&text, "missing-member", "a flow lacks `tokenUrl`", "add");
}

#[test]
fn an_unused_component_is_read() {
    for (section, what) in [
        ("responses", "a response"),
        ("parameters", "a parameter"),
        ("examples", "an example"),
        ("requestBodies", "a request body"),
        ("headers", "a header"),
        ("links", "a link"),
        ("schemas", "a schema"),
    ] {
        let text = with_components(&format!("  {section}:\n    A: {{nonsense: 1}}\n"));
        let problems = problems(&text, Profile::General);
        let found = problems.iter().any(|problem| {
            problem.rule == "unknown-member"
                && problem.message == format!("{what} has no member `nonsense`: it is ignored")
        });
        assert!(found, "in {section}: {problems:?}");
    }
}

#[test]
fn invalid_component_names_are_reported() {
    assert_fault(
        &with_schemas("    «A B: {}\n"),
        "component-name",
        "`A B` cannot name a component",
        "letters",
    );
}

#[test]
fn callbacks_and_links_are_checked_although_they_are_not_modelled() {
    let text = with_operation("      callbacks: {c: {'{$request.body#/url}': {post: «{}}}}\n");
    assert_fault(
        &text,
        "missing-member",
        "an operation lacks `responses`",
        "add",
    );
    let text = with_components(
        "  responses:\n    R:\n      description: R.\n      links:\n        l: {operationRef: a, operationId: «b}\n",
    );
    assert_fault(
        &text,
        "exclusive-members",
        "`operationId` is written beside `operationRef`",
        "keep one",
    );
}
