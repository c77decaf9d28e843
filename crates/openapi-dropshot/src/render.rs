//! Converts tokens to the files of a folder: formats them, and adds the first line and `mod.rs`.

use crate::{File, Options, names::ident};
use openapi_dropshot_contract::model::StatusCode;
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};

/// Writes `Some(…)` or `None`.
pub(crate) fn option(value: Option<impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(Some(#value)),
        None => quote!(None),
    }
}

/// Writes the pattern that matches the codes of a response.
pub(crate) fn status_pattern(status: StatusCode) -> TokenStream {
    match status {
        StatusCode::Exact(status) => Literal::u16_unsuffixed(status).into_token_stream(),
        StatusCode::Range(class) => {
            let first = u16::from(class) * 100;
            let [first, last] = [first, first + 99].map(Literal::u16_unsuffixed);
            quote!(#first..=#last)
        }
        StatusCode::Default => quote!(_),
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
    let inner = printed(file.attrs, Vec::new());
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
        let text = printed(Vec::new(), vec![item]);
        out.push_str(&if spaced { set_apart(&text) } else { text });
    }
}

fn printed(attrs: Vec<syn::Attribute>, items: Vec<syn::Item>) -> String {
    prettyplease::unparse(&syn::File {
        shebang: None,
        frontmatter: None,
        attrs,
        items,
    })
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
