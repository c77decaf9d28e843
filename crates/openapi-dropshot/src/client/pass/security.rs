//! Writes the security schemes of the document, and the schemes that each operation requires.

use super::{Pass, described, docs};
use crate::{
    names::{Names, ident, snake},
    plan::{is_key, scheme_kind, scheme_of_single_key},
};
use indexmap::IndexMap;
use openapi_dropshot_contract::model::{Document, Operation};
use openapi_dropshot_types::SchemeKind;
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// The security schemes of the operations of a document, in the order of the document.
pub(super) struct Schemes<'a>(IndexMap<&'a str, (SchemeKind<'a>, Ident)>);

impl<'a> Schemes<'a> {
    /// Reads the schemes, except those whose credential a client cannot send.
    pub(super) fn of(document: &'a Document) -> Self {
        let required = |name: &str| {
            let mut operations = document.operations.iter();
            operations.any(|operation| operation.security.iter().any(|all| all.contains_key(name)))
        };
        let declared = document.security_schemes.iter();
        let mut names = Names::default();
        let schemes = declared.filter_map(|(name, scheme)| {
            let kind = scheme_kind(scheme).filter(|_| required(name))?;
            let constant = names.claim(&snake(name)).to_uppercase();
            Some((name.as_str(), (kind, ident(&constant))))
        });
        Schemes(schemes.collect())
    }

    /// Returns how a client sends a single API key without a scheme name: as the scheme that most operations require alone.
    pub(super) fn credential(&self, document: &Document) -> TokenStream {
        let scheme = scheme_of_single_key(document).and_then(|name| self.0.get(name));
        credential(scheme.map_or(SchemeKind::Bearer, |(kind, _)| *kind))
    }

    /// Whether one API key is all that the operations require.
    pub(super) fn is_one_key(&self) -> bool {
        self.0.is_empty() || self.0.len() == 1 && self.0.values().all(|(kind, _)| is_key(*kind))
    }

    /// Returns the alternatives of an operation. An empty alternative comes last, because a client that has a credential sends
    /// it.
    fn required_by(&self, operation: &Operation) -> Vec<Vec<&Ident>> {
        let constant = |name: &String| self.0.get(name.as_str()).map(|(_, constant)| constant);
        let alternatives = operation.security.iter();
        let mut alternatives: Vec<Vec<&Ident>> = alternatives
            .map(|all| all.keys().filter_map(constant).collect())
            .collect();
        alternatives.sort_by_key(Vec::is_empty);
        alternatives
    }
}

impl Pass<'_> {
    /// Writes the schemes, if a single API key is not sufficient.
    pub(super) fn schemes(&self) -> Option<TokenStream> {
        let schemes = self.schemes.0.iter().map(|(name, (kind, constant))| {
            let scheme = self.document.security_schemes.get(*name);
            let text = scheme.and_then(|scheme| scheme.description.as_deref());
            let docs = docs([format!("The scheme `{name}`."), described(text)]);
            let credential = credential(*kind);
            quote! {
                #docs
                pub static #constant: ::openapi_dropshot_client::generated::Scheme =
                    ::openapi_dropshot_client::generated::Scheme { name: #name, credential: #credential };
            }
        });
        let schemes = quote!(#(#schemes)*);
        (!self.schemes.is_one_key()).then_some(schemes)
    }

    /// Writes the function that returns the schemes that an operation requires.
    pub(super) fn security(&self) -> TokenStream {
        let mut ids: IndexMap<Vec<Vec<&Ident>>, Vec<&str>> = IndexMap::new();
        for call in &self.plan.calls {
            let required = self.schemes.required_by(call.operation);
            ids.entry(required).or_default().push(call.id);
        }
        let arms = ids.iter().filter(|(required, _)| !required.is_empty());
        let arms = arms.map(|(required, ids)| {
            let required = required.iter().map(|all| quote!(&[#(&schemes::#all),*]));
            quote! {
                #(#ids)|* => {
                    static REQUIRED: &[&[&::openapi_dropshot_client::generated::Scheme]] = &[#(#required),*];
                    REQUIRED
                }
            }
        });
        quote! {
            /// The schemes that an operation requires.
            fn security(operation: &str) -> &'static [&'static [&'static ::openapi_dropshot_client::generated::Scheme]] {
                match operation {
                    #(#arms)*
                    _ => &[],
                }
            }
        }
    }

    /// Returns the call that sets a provider of credentials on a builder, for examples.
    pub(super) fn example_provider(&self) -> TokenStream {
        let provider = quote!(ApiKeyFile::new("/run/secrets/key"));
        let library = ident(self.library);
        match self.schemes.0.values().next() {
            Some((_, constant)) if !self.schemes.is_one_key() => {
                quote!(.credential(&#library::schemes::#constant, #provider))
            }
            _ => quote!(.credentials(#provider)),
        }
    }

    /// Returns the calls that set credentials on a builder, for examples.
    pub(super) fn example_credentials(&self) -> TokenStream {
        let mut operations = self.document.operations.iter();
        let required = operations.find_map(|operation| {
            let all = self.schemes.required_by(operation).into_iter().next();
            all.filter(|all| !all.is_empty())
        });
        if self.schemes.is_one_key() {
            return quote!(.api_key("the-key"));
        }
        let library = ident(self.library);
        let schemes = self.schemes.0.values();
        let schemes = schemes.filter(|(_, constant)| {
            let mut required = required.iter().flatten();
            required.any(|one| *one == constant)
        });
        let calls = schemes.map(|(kind, constant)| {
            let key = match kind {
                SchemeKind::Basic => quote!(user("the-user", "the-password")),
                _ => quote!(new("the-key")),
            };
            quote!(.credential(&#library::schemes::#constant, #library::ApiKey::#key))
        });
        calls.collect()
    }
}

/// Returns how a client sends a credential.
fn credential(kind: SchemeKind<'_>) -> TokenStream {
    let credential = match kind {
        SchemeKind::Bearer | SchemeKind::Token => quote!(Bearer),
        SchemeKind::Basic => quote!(Basic),
        SchemeKind::Header(name) => quote!(Header(#name)),
        SchemeKind::Query(name) => quote!(Query(#name)),
        SchemeKind::Cookie(name) => quote!(Cookie(#name)),
    };
    quote!(::openapi_dropshot_client::generated::Credential::#credential)
}
