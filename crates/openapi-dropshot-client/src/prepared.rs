//! The request of a call that is ready to be sent. How it is sent is in `retry`.

use crate::{
    Client,
    call::Settings,
    operation::{IDEMPOTENCY_KEY, Operation},
};
use http::HeaderMap;
use reqwest::{Request, Url};

/// A request that is ready to be sent, once or several times. It borrows nothing, so that a stream of pages can be moved
/// anywhere.
pub(crate) struct Prepared {
    pub(crate) client: Client,
    /// The settings of the call, if they are not those of its client.
    pub(crate) settings: Option<Box<Settings>>,
    /// The request with the headers of the call alone; each try adds those of the client.
    pub(crate) request: Request,
    /// Whether the response has a JSON body.
    pub(crate) accepts_json: bool,
    /// Whether the application reads the body of the response as it arrives.
    pub(crate) is_streamed: bool,
    pub(crate) operation: &'static Operation,
}

impl Prepared {
    pub(crate) fn settings(&self) -> &Settings {
        let of_client = &self.client.shared.settings;
        self.settings.as_deref().unwrap_or(of_client)
    }

    /// The key that makes the request safe to repeat.
    pub(crate) fn idempotency_key(&self) -> Option<&str> {
        let headers = self.request.headers();
        // Most requests have no headers of their own.
        if headers.is_empty() {
            return None;
        }
        headers.get(IDEMPOTENCY_KEY)?.to_str().ok()
    }

    /// Lets the next request go to another address.
    pub(crate) fn go_to(&mut self, url: Url) {
        *self.request.url_mut() = url;
    }
}

/// The request of one try, and whether there can be another one: a body that is a stream cannot be sent twice. The
/// headers of the call replace those of the client.
pub(crate) fn next_try(template: &mut Request, of_client: &HeaderMap) -> (Request, bool) {
    let (mut request, again) = match template.try_clone() {
        Some(request) => (request, true),
        None => {
            let mut request = Request::new(template.method().clone(), template.url().clone());
            request.headers_mut().clone_from(template.headers());
            *request.body_mut() = template.body_mut().take();
            (request, false)
        }
    };
    let of_call = std::mem::replace(request.headers_mut(), of_client.clone());
    if !of_call.is_empty() {
        request.headers_mut().extend(of_call);
    }
    (request, again)
}
