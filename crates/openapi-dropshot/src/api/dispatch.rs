//! The dispatch: from a request to the method of the trait.

use super::Api;
use crate::{names::ident, plan::OperationPlan};
use proc_macro2::TokenStream;
use quote::quote;

/// The file.
pub(super) fn file(api: &Api<'_>) -> TokenStream {
    let (name, module) = (&api.name, &api.module);
    let arms = api.plan.operations.iter().map(arm);
    let refused = match api.catalogue() {
        Some(catalogue) => {
            let invalid = ident(&catalogue.invalid);
            quote! {
                if error.status_code.as_u16() < 500 {
                    Refusal::new(ErrorCode::#invalid, error.external_message)
                } else {
                    Refusal::internal(error.internal_message)
                }
            }
        }
        None => quote!(Refusal::from(error)),
    };
    let errors = match api.catalogue() {
        Some(catalogue) => {
            let code = catalogue
                .codes
                .iter()
                .find(|(variant, _)| *variant == catalogue.invalid);
            let code = code.map_or("", |(_, entry)| entry.code.as_str());
            format!(" `{code}` where a parameter or the body breaks a rule of the document;")
        }
        None => " 400 where a parameter or the body breaks a rule of the document;".to_owned(),
    };
    let has_headers = api.plan.operations.iter().any(|plan| plan.header.is_some());
    let headers = has_headers.then(headers);
    quote! {
        #[doc = " Finds the operation of a request."]
        pub struct Router(Box<Lookup>);

        type Lookup = dyn Fn(&Method, &str) -> Result<RequestEndpointMetadata, HttpError> + Send + Sync;

        impl Router {
            #[doc = " The routes of the document, as dropshot finds them."]
            #[doc = ""]
            #[doc = " # Errors"]
            #[doc = ""]
            #[doc = " Two operations of the document exclude each other in dropshot's router."]
            pub fn new<A: #name + 'static>() -> Result<Self, ApiDescriptionBuildErrors>
            where
                A::Context: ServerContext,
            {
                let router = #module::api_description::<A>()?.into_router();
                Ok(Router(Box::new(move |method, path| {
                    router.lookup_route(method, path.into(), None).map(|found| found.endpoint)
                })))
            }

            #[doc = " The operation that a method on a path, relative to the base address,"]
            #[doc = " asks for, and what the extractors need of it."]
            #[doc = ""]
            #[doc = " # Errors"]
            #[doc = ""]
            #[doc = " 404 where the path is not in the document, 405 where it has no such"]
            #[doc = " method, 400 where the path cannot be decoded."]
            pub fn find(&self, method: &Method, path: &str) -> Result<(OperationId, RequestEndpointMetadata), HttpError> {
                let endpoint = (self.0)(method, path)?;
                let id = OperationId::from_name(&endpoint.operation_id).ok_or_else(|| {
                    HttpError::for_internal_error(format!("no operation {}", endpoint.operation_id))
                })?;
                Ok((id, endpoint))
            }
        }

        #[doc = " Reads the parameters and the body of a request and calls the operation."]
        #[doc = ""]
        #[doc = " # Errors"]
        #[doc = ""]
        #[doc = #errors]
        #[doc = " otherwise what the operation itself answers."]
        pub async fn dispatch<A: #name + 'static>(
            id: OperationId,
            rqctx: RequestContext<A::Context>,
            request: hyper::Request<Body>,
        ) -> Result<Response<Body>, Refusal>
        where
            A::Context: ServerContext,
        {
            match id {
                #(#arms)*
            }
        }

        #[doc = " What an extractor refused."]
        fn refused(error: HttpError) -> Refusal {
            #refused
        }

        fn answer<R: HttpResponse, E: Into<Refusal>>(result: Result<R, E>) -> Result<Response<Body>, Refusal> {
            result.map_err(Into::into)?.to_result().map_err(refused)
        }

        #headers
    }
}

/// The function that reads header parameters. dropshot's own extractor copies
/// all headers, refuses a request for any of them that is not ASCII, and of
/// several lines takes the last.
fn headers() -> TokenStream {
    quote! {
        #[doc = " The header parameters of these names; several lines of one name are one"]
        #[doc = " value (RFC 9110, section 5.3). No other header is looked at."]
        fn headers<T>(request: &RequestInfo, names: &[&'static str]) -> Result<Header<T>, HttpError>
        where
            T: DeserializeOwned + JsonSchema + Send + Sync,
        {
            let refused = |message: String| HttpError::for_bad_request(None, message);
            let mut found = Vec::new();
            for &name in names {
                let lines = request
                    .headers()
                    .get_all(name)
                    .iter()
                    .map(|line| line.to_str().map_err(|_| refused(format!("`{name}` must be ASCII"))))
                    .collect::<Result<Vec<_>, _>>()?;
                if !lines.is_empty() {
                    found.push((name, lines.join(", ")));
                }
            }
            T::deserialize(MapDeserializer::<_, serde::de::value::Error>::new(found.into_iter()))
                .map(Header::from)
                .map_err(|error| refused(error.to_string()))
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
        quote!(let headers = headers(&rqctx.request, &[#(#names),*]).map_err(refused)?;)
    });
    if plan.websocket {
        let headers = headers.iter();
        return quote! {
            OperationId::#variant => {
                #(let #shared = SharedExtractor::from_request(&rqctx).await.map_err(refused)?;)*
                #read_headers
                let upgrade: WebsocketUpgrade = ExclusiveExtractor::from_request(&rqctx, request).await.map_err(refused)?;
                answer(upgrade.handle(move |connection| A::#function(rqctx #(, #shared)* #(, #headers)*, connection)).map_err(refused))
            }
        };
    }
    let body = plan.body.as_ref().map(|_| ident("body"));
    let last = match &body {
        Some(body) => {
            quote!(let #body = ExclusiveExtractor::from_request(&rqctx, request).await.map_err(refused)?;)
        }
        None => quote!(drop(request);),
    };
    let (headers, body) = (headers.iter(), body.iter());
    quote! {
        OperationId::#variant => {
            #(let #shared = SharedExtractor::from_request(&rqctx).await.map_err(refused)?;)*
            #read_headers
            #last
            answer(A::#function(rqctx #(, #shared)* #(, #headers)* #(, #body)*).await)
        }
    }
}
