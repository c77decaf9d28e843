//! Turns tokens into the text of a file: imports, formatting, the first line.

use crate::names::ident;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::quote;
use std::collections::BTreeSet;

/// An import that a file gets where its code has the name.
pub(crate) type Import = (&'static str, &'static str);

/// The names that code takes from around it: the first names of its paths.
/// Texts and comments do not count, nor do the names that it gives to types,
/// functions and variants.
pub(crate) fn names_in(tokens: &TokenStream) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut open = vec![tokens.clone()];
    while let Some(stream) = open.pop() {
        let mut colons = 0;
        let mut defines = false;
        let mut choice = false;
        for token in stream {
            match token {
                TokenTree::Group(group) if choice && group.delimiter() == Delimiter::Brace => {
                    // Variants are defined here; what they hold is used.
                    open.extend(group.stream().into_iter().filter_map(|token| match token {
                        TokenTree::Group(held) => Some(held.stream()),
                        _ => None,
                    }));
                    (colons, defines, choice) = (0, false, false);
                }
                TokenTree::Group(group) => {
                    open.push(group.stream());
                    (colons, defines) = (0, false);
                }
                TokenTree::Ident(name) => {
                    let name = name.to_string();
                    let definition = matches!(name.as_str(), "enum" | "fn" | "type");
                    let defined = std::mem::replace(&mut defines, definition);
                    choice |= name == "enum";
                    if colons < 2 && !defined {
                        names.insert(name);
                    }
                    colons = 0;
                }
                TokenTree::Punct(mark) => {
                    colons = if mark.as_char() == ':' { colons + 1 } else { 0 }
                }
                TokenTree::Literal(_) => colons = 0,
            }
        }
    }
    names
}

/// The imports that the code needs, one line for each place they come from.
///
/// # Errors
///
/// A path of the table is none.
pub(crate) fn imports(code: &TokenStream, table: &[Import]) -> syn::Result<TokenStream> {
    let names = names_in(code);
    grouped(
        table
            .iter()
            .filter(|(name, _)| names.contains(*name))
            .map(|(_, path)| *path),
    )
}

/// Imports of paths, one line for each run of the same place.
///
/// # Errors
///
/// A path is none.
pub(crate) fn grouped<'p>(paths: impl Iterator<Item = &'p str>) -> syn::Result<TokenStream> {
    let mut places: Vec<(&str, Vec<&str>)> = Vec::new();
    for path in paths {
        let (place, name) = path.rsplit_once("::").unwrap_or(("self", path));
        match places.last_mut() {
            Some((last, names)) if *last == place => names.push(name),
            _ => places.push((place, vec![name])),
        }
    }
    let mut uses = Vec::new();
    for (place, names) in places {
        let place: syn::Path = syn::parse_str(place)?;
        let names = names.into_iter().map(ident);
        uses.push(quote!(use #place::{#(#names),*};));
    }
    Ok(quote!(#(#uses)*))
}

/// Formats a file: its first line, what it is about, and its code. Empty lines
/// separate the items, which the printer alone would not do.
///
/// # Errors
///
/// The tokens are no Rust, which is a fault of the generator.
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
        if !(belongs && before == Some(kind)) {
            out.push('\n');
        }
        before = Some(kind);
        let spaced = matches!(
            item,
            syn::Item::Impl(_) | syn::Item::Trait(_) | syn::Item::Mod(_)
        );
        let text = prettyplease::unparse(&syn::File {
            shebang: None,
            attrs: Vec::new(),
            items: vec![item],
        });
        out.push_str(&if spaced { set_apart(&text) } else { text });
    }
}

/// Sets the parts of a block apart by empty lines.
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
mod tests {
    use super::*;

    #[test]
    fn items_are_set_apart_and_imports_stand_together() {
        let code = quote!(
            use a::B;
            use c::D;
            struct E;
            fn f() {}
        );
        let text = file("//! First.", &["", "Second."], code).unwrap_or_default();
        assert_eq!(
            text,
            "//! First.\n//!\n//! Second.\n\nuse a::B;\nuse c::D;\n\nstruct E;\n\nfn f() {}\n"
        );
    }

    #[test]
    fn only_names_that_occur_are_imported() {
        let code = quote!(
            struct A {
                b: Cow<'static, str>,
                c: &'static str,
            }
            const D: &str = "fmt";
        );
        let table = [("Cow", "std::borrow::Cow"), ("fmt", "std::fmt")];
        let uses = imports(&code, &table)
            .map(|uses| uses.to_string())
            .unwrap_or_default();
        assert_eq!(
            uses,
            quote!(
                use std::borrow::{Cow};
            )
            .to_string()
        );
    }

    #[test]
    fn names_that_the_code_defines_are_not_imported() {
        let code = quote!(
            enum Id {
                #[doc = "A variant."]
                Response,
                Held(Cow<'static, str>),
            }
            impl Id {
                fn fmt(self) -> &'static str {
                    match self {
                        Id::Response => "response",
                        Id::Held(_) => "held",
                    }
                }
            }
        );
        let names = names_in(&code);
        assert!(names.contains("Cow"), "{names:?}");
        assert!(
            !names.contains("Response") && !names.contains("fmt"),
            "{names:?}"
        );
    }
}
