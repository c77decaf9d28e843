//! A request body that may be absent, for which dropshot has no extractor.

use async_trait::async_trait;
use dropshot::{
    ApiEndpointBodyContentType, Body, ExclusiveExtractor, ExtractorMetadata, HttpError,
    RequestContext, ServerContext,
};
use http::Request;
use hyper::body::Body as _;

/// A request body that may be absent. A body that is present is valid.
#[derive(Debug)]
pub struct OptionalBody<E>(Option<E>);

impl<E> OptionalBody<E> {
    /// The body, if the request has one. A body without any byte counts as
    /// absent.
    pub fn into_inner(self) -> Option<E> {
        self.0
    }
}

#[async_trait]
impl<E: ExclusiveExtractor> ExclusiveExtractor for OptionalBody<E> {
    async fn from_request<C: ServerContext>(
        rqctx: &RequestContext<C>,
        request: Request<Body>,
    ) -> Result<Self, HttpError> {
        if request.body().is_end_stream() {
            return Ok(OptionalBody(None));
        }
        let body = E::from_request(rqctx, request).await?;
        Ok(OptionalBody(Some(body)))
    }

    fn metadata(content_type: ApiEndpointBodyContentType) -> ExtractorMetadata {
        E::metadata(content_type)
    }
}
