//! Rewords the error messages of generated code, so that they use the names of the document and say what to do.

use proc_macro2::{Group, Literal, TokenStream, TokenTree};
use syn::{
    ImplItemFn,
    visit_mut::{self, VisitMut},
};

/// Replaces each text of a function, also inside macros, for which `reword` returns another one.
pub(super) fn reword(method: &mut ImplItemFn, reword: impl Fn(&str) -> Option<String>) {
    Messages(&reword).visit_block_mut(&mut method.block);
}

struct Messages<'a>(&'a dyn Fn(&str) -> Option<String>);

impl VisitMut for Messages<'_> {
    fn visit_lit_str_mut(&mut self, text: &mut syn::LitStr) {
        if let Some(reworded) = (self.0)(&text.value()) {
            *text = syn::LitStr::new(&reworded, text.span());
        }
    }

    fn visit_macro_mut(&mut self, code: &mut syn::Macro) {
        visit_mut::visit_macro_mut(self, code);
        code.tokens = self.in_tokens(std::mem::take(&mut code.tokens));
    }
}

impl Messages<'_> {
    fn in_tokens(&self, tokens: TokenStream) -> TokenStream {
        tokens
            .into_iter()
            .map(|token| match token {
                TokenTree::Literal(literal) => TokenTree::Literal(self.in_literal(literal)),
                TokenTree::Group(group) => TokenTree::Group(Group::new(
                    group.delimiter(),
                    self.in_tokens(group.stream()),
                )),
                other => other,
            })
            .collect()
    }

    fn in_literal(&self, literal: Literal) -> Literal {
        let text = match syn::Lit::new(literal.clone()) {
            syn::Lit::Str(text) => text.value(),
            _ => return literal,
        };
        (self.0)(&text).map_or(literal, |reworded| Literal::string(&reworded))
    }
}
