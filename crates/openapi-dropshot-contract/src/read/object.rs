//! Reads the members of an object: which names are allowed, which type each must
//! have, and the problems where that fails.

use crate::grammar::{ObjectKind, Since};
use crate::model::{Extensions, Location, Member, Node, NodeKind, Spanned};
use crate::problem::Problem;
use crate::rules::document as rules;
use crate::suggest::did_you_mean;
use indexmap::IndexMap;
use serde_json::Number;
use std::cell::RefCell;

/// The problems that were reported so far. All readers of a document add to it.
pub(super) type Log = RefCell<Vec<Problem>>;

/// An object whose members are being read.
pub(super) struct Object<'a> {
    /// Where it begins.
    pub(super) at: &'a Location,
    /// How messages call it.
    pub(super) what: &'static str,
    members: &'a IndexMap<String, Member>,
    log: &'a Log,
}

impl<'a> Object<'a> {
    /// Checks that the node is an object that has no other members than those of the grammar, and
    /// extensions (`x-…`).
    pub(super) fn open(
        node: &'a Node,
        kind: ObjectKind,
        version: Since,
        log: &'a Log,
    ) -> Option<Self> {
        let Some(members) = node.as_object() else {
            log.borrow_mut().push(not_an_object(node, kind.what()));
            return None;
        };
        for (name, member) in members {
            let known = kind.member(name).filter(|known| known.since <= version);
            if known.is_some() || name.starts_with("x-") {
                continue;
            }
            let message = format!("{} has no member `{}`", kind.what(), name.escape_debug());
            let otherwise = "remove it, or begin its name with `x-` if it is an extension";
            let help = match foreign_keyword(name).filter(|_| kind == ObjectKind::Schema) {
                Some(help) => help.to_owned(),
                None => {
                    let allowed = kind.members().iter().filter(|known| known.since <= version);
                    did_you_mean(name, allowed.map(|known| known.name), otherwise)
                }
            };
            let problem = rules::UNKNOWN_MEMBER.problem(&member.key_at, message, help);
            log.borrow_mut().push(problem);
        }
        Some(Object {
            at: &node.at,
            what: kind.what(),
            members,
            log,
        })
    }

    /// The value of a member.
    pub(super) fn get(&self, name: &str) -> Option<&'a Node> {
        self.members.get(name).map(|member| &member.value)
    }

    /// All members in the order of the document.
    pub(super) fn members(&self) -> impl Iterator<Item = (&'a String, &'a Member)> + use<'a> {
        self.members.iter()
    }

    /// The extensions (`x-…`).
    pub(super) fn extensions(&self) -> Extensions {
        let extensions = self.members().filter(|(name, _)| name.starts_with("x-"));
        extensions
            .map(|(name, member)| (name.clone(), member.value.clone()))
            .collect()
    }

    /// The value of a member that must be there.
    pub(super) fn require(&self, name: &str) -> Option<&'a Node> {
        let node = self.get(name);
        if node.is_none() {
            let message = format!("{} lacks `{name}`", self.what);
            let help = format!("add `{name}`");
            let problem = rules::MISSING_MEMBER.problem(self.at, message, help);
            self.log.borrow_mut().push(problem);
        }
        node
    }

    /// Returns the value of a member, if the member is present and has the right type.
    pub(super) fn optional<T: Value<'a>>(&self, name: &str) -> Option<T> {
        value(self.get(name)?, name, self.log)
    }

    /// Returns the value of a member that must be present.
    pub(super) fn required<T: Value<'a>>(&self, name: &str) -> Option<T> {
        value(self.require(name)?, name, self.log)
    }

    /// Checks that these members are strings, if they are present. They are only kept in the tree.
    pub(super) fn check_texts(&self, names: &[&str]) {
        for name in names {
            self.optional::<String>(name);
        }
    }

    /// A boolean; false where it is absent.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.optional(name).unwrap_or(false)
    }

    /// Returns an array; it is empty if the member is absent.
    pub(super) fn list(&self, name: &str) -> &'a [Node] {
        self.optional(name).unwrap_or_default()
    }

    /// Returns an array of strings; it is empty if the member is absent.
    pub(super) fn texts(&self, name: &str) -> Vec<Spanned<String>> {
        let node = self.get(name);
        node.map(|node| texts(node, name, self.log))
            .unwrap_or_default()
    }

    /// Returns an array of strings without their places.
    pub(super) fn plain_texts(&self, name: &str) -> Vec<String> {
        let texts = self.texts(name).into_iter();
        texts.map(|text| text.value).collect()
    }
}

/// A type that a member can have.
pub(super) trait Value<'a>: Sized {
    /// Reads a value of this type. The error says what was expected, and what to write.
    fn read(node: &'a Node) -> Result<Self, (&'static str, &'static str)>;
}

impl Value<'_> for String {
    fn read(node: &Node) -> Result<Self, (&'static str, &'static str)> {
        let help = match &node.kind {
            NodeKind::Number(_) | NodeKind::Bool(_) => "put it in quotes",
            _ => "write a text",
        };
        node.as_str().map(str::to_owned).ok_or(("a string", help))
    }
}

impl Value<'_> for bool {
    fn read(node: &Node) -> Result<Self, (&'static str, &'static str)> {
        let help = "write `true` or `false`, without quotes";
        node.as_bool().ok_or(("`true` or `false`", help))
    }
}

impl Value<'_> for Number {
    fn read(node: &Node) -> Result<Self, (&'static str, &'static str)> {
        let number = node.as_number().cloned();
        number.ok_or(("a number", "write it without quotes"))
    }
}

impl Value<'_> for u64 {
    fn read(node: &Node) -> Result<Self, (&'static str, &'static str)> {
        let help = "write it without quotes, sign and fraction";
        node.as_u64().ok_or(("an integer from 0", help))
    }
}

impl<'a> Value<'a> for &'a [Node] {
    fn read(node: &'a Node) -> Result<Self, (&'static str, &'static str)> {
        node.as_array().ok_or(("an array", "write it as a list"))
    }
}

impl<'a, T: Value<'a>> Value<'a> for Spanned<T> {
    fn read(node: &'a Node) -> Result<Self, (&'static str, &'static str)> {
        Ok(Spanned::new(T::read(node)?, &node.at))
    }
}

/// Reads the value of a member with this name, or reports a problem that says what to write.
pub(super) fn value<'a, T: Value<'a>>(node: &'a Node, name: &str, log: &Log) -> Option<T> {
    T::read(node)
        .map_err(|(expected, help)| {
            let problem = wrong_type(node, name, expected, help);
            log.borrow_mut().push(problem);
        })
        .ok()
}

/// An array of strings.
pub(super) fn texts(node: &Node, name: &str, log: &Log) -> Vec<Spanned<String>> {
    let items: &[Node] = value(node, name, log).unwrap_or_default();
    items
        .iter()
        .filter_map(|item| value(item, name, log))
        .collect()
}

/// The problem of a value that must be an object and is not.
pub(super) fn not_an_object(node: &Node, what: &str) -> Problem {
    let message = format!("{what} must be an object, found {}", node.summary());
    rules::WRONG_TYPE.problem(&node.at, message, "write its members below it")
}

/// The problem of a member that has another type than it must have.
pub(crate) fn wrong_type(node: &Node, name: &str, expected: &str, help: &str) -> Problem {
    let message = format!("`{name}` must be {expected}, found {}", node.summary());
    rules::WRONG_TYPE.problem(&node.at, message, help)
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
