//! Tests TLS: the accepted forms of keys, the reload of the certificate at SIGHUP, and what is
//! rejected. The command `openssl` creates the certificates; without it, these tests print that
//! they are skipped.

use crate::{
    process::{Service, run_failing, run_ok},
    raw::{self, Request},
    scrape,
};
use chrono::{DateTime, SecondsFormat, SubsecRound as _, TimeDelta, Utc};
use reqwest::{Certificate, Client, Version};
use rustix::process::Signal;
use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;
use test_support::{Need, skip};

/// How the key in `key.pem` is created.
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

/// Creates a key and a certificate for it, or prints that this is impossible here.
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
            skip(Need::Openssl, "the command `openssl` is missing");
            return None;
        };
        assert!(status.success(), "openssl {arguments:?}");
    }
    let pem = fs::read(folder.join("cert.pem")).expect("it was made");
    Some(Certificate::from_pem(&pem).expect("a certificate"))
}

/// Whether `cert.pem` and `key.pem` could be created in the folder.
pub(crate) fn made_in(folder: &Path) -> bool {
    certificate(folder, SEC1).is_some()
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

/// Creates a client that trusts only this certificate and opens a new connection.
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
async fn a_reload_uses_the_new_certificate_but_keeps_the_old_one_if_the_new_one_is_invalid() {
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
    service.log.wait_for("SIGHUP: the certificate was reloaded");
    get(client(second.clone()), &service)
        .await
        .expect("the second");
    let error = get(client(first), &service)
        .await
        .expect_err("the first is gone");
    assert!(error.is_connect(), "{error:?}");

    fs::write(folder.path().join("key.pem"), "no key").expect("can be written");
    service.signal(Signal::HUP);
    let line = service
        .log
        .wait_for("SIGHUP: cannot load the new certificate, so the old one stays in use");
    assert!(line.contains("cannot read the key `key.pem`"), "{line}");

    // Nothing is written to the pipe.
    fs::remove_file(folder.path().join("key.pem")).expect("it is there");
    let made = Command::new("mkfifo")
        .arg(folder.path().join("key.pem"))
        .status();
    assert!(made.expect("it is installed").success());
    service.signal(Signal::HUP);
    service.log.wait_for("`key.pem` is not a regular file");
    get(client(second), &service)
        .await
        .expect("still the second");
}

#[test]
fn a_tls_key_that_belongs_to_another_certificate_is_rejected_at_the_start() {
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
    let error = run_failing(folder.path(), &arguments, 2);
    let start = "error: the certificate `other.pem` cannot be served with the key `key.pem`";
    assert!(error.contains(start), "{error}");
}

#[test]
fn the_error_names_a_certificate_file_that_is_missing_or_empty() {
    let folder = folder();
    fs::write(folder.path().join("empty.pem"), "").expect("can be written");
    for (cert, start) in [
        ("none.pem", "error: cannot read the certificate `none.pem`"),
        ("empty.pem", "error: there is no certificate in `empty.pem`"),
    ] {
        for command in ["serve", "config"] {
            let arguments = [command, "--tls-cert", cert, "--tls-key", "empty.pem"];
            let error = run_failing(folder.path(), &arguments, 2);
            assert!(error.contains(start), "{error}");
        }
    }
    assert!(!folder.path().join("petstore.db").exists());
}

#[test]
fn config_prints_the_certificate_file_and_the_key_file() {
    let folder = folder();
    if certificate(folder.path(), SEC1).is_none() {
        return;
    }
    let arguments = ["config", "--tls-cert", "cert.pem", "--tls-key", "key.pem"];
    let printed = run_ok(folder.path(), &arguments);
    let files = "tls-cert = \"cert.pem\"\ntls-key = \"key.pem\"\n";
    assert!(printed.contains(files), "{printed}");
}

#[test]
fn a_certificate_without_its_key_file_prevents_the_start_and_vice_versa() {
    let folder = folder();
    for (set, missing) in [("tls-cert", "tls-key"), ("tls-key", "tls-cert")] {
        let error = run_failing(folder.path(), &["serve", &format!("--{set}"), "x.pem"], 2);
        assert!(
            error.starts_with(&format!("error: `{set}` is set, but `{missing}` is not")),
            "{error}"
        );
    }
}

/// Changes the dates of the certificate and signs it again with its key.
fn set_dates(folder: &Path, begin: DateTime<Utc>, expiry: DateTime<Utc>) {
    let settings = "[ca]\ndefault_ca = all\n[all]\ndatabase = index.txt\nnew_certs_dir = .\n\
                    default_md = sha256\nserial = serial\nunique_subject = no\npolicy = all_names\n\
                    x509_extensions = v3\n[all_names]\ncommonName = supplied\n\
                    [v3]\nsubjectAltName = IP:127.0.0.1\n";
    fs::write(folder.join("ca.cnf"), settings).expect("can be written");
    fs::write(folder.join("index.txt"), "").expect("can be written");
    let [begin, expiry] = [begin, expiry].map(|time| time.format("%Y%m%d%H%M%SZ"));
    let request = "req -new -key key.pem -out request.pem -subj";
    let request: Vec<&str> = request.split(' ').chain(["/CN=pet store"]).collect();
    let sign = format!(
        "ca -batch -selfsign -notext -create_serial -config ca.cnf -keyfile key.pem -in request.pem \
         -out cert.pem -startdate {begin} -enddate {expiry}"
    );
    for arguments in [request, sign.split(' ').collect()] {
        let mut command = Command::new("openssl");
        let output = command.args(&arguments).current_dir(folder).output();
        let output = output.expect("there is openssl");
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    }
}

#[test]
fn a_certificate_that_is_invalid_or_expires_soon_is_a_warning() {
    let folder = folder();
    if certificate(folder.path(), SEC1).is_none() {
        return;
    }
    let now = Utc::now().trunc_subsecs(0);
    let set_days = |begin, expiry| {
        let (begin, expiry) = (now + TimeDelta::days(begin), now + TimeDelta::days(expiry));
        set_dates(folder.path(), begin, expiry);
        [begin, expiry].map(|time| time.to_rfc3339_opts(SecondsFormat::Secs, true))
    };
    let [_, expiry] = set_days(-100, -10);
    let arguments = [
        "--tls-cert",
        "cert.pem",
        "--tls-key",
        "key.pem",
        "--admin-listen",
        "127.0.0.1:0",
    ];
    let service = Service::start_in(folder.clone(), &arguments, &[]);
    let (log, admin) = (&service.log, scrape::address(&service));
    let certificate = "the certificate of `CN=pet store` in `cert.pem`";
    let expires_in = |days: i64| {
        let response = raw::send(admin, &Request::get("/metrics"));
        let text = String::from_utf8(response.body).expect("text");
        let expiry = (now + TimeDelta::days(days)).timestamp();
        let line = format!("\npetstore_tls_certificate_expiry_timestamp_seconds {expiry}\n");
        text.contains(&line)
    };
    let line = log.wait_for(&format!("{certificate} expired at {expiry}: "));
    assert!(line.contains(" WARN ") && line.contains("SIGHUP"), "{line}");
    assert!(expires_in(-10));

    let [_, expiry] = set_days(-10, 13);
    service.signal(Signal::HUP);
    let line = log.wait_for(&format!("{certificate} expires at {expiry}, in 12 days: "));
    assert!(line.contains(" WARN "), "{line}");
    assert!(expires_in(13));

    let [begin, _] = set_days(1, 100);
    service.signal(Signal::HUP);
    let line = log.wait_for(&format!("{certificate} is not valid before {begin}, "));
    assert!(line.contains(" WARN ") && line.contains("clock"), "{line}");
    assert!(expires_in(100));

    set_days(-10, 15);
    let before = log.text().matches(certificate).count();
    service.signal(Signal::HUP);
    // The service logs this line after the warnings of the same reload.
    let read = || {
        log.text()
            .matches("SIGHUP: the certificate was reloaded")
            .count()
    };
    let begin = Instant::now();
    while read() < 3 {
        assert!(begin.elapsed() < Duration::from_secs(20), "{}", log.text());
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(log.text().matches(certificate).count(), before);
    assert!(expires_in(15));
}
