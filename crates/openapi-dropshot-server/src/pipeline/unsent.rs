//! Bounds the memory of responses that their clients have not taken yet: all of them together by
//! a budget, and each by the time in which the client has to take the next part.

use super::{body::Budget, error_response::ErrorResponse};
use crate::listener::{Activity, Sending};
use bytes::Bytes;
use dropshot::Body;
use futures::{FutureExt as _, StreamExt as _, stream};
use http::Response;
use http_body_util::{BodyExt as _, StreamBody};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use openapi_dropshot_types::Condition;
use std::{
    convert::Infallible,
    hash::Hash,
    pin::Pin,
    sync::{Arc, Weak},
    task::{Context, Poll},
};

/// Smaller responses are not counted: a connection has at most one of them, or one for each of
/// its HTTP/2 streams.
const SMALL: u64 = 8 << 10;
/// What a client has to take within the time limit. The server passes on as much at once.
const PART: usize = 64 << 10;

/// Counts a large response in the budget until the client has taken it, and lets the listener
/// know that a response waits for the client. A response that `must_be_sent` is counted, but never
/// rejected.
pub(super) fn limit<P>(
    response: Response<Body>,
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
    let (head, body) = response.into_parts();
    let content = match in_memory(body) {
        Ok(content) => content,
        Err(body) => return Ok(Response::from_parts(head, body)),
    };
    let share = budget.try_take(&principal, content.len());
    if share.is_none() && !must_be_sent {
        let message = "too many responses, of this key or of all, have not been read yet; read them and try again in 1 second";
        return Err(ErrorResponse::new(Condition::Overloaded, message));
    }
    Ok(Response::from_parts(
        head,
        watched(content, share, activity),
    ))
}

/// Lets the listener know that a small response of HTTP/2 waits for the client, too: a client can
/// take nothing of a stream while its connection goes on. With HTTP/1.1, the operating system
/// ends the connection.
pub(super) fn watch_stream(response: Response<Body>, activity: &Activity) -> Response<Body> {
    if response.body().is_end_stream() {
        return response;
    }
    let (head, body) = response.into_parts();
    let body = match in_memory(body) {
        Ok(content) => watched(content, (), activity),
        Err(body) => body,
    };
    Response::from_parts(head, body)
}

/// A body that tells the listener when the client takes a part of it, and keeps `share` until the
/// last byte was passed to the socket.
fn watched<T: Send + Sync + 'static>(content: Bytes, share: T, activity: &Activity) -> Body {
    let sending = Arc::new(activity.begin_sending());
    let progress = Arc::downgrade(&sending);
    let rest = Bytes::from_owner(Unsent {
        content,
        _sending: sending,
        _share: share,
    });
    Body::wrap(Parts { rest, progress })
}

/// The content of a body that is in memory as a whole, or else the body.
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

/// The content of a response, until its last byte was passed to the socket.
struct Unsent<T> {
    content: Bytes,
    _sending: Arc<Sending>,
    _share: T,
}

impl<T> AsRef<[u8]> for Unsent<T> {
    fn as_ref(&self) -> &[u8] {
        &self.content
    }
}

/// A body that is passed to the server in parts. The server asks for one when it has passed the
/// one before to the socket.
struct Parts {
    rest: Bytes,
    progress: Weak<Sending>,
}

impl HttpBody for Parts {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        if self.rest.is_empty() {
            return Poll::Ready(None);
        }
        if let Some(progress) = self.progress.upgrade() {
            progress.go_on();
        }
        let size = self.rest.len().min(PART);
        let part = self.rest.split_to(size);
        Poll::Ready(Some(Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.rest.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chunks(chunks: &[&'static str]) -> Body {
        let frames = chunks.iter().map(|chunk| {
            let data = Bytes::from_static(chunk.as_bytes());
            Ok::<_, Infallible>(Frame::data(data))
        });
        Body::wrap(StreamBody::new(stream::iter(frames.collect::<Vec<_>>())))
    }

    #[tokio::test]
    async fn a_body_that_is_not_in_memory_as_a_whole_is_left_as_it_is() {
        assert_eq!(in_memory(Body::from("abc")).ok(), Some(Bytes::from("abc")));
        assert_eq!(in_memory(Body::empty()).ok(), Some(Bytes::new()));
        let body = in_memory(chunks(&["abc", "def"])).expect_err("two parts");
        let whole = body.collect().await.expect("both parts").to_bytes();
        assert_eq!(whole, "abcdef");
        let waiting = StreamBody::new(stream::pending::<Result<Frame<Bytes>, Infallible>>());
        assert!(in_memory(Body::wrap(waiting)).is_err());
    }

    #[tokio::test]
    async fn a_body_is_passed_on_in_parts() {
        let content = Bytes::from(vec![b'x'; 2 * PART + 1]);
        let mut body = Parts {
            rest: content.clone(),
            progress: Weak::new(),
        };
        assert_eq!(body.size_hint().exact(), Some(content.len() as u64));
        let mut sizes = Vec::new();
        while let Some(frame) = body.frame().await {
            let data = frame.expect("no error").into_data();
            sizes.push(data.expect("no trailer").len());
        }
        assert_eq!(sizes, [PART, PART, 1]);
        assert!(body.is_end_stream());
    }
}
