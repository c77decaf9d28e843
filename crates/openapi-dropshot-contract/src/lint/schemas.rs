//! Each schema for itself: bounds that leave something valid, enums of one
//! type without repetition, keywords that go with the type, patterns that parse.
//! Values (defaults, enums, examples) are held against schemas in `instances`.

use super::walk::{each_schema, places};
use crate::model::{Document, Location, Schema, Spanned, Type, compare_numbers};
use crate::problem::Problem;
use crate::read::closest;
use std::cmp::Ordering;
use std::collections::HashSet;

pub(super) fn check(document: &Document, problems: &mut Vec<Problem>) {
    for place in places(document) {
        each_schema(place.schema, &mut |schema| {
            numeric_bounds(schema, problems);
            counted_bounds(schema, problems);
            repeated_values(schema, problems);
            items(schema, problems);
            pattern(schema, problems);
            idle_keywords(schema, problems);
            discriminator(document, schema, problems);
            if schema.read_only && schema.write_only {
                let message = "a schema cannot be `readOnly` and `writeOnly`: nobody could send it";
                problems.push(Problem::error(
                    "read-write-only",
                    &schema.at,
                    message,
                    "keep one of them",
                ));
            }
        });
    }
}

fn numeric_bounds(schema: &Schema, problems: &mut Vec<Problem>) {
    let (Some(minimum), Some(maximum)) = (&schema.minimum, &schema.maximum) else {
        return;
    };
    let exclusive = schema.exclusive_minimum || schema.exclusive_maximum;
    let nothing_left = match compare_numbers(&minimum.value, &maximum.value) {
        Some(Ordering::Greater) => true,
        Some(Ordering::Equal) => exclusive,
        _ => false,
    };
    if nothing_left {
        let message = format!(
            "no number is valid: `minimum` {} leaves nothing below `maximum` {}",
            minimum.value, maximum.value
        );
        problems.push(crossed(&minimum.at, message, &maximum.at));
    }
}

fn counted_bounds(schema: &Schema, problems: &mut Vec<Problem>) {
    let pairs = [
        (
            "minLength",
            &schema.min_length,
            "maxLength",
            &schema.max_length,
        ),
        ("minItems", &schema.min_items, "maxItems", &schema.max_items),
        (
            "minProperties",
            &schema.min_properties,
            "maxProperties",
            &schema.max_properties,
        ),
    ];
    for (low_name, low, high_name, high) in pairs {
        if let (Some(low), Some(high)) = (low, high)
            && low.value > high.value
        {
            let message = format!(
                "`{low_name}` {} is greater than `{high_name}` {}",
                low.value, high.value
            );
            problems.push(crossed(&low.at, message, &high.at));
        }
    }
}

fn crossed(at: &Location, message: String, other: &Location) -> Problem {
    Problem::error("crossed-bounds", at, message, "swap or correct them")
        .with_related(other, "the other bound")
}

fn repeated_values(schema: &Schema, problems: &mut Vec<Problem>) {
    let mut seen = HashSet::new();
    for value in schema.enumeration.iter().flatten() {
        // Equal values have equal texts, but for `1` and `1.0`; members of
        // objects are sorted by the map or stand as written.
        if !seen.insert(value.to_json().to_string()) {
            let message = format!("{} stands twice in `enum`", value.summary());
            problems.push(Problem::error(
                "duplicate-enum-value",
                &value.at,
                message,
                "remove one of them",
            ));
        }
    }
}

fn items(schema: &Schema, problems: &mut Vec<Problem>) {
    if let Some(Spanned {
        value: Type::Array,
        at,
    }) = &schema.types
        && schema.items.is_none()
    {
        let message = "an array without `items`";
        let help = "add `items` with the schema of the elements; `items: {}` allows anything";
        problems.push(Problem::error("missing-items", at, message, help));
    }
}

/// Patterns are ECMA-262 (OpenAPI 3.0.3, "Schema Object").
fn pattern(schema: &Schema, problems: &mut Vec<Problem>) {
    if let Some(pattern) = &schema.pattern
        && let Err(error) = regress::Regex::with_flags(&pattern.value, "u")
            .or_else(|_| regress::Regex::new(&pattern.value))
    {
        let message = format!(
            "`pattern` is no regular expression: {}",
            error.text.to_lowercase()
        );
        let help = "write it in the syntax of ECMA-262, without slashes around it";
        problems.push(Problem::error("pattern", &pattern.at, message, help));
    }
}

/// Keywords that say nothing about values of the schema's own type.
fn idle_keywords(schema: &Schema, problems: &mut Vec<Problem>) {
    use Type::{Array, Integer, Number, Object, String};
    let Some(Spanned { value: kind, .. }) = schema.types else {
        return;
    };
    let number: &[Type] = &[Integer, Number];
    let keywords: [(&str, Option<&Location>, &[Type]); 11] = [
        ("minimum", at(&schema.minimum), number),
        ("maximum", at(&schema.maximum), number),
        ("multipleOf", at(&schema.multiple_of), number),
        ("minLength", at(&schema.min_length), &[String]),
        ("maxLength", at(&schema.max_length), &[String]),
        ("pattern", at(&schema.pattern), &[String]),
        ("minItems", at(&schema.min_items), &[Array]),
        ("maxItems", at(&schema.max_items), &[Array]),
        (
            "items",
            schema.items.as_ref().map(|items| &items.at),
            &[Array],
        ),
        ("minProperties", at(&schema.min_properties), &[Object]),
        ("maxProperties", at(&schema.max_properties), &[Object]),
    ];
    for (name, at, kinds) in keywords {
        if let Some(at) = at
            && !kinds.contains(&kind)
        {
            let message = format!("`{name}` has no effect on a schema of type `{kind}`");
            problems.push(Problem::warning(
                "idle-keyword",
                at,
                message,
                "remove it, or correct the type",
            ));
        }
    }
    if let Some((name, property)) = schema.properties.first()
        && kind != Object
    {
        let message = format!(
            "`properties` such as `{}` have no effect on a schema of type `{kind}`",
            name.escape_debug()
        );
        let help = "write `type: object`, or remove them";
        problems.push(Problem::warning(
            "idle-keyword",
            &property.at,
            message,
            help,
        ));
    }
}

fn at<T>(keyword: &Option<Spanned<T>>) -> Option<&Location> {
    keyword.as_ref().map(|spanned| &spanned.at)
}

/// A mapping leads to schemas of the document.
fn discriminator(document: &Document, schema: &Schema, problems: &mut Vec<Problem>) {
    let Some(discriminator) = &schema.discriminator else {
        return;
    };
    for target in discriminator.mapping.values() {
        let name = target
            .value
            .strip_prefix("#/components/schemas/")
            .unwrap_or(&target.value);
        if document.schema(name).is_some() {
            continue;
        }
        let help = match closest(name, document.schemas.keys().map(String::as_str)) {
            Some(close) => format!("did you mean `#/components/schemas/{close}`?"),
            None => "write `#/components/schemas/NAME`".to_owned(),
        };
        let message = format!(
            "`{}` is no schema of this document",
            target.value.escape_debug()
        );
        problems.push(Problem::error(
            "discriminator-mapping",
            &target.at,
            message,
            help,
        ));
    }
    if schema.one_of.is_empty()
        && schema.any_of.is_empty()
        && !schema.properties.contains_key(&discriminator.property)
    {
        let shown = discriminator.property.escape_debug();
        let message = format!("the discriminator `{shown}` is no property of this schema");
        let help = "add the property and require it, or list the alternatives in `oneOf`";
        problems.push(Problem::warning(
            "discriminator-property",
            &discriminator.at,
            message,
            help,
        ));
    }
}
