//! Compares `type` and `format`: whether all values of one are values of the other.

use super::schema::Comparison;
use super::scope::Role;
use super::view::View;
use crate::rules::changes as rules;

/// A type with its format, either of which may be absent.
#[derive(Clone, Copy, PartialEq)]
struct Kind<'a> {
    name: Option<&'a str>,
    format: Option<&'a str>,
}

impl<'a> Kind<'a> {
    fn of(view: &View<'a>) -> Self {
        Kind {
            name: view.kind(),
            format: view.text("format").filter(|format| !format.is_empty()),
        }
    }

    fn text(self) -> String {
        match (self.name, self.format) {
            (None, None) => "any".to_owned(),
            (Some(name), None) => name.to_owned(),
            (None, Some(format)) => format.to_owned(),
            (Some(name), Some(format)) => format!("{name}/{format}"),
        }
    }
}

impl Comparison<'_, '_> {
    pub(super) fn types(&mut self) {
        let (from, to) = (Kind::of(&self.old), Kind::of(&self.new));
        if from == to {
            return;
        }
        let scope = self.scope;
        let rule = match (scope.role, scope.is_request()) {
            (Role::Parameter, _) if scope.path.is_empty() => {
                if breaks(from, to, false) && !self.is_repeated() {
                    &rules::TYPE_CHANGED
                } else {
                    &rules::TYPE_GENERALIZED
                }
            }
            // How an object in a parameter is serialized is not known here.
            (Role::Parameter, _) => match (breaks(from, to, true), breaks(from, to, false)) {
                (true, true) => &rules::TYPE_SPECIALIZED,
                (false, false) => &rules::TYPE_GENERALIZED,
                _ => &rules::TYPE_CHANGED,
            },
            (_, true) if breaks(from, to, scope.strongly_typed) => &rules::TYPE_CHANGED,
            (_, true) if is_swap(from, to) => &rules::TYPE_COMPATIBLE,
            (_, true) => &rules::TYPE_GENERALIZED,
            (_, false) if breaks(to, from, scope.strongly_typed) => {
                if from.name != to.name && is_within(from, to) {
                    &rules::TYPE_GENERALIZED
                } else {
                    &rules::TYPE_CHANGED
                }
            }
            (_, false) if is_swap(to, from) => &rules::TYPE_COMPATIBLE,
            (_, false) => &rules::TYPE_SPECIALIZED,
        };
        let text = format!("the type changed from `{}` to `{}`", from.text(), to.text());
        let (base, revision) = self.both("type");
        self.report(rule, base, revision, &text);
    }

    /// Whether a parameter that held one value now holds a list of such values,
    /// written as `name=a&name=b`: then one value is a list of one.
    fn is_repeated(&mut self) -> bool {
        let became_list = self.new.kind() == Some("array") && self.old.kind() != Some("array");
        let (node, items) = (self.old.node(), self.new.first("items"));
        became_list
            && self.context.exploded
            && (node.zip(items))
                .is_some_and(|(node, items)| self.context.equality.equivalent(node, items))
    }
}

/// Whether a value of `from` can be none of `to`.
fn breaks(from: Kind<'_>, to: Kind<'_>, strongly_typed: bool) -> bool {
    if from.name != to.name && to.name.is_none() {
        return false;
    }
    // If everything is text, a number is a string as well.
    let fits = is_within(from, to) || (!strongly_typed && to.name == Some("string"));
    let type_breaks = from.name != to.name && !fits;
    type_breaks || (from.format != to.format && !format_fits(from, to))
}

fn is_within(from: Kind<'_>, to: Kind<'_>) -> bool {
    match (from.name, to.name) {
        (Some(from), Some(to)) => from == to || (from, to) == ("integer", "number"),
        _ => false,
    }
}

/// Whether both are types, and neither includes the other.
fn is_swap(from: Kind<'_>, to: Kind<'_>) -> bool {
    from.name != to.name && from.name.is_some() && to.name.is_some() && !is_within(from, to)
}

fn format_fits(from: Kind<'_>, to: Kind<'_>) -> bool {
    let Some(wider) = to.format else {
        return true;
    };
    let pairs: &[(&str, &str)] = match to.name {
        Some("number") => &[("float", "double"), ("int32", "double")],
        Some("integer") => &[("int32", "int64"), ("int32", "bigint"), ("int64", "bigint")],
        Some("string") => &[("date", "date-time"), ("time", "date-time")],
        _ => &[],
    };
    from.format
        .is_some_and(|narrower| pairs.contains(&(narrower, wider)))
}
