//! Rejects the keywords of a schema that its type does not express, so that the
//! generator drops none of them silently.

use super::Planner;
use openapi_dropshot_contract::{
    Problem,
    model::{Location, Schema},
};

/// The keywords that restrict values, with their places. Those that
/// only describe (`title`, `description`, `example`, `deprecated`, extensions)
/// and those that every use reads (`nullable`, `default`) are not listed.
fn present(schema: &Schema) -> Vec<(&'static str, &Location)> {
    let at = &schema.at;
    let flag = |set: bool| set.then_some(at);
    let all = [
        ("format", schema.format.as_ref().map(|format| &format.at)),
        (
            "enum",
            schema
                .enumeration
                .as_ref()
                .map(|values| values.first().map_or(at, |first| &first.at)),
        ),
        ("readOnly", flag(schema.read_only)),
        ("writeOnly", flag(schema.write_only)),
        ("minimum", schema.minimum.as_ref().map(|bound| &bound.at)),
        ("maximum", schema.maximum.as_ref().map(|bound| &bound.at)),
        ("exclusiveMinimum", flag(schema.exclusive_minimum)),
        ("exclusiveMaximum", flag(schema.exclusive_maximum)),
        (
            "multipleOf",
            schema.multiple_of.as_ref().map(|bound| &bound.at),
        ),
        (
            "minLength",
            schema.min_length.as_ref().map(|bound| &bound.at),
        ),
        (
            "maxLength",
            schema.max_length.as_ref().map(|bound| &bound.at),
        ),
        (
            "pattern",
            schema.pattern.as_ref().map(|pattern| &pattern.at),
        ),
        ("items", schema.items.as_ref().map(|items| &items.at)),
        ("minItems", schema.min_items.as_ref().map(|bound| &bound.at)),
        ("maxItems", schema.max_items.as_ref().map(|bound| &bound.at)),
        ("uniqueItems", flag(schema.unique_items)),
        (
            "properties",
            schema.properties.values().next().map(|first| &first.at),
        ),
        ("required", schema.required.first().map(|first| &first.at)),
        (
            "additionalProperties",
            schema.additional_properties.as_ref().map(|_| at),
        ),
        (
            "minProperties",
            schema.min_properties.as_ref().map(|bound| &bound.at),
        ),
        (
            "maxProperties",
            schema.max_properties.as_ref().map(|bound| &bound.at),
        ),
        ("allOf", schema.all_of.first().map(|first| &first.at)),
        (
            "oneOf",
            schema
                .one_of
                .first()
                .filter(|_| !says_nothing(schema))
                .map(|first| &first.at),
        ),
        ("anyOf", schema.any_of.first().map(|first| &first.at)),
        ("not", schema.not.as_ref().map(|not| &not.at)),
        (
            "discriminator",
            schema
                .discriminator
                .as_ref()
                .map(|discriminator| &discriminator.at),
        ),
    ];
    all.into_iter()
        .filter_map(|(keyword, place)| place.map(|place| (keyword, place)))
        .collect()
}

/// Whether `oneOf` has one part only, which allows everything.
fn says_nothing(schema: &Schema) -> bool {
    matches!(schema.one_of.as_slice(), [only] if Planner::is_free(only) && !only.nullable)
}

/// Whether a keyword says in which direction a member is sent.
fn is_direction(keyword: &str) -> bool {
    matches!(keyword, "readOnly" | "writeOnly")
}

/// The keywords that no generated type expresses.
fn unsupported(keyword: &str) -> Option<(&'static str, &'static str)> {
    Some(match keyword {
        "oneOf" | "anyOf" => (
            "is not supported beside these keywords: alternatives are a type of their own",
            "write the alternatives in a schema of their own, each with all that it has to keep",
        ),
        "not" => (
            "is not supported: no type excludes another one",
            "say what the value may be instead",
        ),
        "discriminator" => (
            "is not supported here: it tells the parts of `oneOf` apart, and stands beside them",
            "write it beside `oneOf`, or remove it",
        ),
        "readOnly" | "writeOnly" => (
            "says nothing here: only a member of an object is sent in one direction",
            "write it at the property, beside its `type` or its `allOf`",
        ),
        _ => return None,
    })
}

impl Planner<'_> {
    /// Rejects every keyword that is not among the expressed ones. `what` names
    /// the kind of schema for the message.
    pub(super) fn only(&mut self, schema: &Schema, what: &str, expressed: &[&str]) {
        for (keyword, at) in present(schema) {
            let is_member = self.members.contains(&schema.at.pointer);
            if expressed.contains(&keyword) || (is_member && is_direction(keyword)) {
                continue;
            }
            let problem = match unsupported(keyword) {
                Some((message, help)) => Problem::error(
                    "unsupported-schema",
                    at,
                    format!("`{keyword}` {message}"),
                    help,
                ),
                None => Problem::error(
                    "meaningless-keyword",
                    at,
                    format!("`{keyword}` says nothing about {what}"),
                    format!("remove `{keyword}`, or write the `type` that it belongs to"),
                ),
            };
            self.problems.push(problem);
        }
    }

    /// Whether a schema has only these keywords.
    pub(super) fn says_only(schema: &Schema, expressed: &[&str]) -> bool {
        present(schema)
            .iter()
            .all(|(keyword, _)| expressed.contains(keyword) || is_direction(keyword))
    }

    /// Whether a schema does not restrict its values.
    pub(super) fn is_free(schema: &Schema) -> bool {
        schema.types.is_none() && schema.reference.is_none() && Self::says_only(schema, &[])
    }
}
