//! Parameters: a style that fits the place they are sent in, and headers that
//! can be described at all.

use crate::model::{Document, Parameter, ParameterIn};
use crate::problem::Problem;

pub(super) fn check(document: &Document, problems: &mut Vec<Problem>) {
    let used = document
        .operations
        .iter()
        .flat_map(|operation| &operation.parameters);
    for parameter in used.chain(document.parameters.values()) {
        style(parameter, problems);
        reserved_header(parameter, problems);
        if parameter.allow_empty_value && parameter.location != ParameterIn::Query {
            let message = format!(
                "`allowEmptyValue` has no effect on a {} parameter",
                parameter.location
            );
            problems.push(Problem::warning(
                "allow-empty-value",
                &parameter.at,
                message,
                "remove it",
            ));
        }
    }
}

fn style(parameter: &Parameter, problems: &mut Vec<Problem>) {
    let Some(style) = &parameter.style else {
        return;
    };
    let fitting: &[&str] = match parameter.location {
        ParameterIn::Path => &["simple", "label", "matrix"],
        ParameterIn::Query => &["form", "spaceDelimited", "pipeDelimited", "deepObject"],
        ParameterIn::Header => &["simple"],
        ParameterIn::Cookie => &["form"],
    };
    if !fitting.contains(&style.value.as_str()) {
        problems.push(Problem::error(
            "parameter-style",
            &style.at,
            format!(
                "a {} parameter cannot have the style `{}`",
                parameter.location,
                style.value.escape_debug()
            ),
            format!("write `{}`", fitting.join("`, `")),
        ));
    }
}

/// OpenAPI 3.0.3, "Parameter Object": parameters of these names are ignored.
fn reserved_header(parameter: &Parameter, problems: &mut Vec<Problem>) {
    if parameter.location != ParameterIn::Header {
        return;
    }
    let help = match parameter.name.value.to_ascii_lowercase().as_str() {
        "accept" => "list the media types in `content` of the responses",
        "content-type" => "list the media types in `content` of the request body",
        "authorization" => "describe it by a security scheme",
        _ => return,
    };
    let message = format!("a header parameter `{}` is ignored", parameter.name.value);
    problems.push(Problem::warning(
        "reserved-header",
        &parameter.name.at,
        message,
        help,
    ));
}
