//! Writes the bodies of the errors that the server itself sends, with the members that it can set: a message, a
//! code, the status and the id of the request. Also finds the errors of the document whose body requires other
//! members.

use crate::{
    docs::code,
    names::ident,
    plan::{
        ErrorResponse, Errors, JsonBody, OperationPlan, Plan,
        ir::{Kind, Others, Presence, Scalar, Struct, Ty},
        target,
    },
    rules,
};
use indexmap::IndexMap;
use openapi_dropshot_contract::{
    Problem,
    model::{Document, Location, ParameterIn, StatusCode},
};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// A member, and the variant of `ErrorMember` for its content.
type Member<'p> = (&'p str, &'static str);

/// The body of an error.
#[derive(Clone, PartialEq)]
struct Shape<'p> {
    media_type: &'p str,
    members: Vec<Member<'p>>,
}

/// The members of the error body that the server itself can write.
pub(super) fn error_body(plan: &Plan<'_>) -> TokenStream {
    let members = members(plan).into_iter().map(entry);
    quote! {
        #[doc = " The members of the error body, in their order."]
        pub const ERROR_BODY: &[(&str, ErrorMember)] = &[#(#members),*];
    }
}

fn entry((name, member): Member<'_>) -> TokenStream {
    let member = ident(member);
    quote!((#name, ErrorMember::#member))
}

/// Returns the members of the error body: those of the body with the catalogue, or of dropshot's own errors, or
/// of the first error body whose required members the server can all set. If there is none of these, the only
/// member is `message`.
fn members<'p>(plan: &'p Plan<'_>) -> Vec<Member<'p>> {
    if let Some(catalogue) = &plan.catalogue {
        let members = catalogue.body.members.iter();
        return members
            .map(|(wire, member)| (wire.as_str(), *member))
            .collect();
    }
    let errors = plan.operations.iter().map(|operation| &operation.errors);
    let mut shapes = errors.filter_map(|errors| match errors {
        Errors::Dropshot(_) => Some(DROPSHOT.to_vec()),
        Errors::Statuses(responses) => responses
            .iter()
            .find_map(|response| known_members(plan, &response.body.as_ref()?.ty)),
        Errors::Codes(_) => None,
    });
    shapes
        .next()
        .unwrap_or_else(|| vec![("message", "Message")])
}

/// Names of members that contain codes for programs.
const CODES: &[&str] = &["code", "error", "error_code", "errorCode", "type"];
/// Names of numbers that contain the status.
const STATUSES: &[&str] = &[
    "code",
    "error_code",
    "errorCode",
    "status",
    "statusCode",
    "status_code",
];
/// Names of members that contain the id of the request.
const REQUEST_IDS: &[&str] = &["request_id", "requestId"];

/// Names of strings that explain an error to people.
const MESSAGES: &[&str] = &["message", "detail", "title", "description"];
/// The members of dropshot's own errors.
const DROPSHOT: [Member<'static>; 3] = [
    ("error_code", "Code"),
    ("message", "Message"),
    ("request_id", "RequestId"),
];

/// The required members of an object for which the server has a value.
struct Required<'p> {
    members: Vec<Member<'p>>,
    /// The required members for which it has none.
    missing: Vec<&'p str>,
}

impl Required<'_> {
    fn has_message(&self) -> bool {
        self.members.iter().any(|(_, member)| *member == "Message")
    }
}

/// Returns the required members of an object. Any string counts as a message, and any number as the status. If
/// there is only one string, it is the message.
fn required<'p>(object: &'p Struct) -> Required<'p> {
    let fields = object.fields.iter();
    let fields: Vec<_> = fields
        .filter(|field| matches!(field.presence, Presence::Required))
        .collect();
    let member = |name: &str, ty: &Ty| match ty {
        Ty::Scalar(Scalar::Text { .. }) if fields.len() == 1 => Some("Message"),
        Ty::Scalar(Scalar::Text { .. }) if REQUEST_IDS.contains(&name) => Some("RequestId"),
        Ty::Scalar(Scalar::Text { .. }) if CODES.contains(&name) => Some("Code"),
        Ty::Scalar(Scalar::Text { .. }) => Some("Message"),
        Ty::Scalar(Scalar::Integer { .. }) if STATUSES.contains(&name) => Some("Status"),
        _ => None,
    };
    let mut required = Required {
        members: Vec::new(),
        missing: Vec::new(),
    };
    for field in &fields {
        match member(&field.wire, &field.ty) {
            Some(member) => required.members.push((field.wire.as_str(), member)),
            None => required.missing.push(field.wire.as_str()),
        }
    }
    required
}

/// Returns the required members of an object, if the server has a value for each of them and one of them is a
/// message.
fn known_members<'p>(plan: &'p Plan<'_>, ty: &Ty) -> Option<Vec<Member<'p>>> {
    let Kind::Struct(object) = &target(&plan.items, ty)?.kind else {
        return None;
    };
    let required = required(object);
    (required.missing.is_empty() && required.has_message()).then_some(required.members)
}

/// Returns the body for errors that no response of the document describes.
fn common<'p>(document: &'p Document, plan: &'p Plan<'_>) -> Shape<'p> {
    Shape {
        media_type: document.error_media_type().unwrap_or("application/json"),
        members: members(plan),
    }
}

/// Returns the body that the server writes for the errors of a response, and the reason if it is not the body in
/// the document.
fn shape<'p>(
    plan: &'p Plan<'_>,
    common: &Shape<'p>,
    response: &'p ErrorResponse<'_>,
) -> (Shape<'p>, Option<String>) {
    let Some(JsonBody { ty, media_type }) = &response.body else {
        return (common.clone(), None);
    };
    let with = |members| Shape {
        media_type,
        members,
    };
    if !response.body.as_ref().is_some_and(JsonBody::is_json) {
        let essence = media_type.split(';').next().unwrap_or_default();
        let reason = format!("it cannot write `{media_type}`");
        return match essence.trim() == "text/plain" {
            true => (with(Vec::new()), None),
            false => (common.clone(), Some(reason)),
        };
    }
    let others = with(common.members.clone());
    if matches!(ty, Ty::Any | Ty::AnyMap) {
        return (others, None);
    }
    let Some(Kind::Struct(object)) = target(&plan.items, ty).map(|item| &item.kind) else {
        let reason = "the body is not an object with members of its own";
        return (others, Some(reason.to_owned()));
    };
    let mut required = required(object);
    if !required.has_message() {
        let is_free = |name: &str| required.members.iter().all(|(known, _)| *known != name);
        let mut optional = MESSAGES.iter().filter_map(|name| {
            let mut fields = object.fields.iter();
            fields.find(|field| {
                field.wire == *name && matches!(field.ty, Ty::Scalar(Scalar::Text { .. }))
            })
        });
        let message = optional.find(|field| is_free(&field.wire));
        let is_other = matches!(object.others, Others::Ignored)
            && object.fields.iter().all(|field| field.wire != "message");
        let name = message.map(|field| field.wire.as_str());
        let name = name.or_else(|| is_other.then_some("message"));
        required.members.extend(name.map(|name| (name, "Message")));
    }
    let reason = (!required.missing.is_empty()).then(|| {
        let names: Vec<String> = required.missing.iter().map(|name| code(name)).collect();
        let names = names.join(", ");
        format!("it has no value for {names}, which the body requires")
    });
    (with(required.members), reason)
}

/// Returns the errors of an operation that have bodies, in the order in which a status is looked up.
fn responses<'p>(operation: &'p OperationPlan<'_>) -> Vec<&'p ErrorResponse<'p>> {
    let mut responses: Vec<&ErrorResponse<'_>> = match &operation.errors {
        Errors::Statuses(responses) | Errors::Dropshot(responses) => responses.iter().collect(),
        Errors::Codes(_) => Vec::new(),
    };
    responses.sort_by_key(|response| response.status);
    responses
}

/// Writes the bodies for the operations whose errors have another body than the common one.
pub(super) fn error_shapes(document: &Document, plan: &Plan<'_>) -> Option<TokenStream> {
    let common = common(document, plan);
    let mut entries = Vec::new();
    for operation in &plan.operations {
        let shapes = responses(operation).into_iter();
        let shapes: Vec<_> = shapes
            .map(|response| {
                let shape = match operation.errors {
                    Errors::Dropshot(_) => Shape {
                        media_type: "application/json",
                        members: DROPSHOT.to_vec(),
                    },
                    _ => shape(plan, &common, response).0,
                };
                (response.status, shape)
            })
            .collect();
        if shapes.iter().all(|(_, shape)| *shape == common) {
            continue;
        }
        for (status, shape) in shapes {
            let (id, media_type) = (&operation.id, shape.media_type);
            let (first, last) = range(status);
            let first = Literal::u16_unsuffixed(first);
            let last = Literal::u16_unsuffixed(last);
            let members = shape.members.into_iter().map(entry);
            entries.push(quote! {
                openapi_dropshot_types::ErrorShape {
                    operation: #id,
                    statuses: (#first, #last),
                    media_type: #media_type,
                    members: &[#(#members),*],
                }
            });
        }
    }
    (!entries.is_empty()).then(|| {
        quote!(const ERROR_SHAPES: &'static [openapi_dropshot_types::ErrorShape] = &[#(#entries),*];)
    })
}

/// The lowest and the highest status of a response.
pub(super) fn range(status: StatusCode) -> (u16, u16) {
    match status {
        StatusCode::Exact(status) => (status, status),
        StatusCode::Range(class) => {
            let first = u16::from(class) * 100;
            (first, first + 99)
        }
        StatusCode::Default => (400, 599),
    }
}

/// Warns about errors that the server itself sends but whose bodies in the document it cannot fill.
pub(crate) fn warnings(document: &Document, plan: &Plan<'_>) -> Vec<Problem> {
    let common = common(document, plan);
    // Operations often share their errors. One problem is reported for all operations with the same reason, at
    // the first of them.
    let mut found: IndexMap<(String, String), (&Location, Vec<&str>)> = IndexMap::new();
    for operation in &plan.operations {
        if matches!(operation.errors, Errors::Dropshot(_)) {
            continue;
        }
        for response in responses(operation) {
            let made = made_by_the_server(operation, response.status);
            let reason = made.then(|| shape(plan, &common, response).1).flatten();
            if let Some(reason) = reason {
                let key = (described(response.status), reason);
                let place = (&response.response.status.at, Vec::new());
                let (_, operations) = found.entry(key).or_insert(place);
                operations.push(&operation.id);
            }
        }
    }
    let problems = found.into_iter().map(|((status, reason), (at, operations))| {
        let others = match operations.len() {
            1 => String::new(),
            2 => format!(" and of `{}`", operations[1]),
            number => format!(" and of {} other operations", number - 1),
        };
        rules::UNFILLED_ERROR_BODY.problem(
            at,
            format!(
                "the server itself responds with {status} to some requests of `{}`{others}, but {reason}",
                operations[0]
            ),
            "require only what the server knows: strings for a message, a code (`code`, `error`, `error_code`, `errorCode` or \
             `type`) and the id of the request (`request_id` or `requestId`), and a number for the status (`status`, \
             `status_code` or `statusCode`); or let the service write the body with `State::error_body`",
        )
    });
    problems.collect()
}

fn described(status: StatusCode) -> String {
    match status {
        StatusCode::Default => "statuses that are not listed".to_owned(),
        status => status.to_string(),
    }
}

/// Returns whether the server itself sends a status before or after the handler of an operation.
fn made_by_the_server(operation: &OperationPlan<'_>, status: StatusCode) -> bool {
    let has_body = operation.body.is_some();
    let mut parameters = operation.parameters.iter();
    let has_input = has_body || parameters.any(|(place, _)| *place != ParameterIn::Cookie);
    let is_secured = !operation.security.alternatives.is_empty();
    match status {
        StatusCode::Exact(400) => has_input,
        StatusCode::Exact(401 | 403 | 429) => is_secured,
        StatusCode::Exact(408 | 413 | 415) => has_body,
        StatusCode::Exact(410) => operation.operation.deprecated,
        StatusCode::Range(4) => has_input || is_secured,
        StatusCode::Exact(500 | 503) | StatusCode::Range(5) | StatusCode::Default => true,
        _ => false,
    }
}
