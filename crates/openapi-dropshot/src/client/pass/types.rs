//! Adds to the types of the document their documentation, their deprecation, and room for what a later document adds.

use super::{
    Surprise, deprecate, described, docs, documentation, enums, examples::Examples, messages,
    part_note, part_since, requests::self_ident, set_docs,
};
use crate::client::names::{Names, folded};
use crate::docs::{code, harmless};
use openapi_dropshot_contract::model::{Document, Schema};
use std::collections::{BTreeMap, BTreeSet};
use syn::{Attribute, Field, Fields, ImplItem, Item, ItemImpl, ItemMod, parse_quote};

/// The inputs of the pass over the types, and the deprecations that it has met so far.
struct Context<'a> {
    document: &'a Document,
    names: &'a Names<'a>,
    examples: &'a Examples<'a>,
    deprecated_met: BTreeSet<String>,
}

/// Rewrites the items of the module `types`.
pub(super) fn types(
    document: &Document,
    names: &Names<'_>,
    items: Vec<Item>,
    examples: &Examples<'_>,
) -> Result<Vec<Item>, Surprise> {
    let open = enums::open_enums(&items);
    let mut context = Context {
        document,
        names,
        examples,
        deprecated_met: BTreeSet::new(),
    };
    let mut rewritten = Vec::new();
    for item in items {
        match item {
            Item::Struct(mut object) => {
                let properties = context.document_type(&object.ident, &mut object.attrs);
                if let Fields::Named(fields) = &mut object.fields {
                    object.attrs.push(parse_quote!(#[non_exhaustive]));
                    fields
                        .named
                        .iter_mut()
                        .for_each(|field| context.field(field, &properties));
                }
                rewritten.push(Item::Struct(object));
            }
            Item::Enum(mut choice) => {
                let properties = context.document_type(&choice.ident, &mut choice.attrs);
                choice.attrs.push(parse_quote!(#[non_exhaustive]));
                for variant in &mut choice.variants {
                    let wire = enums::wire_name(&variant.attrs)
                        .unwrap_or_else(|| variant.ident.to_string());
                    document_part(&mut variant.attrs, &wire);
                    variant
                        .fields
                        .iter_mut()
                        .for_each(|field| context.field(field, &properties));
                }
                match open.get(&choice.ident.to_string()) {
                    Some(values) => {
                        let mut paragraphs = vec!["The value as it is sent.".to_owned()];
                        paragraphs.extend(examples.as_str(&choice.ident));
                        rewritten.extend(enums::open(choice, values, &docs(&paragraphs)));
                    }
                    None => rewritten.push(Item::Enum(choice)),
                }
            }
            Item::Impl(block) if replaced(&block, &open) => {}
            Item::Impl(mut block) => {
                context.builder_entry(&mut block);
                rewritten.push(Item::Impl(block));
            }
            Item::Mod(mut module) => {
                if module.ident == "builder" {
                    context.builders(&mut module)?;
                }
                if module.ident == "error" {
                    context.conversion_error(&mut module);
                }
                rewritten.push(Item::Mod(module));
            }
            other => rewritten.push(other),
        }
    }
    context.all_deprecated_were_met()?;
    Ok(rewritten)
}

/// Whether [`enums::open`] replaces this implementation.
fn replaced(block: &ItemImpl, open: &BTreeMap<String, Vec<enums::Value>>) -> bool {
    let is_open = self_ident(block).is_some_and(|ident| open.contains_key(&ident.to_string()));
    let name = block
        .trait_
        .as_ref()
        .and_then(|(_, path, _)| path.segments.last())
        .map(|last| last.ident.to_string());
    is_open && matches!(name.as_deref(), Some("Display" | "FromStr"))
}

/// Documents a part; without a description, by its name in the document.
fn document_part(attributes: &mut Vec<Attribute>, wire: &str) {
    let text = harmless(&documentation(attributes));
    let text = if text.trim().is_empty() {
        code(wire)
    } else {
        text
    };
    set_docs(attributes, &[text]);
}

/// A message of a builder, with the names of the document.
fn reworded(text: &str, properties: &BTreeMap<String, &Schema>) -> Option<String> {
    let name_of = |field: &str| {
        let property = properties.keys().find(|name| folded(name) == folded(field));
        property.cloned().unwrap_or_else(|| field.to_owned())
    };
    if let Some(field) = text.strip_prefix("no value supplied for ") {
        return Some(format!(
            "`{}` is required: set it with `{field}`",
            name_of(field)
        ));
    }
    let field = text
        .strip_prefix("error converting supplied value for ")?
        .strip_suffix(": {e}")?;
    Some(format!("`{}` is not valid: {{e}}", name_of(field)))
}

impl<'a> Context<'a> {
    /// `fn builder()` of a struct.
    fn builder_entry(&self, block: &mut ItemImpl) {
        let Some(owner) = self_ident(block).cloned() else {
            return;
        };
        for item in &mut block.items {
            if let ImplItem::Fn(method) = item
                && method.sig.ident == "builder"
            {
                let mut paragraphs = vec![format!("Builds a value of [`{owner}`] field by field.")];
                paragraphs.extend(self.examples.of_type(&owner));
                set_docs(&mut method.attrs, &paragraphs);
            }
        }
    }

    /// Documents the error of a value that a type rejects.
    fn conversion_error(&self, module: &mut ItemMod) {
        let items = module.content.iter_mut().flat_map(|(_, items)| items);
        for item in items {
            if let Item::Struct(error) = item {
                let mut paragraphs = vec![harmless(&documentation(&error.attrs))];
                paragraphs.extend(self.examples.conversion_error());
                set_docs(&mut error.attrs, &paragraphs);
            }
        }
    }

    /// Documents a type with the description of its schema, and returns its properties.
    fn document_type(
        &self,
        ident: &syn::Ident,
        attributes: &mut Vec<Attribute>,
    ) -> BTreeMap<String, &'a Schema> {
        let Some(named) = self.names.get(&folded(&ident.to_string())) else {
            let mut paragraphs = vec![harmless(&documentation(attributes))];
            paragraphs.extend(self.examples.of_type(ident));
            set_docs(attributes, &paragraphs);
            return BTreeMap::new();
        };
        let own = described(named.description);
        let mut paragraphs = vec![if own.is_empty() {
            format!("`{}`", named.name)
        } else {
            own
        }];
        // A property that is deprecated carries it itself.
        if named.schema.deprecated && !named.inline {
            let note = part_note(&named.schema.extensions);
            paragraphs.push(format!("Deprecated; {note}."));
            deprecate(
                attributes,
                part_since(&named.schema.extensions).as_deref(),
                &note,
            );
        }
        paragraphs.extend(self.examples.of_type(ident));
        set_docs(attributes, &paragraphs);
        let mut properties = BTreeMap::new();
        self.collect(named.schema, &mut properties, 0);
        properties
    }

    /// The properties of a schema, those of its parts included.
    fn collect(
        &self,
        schema: &'a Schema,
        properties: &mut BTreeMap<String, &'a Schema>,
        depth: usize,
    ) {
        let Some(schema) = self
            .document
            .resolve(schema)
            .filter(|_| depth <= self.document.schemas.len())
        else {
            return;
        };
        for (name, property) in &schema.properties {
            properties.insert(name.clone(), property);
        }
        for part in &schema.all_of {
            self.collect(part, properties, depth + 1);
        }
    }

    fn field(&mut self, field: &mut Field, properties: &BTreeMap<String, &'a Schema>) {
        let Some(ident) = field.ident.as_ref().map(ToString::to_string) else {
            return;
        };
        let wire = enums::wire_name(&field.attrs).unwrap_or_else(|| ident.clone());
        let property = properties.get(&wire).copied();
        set_docs(&mut field.attrs, &self.property_docs(&wire, property));
        if let Some(schema) = property.filter(|schema| schema.deprecated) {
            self.deprecated_met.insert(schema.at.pointer.clone());
            deprecate(
                &mut field.attrs,
                part_since(&schema.extensions).as_deref(),
                &part_note(&schema.extensions),
            );
        }
    }

    fn property_docs(&self, wire: &str, property: Option<&'a Schema>) -> Vec<String> {
        let description = property.and_then(|schema| {
            schema
                .description
                .as_deref()
                .or_else(|| self.document.resolve(schema)?.description.as_deref())
        });
        let mut paragraphs =
            vec![description.map_or_else(|| code(wire), |text| described(Some(text)))];
        if let Some(schema) = property.filter(|schema| schema.deprecated) {
            paragraphs.push(format!("Deprecated; {}.", part_note(&schema.extensions)));
        }
        paragraphs
    }

    /// The builders of structs.
    fn builders(&self, module: &mut ItemMod) -> Result<(), Surprise> {
        let Some((_, items)) = &mut module.content else {
            return Err(Surprise("the module `types::builder` is empty".to_owned()));
        };
        for item in items {
            match item {
                Item::Struct(builder) => {
                    let owner = &builder.ident;
                    let text = format!(
                        "Builds a value of [`{owner}`](super::{owner}) field by field; `try_into` ends it."
                    );
                    let mut paragraphs = vec![text];
                    paragraphs.extend(self.examples.of_type(owner));
                    set_docs(&mut builder.attrs, &paragraphs);
                    builder
                        .attrs
                        .push(parse_quote!(#[must_use = "a builder does nothing by itself"]));
                }
                Item::Impl(block) => {
                    let mut properties = BTreeMap::new();
                    if let Some(named) = self_ident(block)
                        .and_then(|ident| self.names.get(&folded(&ident.to_string())))
                    {
                        self.collect(named.schema, &mut properties, 0);
                    }
                    for item in &mut block.items {
                        if let ImplItem::Fn(method) = item {
                            messages::reword(method, |text| reworded(text, &properties));
                        }
                    }
                    if block.trait_.is_none() {
                        self.builder_setters(block, &properties);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn builder_setters(&self, block: &mut ItemImpl, properties: &BTreeMap<String, &'a Schema>) {
        let owner = self_ident(block).cloned();
        for item in &mut block.items {
            let ImplItem::Fn(method) = item else { continue };
            let ident = method.sig.ident.to_string();
            let entry = properties
                .iter()
                .find(|(name, _)| folded(name) == folded(&ident));
            let (wire, property) = entry.map_or((ident.as_str(), None), |(name, schema)| {
                (name.as_str(), Some(*schema))
            });
            let mut paragraphs = self.property_docs(wire, property);
            paragraphs.extend(
                owner
                    .iter()
                    .flat_map(|owner| self.examples.field(owner, method)),
            );
            set_docs(&mut method.attrs, &paragraphs);
            if let Some(schema) = property.filter(|schema| schema.deprecated) {
                deprecate(
                    &mut method.attrs,
                    part_since(&schema.extensions).as_deref(),
                    &part_note(&schema.extensions),
                );
            }
        }
    }

    /// Reports a deprecation that no field carries, because it would be lost.
    fn all_deprecated_were_met(&self) -> Result<(), Surprise> {
        for named in self.names.values() {
            let mut properties = BTreeMap::new();
            self.collect(named.schema, &mut properties, 0);
            for (name, schema) in properties {
                if schema.deprecated && !self.deprecated_met.contains(&schema.at.pointer) {
                    return Err(Surprise(format!(
                        "no field carries the deprecation of `{name}` of `{}`",
                        named.name
                    )));
                }
            }
        }
        Ok(())
    }
}
