//! Writes the values of the document's examples in Rust, for the type that is needed. Values that take more than a line
//! or two are left out.

use super::{
    Pass,
    kinds::{Field, Kind, argument_of, is_string, name_of},
};
use crate::client::names::folded;
use openapi_dropshot_contract::model::{Node, NodeKind, Schema};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Ident, Type, parse_quote};

/// How deep values are written inside others.
const DEEPEST: usize = 4;

impl<'a> Pass<'a> {
    /// Writes a value for a setter of this type, from the first of these examples or from that of the schema.
    pub(super) fn value_for_setter(
        &self,
        examples: &'a [Node],
        schema: Option<&'a Schema>,
        target: &Type,
    ) -> Option<TokenStream> {
        let example = examples.first().or_else(|| self.example(schema?))?;
        self.convertible(example, target, 0)
    }

    /// Writes the calls of the setters of the builder of a type.
    pub(super) fn fields_of(&self, target: &Type) -> Option<TokenStream> {
        let ident = name_of(target)?;
        self.object(&ident, self.example_of_type(&ident)?, 0)
    }

    /// Writes a value of a type of the document, if its kind is known.
    pub(super) fn value_of_type(&self, ident: &Ident) -> Option<TokenStream> {
        let kind = self.kind(ident)?;
        if let Kind::Choice(values) = kind {
            let (text, _) = values.first()?;
            return Some(quote!(#text.parse()?));
        }
        let example = self.example_of_type(ident)?;
        match kind {
            Kind::Text => {
                let text = example.as_str()?;
                Some(quote!(#text.parse()?))
            }
            Kind::Object(known) => {
                let fields = self.object(ident, example, 0)?;
                let end = match known.iter().any(|field| field.name == "build") {
                    true => quote!(.try_into()?),
                    false => quote!(.build()?),
                };
                Some(quote!(types::#ident::builder()#fields #end))
            }
            _ => self.exact(example, &parse_quote!(types::#ident), 0),
        }
    }

    /// Returns how values of a type of the document are written.
    pub(super) fn kind(&self, ident: &Ident) -> Option<&Kind<'a>> {
        self.kinds.get(&folded(&ident.to_string()))
    }

    fn example_of_type(&self, ident: &Ident) -> Option<&'a Node> {
        let named = self.named(ident)?;
        self.example(named.schema)
            .or_else(|| named.examples.first())
    }

    /// The example of a schema, or a value that it has to accept.
    fn example(&self, schema: &'a Schema) -> Option<&'a Node> {
        let resolved = self.document.resolve(schema)?;
        let own = resolved.examples.first().or(resolved.default.as_ref());
        own.or_else(|| resolved.enumeration.as_ref()?.first())
    }

    /// A value for a setter, which turns it into the type by itself.
    fn convertible(&self, example: &Node, target: &Type, depth: usize) -> Option<TokenStream> {
        if let Some(inner) = argument_of(target, "Option") {
            return self.exact(example, &inner, depth);
        }
        let ident = name_of(target);
        match ident.as_ref().and_then(|ident| self.kind(ident)) {
            Some(Kind::Object(_)) if depth < DEEPEST => {
                let fields = self.object(ident.as_ref()?, example, depth)?;
                Some(quote!(types::#ident::builder()#fields))
            }
            Some(Kind::Text) => example.as_str().map(ToTokens::into_token_stream),
            None if is_string(target) => example.as_str().map(ToTokens::into_token_stream),
            _ => self.exact(example, target, depth),
        }
    }

    /// A value of exactly this type.
    fn exact(&self, example: &Node, target: &Type, depth: usize) -> Option<TokenStream> {
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
        let Some(ident) = name_of(target) else {
            return plain(example, target);
        };
        match self.kind(&ident)? {
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

    fn list(&self, example: &Node, inner: &Type, depth: usize) -> Option<TokenStream> {
        let items = example.as_array()?.iter();
        let items: Option<Vec<_>> = items
            .map(|item| self.exact(item, inner, depth + 1))
            .collect();
        let items = items?;
        Some(quote!(vec![#(#items),*]))
    }

    /// Writes the calls of the setters of an object, in the order of its example. Members without a field and
    /// deprecated fields are left out. Returns `None` if a required field has no value.
    fn object(&self, ident: &Ident, example: &Node, depth: usize) -> Option<TokenStream> {
        let fields = self.fields(ident)?;
        let members = example.as_object()?;
        let mut set = TokenStream::new();
        for (wire, member) in members {
            let Some(field) = fields.iter().find(|known| known.wire == *wire) else {
                continue;
            };
            if field.optional && field.property.is_some_and(|schema| schema.deprecated) {
                continue;
            }
            let name = &field.name;
            match self.convertible(&member.value, &field.target, depth + 1) {
                Some(value) => set.extend(quote!(.#name(#value))),
                None if field.optional => {}
                None => return None,
            }
        }
        let is_set = |field: &Field<'_>| field.optional || members.contains_key(&field.wire);
        fields.iter().all(is_set).then_some(set)
    }
}

/// Writes a value of a type that is not from the document.
fn plain(example: &Node, target: &Type) -> Option<TokenStream> {
    let text = target.to_token_stream().to_string();
    match &example.kind {
        NodeKind::Bool(value) if text == "bool" => Some(value.into_token_stream()),
        NodeKind::Number(number) => match text.as_str() {
            "f32" | "f64" => format!("{:?}", number.as_f64()?).parse().ok(),
            "u8" | "u16" | "u32" | "u64" if !number.is_u64() => None,
            "i8" | "i16" | "i32" | "i64" if !number.is_i64() => None,
            _ if text.starts_with(['i', 'u']) => number.to_string().parse().ok(),
            _ => None,
        },
        NodeKind::String(value) if is_string(target) => Some(quote!(#value.to_owned())),
        // Types of other crates whose values are parsed from text.
        NodeKind::String(value) => [":: chrono ::", ":: uuid ::", ":: std :: net ::"]
            .iter()
            .any(|place| text.starts_with(place))
            .then(|| quote!(#value.parse::<#target>()?)),
        _ => None,
    }
}
