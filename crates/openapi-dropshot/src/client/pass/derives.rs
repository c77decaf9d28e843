//! Lets applications compare and hash the types of the document, and make values of request bodies without a builder.

use super::{
    Pass, docs,
    examples::type_text,
    kinds::{Kind, from_outside, is_string, name_of},
    requests::Request,
};
use crate::client::names::folded;
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::{BTreeMap, BTreeSet};
use syn::{
    Attribute, Fields, Ident, ImplItem, Item, ItemStruct, Meta, Path, Token, Type, parse_quote,
    punctuated::Punctuated,
    visit_mut::{self, VisitMut},
};

/// Adds `PartialEq` to every type, and `Eq` and `Hash` to those without numbers of the types `f32` and `f64` and without
/// values of any type.
pub(super) fn derive(items: &mut [Item]) {
    let parts: BTreeMap<String, BTreeSet<String>> = items.iter().filter_map(parts).collect();
    let not_eq = containing(&parts, &["f32", "f64"]);
    let not_hash = containing(&parts, &["f32", "f64", "Value", "Map"]);
    for item in items {
        let (ident, attributes) = match item {
            Item::Struct(object) => (&object.ident, &mut object.attrs),
            Item::Enum(choice) => (&choice.ident, &mut choice.attrs),
            _ => continue,
        };
        let name = ident.to_string();
        add(attributes, parse_quote!(PartialEq));
        if !not_eq.contains(&name) {
            add(attributes, parse_quote!(Eq));
        }
        if !not_hash.contains(&name) {
            add(attributes, parse_quote!(Hash));
        }
    }
}

/// The name of a type, and the names of all types that its fields contain.
fn parts(item: &Item) -> Option<(String, BTreeSet<String>)> {
    let ident = match item {
        Item::Struct(object) => &object.ident,
        Item::Enum(choice) => &choice.ident,
        _ => return None,
    };
    let mut names = Names::default();
    // A visitor that does not change anything would need another feature of syn.
    names.visit_item_mut(&mut item.clone());
    Some((ident.to_string(), names.0))
}

#[derive(Default)]
struct Names(BTreeSet<String>);

impl VisitMut for Names {
    fn visit_path_mut(&mut self, path: &mut Path) {
        if let Some(last) = path.segments.last() {
            self.0.insert(last.ident.to_string());
        }
        visit_mut::visit_path_mut(self, path);
    }

    // The paths in attributes are no types.
    fn visit_attribute_mut(&mut self, _: &mut Attribute) {}
}

/// The types that contain one of these, directly or in another type.
fn containing(parts: &BTreeMap<String, BTreeSet<String>>, these: &[&str]) -> BTreeSet<String> {
    let mut found: BTreeSet<String> = these.iter().map(ToString::to_string).collect();
    loop {
        let more: Vec<&String> = parts
            .iter()
            .filter(|(name, parts)| !found.contains(*name) && !parts.is_disjoint(&found))
            .map(|(name, _)| name)
            .collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more.into_iter().cloned());
    }
}

fn add(attributes: &mut [Attribute], derived: Path) {
    for attribute in attributes {
        if attribute.path().is_ident("derive")
            && let Ok(mut paths) =
                attribute.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated)
        {
            if !paths.iter().any(|path| path.is_ident(&last(&derived))) {
                paths.push(derived);
                attribute.meta = parse_quote!(derive(#paths));
            }
            return;
        }
    }
}

fn last(path: &Path) -> String {
    path.segments
        .last()
        .map(|segment| segment.ident.to_string())
        .unwrap_or_default()
}

impl Pass<'_> {
    /// Returns the names of the types that requests contain. A later document adds no required members to them, because
    /// that breaks every client.
    pub(super) fn sent(&self, requests: &[Request<'_>], items: &[Item]) -> BTreeSet<String> {
        let parts: BTreeMap<String, BTreeSet<String>> = items.iter().filter_map(parts).collect();
        let bodies = requests.iter().filter_map(|request| request.body.as_ref());
        let mut open: Vec<String> = bodies
            .filter_map(|body| Some(name_of(&body.target)?.to_string()))
            .collect();
        let mut sent = BTreeSet::new();
        while let Some(name) = open.pop() {
            if let Some(contained) = parts.get(&name)
                && sent.insert(name)
            {
                open.extend(contained.iter().cloned());
            }
        }
        sent
    }

    /// Writes `new` of a type with named fields.
    pub(super) fn constructor(&self, object: &ItemStruct) -> Option<Item> {
        let Fields::Named(fields) = &object.fields else {
            return None;
        };
        let ident = &object.ident;
        let is_optional = |name: &Ident| match self.kinds.get(&folded(&ident.to_string())) {
            Some(Kind::Object(fields)) => fields
                .iter()
                .any(|field| field.name == *name && field.optional),
            _ => false,
        };
        let (mut parameters, mut values) = (Vec::new(), Vec::new());
        for field in &fields.named {
            let name = field.ident.as_ref()?;
            let target = &field.ty;
            values.push(if is_optional(name) {
                let default = default_of(&field.attrs);
                quote!(#name: #default)
            } else if is_string(target) {
                parameters.push(quote!(#name: impl Into<::std::string::String>));
                quote!(#name: #name.into())
            } else {
                parameters.push(quote!(#name: #target));
                quote!(#name)
            });
        }
        let example = self.constructor_example(ident, &required(fields, is_optional));
        let docs = docs([
            "Makes a value of its required members, in the order of the fields; the optional ones are not set.",
            &example,
        ]);
        Some(parse_quote! {
            impl #ident {
                #docs
                #[must_use]
                pub fn new(#(#parameters),*) -> Self {
                    Self { #(#values),* }
                }
            }
        })
    }

    /// Returns whether a type has a field of this name.
    pub(super) fn has_field(&self, ident: &Ident, name: &str) -> bool {
        match self.kinds.get(&folded(&ident.to_string())) {
            Some(Kind::Object(fields)) => fields.iter().any(|field| field.name == name),
            _ => false,
        }
    }

    /// Writes the method that ends the builder of a type, unless one of its setters has this name.
    pub(super) fn build(&self, ident: &Ident) -> Option<ImplItem> {
        if self.has_field(ident, "build") {
            return None;
        }
        let docs = docs([
            "Returns the value.",
            "# Errors",
            "A required member is not set, or a value is not valid. The error names the member.",
            &self.type_example(ident),
        ]);
        Some(parse_quote! {
            #docs
            pub fn build(self) -> ::std::result::Result<super::#ident, super::error::ConversionError> {
                self.try_into()
            }
        })
    }

    fn constructor_example(&self, ident: &Ident, names: &[(&Ident, &Type)]) -> String {
        let arguments: Vec<String> = names
            .iter()
            .map(|(name, target)| format!("{name}: {}", outside(target)))
            .collect();
        let names = names.iter().map(|(name, _)| name);
        let code = quote! {
            let value = types::#ident::new(#(#names),*);
            println!("{value:?}");
        };
        self.example_code(
            &format!("fn example({}) {{", arguments.join(", ")),
            &code,
            "}",
        )
    }
}

fn required<'a>(
    fields: &'a syn::FieldsNamed,
    is_optional: impl Fn(&Ident) -> bool,
) -> Vec<(&'a Ident, &'a Type)> {
    let field = |field: &'a syn::Field| {
        let name = field.ident.as_ref()?;
        (!is_optional(name)).then_some((name, &field.ty))
    };
    fields.named.iter().filter_map(field).collect()
}

/// The value of an optional field that is not set.
fn default_of(attributes: &[Attribute]) -> TokenStream {
    for attribute in attributes {
        if attribute.path().is_ident("serde")
            && let Meta::List(list) = &attribute.meta
            && let Ok(metas) = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
        {
            for meta in metas {
                if let Meta::NameValue(pair) = meta
                    && pair.path.is_ident("default")
                    && let syn::Expr::Lit(value) = pair.value
                    && let syn::Lit::Str(path) = value.lit
                    && let Ok(path) = path.parse::<syn::ExprPath>()
                {
                    return quote!(#path());
                }
            }
        }
    }
    quote!(::std::default::Default::default())
}

/// A type of the module `types` as an application names it.
fn outside(target: &Type) -> String {
    type_text(&from_outside(target))
}
