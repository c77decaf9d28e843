//! Tests that the decoders return the right pieces, however a text is divided into chunks.

use super::{
    arriving::Arriving,
    event_decoder::{EventDecoder, RawEvent},
    pieces::{Framing, JsonText, Piece, Pieces},
};
use crate::{
    ErrorKind,
    transport::{Head, Received},
};
use bytes::Bytes;
use futures::{FutureExt as _, channel::mpsc};
use proptest::{collection::vec, prelude::*, sample::select};
use std::{convert::Infallible, future::poll_fn, time::Duration};

const LIMIT: usize = 40;

/// Returns the pieces of a text that arrives in these chunks.
fn pieces(framing: Framing, chunks: &[Vec<u8>]) -> Vec<Piece> {
    let mut decoder = Pieces::new(framing, LIMIT);
    let mut pieces = Vec::new();
    for chunk in chunks {
        decoder.push(chunk);
        pieces.extend(std::iter::from_fn(|| decoder.next()));
        assert!(decoder.kept() <= 2 * LIMIT, "nothing grows without limit");
    }
    pieces.extend(decoder.finish());
    pieces
}

/// Returns the events of a text that arrives in these chunks, the last id, and the time before the next
/// connection.
fn events(chunks: &[Vec<u8>]) -> (Vec<RawEvent>, String, Option<Duration>) {
    let mut decoder = EventDecoder::new(LIMIT, "first".to_owned());
    let mut events = Vec::new();
    for chunk in chunks {
        decoder.push(chunk);
        events.extend(std::iter::from_fn(|| decoder.next()));
    }
    (events, decoder.last_event_id, decoder.retry)
}

/// Parts of texts that these decoders treat differently.
const PARTS: [&[u8]; 34] = [
    b"\r",
    b"\n",
    b"\r\n",
    b"\n\n",
    b"\x1e",
    b"\x1e{\"a\":[1,\n2]}\n",
    b"\xef\xbb\xbf",
    b"data",
    b"data:",
    b"data: ",
    b"data:  x",
    b"event: e",
    b"id: 1",
    b"id: \0",
    b"id",
    b"retry: 10",
    b"retry: -1",
    b": comment",
    b":",
    b"other: 1",
    "ä\u{1f600}".as_bytes(),
    b"\xf0\x9f",
    b"\xff",
    b"{",
    b"}",
    b"[",
    b"\"",
    b"\\",
    b"\\\"",
    b"true",
    b"12",
    b" ",
    b"a text of thirty characters ..",
    b"a text that is longer than the limit of the decoders",
];

/// A text, and the same text in chunks.
fn divided() -> impl Strategy<Value = (Vec<u8>, Vec<Vec<u8>>)> {
    let text = vec(select(PARTS.to_vec()), 0..30).prop_map(|parts| parts.concat());
    (text, vec(1_usize..6, 0..60)).prop_map(|(text, lengths)| {
        let mut rest = text.as_slice();
        let mut chunks = Vec::new();
        for length in lengths {
            let (chunk, others) = rest.split_at(length.min(rest.len()));
            chunks.push(chunk.to_vec());
            rest = others;
        }
        chunks.push(rest.to_vec());
        (text, chunks)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_text_is_split_into_the_same_pieces_however_it_is_divided_into_chunks((text, chunks) in divided()) {
        let sequence = Framing::Sequence(JsonText::default());
        let event_lines = Framing::EventLines { is_after_cr: false };
        for framing in [Framing::Lines, event_lines, sequence] {
            let whole = pieces(framing, std::slice::from_ref(&text));
            prop_assert_eq!(pieces(framing, &chunks), whole);
        }
    }

    #[test]
    fn a_text_is_parsed_as_the_same_events_however_it_is_divided_into_chunks((text, chunks) in divided()) {
        prop_assert_eq!(events(&chunks), events(std::slice::from_ref(&text)));
    }
}

fn event(name: &str, data: &str) -> RawEvent {
    let (name, data) = (name.to_owned(), data.to_owned());
    RawEvent::Event { name, data }
}

#[test]
fn events_are_read_by_the_rules_of_the_html_standard() {
    let message = |data| event("message", data);
    let long = "x".repeat(LIMIT + 1);
    let cases: [(&str, Vec<RawEvent>, &str); 16] = [
        (
            "data: YHOO\ndata: +2\ndata: 10\n\n",
            vec![message("YHOO\n+2\n10")],
            "first",
        ),
        (
            ": test\n\ndata: 1\nid: 1\n\ndata:2\nid\n\ndata:  3\n\n",
            vec![message("1"), message("2"), message(" 3")],
            "",
        ),
        (
            "data\n\ndata\ndata\n\ndata:",
            vec![message(""), message("\n")],
            "first",
        ),
        (
            "data:test\n\ndata: test\n\n",
            vec![message("test"), message("test")],
            "first",
        ),
        (
            "event: add\rdata: 1\r\revent: remove\r\ndata: 2\r\n\r\ndata: 3\n\n",
            vec![event("add", "1"), event("remove", "2"), message("3")],
            "first",
        ),
        (
            "\u{feff}data: 1\n\n\u{feff}data: 2\n\n",
            vec![message("1")],
            "first",
        ),
        ("\u{feff}\u{feff}data: 1\n\n", vec![], "first"),
        ("id: 7\n\n", vec![], "7"),
        ("id: 7\nid: 8\0\ndata: 1\n\n", vec![message("1")], "7"),
        (
            "data: 1\n\nid: 7\ndata: unfinished\n",
            vec![message("1")],
            "first",
        ),
        ("event: add\n\ndata: 1\n\n", vec![message("1")], "first"),
        (
            "event: add\nevent\ndata: 1\n\n",
            vec![message("1")],
            "first",
        ),
        (
            "Data: 1\n data: 1\ndata : 1\nunknown: 1\n\n",
            vec![],
            "first",
        ),
        ("data: ä\u{1f600}\n\n", vec![message("ä\u{1f600}")], "first"),
        (
            &format!("data: {}\n\n", &long[1..]),
            vec![message(&long[1..])],
            "first",
        ),
        (
            &format!("id: 9\ndata: {long}\n\ndata: 1\n\n"),
            vec![RawEvent::TooLarge, message("1")],
            "9",
        ),
    ];
    for (text, expected, id) in cases {
        let (events, last_id, _) = events(&[text.as_bytes().to_vec()]);
        assert_eq!((events, last_id.as_str()), (expected, id), "{text:?}");
    }
    let invalid = events(&[b"data: \xff\xf0\x9f\n\n".to_vec()]).0;
    assert_eq!(invalid, [message("\u{fffd}\u{fffd}")]);
}

#[test]
fn the_size_limit_of_an_event_includes_all_its_lines() {
    let line = format!("data: {}\n", "x".repeat(LIMIT / 2));
    for text in [
        line.repeat(2),
        "data\n".repeat(LIMIT + 2),
        format!("{line}: {}\n", "x".repeat(2 * LIMIT)),
    ] {
        let text = format!("{text}\ndata: 1\n\n");
        let events = events(&[text.into_bytes()]).0;
        assert_eq!(events, [RawEvent::TooLarge, event("message", "1")]);
    }
}

#[test]
fn the_time_before_the_next_connection_is_a_number_of_milliseconds() {
    for (text, expected) in [
        ("retry: 1500\n", Some(1500)),
        (
            "retry: 1500\nretry: soon\nretry\nretry: +1\nretry: 1.5\n",
            Some(1500),
        ),
        ("retry: 99999999999999999999999\n", Some(u64::MAX)),
        ("retry:-1\n", None),
    ] {
        let retry = events(&[text.as_bytes().to_vec()]).2;
        assert_eq!(retry, expected.map(Duration::from_millis), "{text:?}");
    }
}

#[test]
fn a_new_connection_drops_the_unfinished_event_and_keeps_the_id() {
    let mut decoder = EventDecoder::new(LIMIT, String::new());
    decoder.push(b"retry: 5\nid: 1\ndata: 1\n\nid: 2\nevent: add\ndata: 2\n");
    assert_eq!(decoder.next(), Some(event("message", "1")));
    assert_eq!(decoder.next(), None);
    decoder.reconnect();
    decoder.push("\u{feff}data: 3\n\n".as_bytes());
    assert_eq!(decoder.next(), Some(event("message", "3")));
    assert_eq!(decoder.last_event_id, "1");
    assert_eq!(decoder.retry, Some(Duration::from_millis(5)));
}

#[test]
fn an_item_of_a_json_sequence_ends_at_a_line_break_or_at_the_next_item() {
    let whole = |text: &'static str| Piece::Whole(Bytes::from(text));
    let unfinished = |text: &'static str| Piece::Unfinished(Bytes::from(text));
    for (text, expected) in [
        (
            "\x1e1\n\x1e{\n}\n",
            vec![unfinished(""), whole("1"), unfinished(""), whole("{\n}")],
        ),
        (
            "\x1e{\"a\x1e2\n",
            vec![unfinished(""), unfinished("{\"a"), whole("2")],
        ),
        (
            "\x1e\"\\\"\n{\"\n",
            vec![unfinished(""), whole("\"\\\"\n{\"")],
        ),
        ("\x1e1", vec![unfinished(""), unfinished("1")]),
    ] {
        let framing = Framing::Sequence(JsonText::default());
        assert_eq!(pieces(framing, &[text.into()]), expected, "{text:?}");
    }
}

#[tokio::test]
async fn each_chunk_restarts_the_idle_timeout() {
    let (mut sender, chunks) = mpsc::channel::<Result<Bytes, Infallible>>(1);
    let body = reqwest::Body::wrap_stream(chunks);
    let mut response = reqwest::Response::from(http::Response::new(body));
    let received = Received::arriving(Head::of(&mut response, 0), response);
    let mut arriving = Arriving::new(received, Duration::from_secs(60));
    let poll =
        |arriving: &mut Arriving| poll_fn(|context| arriving.poll_next(context)).now_or_never();
    assert!(poll(&mut arriving).is_none());
    assert!(arriving.timer.is_some(), "it runs while nothing arrives");
    sender
        .try_send(Ok(Bytes::from(":")))
        .expect("there is room");
    let chunk = poll(&mut arriving).expect("it has arrived");
    assert_eq!(chunk.expect("no end").expect("no error"), ":");
    assert!(arriving.timer.is_none(), "it ends with the chunk");
    assert!(poll(&mut arriving).is_none());
    arriving.timer = Some(Box::pin(std::future::ready(())));
    let error = poll(&mut arriving).expect("the limit").expect("no end");
    assert_eq!(error.expect_err("an error").kind(), ErrorKind::Timeout);
}
