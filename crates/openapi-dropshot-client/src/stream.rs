//! Responses that are streams of items: JSON lines and JSON text sequences ([`Streamed`]), and server-sent events ([`EventStream`]).
//! Also request bodies that are streams of JSON lines ([`Lines`]).
//!
//! The request of a stream is a call like any other, with the credentials, interceptors, retries and time limits of its client. The time
//! limits end with the head of the response. After that, a stream may take any time, as long as bytes arrive. The limit for a pause is
//! [`CallOptions::idle_timeout`](crate::CallOptions::idle_timeout). Every byte restarts it, even an empty line or a comment, which
//! services send as heartbeats.
//!
//! If an item does not match the document, or is larger than [`CallOptions::max_item_bytes`](crate::CallOptions::max_item_bytes), the
//! stream returns an error instead of this item ([`ErrorKind::Unreadable`], [`ErrorKind::TooLarge`]), and continues with the next item.
//! After any other error it ends.

mod arriving;
mod event_decoder;
mod events;
mod lines;
mod pieces;
#[cfg(test)]
mod tests;

pub use events::{Event, EventStream};
pub use lines::Lines;

use crate::{
    Error, ErrorCode, ErrorKind, Response, call::Settings, error::Failure, json::json_body,
    prepared::Prepared, response::reason,
};
use arriving::Arriving;
use bytes::Bytes;
use futures_util::Stream;
use http::{HeaderValue, header::ACCEPT};
use pieces::{Framing, JsonText, Piece, Pieces};
use serde::de::{DeserializeOwned, IgnoredAny};
use std::{
    future::poll_fn,
    marker::PhantomData,
    pin::Pin,
    task::{Context, Poll, ready},
};

/// The media types whose items are lines; both names mean the same format.
const LINES: [&str; 4] = [
    "application/jsonl",
    "application/x-ndjson",
    "application/x-jsonlines",
    "application/ndjson",
];

/// The items of a response, one after the other as they arrive, as a [`Stream`].
///
/// The module [`stream`](self) says which errors end it. If the response is interrupted, the last result is an error of the kind
/// [`ErrorKind::Interrupted`]; without such an error, the response is complete. An interrupted stream is not continued: send the request
/// again.
///
/// ```
/// # use openapi_dropshot_client::{Error, ErrorKind, stream::Streamed};
/// # async fn example(mut titles: Streamed<String>) -> Result<(), Error> {
/// // client.export_titles().send().await?.into_inner()
/// while let Some(title) = titles.next().await {
///     match title {
///         Ok(title) => println!("{title}"),
///         // The next item may be readable.
///         Err(error) if error.kind() == ErrorKind::Unreadable => eprintln!("{error}"),
///         Err(error) => return Err(error),
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "items arrive when they are polled for"]
pub struct Streamed<T, C = String> {
    arriving: Arriving,
    pieces: Pieces,
    limit: usize,
    /// How many items have arrived.
    count: u64,
    has_ended: bool,
    items: PhantomData<fn() -> (T, C)>,
}

impl<T, C> Streamed<T, C> {
    /// Returns how many items have arrived, including those that could not be read.
    pub fn received(&self) -> u64 {
        self.count
    }
}

impl<T: DeserializeOwned, C: ErrorCode> Streamed<T, C> {
    pub(crate) async fn send(
        request: Result<Box<Prepared>, Failure>,
        media_type: &'static str,
    ) -> Result<Response<Self, C>, Failure> {
        let mut request = request?;
        request.is_streamed = true;
        accept(&mut request, media_type);
        let &Settings {
            idle_timeout,
            max_item_bytes: limit,
            ..
        } = request.settings();
        let arriving = Arriving::new(request.send().await?, idle_timeout);
        let is_lines = |found: &str| LINES.contains(&found) && LINES.contains(&media_type);
        arriving.check_type(media_type, is_lines)?;
        let framing = match is_sequence(media_type) {
            true => Framing::Sequence(JsonText::default()),
            false => Framing::Lines,
        };
        let head = arriving.head.clone();
        let streamed = Streamed {
            arriving,
            pieces: Pieces::new(framing, limit),
            limit,
            count: 0,
            has_ended: false,
            items: PhantomData,
        };
        Ok(Response::new(streamed, head, Bytes::new()))
    }

    /// Returns the next item; `None` after the last one. This is the same as `next` of `StreamExt`, but needs no import.
    pub async fn next(&mut self) -> Option<Result<T, Error<C>>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// Returns the items as an iterator, for code that is not async.
    #[cfg(all(feature = "blocking", not(target_arch = "wasm32")))]
    pub fn blocking(self) -> crate::blocking::StreamIter<Self> {
        crate::blocking::StreamIter::new(self, Self::next_of_chunk)
    }

    /// Returns the next item of the chunk that arrived last.
    pub(crate) fn next_of_chunk(&mut self) -> Option<Result<T, Error<C>>> {
        loop {
            let piece = self.pieces.next()?;
            if let Some(item) = self.read(piece) {
                return Some(item.map_err(Failure::typed));
            }
        }
    }

    /// Reads an item; returns `None` if the piece is blank.
    fn read(&mut self, piece: Piece) -> Option<Result<T, Failure>> {
        if piece.is_blank() {
            return None;
        }
        self.count += 1;
        let (arriving, count) = (&self.arriving, self.count);
        Some(match &piece {
            Piece::TooLarge => Err(arriving.too_large(count, self.limit)),
            Piece::Unfinished(text) if is_cut_off(text) => {
                Err(arriving.misfit(count, "it is cut off before its end"))
            }
            Piece::Whole(text) | Piece::Unfinished(text) => {
                json_body(text).map_err(|error| arriving.misfit(count, reason(&error)))
            }
        })
    }

    /// Returns the remaining item after the response has ended.
    fn last(&mut self) -> Option<Result<T, Failure>> {
        let piece = self.pieces.finish()?;
        match &piece {
            Piece::Unfinished(text) if !piece.is_blank() && is_cut_off(text) => {
                let number = self.count + 1;
                let message = format!(
                    "the stream was cut off: it ended in the middle of item {number}, and further items may be missing; send the request again"
                );
                Some(Err(self.arriving.error(ErrorKind::Interrupted, message)))
            }
            _ => self.read(piece),
        }
    }
}

/// Whether a text without an end marker may be the beginning of a longer one: an incomplete JSON text, or a number.
fn is_cut_off(text: &[u8]) -> bool {
    match serde_json::from_slice::<IgnoredAny>(text) {
        Ok(_) => text.last().is_some_and(u8::is_ascii_digit),
        Err(error) => error.is_eof(),
    }
}

impl<T: DeserializeOwned, C: ErrorCode> Stream for Streamed<T, C> {
    type Item = Result<T, Error<C>>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(item) = this.next_of_chunk() {
                return Poll::Ready(Some(item));
            }
            if this.has_ended {
                return Poll::Ready(None);
            }
            let item = match ready!(this.arriving.poll_next(context)) {
                Some(Ok(chunk)) => {
                    this.pieces.push(&chunk);
                    continue;
                }
                Some(Err(error)) => Some(Err(error)),
                None => this.last(),
            };
            this.has_ended = true;
            return Poll::Ready(item.map(|item| item.map_err(Failure::typed)));
        }
    }
}

debug_fields!([T, C] Streamed<T, C>, count(count), has_ended(has_ended));

/// Whether items start with a record separator: those of `application/json-seq` (RFC 7464) and of `+json-seq` (RFC 8091).
pub(crate) fn is_sequence(media_type: &str) -> bool {
    media_type == "application/json-seq" || media_type.ends_with("+json-seq")
}

/// Requests this media type, unless the application requests another one.
fn accept(request: &mut Prepared, media_type: &'static str) {
    let headers = request.request.headers_mut();
    let media_type = HeaderValue::from_static(media_type);
    headers.entry(ACCEPT).or_insert(media_type);
}
