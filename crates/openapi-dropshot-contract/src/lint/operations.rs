//! Checks operations, their paths and their parameters: ids are unique, tags are declared,
//! variables of paths have parameters, and styles are allowed for their location.

use crate::model::{Document, Method, Operation, Parameter, ParameterIn};
use crate::problem::Problem;
use crate::rules::{Severity, document as rules};
use crate::suggest::did_you_mean;
use crate::template::{shape, variables};
use std::collections::{HashMap, HashSet};

pub(super) fn check(document: &Document, problems: &mut Vec<Problem>) {
    unique_ids(document, problems);
    server_paths(document, problems);
    for operation in &document.operations {
        declared_tags(document, operation, problems);
        problems.extend(meaningless_body(operation));
        unread_bodies(operation, problems);
        problems.extend(items_without_stream(operation));
        path_variables(operation, problems);
    }
    ambiguous_paths(document, problems);
    for parameter in document.all_parameters() {
        problems.extend(style(parameter));
        problems.extend(reserved_header(parameter));
        problems.extend(empty_value(parameter));
    }
}

/// Checks that all servers have the same path, because a service has only one base path.
fn server_paths(document: &Document, problems: &mut Vec<Problem>) {
    let Some((first, others)) = document.servers.split_first() else {
        return;
    };
    let expected = first.path();
    for server in others.iter().filter(|server| server.path() != expected) {
        let path = server.path();
        let message = format!(
            "this server has the path `{path}`, but the first server has `{expected}`: a generated service uses the path of the first server"
        );
        let problem = rules::SERVER_PATH.violation(&server.at, message);
        problems.push(problem.with_related(&first.at, "the first one"));
    }
}

fn unique_ids(document: &Document, problems: &mut Vec<Problem>) {
    let mut seen = HashMap::new();
    for id in document.operation_ids() {
        if id.value.is_empty() {
            let message = "the operation id is empty";
            problems.push(rules::EMPTY_OPERATION_ID.violation(&id.at, message));
            continue;
        }
        let first = seen.entry(id.value.as_str()).or_insert(&id.at);
        if !std::ptr::eq(*first, &id.at) {
            let (line, column) = (first.line, first.column);
            let message =
                format!("the operation id `{id}` is already used at line {line}, column {column}");
            let problem = rules::DUPLICATE_OPERATION_ID.violation(&id.at, message);
            problems.push(problem.with_related(first, "first used here"));
        }
    }
}

fn declared_tags(document: &Document, operation: &Operation, problems: &mut Vec<Problem>) {
    for (index, tag) in operation.tags.iter().enumerate() {
        if !document.tags.iter().any(|declared| declared.name == *tag) {
            let at = document.place_of(operation, &format!("/tags/{index}"));
            let message = format!("the tag `{}` is not declared", tag.escape_debug());
            problems.push(rules::UNDECLARED_TAG.violation(at, message));
        }
    }
}

/// Checks that these methods have no body: such a body has no meaning (RFC 9110, section 9.3).
fn meaningless_body(operation: &Operation) -> Option<Problem> {
    let body = operation.request_body.as_ref()?;
    use Method::{Delete, Get, Head, Trace};
    let method = operation.method;
    matches!(method, Get | Head | Delete | Trace).then(|| {
        let message = format!("a body of {method} has no meaning in HTTP");
        rules::MEANINGLESS_BODY.violation(&body.at, message)
    })
}

/// Checks that only streams have a schema for items.
fn items_without_stream(operation: &Operation) -> impl Iterator<Item = Problem> {
    let responses = operation.responses.iter().map(|own| &own.content);
    let bodies = operation.request_body.iter().map(|own| &own.content);
    responses.chain(bodies).flatten().filter_map(|media| {
        let (schema, name) = (media.item_schema.as_ref()?, &media.name);
        let message = format!("`{name}` is not a stream whose items the toolkit reads");
        (media.items().is_none()).then(|| rules::ITEM_SCHEMA.violation(&schema.at, message))
    })
}

/// Checks request bodies with several media types, because a generated service reads only JSON.
fn unread_bodies(operation: &Operation, problems: &mut Vec<Problem>) {
    let Some(body) = &operation.request_body else {
        return;
    };
    let [read] = body.read() else {
        return;
    };
    for media in body.content.iter().filter(|media| media.at != read.at) {
        let (name, read) = (&media.name, &read.name);
        let message = format!(
            "a generated service reads only `{read}` here: a request with `{name}` gets the response 415"
        );
        problems.push(rules::UNREAD_BODY.violation(&name.at, message));
    }
}

/// Checks that each variable of a path has a parameter, and that each path parameter has a
/// variable.
fn path_variables(operation: &Operation, problems: &mut Vec<Problem>) {
    let path = &operation.path;
    let is_in_path = |parameter: &&Parameter| parameter.location == ParameterIn::Path;
    let in_path: Vec<_> = operation.parameters.iter().filter(is_in_path).collect();
    let mut seen = HashSet::new();
    for variable in variables(&path.value) {
        let name = variable.escape_debug();
        if !seen.insert(variable) {
            let message = format!("the path `{path}` has `{{{name}}}` twice");
            let help = "give each variable its own name";
            problems.push(rules::PATH_VARIABLE.problem(&path.at, message, help));
        } else if in_path.iter().all(|own| own.name.value != variable) {
            let label = operation.label();
            let message = format!("`{{{name}}}` in the path has no parameter in {label}");
            let help = format!(
                "add to its `parameters`: `name: {name}`, `in: path`, `required: true`, and a schema"
            );
            let problem = rules::PATH_VARIABLE.problem(&path.at, message, help);
            problems.push(problem.with_related(&operation.at, "in this operation"));
        }
    }
    for parameter in in_path {
        if !seen.contains(parameter.name.value.as_str()) {
            let name = &parameter.name;
            let otherwise = format!("write `{{{name}}}` into the path, or remove the parameter");
            let help = did_you_mean(&name.value, seen.iter().copied(), &otherwise);
            let message = format!("the path `{path}` has no `{{{name}}}`");
            problems.push(rules::PATH_PARAMETER.problem(&name.at, message, help));
        }
    }
}

fn ambiguous_paths(document: &Document, problems: &mut Vec<Problem>) {
    let mut seen: HashMap<String, Vec<&Operation>> = HashMap::new();
    for operation in &document.operations {
        let others = seen.entry(shape(&operation.path.value)).or_default();
        let path = &operation.path;
        let of_method = others.iter().find(|own| own.method == operation.method);
        let severity = match of_method {
            Some(_) => Severity::Error,
            None => Severity::Warning,
        };
        if let Some(first) = of_method.or(others.first()).map(|own| &own.path)
            && first.value != path.value
        {
            let line = first.at.line;
            let message = match severity {
                Severity::Error => {
                    format!("`{path}` matches the same requests as `{first}` of line {line}")
                }
                Severity::Warning => {
                    format!("`{path}` differs from `{first}` of line {line} in its methods only")
                }
            };
            let problem = rules::AMBIGUOUS_PATHS.violation(&path.at, message);
            let problem = problem.with_severity(severity);
            problems.push(problem.with_related(&first.at, "matches the same requests"));
        }
        others.push(operation);
    }
}

fn style(parameter: &Parameter) -> Option<Problem> {
    let style = parameter.style.as_ref()?;
    let allowed: &[&str] = match parameter.location {
        ParameterIn::Path => &["simple", "label", "matrix"],
        ParameterIn::Query => &["form", "spaceDelimited", "pipeDelimited", "deepObject"],
        ParameterIn::Header => &["simple"],
        ParameterIn::Cookie => &["form"],
    };
    (!allowed.contains(&style.value.as_str())).then(|| {
        let location = parameter.location;
        let message = format!("a {location} parameter cannot have the style `{style}`");
        let help = format!("write `{}`", allowed.join("`, `"));
        rules::PARAMETER_STYLE.problem(&style.at, message, help)
    })
}

/// Checks for header parameters with names that OpenAPI ignores (OpenAPI 3.0.3, "Parameter
/// Object").
fn reserved_header(parameter: &Parameter) -> Option<Problem> {
    if parameter.location != ParameterIn::Header {
        return None;
    }
    let help = match parameter.name.value.to_ascii_lowercase().as_str() {
        "accept" => "list the media types in `content` of the responses",
        "content-type" => "list the media types in `content` of the request body",
        "authorization" => "describe it by a security scheme",
        _ => return None,
    };
    let message = format!("a header parameter `{}` is ignored", parameter.name.value);
    Some(rules::RESERVED_HEADER.problem(&parameter.name.at, message, help))
}

fn empty_value(parameter: &Parameter) -> Option<Problem> {
    let location = parameter.location;
    let has_no_effect = parameter.allow_empty_value && location != ParameterIn::Query;
    has_no_effect.then(|| {
        let message = format!("`allowEmptyValue` has no effect on a {location} parameter");
        rules::ALLOW_EMPTY_VALUE.violation(&parameter.at, message)
    })
}
