//! TLS: the keys that are taken, the certificate that is read again at SIGHUP,
//! and what is rejected. The certificates are made by the `openssl` command;
//! where there is none, these tests say so and show nothing.

use crate::process::{Service, run_failing};
use reqwest::{Certificate, Client, Version};
use rustix::process::Signal;
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
};
use tempfile::TempDir;

/// How a key is made, in `key.pem`.
const PKCS8: &[&[&str]] = &[&["genpkey", "-algorithm", "RSA", "-out", "key.pem"]];
const PKCS1: &[&[&str]] = &[&["genrsa", "-traditional", "-out", "key.pem", "2048"]];
const SEC1: &[&[&str]] = &[&[
    "ecparam",
    "-name",
    "prime256v1",
    "-genkey",
    "-out",
    "key.pem",
]];

/// Makes a key and a certificate for it, or says that it cannot be done here.
fn certificate(folder: &Path, key: &[&[&str]]) -> Option<Certificate> {
    let subject = "/CN=pet store";
    let request = [
        "req",
        "-x509",
        "-new",
        "-key",
        "key.pem",
        "-out",
        "cert.pem",
        "-days",
        "2",
        "-subj",
        subject,
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-addext",
        "basicConstraints=critical,CA:FALSE",
    ];
    for arguments in key.iter().copied().chain([&request[..]]) {
        let mut command = Command::new("openssl");
        let command = command.args(arguments).current_dir(folder);
        let Ok(status) = command.stderr(Stdio::null()).status() else {
            crate::skip(
                "PETSTORE_REQUIRE_OPENSSL",
                "the command `openssl` is missing, install it to test TLS",
            );
            return None;
        };
        assert!(status.success(), "openssl {arguments:?}");
    }
    let pem = fs::read(folder.join("cert.pem")).expect("it was made");
    Some(Certificate::from_pem(&pem).expect("a certificate"))
}

fn folder() -> Arc<TempDir> {
    Arc::new(TempDir::new().expect("a folder can be made"))
}

fn serve(folder: &Arc<TempDir>) -> Service {
    let arguments = ["--tls-cert", "cert.pem", "--tls-key", "key.pem"];
    let mut service = Service::start_in(folder.clone(), &arguments, &[]);
    service.key = service.shown_key();
    service
}

/// A client that trusts this certificate and no other, and connects anew.
fn client(trusted: Certificate) -> Client {
    Client::builder()
        .tls_certs_only([trusted])
        .no_proxy()
        .build()
        .expect("a client")
}

async fn get(client: Client, service: &Service) -> reqwest::Result<reqwest::Response> {
    let url = format!("https://{}/v1/pets", service.address);
    client.get(url).bearer_auth(&service.key).send().await
}

#[tokio::test]
async fn keys_of_all_three_kinds_are_served_over_http_2() {
    for (kind, begin) in [
        (PKCS8, "-----BEGIN PRIVATE KEY"),
        (PKCS1, "-----BEGIN RSA PRIVATE KEY"),
        (SEC1, "-----BEGIN EC PARAMETERS"),
    ] {
        let folder = folder();
        let Some(trusted) = certificate(folder.path(), kind) else {
            return;
        };
        let key = fs::read_to_string(folder.path().join("key.pem")).expect("it was made");
        assert!(key.starts_with(begin), "not the kind that is meant");
        let service = serve(&folder);
        let response = get(client(trusted), &service).await.expect(begin);
        assert_eq!(
            (response.status().as_u16(), response.version()),
            (200, Version::HTTP_2)
        );
        let shown = service.log.wait_for("curl");
        assert!(
            shown.contains(&format!("https://{}/v1/pets", service.address)),
            "{shown}"
        );
    }
}

#[tokio::test]
async fn a_client_without_http_2_is_served_over_http_1() {
    let folder = folder();
    let Some(trusted) = certificate(folder.path(), SEC1) else {
        return;
    };
    let service = serve(&folder);
    let client = Client::builder().tls_certs_only([trusted]).no_proxy();
    let client = client.http1_only().build().expect("a client");
    let response = get(client, &service).await.expect("a response");
    assert_eq!(
        (response.status().as_u16(), response.version()),
        (200, Version::HTTP_11)
    );
}

#[tokio::test]
async fn a_reload_shows_the_new_certificate_and_a_broken_one_keeps_the_old() {
    let folder = folder();
    let Some(first) = certificate(folder.path(), PKCS8) else {
        return;
    };
    let service = serve(&folder);
    get(client(first.clone()), &service)
        .await
        .expect("the first");

    let second = certificate(folder.path(), SEC1).expect("there is openssl");
    service.signal(Signal::HUP);
    service
        .log
        .wait_for("SIGHUP: new connections get the certificate");
    get(client(second.clone()), &service)
        .await
        .expect("the second");
    let error = get(client(first), &service)
        .await
        .expect_err("the first is gone");
    assert!(error.is_connect(), "{error:?}");

    fs::write(folder.path().join("key.pem"), "no key").expect("can be written");
    service.signal(Signal::HUP);
    let line = service.log.wait_for("SIGHUP: the old certificate is kept");
    assert!(line.contains("cannot read the key `key.pem`"), "{line}");
    get(client(second), &service)
        .await
        .expect("still the second");
}

#[test]
fn a_key_of_another_certificate_is_rejected_at_the_start() {
    let folder = folder();
    if certificate(folder.path(), SEC1).is_none() {
        return;
    }
    fs::rename(
        folder.path().join("cert.pem"),
        folder.path().join("other.pem"),
    )
    .expect("renamed");
    certificate(folder.path(), SEC1);
    let arguments = ["serve", "--tls-cert", "other.pem", "--tls-key", "key.pem"];
    let error = run_failing(folder.path(), &arguments, 1);
    let start = "error: the certificate `other.pem` cannot be served with the key `key.pem`";
    assert!(error.contains(start), "{error}");
}

#[test]
fn files_that_are_missing_or_empty_are_named() {
    let folder = folder();
    fs::write(folder.path().join("empty.pem"), "").expect("can be written");
    for (cert, start) in [
        ("none.pem", "error: cannot read the certificate `none.pem`"),
        ("empty.pem", "error: there is no certificate in `empty.pem`"),
    ] {
        let arguments = ["serve", "--tls-cert", cert, "--tls-key", "empty.pem"];
        let error = run_failing(folder.path(), &arguments, 1);
        assert!(error.contains(start), "{error}");
    }
    assert!(!folder.path().join("petstore.db").exists());
}

#[test]
fn one_of_the_two_files_alone_is_rejected() {
    let folder = folder();
    for (set, missing) in [("tls-cert", "tls-key"), ("tls-key", "tls-cert")] {
        let error = run_failing(folder.path(), &["serve", &format!("--{set}"), "x.pem"], 1);
        assert!(
            error.starts_with(&format!("error: `{set}` is set, but `{missing}` is not")),
            "{error}"
        );
    }
}
