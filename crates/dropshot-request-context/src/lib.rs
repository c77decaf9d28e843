//! Makes dropshot request contexts for requests that dropshot did not receive.
//!
#![doc = include_str!("../README.md")]

mod capture;

pub use capture::NotCaptured;
use dropshot::{RequestContext, RequestEndpointMetadata, RequestInfo, ServerContext};
use slog::Logger;
use std::{mem::MaybeUninit, sync::Arc};

/// Creates request contexts that share one service context of the type `C`.
pub struct RequestContexts<C: ServerContext> {
    /// The request context of a request that dropshot itself received.
    template: RequestContext<C>,
}

impl<C: ServerContext> RequestContexts<C> {
    /// Gets a template from a dropshot server that is started for this. `context` is the context of
    /// the service, and `body_max_bytes` is the largest request body that extractors read if an
    /// endpoint has no limit of its own.
    ///
    /// # Errors
    ///
    /// Returns an error if dropshot cannot be started on the loopback interface.
    pub fn new(context: C, body_max_bytes: usize, log: Logger) -> Result<Self, NotCaptured> {
        let mut template = capture::request_context(context, body_max_bytes)?;
        template.log = log;
        Ok(RequestContexts { template })
    }

    /// Returns the context of the service.
    pub fn context(&self) -> &C {
        self.template.context()
    }

    /// Creates the request context of a request. Its logger is the one that was passed to
    /// [`new`](Self::new).
    pub fn make(
        &self,
        endpoint: RequestEndpointMetadata,
        request_id: String,
        request: RequestInfo,
    ) -> RequestContext<C> {
        const {
            // The size of the five fields that are written below. `Arc<()>` is as large as the
            // `Arc` of dropshot's server state, because both point to a sized type.
            let fields = size_of::<Arc<()>>()
                + size_of::<RequestEndpointMetadata>()
                + size_of::<String>()
                + size_of::<Logger>()
                + size_of::<RequestInfo>();
            assert!(
                size_of::<RequestContext<C>>() == fields,
                "this version of dropshot has another `RequestContext`"
            );
        }
        let mut made = MaybeUninit::<RequestContext<C>>::uninit();
        let to = made.as_mut_ptr();
        // SAFETY: `to` points to memory for a `RequestContext`, and each field is within this
        // memory and aligned.
        unsafe {
            (&raw mut (*to).server).write(self.template.server.clone());
            (&raw mut (*to).endpoint).write(endpoint);
            (&raw mut (*to).request_id).write(request_id);
            (&raw mut (*to).log).write(self.template.log.clone());
            (&raw mut (*to).request).write(request);
        }
        // SAFETY: All fields were written. Fields do not overlap, and the assertion shows that
        // these five fields take up every byte, so no other field can have a size.
        unsafe { made.assume_init() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dropshot::{
        ApiEndpointBodyContentType, Body, ExclusiveExtractor as _, Query, SharedExtractor,
        TypedBody,
    };
    use http::Request;
    use schemars::JsonSchema;
    use serde::Deserialize;

    #[derive(Deserialize, JsonSchema)]
    struct Page {
        limit: u32,
    }

    fn contexts() -> RequestContexts<String> {
        let log = Logger::root(slog::Discard, slog::o!());
        RequestContexts::new("the service".to_owned(), 10, log).expect("captured")
    }

    fn endpoint() -> RequestEndpointMetadata {
        RequestEndpointMetadata {
            operation_id: "list".to_owned(),
            variables: [].into(),
            body_content_type: ApiEndpointBodyContentType::Json,
            request_body_max_bytes: None,
        }
    }

    fn request(body: &'static str) -> Request<Body> {
        Request::post("/pets?limit=7")
            .header("content-type", "application/json")
            .body(Body::from(body))
            .expect("a request")
    }

    fn make(contexts: &RequestContexts<String>, request: &Request<Body>) -> RequestContext<String> {
        let info = RequestInfo::new(request, ([127, 0, 0, 1], 4711).into());
        contexts.make(endpoint(), "an id".to_owned(), info)
    }

    #[tokio::test]
    async fn extractors_can_read_a_request_with_a_created_context() {
        let contexts = contexts();
        let request = request("{\"limit\":8}");
        let made = make(&contexts, &request);
        assert_eq!(made.context(), "the service");
        assert_eq!(made.request_id, "an id");
        assert_eq!(made.endpoint.operation_id, "list");
        assert_eq!(made.request.remote_addr().port(), 4711);
        let query = <Query<Page> as SharedExtractor>::from_request(&made)
            .await
            .expect("a query");
        assert_eq!(query.into_inner().limit, 7);
        let body = TypedBody::<Page>::from_request(&made, request).await;
        let error = body.map(|_| ()).expect_err("11 bytes are too many");
        let message = error.external_message;
        assert_eq!(message, "request body exceeded maximum size of 10 bytes");
    }

    #[test]
    fn dropping_a_request_context_does_not_affect_the_others() {
        let contexts = contexts();
        let request = request("");
        for _ in 0..1000 {
            drop(make(&contexts, &request));
        }
        let last = make(&contexts, &request);
        drop(contexts);
        assert_eq!(last.context(), "the service");
    }
}
