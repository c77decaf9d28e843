//! Reads the requests from progenitor's code: the names and types of builders, parameters, bodies and responses. Only
//! names and signatures are read; the code inside of the methods is not used.

use super::{
    deprecated_attribute,
    kinds::{argument_of, self_ident},
};
use crate::{
    client::{
        document::essence,
        names::folded,
        plan::{Call, Plan, Sent},
    },
    lifecycle::deprecation_note,
    names::{ident, snake},
    plan::ItemForm,
    probe::text,
    starter::ClientCall,
};
use openapi_dropshot_contract::model::{
    Document, MediaType, Operation, Parameter, Response, Stability, StatusCode,
};
use proc_macro2::TokenStream;
use quote::{ToTokens, format_ident, quote};
use std::collections::BTreeMap;
use syn::{Fields, Ident, ImplItem, Item, ItemStruct, ReturnType, Type, parse_quote};

/// A request, described by names and types.
pub(super) struct Request<'a> {
    pub(super) call: &'a Call<'a>,
    pub(super) operation: &'a Operation,
    /// The method of the client.
    pub(super) method: Ident,
    /// The builder that the method returns.
    pub(super) builder: Ident,
    pub(super) parameters: Vec<Setter<'a>>,
    pub(super) body: Option<Body<'a>>,
    pub(super) response: Reading,
    /// The statuses of its success responses; empty if each status from 200 to 299 is a success.
    pub(super) success: Vec<u16>,
    /// The attributes that mark its items as deprecated, and that hide them behind the cargo feature for its
    /// stability level.
    pub(super) deprecated: Option<TokenStream>,
    pub(super) gate: Option<TokenStream>,
}

/// A parameter, and its setter in the builder.
pub(super) struct Setter<'a> {
    pub(super) parameter: &'a Parameter,
    pub(super) name: Ident,
    pub(super) target: Type,
}

/// The body of a request.
pub(super) struct Body<'a> {
    /// The name of the setter.
    pub(super) name: Ident,
    pub(super) media: &'a MediaType,
    /// The media type, without parameters.
    pub(super) essence: &'a str,
    pub(super) how: Sent,
    pub(super) required: bool,
    /// The type of the argument of `body`.
    pub(super) target: Type,
    /// The type of the field in the builder: the builder of the target, if the target has one.
    pub(super) held: Type,
}

impl Body<'_> {
    /// Returns the type of a line, if the body is a stream of lines.
    pub(super) fn line(&self) -> Option<Type> {
        argument_of(&self.target, "Lines")
    }
}

/// How the body of a success response is read.
pub(super) enum Reading {
    Json(Box<Type>),
    /// As a stream of items with this type and this media type.
    Items(Box<Type>, ItemForm, String),
    /// As the enum of the success responses of the operation.
    ByStatus,
    Empty,
    Bytes,
}

impl Request<'_> {
    /// Returns the name of a type that belongs to the operation.
    pub(super) fn type_named(&self, suffix: &str) -> Ident {
        format_ident!("{}{suffix}", self.builder)
    }

    /// Returns the setters of the required parameters, and the type of each argument.
    pub(super) fn required_parameters(&self) -> impl Iterator<Item = (&Ident, TokenStream)> {
        let parameters = self.parameters.iter();
        let required = parameters.filter(|setter| setter.parameter.required);
        required.map(|Setter { name, target, .. }| {
            let bound = quote!(::std::convert::TryInto<#target, Error: ::std::fmt::Display>);
            (name, bound)
        })
    }

    /// Returns the id of the operation, and the expression that calls it.
    pub(super) fn call(&self) -> (String, ClientCall) {
        let id = self.operation.id.as_ref();
        let setters = self.parameters.iter().map(|setter| {
            let names = (setter.name.to_string(), text(&setter.target));
            (setter.parameter.name.value.clone(), names)
        });
        let body = self.body.as_ref();
        let call = ClientCall {
            method: self.method.to_string(),
            parameters: setters.collect(),
            body: body.map(|body| text(body.line().as_ref().unwrap_or(&body.target))),
            sends_lines: body.is_some_and(|body| body.how == Sent::Lines),
        };
        (id.map_or_else(String::new, |id| id.value.clone()), call)
    }
}

/// Reads the requests of the plan, in its order.
///
/// # Errors
///
/// progenitor's code has no builder for an operation, or the builder does not have all its parts.
pub(super) fn read<'a>(plan: &'a Plan<'a>, builders: &[Item]) -> Result<Vec<Request<'a>>, String> {
    let read = |call| request(plan.document, call, builders);
    plan.calls.iter().map(read).collect()
}

fn request<'a>(
    document: &Document,
    call: &'a Call<'a>,
    builders: &[Item],
) -> Result<Request<'a>, String> {
    let Call { operation, id, .. } = call;
    let missing = |what: &str| format!("the operation `{id}` has no {what}");
    let builder = builders.iter().find_map(|item| match item {
        Item::Struct(builder) if folded(&builder.ident.to_string()) == folded(id) => Some(builder),
        _ => None,
    });
    let builder = builder.ok_or_else(|| missing("builder"))?;
    let mut fields = values_of(builder);
    let mut parameters = Vec::new();
    // Sorted by name, so that the requests do not depend on the order in the document.
    let mut declared: Vec<&Parameter> = operation.parameters.iter().collect();
    declared.sort_by_key(|parameter| &parameter.name.value);
    for parameter in declared {
        let wire = &parameter.name.value;
        let (name, held) = fields
            .remove(&folded(wire))
            .ok_or_else(|| missing(&format!("setter for `{wire}`")))?;
        let target = match argument_of(&held, "Option") {
            Some(target) if !parameter.required => target,
            _ => held,
        };
        // `prepare` describes a JSON parameter as a list.
        let of_json = argument_of(&target, "Vec").filter(|_| parameter.json().is_some());
        parameters.push(Setter {
            parameter,
            name,
            target: of_json.unwrap_or(target),
        });
    }
    let body = match call.body {
        Some((declared, media, how)) => {
            let (name, held) = fields.remove("body").ok_or_else(|| missing("body"))?;
            Some(body(media, how, declared.required, name, held))
        }
        None => None,
    };
    let response = response_of(&builder.ident, builders).ok_or_else(|| missing("`send`"))?;
    let response_text = response.to_token_stream().to_string();
    let note = deprecation_note(operation);
    Ok(Request {
        call,
        operation,
        method: ident(&snake(id)),
        builder: builder.ident.clone(),
        parameters,
        body,
        response: match (response_text.as_str(), call.items()) {
            _ if !call.typed_successes.is_empty() => Reading::ByStatus,
            (_, Some((media, schema))) => {
                let form = ItemForm::of(document, media, schema);
                Reading::Items(Box::new(response), form, media.essence())
            }
            ("()", _) => Reading::Empty,
            ("ByteStream", _) => Reading::Bytes,
            _ => Reading::Json(Box::new(response)),
        },
        success: success(&call.successes),
        deprecated: note.as_ref().map(deprecated_attribute),
        gate: feature(operation).map(|feature| quote!(#[cfg(feature = #feature)])),
    })
}

/// Returns the builder fields that contain values, by folded name. The other field is the client.
fn values_of(builder: &ItemStruct) -> BTreeMap<String, (Ident, Type)> {
    let value = |field: &syn::Field| {
        let name = field.ident.clone()?;
        let held = argument_of(&field.ty, "Result")?;
        Some((folded(&name.to_string()), (name, held)))
    };
    match &builder.fields {
        Fields::Named(fields) => fields.named.iter().filter_map(value).collect(),
        Fields::Unnamed(_) | Fields::Unit => BTreeMap::new(),
    }
}

fn body(media: &MediaType, how: Sent, required: bool, name: Ident, held: Type) -> Body<'_> {
    let held = match how {
        Sent::Bytes => parse_quote!(::openapi_dropshot_client::reqwest::Body),
        Sent::Parts => parse_quote!(::openapi_dropshot_client::Multipart),
        Sent::Text => parse_quote!(::std::string::String),
        Sent::Lines => {
            let item = without_builder(&held);
            parse_quote!(super::Lines<#item>)
        }
        Sent::Json | Sent::Form => held,
    };
    Body {
        name,
        media,
        essence: essence(media),
        how,
        required,
        target: without_builder(&held),
        held,
    }
}

/// Returns `types::NewBook` for `types::builder::NewBook`.
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

/// Returns the `T` of `send(self) -> Result<ResponseValue<T>, …>` of a builder.
fn response_of(builder: &Ident, builders: &[Item]) -> Option<Type> {
    let blocks = builders.iter().filter_map(|item| match item {
        Item::Impl(block) if self_ident(block) == Some(builder) => Some(block),
        _ => None,
    });
    let send = blocks
        .flat_map(|block| &block.items)
        .find_map(|item| match item {
            ImplItem::Fn(method) if method.sig.ident == "send" => Some(&method.sig.output),
            _ => None,
        });
    let ReturnType::Type(_, result) = send? else {
        return None;
    };
    argument_of(&argument_of(result, "Result")?, "ResponseValue")
}

fn success(successes: &[&Response]) -> Vec<u16> {
    let statuses = successes
        .iter()
        .map(|response| match response.status.value {
            StatusCode::Exact(code) => Some(code),
            _ => None,
        });
    // If a range is listed, every status is a success.
    statuses.collect::<Option<Vec<u16>>>().unwrap_or_default()
}

/// Returns the cargo feature that is required for an operation that is not stable.
pub(super) fn feature(operation: &Operation) -> Option<&'static str> {
    match operation.stability.as_ref()?.value {
        Stability::Stable => None,
        level => Some(level.as_str()),
    }
}
