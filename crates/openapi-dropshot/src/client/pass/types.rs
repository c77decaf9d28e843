//! Adds to the types of the document their documentation and their deprecation, and makes them accept what a later
//! document adds.

use super::{
    Pass, deprecated_attribute, derives, described, docs, enums,
    kinds::{Kind, implements, self_ident, wire_name},
    nullable::{self, NullFields},
    part_deprecation,
    requests::Request,
};
use crate::{
    client::names::{Named, folded},
    docs::{code, harmless},
    lifecycle::DeprecationNote,
};
use openapi_dropshot_contract::model::Schema;
use quote::{format_ident, quote};
use std::collections::{BTreeMap, BTreeSet};
use syn::{
    Attribute, Fields, Ident, ImplItem, Item, ItemImpl, LitStr, parse_quote, visit_mut::VisitMut,
};

/// The properties of a type, by name.
type Properties<'a> = BTreeMap<String, &'a Schema>;

impl<'a> Pass<'a> {
    /// Rewrites the items of the module `types`.
    ///
    /// # Errors
    ///
    /// A deprecation of the document has no field.
    pub(super) fn types(
        &self,
        mut items: Vec<Item>,
        requests: &[Request<'_>],
    ) -> Result<Vec<Item>, String> {
        self.tagged_unions(&mut items)?;
        let nulls = self.keep_null(&mut items);
        let mut deprecated = BTreeSet::new();
        let mut rewritten = Vec::new();
        let sent = self.sent(requests, &items);
        for item in items {
            match item {
                Item::Struct(mut object) => {
                    let properties = self.document_type(&object.ident, &mut object.attrs);
                    if let Fields::Named(_) = &object.fields {
                        object.attrs.push(parse_quote!(#[non_exhaustive]));
                        self.document_fields(&mut object.fields, &properties, &mut deprecated);
                        nulls.document(&object.ident, &mut object.fields);
                    }
                    let constructor = sent.contains(&object.ident.to_string());
                    let constructor = constructor.then(|| self.constructor(&object)).flatten();
                    rewritten.push(Item::Struct(object));
                    rewritten.extend(constructor);
                }
                Item::Enum(mut choice) => {
                    let properties = self.document_type(&choice.ident, &mut choice.attrs);
                    choice.attrs.push(parse_quote!(#[non_exhaustive]));
                    for variant in &mut choice.variants {
                        let text = harmless(&documentation(&variant.attrs));
                        let name = code(&wire_name(&variant.attrs, &variant.ident));
                        let text = if text.trim().is_empty() { name } else { text };
                        describe(&mut variant.attrs, text, None, String::new());
                        self.document_fields(&mut variant.fields, &properties, &mut deprecated);
                    }
                    match self.kind(&choice.ident) {
                        Some(Kind::Choice(values)) => {
                            let example = self.variant_example(&choice.ident, values);
                            let docs = docs(["The value as it is sent.", &example]);
                            rewritten.extend(enums::open(choice, values, &docs));
                        }
                        _ => rewritten.push(Item::Enum(choice)),
                    }
                }
                Item::Impl(block) if self.is_replaced(&block) => {}
                Item::Impl(mut block) => {
                    self.document_builder_entry(&mut block);
                    rewritten.push(Item::Impl(block));
                }
                Item::Mod(mut module) => {
                    if module.ident == "builder"
                        && let Some((_, items)) = &mut module.content
                    {
                        for item in items.iter_mut() {
                            self.builder_of_type(item, &nulls);
                        }
                        name_builders(items);
                    }
                    for item in module.content.iter_mut().flat_map(|(_, items)| items) {
                        match item {
                            Item::Struct(error) if module.ident == "error" => {
                                let text = harmless(&documentation(&error.attrs));
                                let example = self.example_with_argument(
                                    &quote!(types::error::ConversionError),
                                    &quote!(println!("{value}");),
                                );
                                describe(&mut error.attrs, text, None, example);
                            }
                            _ => {}
                        }
                    }
                    rewritten.push(Item::Mod(module));
                }
                other => rewritten.push(other),
            }
        }
        derives::derive(&mut rewritten);
        for named in self.names.values() {
            for (name, schema) in self.properties(named.schema, 0) {
                if schema.deprecated && !deprecated.contains(schema.at.pointer.as_str()) {
                    let owner = &named.name;
                    return Err(format!(
                        "no field carries the deprecation of `{name}` of `{owner}`"
                    ));
                }
            }
        }
        Ok(rewritten)
    }

    /// Returns the properties of a schema and of the parts of its `allOf`.
    pub(super) fn properties(&self, schema: &'a Schema, depth: usize) -> Properties<'a> {
        let mut properties = Properties::new();
        let resolved = self.document.resolve(schema);
        if let Some(schema) = resolved.filter(|_| depth <= self.document.schemas.len()) {
            let own = schema.properties.iter();
            properties.extend(own.map(|(name, property)| (name.clone(), property)));
            for part in &schema.all_of {
                properties.extend(self.properties(part, depth + 1));
            }
        }
        properties
    }

    fn named(&self, ident: &Ident) -> Option<&'a Named<'a>> {
        self.names.get(&folded(&ident.to_string()))
    }

    pub(super) fn properties_of(&self, ident: &Ident) -> Properties<'a> {
        self.named(ident)
            .map(|named| self.properties(named.schema, 0))
            .unwrap_or_default()
    }

    /// Documents a type with the description of its schema, and returns its properties.
    fn document_type(&self, ident: &Ident, attributes: &mut Vec<Attribute>) -> Properties<'a> {
        let mut deprecation = None;
        let text = match self.named(ident) {
            Some(named) => {
                // The deprecation of a property is documented at its field.
                let deprecated = named.schema.deprecated && !named.inline;
                deprecation = part_deprecation(deprecated, &named.schema.extensions);
                match described(named.description) {
                    own if own.is_empty() => format!("`{}`", named.name),
                    own => own,
                }
            }
            None => harmless(&documentation(attributes)),
        };
        describe(
            attributes,
            text,
            deprecation.as_ref(),
            self.type_example(ident),
        );
        self.properties_of(ident)
    }

    fn document_fields(
        &self,
        fields: &mut Fields,
        properties: &Properties<'a>,
        deprecated: &mut BTreeSet<&'a str>,
    ) {
        for field in fields {
            let Some(ident) = &field.ident else { continue };
            let wire = wire_name(&field.attrs, ident);
            let property = properties.get(&wire).copied();
            deprecated.extend(
                property
                    .filter(|schema| schema.deprecated)
                    .map(|schema| schema.at.pointer.as_str()),
            );
            self.document_property(&mut field.attrs, &wire, property, String::new());
        }
    }

    /// Documents a field or a setter with the description of its property.
    fn document_property(
        &self,
        attributes: &mut Vec<Attribute>,
        wire: &str,
        property: Option<&'a Schema>,
        example: String,
    ) {
        let description = property.and_then(|schema| {
            let own = schema.description.as_deref();
            own.or_else(|| self.document.resolve(schema)?.description.as_deref())
        });
        let text = description.map_or_else(|| code(wire), |text| described(Some(text)));
        let deprecation =
            property.and_then(|schema| part_deprecation(schema.deprecated, &schema.extensions));
        describe(attributes, text, deprecation.as_ref(), example);
    }

    /// Returns whether [`enums::open`] replaces this implementation.
    fn is_replaced(&self, block: &ItemImpl) -> bool {
        let kind = self_ident(block).and_then(|ident| self.kind(ident));
        matches!(kind, Some(Kind::Choice(_)))
            && (implements(block, "Display") || implements(block, "FromStr"))
    }

    fn variant_example(&self, ident: &Ident, values: &[(String, Ident)]) -> String {
        let checks = values.iter().take(1);
        let checks = checks
            .map(|(text, variant)| quote!(assert_eq!(types::#ident::#variant.as_str(), #text);));
        self.example_code("", &checks.collect(), "")
    }

    /// Documents `fn builder()` of a struct.
    fn document_builder_entry(&self, block: &mut ItemImpl) {
        let Some(owner) = self_ident(block).cloned() else {
            return;
        };
        for item in &mut block.items {
            if let ImplItem::Fn(method) = item
                && method.sig.ident == "builder"
            {
                let text = format!("Builds a value of [`{owner}`] field by field.");
                describe(&mut method.attrs, text, None, self.type_example(&owner));
            }
        }
    }

    /// Documents an item of the module `builder`, and uses the names of the document in its messages.
    fn builder_of_type(&self, item: &mut Item, nulls: &NullFields) {
        match item {
            Item::Struct(builder) => {
                let owner = &builder.ident;
                let text = format!(
                    "Builds a value of [`{owner}`](super::{owner}) field by field; `build` ends it."
                );
                describe(&mut builder.attrs, text, None, self.type_example(owner));
                builder
                    .attrs
                    .push(parse_quote!(#[must_use = "a builder is no value: call `build`, or hand it to `body`"]));
            }
            Item::Impl(block) => {
                let Some(owner) = self_ident(block).cloned() else {
                    return;
                };
                let properties = self.properties_of(&owner);
                if block.trait_.is_none() {
                    self.setters(&owner, block, &properties, nulls);
                    block.items.extend(self.build(&owner));
                } else {
                    Messages(&properties).visit_item_impl_mut(block);
                }
            }
            _ => {}
        }
    }

    fn setters(
        &self,
        owner: &Ident,
        block: &mut ItemImpl,
        properties: &Properties<'a>,
        nulls: &NullFields,
    ) {
        for item in &mut block.items {
            let ImplItem::Fn(method) = item else { continue };
            let field = method.sig.ident.clone();
            let wire = wire_of(&field.to_string(), properties);
            let property = properties.get(&wire).copied();
            let example = self.field_example(owner, &field);
            self.document_property(&mut method.attrs, &wire, property, example);
            let message = format!("`{wire}` is not valid: {{e}}");
            // `None` was given, so it is `null`.
            let given = nulls.contains(owner, &field).then(|| quote!(.map(Some)));
            if given.is_some() {
                nullable::document_setter(&mut method.attrs);
            }
            method.block = parse_quote!({
                self.#field = value.try_into()#given.map_err(|e| format!(#message));
                self
            });
        }
    }
}

/// Names each builder after its type and what it is. The compiler prints the name where a value of the type is expected, and
/// `expected NewBook, found NewBookBuilder` shows that `build` is missing; a second `NewBook` would not. The earlier name
/// stays as an alias.
fn name_builders(items: &mut Vec<Item>) {
    let mut taken = BTreeSet::new();
    for item in &*items {
        if let Item::Struct(builder) = item {
            taken.insert(builder.ident.clone());
        }
    }
    *items = std::mem::take(items)
        .into_iter()
        .flat_map(|item| match item {
            Item::Struct(mut builder) => {
                let (short, long) = (
                    builder.ident.clone(),
                    format_ident!("{}Builder", builder.ident),
                );
                if taken.contains(&long) {
                    return vec![Item::Struct(builder)];
                }
                builder.ident = long.clone();
                let text = docs([format!("The builder of [`{short}`](super::{short}).")]);
                let alias = parse_quote! {
                    #text
                    pub type #short = #long;
                };
                vec![Item::Struct(builder), alias]
            }
            other => vec![other],
        })
        .collect();
}

/// Returns the name of a field in the document.
fn wire_of(field: &str, properties: &Properties<'_>) -> String {
    let mut names = properties.keys();
    let name = names.find(|name| folded(name) == folded(field));
    name.map_or(field, String::as_str).to_owned()
}

/// Rewrites the messages about fields that are not set.
struct Messages<'p>(&'p Properties<'p>);

impl VisitMut for Messages<'_> {
    fn visit_lit_str_mut(&mut self, text: &mut LitStr) {
        if let Some(field) = text.value().strip_prefix("no value supplied for ") {
            let wire = wire_of(field, self.0);
            let message = format!("`{wire}` is required: set it with `{field}`");
            *text = LitStr::new(&message, text.span());
        }
    }
}

/// Replaces the documentation of an item, and deprecates it.
fn describe(
    attributes: &mut Vec<Attribute>,
    text: String,
    deprecation: Option<&DeprecationNote>,
    example: String,
) {
    let sentence = deprecation.map(|note| note.sentence.clone());
    let docs = docs([text, sentence.unwrap_or_default(), example]);
    let deprecated = deprecation.map(deprecated_attribute);
    attributes.retain(|attribute| !attribute.path().is_ident("doc"));
    let others = attributes.iter();
    let item: syn::ItemStruct = parse_quote!(#docs #(#others)* #deprecated struct Holder;);
    *attributes = item.attrs;
}

/// Returns the documentation that typify gave an item, unchanged.
fn documentation(attributes: &[Attribute]) -> String {
    let mut text = String::new();
    for attribute in attributes {
        if attribute.path().is_ident("doc")
            && let syn::Meta::NameValue(pair) = &attribute.meta
            && let syn::Expr::Lit(line) = &pair.value
            && let syn::Lit::Str(line) = &line.lit
        {
            text.push_str(&line.value());
            text.push('\n');
        }
    }
    text
}
