//! Finds out how a value of each type of the document is written in Rust.

use crate::client::names::folded;
use quote::ToTokens;
use std::collections::BTreeMap;
use syn::{
    Attribute, Fields, GenericArgument, Ident, Item, ItemImpl, PathArguments, Type, parse_quote,
    visit_mut::{self, VisitMut},
};

/// How an example writes a value of a type of the document. Types are named as in an application that has imported
/// `types`.
pub(super) enum Kind {
    /// An enumeration of strings, such as `types::Size::Small`: each value with its variant.
    Choice(Vec<(String, Ident)>),
    /// Read from text.
    Text,
    /// A list with a name.
    List(Box<Type>),
    /// By its builder.
    Object(Vec<Field>),
}

/// A field of an object.
pub(super) struct Field {
    /// The name that it has in the document.
    pub(super) wire: String,
    pub(super) name: Ident,
    pub(super) target: Type,
    pub(super) optional: bool,
}

/// Returns the kinds of the types in progenitor's module `types`, by folded name.
pub(super) fn of(types: &[Item]) -> BTreeMap<String, Kind> {
    let kind = |item: &Item| match item {
        Item::Enum(choice) => Some((folded(&choice.ident.to_string()), choice_of(choice)?)),
        Item::Struct(object) => Some((folded(&object.ident.to_string()), kind_of(object, types)?)),
        _ => None,
    };
    types.iter().filter_map(kind).collect()
}

/// Returns the kind of an enumeration of strings: it has unit variants only, and each is read by its name.
fn choice_of(choice: &syn::ItemEnum) -> Option<Kind> {
    let is_tagged = (choice.attrs.iter()).any(|attribute| attribute.path().is_ident("serde"));
    let value = |variant: &syn::Variant| {
        let is_unit = matches!(variant.fields, Fields::Unit) && !is_tagged;
        is_unit.then(|| {
            let wire = wire_name(&variant.attrs, &variant.ident);
            (wire, variant.ident.clone())
        })
    };
    let values: Option<Vec<_>> = choice.variants.iter().map(value).collect();
    values.filter(|values| !values.is_empty()).map(Kind::Choice)
}

fn kind_of(object: &syn::ItemStruct, types: &[Item]) -> Option<Kind> {
    match &object.fields {
        Fields::Unnamed(fields) => {
            let inner = from_outside(&fields.unnamed.first()?.ty);
            let reads_text = || {
                types.iter().any(|item| {
                    matches!(item, Item::Impl(block)
                        if implements(block, "FromStr") && self_ident(block) == Some(&object.ident))
                })
            };
            match argument_of(&inner, "Vec") {
                Some(item) => Some(Kind::List(Box::new(item))),
                None => (is_string(&inner) && reads_text()).then_some(Kind::Text),
            }
        }
        Fields::Named(fields) => {
            let fields: Option<Vec<_>> = fields.named.iter().map(field).collect();
            fields.map(Kind::Object)
        }
        Fields::Unit => None,
    }
}

fn field(field: &syn::Field) -> Option<Field> {
    let name = field.ident.clone()?;
    let has_default = has_default(&field.attrs);
    Some(Field {
        wire: wire_name(&field.attrs, &name),
        optional: has_default || argument_of(&field.ty, "Option").is_some(),
        target: from_outside(&field.ty),
        name,
    })
}

/// Returns whether serde has a value for an absent field. Its name may contain the word.
fn has_default(attributes: &[Attribute]) -> bool {
    let mut found = false;
    for attribute in attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("serde"))
    {
        // An argument of another form ends the parsing early; typify writes names and values only.
        let _ = attribute.parse_nested_meta(|meta| {
            found |= meta.path.is_ident("default");
            if meta.input.peek(syn::Token![=]) {
                meta.value()?.parse::<syn::Expr>()?;
            }
            Ok(())
        });
    }
    found
}

/// Returns the name that serde gives a field or a variant.
pub(super) fn wire_name(attributes: &[Attribute], ident: &Ident) -> String {
    let mut name = None;
    for attribute in attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("serde"))
    {
        // An argument of another form ends the parsing early. Nothing is lost, because `rename` comes first.
        let _ = attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("rename") {
                name = Some(meta.value()?.parse::<syn::LitStr>()?.value());
            } else if meta.input.peek(syn::Token![=]) {
                meta.value()?.parse::<syn::Expr>()?;
            }
            Ok(())
        });
    }
    name.unwrap_or_else(|| ident.to_string())
}

/// Returns whether a block implements the trait of this name.
pub(super) fn implements(block: &ItemImpl, name: &str) -> bool {
    let path = block.trait_.as_ref().map(|(path, _)| path);
    path.and_then(|path| path.segments.last())
        .is_some_and(|last| last.ident == name)
}

/// Returns the name of the type to which a block belongs.
pub(super) fn self_ident(block: &ItemImpl) -> Option<&Ident> {
    match block.self_ty.as_ref() {
        Type::Path(path) => path.path.segments.last().map(|segment| &segment.ident),
        _ => None,
    }
}

pub(super) fn is_string(target: &Type) -> bool {
    target
        .to_token_stream()
        .to_string()
        .ends_with(":: string :: String")
}

/// Returns the name of a type of the document, such as `Size` of `types::Size`.
pub(super) fn name_of(target: &Type) -> Option<Ident> {
    let Type::Path(path) = target else {
        return None;
    };
    let mut segments = path.path.segments.iter();
    match (segments.next(), segments.next(), segments.next()) {
        (Some(types), Some(name), None) if types.ident == "types" => Some(name.ident.clone()),
        _ => None,
    }
}

/// Returns the `T` of a generic type with this name, such as `Option<T>` or `Vec<T>`.
pub(super) fn argument_of(target: &Type, outer: &str) -> Option<Type> {
    let Type::Path(path) = target else {
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

/// Converts a type of the module `types` to the name that an application uses: `types::Size` for `Size`.
pub(super) fn from_outside(target: &Type) -> Type {
    struct Outside;
    impl VisitMut for Outside {
        fn visit_type_path_mut(&mut self, path: &mut syn::TypePath) {
            visit_mut::visit_type_path_mut(self, path);
            // Every other type without a path is a primitive.
            let is_own = path.path.get_ident().is_some_and(|ident| {
                !ident
                    .to_string()
                    .starts_with(|first: char| first.is_ascii_lowercase())
            });
            if is_own {
                *path = parse_quote!(types::#path);
            }
        }
    }
    let mut target = target.clone();
    Outside.visit_type_mut(&mut target);
    target
}
