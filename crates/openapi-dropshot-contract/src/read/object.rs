//! Reads the members of an object: which names are allowed, which type each must
//! have, and the problems where that fails.

use crate::model::{Extensions, Location, Member, Node, NodeKind, Spanned};
use crate::problem::Problem;
use crate::rules::document as rules;
use crate::suggest::did_you_mean;
use indexmap::IndexMap;

/// An object whose members are being read.
pub(super) struct Object<'n> {
    /// Where it begins.
    pub(super) at: &'n Location,
    /// How messages call it.
    what: &'static str,
    members: &'n IndexMap<String, Member>,
}

impl<'n> Object<'n> {
    /// Checks that the node is an object that has no other members than the
    /// allowed ones and extensions.
    pub(super) fn open(
        node: &'n Node,
        what: &'static str,
        allowed: &str,
        problems: &mut Vec<Problem>,
    ) -> Option<Self> {
        let Some(members) = node.as_object() else {
            problems.push(not_an_object(node, what));
            return None;
        };
        for (name, member) in members {
            if !name.starts_with("x-") && !names(allowed).any(|allowed| allowed == name) {
                let message = format!("{what} has no member `{}`", name.escape_debug());
                let help = unknown_help(name, allowed);
                problems.push(rules::UNKNOWN_MEMBER.problem(&member.key_at, message, help));
            }
        }
        Some(Object {
            at: &node.at,
            what,
            members,
        })
    }

    /// The value of a member.
    pub(super) fn get(&self, name: &str) -> Option<&'n Node> {
        self.members.get(name).map(|member| &member.value)
    }

    /// All members in the order of the document.
    pub(super) fn members(&self) -> impl Iterator<Item = (&'n String, &'n Member)> + use<'n> {
        self.members.iter()
    }

    /// The extensions (`x-…`).
    pub(super) fn extensions(&self) -> Extensions {
        self.members
            .iter()
            .filter(|(name, _)| name.starts_with("x-"))
            .map(|(name, member)| (name.clone(), member.value.clone()))
            .collect()
    }

    /// The value of a member that must be there.
    pub(super) fn require(&self, name: &str, problems: &mut Vec<Problem>) -> Option<&'n Node> {
        let node = self.get(name);
        if node.is_none() {
            let message = format!("{} lacks `{name}`", self.what);
            let help = format!("add `{name}`");
            problems.push(rules::MISSING_MEMBER.problem(self.at, message, help));
        }
        node
    }

    /// A string, where the member is there.
    pub(super) fn text(&self, name: &str, problems: &mut Vec<Problem>) -> Option<String> {
        Some(self.spanned_text(name, problems)?.value)
    }

    /// A string with its place, where the member is there.
    pub(super) fn spanned_text(
        &self,
        name: &str,
        problems: &mut Vec<Problem>,
    ) -> Option<Spanned<String>> {
        text(self.get(name)?, name, problems)
    }

    /// A string that must be there.
    pub(super) fn required_text(
        &self,
        name: &str,
        problems: &mut Vec<Problem>,
    ) -> Option<Spanned<String>> {
        text(self.require(name, problems)?, name, problems)
    }

    /// A boolean with its place, where the member is there.
    pub(super) fn spanned_flag(
        &self,
        name: &str,
        problems: &mut Vec<Problem>,
    ) -> Option<Spanned<bool>> {
        let node = self.get(name)?;
        let value = node.as_bool();
        if value.is_none() {
            problems.push(wrong_type(
                node,
                name,
                "`true` or `false`",
                "write `true` or `false`, without quotes",
            ));
        }
        value.map(|value| Spanned::new(value, &node.at))
    }

    /// A boolean; false where it is absent.
    pub(super) fn flag(&self, name: &str, problems: &mut Vec<Problem>) -> bool {
        self.spanned_flag(name, problems)
            .is_some_and(|flag| flag.value)
    }

    /// An array, where the member is there.
    pub(super) fn list(&self, name: &str, problems: &mut Vec<Problem>) -> Option<&'n [Node]> {
        list(self.get(name)?, name, problems)
    }

    /// An array of strings; empty where the member is absent.
    pub(super) fn texts(&self, name: &str, problems: &mut Vec<Problem>) -> Vec<Spanned<String>> {
        let node = self.get(name);
        node.map(|node| texts(node, name, problems))
            .unwrap_or_default()
    }
}

/// The names of a list that is separated by spaces.
fn names(list: &str) -> impl Iterator<Item = &str> {
    list.split_ascii_whitespace()
}

fn list<'n>(node: &'n Node, name: &str, problems: &mut Vec<Problem>) -> Option<&'n [Node]> {
    let items = node.as_array();
    if items.is_none() {
        problems.push(wrong_type(node, name, "an array", "write it as a list"));
    }
    items
}

/// An array of strings.
pub(super) fn texts(node: &Node, name: &str, problems: &mut Vec<Problem>) -> Vec<Spanned<String>> {
    let items = list(node, name, problems).unwrap_or_default();
    items
        .iter()
        .filter_map(|item| text(item, name, problems))
        .collect()
}

/// A string, or a problem that says how to make one.
pub(super) fn text(
    node: &Node,
    name: &str,
    problems: &mut Vec<Problem>,
) -> Option<Spanned<String>> {
    let Some(value) = node.as_str() else {
        let help = match &node.kind {
            NodeKind::Number(_) | NodeKind::Bool(_) => "put it in quotes",
            _ => "write a text",
        };
        problems.push(wrong_type(node, name, "a string", help));
        return None;
    };
    Some(Spanned::new(value.to_owned(), &node.at))
}

/// The problem of a value that must be an object and is not.
pub(super) fn not_an_object(node: &Node, what: &str) -> Problem {
    let message = format!("{what} must be an object, found {}", node.summary());
    rules::WRONG_TYPE.problem(&node.at, message, "write its members below it")
}

/// The problem of a member that has another type than it must have.
pub(super) fn wrong_type(node: &Node, name: &str, expected: &str, help: &str) -> Problem {
    let message = format!("`{name}` must be {expected}, found {}", node.summary());
    rules::WRONG_TYPE.problem(&node.at, message, help)
}

/// What to write instead of an unknown name: the one that was probably meant,
/// or how OpenAPI 3.0 expresses what other formats express by this name.
fn unknown_help(name: &str, allowed: &str) -> String {
    if names(allowed).any(|allowed| allowed == "additionalProperties")
        && let Some(help) = foreign_keyword(name)
    {
        return help.to_owned();
    }
    did_you_mean(
        name,
        names(allowed),
        "remove it, or begin its name with `x-` if it is an extension",
    )
}

/// JSON Schema keywords that OpenAPI 3.0 lacks.
fn foreign_keyword(name: &str) -> Option<&'static str> {
    Some(match name {
        "const" => "OpenAPI 3.0 has no `const`: write an `enum` of one value",
        "examples" => "a schema of OpenAPI 3.0 has one `example`",
        "patternProperties" | "propertyNames" => {
            "OpenAPI 3.0 has no rules for names: write `additionalProperties`"
        }
        "$defs" | "definitions" => "put named schemas under `components.schemas`",
        "if" | "then" | "else" | "dependentSchemas" | "dependentRequired" | "dependencies" => {
            "OpenAPI 3.0 has no conditions: write `oneOf`"
        }
        "prefixItems" | "additionalItems" | "contains" | "minContains" | "maxContains"
        | "unevaluatedItems" => "OpenAPI 3.0 has one schema for all elements: write `items`",
        "unevaluatedProperties" => "write `additionalProperties`",
        "$schema" | "$id" | "$comment" | "$anchor" => "remove it: OpenAPI 3.0 does not have it",
        "contentEncoding" => "write `format: byte` for base64",
        "contentMediaType" => "write `format: binary`, and the media type as the name in `content`",
        _ => return None,
    })
}
