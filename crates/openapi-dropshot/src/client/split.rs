//! Distributes the generated code over several files.

use super::pass::Modules;
use crate::{File, Options, render};
use quote::quote;
use syn::{Item, ItemMod, parse_quote};

/// The files of the client.
pub(super) fn files(modules: Modules, options: &Options) -> syn::Result<Vec<File>> {
    let Modules {
        root,
        client,
        builder,
        types,
    } = modules;
    let mut files = Vec::new();
    let (nested, types): (Vec<Item>, Vec<Item>) = types
        .into_iter()
        .partition(|item| matches!(item, Item::Mod(_)));
    let mut declared = Vec::new();
    for item in nested {
        let Item::Mod(ItemMod {
            ident,
            content: Some((_, items)),
            ..
        }) = item
        else {
            continue;
        };
        let (name, about) = match ident.to_string() {
            name if name == "builder" => (name, "Builders of the types, field by field."),
            name if name == "error" => (name, "The error of a value that a type rejects."),
            name => (name, "The values of absent properties."),
        };
        let public = if name == "defaults" {
            quote!()
        } else {
            quote!(pub)
        };
        declared.push(quote!(#public mod #ident;));
        files.push(file(options, &format!("types/{name}.rs"), about, items)?);
    }
    let types: Vec<Item> = declared
        .into_iter()
        .map(|module| parse_quote!(#module))
        .chain(types)
        .collect();
    files.push(file(
        options,
        "types.rs",
        "The types of the document: the bodies and parameters of requests and responses.",
        types,
    )?);
    let builder = used(
        parse_quote!(
            use super::types;
        ),
        "types",
        builder,
    );
    let builder = used(
        parse_quote!(
            use ::openapi_dropshot_client::generated as toolkit;
        ),
        "toolkit",
        builder,
    );
    files.push(file(
        options,
        "builder.rs",
        "Requests, each with its parameters and `send`.",
        builder,
    )?);
    let client = used(
        parse_quote!(
            use super::builder;
        ),
        "builder",
        client,
    );
    files.push(file(
        options,
        "client.rs",
        "The client, with a method for each operation.",
        client,
    )?);
    let text = render::file(&options.first_line(), &[], root)?;
    files.push(File {
        path: Options::path(&options.client, "mod.rs"),
        text,
    });
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

/// The items with an import in front, where they have the name.
fn used(import: Item, name: &str, mut items: Vec<Item>) -> Vec<Item> {
    if render::names_in(&quote!(#(#items)*)).contains(name) {
        items.insert(0, import);
    }
    items
}

fn file(options: &Options, name: &str, about: &str, items: Vec<Item>) -> syn::Result<File> {
    let text = render::file(&options.first_line(), &["", about], quote!(#(#items)*))?;
    Ok(File {
        path: Options::path(&options.client, name),
        text,
    })
}
