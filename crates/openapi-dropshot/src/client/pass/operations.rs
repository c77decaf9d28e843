//! The methods of the client and the builders that they return.

use super::{
    Surprise, calls, deprecate_with, described, examples::Examples, send, set_docs, setters,
};
use crate::client::names::folded;
use crate::lifecycle::{deprecation_note, stability_sentence};
use openapi_dropshot_contract::model::{Document, Operation};
use std::collections::BTreeMap;
use syn::{ImplItem, Item, ItemImpl, parse_quote, visit_mut::VisitMut};

/// Operations by the folded form of their id.
type Operations<'a> = BTreeMap<String, &'a Operation>;

fn by_id(document: &Document) -> Operations<'_> {
    document
        .operations
        .iter()
        .filter_map(|operation| {
            operation
                .id
                .as_ref()
                .map(|id| (folded(&id.value), operation))
        })
        .collect()
}

fn find<'a>(operations: &Operations<'a>, ident: &syn::Ident) -> Option<&'a Operation> {
    operations.get(&folded(&ident.to_string())).copied()
}

/// The methods of the client, one an operation.
pub(super) fn client(
    document: &Document,
    blocks: Vec<ItemImpl>,
    examples: &Examples<'_>,
) -> Result<Vec<Item>, Surprise> {
    let operations = by_id(document);
    let mut methods = Vec::new();
    for item in blocks.into_iter().flat_map(|block| block.items) {
        let ImplItem::Fn(mut method) = item else {
            continue;
        };
        // What is left over are the constructors, which the parent has.
        let Some(operation) = find(&operations, &method.sig.ident) else {
            continue;
        };
        let mut paragraphs = method_docs(operation);
        paragraphs.extend(examples.call(operation));
        set_docs(&mut method.attrs, &paragraphs);
        deprecate_with(&mut method.attrs, operation);
        calls::hide(&mut method.attrs, operation);
        methods.push(method);
    }
    if methods.len() != operations.len() {
        return Err(Surprise(format!(
            "it has {} methods for {} operations",
            methods.len(),
            operations.len()
        )));
    }
    Ok(vec![parse_quote!(impl crate::Client { #(#methods)* })])
}

/// The builders, each with its setters and `send`.
pub(super) fn builders(
    document: &Document,
    items: Vec<Item>,
    types: &[Item],
    examples: &Examples<'_>,
) -> Result<Vec<Item>, Surprise> {
    let operations = by_id(document);
    let mut structs = 0;
    let mut kept = Vec::new();
    for item in items {
        match item {
            Item::Struct(mut builder) => {
                let operation = find(&operations, &builder.ident).ok_or_else(|| {
                    Surprise(format!("the builder `{}` has no operation", builder.ident))
                })?;
                structs += 1;
                let mut paragraphs = builder_docs(operation, &builder.ident);
                paragraphs.extend(examples.builder(operation));
                set_docs(&mut builder.attrs, &paragraphs);
                builder
                    .attrs
                    .push(parse_quote!(#[must_use = "nothing is sent before `send` is called"]));
                deprecate_with(&mut builder.attrs, operation);
                calls::hide(&mut builder.attrs, operation);
                calls::hold_call(&mut builder)?;
                send::Paths.visit_item_struct_mut(&mut builder);
                kept.push(Item::Struct(builder));
            }
            Item::Impl(mut block) => {
                let operation = self_ident(&block)
                    .and_then(|ident| find(&operations, ident))
                    .ok_or_else(|| Surprise("a builder has no operation".to_owned()))?;
                calls::hide(&mut block.attrs, operation);
                let answered = methods(document, operation, &mut block, types, examples)?;
                kept.push(Item::Impl(block));
                kept.push(answered);
            }
            // Imports: the code that is left names what it uses by full paths.
            _ => {}
        }
    }
    if structs != operations.len() {
        return Err(Surprise(format!(
            "it has {structs} builders for {} operations",
            operations.len()
        )));
    }
    Ok(kept)
}

/// The name of the type that a block belongs to.
pub(super) fn self_ident(block: &ItemImpl) -> Option<&syn::Ident> {
    match block.self_ty.as_ref() {
        syn::Type::Path(path) => path.path.segments.last().map(|segment| &segment.ident),
        _ => None,
    }
}

fn methods(
    document: &Document,
    operation: &Operation,
    block: &mut ItemImpl,
    types: &[Item],
    examples: &Examples<'_>,
) -> Result<Item, Surprise> {
    let mut parts = None;
    let mut setters_left: Vec<String> = operation
        .parameters
        .iter()
        .map(|parameter| folded(&parameter.name.value))
        .collect();
    for item in &mut block.items {
        let ImplItem::Fn(method) = item else { continue };
        let name = method.sig.ident.to_string();
        match name.as_str() {
            "new" => {
                method.vis = parse_quote!(pub(crate));
                calls::start_call(method)?;
                setters::name_what_is_missing(method, operation);
            }
            "send" => parts = Some(send::rewrite(method, operation, examples)?),
            "stream" => {}
            "body" | "body_map" if operation.request_body.is_some() => {
                setters::document_body(method, operation, examples);
            }
            _ => {
                let parameter = operation
                    .parameters
                    .iter()
                    .find(|parameter| folded(&parameter.name.value) == folded(&name))
                    .ok_or_else(|| Surprise(format!("the setter `{name}` has no parameter")))?;
                setters_left.retain(|left| *left != folded(&name));
                setters::rewrite(document, operation, parameter, method, examples)?;
            }
        }
    }
    let parts = parts.ok_or_else(|| Surprise(format!("{} has no `send`", operation.label())))?;
    let walks = calls::walks(document, operation, &parts.answer, types, examples);
    let with = calls::with(&parts.client, operation, examples);
    let more = [with, parts.prepared, parts.blocking];
    let more = more.into_iter().chain(walks);
    block.items.extend(more.map(ImplItem::Fn));
    send::Paths.visit_item_impl_mut(block);
    let mut answered = parts.answered;
    calls::hide(&mut answered.attrs, operation);
    send::Paths.visit_item_fn_mut(&mut answered);
    match setters_left.first() {
        None => Ok(Item::Fn(answered)),
        Some(left) => Err(Surprise(format!(
            "{} has no setter for the parameter `{left}`",
            operation.label()
        ))),
    }
}

/// What an operation does, in the words of the document, and for how long.
fn method_docs(operation: &Operation) -> Vec<String> {
    let mut paragraphs = vec![summary(operation)];
    paragraphs.extend(lifecycle(operation));
    if operation.summary.is_some() {
        paragraphs.push(described(operation.description.as_deref()));
    }
    paragraphs.push(format!(
        "Sends `{} {}`.",
        operation.method, operation.path.value
    ));
    paragraphs
}

fn builder_docs(operation: &Operation, builder: &syn::Ident) -> Vec<String> {
    let method = crate::names::snake(&builder.to_string());
    let mut paragraphs = vec![format!(
        "A request of [`Client::{method}`](crate::Client::{method}): set its parameters, then \
         [`send`]({builder}::send) it."
    )];
    paragraphs.extend(lifecycle(operation));
    paragraphs
}

fn summary(operation: &Operation) -> String {
    let first = operation
        .summary
        .as_deref()
        .or(operation.description.as_deref());
    let text = first.map_or_else(
        || format!("The operation {}", operation.label()),
        |text| described(Some(text)),
    );
    let text = text.trim();
    if text.ends_with(['.', '!', '?', ':']) {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}

/// The end of the operation, and how far it may be relied on.
fn lifecycle(operation: &Operation) -> Vec<String> {
    let end = deprecation_note(operation).map(|note| note.sentence);
    let level = stability_sentence(operation).map(|sentence| match calls::feature(operation) {
        Some(feature) => {
            format!("{sentence} Only with the cargo feature `{feature}` of this crate.")
        }
        None => sentence.to_owned(),
    });
    end.into_iter().chain(level).collect()
}
