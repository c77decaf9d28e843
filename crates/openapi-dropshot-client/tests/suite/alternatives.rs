//! Tests unions with a discriminator, and properties that may be absent, `null` or a value.

use crate::service::{Service, json, response};
use crate::statuses::{
    Client, RetryPolicy,
    types::{
        Borrower, BorrowerPatch, BorrowerPatchNickname, Guest, Locked, Person, Plain, School, Shelf,
    },
};
use std::collections::BTreeMap;

fn client(service: &Service) -> Client {
    Client::builder(service.base_url())
        .retry(RetryPolicy::never())
        .build()
        .expect("the address is valid")
}

/// Reads a value and writes it back.
fn read<T: serde::de::DeserializeOwned + serde::Serialize>(text: &str) -> (T, String) {
    let value: T = serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let written = serde_json::to_string(&value).expect("it can be written");
    (value, written)
}

#[test]
fn a_union_is_read_as_the_alternative_that_its_discriminator_names() {
    for text in [
        r#"{"kind":"school","pupils":200}"#,
        r#"{"kind":"School","pupils":200}"#,
    ] {
        let (borrower, written) = read::<Borrower>(text);
        assert!(
            matches!(&borrower, Borrower::School(school) if school.pupils == Some(200)),
            "{borrower:?}"
        );
        assert_eq!(written, text);
    }
    for (text, reason) in [
        (
            r#"{"kind":"club"}"#,
            "`kind` must be one of `person`, `Person`, `school`, `School`",
        ),
        (r#"{"pupils":3}"#, "must have a string `kind`"),
        (r#"{"kind":"school","pupils":"many"}"#, "invalid type"),
    ] {
        let error = serde_json::from_str::<Borrower>(text)
            .expect_err(text)
            .to_string();
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn a_union_in_a_member_is_parsed_by_the_discriminator_of_that_union() {
    let text = r#"{"contact":{"contact":null,"kind":"school"},"kind":"school"}"#;
    let (school, written) = read::<School>(text);
    assert!(
        matches!(
            school.contact.as_ref().map(Option::as_deref),
            Some(Some(Borrower::School(_)))
        ),
        "{school:?}"
    );
    assert_eq!(written, text);
    let (guest, _) = read::<Guest>(r#"{"kind":"School","pupils":2}"#);
    assert!(
        format!("{guest:?}").contains("pupils: Some(2)"),
        "{guest:?}"
    );
}

#[tokio::test]
async fn a_union_is_sent_and_received() {
    let text = r#"{"kind":"school","pupils":7}"#;
    let service = Service::responding([json("200 OK", &[], text)]).await;
    let school = School::builder().kind("school").pupils(7);
    let school = Borrower::from(School::try_from(school).expect("it is whole"));
    let sent = client(&service)
        .put_borrower()
        .borrower_id(1)
        .body(school.clone())
        .send()
        .await;
    assert_eq!(sent.expect("it is a success").into_inner(), school);
    assert!(
        service.requests()[0].ends_with(text),
        "{}",
        service.requests()[0]
    );
}

#[tokio::test]
async fn a_member_is_sent_as_null_only_if_it_was_set_to_null() {
    let service = Service::responding((0..6).map(|_| response("204 No Content", &[], ""))).await;
    let client = client(&service);
    for patch in [
        BorrowerPatch::builder()
            .phone(None::<String>)
            .languages(None::<Vec<String>>),
        BorrowerPatch::builder()
            .phone("555".to_owned())
            .pupils(None::<i64>)
            .contact(None::<Person>),
        BorrowerPatch::builder()
            .name("Ann".to_owned())
            .languages(Vec::new()),
        BorrowerPatch::builder()
            .hobbies(Vec::new())
            .notes(BTreeMap::new()),
        BorrowerPatch::builder().hobbies(["chess".to_owned()]),
        BorrowerPatch::builder()
            .hobbies(None::<Vec<String>>)
            .notes(Some(BTreeMap::new())),
    ] {
        let sent = client
            .update_borrower()
            .borrower_id(1)
            .body(patch)
            .send()
            .await;
        sent.expect("it is a success");
    }
    let requests = service.requests();
    for (request, body) in requests.iter().zip([
        r#"{"languages":null,"phone":null}"#,
        r#"{"contact":null,"phone":"555","pupils":null}"#,
        r#"{"languages":[],"name":"Ann"}"#,
        r#"{"hobbies":[],"notes":{}}"#,
        r#"{"hobbies":["chess"]}"#,
        r#"{"notes":{}}"#,
    ]) {
        assert!(request.ends_with(&format!("\r\n\r\n{body}")), "{request}");
    }
}

#[test]
fn an_absent_member_and_null_are_distinguished() {
    for text in [
        "{}",
        r#"{"phone":null}"#,
        r#"{"phone":"555"}"#,
        r#"{"contact":null}"#,
        r#"{"contact":{"kind":"person","phone":null}}"#,
        r#"{"guest":null}"#,
        r#"{"languages":null,"pupils":null}"#,
        r#"{"hobbies":[],"notes":{}}"#,
        r#"{"hobbies":["chess"]}"#,
    ] {
        assert_eq!(read::<BorrowerPatch>(text).1, text);
    }
    let (patch, _) = read::<BorrowerPatch>(r#"{"phone":null}"#);
    assert_eq!((patch.phone, patch.pupils), (Some(None), None));
    serde_json::from_str::<BorrowerPatch>(r#"{"name":null}"#).expect("clients read leniently");
}

#[test]
fn a_union_without_a_discriminator_is_read_as_the_alternative_that_keeps_the_most_parts() {
    let text = r#"{"floor":2,"key":"k"}"#;
    let (shelf, written) = read::<Shelf>(text);
    assert!(matches!(shelf, Shelf::Locked(_)), "{shelf:?}");
    assert_eq!(written, text);
    assert!(matches!(read::<Shelf>(r#"{"floor":2}"#).0, Shelf::Plain(_)));
    let newer = r#"{"floor":2,"colour":"red"}"#;
    assert!(matches!(read::<Shelf>(newer).0, Shelf::Plain(_)));
    serde_json::from_str::<Shelf>("{}").expect_err("no alternative fits");
    let plain = Plain::builder().floor(3).build().expect("it is whole");
    let locked = Locked::builder().floor(3).key("k");
    let locked = locked.build().expect("it is whole");
    assert_ne!(Shelf::from(plain), Shelf::from(locked));
}

#[test]
fn a_text_that_is_too_long_is_accepted_in_a_response_and_rejected_in_a_request() {
    let text = r#"{"nickname":"much longer than five"}"#;
    assert_eq!(read::<BorrowerPatch>(text).1, text);
    let nickname = "much longer than five".parse::<BorrowerPatchNickname>();
    nickname.expect_err("requests keep the rules");
}
