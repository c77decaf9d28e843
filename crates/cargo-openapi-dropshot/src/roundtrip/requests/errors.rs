//! Lets the handlers return each of their errors, and compares the statuses and codes
//! of the responses with those of the document.

use super::Requests;
use crate::roundtrip::instances::Instances;
use anyhow::Result;
use openapi_dropshot_contract::{
    Document,
    model::{Response, StatusCode},
};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// How many errors of one operation are tried; dropshot's own has no number.
const MOST: u64 = 1_000;

/// Lets the handler return each of its errors.
pub(super) fn try_all(requests: &mut Requests<'_>, document: &Document) -> Result<()> {
    let Some(id) = &requests.operation.id else {
        return Ok(());
    };
    let count = requests.program.errors(&id.value)?;
    let listed: Vec<&Response> = requests
        .operation
        .responses
        .iter()
        .filter(|response| is_error(response.status.value))
        // A response of any status and content is made by the handler, as a success.
        .filter(|response| !is_free(response))
        .collect();
    match document.error_catalogue() {
        Some(catalogue) => {
            let codes = listed.iter().flat_map(|response| &response.error_codes);
            let expected: BTreeSet<(u16, String)> = codes
                .filter_map(|code| catalogue.iter().find(|entry| entry.code == code.value))
                .map(|entry| (entry.status, entry.code.clone()))
                .collect();
            let mut found = BTreeSet::new();
            for index in 0..count.min(MOST) {
                let exchange = requests.send(
                    None,
                    true,
                    requests.body.clone(),
                    Some(json!({ "index": index })),
                )?;
                requests.tally.count(true);
                let body: Value = serde_json::from_str(&exchange.body).unwrap_or_default();
                let code = body
                    .as_object()
                    .into_iter()
                    .flat_map(|members| members.values())
                    .find_map(|value| {
                        catalogue
                            .iter()
                            .find(|entry| value.as_str() == Some(&entry.code))
                    });
                found.insert((
                    exchange.status,
                    code.map_or(exchange.body, |entry| entry.code.clone()),
                ));
            }
            report(requests, &expected, &found);
        }
        None => {
            let instances = Instances::new(requests.validators.root());
            let (mut expected, mut found) = (BTreeSet::new(), BTreeSet::new());
            for (index, response) in listed.iter().enumerate() {
                let status = example(response.status.value, &listed);
                expected.insert((status, String::new()));
                let schema = response
                    .content
                    .first()
                    .and_then(|media| media.schema.as_ref());
                let plain = schema
                    .and_then(|schema| requests.validators.root().pointer(&schema.at.pointer));
                let body = plain
                    .and_then(|plain| instances.valid(plain))
                    .unwrap_or_default()
                    .to_string();
                if index as u64 >= count {
                    continue;
                }
                let error = json!({ "index": index, "status": status, "body": body });
                let exchange = requests.send(None, true, requests.body.clone(), Some(error))?;
                requests.tally.count(true);
                found.insert((exchange.status, String::new()));
            }
            report(requests, &expected, &found);
        }
    }
    Ok(())
}

fn report(
    requests: &mut Requests<'_>,
    expected: &BTreeSet<(u16, String)>,
    found: &BTreeSet<(u16, String)>,
) {
    let at = requests.operation.at.clone();
    for (status, code) in expected.difference(found) {
        requests.differ(
            "error-lost",
            &at,
            format!("the handler cannot return {status} {code}"),
        );
    }
    for (status, code) in found.difference(expected) {
        requests.differ(
            "error-added",
            &at,
            format!("the handler can return {status} {code}, which is not listed"),
        );
    }
}

/// Whether a response may have any status and any content.
fn is_free(response: &Response) -> bool {
    response.status.value == StatusCode::Default
        && response
            .content
            .iter()
            .any(|media| media.name.value == "*/*")
}

/// A status that stands for a range, and for none of the others.
fn example(status: StatusCode, listed: &[&Response]) -> u16 {
    let is_free = |code: &u16| {
        !listed
            .iter()
            .any(|response| response.status.value == StatusCode::Exact(*code))
    };
    match status {
        StatusCode::Exact(code) => code,
        StatusCode::Range(first) => {
            let first = u16::from(first) * 100;
            (first..first + 100)
                .find(|code| is_free(code) && *code > first)
                .unwrap_or(first)
        }
        StatusCode::Default => (500..600).rev().find(is_free).unwrap_or(500),
    }
}

fn is_error(status: StatusCode) -> bool {
    match status {
        StatusCode::Exact(code) => code >= 400,
        StatusCode::Range(first) => first >= 4,
        StatusCode::Default => true,
    }
}
