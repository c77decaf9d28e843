//! The items of streamed responses: server-sent events, JSON lines, and JSON text sequences.

use dropshot::{Body, HttpError};
use futures::{Stream, StreamExt as _, stream::BoxStream};
use http::{Response, StatusCode, header};
use hyper::body::{Body as HttpBody, Bytes, Frame};
use serde::Serialize;
use std::{
    error::Error,
    fmt,
    pin::Pin,
    sync::{Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

type BoxError = Box<dyn Error + Send + Sync>;

/// The items of a streamed response. The server requests the next item when the client has read the previous ones, and drops the
/// stream when the response ends for any reason.
pub struct Streamed<T>(Mutex<BoxStream<'static, Result<T, BoxError>>>);

impl<T: 'static> Streamed<T> {
    /// Creates a streamed response from a stream of items.
    pub fn new(items: impl Stream<Item = T> + Send + 'static) -> Self {
        Streamed(Mutex::new(items.map(Ok).boxed()))
    }

    /// Creates a streamed response from a stream that can fail. A failure is logged, and ends the response in such a way that the client can
    /// distinguish it from the regular end.
    pub fn fallible<E: Into<BoxError>>(
        items: impl Stream<Item = Result<T, E>> + Send + 'static,
    ) -> Self {
        Streamed(Mutex::new(
            items.map(|item| item.map_err(Into::into)).boxed(),
        ))
    }
}

impl<T> fmt::Debug for Streamed<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Streamed(..)")
    }
}

/// A server-sent event (HTML, section 9.2.6).
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Event<T> {
    /// The data of the event. Without data, clients only store the id, which says how far the service has read.
    pub data: Option<T>,
    /// The type of the event. Clients use `message` for events without a type.
    pub event: Option<String>,
    /// The id that a reconnecting client sends as `Last-Event-ID`. It must be one line without NUL.
    pub id: Option<String>,
    /// How long clients wait before they reconnect after the stream has ended.
    pub retry: Option<Duration>,
}

impl<T> Event<T> {
    /// Creates an event that has only data.
    pub fn new(data: T) -> Self {
        Event {
            data: Some(data),
            event: None,
            id: None,
            retry: None,
        }
    }

    /// Creates an id without an event, so that a client that received no event can reconnect with this id.
    pub fn checkpoint(id: impl Into<String>) -> Self {
        Event {
            data: None,
            event: None,
            id: Some(id.into()),
            retry: None,
        }
    }

    /// Sets the id.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Sets the type.
    #[must_use]
    pub fn with_event(mut self, event: impl Into<String>) -> Self {
        self.event = Some(event.into());
        self
    }
}

impl<T> From<T> for Event<T> {
    fn from(data: T) -> Self {
        Event::new(data)
    }
}

/// The format in which the items of a stream are written.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum StreamFormat {
    /// `text/event-stream`
    Events,
    /// `application/jsonl` and `application/x-ndjson`
    Lines,
    /// `application/json-seq` (RFC 7464), and media types that end in `+json-seq` (RFC 8091)
    Sequence,
}

/// Creates the response for a stream of events, whose data is JSON or text.
#[doc(hidden)]
pub fn events<T: Serialize + 'static>(
    status: StatusCode,
    media_type: &'static str,
    is_text: bool,
    items: Streamed<Event<T>>,
) -> Result<Response<Body>, HttpError> {
    let write = move |event: Event<T>| write_event(event, is_text);
    response(status, media_type, StreamFormat::Events, items, write)
}

/// Creates the response for a JSON stream.
#[doc(hidden)]
pub fn json<T: Serialize + 'static>(
    status: StatusCode,
    media_type: &'static str,
    format: StreamFormat,
    items: Streamed<T>,
) -> Result<Response<Body>, HttpError> {
    let write = move |item: T| {
        let mut text = Vec::new();
        if format == StreamFormat::Sequence {
            text.push(0x1e);
        }
        serde_json::to_writer(&mut text, &item)?;
        text.push(b'\n');
        Ok(text)
    };
    response(status, media_type, format, items, write)
}

fn response<T: 'static>(
    status: StatusCode,
    media_type: &'static str,
    format: StreamFormat,
    items: Streamed<T>,
    write: impl Fn(T) -> Result<Vec<u8>, BoxError> + Send + Sync + 'static,
) -> Result<Response<Body>, HttpError> {
    let items = items.0.into_inner().unwrap_or_else(PoisonError::into_inner);
    let items = items.map(move |item| write(item?).map(Bytes::from));
    let items = Items(Mutex::new(items.boxed()));
    // Proxies must not buffer or store items.
    let response = Response::builder()
        .status(status)
        .header(header::CONTENT_TYPE, media_type)
        .header(header::CACHE_CONTROL, "no-store")
        .header("x-accel-buffering", "no")
        .extension(format);
    Ok(response.body(Body::wrap(items))?)
}

fn write_event<T: Serialize>(event: Event<T>, is_text: bool) -> Result<Vec<u8>, BoxError> {
    let mut text = String::new();
    let mut field = |name: &str, value: &str| {
        // Each line of a value is written as a separate field.
        for line in value.replace("\r\n", "\n").split(['\n', '\r']) {
            text.extend([name, ": ", line, "\n"]);
        }
    };
    for (name, value) in [("event", &event.event), ("id", &event.id)] {
        if let Some(value) = value {
            if value.contains(['\n', '\r', '\0']) {
                return Err(
                    format!("`{name}` of an event must be one line, found {value:?}").into(),
                );
            }
            field(name, value);
        }
    }
    if let Some(retry) = event.retry {
        field("retry", &retry.as_millis().to_string());
    }
    if let Some(data) = &event.data {
        match serde_json::to_value(data)? {
            serde_json::Value::String(data) if is_text => field("data", &data),
            data => field("data", &data.to_string()),
        }
    }
    text.push('\n');
    Ok(text.into())
}

/// A body whose frames are the items.
struct Items(Mutex<BoxStream<'static, Result<Bytes, BoxError>>>);

impl HttpBody for Items {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        task: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        // A lock that is accessed through `&mut` never waits.
        let items = self.get_mut().0.get_mut();
        let items = items.unwrap_or_else(PoisonError::into_inner);
        let item = items.as_mut().poll_next(task);
        item.map(|item| item.map(|item| item.map(Frame::data)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(event: Event<&str>, is_text: bool) -> String {
        let text = write_event(event, is_text).expect("can be written");
        String::from_utf8(text).expect("UTF-8")
    }

    #[test]
    fn event_fields_are_written_as_one_line_each() {
        let event = Event {
            retry: Some(Duration::from_secs(2)),
            ..Event::new("a\nb\r\nc").with_id("7").with_event("added")
        };
        assert_eq!(
            text(event.clone(), true),
            "event: added\nid: 7\nretry: 2000\ndata: a\ndata: b\ndata: c\n\n"
        );
        assert_eq!(
            text(event, false),
            "event: added\nid: 7\nretry: 2000\ndata: \"a\\nb\\r\\nc\"\n\n"
        );
        assert_eq!(text(Event::new(""), true), "data: \n\n");
        assert_eq!(text(Event::checkpoint("7"), true), "id: 7\n\n");
    }

    #[test]
    fn an_event_id_of_two_lines_is_rejected() {
        let error = write_event(Event::new(1).with_id("a\ndata: 2"), false);
        assert!(error.is_err_and(|error| error.to_string().contains("one line")));
    }
}
