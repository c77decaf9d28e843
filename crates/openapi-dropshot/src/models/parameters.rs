//! Writes the parameters of requests, which are read from text, and the headers of
//! responses, which are written as text.

use super::{
    IMPORTS, items, metadata,
    types::{Shapes, View, rust, tokens},
};
use crate::{
    names::{ident, snake},
    plan::{
        Fields, Plan, defaults, find,
        ir::{Field, Home, Kind, Presence, Ty},
    },
    render,
};
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeSet;

/// The file, where the document has parameters or headers.
///
/// # Errors
///
/// The generator wrote something that is no Rust: a fault of its own.
pub(super) fn file(plan: &Plan<'_>, shapes: &mut Shapes) -> syn::Result<Option<TokenStream>> {
    let mut sets = Vec::new();
    for operation in &plan.operations {
        let all = [&operation.path, &operation.query, &operation.header];
        for fields in all.into_iter().flatten() {
            sets.push(parameters(plan, fields, shapes));
        }
        let response = operation.success.headers.as_ref();
        sets.extend(response.map(|fields| headers(fields, shapes)));
    }
    let types = items(plan, Home::Parameters, shapes);
    let code = quote!(#(#sets)* #types);
    if code.is_empty() {
        return Ok(None);
    }
    let uses = render::imports(&code, IMPORTS)?;
    let names = render::names_in(&code);
    let schemas: BTreeSet<&str> = plan
        .items
        .iter()
        .filter(|item| item.home == Home::Schemas && names.contains(&item.name))
        .map(|item| item.name.as_str())
        .collect();
    let schemas = schemas.into_iter().map(ident);
    Ok(Some(quote!(#(use super::schemas::#schemas;)* #uses #code)))
}

/// The struct of the parameters of one place.
fn parameters(plan: &Plan<'_>, set: &Fields, shapes: &mut Shapes) -> TokenStream {
    let (name, docs) = (ident(&set.name), set.docs.attributes());
    let module = snake(&set.name);
    let mut fields = Vec::new();
    let mut plain_fields = Vec::new();
    let mut functions = Vec::new();
    for field in &set.fields {
        let default = own_default(plan, field);
        let (described, plain) = parameter(field, &module, default.is_some(), shapes);
        fields.push(described);
        plain_fields.push(plain);
        functions.push(reader(field));
        functions.extend(default);
    }
    let module = ident(&module);
    let Some(pages) = &set.pages else {
        return quote! {
            #docs
            #[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq)]
            #[schemars(description = "")]
            pub struct #name {
                #(#fields)*
            }

            mod #module {
                use super::*;

                #(#functions)*
            }
        };
    };
    let (described, first) = (ident(&pages.described), &pages.first);
    let about = format!(" The schema of [`{}`].", set.name);
    // dropshot looks for its mark at the schema, where no attribute can put it.
    quote! {
        #docs
        #[derive(Clone, Debug, Deserialize, PartialEq)]
        pub struct #name {
            #(#plain_fields)*
        }

        impl JsonSchema for #name {
            fn schema_name() -> String {
                #described::schema_name()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                let mut schema = #described::json_schema(generator).into_object();
                let first: &[&str] = &[#(#first),*];
                schema.extensions.insert(
                    "x-dropshot-pagination-param".to_owned(),
                    serde_json::json!({ "required": first }),
                );
                schema.into()
            }
        }

        #[doc = #about]
        #[derive(JsonSchema)]
        #[allow(dead_code, reason = "for its schema only")]
        #[schemars(description = "")]
        struct #described {
            #(#fields)*
        }

        mod #module {
            use super::*;

            #(#functions)*
        }
    }
}

/// The function that makes a default; none where the type has it by itself.
fn own_default(plan: &Plan<'_>, field: &Field) -> Option<TokenStream> {
    let Presence::Default(default) = &field.presence else {
        return None;
    };
    if let Ty::Named(name) = &field.ty
        && let Some(item) = find(&plan.items, name)
        && !matches!(item.kind, Kind::Alias(_))
        && item
            .default
            .as_ref()
            .is_some_and(|own| own.same_value(default))
    {
        return None;
    }
    let (name, ty) = (
        ident(&format!("default_{}", field.name)),
        tokens(&rust(&field.ty, View::Models)),
    );
    let value = defaults::value(&plan.items, &field.ty, default)?;
    Some(quote! {
        pub(super) fn #name() -> #ty {
            #value
        }
    })
}

/// The function that reads a parameter and names it where it cannot.
fn reader(field: &Field) -> TokenStream {
    let (name, wire) = (ident(&field.name), &field.wire);
    let plain = tokens(&rust(&field.ty, View::Models));
    match field.presence {
        Presence::Optional => quote! {
            pub(super) fn #name<'de, D: Deserializer<'de>>(d: D) -> Result<Option<#plain>, D::Error> {
                openapi_dropshot_types::members::parameter(#wire, d).map(Some)
            }
        },
        Presence::Required | Presence::Default(_) => quote! {
            pub(super) fn #name<'de, D: Deserializer<'de>>(d: D) -> Result<#plain, D::Error> {
                openapi_dropshot_types::members::parameter(#wire, d)
            }
        },
    }
}

/// A field, with and without what schemars has to know of it.
fn parameter(
    field: &Field,
    module: &str,
    own_default: bool,
    shapes: &mut Shapes,
) -> (TokenStream, TokenStream) {
    let (name, docs) = (ident(&field.name), field.docs.attributes());
    let mut serde = Vec::new();
    if field.wire != field.name {
        let wire = &field.wire;
        serde.push(quote!(rename = #wire));
    }
    match field.presence {
        Presence::Required => {}
        Presence::Default(_) if own_default => {
            let path = format!("{module}::default_{}", field.name);
            serde.push(quote!(default = #path));
        }
        Presence::Optional | Presence::Default(_) => serde.push(quote!(default)),
    }
    let path = format!("{module}::{}", field.name);
    serde.push(quote!(deserialize_with = #path));
    // What schemars writes down as a default it takes from `Serialize`, which
    // parameters do not need for themselves.
    if matches!(field.presence, Presence::Optional) {
        serde.push(quote!(skip_serializing_if = "Option::is_none"));
    }
    let (ty, schema) = typed(field, shapes);
    let with = |schema: TokenStream| {
        quote! {
            #docs
            #[serde(#(#serde),*)]
            #schema
            pub #name: #ty,
        }
    };
    (with(schema), with(TokenStream::new()))
}

/// The type of a field, and what schemars has to know of it.
fn typed(field: &Field, shapes: &mut Shapes) -> (TokenStream, TokenStream) {
    let plain = rust(&field.ty, View::Models);
    let ty = match field.presence {
        Presence::Optional => format!("Option<{plain}>"),
        Presence::Required | Presence::Default(_) => plain,
    };
    let shape = if field.null_text {
        shapes.required(&Ty::Nullable(Box::new(field.ty.clone())))
    } else {
        shapes.schema(&field.ty)
    };
    let mut parts = Vec::new();
    if ty != shape {
        parts.push(quote!(with = #shape));
    }
    parts.extend(metadata::description(&field.docs));
    (tokens(&ty), metadata::attribute(&parts))
}

/// The struct of the headers of a response.
fn headers(set: &Fields, shapes: &mut Shapes) -> TokenStream {
    let (name, docs) = (ident(&set.name), set.docs.attributes());
    let optional = set
        .fields
        .iter()
        .all(|field| matches!(field.presence, Presence::Optional));
    let derives = if optional {
        quote!(Clone, Debug, Default, JsonSchema, PartialEq, Serialize)
    } else {
        quote!(Clone, Debug, JsonSchema, PartialEq, Serialize)
    };
    let fields = set.fields.iter().map(|field| {
        let (name, docs) = (ident(&field.name), field.docs.attributes());
        let mut serde = Vec::new();
        if field.wire != field.name {
            let wire = &field.wire;
            serde.push(quote!(rename = #wire));
        }
        if matches!(field.presence, Presence::Optional) {
            serde.push(quote!(default));
            serde.push(quote!(
                serialize_with = "openapi_dropshot_types::members::optional_header"
            ));
            serde.push(quote!(skip_serializing_if = "Option::is_none"));
        } else {
            serde.push(quote!(
                serialize_with = "openapi_dropshot_types::members::header"
            ));
        }
        let (ty, schema) = typed(field, shapes);
        quote! {
            #docs
            #[serde(#(#serde),*)]
            #schema
            pub #name: #ty,
        }
    });
    quote! {
        #docs
        #[derive(#derives)]
        #[schemars(description = "")]
        pub struct #name {
            #(#fields)*
        }
    }
}
