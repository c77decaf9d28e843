//! The place of a schema in an operation, and how its changes are reported.

use super::context::Context;
use crate::model::Node;
use crate::rules::{Family, changes as rules};

/// How a schema is used. A value that was allowed in a request must stay allowed. A response must
/// not contain values that the base does not describe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    RequestBody,
    Parameter,
    ResponseBody,
    ResponseHeader,
}

/// The place of a schema in an operation.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub role: Role,
    /// The name in messages, such as `the request body`.
    pub what: String,
    /// Whether numbers and strings look different when they are serialized.
    pub strongly_typed: bool,
    /// The path from the body to the schema; empty for the body itself.
    pub path: String,
    /// Whether the value is never sent in this direction: it is `readOnly` in a request, or
    /// `writeOnly` in a response.
    pub hidden: bool,
}

impl Scope {
    pub(super) fn new(role: Role, what: String, strongly_typed: bool) -> Self {
        Scope {
            role,
            what,
            strongly_typed,
            path: String::new(),
            hidden: false,
        }
    }

    /// Returns the scope of a schema inside of this one.
    pub(super) fn at(&self, step: &str) -> Self {
        let mut inner = self.clone();
        if !inner.path.is_empty() {
            inner.path.push('/');
        }
        inner.path.push_str(step);
        inner
    }

    /// Returns whether the client sends the value.
    pub(super) fn is_request(&self) -> bool {
        matches!(self.role, Role::RequestBody | Role::Parameter)
    }

    /// Returns whether this is a body or a part of one.
    pub(super) fn is_in_body(&self) -> bool {
        matches!(self.role, Role::RequestBody | Role::ResponseBody)
    }

    /// Returns the beginnings of the ids of the rules for this place. The first beginning for which
    /// a rule exists is used.
    fn places(&self, hidden: bool) -> &'static [&'static str] {
        match (self.role, self.path.is_empty()) {
            _ if hidden && self.is_request() => &["request-read-only-property"],
            _ if hidden => &["response-write-only-property"],
            (Role::RequestBody, true) => &["request-body"],
            (Role::RequestBody, false) => &["request-property"],
            (Role::Parameter, true) => &["request-parameter"],
            // The rules for the bounds of a parameter apply to its items as well.
            (Role::Parameter, false) => &["request-parameter-property", "request-parameter"],
            (Role::ResponseBody, true) => &["response-body"],
            (Role::ResponseHeader, true) => &["response-header"],
            (Role::ResponseBody | Role::ResponseHeader, false) => &["response-property"],
        }
    }

    /// The name of this place in messages.
    pub(super) fn subject(&self) -> String {
        if self.path.is_empty() {
            self.what.clone()
        } else {
            format!("`{}` of {}", self.path, self.what)
        }
    }

    /// Reports a change by the rule of a family for this place.
    pub(super) fn report(
        &self,
        context: &mut Context<'_>,
        family: &'static Family,
        base: Option<&Node>,
        revision: Option<&Node>,
        text: &str,
    ) {
        // Few rules apply to values that are not sent in this direction. An exception is a changed
        // pattern: a client that sends back what it received also sends read-only members.
        let is_pattern = std::ptr::eq(family, &rules::PATTERN_CHANGED);
        let hidden = self.hidden && !(self.is_request() && is_pattern);
        let places = self.places(hidden);
        if !hidden || family.at(places).is_some() {
            let text = format!("{}: {text}", self.subject());
            context.report_at(family, places, base, revision, text);
        }
    }
}
