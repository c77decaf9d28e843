//! Compares `allOf`, `oneOf`, `anyOf`, `not` and `discriminator`: pairs the
//! members of the old and the new list, and reports added and removed members.

use super::context::Context;
use super::equality::is_renamed;
use super::schema::{self, Comparison};
use super::view::{View, name_of};
use crate::grammar::is_free;
use crate::model::{Node, SCHEMAS};
use crate::rules::{Family, changes as rules};

/// The rules for `oneOf` or `anyOf`, in this order: an alternative was added, an alternative was removed, the keyword
/// was removed from a schema with a type, the keyword was added to a schema with a type.
type ChoiceRules = [&'static Family; 4];

const ONE_OF: ChoiceRules = [
    &rules::ONE_OF_ADDED,
    &rules::ONE_OF_REMOVED,
    &rules::ONE_OF_LIFTED,
    &rules::ONE_OF_RESTRICTED,
];
const ANY_OF: ChoiceRules = [
    &rules::ANY_OF_ADDED,
    &rules::ANY_OF_REMOVED,
    &rules::ANY_OF_LIFTED,
    &rules::ANY_OF_RESTRICTED,
];

impl<'a> Comparison<'_, 'a> {
    /// Treats a `oneOf` or `anyOf` with one member like that member. The members are compared as a list only if both
    /// sides have the keyword.
    pub(super) fn unwrap_single(&mut self) {
        for keyword in ["oneOf", "anyOf"] {
            match (self.old.list(keyword).len(), self.new.list(keyword).len()) {
                (1, 0) => self.old.unwrap_single(keyword),
                (0, 1) => self.new.unwrap_single(keyword),
                _ => {}
            }
        }
    }

    /// Compares a single type with alternatives of different types, or two lists of alternatives of different types.
    /// Returns whether types and alternatives need no further comparison.
    pub(super) fn list_of_types(&mut self) -> bool {
        let (Some((from, from_list)), Some((to, to_list))) = (types(&self.old), types(&self.new))
        else {
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
        let narrowed = match self.scope.is_request() {
            true => !removed.is_empty(),
            false => added.is_empty(),
        };
        let (rule, text) = if narrowed {
            let text = format!("the types {} are no longer allowed", removed.join(", "));
            (&rules::LIST_OF_TYPES_NARROWED, text)
        } else {
            let text = format!("the types {} are allowed now", added.join(", "));
            (&rules::LIST_OF_TYPES_WIDENED, text)
        };
        self.report(rule, None, None, &text);
        true
    }

    /// Compares `oneOf` and `anyOf`.
    pub(super) fn choices(&mut self) {
        let only = |view: &View<'a>, name, other| {
            !view.list(name).is_empty() && view.list(other).is_empty()
        };
        // `anyOf` allows everything that `oneOf` with the same alternatives allows.
        if only(&self.old, "oneOf", "anyOf") && only(&self.new, "anyOf", "oneOf") {
            return self.alternatives(("oneOf", "anyOf"), ANY_OF);
        }
        self.alternatives(("oneOf", "oneOf"), ONE_OF);
        self.alternatives(("anyOf", "anyOf"), ANY_OF);
    }

    /// Compares the alternatives one by one. The keyword of the base comes first, then the keyword of the revision.
    fn alternatives(&mut self, (old_name, name): (&str, &str), rules: ChoiceRules) {
        let [added, removed, lifted, _] = rules;
        let (from, to) = (self.old.list(old_name), self.new.list(name));
        match (from.is_empty(), to.is_empty()) {
            (true, true) => return,
            (true, false) => return self.choice_added(&to, name, rules),
            (false, true) if self.old.kind().is_some() => {
                let text = format!("`{name}` was removed");
                return self.report(lifted, self.old.first(name), None, &text);
            }
            _ => {}
        }
        let matches = Matches::find(self.context, &from, &to);
        for (base, revision) in matches.pairs {
            let step = match name_of(revision).as_str() {
                member if member.starts_with('`') => {
                    format!("{name}[{}]", member.trim_matches('`'))
                }
                _ => name.to_owned(),
            };
            schema::compare(self.context, &self.scope.at(&step), &[base], &[revision]);
        }
        for member in matches.added {
            let text = format!("{} was added to `{name}`", name_of(member));
            self.report(added, None, Some(member), &text);
        }
        for member in matches.removed {
            let text = format!("{} was removed from `{name}`", name_of(member));
            self.report(removed, Some(member), None, &text);
        }
    }

    /// Reports that `oneOf` or `anyOf` was added.
    fn choice_added(&mut self, members: &[&'a Node], name: &str, rules: ChoiceRules) {
        let (scope, [added, _, _, restricted]) = (self.scope, rules);
        let place = self.new.first(name);
        let keeps_its_own = self.new.kind().is_some();
        // If object properties moved into alternatives, a value that was valid may now match several alternatives, or
        // none of them.
        let is_wrapped = name == "oneOf" && !keeps_its_own && {
            let views: Vec<_> = (members.iter())
                .map(|member| self.new.side.view(&[member]).properties())
                .collect();
            (self.old.properties().keys())
                .any(|name| views.iter().any(|properties| properties.contains_key(name)))
        };
        let holds_the_old = (self.old.node()).is_some_and(|node| {
            (members.iter()).any(|member| self.context.equality.equivalent(node, member))
        });
        if is_wrapped && holds_the_old && scope.is_in_body() && scope.path.is_empty() {
            let rule = &rules::WRAPPED_IN_ONE_OF_ORIGINAL_PRESERVED;
            self.report_meaning(rule, (None, place));
        }
        if is_wrapped && !holds_the_old {
            let text = "the properties moved into alternatives";
            if scope.is_in_body() && scope.path.is_empty() {
                self.report(&rules::WRAPPED_IN_ONE_OF, None, place, text);
            } else if scope.is_request() {
                self.report(restricted, None, place, text);
            }
        }
        match (scope.is_request(), keeps_its_own) {
            (true, true) if !holds_the_old => {
                let text = format!("`{name}` was added");
                self.report(restricted, None, place, &text);
            }
            // In this case the response only becomes narrower, which breaks no client.
            (false, true) => {}
            _ => {
                let names: Vec<String> = members.iter().map(|member| name_of(member)).collect();
                let text = format!("{} were added as `{name}`", names.join(", "));
                self.report(added, None, place, &text);
            }
        }
    }

    /// Compares the lists of members of `allOf` if both sides have `allOf`. The keywords of the members are compared
    /// as if the schema itself contained them.
    pub(super) fn all_of(&mut self) {
        let (old, new) = (&self.old.all_of, &self.new.all_of);
        let both = !old.is_empty() && !new.is_empty();
        let matches = Matches::find(self.context, old, new);
        for member in matches.added {
            let text = format!("{} was added to `allOf`", name_of(member));
            let rule = match is_free(self.new.side.resolve(member)) {
                true => &rules::ALL_OF_ADDED_ANNOTATION_ONLY,
                false if both => &rules::ALL_OF_ADDED,
                false => continue,
            };
            self.report(rule, None, Some(member), &text);
        }
        for member in matches.removed {
            let text = format!("{} was removed from `allOf`", name_of(member));
            let rule = match is_free(self.old.side.resolve(member)) {
                true => &rules::ALL_OF_REMOVED_ANNOTATION_ONLY,
                false if both => &rules::ALL_OF_REMOVED,
                false => continue,
            };
            self.report(rule, Some(member), None, &text);
        }
    }

    pub(super) fn not(&mut self) {
        let (from, to) = self.both("not");
        match (from, to) {
            (None, Some(_)) => self.report_meaning(&rules::NOT_ADDED, (from, to)),
            (Some(_), None) => self.report_meaning(&rules::NOT_REMOVED, (from, to)),
            (Some(old), Some(new)) if !self.context.equality.equivalent(old, new) => {
                self.report_meaning(&rules::NOT_CHANGED, (from, to));
            }
            _ => {}
        }
    }

    /// Reports the discriminator values that the receiver does not understand: in requests, values that clients send
    /// but the service no longer knows; in responses, values that the service sends but clients do not know.
    fn discriminator_values(&mut self, from: &'a Node, to: &'a Node) {
        let is_request = self.scope.is_request();
        let values = match is_request {
            true => values_of(&self.old, from),
            false => values_of(&self.new, to),
        };
        let known: Vec<_> = (values_of(&self.old, from).into_iter())
            .filter_map(|value| target_of(&self.old, from, value))
            .collect();
        for value in values {
            let old = target_of(&self.old, from, value);
            let new = target_of(&self.new, to, value);
            let mut is_same = |(old, base): (&str, &'a Node), (new, revision): (&str, &'a Node)| {
                old == new || self.context.equality.equivalent(base, revision)
            };
            let text = match (old, new) {
                (Some(old), Some(new)) if !is_same(old, new) => {
                    format!(
                        "the value `{value}` named `{}`, and now names `{}`",
                        old.0, new.0
                    )
                }
                (_, None) if is_request => format!("the value `{value}` no longer names a schema"),
                // Other rules already report a new alternative.
                (None, Some(new)) if known.iter().any(|old| is_same(*old, new)) => {
                    format!(
                        "the value `{value}` now names `{}`, which had another discriminator value before",
                        new.0
                    )
                }
                _ => continue,
            };
            let rule = &rules::DISCRIMINATOR_INCOMPATIBLE;
            self.report(rule, Some(from), Some(to), &text);
        }
    }

    /// Compares `discriminator`: its property, and the schemas to which it maps values.
    pub(super) fn discriminator(&mut self) {
        let incompatible = &rules::DISCRIMINATOR_INCOMPATIBLE;
        let (from, to) = match self.both("discriminator") {
            (Some(from), Some(to)) => (from, to),
            (None, None) => return,
            (None, to) => return self.report_meaning(&rules::DISCRIMINATOR_ADDED, (None, to)),
            (from, _) => {
                self.report(incompatible, from, None, "the discriminator was removed");
                return self.report_meaning(&rules::DISCRIMINATOR_REMOVED, (from, None));
            }
        };
        self.discriminator_values(from, to);
        let [old, new] = [from, to].map(|node| node.word("propertyName").unwrap_or_default());
        if old != new {
            let text = format!("the property of the discriminator changed from `{old}` to `{new}`");
            let rule = &rules::DISCRIMINATOR_PROPERTY_NAME_CHANGED;
            self.report(rule, Some(from), Some(to), &text);
            self.report(incompatible, Some(from), Some(to), &text);
        }
        for part in self.context.by_name("mapping", from, to) {
            let value = part.name;
            let (rule, text) = match (part.base, part.revision) {
                (Some(target), Some(other)) if target.same_value(other) => continue,
                (Some(_), Some(_)) => (
                    &rules::DISCRIMINATOR_MAPPING_CHANGED,
                    format!("the discriminator maps `{value}` to another schema"),
                ),
                (Some(_), None) => (
                    &rules::DISCRIMINATOR_MAPPING_DELETED,
                    format!("the discriminator no longer maps `{value}`"),
                ),
                (None, _) => (
                    &rules::DISCRIMINATOR_MAPPING_ADDED,
                    format!("the discriminator now also maps `{value}`"),
                ),
            };
            let (old, new) = (part.base.or(Some(from)), part.revision.or(Some(to)));
            self.report(rule, old, new, &text);
        }
    }
}

/// The values of a discriminator: those of its mapping, and the names of the alternatives.
fn values_of<'a>(view: &View<'a>, discriminator: &'a Node) -> Vec<&'a str> {
    let mapped = discriminator.entries("mapping").map(|(value, _)| value);
    let alternatives = (view.list("oneOf").into_iter()).chain(view.list("anyOf"));
    let names = alternatives.filter_map(|member| member.word("$ref")?.strip_prefix(SCHEMAS));
    mapped.chain(names).collect()
}

/// Returns the component to which a discriminator value leads, with its name.
fn target_of<'a>(
    view: &View<'a>,
    discriminator: &'a Node,
    value: &str,
) -> Option<(&'a str, &'a Node)> {
    let mapping = discriminator.get("mapping");
    let target = mapping.and_then(|mapping| mapping.get(value)?.as_str());
    let target = target.unwrap_or(value);
    let name = target.strip_prefix(SCHEMAS).unwrap_or(target);
    (view.side.root.components("schemas")).find(|(own, _)| *own == name)
}

/// Returns the types that a schema allows, and whether it lists them as alternatives.
fn types<'a>(view: &View<'a>) -> Option<(Vec<&'a str>, bool)> {
    let is_plain =
        view.all_of.is_empty() && view.first("properties").is_none() && view.first("not").is_none();
    if !is_plain {
        return None;
    }
    if let Some(kind) = view.type_name() {
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
        member.type_name().filter(|_| is_simple)
    });
    Some((kinds.collect::<Option<_>>()?, true))
}

/// Pairs of members of an old and a new list of schemas. Members are paired by reference, then by equality, by title,
/// by meaning, and by the names of properties.
struct Matches<'a> {
    /// Members that are in both lists, possibly with changes.
    pairs: Vec<(&'a Node, &'a Node)>,
    added: Vec<&'a Node>,
    removed: Vec<&'a Node>,
}

impl<'a> Matches<'a> {
    fn find(context: &mut Context<'a>, base: &[&'a Node], revision: &[&'a Node]) -> Self {
        let mut matches = Matches {
            pairs: Vec::new(),
            added: revision.to_vec(),
            removed: base.to_vec(),
        };
        matches.pair(|a, b| a.word("$ref").is_some() && a.word("$ref") == b.word("$ref"));
        matches.pair(|a, b| !is_renamed(a, b) && context.equality.same(a, b));
        matches.pair(|a, b| a.word("title").is_some() && a.word("title") == b.word("title"));
        matches.pair(|a, b| !is_renamed(a, b) && context.equality.equivalent(a, b));
        matches.pair(|a, b| {
            is_inline(a) && is_inline(b) && shape(a).is_some_and(|a| shape(b) == Some(a))
        });
        // If exactly one member remains on each side, it is probably the same member with changes.
        if let ([removed], [added]) = (matches.removed.as_slice(), matches.added.as_slice())
            && is_inline(removed)
            && is_inline(added)
        {
            matches.pairs.push((removed, added));
            matches.removed.clear();
            matches.added.clear();
        }
        matches
    }

    /// Pairs the remaining members for which `belong` returns true.
    fn pair(&mut self, mut belong: impl FnMut(&'a Node, &'a Node) -> bool) {
        let mut left = Vec::new();
        for base in std::mem::take(&mut self.removed) {
            match self.added.iter().position(|other| belong(base, other)) {
                Some(index) => self.pairs.push((base, self.added.remove(index))),
                None => left.push(base),
            }
        }
        self.removed = left;
    }
}

/// Returns whether a schema has no name: it is not a reference and has no title.
fn is_inline(node: &Node) -> bool {
    node.word("$ref").is_none() && node.get("title").is_none()
}

/// Returns the names of the properties in alphabetical order.
fn shape(node: &Node) -> Option<Vec<&str>> {
    let properties = node.get("properties")?.as_object()?;
    let mut names: Vec<&str> = properties.keys().map(String::as_str).collect();
    names.sort_unstable();
    (!names.is_empty()).then_some(names)
}
