//! Tests bodies whose type depends on the status, and request bodies that are optional or have their own media type.

use crate::service::{Service, json, response};
use crate::statuses::{
    Client, Error, ErrorKind, RetryPolicy, TypedError, callbacks,
    responses::{CreateLoanError, CreateLoanSuccess, ExtendLoanError, ListLoansError},
    types::NewLoan,
};
use futures::TryStreamExt as _;

const LOAN: &str = r#"{"id":7,"book":"Emma"}"#;

fn client(service: &Service) -> Client {
    Client::builder(service.base_url())
        .retry(RetryPolicy::never())
        .build()
        .expect("the address is valid")
}

fn problem(status: &str, title: &str) -> String {
    let body = format!(r#"{{"title":"{title}","status":4}}"#);
    response(status, &["content-type: application/problem+json"], &body)
}

#[tokio::test]
async fn the_body_of_an_error_is_parsed_as_the_type_that_the_document_declares_for_the_status() {
    let service = Service::responding([
        json(
            "400 Bad Request",
            &[],
            r#"{"faults":[{"member":"book","reason":"is empty"}]}"#,
        ),
        response("401 Unauthorized", &[], ""),
        json(
            "409 Conflict",
            &[],
            &format!(r#"{{"until":"May","current":{LOAN}}}"#),
        ),
        problem("418 I'm a teapot", "tea"),
        response(
            "503 Service Unavailable",
            &["content-type: text/plain"],
            "closed",
        ),
    ])
    .await;
    let client = client(&service);
    let error = async || {
        let sent = client.create_loan().body(NewLoan::new("Emma")).send().await;
        sent.expect_err("it is an error")
    };
    let bad = error().await;
    match bad.typed_body() {
        Some(CreateLoanError::BadRequest(body)) => {
            let fault = &body.faults[0];
            assert_eq!((&*fault.member, &*fault.reason), ("book", "is empty"));
        }
        other => panic!("another body: {other:?}"),
    }
    assert_eq!((bad.status(), bad.kind()), (Some(400), ErrorKind::Answer));
    assert_eq!(
        error().await.typed_body(),
        Some(&CreateLoanError::Unauthorized)
    );
    match error().await.into_parts() {
        (Some(CreateLoanError::Conflict(body)), error) => {
            assert_eq!(body.until, "May");
            assert_eq!(body.current.map(|loan| loan.id), Some(7));
            assert_eq!(error.status(), Some(409));
        }
        other => panic!("another body: {other:?}"),
    }
    match error().await.typed_body() {
        Some(CreateLoanError::ClientError(problem)) => assert_eq!(problem.title, "tea"),
        other => panic!("another body: {other:?}"),
    }
    let closed = CreateLoanError::ServerError("closed".to_owned());
    assert_eq!(error().await.typed_body(), Some(&closed));
}

#[tokio::test]
async fn an_error_that_is_not_in_the_document_has_no_typed_body() {
    let page = response("400 Bad Request", &["content-type: text/html"], "<p>no");
    let large = format!(r#"{{"title":"{}"}}"#, "x".repeat(70_000));
    let service = Service::responding([
        page,
        json("409 Conflict", &[], r#"{"since":"May"}"#),
        response("302 Found", &["location: /"], ""),
        json("422 Unprocessable Content", &[], &large),
        json("200 OK", &[], "{}"),
    ])
    .await;
    let client = client(&service);
    for status in [400, 409, 302, 422, 200] {
        let error = client.create_loan().send().await;
        let error = error.expect_err("it is an error");
        assert_eq!(error.status(), Some(status), "{error}");
        assert_eq!(error.typed_body(), None, "{error}");
        assert!(!format!("{error:?}").contains("May"), "{error:?}");
    }
    drop(service);
    let rejected = client
        .create_loan()
        .send()
        .await
        .expect_err("nobody listens");
    assert_eq!(rejected.typed_body(), None);
}

#[tokio::test]
async fn a_typed_error_is_converted_to_the_plain_error_and_back() {
    async fn list(client: &Client) -> Result<usize, Error> {
        Ok(client.list_loans().send().await?.len())
    }
    let service = Service::responding([
        problem("400 Bad Request", "no"),
        response("401 Unauthorized", &[], ""),
        json("404 Not Found", &[], "[6,8]"),
    ])
    .await;
    let client = client(&service);
    let error: TypedError<ListLoansError> = list(&client).await.expect_err("it fails").into();
    assert!(matches!(error.typed_body(), Some(ListLoansError::Other(body)) if body.title == "no"));
    assert_eq!(error.message(), "no");
    let pages = client.list_loans().stream().try_collect::<Vec<_>>().await;
    let error = TypedError::<ListLoansError>::from(pages.expect_err("it fails"));
    assert_eq!(error.typed_body(), Some(&ListLoansError::Unauthorized));
    let days = crate::statuses::types::ExtendLoanBody::builder().days(3);
    let error = client.extend_loan().loan_id(7).body(days).send().await;
    match error.expect_err("it fails").typed_body() {
        Some(ExtendLoanError::NotFound(nearby)) => assert_eq!(**nearby, [6, 8]),
        other => panic!("another body: {other:?}"),
    }
}

#[tokio::test]
async fn the_body_of_a_success_is_parsed_as_the_type_that_the_document_declares_for_the_status() {
    let service = Service::responding([
        json("200 OK", &[], LOAN),
        json("202 Accepted", &[], r#"{"ticket":"t1"}"#),
        response("204 No Content", &[], ""),
    ])
    .await;
    let client = client(&service);
    let sent = async || {
        let sent = client.create_loan().send().await;
        sent.expect("it is a success").into_inner()
    };
    assert!(matches!(sent().await, CreateLoanSuccess::Ok(loan) if loan.book == "Emma"));
    assert!(matches!(sent().await, CreateLoanSuccess::Accepted(later) if later.ticket == "t1"));
    assert_eq!(sent().await, CreateLoanSuccess::NoContent);
}

#[tokio::test]
async fn an_optional_body_is_sent_only_if_it_is_set() {
    let service = Service::responding((0..3).map(|_| json("200 OK", &[], LOAN))).await;
    let client = client(&service);
    let create = || client.create_loan();
    create().send().await.expect("it is a success");
    let request = create().body(NewLoan::new("Emma"));
    request.send().await.expect("it is a success");
    let request = create().body_map(|body| body.book("Persuasion"));
    request.send().await.expect("it is a success");
    let requests = service.requests();
    assert!(!requests[0].contains("content-type"), "{}", requests[0]);
    assert!(requests[0].ends_with("\r\n\r\n"), "{}", requests[0]);
    assert!(requests[1].contains("content-type: application/json\r\n"));
    assert!(
        requests[1].ends_with(r#"{"book":"Emma"}"#),
        "{}",
        requests[1]
    );
    assert!(
        requests[2].ends_with(r#"{"book":"Persuasion"}"#),
        "{}",
        requests[2]
    );
    let incomplete = create().body_map(|body| body.url("http://localhost".to_owned()));
    let error = incomplete.send().await.expect_err("`book` is missing");
    assert_eq!(error.kind(), ErrorKind::Request);
}

#[tokio::test]
async fn bodies_have_the_media_type_of_the_document() {
    let service = Service::responding([
        json("200 OK", &[], r#"{"anything":[1]}"#),
        response("204 No Content", &[], ""),
    ])
    .await;
    let client = client(&service);
    let days = crate::statuses::types::ExtendLoanBody::builder().days(3);
    let changed = client.extend_loan().loan_id(7).body(days).send().await;
    assert_eq!(changed.expect("it is a success")["anything"][0], 1);
    let scan = client.scan_loan().loan_id(7).body("png").send().await;
    scan.expect("it is a success");
    let requests = service.requests();
    assert!(
        requests[0].starts_with("PATCH /v1/loans/7 "),
        "{}",
        requests[0]
    );
    assert!(requests[0].contains("content-type: application/merge-patch+json\r\n"));
    assert!(requests[0].ends_with(r#"{"days":3}"#), "{}", requests[0]);
    assert!(
        requests[1].contains("content-type: image/png\r\n"),
        "{}",
        requests[1]
    );
    assert!(requests[1].ends_with("\r\n\r\npng"), "{}", requests[1]);
}

#[tokio::test]
async fn a_list_parameter_with_explode_false_is_sent_as_one_text() {
    let service = Service::responding([json("200 OK", &[], "[]")]).await;
    let client = client(&service);
    let texts = |texts: &[&str]| {
        texts
            .iter()
            .map(|text| (*text).to_owned())
            .collect::<Vec<_>>()
    };
    let request = client.list_loans().state(texts(&["a b", "c,d"]));
    let request = request.x_fields(texts(&["id", "book"]));
    request.send().await.expect("it is a success");
    let sent = &service.requests()[0];
    assert!(
        sent.starts_with("GET /v1/loans?state=a+b,c%2Cd HTTP"),
        "{sent}"
    );
    assert!(sent.contains("x-fields: id,book\r\n"), "{sent}");
    let request = client.list_loans().x_fields(texts(&["i,d"]));
    let error = request
        .send()
        .await
        .expect_err("the comma would end the item");
    assert_eq!(error.kind(), ErrorKind::Request);
}

#[test]
fn the_body_of_each_callback_has_a_generated_type() {
    let returned: callbacks::CreateLoanReturned =
        serde_json::from_str(LOAN).expect("it is what the service sends");
    assert_eq!(returned.id, 7);
    let reminded: callbacks::CreateLoanReminded =
        serde_json::from_str(r#"{"days":2}"#).expect("it is what the service sends");
    assert_eq!(reminded.days, 2);
}
