//! Writes the tests of a new service: one test for each operation, with the generated client or with a raw request.

use super::{
    Examples, Plan,
    examples::{PARTS, Request},
    mocked_operations,
};
use anyhow::Result;
use openapi_dropshot::starter::ClientCall;
use openapi_dropshot_contract::model::{Operation, SecurityScheme, is_json};

pub(super) struct Tests {
    /// The text of the test functions.
    pub(super) text: String,
    /// The arguments of a request to an operation that requires a credential.
    pub(super) secured_request: Option<String>,
}

/// Writes a test for each operation for which a request can be made.
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
        // The caller of the client has to build the parts of a form.
        let body = request.body.as_ref();
        let has_parts = body.is_some_and(|(media_type, _)| media_type == PARTS);
        let test = match plan.generated.client.get(id) {
            // The client follows redirects, and converts error responses to errors.
            Some(call)
                if (200..300).contains(&response.status)
                    && !has_parts
                    && client_can_call(plan, operation) =>
            {
                with_client(call, &request)
            }
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
    for (name, _, value, _) in &request.parameters {
        if let Some((setter, target)) = call.parameters.get(name) {
            let value = literal(&value.to_string());
            text += &format!(".{setter}(json::<{target}>({value}))");
        }
    }
    if let (Some(target), Some((media_type, body))) = (&call.body, &request.body) {
        let is_form = media_type == "application/x-www-form-urlencoded";
        let value = match is_json(media_type) || is_form {
            _ if call.sends_lines => {
                let line = body.as_str().unwrap_or_default().trim_end();
                format!("vec![json::<{target}>({})]", literal(line))
            }
            true => format!("json::<{target}>({})", literal(&body.to_string())),
            false => literal(body.as_str().unwrap_or_default()),
        };
        text += &format!(".body({value})");
    }
    text + ".send().await?;\n"
}

/// Whether the operation requires nothing but the one API key of the client.
fn client_can_call(plan: &Plan, operation: &Operation) -> bool {
    let document = &plan.document;
    let scheme = openapi_dropshot::scheme_of_single_key(document);
    let sent = match scheme.and_then(|name| document.security_schemes.get(name)) {
        Some(scheme) => key_line(scheme),
        None => Some(bearer_line()),
    };
    let is_sent = |line: &String| sent.as_ref() == Some(line);
    operation.is_open()
        || operation.security.iter().any(|schemes| {
            key_lines(plan, schemes.keys()).is_some_and(|lines| lines.iter().all(is_sent))
        })
}

/// Returns the header lines with the API key for each of these schemes, without duplicates; `None` if a scheme has no
/// such line.
fn key_lines<'n>(plan: &Plan, names: impl Iterator<Item = &'n String>) -> Option<Vec<String>> {
    let mut lines: Vec<String> = Vec::new();
    for name in names {
        let line = key_line(plan.document.security_schemes.get(name)?)?;
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    Some(lines)
}

fn bearer_line() -> String {
    "authorization: Bearer {}".to_owned()
}

/// Returns the header line with the API key for a scheme, as a format string; `None` if the key is not sent in a header
/// line, or is sent encoded.
fn key_line(scheme: &SecurityScheme) -> Option<String> {
    let is_basic = |name: &String| name.eq_ignore_ascii_case("basic");
    match &scheme.api_key {
        Some((name, place)) if place == "header" => Some(format!("{name}: {{}}")),
        Some((name, place)) if place == "cookie" => Some(format!("cookie: {name}={{}}")),
        Some(_) => None,
        None if scheme.scheme.as_ref().is_some_and(is_basic) => None,
        None => Some(bearer_line()),
    }
}

/// Returns a test that sends the request with an API key for each scheme of the first alternative. If one of the
/// schemes has no header line, the test checks that the request is rejected.
fn as_it_stands(plan: &Plan, operation: &Operation, request: &Request, status: u16) -> String {
    let required = operation.security.first().filter(|_| !operation.is_open());
    let names = required.into_iter().flat_map(|schemes| schemes.keys());
    let lines = key_lines(plan, names);
    let status = if lines.is_some() { status } else { 401 };
    let (mut before, mut own) = (String::new(), Vec::new());
    for (index, line) in lines.unwrap_or_default().iter().enumerate() {
        let key = match index {
            0 => "key".to_owned(),
            _ => format!("key_{}", index + 1),
        };
        before += &format!("    let {key} = format!({line:?}, service.key);\n");
        own.push(format!("&{key}"));
    }
    let arguments = arguments(plan, operation, request, &own);
    format!(
        "{before}    let response = service.send({arguments});\n    assert!(response.starts_with(\"HTTP/1.1 {status} \"), \"{{response}}\");\n"
    )
}

/// Returns the arguments of `Service::send`.
fn arguments(plan: &Plan, operation: &Operation, request: &Request, own: &[String]) -> String {
    let path = request.target(&plan.api.base_path, &operation.path.value);
    let lines = request.header_lines();
    let lines = lines.iter().map(|line| literal(line));
    let headers: Vec<String> = own.iter().cloned().chain(lines).collect();
    let (method, path) = (operation.method.to_string(), literal(&path));
    let (headers, body) = (headers.join(", "), literal(&request.body_text()));
    format!("{method:?}, {path}, &[{headers}], {body}")
}
