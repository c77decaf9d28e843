//! Combines a schema, the target of its reference, and all members of its `allOf` into one list of keywords that apply together.

use crate::model::{Node, compare_numbers, unescape_pointer_token};
use crate::null::is_null;
use crate::pairs::pairs;
use indexmap::IndexMap;
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::ops::RangeInclusive;

/// One of the two documents.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub root: &'a Node,
}

impl<'a> Side<'a> {
    /// The target of a reference, or the value itself.
    pub(super) fn resolve(self, node: &'a Node) -> &'a Node {
        self.root.resolve(node)
    }

    /// The member of an object, or its target if it is a reference.
    pub(super) fn get(self, node: &'a Node, name: &str) -> Option<&'a Node> {
        node.get(name).map(|value| self.resolve(value))
    }

    /// Makes the view of schemas that apply together.
    pub(super) fn view(self, nodes: &[&'a Node]) -> View<'a> {
        let mut view = View {
            side: self,
            parts: Vec::new(),
            all_of: Vec::new(),
            merged: Vec::new(),
        };
        for node in nodes {
            view.add(node);
        }
        view
    }
}

/// The last name of a reference, or the title, for messages.
pub(super) fn name_of(node: &Node) -> String {
    if let Some(reference) = node.word("$ref") {
        let last = reference.rsplit('/').next().unwrap_or(reference);
        return format!("`{}`", unescape_pointer_token(last));
    }
    match node.word("title") {
        Some(title) => format!("`{title}`"),
        None => format!("the one at {}", node.at.as_written().pointer),
    }
}

/// The keywords of schemas that apply together.
#[derive(Clone)]
pub(super) struct View<'a> {
    pub side: Side<'a>,
    /// The schema objects, with references followed. The outermost one is first.
    pub parts: Vec<&'a Node>,
    /// The members of all `allOf`, as written.
    pub all_of: Vec<&'a Node>,
    /// Members of `oneOf` or `anyOf` that are not alternatives: the only member, which applies like a member of `allOf`,
    /// and an alternative beside `null`.
    merged: Vec<&'a Node>,
}

impl<'a> View<'a> {
    fn add(&mut self, node: &'a Node) {
        let part = self.side.resolve(node);
        if self.parts.iter().any(|own| std::ptr::eq(*own, part)) {
            return;
        }
        self.parts.push(part);
        for member in part.items("allOf") {
            self.all_of.push(member);
            self.add(member);
        }
        let schema = part.without_null();
        if !std::ptr::eq(part, schema) {
            self.merged.extend(part.items("anyOf"));
            self.add(schema);
        }
    }

    /// Adds the only member of a `oneOf` or `anyOf` to the schemas that apply.
    pub(super) fn unwrap_single(&mut self, keyword: &str) {
        if let [only] = self.list(keyword)[..] {
            self.merged.push(only);
            self.add(only);
        }
    }

    /// The outermost schema object, which is the place of the schema.
    pub(super) fn node(&self) -> Option<&'a Node> {
        self.parts.first().copied()
    }

    /// The first occurrence of a keyword.
    pub(super) fn first(&self, keyword: &str) -> Option<&'a Node> {
        self.parts.iter().find_map(|part| part.get(keyword))
    }

    /// All values of a keyword that are objects.
    pub(super) fn objects(&self, keyword: &str) -> Vec<&'a Node> {
        let values = self.parts.iter().filter_map(|part| part.get(keyword));
        values.filter(|node| node.as_object().is_some()).collect()
    }

    pub(super) fn flag(&self, keyword: &str) -> bool {
        self.parts.iter().any(|part| part.is_set(keyword))
    }

    pub(super) fn text(&self, keyword: &str) -> Option<&'a str> {
        self.first(keyword).and_then(Node::as_str)
    }

    /// The `type` as written, other than `null`.
    pub(super) fn type_name(&self) -> Option<&'a str> {
        self.parts.iter().find_map(|part| part.type_name())
    }

    /// The place where `null` is allowed.
    pub(super) fn null(&self) -> Option<&'a Node> {
        let mut parts = self.parts.iter();
        parts.find_map(|part| part.null().or(is_null(part).then_some(*part)))
    }

    /// All elements of a keyword whose value is a list.
    pub(super) fn list(&self, keyword: &str) -> Vec<&'a Node> {
        let is_merged = |node: &Node| self.merged.iter().any(|own| std::ptr::eq(*own, node));
        let elements = self.parts.iter().flat_map(|part| part.items(keyword));
        elements.filter(|node| !is_merged(node)).collect()
    }

    /// The distinct values of a keyword in all schemas that apply together.
    pub(super) fn all(&self, keyword: &str) -> Vec<&'a Node> {
        let mut values: Vec<&'a Node> = Vec::new();
        for value in self.parts.iter().filter_map(|part| part.get(keyword)) {
            if !values.iter().any(|own| own.same_value(value)) {
                values.push(value);
            }
        }
        values
    }

    /// The values that are listed in every `enum`.
    pub(super) fn allowed(&self) -> Vec<&'a Node> {
        let lists = self.all("enum").into_iter().filter_map(Node::as_array);
        let lists = lists.map(|list| list.iter().collect::<Vec<&'a Node>>());
        let common = lists.reduce(|mut common, list| {
            common.retain(|value| list.iter().any(|other| other.same_value(value)));
            common
        });
        common.unwrap_or_default()
    }

    /// `type`, or the type that the other keywords imply.
    pub(super) fn kind(&self) -> Option<&'a str> {
        self.type_name().or_else(|| {
            (self.parts.iter())
                .any(|part| part.get("properties").is_some())
                .then_some("object")
        })
    }

    /// The strictest bound that these keywords set: the largest of lower bounds, or the smallest of upper bounds. Each keyword
    /// comes with a flag that tells whether it is exclusive, and the result has the same flag.
    pub(super) fn bound(
        &self,
        keywords: &[(&str, bool)],
        wanted: Ordering,
    ) -> Option<(&'a Node, bool)> {
        let bounds = self.parts.iter().flat_map(|part| {
            let own = keywords.iter();
            own.filter_map(|(keyword, is_exclusive)| Some((part.get(keyword)?, *is_exclusive)))
        });
        bounds.reduce(|best, other| {
            let numbers = other.0.as_number().zip(best.0.as_number());
            match numbers.and_then(|(other, best)| compare_numbers(other, best)) {
                Some(order) if order == wanted || (order.is_eq() && other.1) => other,
                _ => best,
            }
        })
    }

    /// How many characters a string may have.
    pub(super) fn lengths(&self) -> RangeInclusive<u64> {
        let count = |keyword, wanted| self.bound(&[(keyword, false)], wanted)?.0.as_u64();
        let least = count("minLength", Ordering::Greater).unwrap_or_default();
        least..=count("maxLength", Ordering::Less).unwrap_or(u64::MAX)
    }

    /// `properties`: each name with all schemas that the property must match.
    pub(super) fn properties(&self) -> IndexMap<&'a str, Vec<&'a Node>> {
        let mut properties: IndexMap<&str, Vec<&Node>> = IndexMap::new();
        for part in &self.parts {
            for (name, property) in part.entries("properties") {
                properties.entry(name).or_default().push(property);
            }
        }
        properties
    }

    pub(super) fn requires(&self, name: &str) -> bool {
        self.required().contains(&name)
    }

    pub(super) fn required(&self) -> Vec<&'a str> {
        (self.list("required").into_iter())
            .filter_map(Node::as_str)
            .collect()
    }
}

#[derive(Clone, Copy)]
pub(super) struct PathItem<'a> {
    pub path: &'a str,
    pub node: &'a Node,
}

/// A part that has the same name in both documents. At least one document has the part.
pub(super) struct Named<'a> {
    pub name: &'a str,
    pub base: Option<&'a Node>,
    pub revision: Option<&'a Node>,
}

impl Named<'_> {
    /// Returns the rule for a part that was added, removed or changed, and the verb for messages.
    pub(super) fn change<R>(
        &self,
        [added, removed, changed]: [R; 3],
        differ: impl FnOnce(&Node, &Node) -> bool,
    ) -> Option<(R, &'static str)> {
        match (self.base, self.revision) {
            (None, _) => Some((added, "was added")),
            (_, None) => Some((removed, "was removed")),
            (Some(base), Some(revision)) => differ(base, revision).then_some((changed, "changed")),
        }
    }
}

/// Pairs the parts of both documents whose names are considered the same.
pub(super) fn pairs_by_name<'a>(
    before: impl Iterator<Item = (&'a str, &'a Node)>,
    after: impl Iterator<Item = (&'a str, &'a Node)>,
    same: impl Fn(&str, &str) -> bool,
) -> Vec<Named<'a>> {
    let (before, after): (Vec<_>, Vec<_>) = (before.collect(), after.collect());
    let pairs = pairs(&before, &after, |(old, _), (new, _)| same(old, new));
    let named = pairs.into_iter().map(|(base, revision)| Named {
        name: base.or(revision).map_or("", |(name, _)| name),
        base: base.map(|(_, node)| *node),
        revision: revision.map(|(_, node)| *node),
    });
    named.collect()
}

/// Returns whether two values, either of which may be absent, differ.
pub(super) fn differs(from: Option<&Node>, to: Option<&Node>) -> bool {
    match (from, to) {
        (Some(from), Some(to)) => !from.same_value(to),
        (from, to) => from.is_some() != to.is_some(),
    }
}

/// Returns the values of the first list that are not in the second.
pub(super) fn missing<'l, N: Borrow<Node>>(from: &'l [N], to: &[N]) -> Vec<&'l Node> {
    let lacks = |list: &[N], value: &Node| {
        (list.iter()).all(|other| !Borrow::<Node>::borrow(other).same_value(value))
    };
    (from.iter().map(Borrow::borrow))
        .filter(|value| lacks(to, value))
        .collect()
}
