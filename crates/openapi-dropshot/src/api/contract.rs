//! Writes the trait, with one method for each operation. The documentation consists of texts of the
//! document.

use super::{errors, module};
use crate::{
    docs::{Docs, harmless},
    lifecycle::{deprecation_note, limits_sentence, stability_sentence},
    models::types::in_api,
    names::ident,
    plan::{Body, Errors, OperationPlan, Plan, Success},
};
use openapi_dropshot_contract::model::{Document, Method, ParameterIn};
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};

pub(super) fn file(document: &Document, plan: &Plan<'_>, name: &Ident) -> TokenStream {
    let info = &document.info;
    let (title, version) = (&info.title, &info.version.value);
    let title = format!("The operations of {title:?}, version {version}.");
    let mut about = Docs::own(harmless(&title));
    if let Some(description) = &info.description {
        about = about.with_note(harmless(description));
    }
    let about = about.attributes();
    let methods = plan.operations.iter().map(method);
    // The module name is set here, because dropshot converts digits in names in another way.
    let module = module(name).to_string();
    quote! {
        #about
        #[dropshot::api_description(module = #module)]
        pub trait #name {
            #[doc = " The value that every handler can use."]
            type Context;

            #(#methods)*
        }
    }
}

/// The documentation of an operation: its summary, its description and its deprecation.
fn operation_docs(plan: &OperationPlan<'_>) -> Docs {
    let operation = plan.operation;
    let texts = [&operation.summary, &operation.description].into_iter();
    let texts: Vec<&str> = texts.flatten().map(|text| text.trim()).collect();
    let text = texts.join("\n\n");
    // dropshot uses the first line as the summary.
    let (summary, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let label = format!("`{}`: `{}`", plan.id, operation.request());
    let level = operation.stability.as_ref().map(|level| level.value);
    let notes = [
        Some(harmless(rest)),
        stability_sentence(level).map(str::to_owned),
        limits_sentence(operation),
        deprecation_note(operation)
            .filter(|note| !note.is_described)
            .map(|note| harmless(&note.sentence)),
    ];
    let notes = notes.into_iter().flatten().filter(|note| !note.is_empty());
    notes.fold(Docs::new(Some(summary), label), Docs::with_note)
}

/// The signature of the trait method for an operation.
pub(crate) struct Signature {
    pub(crate) function: Ident,
    /// The arguments, each with its type.
    pub(crate) arguments: Vec<(Ident, TokenStream)>,
    pub(crate) output: TokenStream,
    /// The types in the signature that are declared by the generated API.
    pub(crate) own_types: Vec<String>,
}

impl ToTokens for Signature {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        let (function, output) = (&self.function, &self.output);
        let arguments = self.arguments.iter().map(|(name, ty)| quote!(#name: #ty));
        tokens.extend(quote!(async fn #function(#(#arguments),*) -> #output));
    }
}

/// Returns the name of the argument of a trait method for the parameters in one location.
pub(crate) fn argument(place: ParameterIn) -> &'static str {
    match place {
        ParameterIn::Path => "path",
        ParameterIn::Query => "query",
        ParameterIn::Header => "headers",
        ParameterIn::Cookie => "cookies",
    }
}

/// Returns the signature of the trait method for an operation.
pub(crate) fn signature(plan: &OperationPlan<'_>) -> Signature {
    let mut arguments = vec![(ident("rqctx"), quote!(RequestContext<Self::Context>))];
    for (place, fields) in &plan.parameters {
        let kind = ident(match place {
            ParameterIn::Path => "Path",
            ParameterIn::Query => "Query",
            ParameterIn::Header => "Header",
            ParameterIn::Cookie => "Cookies",
        });
        let ty = ident(&fields.name);
        arguments.push((ident(argument(*place)), quote!(#kind<models::#ty>)));
    }
    let mut own_types = Vec::new();
    let output = if plan.websocket {
        arguments.push((ident("connection"), quote!(WebsocketConnection)));
        quote!(WebsocketChannelResult)
    } else {
        let body = plan.body.as_ref().map(|body| {
            let extractor = match body {
                Body::Json(ty, _) | Body::Form(ty) => {
                    let ty = in_api(ty);
                    quote!(TypedBody<#ty>)
                }
                Body::Lines(ty, _) => {
                    let ty = in_api(ty);
                    quote!(StreamedItems<#ty>)
                }
                Body::Bytes(_) if plan.streamed_body => quote!(StreamingBody),
                Body::Bytes(_) => quote!(UntypedBody),
                Body::Parts(Ok(parts)) => {
                    own_types.push(parts.name.clone());
                    let name = ident(&parts.name);
                    quote!(FormParts<#name>)
                }
                Body::Parts(Err(_)) => quote!(MultipartBody),
            };
            match plan.optional_body {
                true => quote!(OptionalBody<#extractor>),
                false => extractor,
            }
        });
        arguments.extend(body.map(|ty| (ident("body"), ty)));
        let success = success(&plan.success, plan.operation.method);
        let error = errors::name(plan);
        let has_own_error = !matches!(plan.errors, Errors::Dropshot(_));
        let several = plan.success.several.as_ref().map(|several| &several.name);
        own_types.extend(several.or(plan.success.own.as_ref()).cloned());
        own_types.extend(has_own_error.then(|| error.clone()));
        let error = ident(&error);
        quote!(Result<#success, #error>)
    };
    Signature {
        function: ident(&plan.function),
        arguments,
        output,
        own_types,
    }
}

fn method(plan: &OperationPlan<'_>) -> TokenStream {
    let operation = plan.operation;
    let (id, path) = (&plan.id, plan.route.as_str());
    let verb = ident(match operation.method {
        // All planned operations have a method that dropshot can serve.
        Method::Trace => "OPTIONS",
        // `Router` finds the operation of a request by the method in the document, so another
        // method can be registered here.
        Method::Query | Method::Other(_) => "POST",
        other => other.as_str(),
    });
    let tags = &operation.tags;
    let tags = (!tags.is_empty()).then(|| quote!(, tags = [#(#tags),*]));
    let deprecated = operation.deprecated.then(|| quote!(, deprecated = true));
    let docs = operation_docs(plan).attributes();
    let body = plan.body.as_ref();
    let form = body.filter(|body| matches!(body, Body::Form(_)));
    let content_type = form.map(|body| {
        let media_type = body.media_type();
        quote!(, content_type = #media_type)
    });
    let common = quote!(path = #path, operation_id = #id #tags);
    let attribute = match plan.websocket {
        true => quote!(channel(protocol = WEBSOCKETS, #common #deprecated)),
        false => quote!(endpoint(method = #verb, #common #content_type #deprecated)),
    };
    let signature = signature(plan);
    quote! {
        #docs
        #[#attribute]
        #signature;
    }
}

/// Returns the name of the type for a response with one status: the generated type, or the type
/// that dropshot has.
pub(super) fn response_type(success: &Success<'_>, method: Method) -> Ident {
    let has_body = success.body.is_some() || success.raw.is_some();
    ident(match (&success.own, success.status) {
        (Some(own), _) => own,
        (None, Some(201)) if has_body => "HttpResponseCreated",
        (None, Some(202)) if has_body => "HttpResponseAccepted",
        (None, _) if has_body => "HttpResponseOk",
        (None, _) if method == Method::Delete => "HttpResponseDeleted",
        (None, _) => "HttpResponseUpdatedNoContent",
    })
}

/// Returns the type of the success response.
fn success(success: &Success<'_>, method: Method) -> TokenStream {
    if let Some(several) = &success.several {
        let name = ident(&several.name);
        return quote!(#name);
    }
    let body = success.body.as_ref().map(|body| in_api(&body.ty));
    let body = body.or_else(|| success.raw.map(|_| quote!(FreeformBody)));
    if success.status.is_none() {
        return quote!(Response<Body>);
    }
    let name = response_type(success, method);
    let body = body.filter(|_| success.own.is_none());
    let inner = match body {
        Some(body) => quote!(#name<#body>),
        None => quote!(#name),
    };
    match &success.headers {
        Some(headers) => {
            let headers = ident(&headers.name);
            quote!(HttpResponseHeaders<#inner, models::#headers>)
        }
        None => inner,
    }
}
