//! Uses an extractor of dropshot to read the query of a request that dropshot did not receive.

use dropshot::{
    ApiEndpointBodyContentType, Query, RequestEndpointMetadata, RequestInfo, SharedExtractor as _,
};
use dropshot_request_context::RequestContexts;
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Page {
    limit: u32,
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let log = slog::Logger::root(slog::Discard, slog::o!());
    let contexts = RequestContexts::new("the state of the service", 1024, log)?;
    let endpoint = RequestEndpointMetadata {
        operation_id: "listBooks".to_owned(),
        variables: [].into(),
        body_content_type: ApiEndpointBodyContentType::Json,
        request_body_max_bytes: None,
    };
    // In a real program, a server would receive this request.
    let request = http::Request::get("/books?limit=7").body(())?;
    let info = RequestInfo::new(&request, ([127, 0, 0, 1], 4711).into());
    let context = contexts.make(endpoint, "request 1".to_owned(), info);
    let page = Query::<Page>::from_request(&context).await?.into_inner();
    println!("{}: limit {}", context.request_id, page.limit);
    Ok(())
}
