//! Reads the requests from progenitor's code: the names and types of builders, parameters, bodies and responses. Only
//! names and signatures are read; the code inside the methods is not used.

use super::Surprise;
use super::kinds::argument_of;
use crate::client::names::{folded, successes};
use openapi_dropshot_contract::model::{Document, Operation, Parameter, StatusCode};
use quote::{ToTokens, quote};
use syn::{Fields, Ident, ImplItem, Item, ItemImpl, Type, parse_quote};

/// A request, by names and types.
pub(super) struct Request<'a> {
    pub(super) operation: &'a Operation,
    /// The method of the client.
    pub(super) method: Ident,
    /// The builder that the method returns.
    pub(super) builder: Ident,
    pub(super) parameters: Vec<Setter<'a>>,
    pub(super) body: Option<Body>,
    pub(super) response: Reading,
    /// The statuses of its successes; empty if each from 200 to 299 is one.
    pub(super) success: Vec<u16>,
}

/// A parameter, and the setter of the builder that takes it.
pub(super) struct Setter<'a> {
    pub(super) parameter: &'a Parameter,
    pub(super) name: Ident,
    pub(super) target: Type,
}

/// The body of a request.
pub(super) struct Body {
    /// The type that `body` takes.
    pub(super) target: Type,
    /// The type that the builder holds: the builder of the target, if that has one.
    pub(super) held: Type,
    /// The media type, without parameters.
    pub(super) media: String,
}

impl Body {
    /// Whether the body can be set field by field.
    pub(super) fn has_builder(&self) -> bool {
        self.target != self.held
    }
}

/// How the body of a success is read.
pub(super) enum Reading {
    Json(Box<Type>),
    Empty,
    Bytes,
}

/// The requests of the document, in the order of progenitor's builders.
///
/// # Errors
///
/// progenitor's code has other builders or methods than the document has operations.
pub(super) fn read<'a>(
    document: &'a Document,
    blocks: &[ItemImpl],
    builders: &[Item],
) -> Result<Vec<Request<'a>>, Surprise> {
    let requests: Vec<Request<'a>> = builders
        .iter()
        .filter_map(|item| match item {
            Item::Struct(builder) => Some(request(document, blocks, builders, builder)),
            _ => None,
        })
        .collect::<Result<_, _>>()?;
    if requests.len() != document.operations.len() {
        return Err(Surprise(format!(
            "it has {} builders for {} operations",
            requests.len(),
            document.operations.len()
        )));
    }
    Ok(requests)
}

fn request<'a>(
    document: &'a Document,
    blocks: &[ItemImpl],
    builders: &[Item],
    builder: &syn::ItemStruct,
) -> Result<Request<'a>, Surprise> {
    let name = folded(&builder.ident.to_string());
    let surprise = |what: &str| Surprise(format!("the builder `{}` {what}", builder.ident));
    let operation = document
        .operations
        .iter()
        .find(|operation| {
            let id = operation.id.as_ref();
            id.is_some_and(|id| folded(&id.value) == name)
        })
        .ok_or_else(|| surprise("has no operation"))?;
    let method = functions(blocks.iter())
        .find(|function| folded(&function.ident.to_string()) == name)
        .ok_or_else(|| surprise("has no method of the client"))?;
    let own = builders.iter().filter_map(|item| match item {
        Item::Impl(block) if self_ident(block) == Some(&builder.ident) => Some(block),
        _ => None,
    });
    let sent = functions(own)
        .find(|function| function.ident == "send")
        .and_then(response_of)
        .ok_or_else(|| surprise("has no `send` that says what it returns"))?;
    let Fields::Named(fields) = &builder.fields else {
        return Err(surprise("has no fields"));
    };
    let mut parameters = Vec::new();
    let mut body = None;
    for field in &fields.named {
        let (Some(name), Some(held)) = (&field.ident, argument_of(&field.ty, "Result")) else {
            // The client.
            continue;
        };
        let wanted = folded(&name.to_string());
        let mut declared = operation.parameters.iter();
        match declared.find(|parameter| folded(&parameter.name.value) == wanted) {
            Some(parameter) => parameters.push(Setter {
                parameter,
                name: name.clone(),
                target: match argument_of(&held, "Option") {
                    Some(target) if !parameter.required => target,
                    _ => held,
                },
            }),
            None if name == "body" => body = body_of(operation, held),
            None => return Err(surprise(&format!("has no parameter for `{name}`"))),
        }
    }
    if parameters.len() != operation.parameters.len()
        || body.is_some() != operation.request_body.is_some()
    {
        return Err(surprise("lacks a parameter or the body of its operation"));
    }
    Ok(Request {
        operation,
        method: method.ident.clone(),
        builder: builder.ident.clone(),
        parameters,
        body,
        response: match sent.to_token_stream().to_string().as_str() {
            "()" => Reading::Empty,
            "ByteStream" => Reading::Bytes,
            _ => Reading::Json(Box::new(sent)),
        },
        success: success(operation),
    })
}

fn functions<'b>(
    blocks: impl Iterator<Item = &'b ItemImpl>,
) -> impl Iterator<Item = &'b syn::Signature> {
    blocks
        .flat_map(|block| &block.items)
        .filter_map(|item| match item {
            ImplItem::Fn(method) => Some(&method.sig),
            _ => None,
        })
}

/// The name of the type that a block belongs to.
pub(super) fn self_ident(block: &ItemImpl) -> Option<&Ident> {
    match block.self_ty.as_ref() {
        Type::Path(path) => path.path.segments.last().map(|segment| &segment.ident),
        _ => None,
    }
}

/// The `T` of `-> Result<ResponseValue<T>, …>`.
fn response_of(function: &syn::Signature) -> Option<Type> {
    match &function.output {
        syn::ReturnType::Type(_, result) => {
            argument_of(&argument_of(result, "Result")?, "ResponseValue")
        }
        syn::ReturnType::Default => None,
    }
}

fn body_of(operation: &Operation, held: Type) -> Option<Body> {
    let media = &operation.request_body.as_ref()?.content.first()?.name.value;
    let media = media
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_owned();
    let (held, target): (Type, Type) = match media.as_str() {
        "application/octet-stream" => {
            let bytes: Type = parse_quote!(::openapi_dropshot_client::reqwest::Body);
            (bytes.clone(), bytes)
        }
        "text/plain" | "text/x-markdown" => {
            let text: Type = parse_quote!(::std::string::String);
            (text.clone(), text)
        }
        _ => {
            let target = without_builder(&held);
            (held, target)
        }
    };
    Some(Body {
        target,
        held,
        media,
    })
}

/// `types::NewBook` of `types::builder::NewBook`.
fn without_builder(held: &Type) -> Type {
    if let Type::Path(path) = held {
        let names: Vec<&Ident> = path.path.segments.iter().map(|part| &part.ident).collect();
        if let [types, builder, name] = names.as_slice()
            && *types == "types"
            && *builder == "builder"
        {
            return parse_quote!(types::#name);
        }
    }
    held.clone()
}

fn success(operation: &Operation) -> Vec<u16> {
    let statuses = successes(operation)
        .into_iter()
        .map(|response| match response.status.value {
            StatusCode::Exact(code) => Some(code),
            _ => None,
        });
    // One range makes each status a success.
    statuses.collect::<Option<Vec<u16>>>().unwrap_or_default()
}

/// The type of the items of a list, as the module `builder` names it.
pub(super) fn item_of(response: &Type, types: &[Item]) -> Option<Type> {
    if let Some(item) = argument_of(response, "Vec") {
        return Some(item);
    }
    let Type::Path(path) = response else {
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
    let item = argument_of(wrapped, "Vec")?;
    let text = item.to_token_stream().to_string();
    let primitive = [
        "bool", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64",
    ];
    // Inside `types`, its own names stand without a path.
    let own = !text.starts_with("::") && !primitive.contains(&text.as_str());
    let item = if own {
        quote!(types::#item)
    } else {
        quote!(#item)
    };
    Some(parse_quote!(#item))
}
