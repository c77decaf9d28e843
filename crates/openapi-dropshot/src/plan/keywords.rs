//! Rejects schema keywords that the type cannot express, so that the generator never drops a
//! keyword silently.

use super::Planner;
use crate::rules;
use openapi_dropshot_contract::{
    is_annotation, is_closing,
    model::{Location, Node, Schema},
};

/// The keywords that limit a member to one direction.
const DIRECTIONS: [&str; 2] = ["readOnly", "writeOnly"];

/// Returns why no generated type expresses a keyword, and what to write instead.
fn unsupported(keyword: &str) -> Option<(&'static str, &'static str)> {
    Some(match keyword {
        "oneOf" | "anyOf" => (
            "is not supported beside these keywords: alternatives become a separate type",
            "move the alternatives into a separate schema, and repeat these keywords in each of them",
        ),
        "not" => (
            "is not supported: a Rust type cannot exclude the values of another type",
            "describe the values that are allowed instead",
        ),
        "discriminator" => (
            "is not supported here: it distinguishes the parts of `oneOf`, and must be beside `oneOf`",
            "write it beside `oneOf`, or remove it",
        ),
        "readOnly" | "writeOnly" => (
            "has no effect here: only properties of objects can be limited to one direction",
            "write it in the schema of the property, beside its `type` or its `allOf`",
        ),
        "prefixItems" => (
            "is not supported here: it describes the elements of an array",
            "write `type: array`, or remove it",
        ),
        "contains" | "minContains" | "maxContains" => (
            "is not supported: all elements of an array have one type",
            "write `items`, with `oneOf` if the elements differ",
        ),
        "unevaluatedItems" => (
            "is not supported beside references, `allOf`, alternatives or `contains`: the elements that these keywords describe would have to be known, too",
            "write all elements in `prefixItems` of one schema, with `items: false`; or remove it",
        ),
        "if" | "then" | "else" | "dependentRequired" | "dependentSchemas" => (
            "is not supported: a Rust type cannot express a condition",
            "write `oneOf`, with a schema for each case",
        ),
        "patternProperties" | "propertyNames" => (
            "is not supported here: the names of members can be any strings",
            "write `additionalProperties`; `propertyNames` is supported for objects without `properties`",
        ),
        "unevaluatedProperties" => (
            "is not supported beside references, `allOf` or alternatives: the members that these keywords describe would have to be known, too",
            "write all members in `properties` of one schema, with `additionalProperties: false`; or remove it",
        ),
        "$dynamicRef" => (
            "is not supported: a type cannot differ between its uses",
            "write `$ref`",
        ),
        _ => return None,
    })
}

impl<'a> Planner<'a> {
    /// Returns the keywords of a schema that restrict its values, with their places.
    fn restrictions(
        &self,
        schema: &'a Schema,
    ) -> impl Iterator<Item = (&'a str, &'a Location)> + use<'a> {
        let node = self.document.node(schema);
        // A `oneOf` with one part that allows everything restricts nothing.
        let is_idle =
            matches!(schema.one_of.as_slice(), [only] if self.is_free(only) && !only.nullable);
        let members = node.and_then(Node::as_object).into_iter().flatten();
        members.filter_map(move |(keyword, member)| {
            let has_effect = match keyword.as_str() {
                "oneOf" => !is_idle,
                "properties" | "required" => member.value.size() > 1,
                // These keywords are read wherever a schema is used.
                "type" => false,
                other if DIRECTIONS.contains(&other) => member.value.as_bool() != Some(false),
                other => {
                    let is_off = member.value.as_bool() == Some(false) && !is_closing(other);
                    !is_annotation(other) && !is_off
                }
            };
            has_effect.then_some((keyword.as_str(), &member.value.at))
        })
    }

    /// Rejects every keyword that is not in `expressed`. `what` is the name of the kind of schema
    /// in the message.
    pub(super) fn only(&mut self, schema: &'a Schema, what: &str, expressed: &[&str]) {
        let is_member = self.members.contains(&schema.at.pointer);
        for (keyword, at) in self.restrictions(schema) {
            if expressed.contains(&keyword) || (is_member && DIRECTIONS.contains(&keyword)) {
                continue;
            }
            if let Some((message, help)) = unsupported(keyword) {
                let message = format!("`{}` {message}", at.keyword(keyword));
                self.reject(&rules::UNSUPPORTED_SCHEMA, at, message, help);
            } else {
                let keyword = at.keyword(keyword);
                let message = format!("`{keyword}` has no effect on {what}");
                let help = format!("remove `{keyword}`, or write the `type` to which it applies");
                self.reject(&rules::MEANINGLESS_KEYWORD, at, message, help);
            }
        }
    }

    /// Returns whether no keywords other than these restrict the values of a schema.
    pub(super) fn says_only(&self, schema: &'a Schema, expressed: &[&str]) -> bool {
        self.restrictions(schema)
            .all(|(keyword, _)| expressed.contains(&keyword) || DIRECTIONS.contains(&keyword))
    }

    /// Returns whether a schema does not restrict its values.
    pub(super) fn is_free(&self, schema: &'a Schema) -> bool {
        schema.types.is_none() && schema.reference.is_none() && self.says_only(schema, &[])
    }
}
