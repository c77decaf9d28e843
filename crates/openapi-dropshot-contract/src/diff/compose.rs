//! Compares `allOf`, `oneOf`, `anyOf`, `not` and `discriminator`: which member
//! became which, and what added and removed members mean.

mod matching;

use super::context::Context;
use super::equality::is_annotation_only;
use super::schema;
use super::scope::Scope;
use super::view::{View, members, name_of};
use crate::model::Node;
use crate::rules::{Family, changes as rules};
use matching::Matches;

/// `oneOf` or `anyOf`, and the rules for its changes.
pub(super) struct Keyword {
    name: &'static str,
    added: &'static Family,
    removed: &'static Family,
    lifted: &'static Family,
    restricted: &'static Family,
}

impl Keyword {
    pub(super) const ONE_OF: Keyword = Keyword {
        name: "oneOf",
        added: &rules::ONE_OF_ADDED,
        removed: &rules::ONE_OF_REMOVED,
        lifted: &rules::ONE_OF_LIFTED,
        restricted: &rules::ONE_OF_RESTRICTED,
    };
    pub(super) const ANY_OF: Keyword = Keyword {
        name: "anyOf",
        added: &rules::ANY_OF_ADDED,
        removed: &rules::ANY_OF_REMOVED,
        lifted: &rules::ANY_OF_LIFTED,
        restricted: &rules::ANY_OF_RESTRICTED,
    };
}

/// Takes the only member of a choice as the schema itself. Its members are
/// compared as a list only where both sides have the keyword.
pub(super) fn unwrap_single<'a>(old: &mut View<'a>, new: &mut View<'a>) {
    for keyword in ["oneOf", "anyOf"] {
        match (old.list(keyword).len(), new.list(keyword).len()) {
            (1, 0) => old.unwrap_single(keyword),
            (0, 1) => new.unwrap_single(keyword),
            _ => {}
        }
    }
}

/// Compares one type that became a choice of types, or a choice that grew or
/// shrank. Returns whether type and choice need no further comparison.
pub(super) fn list_of_types<'a>(
    context: &mut Context<'a>,
    scope: &Scope,
    old: &View<'a>,
    new: &View<'a>,
) -> bool {
    let (Some((from, from_list)), Some((to, to_list))) = (types(old), types(new)) else {
        return false;
    };
    if !from_list && !to_list {
        return false;
    }
    let covers = |types: &[&str], kind: &str| {
        types.contains(&kind) || (kind == "integer" && types.contains(&"number"))
    };
    let lacking = |from: &[&'a str], to: &[&str]| -> Vec<&'a str> {
        (from.iter().copied())
            .filter(|kind| !covers(to, kind))
            .collect()
    };
    let (removed, added) = (lacking(&from, &to), lacking(&to, &from));
    if removed.is_empty() && added.is_empty() {
        return false;
    }
    let narrowed = if scope.is_request() {
        !removed.is_empty()
    } else {
        added.is_empty()
    };
    let (rule, text) = if narrowed {
        let text = format!("the types {} are not allowed any more", removed.join(", "));
        (&rules::LIST_OF_TYPES_NARROWED, text)
    } else {
        let text = format!("the types {} are allowed now", added.join(", "));
        (&rules::LIST_OF_TYPES_WIDENED, text)
    };
    scope.report(context, rule, old.node(), new.node(), &text);
    true
}

/// The types a schema allows, and whether it lists them as a choice.
fn types<'a>(view: &View<'a>) -> Option<(Vec<&'a str>, bool)> {
    let is_plain =
        view.all_of.is_empty() && view.first("properties").is_none() && view.first("not").is_none();
    if !is_plain {
        return None;
    }
    if let Some(kind) = view.text("type") {
        return Some((vec![kind], false));
    }
    let choice = ["oneOf", "anyOf"]
        .into_iter()
        .map(|keyword| view.list(keyword))
        .find(|list| !list.is_empty())?;
    let kinds = choice.into_iter().map(|member| {
        let member = view.side.view(&[member]);
        let is_simple = ["properties", "oneOf", "anyOf", "allOf"]
            .iter()
            .all(|keyword| member.first(keyword).is_none());
        member.text("type").filter(|_| is_simple)
    });
    Some((kinds.collect::<Option<_>>()?, true))
}

/// Compares `oneOf` or `anyOf`, member by member.
pub(super) fn alternatives<'a>(
    context: &mut Context<'a>,
    scope: &Scope,
    old: &View<'a>,
    new: &View<'a>,
    keyword: &Keyword,
) {
    let name = keyword.name;
    let (from, to) = (old.list(name), new.list(name));
    match (from.is_empty(), to.is_empty()) {
        (true, true) => return,
        (true, false) => return choice_added(context, scope, old, new, &to, keyword),
        (false, true) if old.kind().is_some() => {
            let text = format!("`{name}` was removed");
            return scope.report(context, keyword.lifted, old.first(name), new.node(), &text);
        }
        _ => {}
    }
    let matches = Matches::of(context, &from, &to);
    for (base, revision) in matches.pairs {
        let step = match name_of(revision).as_str() {
            member if member.starts_with('`') => format!("{name}[{}]", member.trim_matches('`')),
            _ => name.to_owned(),
        };
        schema::compare(context, &scope.at(&step), &[base], &[revision]);
    }
    for member in matches.added {
        let text = format!("{} was added to `{name}`", name_of(member));
        scope.report(context, keyword.added, old.node(), Some(member), &text);
    }
    for member in matches.removed {
        let text = format!("{} was removed from `{name}`", name_of(member));
        scope.report(context, keyword.removed, Some(member), new.node(), &text);
    }
}

/// A choice where there was none.
fn choice_added<'a>(
    context: &mut Context<'a>,
    scope: &Scope,
    old: &View<'a>,
    new: &View<'a>,
    members: &[&'a Node],
    keyword: &Keyword,
) {
    let place = new.first(keyword.name);
    // If object properties moved into alternatives, a value that was valid may now
    // match several of them, or none.
    let is_wrapped = keyword.name == "oneOf"
        && new.kind().is_none()
        && old.properties().keys().any(|name| {
            (members.iter()).any(|member| {
                let member = new.side.view(&[member]);
                member.properties().contains_key(name)
            })
        });
    let keeps_its_own = new.kind().is_some();
    let holds_the_old = (old.node()).is_some_and(|node| {
        (members.iter()).any(|member| context.equality.equivalent(node, member))
    });
    if is_wrapped && !holds_the_old {
        let text = "the properties moved into alternatives";
        if scope.path.is_empty() && scope.prefix().ends_with("body") {
            scope.report(context, &rules::WRAPPED_IN_ONE_OF, old.node(), place, text);
        } else if scope.is_request() {
            scope.report(context, keyword.restricted, old.node(), place, text);
        }
    }
    if scope.is_request() && keeps_its_own && !holds_the_old {
        let text = format!("`{}` was added", keyword.name);
        return scope.report(context, keyword.restricted, old.node(), place, &text);
    }
    // A response only becomes narrower then.
    if !scope.is_request() && keeps_its_own {
        return;
    }
    let names: Vec<String> = members.iter().map(|member| name_of(member)).collect();
    let text = format!("{} were added as `{}`", names.join(", "), keyword.name);
    scope.report(context, keyword.added, old.node(), place, &text);
}

/// Compares the members of `allOf` as such, where both sides have some. Their
/// keywords are compared as if they were written in the schema itself.
pub(super) fn all_of<'a>(context: &mut Context<'a>, scope: &Scope, old: &View<'a>, new: &View<'a>) {
    let matches = Matches::of(context, &old.all_of, &new.all_of);
    let both = !old.all_of.is_empty() && !new.all_of.is_empty();
    for member in matches.added {
        let rule = if is_annotation_only(new.side.resolve(member)) {
            &rules::ALL_OF_ADDED_ANNOTATION_ONLY
        } else if both {
            &rules::ALL_OF_ADDED
        } else {
            continue;
        };
        let text = format!("{} was added to `allOf`", name_of(member));
        scope.report(context, rule, old.node(), Some(member), &text);
    }
    for member in matches.removed {
        let rule = if is_annotation_only(old.side.resolve(member)) {
            &rules::ALL_OF_REMOVED_ANNOTATION_ONLY
        } else if both {
            &rules::ALL_OF_REMOVED
        } else {
            continue;
        };
        let text = format!("{} was removed from `allOf`", name_of(member));
        scope.report(context, rule, Some(member), new.node(), &text);
    }
}

pub(super) fn not<'a>(context: &mut Context<'a>, scope: &Scope, old: &View<'a>, new: &View<'a>) {
    let (from, to) = (old.first("not"), new.first("not"));
    let (rule, text) = match (from, to) {
        (None, Some(_)) => (&rules::NOT_ADDED, "`not` was added"),
        (Some(_), None) => (&rules::NOT_REMOVED, "`not` was removed"),
        (Some(from), Some(to)) if !context.equality.equivalent(from, to) => {
            (&rules::NOT_CHANGED, "`not` changed")
        }
        _ => return,
    };
    let (from, to) = (from.or(old.node()), to.or(new.node()));
    scope.report(context, rule, from, to, text);
}

/// Compares `discriminator`: its property, and the schemas that it leads to.
pub(super) fn discriminator<'a>(
    context: &mut Context<'a>,
    scope: &Scope,
    old: &View<'a>,
    new: &View<'a>,
) {
    let (from, to) = match (old.first("discriminator"), new.first("discriminator")) {
        (None, Some(to)) => {
            let (rule, text) = (&rules::DISCRIMINATOR_ADDED, "a discriminator was added");
            return scope.report(context, rule, old.node(), Some(to), text);
        }
        (Some(from), None) => {
            let (rule, text) = (
                &rules::DISCRIMINATOR_REMOVED,
                "the discriminator was removed",
            );
            return scope.report(context, rule, Some(from), new.node(), text);
        }
        (Some(from), Some(to)) => (from, to),
        (None, None) => return,
    };
    let name = |node: &'a Node| node.get("propertyName").and_then(Node::as_str);
    if name(from) != name(to) {
        let text = format!(
            "the property of the discriminator changed from `{}` to `{}`",
            name(from).unwrap_or_default(),
            name(to).unwrap_or_default()
        );
        let rule = &rules::DISCRIMINATOR_PROPERTY_NAME_CHANGED;
        scope.report(context, rule, Some(from), Some(to), &text);
    }
    let (before, after) = (members(from, "mapping"), members(to, "mapping"));
    for (value, target) in &before {
        match after.iter().find(|(name, _)| name == value) {
            None => {
                let text = format!("the discriminator does not map `{value}` any more");
                let rule = &rules::DISCRIMINATOR_MAPPING_DELETED;
                scope.report(context, rule, Some(target), Some(to), &text);
            }
            Some((_, other)) if !target.same_value(other) => {
                let text = format!("the discriminator maps `{value}` to another schema");
                let rule = &rules::DISCRIMINATOR_MAPPING_CHANGED;
                scope.report(context, rule, Some(target), Some(other), &text);
            }
            Some(_) => {}
        }
    }
    for (value, target) in &after {
        if !before.iter().any(|(name, _)| name == value) {
            let text = format!("the discriminator maps `{value}` as well");
            let rule = &rules::DISCRIMINATOR_MAPPING_ADDED;
            scope.report(context, rule, Some(from), Some(target), &text);
        }
    }
}
