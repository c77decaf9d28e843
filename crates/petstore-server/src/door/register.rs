//! How the door is hung: one unpublished catch-all endpoint for each method
//! that HTTP knows. A method that is not registered, and a path that cannot be
//! decoded, are answered by dropshot itself, in its own shape.

use super::{enter, trace};
use crate::app::App;
use async_trait::async_trait;
use dropshot::{
    ApiDescription, ApiDescriptionRegisterError, ApiEndpoint, ApiEndpointBodyContentType,
    ApiEndpointVersions, Body, CONTENT_TYPE_JSON, ExclusiveExtractor, ExtractorMetadata, HttpError,
    Path, RequestContext, ServerContext, SharedExtractor,
};
use http::{Method, Request, Response};
use schemars::JsonSchema;
use serde::Deserialize;
use tracing::Instrument as _;

/// The methods of RFC 9110 and RFC 5789.
const METHODS: [Method; 9] = [
    Method::GET,
    Method::HEAD,
    Method::POST,
    Method::PUT,
    Method::DELETE,
    Method::CONNECT,
    Method::OPTIONS,
    Method::TRACE,
    Method::PATCH,
];

/// The only routes of the running server.
pub(crate) fn description() -> Result<ApiDescription<App>, ApiDescriptionRegisterError> {
    let mut api = ApiDescription::new();
    for method in METHODS {
        let name = format!("door_{}", method.as_str().to_lowercase());
        let path = "/{rest:.*}";
        let endpoint = ApiEndpoint::new(
            name,
            knock,
            method,
            CONTENT_TYPE_JSON,
            path,
            ApiEndpointVersions::All,
        );
        api.register(endpoint.visible(false))?;
    }
    Ok(api)
}

async fn knock(
    rqctx: RequestContext<App>,
    WholeRequest(request): WholeRequest,
) -> Result<Response<Body>, HttpError> {
    let span = trace::span(request.headers());
    Ok(enter(rqctx, request).instrument(span).await)
}

/// The request as it came. Unlike dropshot's `RawRequest` it owns up to the
/// path's variable, which a registered path must have an extractor for.
struct WholeRequest(Request<Body>);

/// The variable of the catch-all path; nobody reads it.
#[derive(Deserialize, JsonSchema)]
struct Rest {
    #[expect(
        dead_code,
        reason = "declares the variable; the door reads the path itself"
    )]
    rest: Vec<String>,
}

#[async_trait]
impl ExclusiveExtractor for WholeRequest {
    async fn from_request<C: ServerContext>(
        _: &RequestContext<C>,
        request: Request<Body>,
    ) -> Result<Self, HttpError> {
        Ok(WholeRequest(request))
    }

    fn metadata(content_type: ApiEndpointBodyContentType) -> ExtractorMetadata {
        <Path<Rest> as SharedExtractor>::metadata(content_type)
    }
}
