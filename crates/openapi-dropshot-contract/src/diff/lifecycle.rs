//! Deprecation, sunset and stability: of operations, parameters and properties.
//! Dates are days (`YYYY-MM-DD`) or times of RFC 3339; the clock is the
//! policy's. What a document alone must keep is in `lint`.

use super::context::Context;
use super::schema::Scope;
use super::view::{View, is_true};
use super::{Level, rules};
use crate::model::{Node, Stability};
use chrono::{DateTime, NaiveDate};

const SUNSET: &str = "x-sunset";
const STABILITY: &str = "x-stability-level";

/// What is written as a sunset.
pub(super) enum Sunset<'a> {
    None,
    On(NaiveDate, &'a Node),
    Unreadable(&'a Node),
}

pub(super) fn sunset(node: &Node) -> Sunset<'_> {
    let Some(value) = node.get(SUNSET) else {
        return Sunset::None;
    };
    let day = value.as_str().and_then(|text| {
        (NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()).or_else(|| {
            DateTime::parse_from_rfc3339(text)
                .ok()
                .map(|time| time.date_naive())
        })
    });
    day.map_or(Sunset::Unreadable(value), |day| Sunset::On(day, value))
}

/// The stability level of an operation or a property; `None` where there is
/// no such word. oasdiff's `alpha` and `draft` are words for experimental.
pub(super) fn stability(node: &Node) -> Option<(Stability, u8)> {
    let Some(value) = node.get(STABILITY) else {
        return Some((Stability::Stable, 3));
    };
    match value.as_str()? {
        "draft" => Some((Stability::Experimental, 0)),
        "alpha" | "experimental" => Some((Stability::Experimental, 1)),
        "beta" => Some((Stability::Beta, 2)),
        "stable" => Some((Stability::Stable, 3)),
        _ => None,
    }
}

/// Whether something promises to stay; an unknown word promises it as well.
pub(super) fn is_stable(node: &Node) -> bool {
    stability(node).is_none_or(|(level, _)| level == Stability::Stable)
}

/// Sets what the operation at hand promised: by its base, which is what a
/// client relied on.
pub(super) fn enter(context: &mut Context<'_>, base: &Node, revision: Option<&Node>) {
    context.stable = is_stable(base);
    let current = stability(revision.unwrap_or(base)).map_or(Stability::Stable, |(level, _)| level);
    context.deprecation_days = match current {
        Stability::Experimental => 0,
        Stability::Beta => context.policy.deprecation_days_beta,
        Stability::Stable => context.policy.deprecation_days_stable,
    };
}

/// An operation that both documents have.
pub(super) fn operation(context: &mut Context<'_>, base: &Node, revision: &Node) {
    compare_stability(context, base, revision);
    let (was, is) = (is_true(base, "deprecated"), is_true(revision, "deprecated"));
    let at = revision.get("deprecated").or(Some(revision));
    match (was, is) {
        (false, true) => {
            let ids = Deprecation {
                plain: "endpoint-deprecated",
                with_sunset: "endpoint-deprecated-with-sunset",
                missing: "api-deprecated-sunset-missing",
                unreadable: "api-deprecated-sunset-parse",
                too_small: "api-sunset-date-too-small",
            };
            deprecated(context, &ids, "the operation", base, revision);
        }
        (true, false) => {
            let text = "the operation is not deprecated any more";
            context.report("endpoint-reactivated", Some(base), at, text);
        }
        _ => {}
    }
    if was {
        let ids = Moved {
            deleted: "sunset-deleted",
            unreadable: "api-path-sunset-parse",
            closer: "api-sunset-moved-closer",
            too_small: "api-sunset-date-changed-too-small",
        };
        if is {
            sunset_moved(context, &ids, "the operation", base, revision);
        }
    }
}

pub(super) struct Deprecation {
    pub plain: &'static str,
    pub with_sunset: &'static str,
    pub missing: &'static str,
    pub unreadable: &'static str,
    pub too_small: &'static str,
}

/// Something that was deprecated by the revision.
pub(super) fn deprecated(
    context: &mut Context<'_>,
    ids: &Deprecation,
    what: &str,
    base: &Node,
    revision: &Node,
) {
    let days = context.deprecation_days;
    let at = revision.get("deprecated").or(Some(revision));
    match sunset(revision) {
        Sunset::None if days > 0 => {
            let text = format!("{what} was deprecated without `{SUNSET}`");
            context.report(ids.missing, Some(base), at, text);
        }
        Sunset::None => {
            context.report(ids.plain, Some(base), at, format!("{what} was deprecated"));
        }
        Sunset::Unreadable(node) => {
            let text = format!("`{SUNSET}` of {what} is no date: write `YYYY-MM-DD`");
            context.report(ids.unreadable, Some(base), Some(node), text);
        }
        Sunset::On(day, node) if (day - context.policy.today).num_days() < i64::from(days) => {
            let text = format!("{what} goes on {day}, less than {days} days from now");
            context.report(ids.too_small, Some(base), Some(node), text);
        }
        Sunset::On(day, node) => {
            let text = format!("{what} was deprecated, and goes on {day}");
            context.report(ids.with_sunset, Some(base), Some(node), text);
        }
    }
}

pub(super) struct Moved {
    pub deleted: &'static str,
    pub unreadable: &'static str,
    pub closer: &'static str,
    pub too_small: &'static str,
}

/// The sunset of something that was and is deprecated.
pub(super) fn sunset_moved(
    context: &mut Context<'_>,
    ids: &Moved,
    what: &str,
    base: &Node,
    revision: &Node,
) {
    match (sunset(base), sunset(revision)) {
        (Sunset::None, Sunset::None) => {}
        (Sunset::On(_, node) | Sunset::Unreadable(node), Sunset::None) => {
            let text = format!("`{SUNSET}` of {what} was removed");
            context.report(ids.deleted, Some(node), Some(revision), text);
        }
        (Sunset::Unreadable(old), Sunset::Unreadable(new)) if old.same_value(new) => {}
        (before, Sunset::Unreadable(node)) => {
            let text = format!("`{SUNSET}` of {what} is no date: write `YYYY-MM-DD`");
            let old = match before {
                Sunset::On(_, node) | Sunset::Unreadable(node) => node,
                Sunset::None => base,
            };
            context.report(ids.unreadable, Some(old), Some(node), text);
        }
        (Sunset::Unreadable(old), Sunset::On(_, new)) => {
            let text = format!("`{SUNSET}` of {what} was no date");
            context.report(ids.unreadable, Some(old), Some(new), text);
        }
        (Sunset::On(from, old), Sunset::On(to, new)) if to < from => {
            let days = context.deprecation_days;
            let text = format!("the sunset of {what} moved closer, from {from} to {to}");
            if (to - context.policy.today).num_days() < i64::from(days) {
                context.report(ids.too_small, Some(old), Some(new), text.clone());
            }
            context.report(ids.closer, Some(old), Some(new), text);
        }
        (Sunset::On(from, old), Sunset::On(to, new)) if to > from => {
            let text = format!("the sunset of {what} moved from {from} to {to}");
            context.report("api-sunset-date-changed", Some(old), Some(new), text);
        }
        _ => {}
    }
}

fn compare_stability(context: &mut Context<'_>, base: &Node, revision: &Node) {
    let levels = (stability(base), stability(revision));
    for (node, level) in [(base, levels.0), (revision, levels.1)] {
        if level.is_none() {
            invalid_stability(context, node, std::ptr::eq(node, base));
        }
    }
    let (Some((_, from)), Some((_, to))) = levels else {
        return;
    };
    let (old, new) = (base.get(STABILITY), revision.get(STABILITY));
    let (old, new) = (old.or(Some(base)), new.or(Some(revision)));
    if to < from {
        let text = "the stability level dropped";
        context.report("api-stability-decreased", old, new, text);
    } else if to > from {
        context.report(
            "api-stability-increased",
            old,
            new,
            "the stability level rose",
        );
    }
}

/// A word that is no stability level.
pub(super) fn invalid_stability(context: &mut Context<'_>, node: &Node, is_base: bool) {
    let text = "no stability level: write `experimental`, `beta` or `stable`";
    let at = node.get(STABILITY);
    let (base, revision) = if is_base { (at, None) } else { (None, at) };
    context.report("api-invalid-stability-level", base, revision, text);
}

/// A property that both documents have.
pub(super) fn property<'a>(
    context: &mut Context<'a>,
    scope: &Scope,
    old: &View<'a>,
    new: &View<'a>,
) {
    let (Some(base), Some(revision)) = (old.node(), new.node()) else {
        return;
    };
    let what = scope.subject();
    let ids = if scope.is_request() {
        Deprecation {
            plain: "request-property-deprecated",
            with_sunset: "request-property-deprecated-with-sunset",
            missing: "request-property-deprecated-sunset-missing",
            unreadable: "request-property-deprecated-sunset-invalid",
            too_small: "request-property-sunset-date-too-small",
        }
    } else {
        Deprecation {
            plain: "response-property-deprecated",
            with_sunset: "response-property-deprecated-with-sunset",
            missing: "response-property-deprecated-sunset-missing",
            unreadable: "response-property-deprecated-sunset-invalid",
            too_small: "response-property-sunset-date-too-small",
        }
    };
    let side = if scope.is_request() {
        "request"
    } else {
        "response"
    };
    match (old.flag("deprecated"), new.flag("deprecated")) {
        (false, true) => deprecated(context, &ids, &what, base, revision),
        (true, false) => {
            let id = format!("{side}-property-reactivated");
            let text = format!("{what}: not deprecated any more");
            context.report(&id, Some(base), Some(revision), text);
        }
        _ => {}
    }
    if let (Some((_, from)), Some((_, to))) = (stability(base), stability(revision))
        && from != to
    {
        let word = if to < from { "decreased" } else { "increased" };
        let id = format!("{side}-property-stability-{word}");
        debug_assert!(rules::level(&id).is_some_and(|level| level != Level::Warn));
        let text = format!("{what}: the stability level {word}");
        context.report(&id, Some(base), Some(revision), text);
    }
}

/// An operation that the revision lacks; `is_path` where its whole path went.
pub(super) fn removed(context: &mut Context<'_>, base: &Node, is_path: bool) {
    if stability(base).is_none() {
        invalid_stability(context, base, true);
    }
    let api = if is_path { "api-path" } else { "api" };
    let (ending, text) = match (is_true(base, "deprecated"), sunset(base)) {
        (false, _) => (
            "removed-without-deprecation",
            "the operation was removed without being deprecated before".to_owned(),
        ),
        (true, Sunset::None) => (
            "removed-with-deprecation",
            "the operation was removed; it was deprecated, without a sunset".to_owned(),
        ),
        (true, Sunset::Unreadable(node)) => {
            let text = format!("`{SUNSET}` of the removed operation is no date");
            return context.report("api-path-sunset-parse", Some(node), None, text);
        }
        (true, Sunset::On(day, _)) if context.policy.today < day => (
            "removed-before-sunset",
            format!("the operation was removed before its sunset on {day}"),
        ),
        (true, Sunset::On(day, _)) => (
            "removed-after-sunset",
            format!("the operation was removed; its sunset was on {day}"),
        ),
    };
    context.report(&format!("{api}-{ending}"), Some(base), None, text);
}
