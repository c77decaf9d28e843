//! Tests that bodies are not held in memory, as `book/src/toolkit/files.md` and `streams.md` describe.

use super::{
    Archive, Issuer,
    client::{
        CallOptions, Client, Lines,
        forms::AddAttachmentsForm,
        types::{About, NewRecord},
    },
    status,
};
use futures::{StreamExt as _, future::join_all, stream};
use openapi_dropshot_client::{
    FilePart,
    reqwest::{Body, StatusCode},
};
use serde_json::json;
use std::{
    io::{self, Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};
use test_support::MemoryLimit;

const PART: usize = 64 << 10;
const PARTS: usize = 4096;

/// A body of `number` parts of 64 KiB. Each part is created when it is sent. Each byte is the number of its part.
fn parts(number: usize) -> Body {
    let parts = (0..number).map(|part| Ok::<_, io::Error>(vec![part as u8; PART]));
    Body::wrap_stream(stream::iter(parts))
}

/// Starts the program and adds a record. Returns the program, a client with all scopes, its token, and the issuer, which must live as
/// long as the program.
async fn archive(arguments: &[&str]) -> (Archive, Client, String, Issuer) {
    let issuer = Issuer::start().await;
    let archive = Archive::start(&issuer.service.base_url(), arguments);
    archive.add("Atlas", "").await;
    let token = issuer.token("key-1", &json!({}));
    let client = archive.reader(&token);
    (archive, client, token, issuer)
}

/// The peak memory of the service, in bytes.
fn peak_memory(archive: &Archive) -> usize {
    let path = format!("/proc/{}/status", archive.child.id());
    let text = std::fs::read_to_string(path).expect("it runs");
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok());
    kilobytes.expect("a number") << 10
}

fn stored(archive: &Archive) -> Vec<std::ffi::OsString> {
    let files = std::fs::read_dir(archive.folder.path().join("archive.scans")).expect("a folder");
    files
        .map(|file| file.expect("a file").file_name())
        .collect()
}

/// Begins an upload of `length` bytes, and sends `body`.
fn begin(archive: &Archive, token: &str, length: usize, body: &[u8]) -> TcpStream {
    let address = archive.base.trim_start_matches("http://");
    let address = address.split('/').next().expect("an address");
    let mut stream = TcpStream::connect(address).expect("it listens");
    let head = format!(
        "PUT /v1/records/1/scan HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {token}\r\n\
         content-type: application/octet-stream\r\ncontent-length: {length}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("it is sent");
    stream.write_all(body).expect("it is sent");
    stream
}

#[tokio::test]
async fn a_file_of_any_size_is_uploaded_and_downloaded_with_little_memory() {
    let (archive, client, _, _issuer) = archive(&[]).await;
    let before = peak_memory(&archive);
    let upload = client.upload_scan().record_id(1).body(parts(PARTS));
    upload.send().await.expect("it is stored");
    let download = client.download_scan().record_id(1).send();
    let mut download = download.await.expect("it was stored").into_inner();
    let mut size = 0;
    while let Some(part) = download.next().await {
        size += part.expect("it arrives").len();
    }
    assert_eq!(size, PARTS * PART);
    let used = peak_memory(&archive) - before;
    assert!(used < 32 << 20, "{used} bytes for a file of {size}");
}

#[tokio::test]
async fn a_range_is_downloaded_unless_the_file_has_changed() {
    let (_archive, client, _, _issuer) = archive(&[]).await;
    let missing = client.download_scan().record_id(1).send().await;
    assert_eq!(status(missing), Some(404));
    let upload = client.upload_scan().record_id(1).body(parts(3));
    upload.send().await.expect("it is stored");
    let whole = client.download_scan().record_id(1).send().await;
    let etag = whole.expect("it was stored").headers()["etag"].clone();
    let etag = etag.to_str().expect("text");
    for (version, status, size) in [
        (None, StatusCode::PARTIAL_CONTENT, 2),
        (Some(etag), StatusCode::PARTIAL_CONTENT, 2),
        (Some("\"another\""), StatusCode::OK, 3 * PART),
    ] {
        let range = CallOptions::new().header("range", "bytes=65535-65536");
        let options = match version {
            Some(version) => range.header("if-range", version),
            None => range,
        };
        let call = client.download_scan().record_id(1).with(options);
        let response = call.send().await.expect("a success");
        assert_eq!((response.status(), version), (status, version));
        assert_eq!(response.headers()["content-length"], size.to_string());
        let mut content = response.into_inner();
        let mut bytes = Vec::new();
        while let Some(part) = content.next().await {
            bytes.extend(part.expect("it arrives"));
        }
        assert_eq!(bytes.len(), size);
        if size == 2 {
            assert_eq!(bytes, [0, 1]);
        }
    }
    let beyond = CallOptions::new().header("range", "bytes=196608-");
    let beyond = client.download_scan().record_id(1).with(beyond);
    let Err(error) = beyond.send().await else {
        panic!("there is no such part");
    };
    assert_eq!(error.status(), Some(416));
    let headers = error.headers().expect("the service responded");
    assert_eq!(headers["content-range"], "bytes */196608");
}

#[tokio::test]
async fn an_upload_that_is_too_large_is_rejected_and_not_stored() {
    let (archive, client, _, _issuer) =
        archive(&["--operation-limits=uploadScan.body-bytes=1000000"]).await;
    let upload = client.upload_scan().record_id(1).body(parts(15)).send();
    upload.await.expect("it is stored");
    // The first body announces its size. The second body has no announced size, so the server counts its bytes.
    for body in [Body::from(vec![0; 1_000_001]), parts(16)] {
        let upload = client.upload_scan().record_id(1).body(body).send();
        assert_eq!(status(upload.await), Some(413));
    }
    assert_eq!(stored(&archive), ["1"]);
    let download = client.download_scan().record_id(1).send().await;
    let download = download.expect("the first one is still there");
    assert_eq!(
        download.headers()["content-length"],
        (15 * PART).to_string()
    );
}

// Several threads, because the issuer must respond while this test blocks on a socket.
#[tokio::test(flavor = "multi_thread")]
async fn an_incomplete_upload_is_not_stored() {
    let (archive, client, token, _issuer) = archive(&["--body-read-seconds=1"]).await;
    // The client sends nothing more.
    let mut slow = begin(&archive, &token, 1000, b"some");
    let mut response = String::new();
    slow.read_to_string(&mut response).expect("a response");
    assert!(response.starts_with("HTTP/1.1 408"), "{response}");
    // The client disconnects.
    let broken = begin(&archive, &token, 1000, b"some");
    while stored(&archive).is_empty() {
        tokio::task::yield_now().await;
    }
    drop(broken);
    while !stored(&archive).is_empty() {
        tokio::task::yield_now().await;
    }
    let missing = client.download_scan().record_id(1).send().await;
    assert_eq!(status(missing), Some(404));
}

#[tokio::test]
async fn the_client_receives_a_response_that_is_sent_before_the_end_of_the_upload() {
    let (archive, client, _, _issuer) = archive(&[]).await;
    let upload = client.upload_scan().record_id(9).body(parts(64)).send();
    assert_eq!(status(upload.await), Some(404));
    let stranger = archive.client("authorization", "Bearer other");
    let upload = stranger.upload_scan().record_id(1).body(parts(64)).send();
    assert_eq!(status(upload.await), Some(401));
}

#[tokio::test]
async fn the_files_of_a_form_are_read_one_after_the_other() {
    let (_archive, client, _, _issuer) =
        archive(&["--operation-limits=addAttachments.body-bytes=5000000"]).await;
    let form = |size: usize| {
        // The first file is a stream.
        let chunks = (0..4).map(move |_| Ok::<_, io::Error>(vec![1; size / 4]));
        let files = [
            ("a.bin", Body::wrap_stream(stream::iter(chunks))),
            ("b.bin", Body::from(vec![2; 10])),
        ];
        let files =
            files.map(|(name, content)| FilePart::new(name, "application/octet-stream", content));
        AddAttachmentsForm::new(About::builder().source("scanner"), files).priority(3)
    };
    let call = client.add_attachments().record_id(1).body(form(4_000_000));
    let sizes = call.send().await.expect("it is read").into_inner();
    assert_eq!(
        sizes,
        [("a.bin".to_owned(), 4_000_000), ("b.bin".to_owned(), 10)].into()
    );
    let call = client.add_attachments().record_id(1).body(form(5_000_000));
    assert_eq!(status(call.send().await), Some(413));
}

/// A part of a form whose boundary is `B`. `about` is inserted after the name of the part.
fn part(name: &str, about: &str, content: &str) -> String {
    format!("--B\r\nContent-Disposition: form-data; name=\"{name}\"{about}\r\n\r\n{content}\r\n")
}

/// Begins a form of `length` bytes, sends the parts of `body` until the server stops reading, and returns the response.
fn send_form(
    archive: &Archive,
    token: &str,
    (boundary, length): (&str, usize),
    body: impl Iterator<Item = Vec<u8>> + Send,
) -> String {
    let address = archive.base.trim_start_matches("http://");
    let address = address.split('/').next().expect("an address");
    let stream = TcpStream::connect(address).expect("it listens");
    let head = format!(
        "POST /v1/records/1/attachments HTTP/1.1\r\nhost: a\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\
         content-type: multipart/form-data{boundary}\r\ncontent-length: {length}\r\n\r\n"
    );
    let seconds = Some(Duration::from_secs(60));
    stream.set_read_timeout(seconds).expect("it is set");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut stream = &stream;
            let mut parts = std::iter::once(head.into_bytes()).chain(body);
            while parts
                .next()
                .is_some_and(|part| stream.write_all(&part).is_ok())
            {}
        });
        let mut response = Vec::new();
        let read = (&stream).read_to_end(&mut response);
        let response = String::from_utf8_lossy(&response).into_owned();
        assert!(read.is_ok() || !response.is_empty(), "{read:?}");
        let _ = stream.shutdown(std::net::Shutdown::Both);
        response
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_that_does_not_match_the_document_is_rejected_with_the_name_of_the_part() {
    let (archive, _, token, _issuer) = archive(&[]).await;
    let about = part("about", "", r#"{"source": "scanner"}"#);
    let image = "; filename=\"a.png\"\r\nContent-Type: image/png";
    let file = part("file", image, "bytes");
    let end = "--B--\r\n";
    let whole = format!("{about}{file}{end}");
    let with = |name: &str, content: &str| format!("{about}{}{file}{end}", part(name, "", content));
    let text_file = part(
        "file",
        "; filename=\"a\"\r\nContent-Type: text/plain",
        "bytes",
    );
    for (boundary, body, status, message) in [
        ("; boundary=B", whole.clone(), 200, "\"a.png\":5"),
        (
            "; boundary=\"B\"",
            format!("before\r\n{whole}after"),
            200,
            "\"a.png\":5",
        ),
        (
            "; boundary=B",
            with("note", "twenty characters ü"),
            200,
            "\"a.png\":5",
        ),
        (
            "; boundary=B",
            with("other", ""),
            400,
            "may not have a part `other`, only `about`, `note`, `priority`, `file`",
        ),
        (
            "; boundary=B",
            with("about", "{}"),
            400,
            "more than 1 of the part `about`",
        ),
        (
            "; boundary=B",
            format!("{about}{file}{file}{file}{file}{end}"),
            400,
            "more than 3 of the part `file`",
        ),
        (
            "; boundary=B",
            format!("{about}{end}"),
            400,
            "the part `file` is missing",
        ),
        (
            "; boundary=B",
            format!("{file}{end}"),
            400,
            "the part `about` is missing",
        ),
        ("; boundary=B", end.to_owned(), 400, "is missing"),
        (
            "; boundary=B",
            with("priority", "high"),
            400,
            "the part `priority`: ",
        ),
        (
            "; boundary=B",
            with("priority", "10"),
            400,
            "the part `priority`: ",
        ),
        (
            "; boundary=B",
            with("note", "more than twenty characters"),
            400,
            "the part `note`: ",
        ),
        (
            "; boundary=B",
            with("note", &"a".repeat(81)),
            413,
            "the part `note` is larger than 80 bytes",
        ),
        (
            "; boundary=B",
            format!("{}{file}{end}", part("about", "", r#"{"source": ""}"#)),
            400,
            "the part `about`: source",
        ),
        (
            "; boundary=B",
            format!(
                "{}{file}{end}",
                part("about", "", r#"{"source": "a", "source": "b"}"#)
            ),
            400,
            "the part `about`: ",
        ),
        (
            "; boundary=B",
            format!("{}{file}{end}", part("about", "", "{")),
            400,
            "the part `about`: ",
        ),
        (
            "; boundary=B",
            format!("{about}{text_file}{end}"),
            415,
            "the part `file` is text/plain",
        ),
        (
            "; boundary=B",
            format!("{about}{}{end}", part("file", "", "bytes")),
            415,
            "the part `file` is without a type",
        ),
        (
            "; boundary=B",
            whole.replace("; name=\"about\"", ""),
            400,
            "a part has no name",
        ),
        (
            "; boundary=B",
            format!("{about}{file}"),
            400,
            "the part `file` has no end",
        ),
        (
            "; boundary=B",
            about.trim_end().to_owned(),
            400,
            "the part `about` has no end",
        ),
        (
            "; boundary=other",
            whole.clone(),
            400,
            "the form has no end",
        ),
        ("", whole.clone(), 400, "boundary=BOUNDARY"),
    ] {
        let length = body.len();
        let body = std::iter::once(body.into_bytes());
        let response = send_form(&archive, &token, (boundary, length), body);
        let is_expected = response.starts_with(&format!("HTTP/1.1 {status}"));
        assert!(
            is_expected && response.contains(message),
            "{status} {message}: {response}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_part_that_is_too_large_is_rejected_while_it_arrives_and_needs_little_memory() {
    let (archive, _, token, _issuer) = archive(&[]).await;
    let before = peak_memory(&archive);
    let about = part("about", "", r#"{"source": "scanner"}"#);
    let image = "; filename=\"a.png\"\r\nContent-Type: image/png";
    let file = part("file", image, "");
    let file = file.trim_end();
    let name = "--B\r\nContent-Disposition: form-data; name=\"";
    for (start, status, message) in [
        (
            format!("{about}{file}\r\n\r\n"),
            413,
            "the part `file` is larger than 8000000 bytes",
        ),
        (
            part("about", "", "").trim_end().to_owned() + "\r\n\r\n",
            413,
            "the part `about` is larger than",
        ),
        (name.to_owned(), 400, "the head of a part"),
        (String::new(), 400, "the head of a part"),
    ] {
        let length = start.len() + 4096 * PART;
        let body = std::iter::once(start.into_bytes());
        let body = body.chain((0..4096).map(|_| vec![b'a'; PART]));
        let response = send_form(&archive, &token, ("; boundary=B", length), body);
        let is_expected = response.starts_with(&format!("HTTP/1.1 {status}"));
        assert!(
            is_expected && response.contains(message),
            "{status} {message}: {response}"
        );
    }
    let used = peak_memory(&archive) - before;
    assert!(used < 32 << 20, "{used} bytes");
}

#[tokio::test]
async fn each_line_of_an_upload_has_a_result_before_the_next_one_is_sent() {
    let (_archive, client, _, _issuer) = archive(&[]).await;
    let (lines, receiver) = tokio::sync::mpsc::channel(1);
    let lines_sent = stream::unfold(receiver, |mut receiver| async {
        Some((receiver.recv().await?, receiver))
    });
    let import = client.import_records().body(Lines::new(lines_sent));
    let mut results = import.send().await.expect("it begins").into_inner();
    for number in 1..=3 {
        let record = NewRecord::builder()
            .title(format!("Globe {number}"))
            .text("");
        let record = record.try_into().expect("a record");
        lines.send(record).await.expect("it is taken");
        let result = results.next().await.expect("a result").expect("it is read");
        assert_eq!((result.line, result.id), (number, Some(number + 1)));
    }
    drop(lines);
    assert!(results.next().await.is_none());
    drop(results);
    let count = client.count_records().send().await.expect("a number").count;
    assert_eq!(count, 4);
}

/// The size of the files of the next test; `.ci/heavy` makes it a gigabyte.
fn large() -> usize {
    let mebibytes = std::env::var("ARCHIVE_FILE_MEBIBYTES").ok();
    let mebibytes = mebibytes.map_or(64, |text| text.parse().expect("a number"));
    mebibytes * (1 << 20) / PART
}

/// Downloads the scan of a record, or a part of it, and returns its size.
async fn downloaded(client: &Client, record: i64, range: Option<String>) -> usize {
    let options = match range {
        Some(range) => CallOptions::new().header("range", range),
        None => CallOptions::new(),
    };
    let download = client.download_scan().record_id(record).with(options);
    let mut content = download.send().await.expect("it is there").into_inner();
    let mut size = 0;
    while let Some(part) = content.next().await {
        size += part.expect("it arrives").len();
    }
    size
}

#[tokio::test(flavor = "multi_thread")]
async fn large_files_need_little_memory_and_other_requests_are_served_meanwhile() {
    /// The number of files that are transferred at the same time.
    const FILES: i64 = 4;
    let Some(limit) = MemoryLimit::new(96 << 20) else {
        return;
    };
    let (archive, client, _, _issuer) = archive(&[]).await;
    limit.hold(archive.child.id());
    for number in 1..FILES {
        archive.add(&format!("Atlas {number}"), "").await;
    }
    let before = peak_memory(&archive);
    let size = large() * PART;
    let (end, mut ended) = tokio::sync::watch::channel(());
    let others = tokio::spawn({
        let client = client.clone();
        async move {
            let mut count = 0;
            while ended.has_changed().is_ok() {
                let page = client.list_records().timeout(Duration::from_secs(10));
                let page = page.send().await.expect("others are served");
                assert_eq!(page.items.len(), 2);
                count += 1;
                tokio::select! {
                    _ = ended.changed() => {}
                    () = tokio::time::sleep(Duration::from_millis(10)) => {}
                }
            }
            count
        }
    });
    let uploads = (1..=FILES).map(|record| {
        let upload = client.upload_scan().record_id(record).body(parts(large()));
        let upload = upload.timeout(Duration::from_secs(600));
        async move { upload.send().await.expect("it is stored") }
    });
    join_all(uploads).await;
    let whole = (1..=FILES).map(|record| downloaded(&client, record, None));
    assert!(join_all(whole).await.iter().all(|found| *found == size));
    let part = size / 8;
    let parts = (0..8).map(|number| {
        let range = format!("bytes={}-{}", number * part, (number + 1) * part - 1);
        downloaded(&client, 1, Some(range))
    });
    assert!(join_all(parts).await.iter().all(|found| *found == part));
    drop(end);
    let served = others.await.expect("all were served");
    assert!(served > 0);
    let used = peak_memory(&archive) - before;
    println!(
        "{served} other requests; the peak grew by {} KiB",
        used >> 10
    );
    assert!(used < 32 << 20, "{used} bytes for files of {size}");
    drop(archive);
    drop(limit);
}
