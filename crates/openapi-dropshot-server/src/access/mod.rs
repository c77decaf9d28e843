//! Records the end of each request: writes a line to the access log and updates the metrics.
//! Neither contains a credential or a body. Only the line of a request whose path does not exist
//! contains the path, with long segments shortened.

mod sampling;

pub(crate) use sampling::RejectedLines;

use crate::{
    ended_request::EndedRequest,
    logging::{UNLOGGED, cut},
    metrics::Metrics,
};
use std::net::IpAddr;

/// The longest segment of a path in the log, in bytes. API keys are longer, so a key that a client
/// puts into a path is not readable in the log.
const SEGMENT: usize = 24;
/// The longest path in the log, in bytes.
const PATH: usize = 200;

/// The longest method in the log, in bytes. All registered methods are shorter, and API keys are
/// longer.
const METHOD: usize = 20;

/// Returns a method for the log. A long method is replaced with the name that metrics and traces
/// use for unknown methods.
fn logged_method(method: &str) -> &str {
    if method.len() > METHOD {
        "_OTHER"
    } else {
        method
    }
}

/// Formats the address of a client. An IPv4 address is written without `fmt`, which is slower.
fn text_of(client: IpAddr) -> String {
    let IpAddr::V4(client) = client else {
        return client.to_string();
    };
    let mut text = String::with_capacity("255.255.255.255".len());
    for octet in client.octets() {
        if !text.is_empty() {
            text.push('.');
        }
        text.push_str(itoa::Buffer::new().format(octet));
    }
    text
}

/// Formats a path that does not exist for the log: without the query, escaped, and with a limited
/// length.
pub(crate) fn unknown_path(path: &str) -> String {
    let mut logged = String::new();
    for (index, segment) in path.split('/').enumerate() {
        if index > 0 {
            logged.push('/');
        }
        let (kept, more) = cut(segment, SEGMENT);
        logged.extend(kept.chars().flat_map(|character| {
            let is_plain = !character.is_control() && character != '"' && character != '\\';
            let plain = is_plain.then_some(character);
            let escaped = (!is_plain).then(|| character.escape_default());
            plain.into_iter().chain(escaped.into_iter().flatten())
        }));
        if more > 0 {
            logged.push_str("...");
        }
        if logged.len() > PATH {
            logged.truncate(cut(&logged, PATH).0.len());
            logged.push_str("...");
            break;
        }
    }
    logged
}

/// Emits the event of a request. Its target depends on whether the request gets a line in the log.
macro_rules! event {
    ($request:expr, $($target:tt)*) => {
        tracing::info!(
            $($target)*
            // A field needs no formatting if it is a `str`.
            message = $request.message,
            request_id = $request.request_id,
            method = logged_method($request.method.as_str()),
            route = $request.route,
            operation = $request.operation.map(|operation| operation.name),
            path = $request.path,
            status = $request.status,
            code = $request.code,
            duration_us = u64::try_from($request.took.as_micros()).unwrap_or(u64::MAX),
            key_id = $request.key_id,
            client = $request.client.map(text_of),
        )
    };
}

impl EndedRequest<'_> {
    /// Counts the request, and logs its line unless too many requests of the same kind were logged.
    /// The `tracing` target of the line is this module.
    pub(crate) fn record(&self, metrics: Option<&Metrics>, rejected: &RejectedLines) {
        if let Some(metrics) = metrics {
            metrics.requests.end(self);
        }
        if rejected.has_line_for(self.status, self.code) {
            event!(self,);
        } else {
            // There is no line in the log, but a collector gets a span.
            event!(self, target: UNLOGGED,);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_addresses_are_written_in_the_usual_notation() {
        for address in [
            "0.0.0.0",
            "10.20.3.100",
            "255.255.255.255",
            "::1",
            "2001:db8::7",
        ] {
            let client = address.parse().expect("an address");
            assert_eq!(text_of(client), address);
        }
    }

    #[test]
    fn a_path_in_the_log_is_shortened_and_escaped() {
        let long = "x".repeat(60);
        for (path, logged) in [
            ("/v1/cats", "/v1/cats".to_owned()),
            ("/a\"b\u{7}", "/a\\\"b\\u{7}".to_owned()),
            (
                &format!("/v1/{long}/2"),
                format!("/v1/{}.../2", &long[..24]),
            ),
        ] {
            assert_eq!(unknown_path(path), logged);
        }
        let longest = unknown_path(&"/segment".repeat(1000));
        assert!(
            longest.len() == PATH + 3 && longest.ends_with("..."),
            "{longest}"
        );
    }
}
