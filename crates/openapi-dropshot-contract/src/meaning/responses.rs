//! Compares the responses of two operations: statuses, descriptions, headers and
//! bodies. dropshot emits all errors of an operation as two ranges.

use super::{
    Comparer,
    operations::{PARAMETER, key},
    shape::is_anything,
    texts,
};
use crate::model::{Header, MediaType, Operation, Response, StatusCode};

/// What may differ in the description of a response.
const RESPONSE: texts::TextRules = texts::TextRules {
    form: "response-description-form",
    more: "response-description",
    added: "response-description",
    lost: "response-description",
};

/// The extension of operations that open a websocket.
const CHANNEL: &str = "x-dropshot-websocket";

impl<'d> Comparer<'d> {
    pub(super) fn responses(&mut self, source: &'d Operation, emitted: &'d Operation) {
        let part = key(source);
        let errors = |response: &&Response| is_error(response.status.value);
        self.errors_have_bodies = source
            .responses
            .iter()
            .filter(errors)
            .any(|response| !response.content.is_empty());
        for response in &source.responses {
            let status = response.status.value;
            self.part = format!("{part} {status}");
            self.comparison
                .statuses
                .push((part.clone(), self.part.clone()));
            let exact = emitted
                .responses
                .iter()
                .find(|other| other.status.value == status);
            let opens_websocket = matches!(status, StatusCode::Default | StatusCode::Exact(101));
            if opens_websocket && source.extensions.contains_key(CHANNEL) {
                self.websocket(response, emitted);
                continue;
            }
            if let Some(other) = exact {
                self.response(response, other);
                continue;
            }
            // An error has the type of all errors of the operation.
            let group = emitted
                .responses
                .iter()
                .find(|other| covers(other.status.value, status));
            match group {
                Some(other) => {
                    let message = format!("{status} is one of {}", other.status.value);
                    self.differ("status-in-range", &response.status.at, message);
                    self.response(response, other);
                }
                None if status == StatusCode::Default => {
                    let both = [4, 5].map(|first| {
                        emitted
                            .responses
                            .iter()
                            .find(|other| other.status.value == StatusCode::Range(first))
                    });
                    if let [Some(client), Some(server)] = both {
                        let message = "`default` became `4XX` and `5XX`";
                        self.differ("status-default", &response.status.at, message);
                        self.response(response, client);
                        self.response(response, server);
                    } else {
                        let message = "`default` was lost";
                        self.differ("status-lost", &response.status.at, message);
                    }
                }
                None => self.differ(
                    "status-lost",
                    &response.status.at,
                    format!("{status} was lost"),
                ),
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
                let rule = if matches!(status, StatusCode::Range(4 | 5)) {
                    "status-added-range"
                } else {
                    "status-added"
                };
                self.differ(rule, &source.at, format!("{status} is not in the source"));
            }
        }
        self.part = part;
    }

    /// Compares the response that opens a websocket; older versions of dropshot
    /// emitted `default`, or a content.
    fn websocket(&mut self, source: &'d Response, emitted: &'d Operation) {
        let switching = emitted
            .responses
            .iter()
            .find(|other| other.status.value == StatusCode::Exact(101));
        let is_free = source
            .content
            .iter()
            .all(|media| media.schema.as_ref().is_none_or(is_anything));
        match switching {
            Some(other) if is_free && emitted.extensions.contains_key(CHANNEL) => {
                if source.status.value != other.status.value || !source.content.is_empty() {
                    let message = format!("`{}` became `101` alone", source.status.value);
                    self.differ("websocket-form", &source.status.at, message);
                }
            }
            _ => self.differ("status-lost", &source.status.at, "no websocket is opened"),
        }
    }

    fn response(&mut self, source: &'d Response, emitted: &'d Response) {
        let at = &source.at;
        let description = Some(source.description.as_str());
        self.text(&RESPONSE, at, description, Some(&emitted.description));
        for header in &source.headers {
            let same = |other: &&Header| other.name.value.eq_ignore_ascii_case(&header.name.value);
            match emitted.headers.iter().find(same) {
                Some(other) => {
                    self.same(
                        "header-required",
                        &header.at,
                        &header.required,
                        &other.required,
                    );
                    self.text(
                        &PARAMETER,
                        &header.at,
                        header.description.as_deref(),
                        other.description.as_deref(),
                    );
                    self.optional(&header.at, header.schema.as_ref(), other.schema.as_ref());
                }
                None if is_error(source.status.value) => {
                    self.lost("error-header-lost", &header.at, &header.name.value);
                }
                None => self.lost("header-lost", &header.at, &header.name.value),
            }
        }
        for other in &emitted.headers {
            if !source
                .headers
                .iter()
                .any(|header| header.name.value.eq_ignore_ascii_case(&other.name.value))
            {
                self.added("header-added", at, &other.name.value);
            }
        }
        if source
            .extensions
            .keys()
            .any(|name| !emitted.extensions.contains_key(name))
        {
            self.differ("response-extension", at, "an extension was lost");
        }
        let is_any = |media: &MediaType| media.schema.as_ref().is_none_or(is_anything);
        if is_error(source.status.value)
            && source.content.is_empty()
            && (self.errors_have_bodies || emitted.content.iter().all(is_any))
        {
            if !emitted.content.is_empty() {
                let message = "an error without a body may have one";
                self.differ("error-content-added", at, message);
            }
            return;
        }
        self.content(at, &source.content, &emitted.content);
    }
}

/// Whether a status of the emitted document represents one of the source.
fn covers(emitted: StatusCode, source: StatusCode) -> bool {
    match (emitted, source) {
        (StatusCode::Range(first), StatusCode::Exact(code)) => u16::from(first) == code / 100,
        (StatusCode::Default, _) => true,
        _ => false,
    }
}

fn is_error(status: StatusCode) -> bool {
    match status {
        StatusCode::Exact(code) => code >= 400,
        StatusCode::Range(first) => first >= 4,
        StatusCode::Default => true,
    }
}
