//! Compares the parameters of an operation, those of its path included.

use super::context::Context;
use super::lifecycle::{self, DeprecationRules, Sunset, SunsetRules};
use super::schema;
use super::scope::{Direction, Role, Scope};
use super::values::quoted;
use super::view::{Side, View, array, is_true, members};
use crate::model::Node;
use crate::rules::changes as rules;

/// An operation in both documents.
pub(super) struct Pair<'a> {
    pub base: &'a Node,
    pub revision: &'a Node,
    pub base_item: &'a Node,
    pub revision_item: &'a Node,
    /// The variables of the path that were renamed: the old and the new names.
    pub renamed: Vec<(&'a str, &'a str)>,
}

/// A parameter of an operation.
#[derive(Clone, Copy)]
struct Parameter<'a> {
    node: &'a Node,
    name: &'a str,
    location: &'a str,
    /// Whether it belongs to all operations of the path.
    is_shared: bool,
}

impl<'a> Parameter<'a> {
    /// Own parameters and those of the path that no own one overrides.
    fn all(side: Side<'a>, operation: &'a Node, item: &'a Node) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for (owner, is_shared) in [(operation, false), (item, true)] {
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
        // Names of headers are case-insensitive.
        self.location == other.location
            && (self.name == other.name
                || (self.location == "header" && self.name.eq_ignore_ascii_case(other.name)))
    }

    fn what(self) -> String {
        format!("the {} parameter `{}`", self.location, self.name)
    }

    /// A path parameter is always required, whatever the document states.
    fn is_required(self) -> bool {
        self.location == "path" || is_true(self.node, "required")
    }

    /// How it is written on the wire: style, and whether it is repeated.
    fn serialization(self) -> (&'a str, bool) {
        let default_style = match self.location {
            "query" | "cookie" => "form",
            _ => "simple",
        };
        let style = (self.node.get("style").and_then(Node::as_str)).unwrap_or(default_style);
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
    let rule = match (new.location, new.is_required(), new.is_shared) {
        ("path", ..) => &rules::NEW_REQUEST_PATH_PARAMETER,
        (_, true, false) => &rules::NEW_REQUIRED_REQUEST_PARAMETER,
        (_, false, false) => &rules::NEW_OPTIONAL_REQUEST_PARAMETER,
        (_, true, true) => &rules::NEW_REQUIRED_REQUEST_DEFAULT_PARAMETER_TO_EXISTING_PATH,
        (_, false, true) => &rules::NEW_OPTIONAL_REQUEST_DEFAULT_PARAMETER_TO_EXISTING_PATH,
    };
    let text = format!("{} was added", new.what());
    context.report(rule, Some(base), Some(new.node), text);
}

fn removed(context: &mut Context<'_>, old: Parameter<'_>, revision: &Node) {
    let what = old.what();
    let (rule, text) = match (is_true(old.node, "deprecated"), lifecycle::sunset(old.node)) {
        (false, _) => (
            &rules::REQUEST_PARAMETER_REMOVED,
            format!("{what} was removed"),
        ),
        (true, Sunset::None) => (
            &rules::REQUEST_PARAMETER_REMOVED_WITH_DEPRECATION,
            format!("{what} was removed; it was deprecated"),
        ),
        (true, Sunset::Unreadable(_)) => (
            &rules::REQUEST_PARAMETER_SUNSET_PARSE,
            format!("`x-sunset` of {what}, which was removed, is not a date"),
        ),
        (true, Sunset::On(day, _)) if context.policy.today < day => (
            &rules::REQUEST_PARAMETER_REMOVED_BEFORE_SUNSET,
            format!("{what} was removed before its sunset on {day}"),
        ),
        (true, Sunset::On(day, _)) => (
            &rules::REQUEST_PARAMETER_REMOVED_AFTER_SUNSET,
            format!("{what} was removed; its sunset was on {day}"),
        ),
    };
    context.report(rule, Some(old.node), Some(revision), text);
}

fn changed<'a>(context: &mut Context<'a>, old: Parameter<'a>, new: Parameter<'a>) {
    let what = new.what();
    let (base, revision) = (Some(old.node), Some(new.node));
    let necessity = match (old.is_required(), new.is_required()) {
        (false, true) => Some((&rules::REQUEST_PARAMETER_BECAME_REQUIRED, "required")),
        (true, false) => Some((&rules::REQUEST_PARAMETER_BECAME_OPTIONAL, "optional")),
        _ => None,
    };
    if let Some((rule, necessity)) = necessity {
        context.report(rule, base, revision, format!("{what} became {necessity}"));
    }
    let empty = |parameter: Parameter<'_>| is_true(parameter.node, "allowEmptyValue");
    if empty(old) && !empty(new) {
        let text = format!("{what} must not be empty any more");
        let rule = &rules::REQUEST_PARAMETER_EMPTY_VALUE_REFUSED;
        context.report(rule, base, revision, text);
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

/// Compares `style` and `explode`, which matter for lists and objects only.
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
            "{} is serialized in another way: style `{old_style}` and explode {old_explode} became \
             style `{new_style}` and explode {new_explode}",
            new.what()
        );
        let rule = &rules::REQUEST_PARAMETER_SERIALIZATION_CHANGED;
        context.report(rule, Some(old.node), Some(new.node), text);
    }
}

/// Compares the defaults of a parameter. With another default, the service
/// responds otherwise to clients that do not send the parameter.
fn default<'a>(context: &mut Context<'a>, what: &str, old: &View<'a>, new: &View<'a>) {
    let (from, to) = (old.first("default"), new.first("default"));
    let (rule, text) = match (from, to) {
        (None, Some(to)) => (
            &rules::REQUEST_PARAMETER_DEFAULT_VALUE_ADDED,
            format!("{what}: the default {} was added", quoted(to)),
        ),
        (Some(from), None) => (
            &rules::REQUEST_PARAMETER_DEFAULT_VALUE_REMOVED,
            format!("{what}: the default {} was removed", quoted(from)),
        ),
        (Some(from), Some(to)) if !from.same_value(to) => (
            &rules::REQUEST_PARAMETER_DEFAULT_VALUE_CHANGED,
            format!(
                "{what}: the default changed from {} to {}",
                quoted(from),
                quoted(to)
            ),
        ),
        _ => return,
    };
    context.report(rule, from.or(old.node()), to.or(new.node()), text);
}

/// Reports the changes of headers for which oasdiff has own ids.
fn header<'a>(context: &mut Context<'a>, scope: &Scope, old: &View<'a>, new: &View<'a>) {
    if old.first("enum").is_none()
        && let Some(to) = new.first("enum")
    {
        let text = format!("{}: only listed values are allowed now", scope.what);
        let rule = &rules::REQUEST_HEADER_PROPERTY_BECAME_ENUM;
        context.report(rule, old.node(), Some(to), text);
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
            let rule = &rules::REQUEST_HEADER_PROPERTY_BECAME_ENUM;
            context.report(rule, base.node(), Some(to), text);
        }
    }
    for name in new.required() {
        let rule = match (before.contains_key(name), after.contains_key(name)) {
            (true, true) if !old.requires(name) => &rules::REQUEST_HEADER_PROPERTY_BECAME_REQUIRED,
            (false, true) => &rules::NEW_REQUIRED_REQUEST_HEADER_PROPERTY,
            _ => continue,
        };
        let text = format!("{}: required", scope.at(name).subject());
        context.report(rule, old.node(), new.first("required"), text);
    }
}

fn deprecation<'a>(context: &mut Context<'a>, old: Parameter<'a>, new: Parameter<'a>) {
    let what = new.what();
    match (
        is_true(old.node, "deprecated"),
        is_true(new.node, "deprecated"),
    ) {
        (false, true) => {
            lifecycle::deprecated(context, &DEPRECATION, &what, old.node, new.node);
        }
        (true, false) => {
            let text = format!("{what} is not deprecated any more");
            let rule = &rules::REQUEST_PARAMETER_REACTIVATED;
            context.report(rule, Some(old.node), Some(new.node), text);
        }
        (true, true) => {
            lifecycle::sunset_moved(context, &SUNSET, &what, old.node, new.node);
        }
        _ => {}
    }
}

static DEPRECATION: DeprecationRules = DeprecationRules {
    without_sunset: &rules::REQUEST_PARAMETER_DEPRECATED,
    with_sunset: &rules::REQUEST_PARAMETER_DEPRECATED,
    missing: &rules::REQUEST_PARAMETER_DEPRECATED_SUNSET_MISSING,
    unreadable: &rules::REQUEST_PARAMETER_SUNSET_PARSE,
    too_early: &rules::REQUEST_PARAMETER_SUNSET_DATE_TOO_SMALL,
};

static SUNSET: SunsetRules = SunsetRules {
    deleted: &rules::REQUEST_PARAMETER_SUNSET_DELETED,
    unreadable: &rules::REQUEST_PARAMETER_SUNSET_PARSE,
    earlier: &rules::REQUEST_PARAMETER_SUNSET_MOVED_CLOSER,
    too_early: &rules::REQUEST_PARAMETER_SUNSET_DATE_CHANGED_TOO_SMALL,
};
