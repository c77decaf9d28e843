//! `allOf`, `oneOf`, `anyOf`, `not` and `discriminator`: which member became
//! which, and what it means that one came or went.

mod discriminator;
mod matching;

pub(super) use discriminator::discriminator;

use super::context::Context;
use super::equality::is_annotation_only;
use super::schema::{self, Scope};
use super::view::{View, name_of};
use crate::model::Node;
use matching::Matches;

/// A choice of one is no choice: it is what must hold. Only where both sides
/// have the keyword, its members are compared as a list.
pub(super) fn unwrap_single<'a>(old: &mut View<'a>, new: &mut View<'a>) {
    for keyword in ["oneOf", "anyOf"] {
        match (old.list(keyword).len(), new.list(keyword).len()) {
            (1, 0) => old.unwrap_single(keyword),
            (0, 1) => new.unwrap_single(keyword),
            _ => {}
        }
    }
}

/// One type that became a choice of types, or a choice that grew or shrank.
/// Says whether this is all there is to say of type and choice.
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
    let (ending, text) = if narrowed {
        (
            "narrowed",
            format!("not of type {} any more", removed.join(", ")),
        )
    } else {
        ("widened", format!("also of type {} now", added.join(", ")))
    };
    let ending = format!("list-of-types-{ending}");
    scope.report(context, &ending, old.node(), new.node(), &text);
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

/// `oneOf` or `anyOf`, member by member.
pub(super) fn alternatives<'a>(
    context: &mut Context<'a>,
    scope: &Scope,
    old: &View<'a>,
    new: &View<'a>,
    keyword: &str,
    name: &str,
) {
    let (from, to) = (old.list(keyword), new.list(keyword));
    match (from.is_empty(), to.is_empty()) {
        (true, true) => return,
        (true, false) => return choice_added(context, scope, old, new, &to, (keyword, name)),
        (false, true) if old.kind().is_some() => {
            let text = format!("`{keyword}` restricts it no more");
            let ending = format!("{name}-lifted");
            return scope.report(context, &ending, old.first(keyword), new.node(), &text);
        }
        _ => {}
    }
    let matches = Matches::of(context, &from, &to);
    for (base, revision) in matches.pairs {
        let step = match name_of(revision).as_str() {
            name if name.starts_with('`') => format!("{keyword}[{}]", name.trim_matches('`')),
            _ => keyword.to_owned(),
        };
        schema::compare(context, &scope.at(&step), &[base], &[revision]);
    }
    for member in matches.added {
        let text = format!("{} was added to `{keyword}`", name_of(member));
        let ending = format!("{name}-added");
        scope.report(context, &ending, old.node(), Some(member), &text);
    }
    for member in matches.removed {
        let text = format!("{} was removed from `{keyword}`", name_of(member));
        let ending = format!("{name}-removed");
        scope.report(context, &ending, Some(member), new.node(), &text);
    }
}

/// A choice where there was none.
fn choice_added<'a>(
    context: &mut Context<'a>,
    scope: &Scope,
    old: &View<'a>,
    new: &View<'a>,
    members: &[&'a Node],
    (keyword, name): (&str, &str),
) {
    let place = new.first(keyword);
    // Object properties that moved into alternatives: what was sent before may
    // now match several of them, or none.
    let is_wrapped = keyword == "oneOf"
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
        let text = "its properties moved into alternatives";
        if scope.path.is_empty() && scope.prefix().ends_with("body") {
            scope.report(context, "wrapped-in-one-of", old.node(), place, text);
        } else if scope.is_request() {
            scope.report(context, "one-of-restricted", old.node(), place, text);
        }
    }
    if scope.is_request() && keeps_its_own && !holds_the_old {
        let text = format!("`{keyword}` restricts it now");
        let ending = format!("{name}-restricted");
        return scope.report(context, &ending, old.node(), place, &text);
    }
    // What comes from the service is only narrower then.
    if !scope.is_request() && keeps_its_own {
        return;
    }
    let names: Vec<String> = members.iter().map(|member| name_of(member)).collect();
    let text = format!("{} were added as `{keyword}`", names.join(", "));
    scope.report(context, &format!("{name}-added"), old.node(), place, &text);
}

/// `allOf`: what its members say is compared as if it stood in the schema
/// itself; members as such only where both sides have some.
pub(super) fn all_of<'a>(context: &mut Context<'a>, scope: &Scope, old: &View<'a>, new: &View<'a>) {
    let matches = Matches::of(context, &old.all_of, &new.all_of);
    let both = !old.all_of.is_empty() && !new.all_of.is_empty();
    for member in matches.added {
        let ending = if is_annotation_only(new.side.resolve(member)) {
            "all-of-added-annotation-only"
        } else if both {
            "all-of-added"
        } else {
            continue;
        };
        let text = format!("{} was added to `allOf`", name_of(member));
        scope.report(context, ending, old.node(), Some(member), &text);
    }
    for member in matches.removed {
        let ending = if is_annotation_only(old.side.resolve(member)) {
            "all-of-removed-annotation-only"
        } else if both {
            "all-of-removed"
        } else {
            continue;
        };
        let text = format!("{} was removed from `allOf`", name_of(member));
        scope.report(context, ending, Some(member), new.node(), &text);
    }
}

pub(super) fn not<'a>(context: &mut Context<'a>, scope: &Scope, old: &View<'a>, new: &View<'a>) {
    let (from, to) = (old.first("not"), new.first("not"));
    let (ending, text) = match (from, to) {
        (None, Some(_)) => ("not-added", "`not` was added"),
        (Some(_), None) => ("not-removed", "`not` was removed"),
        (Some(from), Some(to)) if !context.equality.equivalent(from, to) => {
            ("not-changed", "`not` changed")
        }
        _ => return,
    };
    scope.report(
        context,
        ending,
        from.or(old.node()),
        to.or(new.node()),
        text,
    );
}
