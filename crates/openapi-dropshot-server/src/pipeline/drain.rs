//! Drains the body of a rejected request. Closing a connection with unread bytes resets it
//! (HTTP/2: the stream), and the reset can overtake the response. Therefore the rest of the body
//! is read and discarded, within limits, while the response is sent.

use dropshot::Body;
use http::{header::EXPECT, request::Parts};
use http_body_util::BodyExt as _;
use std::time::Duration;

/// This is long enough for bytes in transit to arrive, and short enough to cost little.
pub(super) const TIME: Duration = Duration::from_secs(2);
/// The same for an HTTP/2 stream whose client has no valid key. Some clients lose the response if
/// the stream is reset before they have sent their pending data.
pub(super) const TIME_OF_STRANGERS: Duration = Duration::from_millis(250);
/// How many bytes a client on a fast connection has in transit before it reads a response.
const BYTES: usize = 16 * 1024 * 1024;

/// Returns whether the body of a rejected request is drained. A client that expects `100 Continue`
/// has not sent its body yet, and reading the body would make the client send it.
pub(super) fn is_wanted(head: &Parts) -> bool {
    !head.headers.contains_key(EXPECT)
}

/// Reads the rest of the body in a task while the response is sent, and keeps `share` until then.
pub(super) fn start(body: Body, time: Duration, share: impl Send + 'static) {
    tokio::spawn(async move {
        let _share = share;
        tokio::time::timeout(time, discard(body)).await
    });
}

async fn discard(mut body: Body) {
    let mut read = 0;
    while read <= BYTES
        && let Some(Ok(frame)) = body.frame().await
    {
        read += frame.data_ref().map_or(0, |data| data.len());
    }
}
