//! Tests the limits of single operations, as `book/src/toolkit/limits.md` describes them.

use super::{
    Archive, Issuer,
    client::{ApiKey, Client, Error, RetryPolicy, schemes},
    status,
};
use serde_json::json;
use std::process::{Command, Stdio};

/// A client whose token allows everything.
fn writer(archive: &Archive, issuer: &Issuer) -> Client {
    archive.reader(&issuer.token("key-1", &json!({})))
}

async fn upload(client: &Client, size: usize) -> Result<(), Error> {
    let upload = client.upload().record_id(1).body("a".repeat(size));
    upload.send().await.map(drop)
}

#[tokio::test]
async fn a_body_may_have_the_size_that_the_document_allows_for_its_operation() {
    const OF_ALL: usize = 65_536;
    const OF_UPLOADS: usize = 1_048_576;
    let issuer = Issuer::start().await;
    let archive = Archive::start(&issuer.service.base_url(), &[]);
    archive.add("Atlas", "").await;
    let client = writer(&archive, &issuer);
    for size in [OF_ALL + 1, OF_UPLOADS] {
        upload(&client, size).await.expect("it is allowed");
    }
    assert_eq!(status(upload(&client, OF_UPLOADS + 1).await), Some(413));
}

#[tokio::test]
async fn if_two_limits_apply_the_stricter_limit_is_enforced() {
    for (setting, largest) in [("100", 100), ("9999999", 1_048_576)] {
        let issuer = Issuer::start().await;
        let setting = format!("--operation-limits=upload.body-bytes={setting}");
        let archive = Archive::start(&issuer.service.base_url(), &[&setting]);
        archive.add("Atlas", "").await;
        let client = writer(&archive, &issuer);
        upload(&client, largest).await.expect("it is allowed");
        assert_eq!(status(upload(&client, largest + 1).await), Some(413));
    }
}

fn reader(archive: &Archive) -> Client {
    let basic = "Basic YWRhOnRoZS1wYXNzd29yZA==";
    let builder = Client::builder(&archive.base).retry(RetryPolicy::never());
    let builder = builder
        .credential(&schemes::PARTNER, ApiKey::new("ada"))
        .header("authorization", basic);
    builder.build().expect("the settings are valid")
}

#[tokio::test]
async fn requests_beyond_the_concurrency_limit_of_an_operation_are_rejected() {
    let archive = Archive::start(
        "http://127.0.0.1:1/keys",
        &["--operation-limits=watchRecords.concurrency=1"],
    );
    let client = reader(&archive);
    let first = client.watch_records().send().await.expect("a stream");
    assert_eq!(status(client.watch_records().send().await), Some(503));
    client
        .export_records()
        .send()
        .await
        .expect("it is another operation");
    drop(first);
    // The service notices the end of the connection a moment later.
    while client.watch_records().send().await.is_err() {
        tokio::task::yield_now().await;
    }
}

#[test]
fn a_request_counts_towards_the_rate_limit_with_the_cost_of_its_operation() {
    let arguments = ["--rate-limit-per-second=1", "--rate-limit-burst=12"];
    let archive = Archive::start("http://127.0.0.1:1/keys", &arguments);
    let basic = "authorization: Basic YWRhOnRoZS1wYXNzd29yZA==";
    let response = archive.send("GET /v1/records/export", &[basic]);
    assert!(
        response.contains("ratelimit: \"default\";r=2;t=10\r\n"),
        "{response}"
    );
    let response = archive.send("GET /v1/records/export", &[basic]);
    assert!(response.starts_with("HTTP/1.1 429"), "{response}");
}

#[test]
fn an_invalid_operation_limit_prevents_the_start() {
    for (setting, message) in [
        ("uplaod.cost=2", "`uplaod`, which is not an operation"),
        ("upload.bytes=2", "is not a limit of an operation"),
        ("upload.cost=0", "is not a limit of an operation"),
        (
            "download.body-bytes=4000000000",
            "increase `body-budget-bytes`, or set a lower limit",
        ),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let output = Command::new(env!("CARGO_BIN_EXE_archive"))
            .args([
                "--listen=127.0.0.1:0",
                "--admin-listen=off",
                "--key-set=http://127.0.0.1:1/keys",
            ])
            .arg(format!("--operation-limits={setting}"))
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .output()
            .expect("the program starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && stderr.contains(message),
            "{stderr}"
        );
    }
}
