//! Writes request parameters, which are read from text, and response headers, which are written as
//! text.

use super::{
    items,
    structs::written_field,
    types::{Shapes, rust, tokens},
};
use crate::{
    names::{Names, ident, snake},
    plan::{
        Fields, Plan, defaults, find,
        ir::{Field, Home, Kind, Presence, Ty},
        list_of,
    },
};
use openapi_dropshot_contract::model::ParameterIn;
use proc_macro2::TokenStream;
use quote::quote;

/// Writes the file, if the document has parameters or headers.
pub(super) fn file(plan: &Plan<'_>, shapes: &mut Shapes) -> TokenStream {
    let mut sets = Vec::new();
    for operation in &plan.operations {
        for (place, fields) in &operation.parameters {
            sets.push(parameters(plan, fields, *place, shapes));
        }
        let success = &operation.success;
        let several = success.several.iter().flat_map(|several| &several.cases);
        let responses = std::iter::once(success).chain(several);
        let all = responses.filter_map(|response| response.headers.as_ref());
        let all = all.chain(operation.errors.headers());
        sets.extend(all.map(|fields| headers(fields, shapes)));
    }
    let types = items(plan, Home::Parameters, shapes);
    quote!(#(#sets)* #types)
}

/// Writes the struct for the parameters in one location.
fn parameters(
    plan: &Plan<'_>,
    set: &Fields,
    place: ParameterIn,
    shapes: &mut Shapes,
) -> TokenStream {
    let (name, docs) = (ident(&set.name), set.docs.attributes());
    let module = snake(&set.name);
    let mut fields = Vec::new();
    let mut plain_fields = Vec::new();
    let mut functions = Vec::new();
    // The function that reads a parameter has the same name as the parameter.
    let mut names = Names::without(set.fields.iter().map(|field| field.name.as_str()));
    for field in &set.fields {
        let name = names.claim(&format!("default_{}", field.name));
        let default = own_default(plan, field, &name);
        let path = default.is_some().then(|| format!("{module}::{name}"));
        let (described, plain) = parameter(field, place, &module, path, shapes);
        fields.push(described);
        plain_fields.push(plain);
        functions.push(reader(plan, field, place));
        functions.extend(default);
    }
    let module = ident(&module);
    let functions = quote! {
        mod #module {
            use super::*;

            #(#functions)*
        }
    };
    let Some(pages) = &set.pages else {
        return quote! {
            #docs
            #[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq)]
            #[schemars(description = "")]
            pub struct #name {
                #(#fields)*
            }

            #functions
        };
    };
    let (described, first) = (ident(&pages.described), &pages.first);
    let about = format!(" The schema of [`{}`].", set.name);
    // dropshot looks for a mark in the schema that no attribute can set.
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
                schema.extensions.insert(
                    "x-dropshot-pagination-param".to_owned(),
                    json!({ "required": [#(#first),*] }),
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

        #functions
    }
}

/// Returns the function with this name that returns a default; `None` if the type itself has the
/// default.
fn own_default(plan: &Plan<'_>, field: &Field, name: &str) -> Option<TokenStream> {
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
    let (name, ty) = (ident(name), tokens(&rust(&field.ty)));
    let value = defaults::value(&plan.items, &field.ty, default)?;
    Some(quote! {
        pub(super) fn #name() -> #ty {
            #value
        }
    })
}

/// Returns the function that reads a parameter and names the parameter in its error.
fn reader(plan: &Plan<'_>, field: &Field, place: ParameterIn) -> TokenStream {
    let (name, wire) = (ident(&field.name), &field.wire);
    let plain = tokens(&rust(&field.ty));
    let (ty, some) = match field.presence {
        Presence::Optional => (quote!(Option<#plain>), Some(quote!(.map(Some)))),
        Presence::Required | Presence::Default(_) => (plain, None),
    };
    let function = ident(match (field.several, place) {
        _ if field.is_json => "json",
        (None, _) => "parameter",
        (Some(_), ParameterIn::Path | ParameterIn::Query) => "parameters",
        (Some(_), ParameterIn::Header | ParameterIn::Cookie) => "list",
    });
    let members = quote!(openapi_dropshot_types::members);
    let value = match list_of(&plan.items, &field.ty) {
        Some(of) if field.several.is_some() && !matches!(field.ty, Ty::List(_)) => {
            let of = tokens(&rust(of));
            quote!(#members::#function::<#of, _>(#wire, d)
                .and_then(|values| #members::checked(#wire, values)))
        }
        _ => quote!(#members::#function(#wire, d)),
    };
    quote! {
        pub(super) fn #name<'de, D: Deserializer<'de>>(d: D) -> Result<#ty, D::Error> {
            #value #some
        }
    }
}

/// Writes a parameter as a field, with the path of the function that returns its default. Returns
/// it with and without the attributes for schemars.
fn parameter(
    field: &Field,
    place: ParameterIn,
    module: &str,
    default: Option<String>,
    shapes: &mut Shapes,
) -> (TokenStream, TokenStream) {
    let mut serde = Vec::new();
    match (&field.presence, default) {
        (Presence::Required, _) => {}
        (Presence::Default(_), Some(path)) => serde.push(quote!(default = #path)),
        (Presence::Optional | Presence::Default(_), _) => serde.push(quote!(default)),
    }
    let path = format!("{module}::{}", field.name);
    serde.push(quote!(deserialize_with = #path));
    member(field, place, serde, shapes)
}

/// Writes a field with these serde attributes. Returns it with and without the attributes for
/// schemars.
fn member(
    field: &Field,
    place: ParameterIn,
    mut serde: Vec<TokenStream>,
    shapes: &mut Shapes,
) -> (TokenStream, TokenStream) {
    let mut ty = rust(&field.ty);
    // schemars uses `Serialize` to write the default into the schema. Parameters do not need
    // `Serialize` for anything else.
    if matches!(field.presence, Presence::Optional) {
        ty = format!("Option<{ty}>");
        serde.push(quote!(skip_serializing_if = "Option::is_none"));
    }
    let shape = if field.null_text {
        shapes.required(&Ty::Nullable(Box::new(field.ty.clone())))
    } else {
        shapes.schema(&field.ty)
    };
    let is_cookie = place == ParameterIn::Cookie;
    let shape = [
        (field.own_schema || is_cookie, "Parameter"),
        (field.is_json, "Json"),
        (is_cookie, "Cookie"),
    ]
    .into_iter()
    .filter(|(is_it, _)| *is_it)
    .fold(shape, |shape, (_, name)| {
        format!("openapi_dropshot_types::shapes::{name}<{shape}>")
    });
    written_field(field, &field.docs, serde, &ty, &shape)
}

/// Writes the struct for the headers of a response.
fn headers(set: &Fields, shapes: &mut Shapes) -> TokenStream {
    let (name, docs) = (ident(&set.name), set.docs.attributes());
    let default = set.are_optional().then(|| quote!(Default,));
    let fields = set.fields.iter().map(|field| {
        let is_optional = matches!(field.presence, Presence::Optional);
        let mut serde = Vec::from_iter(is_optional.then(|| quote!(default)));
        let function = if is_optional {
            "optional_header"
        } else {
            "header"
        };
        let path = format!("openapi_dropshot_types::members::{function}");
        serde.push(quote!(serialize_with = #path));
        member(field, ParameterIn::Header, serde, shapes).0
    });
    quote! {
        #docs
        #[derive(Clone, Debug, #default JsonSchema, PartialEq, Serialize)]
        #[schemars(description = "")]
        pub struct #name {
            #(#fields)*
        }
    }
}
