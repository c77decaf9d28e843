//! Compares keywords that restrict single values: `type` and `format`, `enum`,
//! `x-extensible-enum`, `default`, `null` and `pattern`.

use super::patterns;
use super::schema::{Comparison, keyword_change, quoted};
use super::scope::Role;
use super::view::{View, differs, missing};
use crate::dialect::is_constant;
use crate::model::Node;
use crate::rules::{Family, changes as rules};

/// The rules for a default that was added, removed or changed.
pub(super) static DEFAULT: [&Family; 3] = [
    &rules::DEFAULT_VALUE_ADDED,
    &rules::DEFAULT_VALUE_REMOVED,
    &rules::DEFAULT_VALUE_CHANGED,
];

impl<'a> Comparison<'_, 'a> {
    pub(super) fn values(&mut self) {
        match (self.old.null(), self.new.null()) {
            (None, Some(is)) => self.report_meaning(&rules::BECAME_NULLABLE, (None, Some(is))),
            (Some(was), None) => {
                self.report_meaning(&rules::BECAME_NOT_NULLABLE, (Some(was), None));
            }
            _ => {}
        }
        self.enumeration();
        self.extensible();
        self.pattern();
        self.default();
    }

    /// Compares the defaults of bodies and properties. The defaults of parameters are compared in
    /// `parameters`.
    fn default(&mut self) {
        let (from, to) = self.both("default");
        if self.scope.is_in_body()
            && differs(from, to)
            && let Some((rule, text)) = keyword_change("default", from, to, DEFAULT)
        {
            self.scope.report(self.context, rule, from, to, &text);
        }
    }

    fn enumeration(&mut self) {
        let (from, to) = self.both("enum");
        let is_const = |list: Option<&Node>| list.is_some_and(is_constant);
        match (from, to) {
            (None, None) => return,
            (None, Some(_)) if is_const(to) => {
                return self.report_meaning(&rules::CONST_ADDED, (from, to));
            }
            (Some(_), None) if is_const(from) => {
                return self.report_meaning(&rules::CONST_REMOVED, (from, to));
            }
            (Some(_), Some(_)) if is_const(from) && is_const(to) => {
                if differs(from, to) {
                    self.report_meaning(&rules::CONST_CHANGED, (from, to));
                }
                return;
            }
            (None, Some(_)) => return self.report_meaning(&rules::BECAME_ENUM, (from, to)),
            (Some(_), None) => return self.report_meaning(&rules::ENUM_LIFTED, (from, to)),
            (Some(_), Some(_)) => {}
        }
        let (before, after) = (self.old.allowed(), self.new.allowed());
        for value in missing(&before, &after) {
            let text = format!("the value {} was removed", quoted(value));
            // oasdiff uses another form of id for whole response bodies.
            if self.scope.role == Role::ResponseBody && self.scope.path.is_empty() {
                let rule = &rules::RESPONSE_MEDIATYPE_ENUM_VALUE_REMOVED;
                let text = format!("{}: {text}", self.scope.subject());
                self.context.report(rule, Some(value), to, text);
            } else {
                self.report(&rules::ENUM_VALUE_REMOVED, Some(value), to, &text);
            }
        }
        for value in missing(&after, &before) {
            let text = format!("the value {} was added", quoted(value));
            self.report(&rules::ENUM_VALUE_ADDED, from, Some(value), &text);
        }
    }

    fn extensible(&mut self) {
        const KEYWORD: &str = "x-extensible-enum";
        let to = self.new.first(KEYWORD);
        // Clients must expect that values of an open enum are added to responses and removed from
        // them.
        if !self.scope.is_request() || to.is_none() {
            return;
        }
        for value in missing(&self.old.list(KEYWORD), &self.new.list(KEYWORD)) {
            let text = format!("the value {} of `{KEYWORD}` was removed", quoted(value));
            let rule = &rules::X_EXTENSIBLE_ENUM_VALUE_REMOVED;
            self.report(rule, Some(value), to, &text);
        }
    }

    fn pattern(&mut self) {
        let all = |view: &View<'a>| -> Vec<&'a Node> {
            let is_written = |node: &&Node| node.as_str().is_some_and(|text| !text.is_empty());
            view.all("pattern").into_iter().filter(is_written).collect()
        };
        let (before, after) = (all(&self.old), all(&self.new));
        let (removed, added) = (missing(&before, &after), missing(&after, &before));
        if let ([from], [to]) = (&removed[..], &added[..]) {
            return self.pattern_changed(Some(*from), Some(*to));
        }
        for from in removed {
            self.pattern_changed(Some(from), None);
        }
        for to in added {
            self.pattern_changed(None, Some(to));
        }
    }

    fn pattern_changed(&mut self, from: Option<&Node>, to: Option<&Node>) {
        let matches_all = matches!(to.and_then(Node::as_str), Some(".*" | "^.*$"));
        if from.is_none() && matches_all {
            return;
        }
        let changed = match self.scope.is_request() && matches_all {
            true => &rules::PATTERN_GENERALIZED,
            false => &rules::PATTERN_CHANGED,
        };
        if let (true, Some(old), Some(new)) = (self.scope.is_request(), from, to)
            && let (Some(old), Some(new)) = (old.as_str(), new.as_str())
            && let Some(text) = patterns::rejected(old, new, &self.old.lengths())
        {
            let text = format!("`pattern` now rejects `{text}`, which it allowed before");
            self.report(&rules::PATTERN_TIGHTENED, from, to, &text);
        }
        let families = [&rules::PATTERN_ADDED, &rules::PATTERN_REMOVED, changed];
        if let Some((rule, text)) = keyword_change("pattern", from, to, families) {
            self.report(rule, from, to, &text);
        }
    }
}

/// A type with its format. Either of them may be absent.
#[derive(Clone, Copy, PartialEq)]
struct TypeAndFormat<'a> {
    name: Option<&'a str>,
    format: Option<&'a str>,
}

impl<'a> TypeAndFormat<'a> {
    fn in_view(view: &View<'a>) -> Self {
        TypeAndFormat {
            name: view.kind(),
            format: view.text("format").filter(|format| !format.is_empty()),
        }
    }

    fn text(self) -> String {
        let parts: Vec<&str> = [self.name, self.format].into_iter().flatten().collect();
        match parts.is_empty() {
            true => "any".to_owned(),
            false => parts.join("/"),
        }
    }
}

impl Comparison<'_, '_> {
    pub(super) fn types(&mut self) {
        let [from, to] = [&self.old, &self.new].map(TypeAndFormat::in_view);
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
            // The document does not say how an object in a parameter is serialized.
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

    /// Returns whether a parameter that had one value is now a list of such values, serialized as
    /// `name=a&name=b`: a request with one value is then a list with one element.
    fn is_repeated(&mut self) -> bool {
        let became_list = self.new.kind() == Some("array") && self.old.kind() != Some("array");
        let (node, items) = (self.old.node(), self.new.first("items"));
        became_list
            && self.context.exploded
            && (node.zip(items))
                .is_some_and(|(node, items)| self.context.equality.equivalent(node, items))
    }
}

/// Returns whether some value of `from` is not valid for `to`.
fn breaks(from: TypeAndFormat<'_>, to: TypeAndFormat<'_>, strongly_typed: bool) -> bool {
    if from.name != to.name && to.name.is_none() {
        return false;
    }
    // If all values are sent as text, a number is also a string.
    let fits = is_within(from, to) || (!strongly_typed && to.name == Some("string"));
    let type_breaks = from.name != to.name && !fits;
    type_breaks || (from.format != to.format && !format_fits(from, to))
}

fn is_within(from: TypeAndFormat<'_>, to: TypeAndFormat<'_>) -> bool {
    match (from.name, to.name) {
        (Some(from), Some(to)) => from == to || (from, to) == ("integer", "number"),
        _ => false,
    }
}

/// Returns whether both are types and neither type includes the other.
fn is_swap(from: TypeAndFormat<'_>, to: TypeAndFormat<'_>) -> bool {
    from.name != to.name && from.name.is_some() && to.name.is_some() && !is_within(from, to)
}

fn format_fits(from: TypeAndFormat<'_>, to: TypeAndFormat<'_>) -> bool {
    let Some(wider) = to.format else {
        return true;
    };
    let pairs: &[(&str, &str)] = match to.name {
        Some("number") => &[("float", "double"), ("int32", "double")],
        Some("integer") => &[("int32", "int64"), ("int32", "bigint"), ("int64", "bigint")],
        // oasdiff treats a date or a time as a `date-time`, but RFC 3339 does not.
        _ => &[],
    };
    from.format
        .is_some_and(|narrower| pairs.contains(&(narrower, wider)))
}
