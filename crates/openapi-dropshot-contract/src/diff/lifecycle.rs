//! Compares the deprecation, sunset and stability of operations, parameters and properties. Dates
//! are days (`YYYY-MM-DD`) or times of RFC 3339. The current date comes from the policy.

use super::context::Context;
use super::scope::Scope;
use super::view::{View, differs};
use crate::model::Node;
use crate::rules::{Family, changes as rules};
use chrono::{DateTime, NaiveDate};
use std::cmp::Ordering;

const SUNSET: &str = "x-sunset";
const STABILITY: &str = "x-stability-level";

/// The value of `x-sunset`.
enum Sunset {
    None,
    On(NaiveDate),
    Unreadable,
}

fn sunset(node: &Node) -> Sunset {
    let Some(value) = node.get(SUNSET) else {
        return Sunset::None;
    };
    let text = value.as_str().unwrap_or_default();
    let day = NaiveDate::parse_from_str(text, "%Y-%m-%d");
    (day.or_else(|_| DateTime::parse_from_rfc3339(text).map(|time| time.date_naive())))
        .map_or(Sunset::Unreadable, Sunset::On)
}

const BETA: u8 = 2;
const STABLE: u8 = 3;

/// The stability level of an operation or a property; `None` if the value is not a level. The
/// levels `alpha` and `draft` of oasdiff are below beta.
fn stability(node: &Node) -> Option<u8> {
    match node.get(STABILITY).map(Node::as_str) {
        Some(Some("draft")) => Some(0),
        Some(Some("alpha" | "experimental")) => Some(1),
        Some(Some("beta")) => Some(BETA),
        Some(Some("stable")) | None => Some(STABLE),
        Some(_) => None,
    }
}

/// Whether a part is stable. An unknown level counts as stable.
pub(super) fn is_stable(node: &Node) -> bool {
    stability(node).is_none_or(|level| level == STABLE)
}

/// Sets the operation that is being compared. Its stability is that of the base, because clients
/// rely on the base.
pub(super) fn enter(
    context: &mut Context<'_>,
    operation: String,
    base: &Node,
    revision: Option<&Node>,
) {
    context.operation = Some(operation);
    context.stable = is_stable(base);
    context.deprecation_days = match stability(revision.unwrap_or(base)) {
        Some(STABLE) | None => context.policy.deprecation_days_stable,
        Some(BETA) => context.policy.deprecation_days_beta,
        Some(_) => 0,
    };
}

/// A part of the document with a lifecycle: an operation, a parameter or a property.
pub(super) struct Subject<'s> {
    /// The name of the part in messages.
    pub what: &'s str,
    /// The beginnings of the ids of its rules. The first beginning for which a rule exists is used.
    pub places: &'static [&'static str],
}

/// An operation. The ids of its rules have several beginnings.
const OPERATION: Subject<'static> = Subject {
    what: "the operation",
    places: &["endpoint", "api", "api-path", ""],
};

/// Compares an operation that both documents have.
pub(super) fn operation(context: &mut Context<'_>, base: &Node, revision: &Node) {
    for (node, is_base) in [(base, true), (revision, false)] {
        invalid_stability(context, node, is_base);
    }
    let (old, new) = (base.get(STABILITY), revision.get(STABILITY));
    let nodes = (old.unwrap_or(base), new.unwrap_or(revision));
    let levels = (stability(base), stability(revision));
    compare_stability(context, &OPERATION, levels, nodes);
    let at = revision.get("deprecated").unwrap_or(revision);
    let deprecated = (base.is_set("deprecated"), revision.is_set("deprecated"));
    deprecation(context, &OPERATION, deprecated, base, (revision, at));
}

/// Compares the deprecation of a part that both documents have: whether it is deprecated, and its
/// sunset. If the part is no longer deprecated, the change is reported at `reactivated_at`.
pub(super) fn deprecation(
    context: &mut Context<'_>,
    subject: &Subject<'_>,
    (was_deprecated, is_deprecated): (bool, bool),
    base: &Node,
    (revision, reactivated_at): (&Node, &Node),
) {
    match (was_deprecated, is_deprecated) {
        (false, true) => deprecated(context, subject, base, revision),
        (true, false) => {
            let text = format!("{} is no longer deprecated", subject.what);
            let (old, new) = (Some(base), Some(reactivated_at));
            context.report_at(&rules::REACTIVATED, subject.places, old, new, text);
        }
        (true, true) => sunset_moved(context, subject, base, revision),
        (false, false) => {}
    }
}

/// Reports that the revision deprecates a part.
fn deprecated(context: &mut Context<'_>, subject: &Subject<'_>, base: &Node, revision: &Node) {
    let (what, days) = (subject.what, context.deprecation_days);
    let (families, text): (&[&Family], _) = match sunset(revision) {
        Sunset::None if days > 0 => (
            &[&rules::DEPRECATED_SUNSET_MISSING],
            format!("{what} was deprecated without `{SUNSET}`"),
        ),
        Sunset::None => (&[&rules::DEPRECATED], format!("{what} was deprecated")),
        Sunset::Unreadable => (
            &[
                &rules::DEPRECATED_SUNSET_PARSE,
                &rules::DEPRECATED_SUNSET_INVALID,
                &rules::SUNSET_PARSE,
            ],
            format!("`{SUNSET}` of {what} is not a date: write `YYYY-MM-DD`"),
        ),
        Sunset::On(day) if (day - context.policy.today).num_days() < i64::from(days) => (
            &[&rules::SUNSET_DATE_TOO_SMALL],
            format!("{what} is removed on {day}, less than {days} days from now"),
        ),
        Sunset::On(day) => (
            &[&rules::DEPRECATED_WITH_SUNSET, &rules::DEPRECATED],
            format!("{what} was deprecated, and is removed on {day}"),
        ),
    };
    let at = (revision.get(SUNSET).or(revision.get("deprecated"))).or(Some(revision));
    // oasdiff has different rules for operations, parameters and properties.
    if let Some(rule) = families.iter().find_map(|family| family.at(subject.places)) {
        context.report(rule, Some(base), at, text);
    }
}

/// Compares the sunsets of a part that is deprecated in both documents.
fn sunset_moved(context: &mut Context<'_>, subject: &Subject<'_>, base: &Node, revision: &Node) {
    let Subject { what, places } = subject;
    let (old, new) = (base.get(SUNSET), revision.get(SUNSET));
    let (from, to) = match (sunset(base), sunset(revision)) {
        (Sunset::On(from), Sunset::On(to)) => (from, to),
        (Sunset::None, Sunset::None) => return,
        (Sunset::Unreadable, Sunset::Unreadable) if !differs(old, new) => return,
        (_, Sunset::None) => {
            let text = format!("`{SUNSET}` of {what} was removed");
            let family = &rules::SUNSET_DELETED;
            return context.report_at(family, places, old, Some(revision), text);
        }
        (_, Sunset::Unreadable) | (Sunset::Unreadable, _) => {
            let text = format!(
                "`{SUNSET}` of {what} is not a date, or was not one before: write `YYYY-MM-DD`"
            );
            let old = old.or(Some(base));
            return context.report_at(&rules::SUNSET_PARSE, places, old, new, text);
        }
        (Sunset::None, Sunset::On(_)) => return sunset_added(context, subject, base, revision),
    };
    if to < from {
        let days = context.deprecation_days;
        let text = format!("the sunset of {what} moved to an earlier day, from {from} to {to}");
        if (to - context.policy.today).num_days() < i64::from(days) {
            let family = &rules::SUNSET_DATE_CHANGED_TOO_SMALL;
            context.report_at(family, places, old, new, text.clone());
        }
        context.report_at(&rules::SUNSET_MOVED_CLOSER, places, old, new, text);
    } else if to > from {
        let text = format!("the sunset of {what} moved from {from} to {to}");
        context.report(&rules::API_SUNSET_DATE_CHANGED, old, new, text);
    }
}

/// Reports a sunset that was added to an already deprecated part, if the sunset is too near.
fn sunset_added(context: &mut Context<'_>, subject: &Subject<'_>, base: &Node, revision: &Node) {
    let days = context.deprecation_days;
    if let (Sunset::None, Sunset::On(day)) = (sunset(base), sunset(revision))
        && (day - context.policy.today).num_days() < i64::from(days)
    {
        let what = subject.what;
        let text = format!("{what} is removed on {day}, less than {days} days from now");
        let (family, at) = (&rules::SUNSET_DATE_TOO_SMALL, revision.get(SUNSET));
        context.report_at(family, subject.places, Some(base), at, text);
    }
}

/// Whether a part may be removed: it was deprecated, and it has no sunset or the day of its sunset
/// has come.
pub(super) fn is_due(context: &Context<'_>, base: &Node) -> bool {
    let has_come = match sunset(base) {
        Sunset::None => true,
        Sunset::On(day) => day <= context.policy.today,
        Sunset::Unreadable => false,
    };
    base.is_set("deprecated") && has_come
}

/// Compares two stability levels, and reports a change at these nodes.
fn compare_stability(
    context: &mut Context<'_>,
    subject: &Subject<'_>,
    levels: (Option<u8>, Option<u8>),
    (base, revision): (&Node, &Node),
) {
    let (Some(from), Some(to)) = levels else {
        return;
    };
    let (family, verb) = match to.cmp(&from) {
        Ordering::Less => (&rules::STABILITY_DECREASED, "dropped"),
        Ordering::Greater => (&rules::STABILITY_INCREASED, "rose"),
        Ordering::Equal => return,
    };
    let text = format!("the stability level of {} {verb}", subject.what);
    context.report_at(family, subject.places, Some(base), Some(revision), text);
}

/// Reports a stability level that does not exist.
fn invalid_stability(context: &mut Context<'_>, node: &Node, is_base: bool) {
    if stability(node).is_none() {
        let text = "not a stability level: write `experimental`, `beta` or `stable`";
        let at = node.get(STABILITY);
        let (base, revision) = if is_base { (at, None) } else { (None, at) };
        context.report(&rules::API_INVALID_STABILITY_LEVEL, base, revision, text);
    }
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
    let what = &scope.subject();
    let places = match scope.is_request() {
        true => &["request-property"],
        false => &["response-property"],
    };
    let subject = Subject { what, places };
    let deprecated = (old.flag("deprecated"), new.flag("deprecated"));
    // There are no rules for a changed sunset of a property.
    match deprecated {
        (true, true) => sunset_added(context, &subject, base, revision),
        _ => deprecation(context, &subject, deprecated, base, (revision, revision)),
    }
    let levels = (stability(base), stability(revision));
    compare_stability(context, &subject, levels, (base, revision));
}

/// Reports an operation that is missing in the revision. `with_path` tells whether the whole path
/// is missing.
pub(super) fn operation_removed(context: &mut Context<'_>, base: &Node, with_path: bool) {
    invalid_stability(context, base, true);
    let places: &[&str] = match with_path {
        true => &["api-path"],
        false => &["api", "api-path"],
    };
    let what = OPERATION.what;
    removed(context, &Subject { what, places }, base, None);
}

/// Reports that a part was removed. `revision` is the place in the revision; it is `None` for
/// operations.
pub(super) fn removed(
    context: &mut Context<'_>,
    subject: &Subject<'_>,
    base: &Node,
    revision: Option<&Node>,
) {
    let what = subject.what;
    let mut at = base;
    let (family, text) = match sunset(base) {
        _ if !base.is_set("deprecated") => {
            let text = format!("{what} was removed without being deprecated first");
            match revision {
                None => (&rules::REMOVED_WITHOUT_DEPRECATION, text),
                Some(_) => (&rules::REMOVED, text),
            }
        }
        Sunset::None => (
            &rules::REMOVED_WITH_DEPRECATION,
            format!("{what} was removed; it was deprecated, without a sunset"),
        ),
        Sunset::Unreadable => {
            if revision.is_none() {
                at = base.get(SUNSET).unwrap_or(base);
            }
            let text = format!("`{SUNSET}` of {what}, which was removed, is not a date");
            (&rules::SUNSET_PARSE, text)
        }
        Sunset::On(day) if context.policy.today < day => (
            &rules::REMOVED_BEFORE_SUNSET,
            format!("{what} was removed before its sunset on {day}"),
        ),
        Sunset::On(day) => (
            &rules::REMOVED_AFTER_SUNSET,
            format!("{what} was removed; its sunset was on {day}"),
        ),
    };
    context.report_at(family, subject.places, Some(at), revision, text);
}
