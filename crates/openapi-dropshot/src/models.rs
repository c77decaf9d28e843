//! Writes the files of the models: schemas and parameters.

mod collections;
mod leaves;
mod metadata;
mod numbers;
mod parameters;
mod structs;
pub(crate) mod types;
mod unions;

use crate::{
    File, Options,
    names::ident,
    plan::{
        Plan,
        ir::{Checked, Home, Kind, Rule},
    },
    render::modules,
};
use collections::collection;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use types::Shapes;

/// Writes the models. It fails if a bug in the generator makes them invalid Rust.
pub(crate) fn files(plan: &Plan<'_>, options: &Options) -> syn::Result<Vec<File>> {
    let mut shapes = Shapes::default();
    let schemas = items(plan, Home::Schemas, &mut shapes);
    let parameters = parameters::file(plan, &mut shapes);
    let shapes = shapes.module();
    let root = quote! {
        #![allow(
            clippy::derivable_impls, clippy::doc_lazy_continuation, clippy::doc_overindented_list_items,
            clippy::enum_variant_names, clippy::manual_range_contains, clippy::too_many_arguments, unused_imports,
            unused_variables,
            reason = "the names, words and values of the document"
        )]

        use openapi_dropshot_types::prelude::models::*;
        pub use openapi_dropshot_types::{
            FromText, Violation, formats::{Base64, Date, DateTime, IpAddress, Ipv4Address, Ipv6Address, Uuid},
        };

        #shapes
    };
    let parts = [
        (
            "parameters",
            "Parameters of requests and headers of responses.",
            parameters,
        ),
        ("schemas", "The schemas.", schemas),
    ];
    modules(options, &options.models, root, parts)
}

/// Returns the items of one file.
fn items(plan: &Plan<'_>, home: Home, shapes: &mut Shapes) -> TokenStream {
    let mut code = TokenStream::new();
    // The types whose traits are implemented by macros of `openapi-dropshot-types`.
    let (mut objects, mut checked_objects) = (Vec::new(), Vec::new());
    let mut string_enums = Vec::new();
    let (mut checked_numbers, mut checked_strings) = (Vec::new(), Vec::new());
    for item in plan.items.iter().filter(|item| item.home == home) {
        let name = ident(&item.name);
        code.extend(match &item.kind {
            Kind::Struct(object) => {
                match object.has_check() {
                    true => checked_objects.push(name),
                    false => objects.push(name),
                }
                structs::object(plan, item, object, shapes)
            }
            Kind::Words(words) => {
                string_enums.push(name);
                leaves::words(plan, item, words)
            }
            Kind::Checked(checked) => {
                let Checked { scalar, rule } = checked;
                if let Rule::Text(_) = rule {
                    checked_strings.push(name);
                } else {
                    let number = types::tokens(types::plain(scalar));
                    checked_numbers.push(quote!(#name(#number)));
                }
                leaves::checked(plan, item, checked)
            }
            Kind::Items(of, rules) => collection(plan, item, of, rules, true, shapes),
            Kind::Entries(of, rules) => collection(plan, item, of, rules, false, shapes),
            Kind::Union(union) => unions::union(plan, item, union, shapes),
            Kind::Wrapper(ty) => structs::wrapper(plan, item, ty, shapes),
            Kind::Alias(ty) => structs::alias(item, ty),
        });
    }
    code.extend(implementations("objects", &objects));
    code.extend(implementations("checked_objects", &checked_objects));
    code.extend(implementations("string_enums", &string_enums));
    code.extend(implementations("checked_numbers", &checked_numbers));
    code.extend(implementations("checked_strings", &checked_strings));
    code
}

/// Writes the call of a macro of `openapi-dropshot-types` for these types; `None` if there are no
/// types.
pub(crate) fn implementations<T: ToTokens>(name: &str, types: &[T]) -> Option<TokenStream> {
    let name = ident(name);
    (!types.is_empty()).then(|| quote!(openapi_dropshot_types::#name!(#(#types),*);))
}
