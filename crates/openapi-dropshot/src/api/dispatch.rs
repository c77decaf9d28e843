//! Writes the implementation of `Contract`: facts about the document, and the dispatch from a
//! request to a method of the trait.

use super::{contract::argument, errors::entries, module, shapes::error_shapes};
use crate::{
    names::ident,
    plan::{Fields, OperationPlan, Plan},
    render::option,
};
use openapi_dropshot_contract::model::{Document, Node, ParameterIn};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;

pub(super) fn file(document: &Document, plan: &Plan<'_>, name: &Ident) -> TokenStream {
    let module = module(name);
    let mut arms: Vec<TokenStream> = plan.operations.iter().map(arm).collect();
    if arms.is_empty() {
        // Without operations, the enum of operations has no values.
        arms.push(quote! {
            Some(id) => {
                drop((rqctx, request));
                match *id {}
            }
        });
    }
    let (title, version) = (&document.info.title, &document.info.version.value);
    let base_path = document.base_path();
    let errors = entries(plan);
    let media_type = document.error_media_type();
    let media_type = media_type.filter(|media_type| *media_type != "application/json");
    let media_type =
        media_type.map(|media_type| quote!(const ERROR_MEDIA_TYPE: &'static str = #media_type;));
    let shapes = error_shapes(document, plan);
    let optional = listed(plan, "OPTIONAL_BODIES", |own| {
        own.body.is_some() && own.optional_body
    });
    let streams = listed(plan, "STREAMS", |own| own.success.can_stream());
    let streamed_bodies = listed(plan, "STREAMED_BODIES", |own| own.streamed_body);
    let limits = limits(plan);
    let openapi = document.root.get("openapi").and_then(Node::as_str);
    let has_fractions = openapi.is_some_and(|openapi| !openapi.starts_with("3.0"));
    let fractions = has_fractions.then(|| {
        quote!(
            const INTEGERS_HAVE_FRACTIONS: bool = true;
        )
    });
    let about =
        format!(" The API of the document with the handlers of `A`, which implements [`{name}`].");
    quote! {
        use openapi_dropshot_types::dispatch;

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
            const ERRORS: &'static [ErrorEntry] = &#errors;
            const ERROR_BODY: &'static [(&'static str, ErrorMember)] = ERROR_BODY;
            #media_type
            #shapes
            #optional
            #streams
            #streamed_bodies
            #limits
            #fractions
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

/// Returns the constant of this name with the operations for which `is_listed` returns true, if there are such operations.
fn listed(
    plan: &Plan<'_>,
    constant: &str,
    is_listed: impl Fn(&OperationPlan<'_>) -> bool,
) -> Option<TokenStream> {
    let operations = plan.operations.iter().filter(|own| is_listed(own));
    let names: Vec<_> = operations.map(|operation| &operation.id).collect();
    let constant = ident(constant);
    (!names.is_empty()).then(|| quote!(const #constant: &'static [&'static str] = &[#(#names),*];))
}

/// Returns the constant with the limits of the operations, if there are limits.
fn limits(plan: &Plan<'_>) -> Option<TokenStream> {
    let limited = plan.operations.iter();
    let limited = limited.filter(|planned| !planned.operation.limits.is_empty());
    let limits: Vec<TokenStream> = limited
        .map(|planned| {
            let limits = planned.operation.limits.iter().map(|(name, number)| {
                let name = ident(&name.replace('-', "_"));
                let number = Literal::u64_unsuffixed(*number);
                quote!(#name: Some(#number))
            });
            let id = &planned.id;
            quote!((#id, OperationLimits { #(#limits,)* ..OperationLimits::NONE }))
        })
        .collect();
    (!limits.is_empty()).then(
        || quote!(const LIMITS: &'static [(&'static str, OperationLimits)] = &[#(#limits),*];),
    )
}

fn arm(plan: &OperationPlan<'_>) -> TokenStream {
    let (variant, function) = (ident(&plan.type_name), ident(&plan.function));
    let mut arguments: Vec<Ident> = Vec::new();
    let mut read: Vec<TokenStream> = Vec::new();
    for (place, fields) in &plan.parameters {
        let name = ident(argument(*place));
        let value = match (place, several(fields)) {
            (ParameterIn::Path, _) => quote!(dispatch::read_path::<Self, _>(&rqctx, operation)?),
            (ParameterIn::Query, Some(several)) => {
                quote!(dispatch::read_query::<Self, _>(&rqctx, &[#several])?)
            }
            (ParameterIn::Header, _) => {
                let names = fields.fields.iter().map(|field| &field.wire);
                quote!(dispatch::read_headers::<Self, _>(&rqctx, &[#(#names),*])?)
            }
            _ => quote!(dispatch::read::<Self, _>(&rqctx).await?),
        };
        read.push(quote!(let #name = #value;));
        arguments.push(name);
    }
    let rest = if plan.websocket {
        quote! {
            let upgrade: WebsocketUpgrade = dispatch::read_body::<Self, _>(&rqctx, request).await?;
            let response = upgrade.handle(move |connection| A::#function(rqctx #(, #arguments)*, connection));
            dispatch::respond::<Self, _, _>(response.map_err(dispatch::rejection::<Self>))
        }
    } else {
        let body = match &plan.body {
            Some(_) => {
                arguments.push(ident("body"));
                quote!(let body = dispatch::read_body::<Self, _>(&rqctx, request).await?;)
            }
            None => quote!(drop(request);),
        };
        quote! {
            #body
            dispatch::respond::<Self, _, _>(A::#function(rqctx #(, #arguments)*).await)
        }
    };
    quote! {
        Some(OperationId::#variant) => {
            #(#read)*
            #rest
        }
    }
}

/// Returns the parameters that have several values, if there are any: the name of each
/// parameter, and the separator between its values, unless each value is sent with its own name.
fn several(fields: &Fields) -> Option<TokenStream> {
    let several: Vec<TokenStream> = (fields.fields.iter())
        .filter_map(|field| {
            let (name, separator) = (&field.wire, option(field.several?));
            Some(quote!((#name, #separator)))
        })
        .collect();
    (!several.is_empty()).then(|| quote!(#(#several),*))
}
