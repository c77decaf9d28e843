//! Compares the responses of two operations: statuses, descriptions, headers and bodies. Dropshot
//! emits all errors of an operation as two ranges.

use super::operations::PARAMETER;
use super::{Comparer, TextRules, shape::is_anything};
use crate::model::{Header, MediaType, Operation, Response, StatusCode};
use crate::pairs::pairs;
use crate::rules::differences as rules;

/// The rules for differences in the description of a response.
const RESPONSE: TextRules = TextRules {
    form: &rules::RESPONSE_DESCRIPTION_FORM,
    more: &rules::RESPONSE_DESCRIPTION,
    added: &rules::RESPONSE_DESCRIPTION,
    lost: &rules::RESPONSE_DESCRIPTION,
};

/// The extension of operations that open a websocket.
pub(super) const CHANNEL: &str = "x-dropshot-websocket";

impl<'d> Comparer<'d> {
    pub(super) fn responses(&mut self, source: &'d Operation, emitted: &'d Operation) {
        let part = source.request();
        self.errors_have_bodies = (source.responses.iter())
            .any(|response| response.status.value.may_be_error() && !response.content.is_empty());
        let successes = (source.responses.iter())
            .filter(|response| matches!(response.status.value, StatusCode::Exact(200..=399)));
        self.has_several_successes = successes.count() != 1;
        for response in &source.responses {
            let status = response.status.value;
            self.part = format!("{part} {status}");
            let parts = (part.clone(), self.part.clone());
            self.comparison.statuses.push(parts);
            let at = &response.status.at;
            if !source.opens_websocket() {
                self.status(response, emitted);
            } else if source.is_opened_by(response) {
                self.websocket(response, emitted);
            } else {
                let message = format!("{status} is not sent by the handler");
                self.differ(&rules::WEBSOCKET_ERROR, at, message);
            }
        }
        for other in &emitted.responses {
            let status = other.status.value;
            let is_known = source.responses.iter().any(|response| {
                let own = response.status.value;
                own == status || covers(status, own) || own == StatusCode::Default
            });
            if !is_known {
                self.part = format!("{part} {status}");
                let rule = match status {
                    StatusCode::Range(4 | 5) => &rules::STATUS_ADDED_RANGE,
                    _ => &rules::STATUS_ADDED,
                };
                self.added(rule, &source.at, &status.to_string());
            }
        }
        self.part = part;
    }

    /// Compares a response of the source with the responses that represent it. All error responses
    /// of an operation have the same type.
    fn status(&mut self, source: &'d Response, emitted: &'d Operation) {
        let (status, at) = (source.status.value, &source.status.at);
        let of = |status| with_status(emitted, status);
        if let Some(other) = of(status) {
            return self.response(source, other);
        }
        let mut all = emitted.responses.iter();
        if let Some(range) = all.find(|other| covers(other.status.value, status)) {
            let message = format!("{status} is one of {}", range.status.value);
            self.differ(&rules::STATUS_IN_RANGE, at, message);
            return self.response(source, range);
        }
        match (of(StatusCode::Range(4)), of(StatusCode::Range(5))) {
            (Some(client), Some(server)) if status == StatusCode::Default => {
                let message = "`default` became `4XX` and `5XX`";
                self.differ(&rules::STATUS_DEFAULT, at, message);
                self.response(source, client);
                self.response(source, server);
            }
            _ if matches!(status, StatusCode::Exact(..=199) | StatusCode::Range(1)) => {
                self.lost(&rules::STATUS_INTERIM, at, &status.to_string());
            }
            _ => self.lost(&rules::STATUS_LOST, at, &status.to_string()),
        }
    }

    /// Compares the response that opens a websocket. Older versions of dropshot emitted `default`,
    /// or a content.
    fn websocket(&mut self, source: &'d Response, emitted: &'d Operation) {
        let (status, at) = (source.status.value, &source.status.at);
        let switching = with_status(emitted, StatusCode::Exact(101));
        let opens = switching.is_some() && emitted.extensions.contains_key(CHANNEL);
        if !opens || !source.content.iter().all(is_free) {
            self.differ(&rules::STATUS_LOST, at, "no websocket is opened");
        } else if status != StatusCode::Exact(101) || !source.content.is_empty() {
            let message = format!("`{status}` became `101` alone");
            self.differ(&rules::WEBSOCKET_FORM, at, message);
        }
    }

    fn response(&mut self, source: &'d Response, emitted: &'d Response) {
        let at = &source.at;
        let is_error = source.status.value.may_be_error();
        let texts = [source, emitted].map(|own| Some(own.description.as_str()));
        self.text(&RESPONSE, at, texts);
        let same = |a: &Header, b: &Header| a.name.value.eq_ignore_ascii_case(&b.name.value);
        for pair in pairs(&source.headers, &emitted.headers, same) {
            match pair {
                (Some(header), Some(other)) => {
                    let (both, at) = ([header, other], &header.at);
                    self.same(&rules::HEADER_REQUIRED, at, both.map(|own| own.required));
                    self.text(&PARAMETER, at, both.map(|own| own.description.as_deref()));
                    self.in_parameter = true;
                    self.optional(at, both.map(|own| own.schema.as_ref()));
                    self.in_parameter = false;
                }
                (Some(header), None) => {
                    let rule = if is_error {
                        &rules::ERROR_HEADER_LOST
                    } else if self.has_several_successes {
                        &rules::HEADER_OF_SEVERAL
                    } else if is_bytes(source, emitted) {
                        &rules::HEADER_OF_BYTES
                    } else {
                        &rules::HEADER_LOST
                    };
                    self.lost(rule, &header.at, &header.name.value);
                }
                (None, Some(other)) => self.added(&rules::HEADER_ADDED, at, &other.name.value),
                (None, None) => {}
            }
        }
        let is_kept = |name| emitted.extensions.contains_key(name);
        if !source.extensions.keys().all(is_kept) {
            self.differ(&rules::RESPONSE_EXTENSION, at, "an extension was lost");
        }
        let may_have_any = self.errors_have_bodies || emitted.content.iter().all(is_free);
        if !is_error || !source.content.is_empty() || !may_have_any {
            let sent = source.sent().map(std::slice::from_ref).unwrap_or_default();
            for other in &source.content {
                if !std::ptr::eq(other, sent.as_ptr()) {
                    let name = &other.name.value;
                    let message = format!("`{name}` is an alternative that is not sent");
                    self.differ(&rules::CONTENT_ALTERNATIVE, &other.at, message);
                }
            }
            self.content(at, sent, &emitted.content);
        } else if !emitted.content.is_empty() {
            let message = "an error without a body may have one";
            self.differ(&rules::ERROR_CONTENT_ADDED, at, message);
        }
    }
}

/// Returns the response that is declared for exactly this status.
fn with_status(operation: &Operation, status: StatusCode) -> Option<&Response> {
    (operation.responses.iter()).find(|response| response.status.value == status)
}

/// Returns whether a response that is not JSON is emitted as any bytes.
fn is_bytes(source: &Response, emitted: &Response) -> bool {
    let has_json = source.content.iter().any(MediaType::is_json);
    let is_any = |media: &MediaType| media.name.value == "*/*" && is_free(media);
    !source.content.is_empty()
        && !has_json
        && matches!(emitted.content.as_slice(), [only] if is_any(only))
}

/// Returns whether a content allows anything.
fn is_free(media: &MediaType) -> bool {
    media.schema.as_ref().is_none_or(is_anything)
}

/// Whether a status of the emitted document represents a status of the source.
fn covers(emitted: StatusCode, source: StatusCode) -> bool {
    match (emitted, source) {
        (StatusCode::Range(_), StatusCode::Exact(code)) => emitted.contains(code),
        (StatusCode::Default, _) => true,
        _ => false,
    }
}
