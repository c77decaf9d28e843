//! Sends bodies in each media type: valid ones reach the handler, others do not.

use super::Requests;
use crate::roundtrip::{schemas::Schemas, values::shown};
use anyhow::Result;
use openapi_dropshot_contract::{model::MediaType, rules::differences};
use serde_json::{Value, json};

/// How many valid and how many invalid bodies are sent.
const OF_EACH: usize = 5;

/// How the body of an operation is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Json,
    /// Fields, as in a query.
    Fields,
    /// Parts, which restrict nothing.
    Parts,
    /// Bytes, which restrict nothing.
    Bytes,
}

impl Form {
    /// Returns the form of the media types that a service reads; JSON if an operation has no body.
    pub(super) fn of(read: &[MediaType]) -> Self {
        match read {
            [] => Form::Json,
            [only] if only.is_json() => Form::Json,
            [only] => match only.essence().as_str() {
                "application/x-www-form-urlencoded" => Form::Fields,
                "multipart/form-data" => Form::Parts,
                _ => Form::Bytes,
            },
            _ => Form::Bytes,
        }
    }

    /// Returns the media type and the text of a value, if this form can express the value.
    pub(super) fn text(self, value: &Value) -> Option<(&'static str, String)> {
        Some(match self {
            Form::Json => ("application/json", value.to_string()),
            Form::Fields => {
                let fields = value.as_object()?.iter().flat_map(|(name, value)| {
                    let values = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
                    values.iter().map(move |value| Some((name, text_of_field(value)?)))
                });
                let fields = fields.collect::<Option<Vec<_>>>()?;
                let fields = serde_urlencoded::to_string(fields).ok()?;
                ("application/x-www-form-urlencoded", fields)
            }
            Form::Parts => (
                "multipart/form-data; boundary=part",
                "--part\r\ncontent-disposition: form-data; name=\"file\"\r\n\r\nbytes\r\n--part--\r\n".to_owned(),
            ),
            Form::Bytes => ("application/octet-stream", "bytes".to_owned()),
        })
    }

    fn is_typed(self) -> bool {
        matches!(self, Form::Json | Form::Fields)
    }

    /// Returns a valid body, if one was found.
    pub(super) fn valid(
        self,
        media: Option<&MediaType>,
        schemas: &Schemas,
    ) -> Result<Option<Value>> {
        if !self.is_typed() {
            return Ok(Some(json!("bytes")));
        }
        if media.is_some_and(|media| media.schema.is_none()) {
            return Ok(Some(json!({})));
        }
        let schema = schemas.of(media.and_then(|media| media.schema.as_ref()))?;
        Ok(schema.and_then(|schema| schema.smallest()))
    }
}

/// Returns the text of a field of a form; `null` has none.
fn text_of_field(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// Sends bodies.
pub(super) fn try_all(requests: &mut Requests<'_>) -> Result<()> {
    let form = requests.form;
    let (Some(body), true) = (&requests.operation.request_body, form.is_typed()) else {
        return Ok(());
    };
    let mut request = requests.valid.clone();
    // A form without fields has no bytes, as an absent body has none.
    if form == Form::Json {
        request.body = None;
        let exchange = requests.send(&request, !body.required)?;
        if exchange.arguments.is_some() == body.required {
            let may = if body.required { "may" } else { "may not" };
            let message = format!("the body {may} be absent");
            requests.differ(&differences::BODY_ABSENT, &body.at, message);
        }
    }
    let read = body.read().first().and_then(|media| media.schema.as_ref());
    let Some(at) = read.map(|schema| &schema.at) else {
        return Ok(());
    };
    let schema = requests.schemas.at(&at.pointer)?;
    let (valid, mut invalid): (Vec<Value>, Vec<Value>) = schema
        .instances()
        .into_iter()
        .partition(|value| schema.is_valid(value));
    if form == Form::Fields {
        // In a form `1` and `"1"` are the same: a value that is invalid as JSON may be valid.
        invalid.clear();
    }
    let valid = valid.into_iter().filter(|value| form.text(value).is_some());
    let valid = valid.map(|value| (value, true)).take(OF_EACH);
    let invalid = invalid.into_iter().map(|value| (value, false));
    for (value, is_valid) in invalid.take(OF_EACH).chain(valid) {
        let text = shown(&value);
        request.body = Some(value);
        let exchange = requests.send(&request, is_valid)?;
        if exchange.arguments.is_some() != is_valid {
            let rule = match is_valid {
                true => &differences::BODY_REFUSED,
                false => &differences::BODY_ACCEPTED,
            };
            let message = format!("{text} got the response {}", exchange.status);
            requests.differ(rule, at, message);
        }
    }
    Ok(())
}
