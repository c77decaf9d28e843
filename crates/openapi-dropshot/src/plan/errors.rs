//! Plans the error responses: by the codes of the catalogue if the document has one, otherwise by
//! their statuses.

use super::{
    Planner,
    bodies::JsonBody,
    find,
    ir::{Kind, Others, Presence, Scalar, Ty},
    parameters::Fields,
    responses::{status_name, variant_name},
};
use crate::{
    names::{Names, pascal},
    rules,
};
use openapi_dropshot_contract::model::{
    ErrorCode, Location, Operation, Response, StatusCode, unescape_pointer_token,
};
use openapi_dropshot_types::Condition;

/// The catalogue of error codes, and the error body that contains them.
pub(crate) struct Catalogue<'a> {
    /// The codes, in the order of the document, with their variants.
    pub(crate) codes: Vec<(String, &'a ErrorCode)>,
    pub(crate) body: ErrorBody,
}

/// The struct of an error body, which has a member for the error code.
#[derive(Clone, Debug)]
pub(crate) struct ErrorBody {
    component: String,
    /// The name of the struct.
    pub(crate) name: String,
    /// The members of the body that the server can set, as named in the document, with the variants
    /// of `ErrorMember`.
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

impl Errors<'_> {
    /// Returns the headers of all error responses.
    pub(crate) fn headers(&self) -> Vec<&Fields> {
        let mut all: Vec<&Fields> = match self {
            Errors::Codes(codes) => codes.iter().flat_map(|own| &own.headers).collect(),
            Errors::Statuses(own) | Errors::Dropshot(own) => {
                own.iter().flat_map(|own| &own.headers).collect()
            }
        };
        // The codes of a response follow each other and share its headers.
        all.dedup_by(|a, b| a.name == b.name);
        all
    }
}

/// A code that an operation lists.
pub(crate) struct Listed<'a> {
    pub(crate) variant: String,
    pub(crate) entry: &'a ErrorCode,
    /// The first response that lists the code.
    pub(crate) response: &'a Response,
    /// The headers that the handler sends, unless the server itself sends errors with this code.
    pub(crate) headers: Option<Fields>,
}

/// An error response without a code.
pub(crate) struct ErrorResponse<'a> {
    pub(crate) variant: String,
    pub(crate) status: StatusCode,
    pub(crate) body: Option<JsonBody<'a>>,
    pub(crate) headers: Option<Fields>,
    pub(crate) response: &'a Response,
}

fn error_responses(operation: &Operation) -> impl Iterator<Item = &Response> {
    let responses = operation.responses.iter();
    responses.filter(|response| response.status.value.may_be_error())
}

impl<'a> Planner<'a> {
    /// Plans the catalogue.
    pub(super) fn catalogue(&mut self) -> Option<Catalogue<'a>> {
        let catalogue = self.document.error_catalogue.as_ref()?;
        let body = self.error_body(&catalogue.at)?;
        for (status, what) in [
            (400, "a parameter or a body that breaks a rule"),
            (500, "an internal error of the service"),
        ] {
            if catalogue.value.iter().all(|entry| entry.status != status) {
                let message = format!("the catalogue has no code with status {status}, for {what}");
                let help = format!("add a code with `status: {status}`");
                self.reject(&rules::INCOMPLETE_CATALOGUE, &catalogue.at, message, help);
            }
        }
        let mut names = Names::default();
        let entries = catalogue.value.iter();
        let codes = entries.map(|entry| (names.claim(&pascal(&entry.code)), entry));
        Some(Catalogue {
            codes: codes.collect(),
            body,
        })
    }

    /// Finds the struct whose member has the catalogue.
    fn error_body(&mut self, at: &Location) -> Option<ErrorBody> {
        let pointer = at.pointer.strip_prefix("/components/schemas/");
        let body = pointer.and_then(|pointer| {
            let (component, rest) = pointer.split_once("/properties/")?;
            let (property, _) = rest.split_once('/')?;
            let property = unescape_pointer_token(property);
            self.body_of(unescape_pointer_token(component), &property)
        });
        if body.is_none() {
            let message = "the schema with the catalogue cannot be the body of an error";
            let help = "give it the required members `code` (a string, with the catalogue) and `message` (a string), \
                 optionally `status` (an integer) and `request_id` (a string), and make all other members optional";
            self.reject(&rules::UNSUPPORTED_ERROR_BODY, at, message, help);
        }
        body
    }

    fn body_of(&self, component: String, property: &str) -> Option<ErrorBody> {
        let name = self.name_of(&component);
        let Kind::Struct(object) = &find(&self.items, &name)?.kind else {
            return None;
        };
        let mut members = Vec::new();
        for field in &object.fields {
            let member = match (&field.ty, field.wire.as_str()) {
                (Ty::Scalar(Scalar::Text { .. }), wire) if wire == property => Some("Code"),
                (Ty::Scalar(Scalar::Text { .. }), "message") => Some("Message"),
                (Ty::Scalar(Scalar::Text { .. }), "request_id") => Some("RequestId"),
                (Ty::Scalar(Scalar::Integer { base, .. }), "status") if base.contains(599) => {
                    Some("Status")
                }
                _ => None,
            };
            match (&field.presence, member) {
                (Presence::Required, Some(member)) => members.push((field.wire.clone(), member)),
                // The server does not send this member.
                (Presence::Optional, _) => {}
                (Presence::Required | Presence::Default(_), _) => return None,
            }
        }
        let has = |wanted: &str| members.iter().any(|(_, member)| *member == wanted);
        (has("Code") && has("Message")).then_some(ErrorBody {
            component,
            name,
            members,
        })
    }

    /// Plans the errors of an operation.
    pub(super) fn errors(
        &mut self,
        operation: &'a Operation,
        type_name: &str,
        catalogue: Option<&Catalogue<'a>>,
    ) -> Errors<'a> {
        match catalogue {
            Some(catalogue) => Errors::Codes(self.codes(operation, type_name, catalogue)),
            // The catalogue was already rejected.
            None if self.document.error_catalogue.is_some() => Errors::Codes(Vec::new()),
            None => {
                let is_websocket = operation.opens_websocket();
                let is_alone = self.free_response(operation).is_some();
                let responses = error_responses(operation).filter(|response| {
                    let is_opening = is_websocket && operation.is_opened_by(response);
                    !(is_opening || is_alone && response.status.value == StatusCode::Default)
                });
                let errors = self.error_responses(operation, responses, type_name);
                match !errors.is_empty() && errors.iter().all(|error| self.is_dropshots(error)) {
                    true => Errors::Dropshot(errors),
                    false => Errors::Statuses(errors),
                }
            }
        }
    }

    /// Collects the codes that responses list. The linter checks that the catalogue contains them,
    /// with the status of the response.
    fn codes(
        &mut self,
        operation: &'a Operation,
        type_name: &str,
        catalogue: &Catalogue<'a>,
    ) -> Vec<Listed<'a>> {
        let mut listed: Vec<Listed<'a>> = Vec::new();
        for response in error_responses(operation) {
            self.check_error_body(response, &catalogue.body.component);
            if response.error_codes.is_empty() {
                let message = "this error response does not list the codes that it can have";
                let (at, help) = (&response.status.at, "list them with `x-error-codes`");
                self.reject(&rules::MISSING_ERROR_CODES, at, message, help);
            }
            let mut headers = None;
            for code in &response.error_codes {
                let mut known = catalogue.codes.iter();
                if let Some((variant, entry)) = known.find(|(_, entry)| entry.code == code.value)
                    && listed.iter().all(|other| other.variant != *variant)
                {
                    let headers = match Condition::with_code(&entry.code) {
                        Some(_) => None,
                        None => headers
                            .get_or_insert_with(|| {
                                let class = variant_name(response.status.value);
                                let name = format!("{type_name}{class}");
                                self.response_headers(operation, response, &name)
                            })
                            .clone(),
                    };
                    listed.push(Listed {
                        variant: variant.clone(),
                        entry,
                        response,
                        headers,
                    });
                }
            }
        }
        listed
    }

    fn check_error_body(&mut self, response: &'a Response, wanted: &str) {
        let json = response.content.iter().find(|media| media.is_json());
        if json.is_none()
            && let Some(other) = response.content.first()
        {
            let name = &other.name;
            let message = format!("`{name}` is not supported as the body of an error with a code");
            let help = "use `application/json`, or remove the codes";
            self.reject(&rules::UNSUPPORTED_MEDIA_TYPE, &name.at, message, help);
            return;
        }
        let schema = json.and_then(|media| media.schema.as_ref());
        let reference = schema.and_then(|schema| schema.reference.as_ref());
        if reference.is_none_or(|reference| reference.value != wanted) {
            let message = format!(
                "the body of this error is not `{wanted}`, the schema with the catalogue of codes"
            );
            let help = format!("refer to `#/components/schemas/{wanted}`");
            self.reject(&rules::UNSUPPORTED_ERROR_BODY, &response.at, message, help);
        }
    }

    /// Returns whether the body is that of dropshot's own errors, for which dropshot emits a
    /// component `Error`.
    fn is_dropshots(&self, error: &ErrorResponse<'_>) -> bool {
        let name = self.name_of("Error");
        let item = find(&self.items, &name);
        let Some(Kind::Struct(object)) = item.map(|item| &item.kind) else {
            return false;
        };
        let text = Ty::Scalar(Scalar::Text { format: None });
        let members = [
            ("error_code", false),
            ("message", true),
            ("request_id", true),
        ];
        let has_members = members.iter().all(|(wire, is_required)| {
            object.fields.iter().any(|field| {
                let has_presence = match field.presence {
                    Presence::Required => *is_required,
                    Presence::Optional => !is_required,
                    Presence::Default(_) => false,
                };
                field.wire == *wire && field.ty == text && has_presence
            })
        });
        let body = error.body.as_ref();
        item.and_then(|item| item.component.as_deref()) == Some("Error")
            && body
                .is_some_and(|body| body.ty == Ty::Named(name) && body.own_media_type().is_none())
            && error.response.headers.is_empty()
            && matches!(object.others, Others::Ignored)
            && object.fields.len() == members.len()
            && has_members
    }

    fn error_responses(
        &mut self,
        operation: &'a Operation,
        responses: impl Iterator<Item = &'a Response>,
        type_name: &str,
    ) -> Vec<ErrorResponse<'a>> {
        let mut names = Names::without(["Undocumented"]);
        let mut errors: Vec<ErrorResponse<'a>> = Vec::new();
        for response in responses {
            let status = match response.status.value {
                StatusCode::Exact(status) => status,
                StatusCode::Range(4) => 400,
                StatusCode::Range(_) | StatusCode::Default => 500,
            };
            let wanted = format!("{type_name}{}Body", status_name(status));
            let body = self.response_body(response, &wanted);
            let variant = names.claim(&variant_name(response.status.value));
            let name = format!("{type_name}{variant}");
            errors.push(ErrorResponse {
                headers: self.response_headers(operation, response, &name),
                variant,
                status: response.status.value,
                body,
                response,
            });
        }
        errors
    }
}
