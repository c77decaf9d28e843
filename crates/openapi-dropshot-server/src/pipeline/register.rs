//! Registers the catch-all routes that pass every request to the middleware pipeline: one
//! unpublished endpoint for each method of HTTP. If a method is not registered or a path
//! cannot be decoded, dropshot itself responds, in its own form.

use super::{context::Context, handle_request, trace_context};
use crate::state::State;
use async_trait::async_trait;
use dropshot::{
    ApiDescription, ApiDescriptionRegisterError, ApiEndpoint, ApiEndpointBodyContentType,
    ApiEndpointVersions, Body, CONTENT_TYPE_JSON, ExclusiveExtractor, ExtractorMetadata, HttpError,
    Path, RequestContext, ServerContext, SharedExtractor,
};
use http::{Method, Request, Response};
use openapi_dropshot_types::Contract;
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
pub(crate) fn description<C, S>() -> Result<ApiDescription<Context<S>>, ApiDescriptionRegisterError>
where
    C: Contract<Context = Context<S>>,
    S: State,
{
    let mut api = ApiDescription::new();
    for method in METHODS {
        let name = format!("pipeline_{}", method.as_str().to_lowercase());
        let path = "/{rest:.*}";
        let endpoint = ApiEndpoint::new(
            name,
            catch_all::<C, S>,
            method,
            CONTENT_TYPE_JSON,
            path,
            ApiEndpointVersions::All,
        );
        api.register(endpoint.visible(false))?;
    }
    Ok(api)
}

/// The handler of the catch-all routes.
async fn catch_all<C, S>(
    rqctx: RequestContext<Context<S>>,
    WholeRequest(request): WholeRequest,
) -> Result<Response<Body>, HttpError>
where
    C: Contract<Context = Context<S>>,
    S: State,
{
    let span = trace_context::span(request.headers());
    Ok(handle_request::<C, S>(rqctx, request)
        .instrument(span)
        .await)
}

/// The request as it came. Unlike dropshot's `RawRequest` it owns up to the
/// path's variable, which a registered path must have an extractor for.
struct WholeRequest(Request<Body>);

/// The variable of the catch-all path, which is never read.
#[derive(Deserialize, JsonSchema)]
struct Rest {
    #[expect(
        dead_code,
        reason = "declares the variable; the pipeline reads the path itself"
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
