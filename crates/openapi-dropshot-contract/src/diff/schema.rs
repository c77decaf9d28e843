//! The walk over two schemas: which rules are asked at each place, and where
//! the walk goes on. What each rule says stands in the files beside this one.

use super::context::Context;
use super::view::View;
use super::{bounds, compose, properties, rules, types, values};
use crate::model::Node;

/// Who sends a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// The client: whatever was accepted must stay accepted.
    Request,
    /// The service: nothing may come that could not come before.
    Response,
}

/// What a schema describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Body,
    Parameter,
    Header,
}

/// Where in an operation a schema stands.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub direction: Direction,
    pub role: Role,
    /// What messages call it, such as `the request body`.
    pub what: String,
    /// Whether a number and a string look different on the wire.
    pub strongly_typed: bool,
    /// The way from the body to the schema; empty for the body itself.
    pub path: String,
    /// Whether the value never travels in this direction (`readOnly` in a
    /// request, `writeOnly` in a response).
    pub hidden: bool,
}

impl Scope {
    pub(super) fn new(
        direction: Direction,
        role: Role,
        what: String,
        strongly_typed: bool,
    ) -> Self {
        Scope {
            direction,
            role,
            what,
            strongly_typed,
            path: String::new(),
            hidden: false,
        }
    }

    /// The scope of something inside.
    pub(super) fn at(&self, step: &str) -> Self {
        let mut inner = self.clone();
        if !inner.path.is_empty() {
            inner.path.push('/');
        }
        inner.path.push_str(step);
        inner
    }

    pub(super) fn is_request(&self) -> bool {
        self.direction == Direction::Request
    }

    /// How the ids of the rules for this place begin.
    pub(super) fn prefix(&self) -> &'static str {
        match (self.role, self.direction, self.path.is_empty()) {
            (Role::Body, Direction::Request, true) => "request-body",
            (Role::Body, Direction::Response, true) => "response-body",
            (Role::Header, _, true) => "response-header",
            (Role::Parameter, _, true) => "request-parameter",
            (Role::Parameter, _, false) => "request-parameter-property",
            (_, Direction::Request, false) => "request-property",
            (_, Direction::Response, false) => "response-property",
        }
    }

    /// The rules for the bounds of a parameter speak of its items as well.
    pub(super) fn of_bounds(&self) -> Self {
        let mut scope = self.clone();
        if self.role == Role::Parameter && !self.path.is_empty() {
            scope.what = self.subject();
            scope.path.clear();
        }
        scope
    }

    /// What messages call this place.
    pub(super) fn subject(&self) -> String {
        if self.path.is_empty() {
            self.what.clone()
        } else {
            format!("`{}` of {}", self.path, self.what)
        }
    }

    /// Reports that the rule for this place with this ending is met.
    pub(super) fn report(
        &self,
        context: &mut Context<'_>,
        ending: &str,
        base: Option<&Node>,
        revision: Option<&Node>,
        text: &str,
    ) {
        // A client that sends back what it got sends read-only members, too.
        let is_shown = !self.hidden || (self.is_request() && ending == "pattern-changed");
        let id = if is_shown {
            format!("{}-{ending}", self.prefix())
        } else if self.is_request() {
            format!("request-read-only-property-{ending}")
        } else {
            format!("response-write-only-property-{ending}")
        };
        // Of what does not travel, a few rules tell for information.
        if self.hidden && rules::level(&id).is_none() {
            return;
        }
        context.report(&id, base, revision, format!("{}: {text}", self.subject()));
    }
}

/// Compares the schemas of one body, parameter or header from its top.
pub(super) fn start<'a>(
    context: &mut Context<'a>,
    scope: &Scope,
    base: &'a Node,
    revision: &'a Node,
) {
    context.seen.clear();
    compare(context, scope, &[base], &[revision]);
}

/// Compares two schemas; each is a list of schemas that hold together.
pub(super) fn compare<'a>(
    context: &mut Context<'a>,
    scope: &Scope,
    base: &[&'a Node],
    revision: &[&'a Node],
) {
    if let ([base], [revision]) = (base, revision)
        && context.equality.same(base, revision)
    {
        return;
    }
    let mut old = context.base.view(base);
    let mut new = context.revision.view(revision);
    let (Some(old_node), Some(new_node)) = (old.node(), new.node()) else {
        return;
    };
    if !(context.seen).insert((old_node, new_node, scope.path.is_empty(), scope.hidden)) {
        return;
    }
    compose::unwrap_single(&mut old, &mut new);
    if !compose::list_of_types(context, scope, &old, &new) {
        types::compare(context, scope, &old, &new);
        compose::alternatives(context, scope, &old, &new, "oneOf", "one-of");
        compose::alternatives(context, scope, &old, &new, "anyOf", "any-of");
    }
    compose::all_of(context, scope, &old, &new);
    compose::discriminator(context, scope, &old, &new);
    compose::not(context, scope, &old, &new);
    values::compare(context, scope, &old, &new);
    bounds::compare(context, scope, &old, &new);
    properties::compare(context, scope, &old, &new);
    inside(context, scope, &old, &new, "items");
    inside(context, scope, &old, &new, "additionalProperties");
}

/// Goes on into a keyword that holds one schema.
fn inside<'a>(
    context: &mut Context<'a>,
    scope: &Scope,
    old: &View<'a>,
    new: &View<'a>,
    keyword: &str,
) {
    let schemas = |view: &View<'a>| -> Vec<&'a Node> {
        (view.parts.iter())
            .filter_map(|part| part.get(keyword))
            .filter(|node| node.as_object().is_some())
            .collect()
    };
    let (base, revision) = (schemas(old), schemas(new));
    if !base.is_empty() && !revision.is_empty() {
        compare(context, &scope.at(keyword), &base, &revision);
    }
}
