//! Writes the tests of a new service: one for each operation, with the generated client or with a request as it stands.

use super::{
    Examples, Plan,
    examples::{Request, is_json},
    mocked_operations,
};
use anyhow::Result;
use openapi_dropshot::starter::ClientCall;
use openapi_dropshot_contract::model::Operation;

/// The tests.
pub(super) struct Tests {
    /// The functions.
    pub(super) text: String,
    /// The arguments of a request to an operation that requires a credential.
    pub(super) secured_request: Option<String>,
}

/// Writes a test of each operation for which a request can be made.
pub(super) fn tests(plan: &Plan) -> Result<Tests> {
    let examples = Examples::new(&plan.document);
    let (mut text, mut secured_request) = (String::new(), None);
    for (operation, id, method) in mocked_operations(plan) {
        let Some(request) = examples.request(operation)? else {
            continue;
        };
        let response = examples.response(operation)?;
        if !operation.is_open() && secured_request.is_none() {
            secured_request = Some(arguments(plan, operation, &request, &[]));
        }
        let test = match plan.generated.client.get(id) {
            // The client follows redirects, and makes an error of an error.
            Some(call) if (200..300).contains(&response.status) => with_client(call, &request),
            _ => as_it_stands(plan, operation, &request, response.status),
        };
        let is_async = test.contains(".await");
        let (attribute, keyword) = match is_async {
            true => ("#[tokio::test]", "async fn"),
            false => ("#[test]", "fn"),
        };
        text += &format!(
            "\n{attribute}\n{keyword} {method}() -> TestResult {{\n    let service = Service::start();\n{test}    Ok(())\n}}\n"
        );
    }
    Ok(Tests {
        text,
        secured_request,
    })
}

/// A string literal of Rust.
fn literal(text: &str) -> String {
    let is_raw =
        text.contains(['"', '\\']) && !text.contains("\"#") && !text.contains(['\r', '\n']);
    match is_raw {
        true => format!("r#\"{text}\"#"),
        false => format!("{text:?}"),
    }
}

fn with_client(call: &ClientCall, request: &Request) -> String {
    let mut text = format!("    service.client().{}()", call.method);
    for (name, _, value) in &request.parameters {
        if let Some((setter, target)) = call.parameters.get(name) {
            let value = literal(&value.to_string());
            text += &format!(".{setter}(json::<{target}>({value}))");
        }
    }
    if let (Some(target), Some((media_type, body))) = (&call.body, &request.body) {
        let is_form = media_type == "application/x-www-form-urlencoded";
        let value = match is_json(media_type) || is_form {
            true => format!("json::<{target}>({})", literal(&body.to_string())),
            false => literal(body.as_str().unwrap_or_default()),
        };
        text += &format!(".body({value})");
    }
    text + ".send().await?;\n"
}

fn as_it_stands(plan: &Plan, operation: &Operation, request: &Request, status: u16) -> String {
    let mut own = Vec::new();
    let mut before = String::new();
    if !operation.is_open() {
        before = "    let key = format!(\"authorization: Bearer {}\", service.key);\n".to_owned();
        own.push("&key".to_owned());
    }
    let arguments = arguments(plan, operation, request, &own);
    format!(
        "{before}    let response = service.send({arguments});\n    assert!(response.starts_with(\"HTTP/1.1 {status} \"), \"{{response}}\");\n"
    )
}

/// The arguments of `Service::send`.
fn arguments(plan: &Plan, operation: &Operation, request: &Request, own: &[String]) -> String {
    let path = request.target(&plan.api.base_path, &operation.path.value);
    let lines = request.header_lines();
    let headers: Vec<String> = own
        .iter()
        .cloned()
        .chain(lines.iter().map(|line| literal(line)))
        .collect();
    format!(
        "{:?}, {}, &[{}], {}",
        operation.method.to_string(),
        literal(&path),
        headers.join(", "),
        literal(&request.body_text())
    )
}
