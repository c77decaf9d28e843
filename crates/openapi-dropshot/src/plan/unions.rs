//! Plans `oneOf` and `anyOf`: one of several types. An enumeration may be written as a `oneOf` so
//! that each value has a description; it is still planned as an enumeration.

use super::{
    Planner, find,
    ir::{Choice, Kind, Part, Ty, Union, Variant, Word},
    value,
};
use crate::{
    names::{Names, pascal},
    rules,
};
use openapi_dropshot_contract::model::{Discriminator, SCHEMAS, Schema, Type};
use std::collections::BTreeSet;

impl<'a> Planner<'a> {
    /// Returns whether a schema has alternatives.
    pub(super) fn is_union(&self, schema: &'a Schema) -> bool {
        let mut parts = schema.one_of.iter().chain(&schema.any_of);
        parts.any(|part| !self.is_free(part) || part.nullable)
    }

    /// Plans the type for a schema with alternatives.
    pub(super) fn union(&mut self, schema: &'a Schema, wanted: &str) -> Kind {
        let (keyword, parts) = match schema.one_of.is_empty() {
            true => ("anyOf", &schema.any_of),
            false => ("oneOf", &schema.one_of),
        };
        if keyword == "oneOf"
            && schema.discriminator.is_none()
            && matches!(value(&schema.types), None | Some(Type::String))
            && let Some(words) = self.described_words(parts)
        {
            self.only(schema, "an enumeration", &["oneOf"]);
            return Kind::Words(words);
        }
        self.only(schema, "alternatives", &[keyword, "discriminator"]);
        let tag = common_tag(parts);
        let mut names = Names::default();
        let mut variants: Vec<Variant> = Vec::new();
        for part in parts {
            let name = names.claim(&name_of(part, tag));
            let ty = self.use_of_part(part, &format!("{wanted}{name}"), "an alternative");
            // The struct of an inline schema already has its title and description.
            let is_inline = part.reference.is_none() && part.all_of.is_empty();
            let is_struct = matches!(&ty, Ty::Named(name)
                if find(&self.items, name).is_none_or(|item| matches!(item.kind, Kind::Struct(_))));
            let described = Some(part).filter(|_| !is_inline || !is_struct);
            variants.push(Variant {
                title: described.and_then(|part| part.title.clone()),
                description: described.and_then(|part| part.description.clone()),
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
            instance: value(&schema.types),
        })
    }

    /// Finds the discriminator values of each alternative.
    fn tags(
        &mut self,
        discriminator: &Discriminator,
        parts: &'a [Schema],
        variants: &mut [Variant],
    ) {
        let components: Vec<Option<&str>> = parts.iter().map(Schema::component).collect();
        let written = (self.document.as_written()).pointer("/components/schemas");
        for (part, variant) in parts.iter().zip(variants.iter_mut()) {
            if let Some(component) = part.component() {
                // A name that was created for the normal form is not a name in the document.
                if written.is_some_and(|written| written.get(component).is_some()) {
                    variant.tags.push(component.to_owned());
                }
            } else {
                let message = "a `discriminator` identifies alternatives by the names of their components, but this alternative is not a component";
                let help = "give the schema a name in `components.schemas`, and refer to it; or remove `discriminator`";
                self.reject(&rules::UNSUPPORTED_DISCRIMINATOR, &part.at, message, help);
            }
        }
        for (value, target) in &discriminator.mapping {
            let component = target.value.strip_prefix(SCHEMAS).unwrap_or(&target.value);
            let place = components.iter().position(|own| *own == Some(component));
            if let Some(variant) = place.and_then(|place| variants.get_mut(place)) {
                if !variant.tags.contains(value) {
                    variant.tags.push(value.clone());
                }
            } else {
                let message = format!("`{}` is not one of the alternatives", target.value);
                let help = "write the name of a component that is one of the alternatives";
                self.reject(&rules::UNSUPPORTED_DISCRIMINATOR, &target.at, message, help);
            }
        }
        for (part, variant) in parts.iter().zip(variants.iter()) {
            if variant.tags.is_empty() && part.component().is_some() {
                let message = "the `discriminator` has no value for this alternative";
                let help = "give the schema a name in `components.schemas`, and refer to it";
                self.reject(&rules::UNSUPPORTED_DISCRIMINATOR, &part.at, message, help);
            }
        }
        let mut seen = BTreeSet::new();
        for tag in variants.iter().flat_map(|variant| &variant.tags) {
            if !seen.insert(tag) {
                let message = format!("`{tag}` names two alternatives");
                let at = &discriminator.at;
                let help = "give each alternative its own value in `mapping`";
                self.reject(&rules::UNSUPPORTED_DISCRIMINATOR, at, message, help);
            }
        }
    }

    /// Returns the values of an enumeration of strings that is written as alternatives; `None` if
    /// the alternatives are not of this kind, or if two of them have the same value.
    fn described_words(&self, parts: &'a [Schema]) -> Option<Vec<Word>> {
        let mut names = Names::default();
        let mut seen = BTreeSet::new();
        let mut words = Vec::new();
        for (index, part) in parts.iter().enumerate() {
            let is_plain = value(&part.types) == Some(Type::String)
                && self.says_only(part, &["enum"])
                && part.default.is_none()
                && !part.nullable
                && !part.read_only
                && !part.write_only;
            let values = part.enumeration.as_ref().filter(|_| is_plain)?;
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
}

/// Returns the component that a part extends.
fn extended(part: &Schema) -> Option<&str> {
    let reference = part.all_of.first()?.reference.as_ref()?;
    Some(reference.value.as_str())
}

/// Finds the property that distinguishes the alternatives: each alternative requires it and allows
/// only one value for it.
fn common_tag(parts: &[Schema]) -> Option<&str> {
    let mut names = parts.first()?.properties.keys().map(String::as_str);
    names.find(|name| parts.iter().all(|part| tag_of(part, name).is_some()))
}

/// Returns the only value that a part allows for a property.
fn tag_of<'s>(part: &'s Schema, property: &str) -> Option<&'s str> {
    only_value(part.properties.get(property)?)
}

/// Returns the only string that a schema allows.
fn only_value(schema: &Schema) -> Option<&str> {
    match schema.enumeration.as_deref() {
        Some([only]) => only.as_str(),
        _ => None,
    }
}

/// Chooses the name of an alternative.
fn name_of(part: &Schema, tag: Option<&str>) -> String {
    let is_only = part.properties.len() == 1;
    let property = part.properties.keys().next().filter(|_| is_only);
    let names = [
        tag.and_then(|tag| tag_of(part, tag)),
        part.title.as_deref(),
        part.component(),
        extended(part),
        only_value(part),
        property.map(String::as_str),
    ];
    if let Some(name) = names.into_iter().flatten().next() {
        return pascal(name);
    }
    match value(&part.types) {
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
