//! The files of the models: schemas, parameters, and what they share.

mod collections;
mod leaves;
mod metadata;
mod parameters;
mod shapes;
mod structs;
pub(crate) mod types;
mod unions;

use crate::{
    File, Options,
    plan::{
        Plan,
        ir::{Home, Item, Kind, Others, Scalar, Ty},
    },
    render::{self, Import, Part},
};
use proc_macro2::TokenStream;
use quote::quote;
use types::Shapes;

/// What a file of models may import, sorted by path.
const IMPORTS: &[Import] = &[
    ("enumerations", "super::support::enumerations"),
    ("objects", "super::support::objects"),
    ("Alternatives", "super::unions::Alternatives"),
    ("FromText", "super::support::FromText"),
    ("Violation", "super::support::Violation"),
    ("support", "super::support"),
    ("Base64", "super::formats::Base64"),
    ("Date", "super::formats::Date"),
    ("DateTime", "super::formats::DateTime"),
    ("IpAddress", "super::formats::IpAddress"),
    ("Ipv4Address", "super::formats::Ipv4Address"),
    ("Ipv6Address", "super::formats::Ipv6Address"),
    ("Uuid", "super::formats::Uuid"),
    ("JsonSchema", "schemars::JsonSchema"),
    ("SchemaGenerator", "schemars::r#gen::SchemaGenerator"),
    ("ArrayValidation", "schemars::schema::ArrayValidation"),
    ("InstanceType", "schemars::schema::InstanceType"),
    ("Metadata", "schemars::schema::Metadata"),
    ("NumberValidation", "schemars::schema::NumberValidation"),
    ("ObjectValidation", "schemars::schema::ObjectValidation"),
    ("Schema", "schemars::schema::Schema"),
    ("SchemaObject", "schemars::schema::SchemaObject"),
    ("StringValidation", "schemars::schema::StringValidation"),
    (
        "SubschemaValidation",
        "schemars::schema::SubschemaValidation",
    ),
    ("Deserialize", "serde::Deserialize"),
    ("Deserializer", "serde::Deserializer"),
    ("Serialize", "serde::Serialize"),
    ("Map", "serde_json::Map"),
    ("Value", "serde_json::Value"),
    ("BTreeMap", "std::collections::BTreeMap"),
    ("fmt", "std::fmt"),
    ("FromStr", "std::str::FromStr"),
    ("LazyLock", "std::sync::LazyLock"),
];

const SUPPORT: &str = include_str!("models/templates/support.rs");
const FORMATS: &str = include_str!("models/templates/formats.rs");
const UNIONS: &str = include_str!("models/templates/unions.rs");

/// Writes the models.
///
/// # Errors
///
/// The generator wrote something that is no Rust: a fault of its own.
pub(crate) fn files(plan: &Plan<'_>, options: &Options) -> syn::Result<Vec<File>> {
    let first = options.first_line();
    let mut shapes = Shapes::default();
    let schemas = schemas(plan, &mut shapes)?;
    let parameters = parameters::file(plan, &mut shapes)?;
    let mut files = Vec::new();
    let mut add = |name: &str, text: String| {
        files.push(File {
            path: Options::path(&options.models, name),
            text,
        });
    };
    let mut modules = Vec::new();
    if uses_formats(plan) {
        let about = ["", "The formats of strings that are checked."];
        add(
            "formats.rs",
            render::file_of(&first, &about, &[Part::template(FORMATS)])?,
        );
        modules.push("formats");
    }
    for (name, about, code) in [
        (
            "parameters",
            "Parameters of requests and headers of answers.",
            parameters,
        ),
        ("schemas", "The schemas.", schemas),
    ] {
        if let Some(code) = code {
            add(
                &format!("{name}.rs"),
                render::file(&first, &["", about], code)?,
            );
            modules.push(name);
        }
    }
    if let Some(code) = shapes::file(&shapes) {
        let about = [
            "",
            "Types that say in schemas what the types of Rust cannot.",
        ];
        add("shapes.rs", render::file(&first, &about, code)?);
    }
    let unions = plan
        .items
        .iter()
        .any(|item| matches!(item.kind, Kind::Union(_)));
    if unions {
        let about = ["", "How one of several types is chosen."];
        add(
            "unions.rs",
            render::file_of(&first, &about, &[Part::template(UNIONS)])?,
        );
    }
    let about = [
        "",
        "What the generated types share: how a broken rule is reported, and how the",
        "text of a parameter becomes a value.",
    ];
    add(
        "support.rs",
        render::file_of(&first, &about, &[Part::template(SUPPORT)])?,
    );
    add(
        "mod.rs",
        render::file(&first, &[], root(&modules, !shapes.is_empty(), unions))?,
    );
    Ok(files)
}

fn root(modules: &[&str], shapes: bool, unions: bool) -> TokenStream {
    let modules: Vec<_> = modules
        .iter()
        .map(|name| crate::names::ident(name))
        .collect();
    let plain = modules.iter().filter(|module| *module != "formats");
    let formats = modules.iter().any(|module| module == "formats").then(|| {
        quote! {
            #[allow(dead_code, reason = "the same for every document")]
            mod formats;
        }
    });
    let shapes = shapes.then(|| {
        quote!(
            mod shapes;
        )
    });
    let unions = unions.then(|| {
        quote! {
            #[allow(dead_code, reason = "the same for every document")]
            mod unions;
        }
    });
    quote! {
        #![allow(
            clippy::derivable_impls, clippy::doc_lazy_continuation, clippy::doc_overindented_list_items,
            clippy::enum_variant_names,
            reason = "the names, words and values of the document"
        )]
        #formats
        #(mod #plain;)*
        #shapes
        #[allow(dead_code, unused_imports, unused_macros, reason = "the same for every document")]
        mod support;
        #unions
        #(pub use #modules::*;)*
        pub use support::{FromText, Violation};
    }
}

/// The file of the schemas, where the document has some.
fn schemas(plan: &Plan<'_>, shapes: &mut Shapes) -> syn::Result<Option<TokenStream>> {
    let code = items(plan, Home::Schemas, shapes);
    if code.is_empty() {
        return Ok(None);
    }
    let imports = render::imports(&code, IMPORTS)?;
    Ok(Some(quote!(#imports #code)))
}

/// The items of one file.
fn items(plan: &Plan<'_>, home: Home, shapes: &mut Shapes) -> TokenStream {
    let own: Vec<&Item> = plan.items.iter().filter(|item| item.home == home).collect();
    let written: Vec<TokenStream> = own
        .iter()
        .map(|item| item_code(plan, item, shapes))
        .collect();
    let names = |wanted: fn(&Kind) -> bool| {
        let names = own
            .iter()
            .filter(|item| wanted(&item.kind))
            .map(|item| crate::names::ident(&item.name));
        names.collect::<Vec<_>>()
    };
    let (objects, words) = (
        names(|kind| matches!(kind, Kind::Struct(_))),
        names(|kind| matches!(kind, Kind::Words(_))),
    );
    let objects = (!objects.is_empty()).then(|| quote!(objects!(#(#objects),*);));
    let words = (!words.is_empty()).then(|| quote!(enumerations!(#(#words),*);));
    quote!(#(#written)* #objects #words)
}

fn item_code(plan: &Plan<'_>, item: &Item, shapes: &mut Shapes) -> TokenStream {
    match &item.kind {
        Kind::Struct(object) => structs::object(plan, item, object, shapes),
        Kind::Words(words) => leaves::words(plan, item, words),
        Kind::Checked(checked) => leaves::checked(plan, item, checked),
        Kind::Items(of, rules) => collections::items(plan, item, of, rules, shapes),
        Kind::Entries(of, rules) => collections::entries(plan, item, of, rules, shapes),
        Kind::Union(union) => unions::union(plan, item, union, shapes),
        Kind::Wrapper(ty) => structs::wrapper(plan, item, ty, shapes),
        Kind::Alias(ty) => structs::alias(item, ty),
    }
}

/// Whether a format that is checked occurs anywhere.
fn uses_formats(plan: &Plan<'_>) -> bool {
    let in_items = plan.items.iter().any(|item| match &item.kind {
        Kind::Struct(object) => {
            object.fields.iter().any(|field| has_format(&field.ty))
                || matches!(&object.others, Others::Kept(_, ty) if has_format(ty))
        }
        Kind::Items(ty, _) | Kind::Entries(ty, _) | Kind::Wrapper(ty) | Kind::Alias(ty) => {
            has_format(ty)
        }
        Kind::Union(union) => union.variants.iter().any(|variant| has_format(&variant.ty)),
        Kind::Words(_) | Kind::Checked(_) => false,
    });
    in_items
        || plan.operations.iter().any(|operation| {
            let success = &operation.success;
            let sets = [
                &operation.path,
                &operation.query,
                &operation.header,
                &success.headers,
            ];
            sets.into_iter()
                .flatten()
                .flat_map(|set| &set.fields)
                .any(|field| has_format(&field.ty))
                || operation
                    .body
                    .iter()
                    .filter_map(|body| body.ty())
                    .chain(&success.body)
                    .any(has_format)
        })
}

fn has_format(ty: &Ty) -> bool {
    match ty {
        Ty::Scalar(scalar) => matches!(scalar, Scalar::Format(_)),
        Ty::List(inner) | Ty::Map(inner) | Ty::Nullable(inner) | Ty::Boxed(inner) => {
            has_format(inner)
        }
        Ty::Named(_) | Ty::AnyMap | Ty::Any | Ty::Null | Ty::Refused => false,
    }
}
