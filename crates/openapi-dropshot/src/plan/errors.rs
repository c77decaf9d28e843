//! Plans the responses that are errors: by the codes of the catalogue if the
//! document has one, otherwise by their statuses.

use super::{
    Planner,
    ir::{Base, Kind, Presence, Scalar, Ty},
    responses::{free_response, status_name},
};
use crate::names::{Names, pascal};
use openapi_dropshot_contract::{
    Problem,
    model::{ErrorCode, Location, Operation, Response, StatusCode, Type, unescape_pointer_token},
};
use std::collections::BTreeSet;

/// The catalogue of error codes, and the body that carries them.
pub(crate) struct Catalogue<'a> {
    /// The codes, in the order of the document, with their variants.
    pub(crate) codes: Vec<(String, &'a ErrorCode)>,
    /// The body of each error.
    pub(crate) body: ErrorBody,
}

/// The struct that carries a code, and what its fields are for.
#[derive(Clone, Debug)]
pub(crate) struct ErrorBody {
    /// Its component.
    component: String,
    /// The struct.
    pub(crate) name: String,
    /// The field of the code.
    pub(crate) code: String,
    /// The field of the message.
    pub(crate) message: String,
    /// The field of the status, where there is one.
    pub(crate) status: Option<(String, Base)>,
    /// The fields that stay empty.
    pub(crate) empty: Vec<String>,
    /// The members of the body that a server can write, as the document names
    /// them, with the variants of `ErrorMember`.
    pub(crate) members: Vec<(String, &'static str)>,
}

/// The errors of one operation.
pub(crate) enum Errors<'a> {
    /// Codes of the catalogue, as variants.
    Codes(Vec<Listed<'a>>),
    /// Responses with a status and a body.
    Statuses(Vec<ErrorResponse<'a>>),
    /// Responses with the body of dropshot's own errors.
    Dropshot(Vec<ErrorResponse<'a>>),
}

/// A code that an operation lists.
#[derive(Clone)]
pub(crate) struct Listed<'a> {
    /// Its variant.
    pub(crate) variant: String,
    /// Its entry in the catalogue.
    pub(crate) entry: &'a ErrorCode,
    /// The response that lists it first.
    pub(crate) response: &'a Response,
}

/// A response that is an error, without a code.
pub(crate) struct ErrorResponse<'a> {
    /// Its variant.
    pub(crate) variant: String,
    /// Its status, or the range of it.
    pub(crate) status: StatusCode,
    /// Its body, where it has one.
    pub(crate) body: Option<Ty>,
    /// The response in the document.
    pub(crate) response: &'a Response,
}

impl<'a> Planner<'a> {
    /// Plans the catalogue.
    pub(super) fn catalogue(&mut self) -> Option<Catalogue<'a>> {
        let document = self.document;
        let catalogue = document.error_catalogue.as_ref()?;
        let body = self.error_body(&catalogue.at)?;
        let mut names = Names::default();
        let codes: Vec<(String, &ErrorCode)> = catalogue
            .value
            .iter()
            .map(|entry| (names.claim(&pascal(&entry.code)), entry))
            .collect();
        let of_status = |status: u16| codes.iter().find(|(_, entry)| entry.status == status);
        let (invalid, internal) = (of_status(400), of_status(500));
        for (found, status, what) in [
            (invalid, 400, "a parameter or a body that breaks a rule"),
            (internal, 500, "a fault of the service"),
        ] {
            if found.is_none() {
                self.problems.push(Problem::error(
                    "incomplete-catalogue",
                    &catalogue.at,
                    format!("the catalogue has no code with status {status}, for {what}"),
                    format!("add a code with `status: {status}`"),
                ));
            }
        }
        for (_, entry) in &codes {
            if !(400..=599).contains(&entry.status) {
                self.problems.push(Problem::error(
                    "error-code-status",
                    &entry.at,
                    format!(
                        "`{}` has the status {}, which is not the status of an error",
                        entry.code, entry.status
                    ),
                    "use a status from 400 to 599",
                ));
            }
        }
        (invalid.is_some() && internal.is_some()).then_some(Catalogue { codes, body })
    }

    /// The struct whose member has the catalogue.
    fn error_body(&mut self, at: &Location) -> Option<ErrorBody> {
        let place = at
            .pointer
            .strip_prefix("/components/schemas/")
            .and_then(|rest| {
                let (component, rest) = rest.split_once("/properties/")?;
                let (property, _) = rest.split_once('/')?;
                Some((
                    unescape_pointer_token(component),
                    unescape_pointer_token(property),
                ))
            });
        let found = place.and_then(|(component, property)| self.body_of(component, &property));
        if found.is_none() {
            self.problems.push(Problem::error(
                "unsupported-error-body",
                at,
                "the schema with the catalogue cannot serve as the body of an error",
                "give it the required members `code` (a string, with the catalogue) and `message` (a string), \
                 `status` (an integer) and `request_id` (a string) if you like, and others only if they are optional",
            ));
        }
        found
    }

    fn body_of(&self, component: String, property: &str) -> Option<ErrorBody> {
        let name = self.name_of(&component);
        let item = super::find(&self.items, &name)?;
        let Kind::Struct(object) = &item.kind else {
            return None;
        };
        let mut body = ErrorBody {
            component,
            name,
            code: String::new(),
            message: String::new(),
            status: None,
            empty: Vec::new(),
            members: Vec::new(),
        };
        for field in &object.fields {
            let needed = matches!(field.presence, Presence::Required);
            match (&field.ty, field.wire.as_str()) {
                (Ty::Scalar(Scalar::Text { .. }), wire) if needed && wire == property => {
                    body.code.clone_from(&field.name);
                    body.members.push((field.wire.clone(), "Code"));
                }
                (Ty::Scalar(Scalar::Text { .. }), "message") if needed => {
                    body.message.clone_from(&field.name);
                    body.members.push((field.wire.clone(), "Message"));
                }
                (Ty::Scalar(Scalar::Integer { base, .. }), "status")
                    if needed && base.greatest() >= 599 =>
                {
                    body.status = Some((field.name.clone(), *base));
                    body.members.push((field.wire.clone(), "Status"));
                }
                (Ty::Scalar(Scalar::Text { .. }), "request_id") if needed => {
                    body.members.push((field.wire.clone(), "RequestId"));
                }
                _ if matches!(field.presence, Presence::Optional) => {
                    body.empty.push(field.name.clone())
                }
                _ => return None,
            }
        }
        (!body.code.is_empty() && !body.message.is_empty()).then_some(body)
    }

    /// Plans the errors of an operation.
    pub(super) fn errors(
        &mut self,
        operation: &'a Operation,
        type_name: &str,
        catalogue: Option<&Catalogue<'a>>,
    ) -> Errors<'a> {
        let responses = operation
            .responses
            .iter()
            .filter(|response| match response.status.value {
                StatusCode::Exact(status) => status >= 400,
                StatusCode::Range(first) => first >= 4,
                StatusCode::Default => true,
            });
        match catalogue {
            Some(catalogue) => Errors::Codes(self.codes(responses, catalogue)),
            // The catalogue was rejected already.
            None if self.document.error_catalogue.is_some() => Errors::Codes(Vec::new()),
            None => {
                let websocket = operation.extensions.contains_key("x-dropshot-websocket");
                let alone = free_response(operation).is_some() || websocket;
                let responses = responses
                    .filter(|response| !(alone && response.status.value == StatusCode::Default));
                let errors = self.error_responses(responses, type_name);
                let dropshots = |error: &ErrorResponse<'_>| self.is_dropshots(error.response);
                if !errors.is_empty() && errors.iter().all(dropshots) {
                    Errors::Dropshot(errors)
                } else {
                    Errors::Statuses(errors)
                }
            }
        }
    }

    fn codes(
        &mut self,
        responses: impl Iterator<Item = &'a Response>,
        catalogue: &Catalogue<'a>,
    ) -> Vec<Listed<'a>> {
        let mut listed: Vec<Listed<'a>> = Vec::new();
        for response in responses {
            self.check_error_body(response, catalogue);
            if response.error_codes.is_empty() {
                self.problems.push(Problem::error(
                    "missing-error-codes",
                    &response.status.at,
                    "this error response does not list the codes that it can have",
                    "list them with `x-error-codes`",
                ));
            }
            for code in &response.error_codes {
                let known = catalogue
                    .codes
                    .iter()
                    .find(|(_, entry)| entry.code == code.value);
                match known {
                    Some((_, entry)) if !response.status.value.contains(entry.status) => {
                        self.problems.push(Problem::error(
                            "error-code-status",
                            &code.at,
                            format!(
                                "`{}` has the status {}, which is not the status of this response",
                                code.value, entry.status
                            ),
                            "list it at the response with its status",
                        ));
                    }
                    Some((variant, entry)) => {
                        if !listed.iter().any(|other| other.entry.code == entry.code) {
                            listed.push(Listed {
                                variant: variant.clone(),
                                entry,
                                response,
                            });
                        }
                    }
                    None => self.problems.push(Problem::error(
                        "unknown-error-code",
                        &code.at,
                        format!("`{}` is not in the catalogue", code.value),
                        "add it to `x-error-catalogue`, or correct its spelling",
                    )),
                }
            }
        }
        listed
    }

    fn check_error_body(&mut self, response: &'a Response, catalogue: &Catalogue<'a>) {
        let schema = self.json(&response.content, &response.at, "the body of an error");
        let reference = schema.and_then(|schema| schema.reference.as_ref());
        let wanted = &catalogue.body.component;
        if schema.is_some() && reference.is_none_or(|reference| reference.value != *wanted) {
            self.problems.push(Problem::error(
                "unsupported-error-body",
                &response.at,
                format!(
                    "the body of this error is not `{wanted}`, which has the catalogue of codes"
                ),
                format!("refer to `#/components/schemas/{wanted}`"),
            ));
        }
    }

    /// Whether the body is that of dropshot's own errors, by its name too: what
    /// dropshot describes is a component `Error`.
    fn is_dropshots(&self, response: &Response) -> bool {
        let [content] = response.content.as_slice() else {
            return false;
        };
        let reference = content
            .schema
            .as_ref()
            .and_then(|schema| schema.reference.as_ref());
        let Some(schema) = reference
            .filter(|reference| reference.value == "Error")
            .and_then(|reference| self.document.schema(&reference.value))
        else {
            return false;
        };
        let is_text = |name: &str| {
            schema.properties.get(name).is_some_and(|property| {
                property
                    .types
                    .as_ref()
                    .is_some_and(|kind| kind.value == Type::String)
                    && !property.nullable
                    && property.default.is_none()
                    && Planner::says_only(property, &[])
            })
        };
        let required: BTreeSet<&str> = schema
            .required
            .iter()
            .map(|name| name.value.as_str())
            .collect();
        response.headers.is_empty()
            && schema
                .types
                .as_ref()
                .is_some_and(|kind| kind.value == Type::Object)
            && !schema.nullable
            && Planner::says_only(schema, &["properties", "required"])
            && schema.properties.len() == 3
            && ["error_code", "message", "request_id"]
                .into_iter()
                .all(is_text)
            && required == BTreeSet::from(["message", "request_id"])
    }

    fn error_responses(
        &mut self,
        responses: impl Iterator<Item = &'a Response>,
        type_name: &str,
    ) -> Vec<ErrorResponse<'a>> {
        let mut names = Names::without(&["Undocumented"]);
        let mut errors: Vec<ErrorResponse<'a>> = Vec::new();
        for response in responses {
            let (variant, status) = match response.status.value {
                StatusCode::Exact(status) => (status_name(status), status),
                StatusCode::Range(4) => ("ClientError".to_owned(), 400),
                StatusCode::Range(_) => ("ServerError".to_owned(), 500),
                StatusCode::Default => ("Other".to_owned(), 500),
            };
            let body = self.response_body(response, status, type_name);
            // An error without a body is sent without one, whatever the others have.
            let differs = |other: &&ErrorResponse<'_>| {
                other.body.is_some() && body.is_some() && other.body != body
            };
            if let Some(other) = errors.iter().find(differs) {
                self.problems.push(
                    Problem::error(
                        "several-error-bodies",
                        &response.at,
                        "two errors of one operation have different bodies: dropshot gives all of them the same",
                        "use one schema for the errors of an operation",
                    )
                    .with_related(&other.response.at, "the other body"),
                );
            }
            errors.push(ErrorResponse {
                variant: names.claim(&variant),
                status: response.status.value,
                body,
                response,
            });
        }
        errors
    }
}
