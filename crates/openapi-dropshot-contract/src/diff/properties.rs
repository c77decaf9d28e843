//! Compares the properties of objects: which properties exist, which are required, which are sent
//! in only one direction, and which unknown members are allowed.

use super::lifecycle;
use super::schema::{self, Comparison};
use super::scope::Scope;
use super::view::View;
use crate::model::Node;
use crate::rules::changes as rules;

/// Returns whether a property is not sent in this direction.
fn is_hidden(scope: &Scope, property: &View<'_>) -> bool {
    let keyword = match scope.is_request() {
        true => "readOnly",
        false => "writeOnly",
    };
    scope.hidden || property.flag(keyword)
}

/// Returns whether members that are not declared as properties are rejected.
fn is_closed(view: &View<'_>) -> bool {
    let rejects =
        |part: &&Node| part.get("additionalProperties").and_then(Node::as_bool) == Some(false);
    view.parts.iter().any(rejects)
}

/// Returns the beginning of the ids of rules for added and removed properties of responses.
fn place_in_response(is_required: bool, is_hidden: bool) -> &'static str {
    match (is_required, is_hidden) {
        (true, false) => "response-required",
        (false, false) => "response-optional",
        (true, true) => "response-required-write-only",
        (false, true) => "response-optional-write-only",
    }
}

/// The beginning of the id of the rule for an optional property that was removed from responses.
const OPTIONAL_IN_RESPONSE: &str = "response-optional-property";

impl<'a> Comparison<'_, 'a> {
    pub(super) fn properties(&mut self) {
        let (before, after) = (self.old.properties(), self.new.properties());
        for (name, base) in &before {
            let old = self.context.base.view(base);
            let Some(revision) = after.get(name) else {
                self.property_removed(name, &old);
                continue;
            };
            let new = self.context.revision.view(revision);
            let mut inner = self.scope.at(name);
            if !self.scope.hidden {
                self.access(name, &inner, &old, &new);
            }
            self.necessity(name, &inner, &old, &new);
            inner.hidden = is_hidden(self.scope, &new);
            schema::compare(self.context, &inner, base, revision);
            if !inner.hidden {
                lifecycle::property(self.context, &inner, &old, &new);
            }
        }
        for (name, revision) in &after {
            if !before.contains_key(name) {
                self.property_added(name, &self.context.revision.view(revision));
            }
        }
        self.required_without_property();
        self.additional();
    }

    /// Compares `readOnly` and `writeOnly` of a property.
    fn access(&mut self, name: &str, inner: &Scope, old: &View<'a>, new: &View<'a>) {
        let place = match (inner.is_request(), self.new.requires(name)) {
            (true, true) => "request-required-property",
            (true, false) => "request-optional-property",
            (false, true) => "response-required-property",
            (false, false) => "response-optional-property",
        };
        let read_only = (&rules::BECAME_READ_ONLY, &rules::BECAME_NOT_READ_ONLY);
        let write_only = (&rules::BECAME_WRITE_ONLY, &rules::BECAME_NOT_WRITE_ONLY);
        for (keyword, rules) in [("readOnly", read_only), ("writeOnly", write_only)] {
            let (family, verb) = match (old.flag(keyword), new.flag(keyword)) {
                (false, true) => (rules.0, "became"),
                (true, false) => (rules.1, "is no longer"),
                _ => continue,
            };
            let text = format!("{}: {verb} `{keyword}`", inner.subject());
            if inner.is_request() && std::ptr::eq(family, &rules::BECAME_READ_ONLY) {
                let place = match self.old.requires(name) {
                    true => "request-required-property",
                    false => "request-optional-property",
                };
                let (family, text) = (&rules::NO_LONGER_ACCEPTED, text.clone());
                (self.context).report_at(family, &[place], old.node(), new.node(), text);
            }
            (self.context).report_at(family, &[place], old.node(), new.node(), text);
        }
    }

    /// Compares whether a property is required.
    fn necessity(&mut self, name: &str, inner: &Scope, old: &View<'a>, new: &View<'a>) {
        let (was_hidden, is_hidden) = (is_hidden(self.scope, old), is_hidden(self.scope, new));
        let (mut was_required, is_required) = (self.old.requires(name), self.new.requires(name));
        let list = self.new.first("required").filter(|_| is_required);
        let (subject, revision) = (inner.subject(), list.or(new.node()));
        let place = match (inner.is_request(), was_hidden, is_hidden) {
            (true, _, false) => "request-property",
            (false, false, false) => "response-property",
            (false, true, true) => "response-write-only-property",
            (false, false, true) => {
                let text = format!("{subject}: is no longer sent in responses");
                let (family, place) = match was_required {
                    true => (&rules::PROPERTY_REMOVED, place_in_response(true, false)),
                    false => (&rules::NO_LONGER_SENT, OPTIONAL_IN_RESPONSE),
                };
                return (self.context).report_at(family, &[place], old.node(), revision, text);
            }
            _ => return,
        };
        // A property that was not sent in requests before is new there, so it was not required.
        was_required &= !(inner.is_request() && was_hidden);
        if inner.is_request() && !was_required && is_required && new.first("default").is_some() {
            let text = format!("{subject} became required");
            let rule = &rules::REQUEST_PROPERTY_BECAME_REQUIRED_WITH_DEFAULT;
            return self.context.report(rule, old.node(), revision, text);
        }
        let (old, new) = ((was_required, old.node()), (is_required, revision));
        (self.context).report_necessity(place, &subject, old, new);
    }

    fn property_removed(&mut self, name: &str, property: &View<'a>) {
        let (is_request, is_hidden) = (self.scope.is_request(), is_hidden(self.scope, property));
        if is_request && is_hidden {
            return;
        }
        let text = format!("{}: was removed", self.scope.at(name).subject());
        let (base, revision) = (property.node(), self.new.node());
        if is_request && is_closed(&self.new) {
            let rule = &rules::REQUEST_PROPERTY_REMOVED_AND_REFUSED;
            self.context.report(rule, base, revision, text.clone());
        }
        let place = match is_request {
            true => "request",
            false => place_in_response(self.old.requires(name), is_hidden),
        };
        let was_sent = place == place_in_response(false, false);
        if was_sent && !base.is_some_and(|base| lifecycle::is_due(self.context, base)) {
            let (family, places) = (&rules::NO_LONGER_SENT, &[OPTIONAL_IN_RESPONSE]);
            (self.context).report_at(family, places, base, revision, text.clone());
        }
        (self.context).report_at(&rules::PROPERTY_REMOVED, &[place], base, revision, text);
    }

    fn property_added(&mut self, name: &str, property: &View<'a>) {
        let is_hidden = is_hidden(self.scope, property);
        let is_required = self.new.requires(name);
        let text = format!("{}: was added", self.scope.at(name).subject());
        let (base, revision) = (self.old.node(), property.node());
        if !self.scope.is_request() {
            let places = &[place_in_response(is_required, is_hidden)];
            (self.context).report_at(&rules::PROPERTY_ADDED, places, base, revision, text);
        } else if !is_hidden {
            let rule = match (is_required, property.first("default")) {
                (true, Some(_)) => &rules::NEW_REQUIRED_REQUEST_PROPERTY_WITH_DEFAULT,
                (true, None) => &rules::NEW_REQUIRED_REQUEST_PROPERTY,
                (false, _) => &rules::NEW_OPTIONAL_REQUEST_PROPERTY,
            };
            self.context.report(rule, base, revision, text);
        }
    }

    /// Compares the names in `required` that no property describes.
    fn required_without_property(&mut self) {
        let (before, after) = (self.old.required(), self.new.required());
        let (needed, given, family, place) = match self.scope.is_request() {
            _ if self.scope.hidden => return,
            true => (after, before, &rules::BECAME_REQUIRED, "request-property"),
            false => (before, after, &rules::BECAME_OPTIONAL, "response-property"),
        };
        let (old, new) = (self.old.properties(), self.new.properties());
        let (base, list) = (self.old.node(), self.new.first("required"));
        for name in needed {
            if !given.contains(&name) && !old.contains_key(name) && !new.contains_key(name) {
                let subject = self.scope.at(name).subject();
                let text = format!("{subject}: required in only one of the documents");
                let revision = list.or(self.new.node());
                (self.context).report_at(family, &[place], base, revision, text);
            }
        }
    }

    /// Compares which members are allowed besides the declared properties.
    fn additional(&mut self) {
        const KEYWORD: &str = "additionalProperties";
        let is_empty = |node: &&Node| node.as_object().is_none_or(|members| members.is_empty());
        let is_schema = |view: &View<'a>| !view.objects(KEYWORD).iter().all(is_empty);
        let family = match (is_closed(&self.old), is_closed(&self.new)) {
            (false, true) => &rules::ADDITIONAL_PROPERTIES_CLOSED,
            (true, false) => &rules::ADDITIONAL_PROPERTIES_OPENED,
            (false, false) if !is_schema(&self.old) && is_schema(&self.new) => {
                &rules::ADDITIONAL_PROPERTIES_RESTRICTED
            }
            // If the revision has `{}`, the comparison of the two schemas reports the change.
            (false, false) if is_schema(&self.old) && self.new.objects(KEYWORD).is_empty() => {
                &rules::ADDITIONAL_PROPERTIES_UNRESTRICTED
            }
            _ => return,
        };
        self.report_meaning(family, self.both(KEYWORD));
    }
}
