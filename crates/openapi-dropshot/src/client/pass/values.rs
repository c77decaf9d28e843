//! Writes the values of the document's examples in Rust, for the type that is needed. Values that take more than a line
//! or two are left out.

use super::enums;
use super::kinds::{Kind, argument_of, is_parsed, is_string, kind_of, name_of};
use crate::client::names::{Names, folded};
use openapi_dropshot_contract::model::{Document, Node, NodeKind, Parameter, RequestBody, Schema};
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};
use std::collections::BTreeMap;
use syn::{Item, parse_quote};

/// How deep values are written inside others.
const DEEPEST: usize = 4;

/// The types that values are written for.
pub(super) struct Values<'a> {
    document: &'a Document,
    names: &'a Names<'a>,
    kinds: BTreeMap<String, Kind>,
}

impl<'a> Values<'a> {
    pub(super) fn new(document: &'a Document, names: &'a Names<'a>, types: &[Item]) -> Self {
        let open = enums::open_enums(types);
        let mut kinds = BTreeMap::new();
        for item in types {
            let (ident, kind) = match item {
                Item::Enum(choice) => {
                    let values = open.get(&choice.ident.to_string());
                    (
                        &choice.ident,
                        values.map(|values| Kind::Choice(enums::pairs(values))),
                    )
                }
                Item::Struct(object) => (&object.ident, kind_of(object, types)),
                _ => continue,
            };
            kinds.extend(kind.map(|kind| (ident.to_string(), kind)));
        }
        Values {
            document,
            names,
            kinds,
        }
    }

    /// The example of a parameter, for a setter.
    pub(super) fn of_parameter(
        &self,
        parameter: &'a Parameter,
        target: &syn::Type,
    ) -> Option<TokenStream> {
        let own = parameter.examples.first();
        let example = own.or_else(|| self.example(parameter.schema.as_ref()?))?;
        self.taken(example, target, 0)
    }

    /// The example of a body, for its setter.
    pub(super) fn of_body(&self, body: &'a RequestBody, target: &syn::Type) -> Option<TokenStream> {
        let media = body.content.first()?;
        let own = media.examples.first();
        let example = own.or_else(|| self.example(media.schema.as_ref()?))?;
        self.taken(example, target, 0)
    }

    /// The fields of the builder of a type, set one after the other.
    pub(super) fn fields(&self, of: &syn::Type) -> Option<TokenStream> {
        let ident = name_of(of)?;
        let example = self.example(self.names.get(&folded(&ident.to_string()))?.schema)?;
        self.object(&ident, example, 0)
    }

    /// A value of a type of the document, with the type that it has.
    pub(super) fn of_type(&self, ident: &syn::Ident) -> Option<TokenStream> {
        if let Some(Kind::Choice(values)) = self.kinds.get(&ident.to_string()) {
            let (text, _) = values.first()?;
            return Some(quote!(#text.parse()?));
        }
        let example = self.example_of_type(ident)?;
        match self.kinds.get(&ident.to_string())? {
            Kind::Object(_) => {
                let fields = self.object(ident, example, 0)?;
                Some(quote!(types::#ident::builder()#fields.try_into()?))
            }
            Kind::Text => {
                let text = example.as_str()?;
                Some(quote!(#text.parse()?))
            }
            _ => self.exact(example, &parse_quote!(#ident), 0),
        }
    }

    /// The first value of an enumeration, and its text.
    pub(super) fn variant(&self, ident: &syn::Ident) -> Option<(&syn::Ident, &str)> {
        match self.kinds.get(&ident.to_string())? {
            Kind::Choice(values) => values
                .first()
                .map(|(text, variant)| (variant, text.as_str())),
            Kind::Text | Kind::List(_) | Kind::Object(_) => None,
        }
    }

    /// The value of a field of a type, for the setter of its builder.
    pub(super) fn field(&self, owner: &syn::Ident, field: &syn::Ident) -> Option<TokenStream> {
        let Kind::Object(fields) = self.kinds.get(&owner.to_string())? else {
            return None;
        };
        let field = fields.iter().find(|known| known.name == *field)?;
        let example = self.example_of_type(owner)?.get(&field.wire)?;
        self.taken(example, &field.target, 0)
    }

    /// Whether setting a property causes a deprecation warning.
    fn is_deprecated(&self, owner: &syn::Ident, wire: &str) -> bool {
        let named = self.names.get(&folded(&owner.to_string()));
        named.is_some_and(|named| deprecated_in(self.document, named.schema, wire, 0))
    }

    fn example_of_type(&self, ident: &syn::Ident) -> Option<&'a Node> {
        let schema = self.names.get(&folded(&ident.to_string()))?.schema;
        self.example(schema).or_else(|| {
            // The type of a parameter has the example of that.
            let operations = self.document.operations.iter();
            let mut parameters = operations.flat_map(|operation| &operation.parameters);
            let is_it = |parameter: &&'a Parameter| {
                parameter
                    .schema
                    .as_ref()
                    .is_some_and(|own| own.at == schema.at)
            };
            parameters.find(is_it)?.examples.first()
        })
    }

    /// The example of a schema, or a value that it has to accept.
    fn example(&self, schema: &'a Schema) -> Option<&'a Node> {
        let resolved = self.document.resolve(schema)?;
        resolved
            .example
            .as_ref()
            .or(resolved.default.as_ref())
            .or_else(|| resolved.enumeration.as_ref()?.first())
    }

    /// A value for a setter, which turns it into the type by itself.
    fn taken(&self, example: &Node, target: &syn::Type, depth: usize) -> Option<TokenStream> {
        if let Some(inner) = argument_of(target, "Option") {
            return self.exact(example, &inner, depth);
        }
        let kind = name_of(target).and_then(|ident| {
            let kind = self.kinds.get(&ident.to_string())?;
            Some((ident, kind))
        });
        match kind {
            Some((_, Kind::Text)) => example.as_str().map(ToTokens::into_token_stream),
            Some((ident, Kind::Object(_))) if depth < DEEPEST => {
                let fields = self.object(&ident, example, depth)?;
                Some(quote!(types::#ident::builder()#fields))
            }
            _ if is_string(target) => example.as_str().map(ToTokens::into_token_stream),
            _ => self.exact(example, target, depth),
        }
    }

    /// A value of exactly this type.
    fn exact(&self, example: &Node, target: &syn::Type, depth: usize) -> Option<TokenStream> {
        if depth >= DEEPEST {
            return None;
        }
        if let Some(inner) = argument_of(target, "Option") {
            let value = self.exact(example, &inner, depth)?;
            return Some(quote!(Some(#value)));
        }
        if let Some(inner) = argument_of(target, "Vec") {
            return self.list(example, &inner, depth);
        }
        let text = target.to_token_stream().to_string();
        match &example.kind {
            NodeKind::Bool(value) if text == "bool" => Some(value.into_token_stream()),
            NodeKind::Number(number) => number_of(number, &text),
            NodeKind::String(value) if is_string(target) => Some(quote!(#value.to_owned())),
            NodeKind::String(value) if is_parsed(&text) => Some(quote!(#value.parse::<#target>()?)),
            _ => {
                let ident = name_of(target)?;
                match self.kinds.get(&ident.to_string())? {
                    Kind::Choice(values) => {
                        let value = example.as_str()?;
                        let (_, variant) = values.iter().find(|(text, _)| text == value)?;
                        Some(quote!(types::#ident::#variant))
                    }
                    Kind::Text => {
                        let value = example.as_str()?;
                        Some(quote!(#value.parse::<types::#ident>()?))
                    }
                    Kind::List(inner) => {
                        let list = self.list(example, inner, depth)?;
                        Some(quote!(types::#ident::from(#list)))
                    }
                    Kind::Object(_) => {
                        let fields = self.object(&ident, example, depth)?;
                        Some(quote!(types::#ident::try_from(types::#ident::builder()#fields)?))
                    }
                }
            }
        }
    }

    fn list(&self, example: &Node, inner: &syn::Type, depth: usize) -> Option<TokenStream> {
        let items = example.as_array()?.iter();
        let items: Option<Vec<_>> = items
            .map(|item| self.exact(item, inner, depth + 1))
            .collect();
        let items = items?;
        Some(quote!(vec![#(#items),*]))
    }

    /// The setters of an object, in the order of its example. What the type
    /// has no field for is left out; a required field without a value is none.
    fn object(&self, ident: &syn::Ident, example: &Node, depth: usize) -> Option<TokenStream> {
        let Kind::Object(fields) = self.kinds.get(&ident.to_string())? else {
            return None;
        };
        let members = example.as_object()?;
        let mut set = TokenStream::new();
        for (wire, member) in members {
            let Some(field) = fields.iter().find(|known| known.wire == *wire) else {
                continue;
            };
            let name = &field.name;
            if field.optional && self.is_deprecated(ident, wire) {
                continue;
            }
            match self.taken(&member.value, &field.target, depth + 1) {
                Some(value) => set.extend(quote!(.#name(#value))),
                None if field.optional => {}
                None => return None,
            }
        }
        let complete = fields
            .iter()
            .all(|field| field.optional || members.contains_key(&field.wire));
        complete.then_some(set)
    }
}

fn deprecated_in(document: &Document, schema: &Schema, wire: &str, depth: usize) -> bool {
    let Some(schema) = document.resolve(schema).filter(|_| depth < DEEPEST) else {
        return false;
    };
    let own = schema.properties.get(wire);
    let mut parts = schema.all_of.iter();
    own.is_some_and(|own| own.deprecated)
        || parts.any(|part| deprecated_in(document, part, wire, depth + 1))
}

fn number_of(number: &serde_json::Number, target: &str) -> Option<TokenStream> {
    if matches!(target, "f32" | "f64") {
        let value = number.as_f64()?;
        let digits = Literal::f64_unsuffixed(value.abs());
        return Some(if value < 0.0 {
            quote!(-#digits)
        } else {
            quote!(#digits)
        });
    }
    let signed = matches!(target, "i8" | "i16" | "i32" | "i64");
    if !signed && !matches!(target, "u8" | "u16" | "u32" | "u64") {
        return None;
    }
    if let Some(value) = number.as_u64() {
        return Some(Literal::u64_unsuffixed(value).into_token_stream());
    }
    let digits = Literal::u64_unsuffixed(number.as_i64()?.unsigned_abs());
    signed.then(|| quote!(-#digits))
}
