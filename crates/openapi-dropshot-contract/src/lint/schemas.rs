//! Checks each schema: some value satisfies the bounds, enums have no duplicates, keywords match
//! the type, patterns are valid, and required names are properties. Values (defaults, enums,
//! examples) are checked in `validate`.

use super::walk::schema_uses;
use crate::grammar::keywords_of_types;
use crate::model::{
    Document, Location, SCHEMAS, Schema, Spanned, Type, compare_numbers, pattern_flags,
};
use crate::problem::Problem;
use crate::rules::document as rules;
use crate::suggest::{closest, did_you_mean};
use std::collections::HashSet;

pub(super) fn check(document: &Document, problems: &mut Vec<Problem>) {
    for place in schema_uses(document) {
        place.schema.each(&mut |schema| {
            numeric_bounds(schema, problems);
            counted_bounds(schema, problems);
            problems.extend(items(schema));
            problems.extend(pattern(schema));
            keywords_of_other_types(document, schema, problems);
            discriminator(document, schema, problems);
            if schema.read_only && schema.write_only {
                let message = "a schema cannot be `readOnly` and `writeOnly`: nobody could send it";
                problems.push(rules::READ_WRITE_ONLY.violation(&schema.at, message));
            }
        });
        required_names(document, place.schema, place.schema, problems);
    }
}

fn numeric_bounds(schema: &Schema, problems: &mut Vec<Problem>) {
    let (Some((minimum, above)), Some((maximum, below))) =
        (schema.lower_bound(), schema.upper_bound())
    else {
        return;
    };
    let ordering = compare_numbers(&minimum.value, &maximum.value);
    let is_excluded = above || below;
    if ordering.is_some_and(|order| order.is_gt() || (order.is_eq() && is_excluded)) {
        let lower = if above { "exclusiveMinimum" } else { "minimum" };
        let upper = if below { "exclusiveMaximum" } else { "maximum" };
        let (lower, upper) = (minimum.at.keyword(lower), maximum.at.keyword(upper));
        let message =
            format!("no number is valid for both `{lower}` {minimum} and `{upper}` {maximum}");
        problems.push(crossed(&minimum.at, message, &maximum.at));
    }
}

fn counted_bounds(schema: &Schema, problems: &mut Vec<Problem>) {
    for (suffix, low, high) in [
        ("Length", &schema.min_length, &schema.max_length),
        ("Items", &schema.min_items, &schema.max_items),
        ("Properties", &schema.min_properties, &schema.max_properties),
    ] {
        if let (Some(low), Some(high)) = (low, high)
            && low.value > high.value
        {
            let (least, most) = (low.value, high.value);
            let message = format!("`min{suffix}` {least} is greater than `max{suffix}` {most}");
            problems.push(crossed(&low.at, message, &high.at));
        }
    }
}

fn crossed(at: &Location, message: String, other: &Location) -> Problem {
    let problem = rules::CROSSED_BOUNDS.problem(at, message, "swap or correct them");
    problem.with_related(other, "the other bound")
}

fn items(schema: &Schema) -> Option<Problem> {
    let kind = schema.types.as_ref()?;
    (kind.value == Type::Array && schema.items.is_none()).then(|| {
        let help = "add `items` with the schema of the elements; `items: {}` allows anything";
        rules::MISSING_ITEMS.problem(&kind.at, "an array without `items`", help)
    })
}

/// Checks that a pattern is valid in ECMA-262 (OpenAPI 3.0.3, "Schema Object").
fn pattern(schema: &Schema) -> Option<Problem> {
    let pattern = schema.pattern.as_ref()?;
    let reason = pattern_flags(&pattern.value).err()?;
    let message = format!("`pattern` is not a regular expression: {reason}");
    Some(rules::PATTERN.violation(&pattern.at, message))
}

/// Reports keywords that have no effect on values of the schema's own type.
fn keywords_of_other_types(document: &Document, schema: &Schema, problems: &mut Vec<Problem>) {
    let (Some(Spanned { value: kind, .. }), Some(node)) = (&schema.types, document.node(schema))
    else {
        return;
    };
    let own = match kind {
        Type::Integer => Type::Number.as_str(),
        other => other.as_str(),
    };
    for (keyword, _) in keywords_of_types().filter(|(_, of)| *of != own) {
        let Some(value) = node.get(keyword) else {
            continue;
        };
        if keyword != "properties" {
            let keyword = value.at.keyword(keyword);
            let message = format!("`{keyword}` has no effect on a schema of type `{kind}`");
            problems.push(rules::IDLE_KEYWORD.violation(&value.at, message));
        } else if let Some((name, property)) = schema.properties.first() {
            let name = name.escape_debug();
            let message = format!(
                "`properties` such as `{name}` have no effect on a schema of type `{kind}`"
            );
            let help = "write `type: object`, or remove them";
            problems.push(rules::IDLE_KEYWORD.problem(&property.at, message, help));
        }
    }
}

/// Checks that a discriminator names a property and that its mapping leads to schemas.
fn discriminator(document: &Document, schema: &Schema, problems: &mut Vec<Problem>) {
    let Some(discriminator) = &schema.discriminator else {
        return;
    };
    for target in discriminator.mapping.values() {
        let name = target.value.strip_prefix(SCHEMAS).unwrap_or(&target.value);
        if document.schema(name).is_none() {
            let help = match closest(name, document.schemas.keys().map(String::as_str)) {
                Some(close) => format!("did you mean `{SCHEMAS}{close}`?"),
                None => format!("write `{SCHEMAS}NAME`"),
            };
            let message = format!("`{target}` is not a schema of this document");
            problems.push(rules::DISCRIMINATOR_MAPPING.problem(&target.at, message, help));
        }
    }
    let has_property = schema.properties.contains_key(&discriminator.property);
    if schema.one_of.is_empty() && schema.any_of.is_empty() && !has_property {
        let name = discriminator.property.escape_debug();
        let message = format!("the discriminator `{name}` is not a property of this schema");
        problems.push(rules::DISCRIMINATOR_PROPERTY.violation(&discriminator.at, message));
    }
}

/// Checks that each name in `required` is a property of some part of the composed schema. A name
/// that no part has is usually misspelt, but it is valid, so this is a warning. `whole` is the
/// composition that contains the schema; its other parts may add the properties.
fn required_names<'d>(
    document: &'d Document,
    schema: &'d Schema,
    whole: &'d Schema,
    problems: &mut Vec<Problem>,
) {
    let is_unknown = |name: &&Spanned<String>| !schema.properties.contains_key(&name.value);
    let unknown: Vec<_> = schema.required.iter().filter(is_unknown).collect();
    if !unknown.is_empty() {
        let known = property_names(document, whole);
        for name in unknown {
            // A part without properties is meant to be combined with other schemas.
            if known.is_empty() || known.contains(name.value.as_str()) {
                continue;
            }
            let otherwise = "add it to `properties`, or remove it";
            let help = did_you_mean(&name.value, known.iter().copied(), otherwise);
            let message = format!("`{name}` is required but is not a property");
            problems.push(rules::UNKNOWN_REQUIRED.problem(&name.at, message, help));
        }
    }
    let own: HashSet<*const Schema> = schema.compositions().map(std::ptr::from_ref).collect();
    for part in schema.parts() {
        let is_own = own.contains(&std::ptr::from_ref(part));
        required_names(document, part, if is_own { whole } else { part }, problems);
    }
}

/// The names of all properties of a composition.
fn property_names<'d>(document: &'d Document, schema: &'d Schema) -> HashSet<&'d str> {
    let mut names = HashSet::new();
    let mut seen = HashSet::new();
    let mut open = vec![schema];
    while let Some(schema) = open.pop() {
        names.extend(schema.properties.keys().map(String::as_str));
        open.extend(schema.compositions());
        if let Some(reference) = &schema.reference
            && seen.insert(reference.value.as_str())
        {
            open.extend(document.schema(&reference.value));
        }
    }
    names
}
