//! Writes the trait: one method for each operation, documented with the texts of
//! the document.

use super::{errors, module};
use crate::{
    docs::{Docs, harmless},
    lifecycle::{deprecation_note, stability_sentence},
    models::types::in_api,
    names::ident,
    plan::{Body, Fields, OperationPlan, Plan, Success},
};
use openapi_dropshot_contract::model::{Document, Method};
use proc_macro2::{Ident, TokenStream};
use quote::quote;

/// The file.
pub(super) fn file(document: &Document, plan: &Plan<'_>, name: &Ident) -> TokenStream {
    let info = &document.info;
    let title = format!(
        "The operations of {:?}, version {}.",
        info.title, info.version.value
    );
    let mut about = Docs::own(harmless(&title));
    if let Some(description) = &info.description {
        about = about.with_note(harmless(description));
    }
    let about = about.attributes();
    let methods = plan.operations.iter().map(method);
    // The module is named here, because dropshot treats digits in names in another way.
    let module = module(name).to_string();
    quote! {
        #about
        #[dropshot::api_description(module = #module)]
        pub trait #name {
            #[doc = " What every handler can reach."]
            type Context;

            #(#methods)*
        }
    }
}

/// The words of an operation: summary, description, and how it ends.
fn operation_docs(plan: &OperationPlan<'_>) -> Docs {
    let operation = plan.operation;
    let texts = [&operation.summary, &operation.description];
    let texts: Vec<&str> = texts
        .into_iter()
        .flatten()
        .map(|text| text.trim())
        .collect();
    let text = texts.join("\n\n");
    // dropshot takes the first line as the summary.
    let (summary, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let label = format!(
        "`{}`: `{} {}`",
        plan.id, operation.method, operation.path.value
    );
    let level = operation.stability.as_ref().map(|level| level.value);
    let notes = [
        Some(harmless(rest)),
        stability_sentence(level).map(str::to_owned),
        deprecation_note(operation)
            .filter(|note| !note.is_described)
            .map(|note| harmless(&note.sentence)),
    ];
    let notes = notes.into_iter().flatten().filter(|note| !note.is_empty());
    notes.fold(Docs::new(Some(summary), label), Docs::with_note)
}

fn method(plan: &OperationPlan<'_>) -> TokenStream {
    let operation = plan.operation;
    let (function, id, path) = (ident(&plan.function), &plan.id, plan.route.as_str());
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
                let ty = in_api(ty);
                quote!(TypedBody<#ty>)
            }
            Body::Bytes(_) => quote!(UntypedBody),
            Body::Parts => quote!(MultipartBody),
        };
        if plan.optional_body {
            quote!(body: OptionalBody<#extractor>,)
        } else {
            quote!(body: #extractor,)
        }
    });
    let form = plan
        .body
        .as_ref()
        .filter(|body| matches!(body, Body::Form(_)));
    let content_type = form.map(|body| {
        let media_type = body.media_type();
        quote!(, content_type = #media_type)
    });
    let common = quote!(path = #path, operation_id = #id #tags);
    let (attribute, last, output) = if plan.websocket {
        (
            quote!(channel(protocol = WEBSOCKETS, #common #deprecated)),
            Some(quote!(connection: WebsocketConnection,)),
            quote!(WebsocketChannelResult),
        )
    } else {
        let success = success(&plan.success, operation.method);
        let error = ident(&errors::name(plan));
        (
            quote!(endpoint(method = #verb, #common #content_type #deprecated)),
            body,
            quote!(Result<#success, #error>),
        )
    };
    quote! {
        #docs
        #[#attribute]
        async fn #function(
            rqctx: RequestContext<Self::Context>,
            #path_parameters
            #query
            #header
            #last
        ) -> #output;
    }
}

/// The type of the response that is not an error.
fn success(success: &Success<'_>, method: Method) -> TokenStream {
    if let Some(several) = &success.several {
        let name = ident(&several.name);
        return quote!(#name);
    }
    let body = success
        .body
        .as_ref()
        .map(|body| in_api(&body.ty))
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
