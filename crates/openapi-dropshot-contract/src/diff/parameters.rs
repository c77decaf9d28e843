//! Compares the parameters of an operation, including the parameters of its path.

use super::context::Context;
use super::lifecycle::{self, Subject};
use super::schema::keyword_change;
use super::scope::{Role, Scope};
use super::serialization::{self, Value};
use super::values::DEFAULT;
use super::view::{PathItem, Side, View, differs};
use crate::model::Node;
use crate::pairs::pairs;
use crate::rules::changes as rules;
use crate::template;

/// A parameter of an operation.
#[derive(Clone, Copy)]
struct Parameter<'a> {
    node: &'a Node,
    name: &'a str,
    location: &'a str,
    /// Whether the parameter belongs to all operations of the path.
    is_shared: bool,
}

impl<'a> Parameter<'a> {
    /// Returns the parameters of the operation, and the parameters of its path that the operation
    /// does not override.
    fn all(side: Side<'a>, operation: &'a Node, item: &'a Node) -> Vec<Self> {
        let mut all: Vec<Self> = Vec::new();
        for (owner, is_shared) in [(operation, false), (item, true)] {
            for node in owner.items("parameters") {
                let node = side.resolve(node);
                let (Some(name), Some(location)) = (node.word("name"), node.word("in")) else {
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

    /// A path parameter is always required, even if the document says otherwise.
    fn is_required(self) -> bool {
        self.location == "path" || self.node.is_set("required")
    }

    fn value(self) -> Value<'a> {
        Value {
            location: self.location,
            node: self.node,
        }
    }
}

pub(super) fn compare<'a>(
    context: &mut Context<'a>,
    (old_item, base): (PathItem<'a>, &'a Node),
    (new_item, revision): (PathItem<'a>, &'a Node),
) {
    let before = Parameter::all(context.base, base, old_item.node);
    let after = Parameter::all(context.revision, revision, new_item.node);
    // A variable of the path may have been renamed.
    let renamed = |parameter: &Parameter<'a>| {
        let name = template::variables(old_item.path)
            .zip(template::variables(new_item.path))
            .find(|(from, _)| parameter.location == "path" && *from == parameter.name)
            .map_or(parameter.name, |(_, to)| to);
        Parameter { name, ..*parameter }
    };
    let stable = context.stable;
    for (old, new) in pairs(&before, &after, |old, new| new.is(renamed(old))) {
        if let Some(place) = context.outgoing {
            compare_sent(context, place, (old, new), (base, revision));
            continue;
        }
        context.stable = stable && old.is_none_or(|old| lifecycle::is_stable(old.node));
        match (old, new) {
            (Some(old), Some(new)) => changed(context, *old, *new),
            (Some(old), None) => {
                let what = old.what();
                lifecycle::removed(context, &subject(&what), old.node, Some(revision));
                let mut new = after.iter().filter(|new| {
                    new.location == old.location && !before.iter().any(|old| new.is(renamed(old)))
                });
                let mut has_its_schema = |new: &&Parameter<'a>| {
                    let schemas = old.node.get("schema").zip(new.node.get("schema"));
                    schemas.is_some_and(|(old, new)| context.equality.equivalent(old, new))
                };
                if let Some(new) = new.find(&mut has_its_schema)
                    && !lifecycle::is_due(context, old.node)
                {
                    let text = format!("{what} was renamed to `{}`", new.name);
                    let rule = &rules::REQUEST_PARAMETER_RENAMED;
                    context.report(rule, Some(old.node), Some(new.node), text);
                }
            }
            (None, Some(new)) => added(context, *new, base),
            (None, None) => {}
        }
    }
    context.stable = stable;
}

/// Compares a parameter of requests that the service sends. Removing such a parameter breaks the
/// receiver, like removing a header of a response.
fn compare_sent<'a>(
    context: &mut Context<'a>,
    place: &'static str,
    pair: (Option<&Parameter<'a>>, Option<&Parameter<'a>>),
    (base, revision): (&'a Node, &'a Node),
) {
    match pair {
        (Some(old), Some(new)) => {
            let what = new.what();
            let (from, to) = (Some(old.node), Some(new.node));
            let change = match (old.is_required(), new.is_required()) {
                (true, false) => Some((&rules::OUTGOING_PARAMETER_BECAME_OPTIONAL, "optional")),
                (false, true) => Some((&rules::OUTGOING_PARAMETER_BECAME_REQUIRED, "required")),
                _ => None,
            };
            if let Some((family, necessity)) = change {
                let text = format!("{what} became {necessity}");
                context.report_at(family, &[place], from, to, text);
            }
            let scope = Scope::new(Role::ResponseHeader, what, false);
            serialization::compare(context, &scope, old.value(), new.value());
        }
        (Some(old), None) => {
            let text = format!("{} was removed", old.what());
            let necessity = match old.is_required() {
                true => format!("{place}-required"),
                false => format!("{place}-optional"),
            };
            let family = &rules::OUTGOING_PARAMETER_REMOVED;
            context.report_at(family, &[&necessity], Some(old.node), Some(revision), text);
        }
        (None, Some(new)) => {
            let text = format!("{} was added", new.what());
            let family = &rules::OUTGOING_PARAMETER_ADDED;
            context.report_at(family, &[place], Some(base), Some(new.node), text);
        }
        (None, None) => {}
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

fn subject(what: &str) -> Subject<'_> {
    let places = &["request-parameter"];
    Subject { what, places }
}

fn changed<'a>(context: &mut Context<'a>, old: Parameter<'a>, new: Parameter<'a>) {
    let what = new.what();
    let (base, revision) = (Some(old.node), Some(new.node));
    let (was, is) = ((old.is_required(), base), (new.is_required(), revision));
    context.report_necessity("request-parameter", &what, was, is);
    let both = |keyword| (old.node.is_set(keyword), new.node.is_set(keyword));
    if both("allowEmptyValue") == (true, false) {
        let text = format!("{what} may no longer be empty");
        let rule = &rules::REQUEST_PARAMETER_EMPTY_VALUE_REFUSED;
        context.report(rule, base, revision, text);
    }
    let at = (new.node, new.node);
    let deprecated = both("deprecated");
    lifecycle::deprecation(context, &subject(&what), deprecated, old.node, at);
    let scope = Scope::new(Role::Parameter, what, false);
    serialization::compare(context, &scope, old.value(), new.value());
    let (Some(old_schema), Some(new_schema)) = (old.node.get("schema"), new.node.get("schema"))
    else {
        return;
    };
    let old_view = context.base.view(&[old_schema]);
    let new_view = context.revision.view(&[new_schema]);
    if both("required") == (false, false) {
        default(context, &scope, &old_view, &new_view);
    }
    if new.location == "header" {
        header(context, &scope, &old_view, &new_view);
    }
}

/// Compares the defaults of a parameter. If the default changes, the service behaves differently
/// for clients that do not send the parameter.
fn default<'a>(context: &mut Context<'a>, scope: &Scope, old: &View<'a>, new: &View<'a>) {
    let (from, to) = (old.first("default"), new.first("default"));
    if differs(from, to)
        && let Some((family, text)) = keyword_change("default", from, to, DEFAULT)
    {
        let (base, revision) = (from.or(old.node()), to.or(new.node()));
        scope.report(context, family, base, revision, &text);
    }
}

/// Reports the changes of headers for which oasdiff has separate ids.
fn header<'a>(context: &mut Context<'a>, scope: &Scope, old: &View<'a>, new: &View<'a>) {
    became_enum(context, scope, old, new);
    let (before, after) = (old.properties(), new.properties());
    for (name, base) in &before {
        if let Some(revision) = after.get(name) {
            let (base, revision) = (context.base.view(base), context.revision.view(revision));
            became_enum(context, &scope.at(name), &base, &revision);
        }
    }
    for name in new.required() {
        let rule = match (before.contains_key(name), after.contains_key(name)) {
            (true, true) if !old.requires(name) => rules::BECAME_REQUIRED.at(HEADER),
            (false, true) => Some(&rules::NEW_REQUIRED_REQUEST_HEADER_PROPERTY),
            _ => None,
        };
        if let Some(rule) = rule {
            let text = format!("{}: required", scope.at(name).subject());
            context.report(rule, old.node(), new.first("required"), text);
        }
    }
}

/// The beginning of the ids of the rules for a header parameter and its members.
const HEADER: &[&str] = &["request-header-property"];

fn became_enum(context: &mut Context<'_>, scope: &Scope, old: &View<'_>, new: &View<'_>) {
    let to = new.first("enum");
    if old.first("enum").is_none() && to.is_some() {
        let text = format!("{}: only listed values are allowed now", scope.subject());
        context.report_at(&rules::BECAME_ENUM, HEADER, old.node(), to, text);
    }
}
