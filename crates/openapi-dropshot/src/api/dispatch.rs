//! Writes the implementation of `Contract`: the facts of the document, and the
//! dispatch from a request to the method of the trait.

use super::Api;
use crate::{
    names::ident,
    plan::{OperationPlan, path_of},
};
use proc_macro2::TokenStream;
use quote::quote;

/// The file.
pub(super) fn file(api: &Api<'_>) -> TokenStream {
    let (name, module) = (&api.name, &api.module);
    let arms = api.plan.operations.iter().map(arm);
    let info = &api.document.info;
    let (title, version) = (&info.title, &info.version.value);
    let base_path = api
        .document
        .servers
        .first()
        .map_or("", |server| path_of(&server.url));
    let errors = match api.catalogue() {
        Some(_) => quote!(&CATALOGUE),
        None => quote!(&[]),
    };
    let about =
        format!(" The API of the document with the handlers of `A`, which implements [`{name}`].");
    quote! {
        #[doc = #about]
        pub struct Generated<A>(PhantomData<fn() -> A>);

        impl<A: #name + 'static> Contract for Generated<A>
        where
            A::Context: ServerContext,
        {
            type Context = A::Context;

            const TITLE: &'static str = #title;
            const VERSION: &'static str = #version;
            const BASE_PATH: &'static str = #base_path;
            const OPERATIONS: &'static [Operation] = OPERATIONS;
            const ERRORS: &'static [ErrorEntry] = #errors;
            const ERROR_BODY: &'static [(&'static str, ErrorMember)] = ERROR_BODY;
            const DOCUMENT_JSON: &'static str = include_str!("openapi.json").trim_ascii_end();
            const DOCUMENT_YAML: &'static str = include_str!("openapi.yaml");

            fn router() -> Result<Router, ApiDescriptionBuildErrors> {
                Ok(Router::new(#module::api_description::<A>()?, OPERATIONS))
            }

            async fn dispatch(
                operation: &'static Operation,
                rqctx: RequestContext<A::Context>,
                request: Request<Body>,
            ) -> Result<Response<Body>, Rejection> {
                match OperationId::ALL.get(operation.index) {
                    #(#arms)*
                    None => Err(Self::internal(format!("`{}` is an operation of another document", operation.name))),
                }
            }
        }
    }
}

fn arm(plan: &OperationPlan<'_>) -> TokenStream {
    let (variant, function) = (ident(&plan.type_name), ident(&plan.function));
    let shared: Vec<_> = [(&plan.path, "path"), (&plan.query, "query")]
        .into_iter()
        .filter(|(fields, _)| fields.is_some())
        .map(|(_, name)| ident(name))
        .collect();
    let headers = plan.header.as_ref().map(|_| ident("headers"));
    let read_headers = plan.header.as_ref().map(|fields| {
        let names = fields.fields.iter().map(|field| &field.wire);
        quote!(let headers = dispatch::read_headers::<Self, _>(&rqctx, &[#(#names),*])?;)
    });
    if plan.websocket {
        let headers = headers.iter();
        return quote! {
            Some(OperationId::#variant) => {
                #(let #shared = dispatch::read::<Self, _>(&rqctx).await?;)*
                #read_headers
                let upgrade: WebsocketUpgrade = dispatch::read_body::<Self, _>(&rqctx, request).await?;
                let response = upgrade.handle(move |connection| A::#function(rqctx #(, #shared)* #(, #headers)*, connection));
                dispatch::respond::<Self, _, _>(response.map_err(dispatch::rejection::<Self>))
            }
        };
    }
    let body = plan.body.as_ref().map(|_| ident("body"));
    let last = match &body {
        Some(body) => {
            quote!(let #body = dispatch::read_body::<Self, _>(&rqctx, request).await?;)
        }
        None => quote!(drop(request);),
    };
    let (headers, body) = (headers.iter(), body.iter());
    quote! {
        Some(OperationId::#variant) => {
            #(let #shared = dispatch::read::<Self, _>(&rqctx).await?;)*
            #read_headers
            #last
            dispatch::respond::<Self, _, _>(A::#function(rqctx #(, #shared)* #(, #headers)* #(, #body)*).await)
        }
    }
}
