//! Writes the trait: one method for each operation, documented with the texts of
//! the document.

use super::{Api, errors};
use crate::{
    docs::{Docs, doc_attributes, harmless},
    lifecycle::{deprecation_note, stability_sentence},
    models::types::{View, rust, tokens},
    names::ident,
    plan::{Body, Fields, OperationPlan, Success},
};
use openapi_dropshot_contract::model::Method;
use proc_macro2::TokenStream;
use quote::quote;

/// The file.
pub(super) fn file(api: &Api<'_>) -> TokenStream {
    let name = &api.name;
    let about = doc_attributes(&trait_docs(api));
    let methods = api.plan.operations.iter().map(method);
    // dropshot makes the name of its module by rules of its own, which are the
    // same for letters, and others for digits.
    let is_plain = name
        .to_string()
        .bytes()
        .all(|letter| letter.is_ascii_alphabetic());
    let module = (!is_plain).then(|| {
        let module = api.module.to_string();
        quote!({ module = #module })
    });
    quote! {
        #about
        #[dropshot::api_description #module]
        pub trait #name {
            #[doc = " What every handler can reach."]
            type Context;

            #(#methods)*
        }
    }
}

fn trait_docs(api: &Api<'_>) -> Vec<String> {
    let info = &api.document.info;
    let title = format!(
        "The operations of {:?}, version {}.",
        info.title, info.version.value
    );
    let mut docs = Docs::own(harmless(&title));
    if let Some(description) = &info.description {
        docs = docs.with_note(harmless(description));
    }
    docs.lines()
}

/// The words of an operation: summary, description, and how it ends.
pub(super) fn operation_docs(plan: &OperationPlan<'_>) -> Docs {
    let operation = plan.operation;
    let summary = operation
        .summary
        .as_deref()
        .or(operation.description.as_deref());
    let label = format!(
        "`{}`: `{} {}`",
        plan.id, operation.method, operation.path.value
    );
    let mut docs = Docs::new(summary.map(first_line), label);
    let rest = match (&operation.summary, &operation.description) {
        (Some(summary), description) => {
            let more = summary
                .strip_prefix(first_line(summary))
                .unwrap_or_default();
            format!("{more}\n\n{}", description.as_deref().unwrap_or_default())
        }
        (None, Some(description)) => description
            .strip_prefix(first_line(description))
            .unwrap_or_default()
            .to_owned(),
        (None, None) => String::new(),
    };
    if !rest.trim().is_empty() {
        docs = docs.with_note(harmless(rest.trim_matches('\n')));
    }
    let level = operation.stability.as_ref().map(|level| level.value);
    if let Some(sentence) = stability_sentence(level) {
        docs = docs.with_note(sentence);
    }
    if let Some(note) = deprecation_note(operation) {
        docs = docs.with_note(harmless(&note.sentence));
    }
    docs
}

/// The text that dropshot uses as the summary.
fn first_line(text: &str) -> &str {
    text.trim_start().lines().next().unwrap_or_default()
}

fn method(plan: &OperationPlan<'_>) -> TokenStream {
    let operation = plan.operation;
    let (function, id, path) = (
        ident(&plan.function),
        plan.id,
        operation.path.value.as_str(),
    );
    let verb = ident(match operation.method {
        // Planned operations have a method that dropshot serves.
        Method::Trace => "OPTIONS",
        other => other.as_str(),
    });
    let tags = &operation.tags;
    let tags = (!tags.is_empty()).then(|| quote!(, tags = [#(#tags),*]));
    let deprecated = operation.deprecated.then(|| quote!(, deprecated = true));
    let docs = operation_docs(plan).attributes();
    let extractor = |fields: &Option<Fields>, name: &str, kind: &str| {
        fields.as_ref().map(|fields| {
            let (name, kind, ty) = (ident(name), ident(kind), ident(&fields.name));
            quote!(#name: #kind<models::#ty>,)
        })
    };
    let path_parameters = extractor(&plan.path, "path", "Path");
    let query = extractor(&plan.query, "query", "Query");
    let header = extractor(&plan.header, "headers", "Header");
    let body = plan.body.as_ref().map(|body| {
        let extractor = match body {
            Body::Json(ty) | Body::Form(ty) => {
                let ty = tokens(&rust(ty, View::Outside));
                quote!(TypedBody<#ty>)
            }
            Body::Bytes => quote!(UntypedBody),
            Body::Parts => quote!(MultipartBody),
        };
        if plan.optional_body {
            quote!(body: OptionalBody<#extractor>,)
        } else {
            quote!(body: #extractor,)
        }
    });
    let content_type = plan
        .body
        .as_ref()
        .filter(|body| matches!(body, Body::Form(_)))
        .map(|body| {
            let media_type = body.media_type();
            quote!(, content_type = #media_type)
        });
    if plan.websocket {
        return quote! {
            #docs
            #[channel(protocol = WEBSOCKETS, path = #path, operation_id = #id #tags #deprecated)]
            async fn #function(
                rqctx: RequestContext<Self::Context>,
                #path_parameters
                #query
                #header
                connection: WebsocketConnection,
            ) -> WebsocketChannelResult;
        };
    }
    let (success, error) = (
        success(&plan.success, operation.method),
        ident(&errors::name(plan)),
    );
    quote! {
        #docs
        #[endpoint(method = #verb, path = #path, operation_id = #id #tags #content_type #deprecated)]
        async fn #function(
            rqctx: RequestContext<Self::Context>,
            #path_parameters
            #query
            #header
            #body
        ) -> Result<#success, #error>;
    }
}

/// The type of the response that is not an error.
fn success(success: &Success<'_>, method: Method) -> TokenStream {
    let body = success
        .body
        .as_ref()
        .map(|ty| tokens(&rust(ty, View::Outside)))
        .or_else(|| success.raw.map(|_| quote!(FreeformBody)));
    if success.status.is_none() {
        return quote!(Response<Body>);
    }
    let inner = match (&success.own, success.status, body) {
        (Some(own), _, _) => {
            let own = ident(own);
            quote!(#own)
        }
        (None, Some(201), Some(body)) => quote!(HttpResponseCreated<#body>),
        (None, Some(202), Some(body)) => quote!(HttpResponseAccepted<#body>),
        (None, _, Some(body)) => quote!(HttpResponseOk<#body>),
        (None, _, None) if method == Method::Delete => quote!(HttpResponseDeleted),
        (None, _, None) => quote!(HttpResponseUpdatedNoContent),
    };
    match &success.headers {
        Some(headers) => {
            let headers = ident(&headers.name);
            quote!(HttpResponseHeaders<#inner, models::#headers>)
        }
        None => inner,
    }
}
