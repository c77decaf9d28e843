//! Writes objects with known members, and types that give another type a new name.

use super::{
    collections::count,
    metadata,
    types::{Shapes, deprecated, directed, rust, tokens},
};
use crate::{
    docs::{Docs, code},
    names::{ident, snake},
    plan::{
        Plan, defaults,
        ir::{Counts, Direction, Field, Item, Others, Presence, Scalar, Struct, Ty},
        is_exact, is_text,
    },
};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// Writes a struct, its members, and the functions for its defaults.
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
    let (mut required, mut values) = (Vec::new(), Vec::new());
    for field in &object.fields {
        let default = default_function(plan, item, field, shapes);
        let own = ident(&field.name);
        values.push(match (&field.presence, &default) {
            (Presence::Required, _) => {
                let (parameter, value) = parameter(&own, &field.ty);
                required.push(parameter);
                value
            }
            (_, Some((path, _))) => {
                let function = ident(path);
                quote!(#own: #function())
            }
            (..) => quote!(#own: None),
        });
        let path = default.as_ref().map(|(path, _)| path.as_str());
        fields.push(member(field, path, shapes));
        functions.extend(default.map(|(_, code)| code));
    }
    let check = check(&name, object);
    let mut rules = vec![quote!(remote = "Self")];
    match &object.others {
        Others::Ignored => {}
        Others::Rejected => rules.push(quote!(deny_unknown_fields)),
        Others::Collected(field, of) => {
            fields.push(others(field, of, shapes));
            let member = ident(field);
            values.push(quote!(#member: Default::default()));
        }
    }
    let constructor = match required.is_empty() {
        true => quote! {
            impl Default for #name {
                fn default() -> Self {
                    #name { #(#values),* }
                }
            }
        },
        false => quote! {
            impl #name {
                #[doc = " Creates a value from its required members; the others are absent, or have their defaults."]
                pub fn new(#(#required),*) -> Self {
                    #name { #(#values),* }
                }
            }
        },
    };
    quote! {
        #docs
        #[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
        #[serde(#(#rules),*)]
        #schema
        pub struct #name {
            #(#fields)*
        }

        #constructor

        #(#functions)*

        #check
    }
}

/// Writes the method that checks rules about several members; `None` if there are no such rules.
fn check(name: &Ident, object: &Struct) -> Option<TokenStream> {
    let checks = object.exclusive.iter().map(|names| {
        let is_absent = |field: &&Field| matches!(field.presence, Presence::Optional);
        let fields = object.fields.iter().filter(is_absent);
        let fields = fields.filter(|field| names.contains(&field.wire));
        let fields = fields.map(|field| ident(&field.name));
        let mut are_there: Vec<_> = fields.map(|field| quote!(self.#field.is_some())).collect();
        if are_there.is_empty() {
            are_there.push(quote!(true));
        }
        let names: Vec<String> = names.iter().map(|name| code(name)).collect();
        let message = format!("must not have {} together", names.join(" and "));
        quote! {
            if #(#are_there)&&* {
                return Err(Violation::new(#message));
            }
        }
    });
    let Counts { min, max, .. } = object.counts;
    let count = count(min, max, "members", quote!(members));
    object.has_check().then(|| {
        quote! {
            impl #name {
                fn check(&self, members: usize) -> Result<(), Violation> {
                    #count
                    #(#checks)*
                    Ok(())
                }
            }
        }
    })
}

/// Returns the parameter of `new` for a required member, and the expression for the member. Strings and formats can be passed as
/// types that are converted.
fn parameter(member: &Ident, ty: &Ty) -> (TokenStream, TokenStream) {
    let own = tokens(&rust(ty));
    match ty {
        Ty::Scalar(Scalar::Text { .. } | Scalar::Format(_)) => (
            quote!(#member: impl Into<#own>),
            quote!(#member: #member.into()),
        ),
        _ => (quote!(#member: #own), quote!(#member)),
    }
}

/// Writes the field for members that the document does not name.
fn others(field: &str, of: &Ty, shapes: &mut Shapes) -> TokenStream {
    let name = ident(field);
    let map = Ty::Map(Box::new(of.clone()));
    let (ty, shape) = (rust(&map), shapes.schema(&map));
    let with = (ty != shape).then(|| quote!(#[schemars(with = #shape)]));
    let ty = tokens(&ty);
    quote! {
        #[doc = " The members that have no name in the document."]
        #[serde(flatten)]
        #with
        pub #name: #ty,
    }
}

/// Returns the path and the code of the function that returns the default of a member; `None` if the type itself has the same
/// default.
fn default_function(
    plan: &Plan<'_>,
    item: &Item,
    field: &Field,
    shapes: &mut Shapes,
) -> Option<(String, TokenStream)> {
    let Presence::Default(default) = &field.presence else {
        return None;
    };
    let value = defaults::value(&plan.items, &field.ty, default)?;
    let (owner, member) = (snake(&item.name), field.name.trim_end_matches('_'));
    let path = shapes.default_function(&format!("default_{owner}_{member}"));
    let (name, ty) = (ident(&path), tokens(&rust(&field.ty)));
    Some((path, quote!(fn #name() -> #ty { #value })))
}

fn member(field: &Field, default: Option<&str>, shapes: &mut Shapes) -> TokenStream {
    let direction = match field.direction {
        Direction::Both => None,
        Direction::Responses => Some("Sent in responses only; a request does not need it."),
        Direction::Requests => Some("Sent in requests only; leave it out of responses."),
    };
    let deprecation = field.deprecated.then_some("Deprecated.");
    let notes = deprecation.into_iter().chain(direction);
    let docs = notes.fold(field.docs.clone(), Docs::with_note);
    let mut serde = Vec::new();
    let plain = rust(&field.ty);
    let (ty, mut shape) = match (&field.presence, default) {
        (Presence::Default(_), Some(path)) => {
            serde.push(quote!(default = #path));
            (plain.clone(), shapes.schema(&field.ty))
        }
        (Presence::Required, _) => {
            if matches!(field.ty, Ty::Nullable(_)) {
                // Without this attribute, serde would allow the member to be absent.
                serde.push(quote!(deserialize_with = "Option::deserialize"));
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
        shape = deprecated(&shape);
    }
    let shape = directed(field.direction, shape);
    written_field(field, &docs, serde, &ty, &shape).0
}

/// Writes a field with these serde attributes and this type, and with the type that has the schema in the document. Returns it
/// with and without the attributes for schemars.
pub(super) fn written_field(
    field: &Field,
    docs: &Docs,
    mut serde: Vec<TokenStream>,
    ty: &str,
    shape: &str,
) -> (TokenStream, TokenStream) {
    if field.wire != field.name {
        let wire = &field.wire;
        serde.insert(0, quote!(rename = #wire));
    }
    let mut schema = Vec::new();
    if ty != shape {
        schema.push(quote!(with = #shape));
    }
    schema.extend(field.title.as_ref().map(|title| quote!(title = #title)));
    schema.extend(docs.description_attribute());
    let (name, ty, docs) = (ident(&field.name), tokens(ty), docs.attributes());
    let serde = (!serde.is_empty()).then(|| quote!(#[serde(#(#serde),*)]));
    let with = |schema: Option<TokenStream>| {
        quote! {
            #docs
            #serde
            #schema
            pub #name: #ty,
        }
    };
    (with(metadata::attribute(&schema)), with(None))
}

/// Writes a type that gives another type a new name.
pub(super) fn wrapper(plan: &Plan<'_>, item: &Item, ty: &Ty, shapes: &mut Shapes) -> TokenStream {
    let name = ident(&item.name);
    let (docs, schema) = (item.docs.attributes(), metadata::container(item));
    let (plain, mut shape) = (rust(ty), shapes.schema(ty));
    if item.deprecated {
        shape = deprecated(&shape);
    }
    let with = (plain != shape).then(|| quote!(#[schemars(with = #shape)]));
    let inner = tokens(&plain);
    let exact = matches!(ty, Ty::Scalar(scalar) if is_exact(scalar));
    let exact = exact.then(|| quote!(Eq, Hash, Ord, PartialOrd,));
    let copied = matches!(ty, Ty::Scalar(Scalar::Bool | Scalar::Integer { .. }));
    let copied = copied.then(|| quote!(Copy,));
    let text = is_text(&plan.items, ty).then(|| {
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
    });
    let default = default_impl(plan, item);
    quote! {
        #docs
        #[derive(Clone, #copied Debug, Deserialize, JsonSchema, PartialEq, #exact Serialize)]
        #schema
        pub struct #name(#with pub #inner);

        #default
        #text
    }
}

/// Writes `Default` for an item that has a default.
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

/// Writes another name for the same type.
pub(super) fn alias(item: &Item, ty: &Ty) -> TokenStream {
    let (name, docs) = (ident(&item.name), item.docs.attributes());
    let ty = tokens(&rust(ty));
    quote! {
        #docs
        pub type #name = #ty;
    }
}
