//! Finds out how a value of each type of the document is written in Rust.

use super::{enums, requests::self_ident};
use quote::ToTokens;
use syn::{
    Fields, GenericArgument, Item, PathArguments,
    visit_mut::{self, VisitMut},
};

/// How a value of a type of the document is written.
pub(super) enum Kind {
    /// `types::Size::Small`: each value with its variant.
    Choice(Vec<(String, syn::Ident)>),
    /// Read from text.
    Text,
    /// A list with a name.
    List(syn::Type),
    /// By its builder.
    Object(Vec<Field>),
}

/// A field of an object.
pub(super) struct Field {
    /// The name that it has in the document.
    pub(super) wire: String,
    pub(super) name: syn::Ident,
    pub(super) target: syn::Type,
    pub(super) optional: bool,
}

pub(super) fn kind_of(object: &syn::ItemStruct, types: &[Item]) -> Option<Kind> {
    match &object.fields {
        Fields::Unnamed(fields) => {
            let inner = &fields.unnamed.first()?.ty;
            match argument_of(inner, "Vec") {
                Some(item) => Some(Kind::List(item)),
                None => {
                    (is_string(inner) && reads_text(&object.ident, types)).then_some(Kind::Text)
                }
            }
        }
        Fields::Named(fields) => fields
            .named
            .iter()
            .map(|field| {
                let name = field.ident.clone()?;
                let has_default = field.attrs.iter().any(|attribute| {
                    attribute.path().is_ident("serde")
                        && attribute.to_token_stream().to_string().contains("default")
                });
                Some(Field {
                    wire: enums::wire_name(&field.attrs).unwrap_or_else(|| name.to_string()),
                    optional: has_default || argument_of(&field.ty, "Option").is_some(),
                    target: field.ty.clone(),
                    name,
                })
            })
            .collect::<Option<Vec<_>>>()
            .map(Kind::Object),
        Fields::Unit => None,
    }
}

/// Whether a type has `FromStr`.
fn reads_text(ident: &syn::Ident, types: &[Item]) -> bool {
    types.iter().any(|item| match item {
        Item::Impl(block) => {
            let reads = block
                .trait_
                .as_ref()
                .and_then(|(_, path, _)| path.segments.last());
            reads.is_some_and(|last| last.ident == "FromStr") && self_ident(block) == Some(ident)
        }
        _ => false,
    })
}

pub(super) fn is_string(target: &syn::Type) -> bool {
    let text = target.to_token_stream().to_string();
    text == "String" || text.ends_with(":: string :: String")
}

/// Types of other crates that are read from text.
pub(super) fn is_parsed(target: &str) -> bool {
    [":: chrono ::", ":: uuid ::", ":: std :: net ::"]
        .iter()
        .any(|place| target.starts_with(place))
}

/// The name of a type of the document: `types::Size`, `super::Size` or `Size`.
pub(super) fn name_of(target: &syn::Type) -> Option<syn::Ident> {
    let syn::Type::Path(path) = target else {
        return None;
    };
    let segments = &path.path.segments;
    let last = segments.last()?;
    let own = path.path.leading_colon.is_none() && last.arguments.is_none();
    let near = match segments.first() {
        Some(first) if segments.len() == 2 => first.ident == "types" || first.ident == "super",
        _ => segments.len() == 1,
    };
    (own && near).then(|| last.ident.clone())
}

/// The `T` of `Option<T>` or `Vec<T>`.
pub(super) fn argument_of(target: &syn::Type, outer: &str) -> Option<syn::Type> {
    let syn::Type::Path(path) = target else {
        return None;
    };
    let last = path.path.segments.last()?;
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) if last.ident == outer => {
            match arguments.args.first()? {
                GenericArgument::Type(inner) => Some(inner.clone()),
                _ => None,
            }
        }
        _ => None,
    }
}

/// A type as an application names it that has imported `types`.
pub(super) fn from_outside(target: &syn::Type) -> syn::Type {
    struct Outside;
    impl VisitMut for Outside {
        fn visit_type_path_mut(&mut self, path: &mut syn::TypePath) {
            visit_mut::visit_type_path_mut(self, path);
            let first = path.path.segments.first_mut();
            if let Some(first) = first.filter(|first| first.ident == "super") {
                first.ident = crate::names::ident("types");
            }
        }
    }
    let mut target = target.clone();
    Outside.visit_type_mut(&mut target);
    target
}

/// The type that a setter takes values for: the `T` of its `V: TryInto<T>`.
pub(super) fn target(method: &syn::ImplItemFn) -> Option<syn::Type> {
    let clause = method.sig.generics.where_clause.as_ref()?;
    clause.predicates.iter().find_map(|predicate| {
        let syn::WherePredicate::Type(predicate) = predicate else {
            return None;
        };
        let syn::TypeParamBound::Trait(bound) = predicate.bounds.first()? else {
            return None;
        };
        let bound = syn::TypePath {
            qself: None,
            path: bound.path.clone(),
        };
        argument_of(&syn::Type::Path(bound), "TryInto")
    })
}
