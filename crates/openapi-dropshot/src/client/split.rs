//! Distributes the generated code over several files.

use super::pass::Modules;
use crate::{File, Options, render};
use proc_macro2::TokenStream;
use quote::quote;
use syn::{Item, ItemMod};

/// The files of the client.
pub(super) fn files(modules: Modules, options: &Options) -> syn::Result<Vec<File>> {
    let (mut modules_of_types, mut types) = (Vec::new(), Vec::new());
    let mut files = Vec::new();
    for item in modules.types {
        let Item::Mod(ItemMod {
            ident,
            content: Some((_, items)),
            ..
        }) = item
        else {
            types.push(item);
            continue;
        };
        let name = ident.to_string();
        let (public, about) = match name.as_str() {
            "builder" => (quote!(pub), "Builders of the types, field by field."),
            "error" => (quote!(pub), "The error of a value that a type rejects."),
            _ => (quote!(), "The values of absent properties."),
        };
        modules_of_types.push(quote!(#public mod #ident;));
        let code = quote!(#(#items)*);
        files.push(file(
            options,
            &format!("types/{name}.rs"),
            &["", about],
            code,
        )?);
    }
    let about = "The types of the document: the bodies and parameters of requests and responses.";
    let types = quote!(#(#modules_of_types)* #(#types)*);
    files.push(file(options, "types.rs", &["", about], types)?);
    let about = "Requests, each with its parameters and `send`.";
    files.push(file(options, "builder.rs", &["", about], modules.builder)?);
    let about = "The client, with a method for each operation.";
    files.push(file(options, "client.rs", &["", about], modules.client)?);
    files.push(file(options, "mod.rs", &[], modules.root)?);
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn file(options: &Options, name: &str, about: &[&str], code: TokenStream) -> syn::Result<File> {
    Ok(File {
        path: Options::path(&options.client, name),
        text: render::file(&options.first_line(), about, code)?,
    })
}
