//! Sends bodies in each media type: valid ones reach the handler, others do not.

use super::{Requests, texts};
use crate::roundtrip::{instances::Instances, validators::Validators, values::shown};
use anyhow::Result;
use openapi_dropshot_contract::model::Operation;
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
    /// That of an operation; JSON where it has no body.
    pub(super) fn of(operation: &Operation) -> Self {
        let content = operation.request_body.iter().flat_map(|body| &body.content);
        let name = content.map(|media| media.name.value.as_str()).next();
        match name.and_then(|name| name.split(';').next()) {
            Some("application/x-www-form-urlencoded") => Form::Fields,
            Some("multipart/form-data") => Form::Parts,
            Some("application/octet-stream") => Form::Bytes,
            _ => Form::Json,
        }
    }

    /// The media type and the text of a value; nothing where it has no text.
    pub(super) fn text(self, value: &Value) -> Option<(&'static str, String)> {
        Some(match self {
            Form::Json => ("application/json", value.to_string()),
            Form::Fields => {
                let fields = value.as_object()?.iter().map(|(name, value)| {
                    let (name, value) = (texts::escaped(name), texts::escaped(&texts::text(value)?));
                    Some(format!("{name}={value}"))
                });
                let fields = fields.collect::<Option<Vec<_>>>()?;
                ("application/x-www-form-urlencoded", fields.join("&"))
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
}

/// A valid body of an operation, where it takes one and one was found.
pub(super) fn valid(operation: &Operation, validators: &Validators, form: Form) -> Option<Value> {
    let media = operation.request_body.as_ref()?.content.first()?;
    if !form.is_typed() {
        return Some(json!("bytes"));
    }
    let schema = validators
        .root()
        .pointer(&media.schema.as_ref()?.at.pointer)?;
    Instances::new(validators.root()).valid(schema)
}

/// Sends bodies.
pub(super) fn try_all(requests: &mut Requests<'_>) -> Result<()> {
    let (Some(body), true) = (&requests.operation.request_body, requests.form.is_typed()) else {
        return Ok(());
    };
    // A form without fields has no bytes, as an absent body has none.
    if requests.form == Form::Json {
        let exchange = requests.send(None, true, None, None)?;
        requests.tally.count(!body.required);
        if exchange.seen.is_some() == body.required {
            let found = if body.required { "may" } else { "may not" };
            requests.differ(
                "body-absent",
                &body.at,
                format!("the body {found} be absent"),
            );
        }
    }
    let schema = body.content.iter().find_map(|media| media.schema.as_ref());
    let (Some(schema), Some(plain)) = (
        schema,
        schema.and_then(|schema| requests.validators.root().pointer(&schema.at.pointer)),
    ) else {
        return Ok(());
    };
    let validator = requests.validators.of(schema)?;
    let values = Instances::new(requests.validators.root()).of(plain);
    let can_be_sent = |value: &&Value| match requests.form {
        Form::Json => true,
        // In a form `1` and `"1"` are the same: what is invalid as JSON need not be there.
        _ => validator.is_valid(value) && requests.form.text(value).is_some(),
    };
    let (valid, invalid): (Vec<&Value>, Vec<&Value>) = values
        .iter()
        .filter(can_be_sent)
        .partition(|value| validator.is_valid(value));
    for value in invalid
        .iter()
        .take(OF_EACH)
        .chain(valid.iter().take(OF_EACH))
    {
        let exchange = requests.send(None, true, Some((*value).clone()), None)?;
        let is_valid = validator.is_valid(value);
        requests.tally.count(is_valid);
        if exchange.seen.is_some() != is_valid {
            let rule = if is_valid {
                "body-refused"
            } else {
                "body-accepted"
            };
            requests.differ(
                rule,
                &schema.at,
                format!("{} got the response {}", shown(value), exchange.status),
            );
        }
    }
    Ok(())
}
