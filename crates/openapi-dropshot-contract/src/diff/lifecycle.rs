//! Compares deprecation, sunset and stability of operations, parameters and
//! properties. Dates are days (`YYYY-MM-DD`) or times of RFC 3339; the current day
//! is that of the policy.

use super::context::Context;
use super::scope::Scope;
use super::view::{View, is_true};
use crate::model::{Node, Stability};
use crate::rules::{ChangeRule, changes as rules};
use chrono::{DateTime, NaiveDate};

const SUNSET: &str = "x-sunset";
const STABILITY: &str = "x-stability-level";

/// The value of `x-sunset`.
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

/// The stability level of an operation or a property; `None` if it is not a
/// level. oasdiff's `alpha` and `draft` are levels below beta.
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

/// Whether something is stable; an unknown level counts as stable.
pub(super) fn is_stable(node: &Node) -> bool {
    stability(node).is_none_or(|(level, _)| level == Stability::Stable)
}

/// Sets the stability of the operation that is compared: that of the base, which
/// clients rely on.
pub(super) fn enter(context: &mut Context<'_>, base: &Node, revision: Option<&Node>) {
    context.stable = is_stable(base);
    let current = stability(revision.unwrap_or(base)).map_or(Stability::Stable, |(level, _)| level);
    context.deprecation_days = match current {
        Stability::Experimental => 0,
        Stability::Beta => context.policy.deprecation_days_beta,
        Stability::Stable => context.policy.deprecation_days_stable,
    };
}

/// Compares an operation that both documents have.
pub(super) fn operation(context: &mut Context<'_>, base: &Node, revision: &Node) {
    compare_stability(context, base, revision);
    let (was, is) = (is_true(base, "deprecated"), is_true(revision, "deprecated"));
    let at = revision.get("deprecated").or(Some(revision));
    match (was, is) {
        (false, true) => {
            let ids = DeprecationRules {
                without_sunset: &rules::ENDPOINT_DEPRECATED,
                with_sunset: &rules::ENDPOINT_DEPRECATED_WITH_SUNSET,
                missing: &rules::API_DEPRECATED_SUNSET_MISSING,
                unreadable: &rules::API_DEPRECATED_SUNSET_PARSE,
                too_early: &rules::API_SUNSET_DATE_TOO_SMALL,
            };
            deprecated(context, &ids, "the operation", base, revision);
        }
        (true, false) => {
            let text = "the operation is not deprecated any more";
            context.report(&rules::ENDPOINT_REACTIVATED, Some(base), at, text);
        }
        _ => {}
    }
    if was {
        let ids = SunsetRules {
            deleted: &rules::SUNSET_DELETED,
            unreadable: &rules::API_PATH_SUNSET_PARSE,
            earlier: &rules::API_SUNSET_MOVED_CLOSER,
            too_early: &rules::API_SUNSET_DATE_CHANGED_TOO_SMALL,
        };
        if is {
            sunset_moved(context, &ids, "the operation", base, revision);
        }
    }
}

/// The rules for something that became deprecated.
pub(super) struct DeprecationRules {
    pub without_sunset: &'static ChangeRule,
    pub with_sunset: &'static ChangeRule,
    /// The policy requires a sunset.
    pub missing: &'static ChangeRule,
    pub unreadable: &'static ChangeRule,
    /// The sunset is earlier than the policy allows.
    pub too_early: &'static ChangeRule,
}

/// Reports something that the revision deprecates.
pub(super) fn deprecated(
    context: &mut Context<'_>,
    rules: &DeprecationRules,
    what: &str,
    base: &Node,
    revision: &Node,
) {
    let days = context.deprecation_days;
    let at = revision.get("deprecated").or(Some(revision));
    match sunset(revision) {
        Sunset::None if days > 0 => {
            let text = format!("{what} was deprecated without `{SUNSET}`");
            context.report(rules.missing, Some(base), at, text);
        }
        Sunset::None => {
            context.report(
                rules.without_sunset,
                Some(base),
                at,
                format!("{what} was deprecated"),
            );
        }
        Sunset::Unreadable(node) => {
            let text = format!("`{SUNSET}` of {what} is not a date: write `YYYY-MM-DD`");
            context.report(rules.unreadable, Some(base), Some(node), text);
        }
        Sunset::On(day, node) if (day - context.policy.today).num_days() < i64::from(days) => {
            let text = format!("{what} is removed on {day}, less than {days} days from now");
            context.report(rules.too_early, Some(base), Some(node), text);
        }
        Sunset::On(day, node) => {
            let text = format!("{what} was deprecated, and is removed on {day}");
            context.report(rules.with_sunset, Some(base), Some(node), text);
        }
    }
}

/// The rules for the sunset of something that stays deprecated.
pub(super) struct SunsetRules {
    pub deleted: &'static ChangeRule,
    pub unreadable: &'static ChangeRule,
    pub earlier: &'static ChangeRule,
    /// The sunset is earlier than the policy allows.
    pub too_early: &'static ChangeRule,
}

/// Compares the sunsets of something that both documents deprecate.
pub(super) fn sunset_moved(
    context: &mut Context<'_>,
    rules: &SunsetRules,
    what: &str,
    base: &Node,
    revision: &Node,
) {
    match (sunset(base), sunset(revision)) {
        (Sunset::None, Sunset::None) => {}
        (Sunset::On(_, node) | Sunset::Unreadable(node), Sunset::None) => {
            let text = format!("`{SUNSET}` of {what} was removed");
            context.report(rules.deleted, Some(node), Some(revision), text);
        }
        (Sunset::Unreadable(old), Sunset::Unreadable(new)) if old.same_value(new) => {}
        (before, Sunset::Unreadable(node)) => {
            let text = format!("`{SUNSET}` of {what} is not a date: write `YYYY-MM-DD`");
            let old = match before {
                Sunset::On(_, node) | Sunset::Unreadable(node) => node,
                Sunset::None => base,
            };
            context.report(rules.unreadable, Some(old), Some(node), text);
        }
        (Sunset::Unreadable(old), Sunset::On(_, new)) => {
            let text = format!("`{SUNSET}` of {what} was not a date");
            context.report(rules.unreadable, Some(old), Some(new), text);
        }
        (Sunset::On(from, old), Sunset::On(to, new)) if to < from => {
            let days = context.deprecation_days;
            let text = format!("the sunset of {what} moved to an earlier day, from {from} to {to}");
            if (to - context.policy.today).num_days() < i64::from(days) {
                context.report(rules.too_early, Some(old), Some(new), text.clone());
            }
            context.report(rules.earlier, Some(old), Some(new), text);
        }
        (Sunset::On(from, old), Sunset::On(to, new)) if to > from => {
            let text = format!("the sunset of {what} moved from {from} to {to}");
            context.report(&rules::API_SUNSET_DATE_CHANGED, Some(old), Some(new), text);
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
        context.report(&rules::API_STABILITY_DECREASED, old, new, text);
    } else if to > from {
        let text = "the stability level rose";
        context.report(&rules::API_STABILITY_INCREASED, old, new, text);
    }
}

/// Reports a stability level that does not exist.
pub(super) fn invalid_stability(context: &mut Context<'_>, node: &Node, is_base: bool) {
    let text = "not a stability level: write `experimental`, `beta` or `stable`";
    let at = node.get(STABILITY);
    let (base, revision) = if is_base { (at, None) } else { (None, at) };
    context.report(&rules::API_INVALID_STABILITY_LEVEL, base, revision, text);
}

/// Compares a property that both documents have.
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
    let (deprecation, reactivated, decreased, increased) = if scope.is_request() {
        (
            &REQUEST_PROPERTY,
            &rules::REQUEST_PROPERTY_REACTIVATED,
            &rules::REQUEST_PROPERTY_STABILITY_DECREASED,
            &rules::REQUEST_PROPERTY_STABILITY_INCREASED,
        )
    } else {
        (
            &RESPONSE_PROPERTY,
            &rules::RESPONSE_PROPERTY_REACTIVATED,
            &rules::RESPONSE_PROPERTY_STABILITY_DECREASED,
            &rules::RESPONSE_PROPERTY_STABILITY_INCREASED,
        )
    };
    match (old.flag("deprecated"), new.flag("deprecated")) {
        (false, true) => deprecated(context, deprecation, &what, base, revision),
        (true, false) => {
            let text = format!("{what}: not deprecated any more");
            context.report(reactivated, Some(base), Some(revision), text);
        }
        _ => {}
    }
    if let (Some((_, from)), Some((_, to))) = (stability(base), stability(revision))
        && from != to
    {
        let (rule, verb) = if to < from {
            (decreased, "dropped")
        } else {
            (increased, "rose")
        };
        let text = format!("{what}: the stability level {verb}");
        context.report(rule, Some(base), Some(revision), text);
    }
}

static REQUEST_PROPERTY: DeprecationRules = DeprecationRules {
    without_sunset: &rules::REQUEST_PROPERTY_DEPRECATED,
    with_sunset: &rules::REQUEST_PROPERTY_DEPRECATED_WITH_SUNSET,
    missing: &rules::REQUEST_PROPERTY_DEPRECATED_SUNSET_MISSING,
    unreadable: &rules::REQUEST_PROPERTY_DEPRECATED_SUNSET_INVALID,
    too_early: &rules::REQUEST_PROPERTY_SUNSET_DATE_TOO_SMALL,
};

static RESPONSE_PROPERTY: DeprecationRules = DeprecationRules {
    without_sunset: &rules::RESPONSE_PROPERTY_DEPRECATED,
    with_sunset: &rules::RESPONSE_PROPERTY_DEPRECATED_WITH_SUNSET,
    missing: &rules::RESPONSE_PROPERTY_DEPRECATED_SUNSET_MISSING,
    unreadable: &rules::RESPONSE_PROPERTY_DEPRECATED_SUNSET_INVALID,
    too_early: &rules::RESPONSE_PROPERTY_SUNSET_DATE_TOO_SMALL,
};

/// Reports an operation that the revision lacks; `with_path` if it lacks the
/// whole path.
pub(super) fn removed(context: &mut Context<'_>, base: &Node, with_path: bool) {
    if stability(base).is_none() {
        invalid_stability(context, base, true);
    }
    // The rule where the whole path was removed, and where other operations stay.
    let (of_path, alone, text) = match (is_true(base, "deprecated"), sunset(base)) {
        (false, _) => (
            &rules::API_PATH_REMOVED_WITHOUT_DEPRECATION,
            &rules::API_REMOVED_WITHOUT_DEPRECATION,
            "the operation was removed without being deprecated before".to_owned(),
        ),
        (true, Sunset::None) => (
            &rules::API_PATH_REMOVED_WITH_DEPRECATION,
            &rules::API_REMOVED_WITH_DEPRECATION,
            "the operation was removed; it was deprecated, without a sunset".to_owned(),
        ),
        (true, Sunset::Unreadable(node)) => {
            let text = format!("`{SUNSET}` of the removed operation is not a date");
            return context.report(&rules::API_PATH_SUNSET_PARSE, Some(node), None, text);
        }
        (true, Sunset::On(day, _)) if context.policy.today < day => (
            &rules::API_PATH_REMOVED_BEFORE_SUNSET,
            &rules::API_REMOVED_BEFORE_SUNSET,
            format!("the operation was removed before its sunset on {day}"),
        ),
        (true, Sunset::On(day, _)) => (
            &rules::API_PATH_REMOVED_AFTER_SUNSET,
            &rules::API_REMOVED_AFTER_SUNSET,
            format!("the operation was removed; its sunset was on {day}"),
        ),
    };
    let rule = if with_path { of_path } else { alone };
    context.report(rule, Some(base), None, text);
}
