//! Writes types for responses that dropshot's own types cannot express: other statuses, or other bodies.

use super::{contract::response_type, errors::by_status};
use crate::{
    docs::{Docs, doc_attributes, status_line},
    models::types::in_api,
    names::ident,
    plan::{ItemForm, Items, JsonBody, OperationPlan, Plan, Success, Successes},
};
use openapi_dropshot_contract::model::Method;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

pub(super) fn file(plan: &Plan<'_>) -> TokenStream {
    let operations = plan.operations.iter();
    let types = operations.map(|operation| {
        let own = response(operation, &operation.success);
        let several = operation.success.several.as_ref();
        let several = several.map(|several| successes(operation, several));
        quote!(#own #several)
    });
    types.collect()
}

/// Writes the type of a success response, if dropshot has no type for it.
fn response(plan: &OperationPlan<'_>, success: &Success<'_>) -> Option<TokenStream> {
    let name = ident(success.own.as_ref()?);
    let (declared, number) = (success.response, success.status?);
    let description = declared.map_or("", |response| response.description.as_str());
    let otherwise = format!("The {number} response of `{}`.", plan.id);
    let docs = Docs::new(Some(description), otherwise).attributes();
    let builder = quote!(Response::builder().status(#name::STATUS_CODE));
    let (item, body, response) = match (success.raw, &success.body, &success.stream) {
        (Some(media_type), _, Some(stream)) => {
            let (items, ty) = (items(stream), in_api(&stream.ty));
            let head = quote!(#name::STATUS_CODE, #media_type);
            let written = match stream.form {
                ItemForm::Events => quote!(events(#head, false, response.0)),
                ItemForm::TextEvents => quote!(events(#head, true, response.0)),
                ItemForm::Lines => quote!(json(#head, StreamFormat::Lines, response.0)),
                ItemForm::Sequence => quote!(json(#head, StreamFormat::Sequence, response.0)),
            };
            (
                quote!(#[derive(Debug)] pub struct #name(pub #items);),
                ty,
                quote!(openapi_dropshot_types::stream::#written),
            )
        }
        (Some(media_type), _, None) => {
            let content_type = match media_type {
                "*/*" => "application/octet-stream",
                other => other,
            };
            (
                quote!(pub struct #name(pub Body);),
                quote!(FreeformBody),
                quote!(Ok(#builder.header("content-type", #content_type).body(response.0)?)),
            )
        }
        (None, Some(body), _) => {
            let ty = in_api(&body.ty);
            let response = match body.own_media_type() {
                None => quote!(#name::for_object(response.0)),
                Some(media_type) => quote! {
                    let body = serde_json::to_string(&response.0)
                        .map_err(|error| HttpError::for_internal_error(error.to_string()))?;
                    Ok(#builder.header("content-type", #media_type).body(body.into())?)
                },
            };
            (
                quote!(#[derive(Clone, Debug, PartialEq)] pub struct #name(pub #ty);),
                ty,
                response,
            )
        }
        (None, None, _) => (
            quote!(#[derive(Clone, Copy, Debug, PartialEq, Eq)] pub struct #name;),
            quote!(<dropshot::HttpResponseDeleted as HttpCodedResponse>::Body),
            quote!(Ok(#builder.body(Body::empty())?)),
        ),
    };
    let implementation = coded_response(&name, body, number, description, response);
    Some(quote! {
        #docs
        #item
        #implementation
    })
}

/// Returns the type of the items of a stream.
fn items(stream: &Items) -> TokenStream {
    let ty = in_api(&stream.ty);
    match stream.form.is_event() {
        true => quote!(Streamed<Event<#ty>>),
        false => quote!(Streamed<#ty>),
    }
}

/// Implements dropshot's trait for a response: its body, its status and its description for the emitted document, and the
/// response that is sent.
fn coded_response(
    name: &Ident,
    body: TokenStream,
    status: u16,
    description: &str,
    response: TokenStream,
) -> TokenStream {
    let status = Literal::u16_unsuffixed(status);
    quote! {
        impl HttpCodedResponse for #name {
            type Body = #body;

            const STATUS_CODE: StatusCode = match StatusCode::from_u16(#status) {
                Ok(status) => status,
                Err(_) => StatusCode::OK,
            };
            const DESCRIPTION: &'static str = #description;
        }

        impl From<#name> for Result<Response<Body>, HttpError> {
            fn from(response: #name) -> Self {
                #response
            }
        }
    }
}

/// Writes the enum of the responses between which a handler chooses.
fn successes(plan: &OperationPlan<'_>, several: &Successes<'_>) -> TokenStream {
    let (name, described) = (ident(&several.name), ident(&several.described));
    let about = format!(
        " The responses of `{}` that are not errors: one variant for each that the document lists.",
        plan.id
    );
    let (cases, method) = (several.cases.iter(), plan.operation.method);
    let own = cases.clone().filter_map(|success| response(plan, success));
    let cases = cases.map(|success| case(&name, success, method));
    let (variants, arms): (Vec<_>, Vec<_>) = cases.unzip();
    let entries = by_status(several.cases.iter().filter_map(|success| {
        let body = success.body.as_ref();
        let media_type = body.map(|body| body.media_type).or(success.raw);
        let status = success.response?.status.value;
        Some((status, media_type, body.map(|body| &body.ty)))
    }));
    let about_bodies = format!(" Describes the bodies of [`{name}`].");
    let mut statuses = several.cases.iter().filter_map(|success| success.status);
    let status = statuses.next().unwrap_or(200);
    let description = several.cases.first().and_then(|success| success.response);
    let description = description.map_or("", |response| response.description.as_str());
    let result = if several.cases.is_empty() {
        quote!(match response {})
    } else {
        quote!(match response { #(#arms)* })
    };
    let implementation = coded_response(&name, quote!(#described), status, description, result);
    quote! {
        #(#own)*

        openapi_dropshot_types::bodies_by_status!(#[doc = #about_bodies] #described: #entries);

        #[doc = #about]
        #[derive(Debug)]
        pub enum #name {
            #(#variants)*
        }

        #implementation
    }
}

/// Writes the variant for one response, and the match arm that converts it to dropshot's response.
fn case(owner: &Ident, success: &Success<'_>, method: Method) -> (TokenStream, TokenStream) {
    let variant = ident(&success.variant);
    let (mut fields, mut names) = (Vec::new(), Vec::new());
    if success.status.is_none() {
        fields.push(quote!(StatusCode));
        names.push(quote!(status));
    }
    let content = match (&success.body, success.raw) {
        (Some(body), _) => {
            fields.push(in_api(&body.ty));
            names.push(quote!(body));
            Some(quote!(body))
        }
        (None, Some(_)) => {
            let stream = success.stream.as_ref();
            fields.push(stream.map_or_else(|| quote!(Body), items));
            names.push(quote!(body));
            Some(match success.own {
                Some(_) => quote!(body),
                None => quote!(FreeformBody(body)),
            })
        }
        (None, None) => None,
    };
    let name = response_type(success, method);
    // A generated type without content has no fields.
    let inner = match content {
        None if success.own.is_some() => quote!(#name),
        content => quote!(#name(#content)),
    };
    let inner = match &success.headers {
        Some(headers) => {
            let headers = ident(&headers.name);
            fields.push(quote!(models::#headers));
            names.push(quote!(headers));
            quote!(HttpResponseHeaders::new(#inner, headers))
        }
        None => inner,
    };
    let set_status = success.status.is_none().then(|| {
        let of_json = success.body.as_ref().and_then(JsonBody::own_media_type);
        let media_type = of_json.or(success.raw.filter(|media_type| *media_type != "*/*"));
        let set_type = media_type.map(|media_type| {
            quote! {
                let media_type = http::HeaderValue::from_static(#media_type);
                response.headers_mut().insert(http::header::CONTENT_TYPE, media_type);
            }
        });
        quote! {
            .map(|mut response| {
                *response.status_mut() = status;
                #set_type
                response
            })
        }
    });
    let parts = (!fields.is_empty()).then(|| quote!((#(#fields),*)));
    let pattern = (!names.is_empty()).then(|| quote!((#(#names),*)));
    let line = success.response.map_or_else(String::new, |response| {
        status_line(response.status.value, &response.description)
    });
    let docs = doc_attributes(&[line]);
    (
        quote!(#docs #variant #parts,),
        quote!(#owner::#variant #pattern => HttpResponse::to_result(#inner) #set_status,),
    )
}
