//! The client: what every request has in common, and the one place through
//! which all of them go. The operations are in `generated`.

use crate::{ClientBuilder, Error};
use http::header::{AUTHORIZATION, HeaderValue};
use reqwest::{Method, Request, RequestBuilder, Response};
use std::{fmt, sync::Arc};

/// A client of one service, with one API key.
///
/// Cloning is cheap, and clones share their connections.
#[derive(Clone)]
pub struct Client {
    shared: Arc<Shared>,
}

struct Shared {
    base_url: String,
    /// `Bearer …`, marked as sensitive.
    authorization: HeaderValue,
    http: reqwest::Client,
}

impl Client {
    /// Starts a client of the service at this address, such as
    /// `http://127.0.0.1:8080/v1`. It ends with the version of the interface
    /// (section 9 of the specification); a slash after it does not matter.
    pub fn builder(base_url: impl Into<String>) -> ClientBuilder {
        ClientBuilder::new(base_url.into())
    }

    pub(crate) fn new(base_url: String, authorization: HeaderValue, http: reqwest::Client) -> Self {
        Client {
            shared: Arc::new(Shared {
                base_url,
                authorization,
                http,
            }),
        }
    }

    /// The address of the service, without a slash at its end.
    pub fn base_url(&self) -> &str {
        &self.shared.base_url
    }

    /// A request with the key (section 5 of the specification).
    pub(crate) fn request(&self, method: Method, url: String) -> RequestBuilder {
        self.shared
            .http
            .request(method, url)
            .header(AUTHORIZATION, self.shared.authorization.clone())
    }

    /// Sends a request. Every operation comes through here, so this is the place
    /// for what concerns all of them.
    pub(crate) async fn execute(
        &self,
        request: Request,
        operation_id: &'static str,
    ) -> Result<Response, Error> {
        self.shared
            .http
            .execute(request)
            .await
            .map_err(|error| Error::not_answered(operation_id, self.base_url(), error))
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("base_url", &self.shared.base_url)
            .finish_non_exhaustive()
    }
}
