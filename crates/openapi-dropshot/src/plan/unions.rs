//! Plans `oneOf` and `anyOf`, one of several types. An enumeration that is written as
//! one `oneOf`, so that each value has a description, stays an enumeration.

use super::{
    Planner,
    ir::{Choice, Home, Kind, Part, Ty, Union, Variant, Word},
};
use crate::names::{Names, pascal};
use openapi_dropshot_contract::{
    Problem,
    model::{Discriminator, Node, Schema, Type},
};
use std::collections::BTreeSet;

/// The place of component schemas, for `discriminator.mapping`.
const SCHEMAS: &str = "#/components/schemas/";

/// Whether a schema is made of alternatives.
pub(super) fn is_union(schema: &Schema) -> bool {
    let parts = || schema.one_of.iter().chain(&schema.any_of);
    parts().next().is_some() && !parts().all(|part| Planner::is_free(part) && !part.nullable)
}

impl<'a> Planner<'a> {
    /// The type of alternatives.
    pub(super) fn union(&mut self, schema: &'a Schema, wanted: &str, home: Home) -> Kind {
        let (keyword, parts) = if schema.one_of.is_empty() {
            ("anyOf", &schema.any_of)
        } else {
            ("oneOf", &schema.one_of)
        };
        if keyword == "oneOf"
            && schema.discriminator.is_none()
            && schema
                .types
                .as_ref()
                .is_none_or(|kind| kind.value == Type::String)
            && let Some(words) = described_words(parts)
        {
            self.only(schema, "an enumeration", &["oneOf"]);
            return Kind::Words(words);
        }
        self.only(schema, "alternatives", &[keyword, "discriminator"]);
        let tag = common_tag(parts);
        let mut names = Names::default();
        let mut variants: Vec<Variant> = Vec::new();
        for part in parts {
            self.no_default(part, "an alternative");
            let name = names.claim(&name_of(part, tag));
            let ty = self.use_of(part, &format!("{wanted}{name}"), home);
            let inline = part.reference.is_none() && part.all_of.is_empty();
            variants.push(Variant {
                // An inline item has these words itself.
                title: part.title.clone().filter(|_| !(inline && is_item(&ty))),
                description: part
                    .description
                    .clone()
                    .filter(|_| !(inline && is_item(&ty))),
                name,
                ty,
                tags: Vec::new(),
            });
        }
        let choice = match &schema.discriminator {
            Some(discriminator) => {
                self.tags(discriminator, parts, &mut variants);
                Choice::Tag(discriminator.property.clone())
            }
            None if keyword == "oneOf" => Choice::One,
            None => Choice::Any,
        };
        Kind::Union(Union {
            variants,
            choice,
            instance: schema.types.as_ref().map(|types| types.value),
        })
    }

    /// Which values of the discriminator name which alternative.
    fn tags(
        &mut self,
        discriminator: &Discriminator,
        parts: &'a [Schema],
        variants: &mut [Variant],
    ) {
        for (part, variant) in parts.iter().zip(variants.iter_mut()) {
            match referred(part) {
                Some(component) => variant.tags.push(component.to_owned()),
                None => self.problems.push(Problem::error(
                    "unsupported-discriminator",
                    &part.at,
                    "a `discriminator` names alternatives by their components, but this alternative is not a component",
                    "give the schema a name in `components.schemas`, and refer to it; or remove `discriminator`",
                )),
            }
        }
        for (value, target) in &discriminator.mapping {
            let component = target.value.strip_prefix(SCHEMAS).unwrap_or(&target.value);
            let found = variants
                .iter_mut()
                .find(|variant| variant.tags.first().is_some_and(|name| name == component));
            match found {
                Some(variant) if !variant.tags.contains(value) => variant.tags.push(value.clone()),
                Some(_) => {}
                None => self.problems.push(Problem::error(
                    "unsupported-discriminator",
                    &target.at,
                    format!("`{}` is none of the alternatives", target.value),
                    "write the name of a component that is listed there",
                )),
            }
        }
        let mut seen = BTreeSet::new();
        for tag in variants.iter().flat_map(|variant| &variant.tags) {
            if !seen.insert(tag) {
                self.problems.push(Problem::error(
                    "unsupported-discriminator",
                    &discriminator.at,
                    format!("`{tag}` names two alternatives"),
                    "give each alternative a value of its own in `mapping`",
                ));
            }
        }
    }
}

/// Whether the type is an item that was made of the schema itself.
fn is_item(ty: &Ty) -> bool {
    matches!(ty, Ty::Named(_))
}

/// The component that a part refers to.
fn referred(part: &Schema) -> Option<&str> {
    let reference = match (&part.reference, part.all_of.as_slice()) {
        (Some(reference), _) => Some(reference),
        (None, [only]) => only.reference.as_ref(),
        _ => None,
    };
    reference.map(|reference| reference.value.as_str())
}

/// The values of an enumeration of strings that is written as alternatives; `None`
/// for other alternatives, and if two of them have the same value.
fn described_words(parts: &[Schema]) -> Option<Vec<Word>> {
    let mut names = Names::default();
    let mut seen = BTreeSet::new();
    let mut words = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let plain = part
            .types
            .as_ref()
            .is_some_and(|kind| kind.value == Type::String)
            && part.format.is_none()
            && part.min_length.is_none()
            && part.max_length.is_none()
            && part.pattern.is_none()
            && part.all_of.is_empty()
            && part.one_of.is_empty()
            && part.any_of.is_empty()
            && part.not.is_none()
            && part.default.is_none()
            && !part.nullable
            && !part.read_only
            && !part.write_only;
        let values = part.enumeration.as_ref().filter(|_| plain)?;
        for value in values {
            let value = value.as_str().filter(|value| seen.insert(*value))?;
            words.push(Word {
                variant: names.claim(&pascal(value)),
                value: value.to_owned(),
                part: Some(Part {
                    index,
                    title: part.title.clone(),
                    description: part.description.clone(),
                }),
            });
        }
    }
    Some(words)
}

/// The property that distinguishes the alternatives: each of them requires it and
/// allows only one value for it.
fn common_tag(parts: &[Schema]) -> Option<&str> {
    let first = parts.first()?;
    first
        .properties
        .keys()
        .map(String::as_str)
        .find(|name| parts.iter().all(|part| word_of(part, name).is_some()))
}

/// The only value that a part allows for a property.
fn word_of<'s>(part: &'s Schema, property: &str) -> Option<&'s str> {
    let values = part.properties.get(property)?.enumeration.as_ref()?;
    match values.as_slice() {
        [only] => only.as_str(),
        _ => None,
    }
}

/// The name of an alternative.
fn name_of(part: &Schema, tag: Option<&str>) -> String {
    let only = |values: &'_ [Node]| match values {
        [only] => only.as_str().map(pascal),
        _ => None,
    };
    if let Some(word) = tag.and_then(|tag| word_of(part, tag)) {
        return pascal(word);
    }
    if let Some(title) = &part.title {
        return pascal(title);
    }
    if let Some(component) = referred(part) {
        return pascal(component);
    }
    if let Some(name) = part.enumeration.as_deref().and_then(only) {
        return name;
    }
    if part.properties.len() == 1
        && let Some((name, _)) = part.properties.first()
    {
        return pascal(name);
    }
    match part.types.as_ref().map(|types| types.value) {
        Some(Type::Boolean) => "Boolean",
        Some(Type::Integer) => "Integer",
        Some(Type::Number) => "Number",
        Some(Type::String) => "Text",
        Some(Type::Array) => "List",
        Some(Type::Object) => "Object",
        None => "Other",
    }
    .to_owned()
}
