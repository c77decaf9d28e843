//! Bodies of requests that dropshot has no type for: those that may be absent.

use super::Api;
use proc_macro2::TokenStream;
use quote::quote;

/// The file, where such a body is needed.
pub(super) fn file(api: &Api<'_>) -> Option<TokenStream> {
    let is_needed = api.plan.operations.iter().any(|plan| plan.optional_body);
    is_needed.then(optional)
}

fn optional() -> TokenStream {
    quote! {
        #[doc = " A body that may be absent. What was sent breaks no rule of the document."]
        #[derive(Debug)]
        pub struct OptionalBody<E>(Option<E>);

        impl<E> OptionalBody<E> {
            #[doc = " The body, where the request has one; one without any byte is none."]
            pub fn into_inner(self) -> Option<E> {
                self.0
            }
        }

        #[async_trait::async_trait]
        impl<E: ExclusiveExtractor> ExclusiveExtractor for OptionalBody<E> {
            async fn from_request<C: ServerContext>(
                rqctx: &RequestContext<C>,
                request: hyper::Request<Body>,
            ) -> Result<Self, HttpError> {
                if hyper::body::Body::is_end_stream(request.body()) {
                    return Ok(OptionalBody(None));
                }
                E::from_request(rqctx, request).await.map(|body| OptionalBody(Some(body)))
            }

            fn metadata(content_type: ApiEndpointBodyContentType) -> ExtractorMetadata {
                E::metadata(content_type)
            }
        }
    }
}
