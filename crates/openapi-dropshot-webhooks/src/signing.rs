//! Creates the headers of a signed message.

use crate::Secret;
use chrono::{DateTime, Utc};
use http::{HeaderMap, HeaderName, HeaderValue};
use standardwebhooks::{
    HEADER_WEBHOOK_ID, HEADER_WEBHOOK_SIGNATURE, HEADER_WEBHOOK_TIMESTAMP, Webhook,
};

/// Why a message cannot be signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidMessage {
    /// There is no secret.
    #[error("there is no secret to sign the message with; pass at least one")]
    NoSecret,
    /// The message id is not a valid header value, or contains a dot. In the signed text, a dot separates the id from the timestamp.
    #[error("the id of the message cannot be signed; use visible ASCII characters without dots")]
    Id,
    /// The body is not UTF-8.
    #[error("the body of the message is not UTF-8; write it as JSON")]
    Body,
}

/// Returns the headers `webhook-id`, `webhook-timestamp` and `webhook-signature` of a message, with one signature for each secret.
/// While a secret is being rotated, pass both the new and the previous secret.
///
/// # Errors
///
/// There is no secret, the id is not valid, or the body is not UTF-8.
pub fn sign(
    message_id: &str,
    at: DateTime<Utc>,
    body: &[u8],
    secrets: &[Secret],
) -> Result<HeaderMap, InvalidMessage> {
    if secrets.is_empty() {
        return Err(InvalidMessage::NoSecret);
    }
    let is_allowed = |byte: u8| byte.is_ascii_graphic() && byte != b'.';
    if message_id.is_empty() || !message_id.bytes().all(is_allowed) {
        return Err(InvalidMessage::Id);
    }
    let signatures = secrets.iter().map(|secret| {
        Webhook::from_bytes(secret.bytes().to_vec())?.sign(message_id, at.timestamp(), body)
    });
    let signatures: Vec<String> = signatures
        .collect::<Result<_, _>>()
        .map_err(|_| InvalidMessage::Body)?;
    let headers = [
        (HEADER_WEBHOOK_ID, message_id.to_owned()),
        (HEADER_WEBHOOK_TIMESTAMP, at.timestamp().to_string()),
        (HEADER_WEBHOOK_SIGNATURE, signatures.join(" ")),
    ];
    let headers = headers.into_iter().map(|(name, value)| {
        let value = HeaderValue::try_from(value).expect("visible ASCII characters and spaces");
        (HeaderName::from_static(name), value)
    });
    Ok(headers.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MasterKey;

    #[test]
    fn a_message_is_signed_with_each_secret_and_the_crate_standardwebhooks_verifies_each_signature()
    {
        let key = MasterKey::from_bytes(&[1; 32]).expect("long enough");
        let secrets = [key.secret("we_1", 2), key.secret("we_1", 1)];
        let body = r#"{"type":"order.placed"}"#.as_bytes();
        let headers = sign("evt_1", Utc::now(), body, &secrets).expect("it can be signed");
        for secret in &secrets {
            let receiver = Webhook::new(&secret.reveal()).expect("a secret");
            receiver.verify(body, &headers).expect("it is valid");
            assert!(receiver.verify(b"{}", &headers).is_err());
        }
        let other = Webhook::new(&key.secret("we_2", 1).reveal()).expect("a secret");
        assert!(other.verify(body, &headers).is_err());
        let signatures = headers[HEADER_WEBHOOK_SIGNATURE].to_str().expect("ASCII");
        assert_eq!(signatures.split(' ').count(), 2);
    }

    #[test]
    fn messages_that_cannot_be_signed_are_rejected() {
        let secret = [MasterKey::from_bytes(&[1; 32])
            .expect("long enough")
            .secret("we_1", 1)];
        let now = Utc::now();
        assert_eq!(
            sign("evt_1", now, b"{}", &[]),
            Err(InvalidMessage::NoSecret)
        );
        assert_eq!(
            sign("evt_1", now, b"\xff", &secret),
            Err(InvalidMessage::Body)
        );
        for id in ["", "evt.1", "evt 1", "evt\n1", "évt"] {
            assert_eq!(
                sign(id, now, b"{}", &secret),
                Err(InvalidMessage::Id),
                "{id}"
            );
        }
    }
}
