//! Good manners towards a client that is refused while it still sends: to close
//! a connection with unread bytes resets it (HTTP/2: the stream), and the reset
//! can overtake the answer. So what comes is read on and thrown away for a moment, within
//! bounds, while the answer is on its way.

use dropshot::Body;
use http::{header::EXPECT, request::Parts};
use http_body_util::BodyExt as _;
use hyper::body::Body as _;
use std::time::Duration;

/// Long enough for what is under way to arrive; short enough to cost little.
const TIME: Duration = Duration::from_secs(2);
/// What a client on a fast line has under way before it looks for an answer.
const BYTES: usize = 16 * 1024 * 1024;

/// Whether this client is to be waited for.
pub(super) struct Manners {
    wait: bool,
}

impl Manners {
    pub(super) fn of(head: &Parts) -> Self {
        // Who asks before sending has sent nothing yet: to read would ask for
        // it.
        Manners {
            wait: !head.headers.contains_key(EXPECT),
        }
    }

    /// Reads what is left of the body, beside the answer.
    pub(super) fn read_on(self, body: Body) {
        if self.wait && !body.is_end_stream() {
            tokio::spawn(tokio::time::timeout(TIME, discard(body)));
        }
    }
}

async fn discard(mut body: Body) {
    let mut seen = 0;
    while seen <= BYTES
        && let Some(Ok(frame)) = body.frame().await
    {
        seen += frame.data_ref().map_or(0, |data| data.len());
    }
}
