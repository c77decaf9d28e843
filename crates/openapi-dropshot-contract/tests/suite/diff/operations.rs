//! Tests the parts of operations other than schemas: security requirements, parameters and their
//! serialization, and which response describes a status.

use super::{before, changes, found};
use openapi_dropshot_contract::diff::{Level, Policy};

/// A document with `GET /a`, which has these members. The document has these other members.
fn document(operation: &str, members: &str) -> String {
    let responses = match operation.contains("responses: ") {
        true => "",
        false => ", responses: {'204': {description: Done.}}",
    };
    let operation = format!("{operation}{responses}");
    let operation = operation.trim_start_matches(", ");
    format!(
        "openapi: 3.0.3\ninfo: {{title: T, version: 1.0.0}}\n\
         paths: {{/a: {{get: {{{operation}}}}}}}\n{members}\n"
    )
}

/// Returns the changes, except the change of the version.
fn ids(base: &str, revision: &str) -> Vec<(Level, String)> {
    let changes = changes(base, revision, &Policy::on(before()));
    (found(&changes).into_iter())
        .filter(|(_, id)| !id.contains("version"))
        .map(|(level, id)| (level, id.to_owned()))
        .collect()
}

fn assert_changes(base: &str, revision: &str, expected: Expected<'_>) {
    let expected: Vec<(Level, String)> = (expected.iter())
        .map(|(level, id)| (*level, (*id).to_owned()))
        .collect();
    assert_eq!(ids(base, revision), expected, "{base}to\n{revision}");
}

/// The changes that are reported.
type Expected<'t> = &'t [(Level, &'t str)];

/// The responses of an operation: the status, and the type of the body.
type Responses<'t> = &'t [(&'t str, &'t str)];

use Level::{Err, Info};

#[test]
fn an_operation_without_security_requirements_inherits_the_requirements_of_the_document() {
    let removed = (Err, "api-security-removed");
    let added = (Info, "api-security-added");
    let table: &[(&str, &str, Expected<'_>)] = &[
        ("", "security: [{l: []}]", &[removed, added]),
        ("", "security: [{k: []}, {l: []}]", &[added]),
        ("security: [{k: []}, {l: []}]", "", &[removed]),
        ("", "security: [{k: []}]", &[]),
        ("security: [{k: []}]", "", &[]),
        // The operation can be called without credentials.
        ("", "security: []", &[]),
        ("", "security: [{}]", &[]),
    ];
    for (base, revision, expected) in table {
        let with = |operation| document(operation, "security: [{k: []}]");
        assert_changes(&with(base), &with(revision), expected);
    }
}

#[test]
fn an_api_key_with_a_changed_name_or_location_breaks_clients() {
    let with = |scheme| {
        document(
            "",
            &format!("components: {{securitySchemes: {{k: {scheme}}}}}"),
        )
    };
    let base = with("{type: apiKey, name: X-Key, in: header}");
    let moved = (Err, "api-security-component-key-moved");
    for revision in [
        "{type: apiKey, name: X-Other, in: header}",
        "{type: apiKey, name: X-Key, in: query}",
    ] {
        assert_changes(&base, &with(revision), &[moved]);
    }
    // A changed type is a different change.
    let changed = [
        (Err, "api-security-component-credential-changed"),
        (Info, "api-security-component-type-changed"),
    ];
    assert_changes(&base, &with("{type: http, scheme: bearer}"), &changed);
}

#[test]
fn a_changed_serialization_of_a_parameter_or_header_breaks_clients() {
    let parameter = |members: &str| {
        let parameter = format!("parameters: [{{name: q, in: query, {members}}}]");
        document(&parameter, "")
    };
    let header = |members: &str| {
        let header = format!("headers: {{X-A: {{{members}}}}}");
        document(
            &format!("responses: {{'200': {{description: Here., {header}}}}}"),
            "",
        )
    };
    let plain = "schema: {type: string}";
    let json = "content: {application/json: {schema: {type: string}}}";
    let with_charset = "content: {application/json; charset=utf-8: {schema: {type: string}}}";
    let other = "content: {text/plain: {schema: {type: string}}}";
    for (base, revision) in [(plain, json), (json, plain), (json, other)] {
        let expected = [(Err, "request-parameter-serialization-changed")];
        assert_changes(&parameter(base), &parameter(revision), &expected);
        let expected = [(Err, "response-header-serialization-changed")];
        assert_changes(&header(base), &header(revision), &expected);
    }
    assert_changes(&header(json), &header(with_charset), &[]);
    let (base, revision) = (
        "schema: {type: object}",
        "schema: {type: object}, explode: true",
    );
    let expected = [(Err, "response-header-serialization-changed")];
    assert_changes(&header(base), &header(revision), &expected);
    // The schemas of the same media type are compared.
    let number = "content: {application/json: {schema: {type: integer}}}";
    let expected = [(Err, "response-header-type-changed")];
    assert_changes(&header(json), &header(number), &expected);
}

#[test]
fn a_new_status_is_compared_with_the_range_or_default_response_that_included_the_status() {
    let body = |status: &str, kind: &str| {
        format!(
            "{status}: {{description: Here., content: {{application/json: {{schema: {{type: {kind}}}}}}}}}"
        )
    };
    let of = |responses: &[(&str, &str)]| {
        let responses: Vec<String> = (responses.iter())
            .map(|(status, kind)| body(&format!("'{status}'"), kind))
            .collect();
        document(&format!("responses: {{{}}}", responses.join(", ")), "")
    };
    let changed = (Err, "response-body-type-changed");
    let added = (Info, "response-success-status-added");
    let error_added = (Info, "response-non-success-status-added");
    let error_removed = (Info, "response-non-success-status-removed");
    let removed = (Err, "response-success-status-removed");
    let table: &[(Responses<'_>, Responses<'_>, Expected<'_>)] = &[
        // The only response was the default, which described every status.
        (
            &[("default", "string")],
            &[("200", "integer")],
            &[changed, error_removed, added],
        ),
        (
            &[("default", "string")],
            &[("200", "string")],
            &[error_removed, added],
        ),
        // The default describes errors, so an error that now has its own response is compared with
        // the default.
        (
            &[("200", "string"), ("default", "string")],
            &[("200", "string"), ("404", "integer"), ("default", "string")],
            &[changed, error_added],
        ),
        (
            &[("200", "string"), ("4XX", "string"), ("default", "integer")],
            &[
                ("200", "string"),
                ("404", "string"),
                ("4XX", "string"),
                ("default", "integer"),
            ],
            &[error_added],
        ),
        (
            &[("200", "string"), ("404", "integer"), ("default", "string")],
            &[("200", "string"), ("default", "string")],
            &[changed, error_removed],
        ),
        (
            &[("200", "string"), ("default", "integer")],
            &[("200", "string"), ("201", "string"), ("default", "integer")],
            &[added],
        ),
        (
            &[("404", "string"), ("4XX", "string")],
            &[("404", "string")],
            &[error_removed],
        ),
        (
            &[("4XX", "string")],
            &[("404", "string")],
            &[error_removed, error_added],
        ),
        // The revision has fewer statuses of the range.
        (&[("2XX", "string")], &[("200", "string")], &[added]),
        (
            &[("2XX", "string")],
            &[("200", "integer")],
            &[changed, added],
        ),
        (
            &[("2XX", "string")],
            &[("404", "string")],
            &[removed, error_added],
        ),
        (&[("200", "string")], &[("2XX", "string")], &[added]),
    ];
    for (base, revision, expected) in table {
        assert_changes(&of(base), &of(revision), expected);
    }
}
