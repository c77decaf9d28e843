//! What a call has beside its parameters: settings of its own, a form for code
//! that is not async, pages one after the other, and the cargo feature of an
//! operation that is not stable. All of it is the parent's; here it gets names.

use super::{Surprise, examples::Examples, set_docs};
use openapi_dropshot_contract::model::{Document, Operation, ParameterIn, Stability, Type};
use quote::ToTokens;
use syn::{
    Attribute, Expr, ExprStruct, Fields, FnArg, GenericArgument, ImplItemFn, Item, ItemStruct, Pat,
    PathArguments, parse_quote,
    visit_mut::{self, VisitMut},
};

/// The header by which a request may be sent twice and done once.
const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// Whether the operation takes an `Idempotency-Key`.
pub(super) fn takes_idempotency_key(operation: &Operation) -> bool {
    operation.parameters.iter().any(|parameter| {
        parameter.location == ParameterIn::Header
            && parameter.name.value.eq_ignore_ascii_case(IDEMPOTENCY_KEY)
    })
}

/// The cargo feature behind which an operation stands that is not stable.
pub(super) fn feature(operation: &Operation) -> Option<&'static str> {
    match operation.stability.as_ref()?.value {
        Stability::Beta => Some("beta"),
        Stability::Experimental => Some("experimental"),
        Stability::Stable => None,
    }
}

/// Hides an operation that is not stable behind its feature.
pub(super) fn hide(attributes: &mut Vec<Attribute>, operation: &Operation) {
    if let Some(feature) = feature(operation) {
        attributes.push(parse_quote!(#[cfg(feature = #feature)]));
    }
}

/// The builder holds a call in the place of the client.
pub(super) fn hold_call(builder: &mut ItemStruct) -> Result<(), Surprise> {
    let first = match &mut builder.fields {
        Fields::Named(fields) => fields.named.first_mut(),
        Fields::Unnamed(_) | Fields::Unit => None,
    };
    let field = first
        .ok_or_else(|| Surprise(format!("the builder `{}` holds no client", builder.ident)))?;
    field.ty = parse_quote!(crate::Call<'a>);
    Ok(())
}

/// `new` makes the call of the client that it is given.
pub(super) fn start_call(new: &mut ImplItemFn) -> Result<(), Surprise> {
    let client = match new.sig.inputs.first() {
        Some(FnArg::Typed(argument)) => match argument.pat.as_ref() {
            Pat::Ident(name) => Some(name.ident.clone()),
            _ => None,
        },
        _ => None,
    };
    let client = client.ok_or_else(|| Surprise("`new` takes no client".to_owned()))?;
    let mut start = Start { client };
    start.visit_block_mut(&mut new.block);
    Ok(())
}

struct Start {
    client: syn::Ident,
}

impl VisitMut for Start {
    fn visit_expr_struct_mut(&mut self, made: &mut ExprStruct) {
        visit_mut::visit_expr_struct_mut(self, made);
        let client = &self.client;
        let own: Expr = parse_quote!(#client);
        if let Some(field) = made.fields.iter_mut().find(|field| field.expr == own) {
            field.colon_token = Some(Default::default());
            field.expr = parse_quote!(crate::Call::new(#client));
        }
    }
}

/// `with`, which gives a call settings of its own.
pub(super) fn with(
    client: &syn::Ident,
    operation: &Operation,
    examples: &Examples<'_>,
) -> ImplItemFn {
    let mut method: ImplItemFn = parse_quote! {
        pub fn with(mut self, options: crate::CallOptions) -> Self {
            self.#client.set_options(options);
            self
        }
    };
    let mut paragraphs = vec![
        "Gives this call other settings than its client has: how long it may take, how often it is tried."
            .to_owned(),
    ];
    paragraphs.extend(examples.with(operation));
    set_docs(&mut method.attrs, &paragraphs);
    method
}

/// `pages` and `stream`, where the operation answers a page at a time: an array,
/// with a `Link` to the next one.
pub(super) fn walks(
    document: &Document,
    operation: &Operation,
    answer: &syn::Type,
    types: &[Item],
    examples: &Examples<'_>,
) -> Vec<ImplItemFn> {
    let Some(item) = is_paged(document, operation)
        .then(|| item_of(answer, types))
        .flatten()
    else {
        return Vec::new();
    };
    let mut pages: ImplItemFn = parse_quote! {
        pub fn pages(self) -> crate::Pages<#answer> {
            crate::Pages::new(self.prepared())
        }
    };
    let mut paragraphs = vec![
        "Follows the links from page to page, beginning with the page of this request.".to_owned(),
        "A page is asked for when it is polled for, and not before.".to_owned(),
    ];
    paragraphs.extend(examples.pages(operation));
    set_docs(&mut pages.attrs, &paragraphs);
    let mut stream: ImplItemFn = parse_quote! {
        pub fn stream(self) -> crate::Items<#item> {
            crate::Items::new(self.prepared())
        }
    };
    let mut paragraphs = vec![
        "All items, of this page and of those that follow.".to_owned(),
        "The next page is asked for when the items of the last one are used up, and not before."
            .to_owned(),
    ];
    paragraphs.extend(examples.stream(operation));
    set_docs(&mut stream.attrs, &paragraphs);
    vec![pages, stream]
}

fn is_paged(document: &Document, operation: &Operation) -> bool {
    crate::client::names::successes(operation)
        .iter()
        .any(|response| {
            let linked = response
                .headers
                .iter()
                .any(|header| header.name.value.eq_ignore_ascii_case("link"));
            let listed = response.content.iter().any(|media| {
                let schema = media.schema.as_ref();
                let kind = schema.and_then(|schema| document.resolve(schema)?.types.as_ref());
                kind.is_some_and(|kind| kind.value == Type::Array)
            });
            linked && listed
        })
}

/// What the array that is answered has in it, as `builder` names it.
fn item_of(answer: &syn::Type, types: &[Item]) -> Option<syn::Type> {
    if let Some(item) = in_vec(answer) {
        return Some(item);
    }
    let syn::Type::Path(path) = answer else {
        return None;
    };
    let name = &path.path.segments.last()?.ident;
    let wrapped = types.iter().find_map(|item| match item {
        Item::Struct(wrapper) if wrapper.ident == *name => match &wrapper.fields {
            Fields::Unnamed(fields) => fields.unnamed.first().map(|field| &field.ty),
            Fields::Named(_) | Fields::Unit => None,
        },
        _ => None,
    })?;
    let item = in_vec(wrapped)?;
    let text = item.to_token_stream().to_string();
    // Inside `types`, its own names stand without a path.
    let own = !text.starts_with("::") && !is_primitive(&text);
    Some(if own {
        parse_quote!(types::#item)
    } else {
        item
    })
}

fn is_primitive(name: &str) -> bool {
    matches!(
        name,
        "bool" | "f32" | "f64" | "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64"
    )
}

/// The `T` of a `Vec<T>`.
fn in_vec(list: &syn::Type) -> Option<syn::Type> {
    let syn::Type::Path(path) = list else {
        return None;
    };
    let last = path.path.segments.last()?;
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) if last.ident == "Vec" => {
            match arguments.args.first()? {
                GenericArgument::Type(item) => Some(item.clone()),
                _ => None,
            }
        }
        _ => None,
    }
}
