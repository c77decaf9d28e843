//! Tests responses that clients have not read.

use super::*;
use crate::connections::Connections;
use fair_shares::Shares;
use std::future;

fn chunks(chunks: &[&'static str]) -> Body {
    let frames = chunks.iter().map(|chunk| {
        let data = Bytes::from_static(chunk.as_bytes());
        Ok::<_, Infallible>(Frame::data(data))
    });
    Body::wrap(StreamBody::new(stream::iter(frames.collect::<Vec<_>>())))
}

#[tokio::test]
async fn a_body_that_is_not_completely_in_memory_is_passed_on_unchanged() {
    assert_eq!(in_memory(Body::from("abc")).ok(), Some(Bytes::from("abc")));
    assert_eq!(in_memory(Body::empty()).ok(), Some(Bytes::new()));
    let body = in_memory(chunks(&["abc", "def"])).expect_err("two parts");
    let whole = body.collect().await.expect("both parts").to_bytes();
    assert_eq!(whole, "abcdef");
    let waiting = StreamBody::new(stream::pending::<Result<Frame<Bytes>, Infallible>>());
    assert!(in_memory(Body::wrap(waiting)).is_err());
}

#[tokio::test]
async fn if_the_budget_is_full_an_http2_connection_with_unread_responses_to_writes_is_closed() {
    let budget: Budget<u8> = Arc::new(Shares::new(1));
    for (version, unread, is_closed) in [
        (Version::HTTP_2, 1, true),
        (Version::HTTP_2, 0, false),
        (Version::HTTP_11, 1, false),
    ] {
        let connections = Arc::new(Connections::new(1));
        let connection = connections.open();
        let activity = connection.handle().begin_request();
        let unread: Vec<_> = (0..unread)
            .map(|_| activity.begin_sending(version))
            .collect();
        let large = Response::new(Body::from(vec![b'x'; 64 << 10]));
        let sent = limit(large, version, (&budget, Some(1)), &activity, true);
        assert!(sent.is_ok(), "{version:?}");
        let command = connection.unless_closed(future::pending::<()>());
        let ended = command.now_or_never().is_some();
        assert_eq!(ended, is_closed, "{version:?} {}", unread.len());
    }
}

#[tokio::test]
async fn a_body_is_passed_on_in_parts_and_is_held_until_the_last_part_is_read() {
    for (version, size) in [(Version::HTTP_11, PART), (Version::HTTP_2, STREAM_PART)] {
        let connections = Arc::new(Connections::new(1));
        let connection = connections.open();
        let activity = connection.handle().begin_request();
        let share = Arc::new(());
        let content = Bytes::from(vec![b'x'; 2 * size + 1]);
        let mut body = watched(content.clone(), share.clone(), version, &activity);
        assert_eq!(body.size_hint().exact(), Some(content.len() as u64));
        let mut parts = Vec::new();
        while let Some(frame) = body.frame().await {
            let data = frame.expect("no error").into_data();
            parts.push(data.expect("no trailer"));
        }
        let sizes: Vec<_> = parts.iter().map(Bytes::len).collect();
        assert_eq!(sizes, [size, size, 1]);
        drop(body);
        let last = parts.pop();
        drop(parts);
        assert_eq!(Arc::strong_count(&share), 2, "the last part is not taken");
        drop(last);
        assert_eq!(Arc::strong_count(&share), 1);
    }
}
