//! The request of a call, ready to be sent. The module `retry` sends it.

use crate::{
    CallOptions, Client,
    call::Settings,
    error::Failure,
    link::query_value,
    operation::{IDEMPOTENCY_KEY, Operation, WAIT},
    recovery::new_idempotency_key,
};
use http::{HeaderMap, HeaderValue};
use reqwest::Request;
use std::time::Duration;

/// A request that is ready to be sent, once or several times. It borrows nothing, so that a stream of pages can be moved
/// anywhere.
pub(crate) struct Prepared {
    pub(crate) client: Client,
    /// The settings of the call, if they differ from those of its client.
    pub(crate) settings: Option<Box<Settings>>,
    /// The request with only the headers of the call; each try adds the headers of the client.
    pub(crate) request: Request,
    /// Whether the response has a JSON body.
    pub(crate) accepts_json: bool,
    /// Whether the application reads the body of the response as it arrives.
    pub(crate) is_streamed: bool,
    /// Whether a response may have no content (204), even if the document does not list this status.
    pub(crate) may_have_no_content: bool,
    pub(crate) operation: &'static Operation,
}

impl Prepared {
    /// Creates a request from a call and its settings. If the request lets the service wait for events, this time is added to the limits.
    ///
    /// # Errors
    ///
    /// Returns an error if a header of the settings cannot be sent.
    pub(crate) fn new(
        client: Client,
        operation: &'static Operation,
        mut request: Request,
        options: Option<CallOptions>,
    ) -> Result<Box<Self>, Failure> {
        let mut settings = None;
        if let Some(options) = options {
            let (changed, added) = client.shared.settings.changed_by(options);
            let added = added.0.map_err(Failure::invalid_request)?;
            request.headers_mut().extend(added);
            settings = Some(Box::new(changed));
        }
        if operation.takes_idempotency_key() {
            // The call keeps this key in all its tries.
            let new_key =
                || HeaderValue::try_from(new_idempotency_key()).expect("a UUID is visible ASCII");
            let headers = request.headers_mut();
            headers.entry(IDEMPOTENCY_KEY).or_insert_with(new_key);
        }
        let mut prepared = Box::new(Prepared {
            client,
            settings,
            request,
            accepts_json: false,
            is_streamed: false,
            may_have_no_content: false,
            operation,
        });
        if operation.is_feed() {
            prepared.allow_wait();
        }
        Ok(prepared)
    }

    pub(crate) fn settings(&self) -> &Settings {
        let of_client = &self.client.shared.settings;
        self.settings.as_deref().unwrap_or(of_client)
    }

    /// Changes the settings of the call.
    pub(crate) fn change_settings(&mut self, change: impl FnOnce(&mut Settings)) {
        let mut settings = self.settings().clone();
        change(&mut settings);
        self.settings = Some(Box::new(settings));
    }

    /// Returns how long the request lets the service wait for events.
    pub(crate) fn wait(&self) -> Option<Duration> {
        let seconds = query_value(self.request.url(), WAIT)?;
        seconds.parse().ok().map(Duration::from_secs)
    }

    /// Gives the call the time that the service waits for events.
    pub(crate) fn allow_wait(&mut self) {
        let Some(wait) = self.wait() else { return };
        self.change_settings(|settings| {
            settings.timeout = settings.timeout.saturating_add(wait);
            settings.try_timeout = settings.try_timeout.saturating_add(wait);
        });
    }

    /// Returns the key that makes the request safe to repeat.
    pub(crate) fn idempotency_key(&self) -> Option<&str> {
        let headers = self.request.headers();
        // Most requests have no headers of their own.
        if headers.is_empty() {
            return None;
        }
        headers.get(IDEMPOTENCY_KEY)?.to_str().ok()
    }
}

/// Returns the request of one try, and whether there can be another try: a body that is a stream cannot be sent twice.
/// The headers of the call replace those of the client.
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
    request.headers_mut().extend(of_call);
    (request, again)
}
