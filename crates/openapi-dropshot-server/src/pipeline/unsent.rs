//! Bounds the memory of responses that their clients have not taken yet: all of them together by
//! a budget, and each by the time in which the client has to take the next part.

use super::{body::Budget, error_response::ErrorResponse};
use crate::listener::{Activity, Handle};
use bytes::Bytes;
use dropshot::Body;
use fair_shares::Share;
use futures::{FutureExt as _, StreamExt as _, stream};
use http::Response;
use http_body_util::{BodyExt as _, StreamBody};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use openapi_dropshot_types::Condition;
use std::{
    convert::Infallible,
    hash::Hash,
    pin::Pin,
    sync::{
        Arc, Weak,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

/// Smaller responses are not counted: a connection has at most one of them, or one for each of
/// its HTTP/2 streams.
const SMALL: u64 = 8 << 10;
/// What a client has to take within the time limit. The server passes on as much at once.
const PART: usize = 64 << 10;

/// Counts a response in the budget until the client has taken it, and closes the connection of a
/// client that takes nothing for the time `stall`. A response that `must_be_sent` is counted, but
/// never rejected.
pub(super) fn limit<P>(
    response: Response<Body>,
    (budget, principal): (&Budget<P>, Option<P>),
    stall: Duration,
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
    let progress = Arc::new(Progress::default());
    tokio::spawn(disconnect_if_stalled(
        Arc::downgrade(&progress),
        activity.handle().clone(),
        stall,
    ));
    let content = Bytes::from_owner(Unsent {
        content,
        _progress: progress.clone(),
        _share: share,
        _activity: activity.handle().begin_request(),
    });
    let body = Body::wrap(Parts {
        rest: content,
        progress: Arc::downgrade(&progress),
    });
    Ok(Response::from_parts(head, body))
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
struct Unsent<P: Copy + Eq + Hash> {
    content: Bytes,
    _progress: Arc<Progress>,
    _share: Option<Share<Option<P>>>,
    /// The connection is not idle until then.
    _activity: Activity,
}

impl<P: Copy + Eq + Hash> AsRef<[u8]> for Unsent<P> {
    fn as_ref(&self) -> &[u8] {
        &self.content
    }
}

/// How many parts the server has asked for. It asks for one when it has passed the one before
/// to the socket.
#[derive(Default)]
struct Progress(AtomicU64);

async fn disconnect_if_stalled(progress: Weak<Progress>, connection: Handle, stall: Duration) {
    // The server asks for the first part at once.
    let mut last = 1;
    loop {
        tokio::time::sleep(stall).await;
        let Some(progress) = progress.upgrade() else {
            return;
        };
        let parts = progress.0.load(Ordering::Relaxed);
        if parts <= last {
            tracing::debug!("a client took nothing of a response for {stall:?}; disconnected");
            connection.close();
            return;
        }
        last = parts;
    }
}

/// A body that is passed to the server in parts.
struct Parts {
    rest: Bytes,
    progress: Weak<Progress>,
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
            progress.0.fetch_add(1, Ordering::Relaxed);
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
