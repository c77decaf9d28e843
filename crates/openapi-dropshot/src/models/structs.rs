//! Writes objects with known members, and types that give another type a name.

use super::{
    metadata,
    types::{Shapes, View, rust, tokens},
};
use crate::{
    names::{ident, snake},
    plan::{
        Plan, defaults,
        ir::{Direction, Field, Item, Others, Presence, Scalar, Struct, Ty},
        is_exact, is_text,
    },
};
use proc_macro2::TokenStream;
use quote::quote;

/// A struct, its members, and the functions of its defaults.
pub(super) fn object(
    plan: &Plan<'_>,
    item: &Item,
    object: &Struct,
    shapes: &mut Shapes,
) -> TokenStream {
    let name = ident(&item.name);
    let (docs, schema) = (item.docs.attributes(), metadata::container(item));
    let mut functions = Vec::new();
    let mut fields = Vec::new();
    for field in &object.fields {
        let default = default_function(plan, item, field);
        fields.push(member(
            field,
            default.as_ref().map(|(path, _)| path.as_str()),
            shapes,
        ));
        functions.extend(default.map(|(_, code)| code));
    }
    let mut rules = vec![quote!(remote = "Self")];
    match &object.others {
        Others::Ignored => {}
        Others::Rejected => rules.push(quote!(deny_unknown_fields)),
        Others::Collected(field, of) => fields.push(others(field, of, shapes)),
    }
    quote! {
        #docs
        #[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
        #[serde(#(#rules),*)]
        #schema
        pub struct #name {
            #(#fields)*
        }

        #(#functions)*
    }
}

/// The members that the document does not name.
fn others(field: &str, of: &Ty, shapes: &mut Shapes) -> TokenStream {
    let name = ident(field);
    let map = Ty::Map(Box::new(of.clone()));
    let (ty, shape) = (rust(&map, View::Models), shapes.schema(&map));
    let with = (ty != shape).then(|| quote!(#[schemars(with = #shape)]));
    let ty = tokens(&ty);
    quote! {
        #[doc = " The members that have no name in the document."]
        #[serde(flatten)]
        #with
        pub #name: #ty,
    }
}

/// The path and the code of the function that makes the default of a member;
/// none where the type has the same default by itself.
fn default_function(plan: &Plan<'_>, item: &Item, field: &Field) -> Option<(String, TokenStream)> {
    let Presence::Default(default) = &field.presence else {
        return None;
    };
    let path = format!(
        "default_{}_{}",
        snake(&item.name),
        field.name.trim_end_matches('_')
    );
    let (name, ty) = (ident(&path), tokens(&rust(&field.ty, View::Models)));
    let value = defaults::value(&plan.items, &field.ty, default)?;
    Some((path, quote!(fn #name() -> #ty { #value })))
}

fn member(field: &Field, default: Option<&str>, shapes: &mut Shapes) -> TokenStream {
    let docs = field.docs.clone();
    let docs = if field.deprecated {
        docs.with_note("Deprecated.")
    } else {
        docs
    };
    let docs = match field.direction {
        Direction::Both => docs,
        Direction::Responses => {
            docs.with_note("Sent in responses only; a request does not need it.")
        }
        Direction::Requests => docs.with_note("Sent in requests only; leave it out of responses."),
    };
    let mut serde = Vec::new();
    let mut schema = Vec::new();
    if field.wire != field.name {
        let wire = &field.wire;
        serde.push(quote!(rename = #wire));
    }
    let plain = rust(&field.ty, View::Models);
    let (ty, mut shape) = match (&field.presence, default) {
        (Presence::Default(_), Some(path)) => {
            serde.push(quote!(default = #path));
            (plain.clone(), shapes.schema(&field.ty))
        }
        (Presence::Required, _) => {
            if matches!(field.ty, Ty::Nullable(_)) {
                serde.push(quote!(
                    deserialize_with = "openapi_dropshot_types::members::nullable"
                ));
            }
            (plain.clone(), shapes.required(&field.ty))
        }
        (Presence::Optional | Presence::Default(_), _) => {
            serde.push(quote!(default));
            serde.push(quote!(
                deserialize_with = "openapi_dropshot_types::members::present"
            ));
            serde.push(quote!(skip_serializing_if = "Option::is_none"));
            (format!("Option<{plain}>"), shapes.schema(&field.ty))
        }
    };
    if field.deprecated {
        shape = shapes.deprecated(&shape);
    }
    let shape = shapes.directed(field.direction, shape);
    if ty != shape {
        schema.push(quote!(with = #shape));
    }
    schema.extend(field.title.as_ref().map(|title| quote!(title = #title)));
    schema.extend(metadata::description(&docs));
    let (name, ty, docs) = (ident(&field.name), tokens(&ty), docs.attributes());
    let serde = if serde.is_empty() {
        TokenStream::new()
    } else {
        quote!(#[serde(#(#serde),*)])
    };
    let schema = metadata::attribute(&schema);
    quote! {
        #docs
        #serde
        #schema
        pub #name: #ty,
    }
}

/// A type that gives another one a name.
pub(super) fn wrapper(plan: &Plan<'_>, item: &Item, ty: &Ty, shapes: &mut Shapes) -> TokenStream {
    let name = ident(&item.name);
    let (docs, schema) = (item.docs.attributes(), metadata::container(item));
    let (plain, shape) = (rust(ty, View::Models), shapes.schema(ty));
    let with = (plain != shape).then(|| quote!(#[schemars(with = #shape)]));
    let inner = tokens(&plain);
    let derives = match ty {
        Ty::Scalar(scalar @ (Scalar::Bool | Scalar::Integer { .. })) if is_exact(scalar) => {
            quote!(
                Clone,
                Copy,
                Debug,
                Deserialize,
                Eq,
                Hash,
                JsonSchema,
                Ord,
                PartialEq,
                PartialOrd,
                Serialize
            )
        }
        Ty::Scalar(scalar) if is_exact(scalar) => {
            quote!(
                Clone,
                Debug,
                Deserialize,
                Eq,
                Hash,
                JsonSchema,
                Ord,
                PartialEq,
                PartialOrd,
                Serialize
            )
        }
        _ => quote!(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize),
    };
    let text = is_text(&plan.items, ty).then(|| from_text(&name, &inner));
    let default = default_impl(plan, item);
    quote! {
        #docs
        #[derive(#derives)]
        #schema
        pub struct #name(#with pub #inner);

        #default
        #text
    }
}

/// A wrapped scalar as the text of a parameter.
fn from_text(name: &proc_macro2::Ident, inner: &TokenStream) -> TokenStream {
    quote! {
        impl FromText for #name {
            fn from_text(text: &str) -> Result<Self, Violation> {
                <#inner>::from_text(text).map(#name)
            }
        }

        impl fmt::Display for #name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    }
}

/// `Default` of an item that has one.
pub(super) fn default_impl(plan: &Plan<'_>, item: &Item) -> Option<TokenStream> {
    let name = ident(&item.name);
    let value = defaults::item_value(&plan.items, item, item.default.as_ref()?)?;
    Some(quote! {
        impl Default for #name {
            fn default() -> Self {
                #value
            }
        }
    })
}

/// Another name for the same type.
pub(super) fn alias(item: &Item, ty: &Ty) -> TokenStream {
    let (name, docs, ty) = (
        ident(&item.name),
        item.docs.attributes(),
        tokens(&rust(ty, View::Models)),
    );
    quote! {
        #docs
        pub type #name = #ty;
    }
}
