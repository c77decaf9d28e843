//! Tests the verification of messages.

use super::*;
use http::HeaderValue;
use serde_json::json;

const SECRET: &str = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const OTHER: &str = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX";
const SENT: i64 = 1_700_000_000;

#[derive(Debug, PartialEq, Eq, Deserialize)]
struct Event {
    book: i64,
}

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(seconds, 0).expect("a time")
}

fn webhooks(secrets: &[&str], now: i64) -> Webhooks<Event> {
    let webhooks = Webhooks::new(secrets).expect("valid secrets");
    webhooks.clock(move || at(now))
}

fn signed(body: &str) -> HeaderMap {
    let signature = Webhook::new(SECRET)
        .expect("a secret")
        .sign("evt_1", SENT, body.as_bytes());
    let signature = format!("v1,unknown v1a,other {}", signature.expect("UTF-8"));
    let header = |text: &str| HeaderValue::try_from(text).expect("a header");
    HeaderMap::from_iter([
        (HEADER_WEBHOOK_ID.parse().expect("a name"), header("evt_1")),
        (
            HEADER_WEBHOOK_TIMESTAMP.parse().expect("a name"),
            header(&SENT.to_string()),
        ),
        (
            HEADER_WEBHOOK_SIGNATURE.parse().expect("a name"),
            header(&signature),
        ),
    ])
}

fn error(result: Result<Received<Event>, WebhookError>) -> WebhookError {
    result.expect_err("the message is rejected")
}

#[test]
fn a_message_that_was_signed_with_any_of_the_secrets_is_accepted_and_parsed() {
    let body = r#"{"book":7,"type":"book.added"}"#;
    for secrets in [&[SECRET][..], &[OTHER, SECRET]] {
        let message = webhooks(secrets, SENT).verify(&signed(body), body.as_bytes());
        let Received::Event(message) = message.expect("it is valid") else {
            panic!("it is an event");
        };
        assert_eq!(
            (message.id.as_str(), message.timestamp),
            ("evt_1", at(SENT))
        );
        assert_eq!(message.event, Event { book: 7 });
    }
}

#[test]
fn the_signature_of_the_standard_webhooks_test_vector_is_valid() {
    let body = br#"{"email":"test@example.com","username":"test_user"}"#;
    let headers = [
        (HEADER_WEBHOOK_ID, "msg_27UH4WbU6Z5A5EzD8u03UvzRbpk"),
        (HEADER_WEBHOOK_TIMESTAMP, "1649367553"),
        (
            HEADER_WEBHOOK_SIGNATURE,
            "v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=",
        ),
    ];
    let headers: HeaderMap = headers
        .into_iter()
        .map(|(name, value)| {
            (
                name.parse().expect("a name"),
                HeaderValue::from_static(value),
            )
        })
        .collect();
    let webhooks = Webhooks::<serde_json::Value>::new([SECRET]).expect("valid");
    let webhooks = webhooks.clock(|| at(1_649_367_553));
    assert!(matches!(
        webhooks.verify(&headers, body),
        Ok(Received::Event(_))
    ));
}

#[test]
fn a_challenge_is_accepted_only_if_the_signature_is_valid() {
    let body = json!({"type": "endpoint.verification", "challenge": "a text"}).to_string();
    let received = webhooks(&[SECRET], SENT).verify(&signed(&body), body.as_bytes());
    assert_eq!(
        received.expect("it is valid"),
        Received::Challenge("a text".to_owned())
    );
    let forged = webhooks(&[OTHER], SENT).verify(&signed(&body), body.as_bytes());
    assert!(matches!(error(forged), WebhookError::Signature));
    // An event with such a member is an event.
    let body = json!({"type": "book.added", "challenge": "a text", "book": 1}).to_string();
    let received = webhooks(&[SECRET], SENT).verify(&signed(&body), body.as_bytes());
    assert!(matches!(received, Ok(Received::Event(_))));
}

#[test]
fn changed_messages_are_rejected() {
    let body = r#"{"book":7}"#;
    let verify = |headers: &HeaderMap, body: &[u8]| webhooks(&[SECRET], SENT).verify(headers, body);
    for changed in [&br#"{"book":8}"#[..], b"", b"\xff", br#"{"book": 7}"#] {
        assert!(matches!(
            error(verify(&signed(body), changed)),
            WebhookError::Signature
        ));
    }
    let changes = [
        (HEADER_WEBHOOK_ID, "evt_2"),
        (HEADER_WEBHOOK_TIMESTAMP, "1700000001"),
        (HEADER_WEBHOOK_SIGNATURE, "v1,"),
        (HEADER_WEBHOOK_SIGNATURE, ""),
    ];
    for (name, value) in changes {
        let mut headers = signed(body);
        headers.insert(name, HeaderValue::from_static(value));
        assert!(
            matches!(
                error(verify(&headers, body.as_bytes())),
                WebhookError::Signature
            ),
            "{name}"
        );
    }
}

#[test]
fn the_error_names_a_header_that_is_missing_or_invalid() {
    let body = r#"{"book":7}"#;
    let verify =
        |headers: &HeaderMap| error(webhooks(&[SECRET], SENT).verify(headers, body.as_bytes()));
    for name in [
        HEADER_WEBHOOK_ID,
        HEADER_WEBHOOK_TIMESTAMP,
        HEADER_WEBHOOK_SIGNATURE,
    ] {
        let mut headers = signed(body);
        headers.remove(name);
        assert!(
            matches!(verify(&headers), WebhookError::MissingHeader(missing) if missing == name)
        );
        headers.insert(name, HeaderValue::from_bytes(b"\xff").expect("bytes"));
        assert!(
            matches!(verify(&headers), WebhookError::InvalidHeader(invalid) if invalid == name)
        );
    }
    for seconds in ["soon", "9223372036854775807", "-9223372036854775808"] {
        let mut headers = signed(body);
        headers.insert(HEADER_WEBHOOK_TIMESTAMP, HeaderValue::from_static(seconds));
        assert!(
            matches!(verify(&headers), WebhookError::InvalidHeader(_)),
            "{seconds}"
        );
    }
}

#[test]
fn a_timestamp_up_to_five_minutes_in_the_past_or_the_future_is_accepted() {
    let body = r#"{"book":7}"#;
    let verify = |now| webhooks(&[SECRET], now).verify(&signed(body), body.as_bytes());
    assert!(verify(SENT + 300).is_ok());
    assert!(verify(SENT - 300).is_ok());
    assert!(matches!(error(verify(SENT + 301)), WebhookError::TooOld));
    assert!(matches!(error(verify(SENT - 301)), WebhookError::TooNew));
}

#[test]
fn the_error_for_a_signed_body_of_an_unexpected_type_names_the_member_but_not_the_value() {
    let body = r#"{"book":"secret text"}"#;
    let error = error(webhooks(&[SECRET], SENT).verify(&signed(body), body.as_bytes()));
    let WebhookError::Body(source) = error else {
        panic!("{error}");
    };
    assert!(source.to_string().contains("book"), "{source}");
    assert!(!source.to_string().contains("secret text"), "{source}");
}

#[test]
fn secrets_that_are_missing_short_or_malformed_are_rejected_and_never_shown() {
    let new = |secrets: &[&str]| Webhooks::<Event>::new(secrets).expect_err("not valid");
    assert_eq!(new(&[]), InvalidSecret::Missing);
    let malformed = [
        "",
        "whsec_",
        "whsec_AAAA",
        "whsec_?",
        &SECRET[6..],
        "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD\n",
    ];
    for secret in malformed {
        assert_eq!(new(&[SECRET, secret]), InvalidSecret::Form, "{secret}");
    }
    assert_eq!(
        format!("{:?}", webhooks(&[SECRET], SENT)),
        "Webhooks { .. }"
    );
}
