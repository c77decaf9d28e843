//! Keeps absent members and `null` apart in objects whose members may be both: `Option<Option<T>>`. typify makes one
//! `Option` of them, so that `null` could not be sent, and would be left out of what was received.

use super::{
    Pass,
    kinds::{argument_of, wire_name},
};
use quote::quote;
use std::collections::BTreeSet;
use syn::{
    Attribute, Field, Fields, GenericArgument, Ident, Item, Meta, PathArguments, Token, Type,
    parse_quote, punctuated::Punctuated,
};

/// The fields with two `Option`s: the type and the field.
#[derive(Default)]
pub(super) struct NullFields(BTreeSet<(String, String)>);

impl NullFields {
    pub(super) fn contains(&self, owner: &Ident, field: &Ident) -> bool {
        self.0.contains(&(owner.to_string(), field.to_string()))
    }

    /// Says at each field what its two `Option`s mean.
    pub(super) fn document(&self, owner: &Ident, fields: &mut Fields) {
        for field in fields {
            if (field.ident.as_ref()).is_some_and(|name| self.contains(owner, name)) {
                add_paragraph(
                    &mut field.attrs,
                    "`None` means that the member is absent, `Some(None)` that it is `null`.",
                );
            }
        }
    }
}

/// Says at a setter what `None` means.
pub(super) fn document_setter(attributes: &mut Vec<Attribute>) {
    add_paragraph(
        attributes,
        "`None` is sent as `null`. The member is absent if it is not set at all.",
    );
}

/// Adds a paragraph to the documentation of an item, before its example.
fn add_paragraph(attributes: &mut Vec<Attribute>, text: &str) {
    let is_doc = |attribute: &Attribute| attribute.path().is_ident("doc");
    let is_code =
        |attribute: &Attribute| is_doc(attribute) && quote!(#attribute).to_string().contains("```");
    let end = attributes.iter().position(is_code);
    let end = end.or_else(|| Some(attributes.iter().rposition(is_doc)? + 1));
    let end = end.unwrap_or_default();
    let lines = [String::new(), format!(" {text}")];
    let mut lines: Vec<Attribute> = lines
        .iter()
        .map(|line| parse_quote!(#[doc = #line]))
        .collect();
    if attributes.get(end).is_some_and(is_code) {
        lines.remove(0);
        lines.push(parse_quote!(#[doc = ""]));
    }
    attributes.splice(end..end, lines);
}

impl Pass<'_> {
    /// Changes the fields of the types and of their builders.
    pub(super) fn keep_null(&self, items: &mut [Item]) -> NullFields {
        let wrappers = items.iter().filter_map(null_wrapper);
        let wrappers: BTreeSet<String> = wrappers.collect();
        let mut changed = NullFields::default();
        for item in items.iter_mut() {
            let Item::Struct(object) = item else { continue };
            let properties = self.properties_of(&object.ident);
            for field in &mut object.fields {
                let Some(name) = &field.ident else { continue };
                let property = properties.get(&wire_name(&field.attrs, name));
                if !property.is_some_and(|schema| self.document.allows_null(schema))
                    || !is_left_out(&field.attrs)
                {
                    continue;
                }
                let Some(inner) = argument_of(&field.ty, "Option") else {
                    continue;
                };
                field.attrs.push(parse_quote! {
                    #[serde(default, deserialize_with = "::openapi_dropshot_client::generated::present")]
                });
                if !last_word(&inner)
                    .is_some_and(|word| word == "Value" || wrappers.contains(&word))
                {
                    changed
                        .0
                        .insert((object.ident.to_string(), name.to_string()));
                    wrap(field);
                }
            }
        }
        for item in items {
            if let Item::Mod(module) = item
                && module.ident == "builder"
            {
                for item in module.content.iter_mut().flat_map(|(_, items)| items) {
                    let Item::Struct(builder) = item else {
                        continue;
                    };
                    let owner = builder.ident.clone();
                    for field in &mut builder.fields {
                        if (field.ident.as_ref()).is_some_and(|name| changed.contains(&owner, name))
                        {
                            wrap_first_argument(&mut field.ty);
                        }
                    }
                }
            }
        }
        changed
    }
}

/// The name of a type that is `null` or a value by itself.
fn null_wrapper(item: &Item) -> Option<String> {
    let Item::Struct(object) = item else {
        return None;
    };
    let Fields::Unnamed(fields) = &object.fields else {
        return None;
    };
    argument_of(&fields.unnamed.first()?.ty, "Option")?;
    Some(object.ident.to_string())
}

/// Returns whether `None` is left out of what is sent.
fn is_left_out(attributes: &[Attribute]) -> bool {
    let mut own = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("serde"));
    own.any(|attribute| {
        let words = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
        words.is_ok_and(|words| {
            words
                .iter()
                .any(|word| word.path().is_ident("skip_serializing_if"))
        })
    })
}

fn last_word(target: &Type) -> Option<String> {
    let Type::Path(path) = target else {
        return None;
    };
    path.path.segments.last().map(|last| last.ident.to_string())
}

fn wrap(field: &mut Field) {
    let target = &field.ty;
    field.ty = parse_quote!(::std::option::Option<#target>);
}

/// Wraps the `T` of `Result<T, String>`.
fn wrap_first_argument(target: &mut Type) {
    if let Type::Path(path) = target
        && let Some(last) = path.path.segments.last_mut()
        && let PathArguments::AngleBracketed(arguments) = &mut last.arguments
        && let Some(GenericArgument::Type(inner)) = arguments.args.first_mut()
    {
        *inner = parse_quote!(::std::option::Option<#inner>);
    }
}
