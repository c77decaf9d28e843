//! Converts tokens to the files of a folder: formats them, and adds the first line and `mod.rs`.

use crate::{File, Options, names::ident};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// Writes `Some(…)` or `None`.
pub(crate) fn option(value: Option<impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(Some(#value)),
        None => quote!(None),
    }
}

/// Returns the files of a folder: a module for each part that has code, with its name and its first
/// sentence, and `mod.rs`, which begins with `root` and exports the modules. Each module imports
/// the names of `mod.rs`.
pub(crate) fn modules<const N: usize>(
    options: &Options,
    folder: &str,
    root: TokenStream,
    parts: [(&str, &str, TokenStream); N],
) -> syn::Result<Vec<File>> {
    let first_line = options.first_line();
    let mut files = Vec::new();
    let mut modules = Vec::new();
    for (name, about, code) in parts {
        if code.is_empty() {
            continue;
        }
        modules.push(ident(name));
        files.push(File {
            path: Options::path(folder, &format!("{name}.rs")),
            text: file(&first_line, &["", about], quote!(use super::*; #code))?,
        });
    }
    let root = quote!(#root #(mod #modules;)* #(pub use #modules::*;)*);
    files.push(File {
        path: Options::path(folder, "mod.rs"),
        text: file(&first_line, &[], root)?,
    });
    Ok(files)
}

/// Formats a file: its first line, its description and its code. It adds empty lines between the
/// items, because the printer does not. It fails if the tokens are not valid Rust, which is a bug
/// in the generator.
pub(crate) fn file(first_line: &str, about: &[&str], code: TokenStream) -> syn::Result<String> {
    let mut out = format!("{first_line}\n");
    for line in about {
        out.push_str(if line.is_empty() { "//!" } else { "//! " });
        out.push_str(line);
        out.push('\n');
    }
    items(syn::parse2(code)?, &mut out);
    Ok(out)
}

fn items(file: syn::File, out: &mut String) {
    let inner = syn::File {
        shebang: None,
        frontmatter: None,
        attrs: file.attrs,
        items: Vec::new(),
    };
    let inner = prettyplease::unparse(&inner);
    if !inner.trim().is_empty() {
        out.push('\n');
        out.push_str(&inner);
    }
    let mut before = None;
    for item in file.items {
        let kind = std::mem::discriminant(&item);
        let belongs = matches!(
            item,
            syn::Item::Use(_) | syn::Item::Mod(syn::ItemMod { content: None, .. })
        );
        if !belongs || before != Some(kind) {
            out.push('\n');
        }
        before = belongs.then_some(kind);
        let spaced = matches!(
            item,
            syn::Item::Impl(_) | syn::Item::Trait(_) | syn::Item::Mod(_)
        );
        let text = prettyplease::unparse(&syn::File {
            shebang: None,
            frontmatter: None,
            attrs: Vec::new(),
            items: vec![item],
        });
        out.push_str(&if spaced { set_apart(&text) } else { text });
    }
}

/// Separates the parts of a block by empty lines.
fn set_apart(text: &str) -> String {
    let mut out = String::new();
    let mut ended = false;
    for line in text.lines() {
        let inner = line.strip_prefix("    ");
        if ended && inner.is_some() {
            out.push('\n');
        }
        ended = inner.is_some_and(|line| {
            !line.starts_with([' ', '/']) && (line == "}" || line.ends_with(';'))
        });
        out.push_str(line);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests;
