//! Tests the compiled golden files of `ledger.yaml`: errors by the codes of a catalogue, the table
//! of operations, and the removal of operations.

#[rustfmt::skip]
#[path = "../golden/ledger/api/mod.rs"]
pub mod ledger_api;
#[rustfmt::skip]
#[path = "../golden/ledger/models/mod.rs"]
pub mod ledger_models;

use dropshot::{HttpError, HttpResponseError};
use ledger_api::{
    ERROR_BODY, ErrorCode, HealthError, ListEntriesError, OPERATIONS, OperationId,
    SearchEntriesError, ledger_accounts_api_mod,
};
use openapi_dropshot_types::{
    Deprecation, ErrorMember, Rejection, SchemeKind, Security, SecurityScheme, Stability,
};
use serde_json::json;

#[test]
fn a_rejection_has_the_status_and_the_body_of_the_error_code() {
    let error = ListEntriesError::NoAccount("no account 0000".into());
    let body = serde_json::to_value(&error).expect("the body can be written");
    let rejection = Rejection::from(error);
    assert_eq!(rejection.error, ErrorCode::NoAccount.entry());
    assert_eq!(
        (rejection.error.code, rejection.error.status),
        ("no_account", 404)
    );
    assert_eq!(
        ERROR_BODY,
        [
            ("kind", ErrorMember::Code),
            ("message", ErrorMember::Message),
            ("status", ErrorMember::Status)
        ]
    );
    assert_eq!(
        body,
        json!({ "kind": "no_account", "message": "no account 0000", "status": 404 })
    );
    let error = SearchEntriesError::Broken("a secret".into());
    assert_eq!(error.status_code().as_u16(), 500);
    assert_eq!(error.to_string(), "broken: a secret");
}

#[test]
fn a_response_that_the_document_does_not_list_becomes_500() {
    let error = ListEntriesError::from(HttpError::for_bad_request(None, "bad number".to_owned()));
    assert_eq!(error.status_code().as_u16(), 400);
    let body = serde_json::to_value(&error).expect("the body can be written");
    assert_eq!(
        body,
        json!({ "kind": "invalid", "message": "bad number", "status": 400 })
    );
    let rejection = Rejection::from(error);
    assert_eq!(rejection.error, ErrorCode::Broken.entry());
    assert!(
        rejection
            .detail
            .is_some_and(|detail| detail.contains("bad number"))
    );
    assert!(!rejection.message.contains("bad number"));
    let error = HealthError::from(HttpError::for_internal_error("why".to_owned()));
    assert_eq!(Rejection::from(error).error, ErrorCode::Broken.entry());
}

#[test]
fn the_generated_error_catalogue_equals_the_catalogue_of_the_document() {
    let codes: Vec<_> = ErrorCode::ALL
        .iter()
        .map(|code| (code.as_str(), code.status()))
        .collect();
    assert_eq!(
        codes,
        [
            ("invalid", 400),
            ("no_account", 404),
            ("too_many", 429),
            ("broken", 500)
        ]
    );
    assert_eq!(ErrorCode::Invalid.entry().remedy, "Read <the> [rules].");
    assert_eq!(ErrorCode::TooMany.entry().cause, "Too many requests.");
}

#[test]
fn the_operation_table_contains_security_and_deprecation() {
    let list = OperationId::ListEntries.operation();
    assert_eq!(
        (list.name, list.method, list.path),
        ("list-entries", "GET", "/accounts/{number}/entries")
    );
    let token = SecurityScheme {
        name: "token",
        kind: SchemeKind::Bearer,
    };
    assert_eq!(list.security.schemes().collect::<Vec<_>>(), [&token]);
    assert_eq!(
        (list.security.is_open, list.stability),
        (false, Stability::Stable)
    );
    assert_eq!(
        list.errors,
        [
            ErrorCode::NoAccount.entry(),
            ErrorCode::Invalid.entry(),
            ErrorCode::TooMany.entry(),
            ErrorCode::Broken.entry()
        ]
    );
    assert_eq!(
        list.deprecation,
        Some(Deprecation {
            since: 1_801_353_600,
            sunset: 1_835_395_200,
            note: "search for them",
            deprecation_header: "@1801353600",
            sunset_header: "Tue, 29 Feb 2028 00:00:00 GMT",
            link_header: "<search>; rel=\"successor-version\"",
        })
    );
    let search = OperationId::SearchEntries.operation();
    assert_eq!(
        (search.stability, search.deprecation),
        (Stability::Experimental, None)
    );
    assert_eq!(search.request_body, Some("application/json"));
    let health = OperationId::Health.operation();
    assert_eq!(
        (health.security, health.success, health.errors.len()),
        (Security::NONE, 204, 0)
    );
    assert_eq!(OPERATIONS.len(), 3);
}

#[test]
fn the_emitted_document_has_the_bodies_of_errors() {
    let api = ledger_accounts_api_mod::stub_api_description().expect("the routes are told apart");
    let document = api
        .openapi("ledger", semver::Version::new(2, 1, 0))
        .json()
        .expect("the document can be written");
    let list = document
        .pointer("/paths/~1accounts~1{number}~1entries/get")
        .expect("the operation");
    assert_eq!(list["deprecated"], json!(true));
    assert_eq!(
        list["description"],
        "Deprecated since 2.0.0 (31 January 2027); removed on 29 February 2028; search for them."
    );
    let body = document.pointer("/components/responses/Fault/content/application~1json/schema");
    assert_eq!(body, Some(&json!({ "$ref": "#/components/schemas/Fault" })));
}
