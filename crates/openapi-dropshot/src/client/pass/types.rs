//! Adds documentation and deprecation to the types of the document, and makes them accept additions of
//! later documents.

use super::{
    Pass, change_derives, described, docs_of_part,
    kinds::{Kind, Null, argument_of, implements, name_of, self_ident, wire_name},
    part_deprecation,
    requests::Request,
};
use crate::{
    client::names::{Named, folded},
    docs::{code, harmless, one_line},
    lifecycle::DeprecationNote,
};
use openapi_dropshot_contract::{model::Schema, reached};
use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use std::collections::{BTreeMap, BTreeSet};
use syn::{
    Attribute, Fields, Ident, ImplItem, Item, ItemImpl, ItemMod, LitStr, Path, parse_quote,
    visit_mut::VisitMut,
};

/// The properties of a type, by name.
type Properties<'a> = BTreeMap<String, &'a Schema>;

/// The names of all types that the fields of each type contain.
type Contents = BTreeMap<String, BTreeSet<String>>;

/// The module `types`, and the modules inside of it.
#[derive(Default)]
pub(super) struct Types {
    code: TokenStream,
    pub(super) builders: Option<TokenStream>,
    pub(super) error: Option<TokenStream>,
    pub(super) defaults: Option<TokenStream>,
}

impl Types {
    /// Returns the code of the module, which declares the others.
    pub(super) fn root(&self) -> TokenStream {
        let builders = self.builders.iter().map(|_| quote! { pub mod builder; });
        let error = self.error.iter().map(|_| quote! { pub mod error; });
        let defaults = self.defaults.iter().map(|_| quote! { mod defaults; });
        let code = &self.code;
        quote!(#(#builders)* #(#defaults)* #(#error)* #code)
    }
}

impl<'a> Pass<'a> {
    /// Writes the module `types`.
    ///
    /// # Errors
    ///
    /// A deprecation of the document has no field.
    pub(super) fn types(
        &self,
        mut items: Vec<Item>,
        requests: &[Request<'_>],
    ) -> Result<Types, String> {
        self.unions(&mut items)?;
        let repeated = self.repeated(&mut items);
        let contents: Contents = items.iter().filter_map(contents).collect();
        let sent = self.sent(requests, &contents);
        let traits = Traits::of(&contents);
        let mut deprecated = BTreeSet::new();
        let mut types = Types::default();
        for item in items {
            match item {
                Item::Struct(mut object) => {
                    let ident = &object.ident;
                    self.document_type(ident, &mut object.attrs);
                    traits.derive(ident, &mut object.attrs);
                    let fields = self.fields(ident);
                    if fields.is_some() {
                        object.attrs.push(parse_quote!(#[non_exhaustive]));
                    }
                    let constructor = fields.filter(|_| sent.contains(&ident.to_string()));
                    let constructor = constructor.map(|fields| self.constructor(ident, fields));
                    for (field, known) in object.fields.iter_mut().zip(fields.unwrap_or_default()) {
                        let note = match known.null {
                            Null::Outside => {
                                "`None` means that the member is absent, `Some(None)` that it is `null`."
                            }
                            Null::Collection => {
                                "`None` means that the member is absent; an empty value is sent."
                            }
                            Null::Plain | Null::Inside => "",
                        };
                        if known.null == Null::Collection {
                            let wire = &known.wire;
                            (field.attrs).retain(|attribute| !attribute.path().is_ident("serde"));
                            field.attrs.push(parse_quote! {
                                #[serde(rename = #wire, skip_serializing_if = "::std::option::Option::is_none")]
                            });
                        }
                        if known.null != Null::Plain {
                            field.attrs.push(parse_quote! {
                                #[serde(default, deserialize_with = "::openapi_dropshot_client::generated::present")]
                            });
                        }
                        if known.null.is_wrapped() {
                            let target = &field.ty;
                            field.ty = parse_quote!(::std::option::Option<#target>);
                        }
                        let (attributes, wire) = (&mut field.attrs, &known.wire);
                        let property = known.property;
                        self.document_property(attributes, wire, property, note, &mut deprecated);
                    }
                    if let Some(fields) = fields {
                        let builders = types.builders.get_or_insert_default();
                        builders.extend(self.builder_of_type(ident, fields));
                    }
                    let list = match self.kind(ident) {
                        Some(Kind::List(_)) => list_items(ident, &object.fields),
                        _ => None,
                    };
                    types.code.extend(quote!(#object #constructor #list));
                }
                Item::Enum(mut choice) => {
                    self.document_type(&choice.ident, &mut choice.attrs);
                    let properties = self.properties_of(&choice.ident);
                    let named = self.named(&choice.ident);
                    let is_catalogue = named.is_some_and(|named| {
                        named.schema.extensions.contains_key("x-error-catalogue")
                    });
                    traits.derive(&choice.ident, &mut choice.attrs);
                    choice.attrs.push(parse_quote!(#[non_exhaustive]));
                    for variant in &mut choice.variants {
                        let text = harmless(&documentation(&variant.attrs));
                        let wire = wire_name(&variant.attrs, &variant.ident);
                        let is_empty = text.trim().is_empty();
                        let text = if is_empty { code(&wire) } else { text };
                        let catalogued = self.words_of_code(&wire).filter(|_| is_catalogue);
                        let text = catalogued.unwrap_or(text);
                        describe(&mut variant.attrs, &text, None, "");
                        for field in &mut variant.fields {
                            let Some(ident) = &field.ident else { continue };
                            let wire = wire_name(&field.attrs, ident);
                            let property = properties.get(&wire).copied();
                            let attributes = &mut field.attrs;
                            self.document_property(
                                attributes,
                                &wire,
                                property,
                                "",
                                &mut deprecated,
                            );
                        }
                    }
                    types.code.extend(match self.kind(&choice.ident) {
                        Some(Kind::Choice(values)) => self.open_enum(choice, values),
                        _ => choice.into_token_stream(),
                    });
                }
                // A macro of the toolkit writes it.
                Item::Impl(block) if starts_builder(&block) => {}
                Item::Impl(block) => types.code.extend(self.with_described_pattern(block)),
                Item::Mod(ItemMod { ident, content, .. }) => {
                    let items = content.map(|(_, items)| items).unwrap_or_default();
                    match ident.to_string().as_str() {
                        "error" => types.error = Some(self.error_module(items)),
                        "defaults" => types.defaults = Some(quote!(#(#items)*)),
                        // Builders are written from the fields.
                        _ => {}
                    }
                }
                other => other.to_tokens(&mut types.code),
            }
        }
        types.code.extend(repeated);
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
        Ok(types)
    }

    /// Returns the names of the types that requests contain. A later document adds no required members to them, because
    /// that breaks every client.
    fn sent(&self, requests: &[Request<'_>], contents: &Contents) -> BTreeSet<String> {
        let bodies = requests.iter().filter_map(|request| request.body.as_ref());
        let bodies = bodies.filter_map(|body| Some(name_of(&body.target)?.to_string()));
        let forms = requests.iter().filter_map(|request| self.form_of(request));
        let parts = forms.flat_map(|(_, properties)| properties);
        let parts = parts.filter_map(|property| Some(self.type_ident(property.each)?.to_string()));
        reached(bodies.chain(parts), |name| {
            contents.get(name).into_iter().flatten().cloned()
        })
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

    pub(super) fn named(&self, ident: &Ident) -> Option<&'a Named<'a>> {
        self.names.get(&folded(&ident.to_string()))
    }

    pub(super) fn properties_of(&self, ident: &Ident) -> Properties<'a> {
        self.named(ident)
            .map(|named| self.properties(named.schema, 0))
            .unwrap_or_default()
    }

    /// Documents a type with the description of its schema.
    fn document_type(&self, ident: &Ident, attributes: &mut Vec<Attribute>) {
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
        let example = self.type_example(ident);
        describe(attributes, &text, deprecation.as_ref(), &example);
    }

    /// Documents a field with the description of its property and a note.
    fn document_property(
        &self,
        attributes: &mut Vec<Attribute>,
        wire: &str,
        property: Option<&'a Schema>,
        note: &str,
        deprecated: &mut BTreeSet<&'a str>,
    ) {
        let marked = property.filter(|schema| schema.deprecated);
        deprecated.extend(marked.map(|schema| schema.at.pointer.as_str()));
        let (text, deprecation) = self.words_of_property(wire, property);
        describe(attributes, &text, deprecation.as_ref(), note);
    }

    /// Returns the description of a property, and its deprecation.
    pub(super) fn words_of_property(
        &self,
        wire: &str,
        property: Option<&'a Schema>,
    ) -> (String, Option<DeprecationNote>) {
        let description = property.and_then(|schema| {
            let own = schema.description.as_deref();
            own.or_else(|| self.document.resolve(schema)?.description.as_deref())
        });
        let text = description.map_or_else(|| code(wire), |text| described(Some(text)));
        let deprecation =
            property.and_then(|schema| part_deprecation(schema.deprecated, &schema.extensions));
        (text, deprecation)
    }

    /// Replaces the message that shows a pattern with one from the text of the document: the paragraph of the description that begins
    /// with "The value", or else the example.
    fn with_described_pattern(&self, mut block: ItemImpl) -> TokenStream {
        struct Message(String);
        impl VisitMut for Message {
            fn visit_lit_str_mut(&mut self, text: &mut LitStr) {
                if text.value().starts_with("doesn't match pattern") {
                    *text = LitStr::new(&self.0, text.span());
                }
            }
        }
        if implements(&block, "FromStr")
            && let Some(owner) = self_ident(&block).cloned()
            && let Some(named) = self.named(&owner)
        {
            let paragraphs = named.description.unwrap_or_default().split("\n\n");
            let mut about = paragraphs.filter_map(|text| text.trim().strip_prefix("The value "));
            let example = named.examples.first().and_then(|example| example.as_str());
            let message = match (about.next(), example) {
                (Some(about), _) => format!("a valid value {}", one_line(about)),
                (None, Some(example)) => {
                    format!("a valid value has the form of `{example}`")
                }
                (None, None) => {
                    format!("the documentation of `{owner}` describes the form of a valid value")
                }
            };
            Message(message).visit_item_impl_mut(&mut block);
        }
        block.into_token_stream()
    }

    /// Documents the error in the module `error`.
    fn error_module(&self, mut items: Vec<Item>) -> TokenStream {
        for item in &mut items {
            if let Item::Struct(error) = item {
                let text = harmless(&documentation(&error.attrs));
                let example = self.example_with_argument(
                    &quote!(types::error::ConversionError),
                    &quote!(println!("{value}");),
                );
                describe(&mut error.attrs, &text, None, &example);
            }
        }
        quote!(#(#items)*)
    }
}

/// Allows `for` over a list and over a reference to one.
fn list_items(ident: &Ident, fields: &Fields) -> Option<TokenStream> {
    let list = &fields.iter().next()?.ty;
    let item = argument_of(list, "Vec")?;
    Some(quote! {
        impl ::std::iter::IntoIterator for #ident {
            type Item = #item;
            type IntoIter = ::std::vec::IntoIter<#item>;

            fn into_iter(self) -> Self::IntoIter {
                self.0.into_iter()
            }
        }

        impl<'a> ::std::iter::IntoIterator for &'a #ident {
            type Item = &'a #item;
            type IntoIter = ::std::slice::Iter<'a, #item>;

            fn into_iter(self) -> Self::IntoIter {
                self.0.iter()
            }
        }
    })
}

/// Returns whether a block has the function that starts the builder of a type.
fn starts_builder(block: &ItemImpl) -> bool {
    let mut items = block.items.iter();
    block.trait_.is_none()
        && items.any(|item| matches!(item, ImplItem::Fn(method) if method.sig.ident == "builder"))
}

/// Finds the types that cannot have the traits for comparing and hashing values: those with numbers of the types `f32` and
/// `f64`, and with values of any type.
struct Traits {
    not_eq: BTreeSet<String>,
    not_hash: BTreeSet<String>,
}

impl Traits {
    fn of(contents: &Contents) -> Self {
        Traits {
            not_eq: containing(contents, &["f32", "f64"]),
            not_hash: containing(contents, &["f32", "f64", "Value", "Map"]),
        }
    }

    /// Lets a type derive `Eq` and `Hash` if it can. A setting of progenitor adds `PartialEq` to each type.
    fn derive(&self, ident: &Ident, attributes: &mut [Attribute]) {
        let name = ident.to_string();
        let derived = [
            Some("Eq").filter(|_| !self.not_eq.contains(&name)),
            Some("Hash").filter(|_| !self.not_hash.contains(&name)),
        ];
        change_derives(attributes, |paths| {
            for name in derived.into_iter().flatten() {
                if !paths.iter().any(|path| path.is_ident(name)) {
                    paths.push(Path::from(crate::names::ident(name)));
                }
            }
        });
    }
}

/// The name of a type, and the names of all types that its fields contain.
fn contents(item: &Item) -> Option<(String, BTreeSet<String>)> {
    let (ident, fields): (_, Vec<&Fields>) = match item {
        Item::Struct(object) => (&object.ident, vec![&object.fields]),
        Item::Enum(choice) => {
            let fields = choice.variants.iter().map(|variant| &variant.fields);
            (&choice.ident, fields.collect())
        }
        _ => return None,
    };
    let mut names = BTreeSet::new();
    for field in fields.into_iter().flatten() {
        add_names(field.ty.to_token_stream(), &mut names);
    }
    Some((ident.to_string(), names))
}

/// Adds the identifiers in a type.
fn add_names(target: TokenStream, names: &mut BTreeSet<String>) {
    for token in target {
        match token {
            TokenTree::Ident(ident) => drop(names.insert(ident.to_string())),
            TokenTree::Group(group) => add_names(group.stream(), names),
            _ => {}
        }
    }
}

/// The types that contain one of these, directly or in another type.
fn containing(contents: &Contents, these: &[&str]) -> BTreeSet<String> {
    let mut found: BTreeSet<String> = these.iter().map(ToString::to_string).collect();
    loop {
        let more: Vec<&String> = contents
            .iter()
            .filter(|(name, parts)| !found.contains(*name) && !parts.is_disjoint(&found))
            .map(|(name, _)| name)
            .collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more.into_iter().cloned());
    }
}

/// Replaces the documentation of an item, and deprecates it.
fn describe(
    attributes: &mut Vec<Attribute>,
    first: &str,
    deprecation: Option<&DeprecationNote>,
    last: &str,
) {
    let (docs, deprecated) = docs_of_part(first, deprecation, &[last]);
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
