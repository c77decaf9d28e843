//! Parameters of an operation, those of its path included.

use super::context::Context;
use super::lifecycle::{self, Deprecation, Moved, Sunset};
use super::operations::Pair;
use super::schema::{self, Direction, Role, Scope};
use super::values::shown;
use super::view::{Side, View, array, is_true, members};
use crate::model::Node;

/// A parameter as an operation has it.
#[derive(Clone, Copy)]
struct Parameter<'a> {
    node: &'a Node,
    name: &'a str,
    location: &'a str,
    /// Whether it is written for all operations of the path.
    is_shared: bool,
}

impl<'a> Parameter<'a> {
    /// Own parameters and those of the path that no own one overrides.
    fn all(side: Side<'a>, operation: &'a Node, item: &'a Node) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        let written = [(operation, false), (item, true)];
        for (owner, is_shared) in written {
            for node in array(owner, "parameters") {
                let node = side.resolve(node);
                let text = |name| node.get(name).and_then(Node::as_str);
                let (Some(name), Some(location)) = (text("name"), text("in")) else {
                    continue;
                };
                let own = Parameter {
                    node,
                    name,
                    location,
                    is_shared,
                };
                if !all.iter().any(|other| other.is(own)) {
                    all.push(own);
                }
            }
        }
        all
    }

    fn is(self, other: Parameter<'_>) -> bool {
        // Names of headers have no case.
        self.location == other.location
            && (self.name == other.name
                || (self.location == "header" && self.name.eq_ignore_ascii_case(other.name)))
    }

    fn what(self) -> String {
        format!("the {} parameter `{}`", self.location, self.name)
    }

    /// Paths cannot do without their parameters, whatever is written.
    fn is_required(self) -> bool {
        self.location == "path" || is_true(self.node, "required")
    }

    /// How it is written on the wire: style, and whether it is repeated.
    fn serialization(self) -> (&'a str, bool) {
        let usual = match self.location {
            "query" | "cookie" => "form",
            _ => "simple",
        };
        let style = (self.node.get("style").and_then(Node::as_str)).unwrap_or(usual);
        let explode = (self.node.get("explode").and_then(Node::as_bool)).unwrap_or(style == "form");
        (style, explode)
    }
}

pub(super) fn compare<'a>(context: &mut Context<'a>, pair: &Pair<'a>) {
    let before = Parameter::all(context.base, pair.base, pair.base_item);
    let after = Parameter::all(context.revision, pair.revision, pair.revision_item);
    let renamed = |parameter: Parameter<'a>| {
        let name = (pair.renamed.iter())
            .find(|(from, _)| parameter.location == "path" && *from == parameter.name)
            .map_or(parameter.name, |(_, to)| to);
        Parameter { name, ..parameter }
    };
    let stable = context.stable;
    for old in &before {
        context.stable = stable && lifecycle::is_stable(old.node);
        match after.iter().find(|new| new.is(renamed(*old))) {
            Some(new) => changed(context, *old, *new),
            None => removed(context, *old, pair.revision),
        }
    }
    context.stable = stable;
    for new in &after {
        if !before.iter().any(|old| new.is(renamed(*old))) {
            added(context, *new, pair.base);
        }
    }
}

fn added(context: &mut Context<'_>, new: Parameter<'_>, base: &Node) {
    let id = match (new.location, new.is_required(), new.is_shared) {
        ("path", ..) => "new-request-path-parameter",
        (_, true, false) => "new-required-request-parameter",
        (_, false, false) => "new-optional-request-parameter",
        (_, true, true) => "new-required-request-default-parameter-to-existing-path",
        (_, false, true) => "new-optional-request-default-parameter-to-existing-path",
    };
    let text = format!("{} was added", new.what());
    context.report(id, Some(base), Some(new.node), text);
}

fn removed(context: &mut Context<'_>, old: Parameter<'_>, revision: &Node) {
    let what = old.what();
    let (id, text) = match (is_true(old.node, "deprecated"), lifecycle::sunset(old.node)) {
        (false, _) => ("request-parameter-removed", format!("{what} was removed")),
        (true, Sunset::None) => (
            "request-parameter-removed-with-deprecation",
            format!("{what} was removed; it was deprecated"),
        ),
        (true, Sunset::Unreadable(_)) => (
            "request-parameter-sunset-parse",
            format!("`x-sunset` of {what}, which was removed, is no date"),
        ),
        (true, Sunset::On(day, _)) if context.policy.today < day => (
            "request-parameter-removed-before-sunset",
            format!("{what} was removed before its sunset on {day}"),
        ),
        (true, Sunset::On(day, _)) => (
            "request-parameter-removed-after-sunset",
            format!("{what} was removed; its sunset was on {day}"),
        ),
    };
    context.report(id, Some(old.node), Some(revision), text);
}

fn changed<'a>(context: &mut Context<'a>, old: Parameter<'a>, new: Parameter<'a>) {
    let what = new.what();
    let (base, revision) = (Some(old.node), Some(new.node));
    match (old.is_required(), new.is_required()) {
        (false, true) => {
            let text = format!("{what} became required");
            context.report("request-parameter-became-required", base, revision, text);
        }
        (true, false) => {
            let text = format!("{what} became optional");
            context.report("request-parameter-became-optional", base, revision, text);
        }
        _ => {}
    }
    let empty = |parameter: Parameter<'_>| is_true(parameter.node, "allowEmptyValue");
    if empty(old) && !empty(new) {
        let text = format!("{what} may not be empty any more");
        context.report(
            "request-parameter-empty-value-refused",
            base,
            revision,
            text,
        );
    }
    deprecation(context, old, new);
    let media_types = |parameter: Parameter<'a>| members(parameter.node, "content");
    let (Some(old_schema), Some(new_schema)) = (old.node.get("schema"), new.node.get("schema"))
    else {
        let scope = scope(&what, true);
        for (name, old) in media_types(old) {
            let new = media_types(new)
                .into_iter()
                .find(|(other, _)| *other == name);
            if let (Some(old), Some(new)) = (
                old.get("schema"),
                new.and_then(|(_, new)| new.get("schema")),
            ) {
                schema::start(context, &scope, old, new);
            }
        }
        return;
    };
    serialization(context, old, new, old_schema);
    let scope = scope(&what, false);
    context.exploded = new.serialization() == ("form", true);
    schema::start(context, &scope, old_schema, new_schema);
    let (old_view, new_view) = (
        context.base.view(&[old_schema]),
        context.revision.view(&[new_schema]),
    );
    let is_marked = |parameter: Parameter<'_>| is_true(parameter.node, "required");
    if !is_marked(old) && !is_marked(new) {
        default(context, &what, &old_view, &new_view);
    }
    if new.location == "header" {
        header(context, &scope, &old_view, &new_view);
    }
}

fn scope(what: &str, strongly_typed: bool) -> Scope {
    Scope::new(
        Direction::Request,
        Role::Parameter,
        what.to_owned(),
        strongly_typed,
    )
}

/// `style` and `explode`: they matter for lists and objects, not for one value.
fn serialization<'a>(
    context: &mut Context<'a>,
    old: Parameter<'a>,
    new: Parameter<'a>,
    schema: &'a Node,
) {
    let ((old_style, old_explode), (new_style, new_explode)) =
        (old.serialization(), new.serialization());
    let kind = context.base.view(&[schema]).kind();
    let is_compound = matches!(kind, None | Some("array" | "object"));
    let differs = (old_style != new_style && (is_compound || new.location == "path"))
        || (old_explode != new_explode && is_compound);
    if differs {
        let text = format!(
            "{} is written another way: style `{old_style}` and explode {old_explode} became \
             style `{new_style}` and explode {new_explode}",
            new.what()
        );
        let id = "request-parameter-serialization-changed";
        context.report(id, Some(old.node), Some(new.node), text);
    }
}

/// The default of a parameter is what the service does for those who leave it
/// out: another one changes what they get.
fn default<'a>(context: &mut Context<'a>, what: &str, old: &View<'a>, new: &View<'a>) {
    let (from, to) = (old.first("default"), new.first("default"));
    let (id, text) = match (from, to) {
        (None, Some(to)) => (
            "request-parameter-default-value-added",
            format!("{what}: the default {} was added", shown(to)),
        ),
        (Some(from), None) => (
            "request-parameter-default-value-removed",
            format!("{what}: the default {} was removed", shown(from)),
        ),
        (Some(from), Some(to)) if !from.same_value(to) => (
            "request-parameter-default-value-changed",
            format!(
                "{what}: the default changed from {} to {}",
                shown(from),
                shown(to)
            ),
        ),
        _ => return,
    };
    context.report(id, from.or(old.node()), to.or(new.node()), text);
}

/// What oasdiff says of headers by ids of their own.
fn header<'a>(context: &mut Context<'a>, scope: &Scope, old: &View<'a>, new: &View<'a>) {
    if old.first("enum").is_none()
        && let Some(to) = new.first("enum")
    {
        let text = format!("{}: only listed values are allowed now", scope.what);
        context.report(
            "request-header-property-became-enum",
            old.node(),
            Some(to),
            text,
        );
    }
    let (before, after) = (old.properties(), new.properties());
    for (name, base) in &before {
        let Some(revision) = after.get(name) else {
            continue;
        };
        let base = context.base.view(base);
        let revision = context.revision.view(revision);
        if base.first("enum").is_none()
            && let Some(to) = revision.first("enum")
        {
            let text = format!(
                "{}: only listed values are allowed now",
                scope.at(name).subject()
            );
            let id = "request-header-property-became-enum";
            context.report(id, base.node(), Some(to), text);
        }
    }
    for name in new.required() {
        let id = match (before.contains_key(name), after.contains_key(name)) {
            (true, true) if !old.requires(name) => "request-header-property-became-required",
            (false, true) => "new-required-request-header-property",
            _ => continue,
        };
        let text = format!("{}: required", scope.at(name).subject());
        context.report(id, old.node(), new.first("required"), text);
    }
}

fn deprecation<'a>(context: &mut Context<'a>, old: Parameter<'a>, new: Parameter<'a>) {
    let what = new.what();
    match (
        is_true(old.node, "deprecated"),
        is_true(new.node, "deprecated"),
    ) {
        (false, true) => {
            let ids = Deprecation {
                plain: "request-parameter-deprecated",
                with_sunset: "request-parameter-deprecated",
                missing: "request-parameter-deprecated-sunset-missing",
                unreadable: "request-parameter-sunset-parse",
                too_small: "request-parameter-sunset-date-too-small",
            };
            lifecycle::deprecated(context, &ids, &what, old.node, new.node);
        }
        (true, false) => {
            let text = format!("{what} is not deprecated any more");
            let id = "request-parameter-reactivated";
            context.report(id, Some(old.node), Some(new.node), text);
        }
        (true, true) => {
            let ids = Moved {
                deleted: "request-parameter-sunset-deleted",
                unreadable: "request-parameter-sunset-parse",
                closer: "request-parameter-sunset-moved-closer",
                too_small: "request-parameter-sunset-date-changed-too-small",
            };
            lifecycle::sunset_moved(context, &ids, &what, old.node, new.node);
        }
        _ => {}
    }
}
