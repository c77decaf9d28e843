//! Reads progenitor's types once: how to write a value of each type in Rust, and the fields of objects with their properties in
//! the document. The code for types is generated from these facts.

use super::{Pass, repeated::held};
use crate::client::names::folded;
use openapi_dropshot_contract::model::Schema;
use quote::{ToTokens, format_ident};
use std::collections::{BTreeMap, BTreeSet};
use syn::{
    Attribute, Expr, ExprLit, ExprPath, Fields, GenericArgument, Ident, Item, ItemImpl, Lit, Meta,
    MetaNameValue, PathArguments, Token, Type, parse_quote,
    punctuated::Punctuated,
    visit_mut::{self, VisitMut},
};

/// The kind of a type of the document. The types in it have the names that an application uses after importing `types`.
pub(super) enum Kind<'a> {
    /// An enumeration of strings, such as `types::Size::Small`: each value with its variant.
    Choice(Vec<(String, Ident)>),
    /// A type that is parsed from text.
    Text,
    /// A list type with its own name.
    List(Box<Type>),
    /// An object with a builder.
    Object(Vec<Field<'a>>),
}

/// A field of an object.
pub(super) struct Field<'a> {
    /// The name in the document.
    pub(super) wire: String,
    pub(super) name: Ident,
    /// Its type, as named in the module `types`, and as named in an application.
    pub(super) own: Type,
    pub(super) target: Type,
    pub(super) optional: bool,
    pub(super) absent: Absent,
    pub(super) null: Null,
    /// Its property in the document, if it has one.
    pub(super) property: Option<&'a Schema>,
}

/// The value of a member that is not set.
pub(super) enum Absent {
    /// The member is required.
    Rejected,
    /// The value is the default of its type.
    Default,
    /// The value is returned by a function of the module `defaults`.
    Made(ExprPath),
}

/// How a member that may be absent, and may also be `null` or empty, distinguishes the two. Typify uses a single `Option` or list
/// for both, so `null` or an empty list could not be sent, and would be lost when it is received.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Null {
    /// Only one of the two is possible.
    Plain,
    /// Its type already has `null` as a value, so the `Option` around the type means that the member is absent.
    Inside,
    /// It gets a separate `Option`: `Option<Option<T>>`.
    Outside,
    /// It is a list or a map that typify does not send if it is empty. It gets a separate `Option`, so that an empty one is sent.
    Collection,
}

impl Null {
    /// Whether the field has one more `Option` than typify writes.
    pub(super) fn is_wrapped(self) -> bool {
        matches!(self, Null::Outside | Null::Collection)
    }
}

impl<'a> Pass<'a> {
    /// Returns the kinds of the types in progenitor's module `types`, by folded name.
    pub(super) fn kinds_of(&self, types: &[Item]) -> BTreeMap<String, Kind<'a>> {
        let nullable: BTreeSet<&Ident> = types.iter().filter_map(holder_of_null).collect();
        let read: BTreeSet<&Ident> = types.iter().filter_map(read_from_text).collect();
        let kind = |item: &Item| {
            let (ident, kind) = match item {
                Item::Enum(choice) => (&choice.ident, choice_of(choice)?),
                Item::Struct(object) => {
                    let kind = match &object.fields {
                        Fields::Unnamed(fields) => {
                            holder(&fields.unnamed.first()?.ty, read.contains(&object.ident))?
                        }
                        fields => self.kind_of_object(&object.ident, fields, &nullable)?,
                    };
                    (&object.ident, kind)
                }
                _ => return None,
            };
            Some((folded(&ident.to_string()), kind))
        };
        types.iter().filter_map(kind).collect()
    }

    fn kind_of_object(
        &self,
        owner: &Ident,
        fields: &Fields,
        nullable: &BTreeSet<&Ident>,
    ) -> Option<Kind<'a>> {
        let properties = self.properties_of(owner);
        let field = |field: &syn::Field| {
            let name = field.ident.clone()?;
            let mut serde = serde_arguments(&field.attrs);
            let wire = serde.remove("rename").flatten();
            let wire = wire.unwrap_or_else(|| name.to_string());
            let inner = argument_of(&field.ty, "Option");
            let is_left_out = serde.contains_key("skip_serializing_if");
            let property = properties.get(&wire).copied();
            let is_null = property.is_some_and(|schema| self.document.allows_null(schema));
            Some(Field {
                optional: inner.is_some() || serde.contains_key("default"),
                null: match inner {
                    None if is_left_out && property.is_some_and(|own| own.default.is_none()) => {
                        Null::Collection
                    }
                    Some(inner) if is_left_out && is_null => match has_null(&inner, nullable) {
                        true => Null::Inside,
                        false => Null::Outside,
                    },
                    _ => Null::Plain,
                },
                absent: match serde.remove("default") {
                    Some(Some(path)) => Absent::Made(syn::parse_str(&path).ok()?),
                    Some(None) => Absent::Default,
                    None if is_left_out => Absent::Default,
                    None => Absent::Rejected,
                },
                target: in_module(&field.ty, "types"),
                own: field.ty.clone(),
                wire,
                name,
                property,
            })
        };
        let fields: Option<Vec<_>> = fields.iter().map(field).collect();
        fields.map(Kind::Object)
    }

    /// Returns the fields of an object.
    pub(super) fn fields(&self, owner: &Ident) -> Option<&[Field<'a>]> {
        match self.kind(owner)? {
            Kind::Object(fields) => Some(fields),
            _ => None,
        }
    }
}

/// Returns the kind of an enumeration of strings: an enum with only unit variants, each of which is parsed by its name.
fn choice_of<'a>(choice: &syn::ItemEnum) -> Option<Kind<'a>> {
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

/// Returns the kind of a type that wraps another type under a new name.
fn holder<'a>(inner: &Type, is_read_from_text: bool) -> Option<Kind<'a>> {
    let inner = in_module(inner, "types");
    match argument_of(&inner, "Vec") {
        Some(item) => Some(Kind::List(Box::new(item))),
        None => (is_string(&inner) && is_read_from_text).then_some(Kind::Text),
    }
}

/// Returns the name of a type that is parsed from text.
fn read_from_text(item: &Item) -> Option<&Ident> {
    match item {
        Item::Impl(block) if implements(block, "FromStr") => self_ident(block),
        _ => None,
    }
}

/// Returns the name of a type that is itself either `null` or a value.
fn holder_of_null(item: &Item) -> Option<&Ident> {
    match item {
        Item::Struct(object) => argument_of(held(&object.fields)?, "Option").map(|_| &object.ident),
        _ => None,
    }
}

/// Returns whether `null` is a value of a type.
fn has_null(target: &Type, nullable: &BTreeSet<&Ident>) -> bool {
    let Type::Path(path) = target else {
        return false;
    };
    let last = path.path.segments.last();
    last.is_some_and(|last| last.ident == "Value" || nullable.contains(&last.ident))
}

/// Returns the arguments of serde attributes, each with its text, if it has one.
pub(super) fn serde_arguments(attributes: &[Attribute]) -> BTreeMap<String, Option<String>> {
    let own = (attributes.iter()).filter(|attribute| attribute.path().is_ident("serde"));
    let arguments = own.filter_map(|attribute| {
        let list = Punctuated::<Meta, Token![,]>::parse_terminated;
        attribute.parse_args_with(list).ok()
    });
    let argument = |argument: Meta| {
        let name = argument.path().get_ident()?.to_string();
        let Meta::NameValue(MetaNameValue {
            value:
                Expr::Lit(ExprLit {
                    lit: Lit::Str(text),
                    ..
                }),
            ..
        }) = argument
        else {
            return Some((name, None));
        };
        Some((name, Some(text.value())))
    };
    arguments.flatten().filter_map(argument).collect()
}

/// Returns the name that serde gives a field or a variant.
pub(super) fn wire_name(attributes: &[Attribute], ident: &Ident) -> String {
    let name = serde_arguments(attributes).remove("rename").flatten();
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
    let text = target.to_token_stream().to_string();
    text.ends_with(":: string :: String")
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

/// Converts a type of the module `types` to the name that another module uses: `Size` becomes `types::Size`.
pub(super) fn in_module(target: &Type, module: &str) -> Type {
    struct Outside(Ident);
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
                let module = &self.0;
                *path = parse_quote!(#module::#path);
            }
        }
    }
    let mut target = target.clone();
    Outside(format_ident!("{module}")).visit_type_mut(&mut target);
    target
}
