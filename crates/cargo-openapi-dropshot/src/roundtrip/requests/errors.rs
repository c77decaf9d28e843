//! Lets the handlers return each of their errors, and compares the statuses and codes
//! of the responses with those of the document.

use super::{Requests, valid_value};
use anyhow::Result;
use openapi_dropshot_contract::{
    Document,
    model::{ErrorCode, Response, StatusCode},
    rules::differences,
};
use openapi_dropshot_types::Condition;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

/// The most errors of one operation that are tried: a handler that returns dropshot's
/// own error can return any number.
const MOST: u64 = 1_000;

/// Lets the handler return each of its errors.
pub(super) fn try_all(requests: &mut Requests<'_>, document: &Document) -> Result<()> {
    let operation = requests.operation;
    let count = requests.program.errors(&requests.name)?.min(MOST);
    // Responses of any status and content are left out: the handler returns them as successes.
    let is_listed =
        |response: &&Response| response.status.value.may_be_error() && !is_free(response);
    let listed: Vec<&Response> = operation.responses.iter().filter(is_listed).collect();
    let mut expected = BTreeSet::new();
    let mut errors: Vec<Value> = (0..count).map(|index| json!({ "index": index })).collect();
    match document.error_catalogue() {
        Some(_) => {
            let codes = listed.iter().flat_map(|response| {
                let codes = response.error_codes.iter();
                codes.filter_map(|code| Some((document.error_code(&code.value)?, *response)))
            });
            let mut errors = errors.iter_mut();
            for (entry, response) in codes {
                let is_first = expected.insert((entry.status, entry.code.clone()));
                // The server itself sets the headers of errors with the codes that it sends.
                if is_first
                    && let Some(error) = errors.next()
                    && Condition::with_code(&entry.code).is_none()
                {
                    error["headers"] = headers(requests, response)?;
                }
            }
        }
        None => {
            errors.truncate(listed.len());
            for (index, response) in listed.iter().enumerate() {
                let status = example(response.status.value, &listed);
                expected.insert((status, String::new()));
                if let Some(error) = errors.get_mut(index) {
                    error["status"] = json!(status);
                    let media = response.content.first();
                    let schema = media.and_then(|media| media.schema.as_ref());
                    let body = requests.schemas.of(schema)?;
                    let is_text = media.is_some_and(|media| media.essence().starts_with("text/"));
                    let without_schema = if is_text { json!("") } else { Value::Null };
                    let body = body.and_then(|schema| schema.smallest());
                    error["body"] = json!(body.unwrap_or(without_schema).to_string());
                    error["headers"] = headers(requests, response)?;
                }
            }
        }
    }
    let mut actual = BTreeSet::new();
    for error in errors {
        let mut request = requests.valid.clone();
        let headers = error["headers"].as_object().into_iter().flatten();
        let headers: Vec<String> = headers.map(|(name, _)| name.clone()).collect();
        request.error = Some(error);
        let exchange = requests.send(&request, true)?;
        let is_missing = |name: &&String| !exchange.headers.contains(&name.to_lowercase());
        for name in headers.iter().filter(is_missing) {
            let status = exchange.status;
            let message = format!("the handler cannot return {status} with the header `{name}`");
            requests.differ(&differences::ERROR_LOST, &operation.at, message);
        }
        let catalogue = document.error_catalogue();
        let code = catalogue.map(|catalogue| code_in(exchange.body, catalogue));
        actual.insert((exchange.status, code.unwrap_or_default()));
    }
    for (status, code) in expected.difference(&actual) {
        let message = format!("the handler cannot return {status} {code}");
        requests.differ(&differences::ERROR_LOST, &operation.at, message);
    }
    for (status, code) in actual.difference(&expected) {
        let message = format!("the handler can return {status} {code}, which is not listed");
        requests.differ(&differences::ERROR_ADDED, &operation.at, message);
    }
    Ok(())
}

/// Returns a valid value for each header of a response that has one.
fn headers(requests: &Requests<'_>, response: &Response) -> Result<Value> {
    let mut values = Map::new();
    for header in &response.headers {
        let schema = requests.schemas.of(header.value())?;
        let value = schema.and_then(|schema| valid_value(header, &schema));
        values.extend(value.map(|(value, _)| (header.name.value.clone(), value)));
    }
    Ok(Value::Object(values))
}

/// Returns the code of the catalogue that a member of an error response contains; if
/// there is none, the whole response.
fn code_in(body: String, catalogue: &[ErrorCode]) -> String {
    let json: Value = serde_json::from_str(&body).unwrap_or_default();
    let members = json.as_object().into_iter().flatten();
    let is_known = |text: &&str| catalogue.iter().any(|entry| entry.code == *text);
    let mut codes = members.filter_map(|(_, value)| value.as_str());
    let code = codes.find(is_known);
    code.map_or(body, str::to_owned)
}

/// Whether a response may have any status and any content.
fn is_free(response: &Response) -> bool {
    let mut names = response.content.iter().map(|media| &media.name.value);
    response.status.value == StatusCode::Default && names.any(|name| name == "*/*")
}

/// A status that stands for a range, and for none of the others.
fn example(status: StatusCode, listed: &[&Response]) -> u16 {
    let is_free = |code: &u16| {
        let exact = StatusCode::Exact(*code);
        !listed.iter().any(|response| response.status.value == exact)
    };
    let mut statuses: Box<dyn Iterator<Item = u16>> = match status {
        StatusCode::Exact(code) => return code,
        StatusCode::Range(first) => Box::new(u16::from(first) * 100 + 1..),
        StatusCode::Default => Box::new((500..600).rev()),
    };
    statuses.find(is_free).unwrap_or(500)
}
