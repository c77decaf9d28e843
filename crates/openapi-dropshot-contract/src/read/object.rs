//! An object of the document whose members are being read: which names are
//! allowed, which type each must have, and what to say where that fails.

use crate::model::{Extensions, Location, Member, Node, Spanned};
use crate::problem::Problem;
use indexmap::IndexMap;

/// An object with the words that messages call it by.
pub(super) struct Object<'n> {
    /// Where it begins.
    pub(super) at: &'n Location,
    what: &'static str,
    members: &'n IndexMap<String, Member>,
}

const WRONG_TYPE: &str = "wrong-type";

impl<'n> Object<'n> {
    /// Checks that the node is an object, and where `allowed` is given that it
    /// has no other members than these and extensions.
    pub(super) fn open(
        node: &'n Node,
        what: &'static str,
        allowed: Option<&[&str]>,
        problems: &mut Vec<Problem>,
    ) -> Option<Self> {
        let Some(members) = node.as_object() else {
            problems.push(Problem::error(
                WRONG_TYPE,
                &node.at,
                format!("{what} must be an object, found {}", node.summary()),
                "write its members below it",
            ));
            return None;
        };
        if let Some(allowed) = allowed {
            let unknown = members
                .iter()
                .filter(|(name, _)| !name.starts_with("x-") && !allowed.contains(&name.as_str()));
            for (name, member) in unknown {
                problems.push(Problem::error(
                    "unknown-member",
                    &member.key_at,
                    format!("{what} has no member `{}`", name.escape_debug()),
                    unknown_help(name, allowed),
                ));
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
            problems.push(Problem::error(
                "missing-member",
                self.at,
                format!("{} lacks `{name}`", self.what),
                format!("add `{name}`"),
            ));
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
        let node = self.get(name)?;
        text(node, name, problems)
    }

    /// A string that must be there.
    pub(super) fn required_text(
        &self,
        name: &str,
        problems: &mut Vec<Problem>,
    ) -> Option<Spanned<String>> {
        let node = self.require(name, problems)?;
        text(node, name, problems)
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
        let node = self.get(name)?;
        let items = node.as_array();
        if items.is_none() {
            problems.push(wrong_type(node, name, "an array", "write it as a list"));
        }
        items
    }

    /// An array of strings, where the member is there.
    pub(super) fn texts(&self, name: &str, problems: &mut Vec<Problem>) -> Vec<Spanned<String>> {
        let items = self.list(name, problems).unwrap_or_default();
        items
            .iter()
            .filter_map(|item| text(item, name, problems))
            .collect()
    }
}

/// A string, or a problem that says how to make one.
pub(super) fn text(
    node: &Node,
    name: &str,
    problems: &mut Vec<Problem>,
) -> Option<Spanned<String>> {
    let Some(value) = node.as_str() else {
        let help = match &node.kind {
            crate::model::NodeKind::Number(_) | crate::model::NodeKind::Bool(_) => {
                "put it in quotes"
            }
            _ => "write a text",
        };
        problems.push(wrong_type(node, name, "a string", help));
        return None;
    };
    Some(Spanned::new(value.to_owned(), &node.at))
}

/// The problem of a member that has another type than it must have.
pub(super) fn wrong_type(node: &Node, name: &str, expected: &str, help: &str) -> Problem {
    let message = format!("`{name}` must be {expected}, found {}", node.summary());
    Problem::error(WRONG_TYPE, &node.at, message, help)
}

/// What to write instead of an unknown name: the one that was probably meant,
/// or the OpenAPI 3.0 way to say what newer or older formats say by it.
fn unknown_help(name: &str, allowed: &[&str]) -> String {
    if allowed.contains(&"additionalProperties")
        && let Some(help) = foreign_keyword(name)
    {
        return help.to_owned();
    }
    match closest(name, allowed.iter().copied()) {
        Some(close) => format!("did you mean `{close}`?"),
        None => "remove it, or begin its name with `x-` if it is an extension".to_owned(),
    }
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

/// The candidate that a mistyped word was probably meant to be.
pub(crate) fn closest<'c>(
    word: &str,
    candidates: impl IntoIterator<Item = &'c str>,
) -> Option<&'c str> {
    // Longer words are no typing mistakes, and comparing many takes long.
    const MAX_LENGTH: usize = 100;
    const MAX_CANDIDATES: usize = 1000;
    if word.len() > MAX_LENGTH {
        return None;
    }
    let lower = word.to_lowercase();
    candidates
        .into_iter()
        .take(MAX_CANDIDATES)
        .filter(|candidate| {
            candidate.len() <= MAX_LENGTH && candidate.len().abs_diff(word.len()) <= word.len()
        })
        .map(|candidate| {
            (
                strsim::osa_distance(&lower, &candidate.to_lowercase()),
                candidate,
            )
        })
        .filter(|(distance, candidate)| *distance <= 1.max(candidate.len().min(word.len()) / 3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}
