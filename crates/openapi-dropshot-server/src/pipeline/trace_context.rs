//! Reads the trace of a request from `traceparent` (W3C Trace Context). Every log line of the
//! request contains the trace id. An invalid value is ignored, as the standard requires.

use crate::logging::REQUEST;
use http::HeaderMap;
use tracing::Span;

const TRACEPARENT: &str = "traceparent";

/// Returns the span in which a request runs. It contains the ids of the trace. Without a trace,
/// there is no span, which costs nothing.
pub(crate) fn span(headers: &HeaderMap) -> Span {
    let mut values = headers.get_all(TRACEPARENT).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return Span::none();
    };
    match value.to_str().ok().and_then(parse) {
        Some((trace_id, parent_id, trace_flags)) => {
            tracing::error_span!(target: REQUEST, "request", trace_id, parent_id, trace_flags)
        }
        None => Span::none(),
    }
}

/// Parses `version-trace_id-parent_id-flags` into the id of the trace, the id of the caller's span,
/// and the flags. Later versions may add parts at the end; version 00 must not.
fn parse(value: &str) -> Option<(&str, &str, &str)> {
    let mut parts = value.split('-');
    let (version, trace_id, parent_id, trace_flags) =
        (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let more = parts.next().is_some();
    let valid = is_hex(version, 2)
        && version != "ff"
        && (version != "00" || !more)
        && is_id(trace_id, 32)
        && is_id(parent_id, 16)
        && is_hex(trace_flags, 2);
    valid.then_some((trace_id, parent_id, trace_flags))
}

fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A valid id is not all zeros.
fn is_id(text: &str, length: usize) -> bool {
    is_hex(text, length) && text.bytes().any(|byte| byte != b'0')
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const PARENT: &str = "00f067aa0ba902b7";

    #[test]
    fn a_valid_trace_context_is_parsed() {
        for (value, trace_flags) in [
            (format!("00-{TRACE}-{PARENT}-01"), "01"),
            (format!("00-{TRACE}-{PARENT}-00"), "00"),
            (format!("cc-{TRACE}-{PARENT}-01-what-comes-later"), "01"),
        ] {
            let expected = (TRACE, PARENT, trace_flags);
            assert_eq!(parse(&value), Some(expected), "{value}");
        }
    }

    #[test]
    fn an_invalid_trace_context_is_ignored() {
        for value in [
            String::new(),
            format!("00-{TRACE}-{PARENT}"),
            format!("00-{TRACE}-{PARENT}-01-more"),
            format!("ff-{TRACE}-{PARENT}-01"),
            format!("0-{TRACE}-{PARENT}-01"),
            format!("00-{}-{PARENT}-01", TRACE.to_uppercase()),
            format!("00-{}-{PARENT}-01", "0".repeat(32)),
            format!("00-{TRACE}-{}-01", "0".repeat(16)),
            format!("00-{TRACE}-{PARENT}-0g"),
            format!("00-{PARENT}-{TRACE}-01"),
            format!(" 00-{TRACE}-{PARENT}-01"),
        ] {
            assert_eq!(parse(&value), None, "{value}");
        }
    }
}
