//! Limits the memory of responses that clients have not read yet. A budget limits the total memory. For each response,
//! a time limit applies within which the client must read the next part.

use super::{body::Budget, error_response::ErrorResponse};
use crate::connections::{Activity, Sending};
use bytes::Bytes;
use dropshot::Body;
use futures::{FutureExt as _, StreamExt as _, stream};
use http::{Response, Version};
use http_body_util::{BodyExt as _, StreamBody};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use openapi_dropshot_types::Condition;
use std::{
    convert::Infallible,
    hash::Hash,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

/// Smaller HTTP/1.1 responses are not counted, because a connection has only one response at a time.
pub(super) const SMALL: u64 = 8 << 10;
/// The memory of an HTTP/2 response in addition to its content: its stream and its head.
const STREAM_COST: usize = 4 << 10;
/// How many bytes a client has to read within the time limit. The server passes on this many bytes at once.
const PART: usize = 64 << 10;
/// The same for an HTTP/2 stream, which shares its connection with other streams.
const STREAM_PART: usize = 16 << 10;

/// Marks a response that [`limit`] has processed.
#[derive(Clone)]
pub(super) struct Watched;

/// Counts a large response in the budget until the client has read it. A response that `must_be_sent` is sent even if
/// there is no room in the budget; but if another response of an HTTP/2 connection waits for its client at that time,
/// the connection is ended.
pub(super) fn limit<P>(
    response: Response<Body>,
    version: Version,
    (budget, principal): (&Budget<P>, Option<P>),
    activity: &Activity,
    must_be_sent: bool,
) -> Result<Response<Body>, ErrorResponse>
where
    P: Copy + Eq + Hash + Send + Sync + 'static,
{
    if !matches!(response.body().size_hint().exact(), Some(size) if size > SMALL) {
        return Ok(response);
    }
    let (mut head, body) = response.into_parts();
    let content = match in_memory(body) {
        Ok(content) => content,
        Err(body) => return Ok(Response::from_parts(head, body)),
    };
    let share = budget.try_take(&principal, content.len());
    if share.is_none() && !must_be_sent {
        return Err(too_many());
    }
    if share.is_none() && version == Version::HTTP_2 && activity.responses_sending() > 0 {
        activity.close_connection();
    }
    head.extensions.insert(Watched);
    // A buffer for JSON may be twice as large as its text.
    let content = Bytes::copy_from_slice(&content);
    let body = watched(content, share, version, activity);
    Ok(Response::from_parts(head, body))
}

/// The same for a response whose content is shared by all requests. An HTTP/2 stream holds the part that was passed to
/// it. An HTTP/1.1 connection holds one part at a time.
pub(super) fn limit_shared<P>(
    response: Response<Body>,
    version: Version,
    (budget, principal): (&Budget<P>, Option<P>),
    activity: &Activity,
) -> Result<Response<Body>, ErrorResponse>
where
    P: Copy + Eq + Hash + Send + Sync + 'static,
{
    let size = response.body().size_hint().exact();
    if version != Version::HTTP_2 || size.is_none_or(|size| size <= SMALL) {
        return Ok(response);
    }
    let (mut head, body) = response.into_parts();
    let content = match in_memory(body) {
        Ok(content) => content,
        Err(body) => return Ok(Response::from_parts(head, body)),
    };
    let passed_on = content.len().min(PART);
    let share = budget.try_take(&principal, STREAM_COST + passed_on);
    let share = share.ok_or_else(too_many)?;
    head.extensions.insert(Watched);
    let body = watched(content, Some(share), version, activity);
    Ok(Response::from_parts(head, body))
}

fn too_many() -> ErrorResponse {
    let message = "too many responses of this key, or of all keys, have not been read yet; read them and try again in 1 second";
    ErrorResponse::new(Condition::Overloaded, message)
}

/// Tells the listener that a response is being sent, so that its connection does not count as idle, and when the client
/// reads a part of it. With HTTP/1.1, the operating system ends the connection of a client that does not read a small
/// response. An HTTP/2 connection is ended here if a response already waits for its client and the budget has no room
/// for another one.
pub(super) fn watch<P>(
    response: Response<Body>,
    version: Version,
    (budget, principal): (&Budget<P>, Option<P>),
    activity: &Activity,
) -> Response<Body>
where
    P: Copy + Eq + Hash + Send + Sync + 'static,
{
    let body = response.body();
    let is_small = matches!(body.size_hint().exact(), Some(size) if size <= SMALL);
    if response.extensions().get::<Watched>().is_some()
        || body.is_end_stream()
        || (is_small && version != Version::HTTP_2)
    {
        return response;
    }
    let (head, body) = response.into_parts();
    let body = match in_memory(body) {
        Ok(content) => {
            let share = is_small.then(|| {
                let share = budget.try_take(&principal, content.len() + STREAM_COST);
                if share.is_none() && activity.responses_sending() > 0 {
                    activity.close_connection();
                }
                share
            });
            watched(content, share, version, activity)
        }
        Err(body) => {
            // The connection is not idle while this body is sent.
            let activity = activity.another();
            Body::wrap(body.map_err(move |error| {
                let _held = &activity;
                error
            }))
        }
    };
    Response::from_parts(head, body)
}

/// A body that tells the listener when the client reads a part of it, and that keeps `share` until the last byte was
/// passed to the socket.
fn watched<T: Send + Sync + 'static>(
    content: Bytes,
    share: T,
    version: Version,
    activity: &Activity,
) -> Body {
    Body::wrap(Parts {
        rest: content,
        size: if version == Version::HTTP_2 {
            STREAM_PART
        } else {
            PART
        },
        held: Arc::new(Held {
            sending: activity.begin_sending(version),
            _share: share,
        }),
    })
}

/// The content of a body that is completely in memory, or the body itself.
pub(super) fn in_memory(mut body: Body) -> Result<Bytes, Body> {
    match body.frame().now_or_never() {
        None => Err(body),
        Some(None) => Ok(Bytes::new()),
        Some(Some(first)) => match first.map(Frame::into_data) {
            Ok(Ok(content)) if body.is_end_stream() => Ok(content),
            first => {
                let first = first.map(|data| data.map_or_else(|frame| frame, Frame::data));
                let rest = http_body_util::BodyStream::new(body);
                Err(Body::wrap(StreamBody::new(
                    stream::iter([first]).chain(rest),
                )))
            }
        },
    }
}

/// The resources that a response holds until its last part was passed to the socket.
struct Held<T> {
    sending: Sending,
    _share: T,
}

/// A part of a response. It is dropped after it was passed to the socket.
struct Part<T> {
    content: Bytes,
    held: Arc<Held<T>>,
}

impl<T> AsRef<[u8]> for Part<T> {
    fn as_ref(&self) -> &[u8] {
        &self.content
    }
}

impl<T> Drop for Part<T> {
    fn drop(&mut self) {
        self.held.sending.go_on();
    }
}

/// A body that is passed to the server in parts of this size.
struct Parts<T> {
    rest: Bytes,
    size: usize,
    held: Arc<Held<T>>,
}

impl<T: Send + Sync + 'static> HttpBody for Parts<T> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        let size = self.rest.len().min(self.size);
        let part = Part {
            content: self.rest.split_to(size),
            held: self.held.clone(),
        };
        Poll::Ready(Some(Ok(Frame::data(Bytes::from_owner(part)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}

#[cfg(test)]
mod tests;
