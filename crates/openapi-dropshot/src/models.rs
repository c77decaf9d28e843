//! Writes the files of the models: schemas and parameters.

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
        ir::{Checked, Home, Item, Kind, Others, Rule, Scalar, Ty},
    },
    render::{self, Import},
};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use std::collections::BTreeSet;
use types::Shapes;

/// The imports that a file of models may have, sorted by path.
const IMPORTS: &[Import] = &[
    ("FromText", "openapi_dropshot_types::FromText"),
    ("Violation", "openapi_dropshot_types::Violation"),
    ("Base64", "openapi_dropshot_types::formats::Base64"),
    ("Date", "openapi_dropshot_types::formats::Date"),
    ("DateTime", "openapi_dropshot_types::formats::DateTime"),
    ("IpAddress", "openapi_dropshot_types::formats::IpAddress"),
    (
        "Ipv4Address",
        "openapi_dropshot_types::formats::Ipv4Address",
    ),
    (
        "Ipv6Address",
        "openapi_dropshot_types::formats::Ipv6Address",
    ),
    ("Uuid", "openapi_dropshot_types::formats::Uuid"),
    (
        "Alternatives",
        "openapi_dropshot_types::unions::Alternatives",
    ),
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
];

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
    for (name, about, code) in [
        (
            "parameters",
            "Parameters of requests and headers of responses.",
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
    add(
        "mod.rs",
        render::file(&first, &[], root(plan, &modules, !shapes.is_empty()))?,
    );
    Ok(files)
}

fn root(plan: &Plan<'_>, modules: &[&str], shapes: bool) -> TokenStream {
    let modules: Vec<_> = modules
        .iter()
        .map(|name| crate::names::ident(name))
        .collect();
    let shapes = shapes.then(|| {
        quote!(
            mod shapes;
        )
    });
    let formats: Vec<_> = formats(plan).into_iter().map(crate::names::ident).collect();
    let formats = (!formats.is_empty())
        .then(|| quote!(pub use openapi_dropshot_types::formats::{#(#formats),*};));
    quote! {
        #![allow(
            clippy::derivable_impls, clippy::doc_lazy_continuation, clippy::doc_overindented_list_items,
            clippy::enum_variant_names,
            reason = "the names, words and values of the document"
        )]
        #(mod #modules;)*
        #shapes
        pub use openapi_dropshot_types::{FromText, Violation};
        #formats
        #(pub use #modules::*;)*
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
    let mut names = Implemented::default();
    for item in own {
        let name = crate::names::ident(&item.name);
        match &item.kind {
            Kind::Struct(_) => names.objects.push(name),
            Kind::Words(_) => names.string_enums.push(name),
            Kind::Checked(Checked { scalar, rule }) => match rule {
                Rule::Text(_) => names.checked_strings.push(name),
                _ => {
                    let number = types::tokens(types::plain(scalar));
                    names.checked_numbers.push(quote!(#name(#number)));
                }
            },
            _ => {}
        }
    }
    let implementations = names.macros();
    quote!(#(#written)* #implementations)
}

/// The types for which macros of `openapi-dropshot-types` implement traits.
#[derive(Default)]
struct Implemented {
    objects: Vec<Ident>,
    string_enums: Vec<Ident>,
    checked_numbers: Vec<TokenStream>,
    checked_strings: Vec<Ident>,
}

impl Implemented {
    fn macros(&self) -> TokenStream {
        fn call<T: ToTokens>(name: &str, types: &[T]) -> Option<TokenStream> {
            let name = crate::names::ident(name);
            (!types.is_empty()).then(|| quote!(openapi_dropshot_types::#name!(#(#types),*);))
        }
        let calls = [
            call("objects", &self.objects),
            call("string_enums", &self.string_enums),
            call("checked_numbers", &self.checked_numbers),
            call("checked_strings", &self.checked_strings),
        ];
        calls.into_iter().flatten().collect()
    }
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

/// The types of the formats that are checked and occur in the document.
fn formats(plan: &Plan<'_>) -> BTreeSet<&'static str> {
    let mut formats = BTreeSet::new();
    for item in &plan.items {
        match &item.kind {
            Kind::Struct(object) => {
                for field in &object.fields {
                    collect_formats(&field.ty, &mut formats);
                }
                if let Others::Collected(_, ty) = &object.others {
                    collect_formats(ty, &mut formats);
                }
            }
            Kind::Items(ty, _) | Kind::Entries(ty, _) | Kind::Wrapper(ty) | Kind::Alias(ty) => {
                collect_formats(ty, &mut formats);
            }
            Kind::Union(union) => {
                for variant in &union.variants {
                    collect_formats(&variant.ty, &mut formats);
                }
            }
            Kind::Words(_) | Kind::Checked(_) => {}
        }
    }
    for operation in &plan.operations {
        let success = &operation.success;
        let sets = [
            &operation.path,
            &operation.query,
            &operation.header,
            &success.headers,
        ];
        for field in sets.into_iter().flatten().flat_map(|set| &set.fields) {
            collect_formats(&field.ty, &mut formats);
        }
        let bodies = operation.body.iter().filter_map(|body| body.ty());
        for ty in bodies.chain(&success.body) {
            collect_formats(ty, &mut formats);
        }
    }
    formats
}

fn collect_formats(ty: &Ty, formats: &mut BTreeSet<&'static str>) {
    match ty {
        Ty::Scalar(Scalar::Format(format)) => {
            formats.insert(*format);
        }
        Ty::List(inner) | Ty::Map(inner) | Ty::Nullable(inner) | Ty::Boxed(inner) => {
            collect_formats(inner, formats);
        }
        Ty::Scalar(_) | Ty::Named(_) | Ty::AnyMap | Ty::Any | Ty::Null | Ty::Invalid => {}
    }
}
