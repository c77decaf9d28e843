//! Tests encrypted connections: the certificate and the host name are verified.

use super::{key, outcome, pet};
use crate::postgres_server::own_with;
use futures::future::join_all;
use petstore_store::{OpenError, OpenProblem, Store, open};
use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    path::Path,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

const FILES: &[(&str, &str)] = &[
    ("server.pem", include_str!("certificates/server.pem")),
    ("server.key", include_str!("certificates/server.key")),
];

/// Opens the store over the network.
async fn over_tcp(place: &str, options: &str) -> Result<Arc<dyn Store>, OpenError> {
    let url = format!("postgres://postgres@{place}/postgres?{options}");
    open(&url.parse().expect("a URL")).await
}

fn authority() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/suite/postgres/certificates/authority.pem");
    format!("sslrootcert={}", path.display())
}

/// Returns a port that is free now.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

#[tokio::test]
async fn the_certificate_and_the_host_name_of_the_database_server_are_verified() {
    let port = free_port();
    let network = [
        "listen_addresses=127.0.0.1".to_owned(),
        format!("port={port}"),
    ];
    let tls = [
        "ssl=on",
        "ssl_cert_file=../server.pem",
        "ssl_key_file=../server.key",
    ];
    let settings: Vec<&str> = network.iter().map(String::as_str).chain(tls).collect();
    let Some(cluster) = own_with(&settings, FILES).await else {
        return;
    };

    for mode in ["sslmode=verify-full", "sslmode=require", "sslmode=prefer"] {
        let store = over_tcp(
            &format!("localhost:{port}"),
            &format!("{mode}&{}", authority()),
        )
        .await
        .expect(mode);
        store.create_pet(pet("Rex")).await.expect("a pet");
        let db = cluster.connect("postgres").await.expect("the server");
        let plain = "SELECT count(*) FROM pg_stat_activity JOIN pg_stat_ssl USING (pid)
            WHERE application_name = 'petstore' AND NOT ssl";
        assert_eq!(
            db.query_one(plain, &[])
                .await
                .expect("a count")
                .get::<_, i64>(0),
            0,
            "{mode}"
        );
        store.close().await.expect("closed");
    }

    let rejected = [
        (
            "localhost",
            "sslmode=require".to_owned(),
            "an authority that nobody trusts",
        ),
        (
            "127.0.0.1",
            format!("sslmode=require&{}", authority()),
            "another name",
        ),
    ];
    for (host, options, why) in rejected {
        let error = over_tcp(&format!("{host}:{port}"), &options)
            .await
            .map(drop)
            .expect_err(why);
        assert!(
            matches!(error.problem, OpenProblem::Tls(_)),
            "{why}: {error:?}"
        );
        assert!(error.to_string().contains("`sslrootcert=FILE`"), "{error}");
    }
    over_tcp(&format!("127.0.0.1:{port}"), "sslmode=disable")
        .await
        .expect("as the owner wishes");
}

#[tokio::test]
async fn password_authentication_works_with_channel_binding_over_tls() {
    let port = free_port();
    let settings = [
        "listen_addresses=127.0.0.1",
        &format!("port={port}"),
        "ssl=on",
        "ssl_cert_file=../server.pem",
        "ssl_key_file=../server.key",
        "hba_file=rules",
    ];
    let rules = "local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\n";
    let files = [FILES, &[("rules", rules)]].concat();
    let Some(cluster) = own_with(&settings, &files).await else {
        return;
    };
    cluster
        .execute("ALTER ROLE postgres PASSWORD 'secret'")
        .await;
    let options = format!("sslmode=require&channel_binding=require&{}", authority());
    let place = format!("localhost:{port}");
    let url = format!("postgres://postgres:secret@{place}/postgres?{options}");
    let store = open(&url.parse().expect("a URL")).await.expect("a store");
    store.create_pet(pet("Rex")).await.expect("a pet");
    store.close().await.expect("closed");
    let rejected = over_tcp(&place, &format!("password=wrong&{options}")).await;
    assert!(matches!(
        rejected.map(drop).map_err(|error| error.problem),
        Err(OpenProblem::Refused(_))
    ));
}

#[tokio::test]
async fn a_statement_after_its_deadline_is_cancelled_over_an_encrypted_connection() {
    const WAITING: &str = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'petstore' AND wait_event_type = 'Lock'";
    let port = free_port();
    let settings = [
        "listen_addresses=127.0.0.1",
        &format!("port={port}"),
        "ssl=on",
        "ssl_cert_file=../server.pem",
        "ssl_key_file=../server.key",
    ];
    let Some(cluster) = own_with(&settings, FILES).await else {
        return;
    };
    let options = format!("sslmode=require&{}", authority());
    let store = over_tcp(&format!("localhost:{port}"), &options)
        .await
        .expect("a store");
    let db = cluster.connect("postgres").await.expect("the server");
    let holder = cluster.connect("postgres").await.expect("the server");
    holder
        .batch_execute("BEGIN; LOCK TABLE api_keys")
        .await
        .expect("it is held");
    // Each creation is its own statement, and they wait for the lock one after the other.
    let created = join_all((0..20).map(|number| store.create_key(key(number)))).await;
    assert!(created.iter().all(|created| outcome(created).is_some()));
    let begin = Instant::now();
    while db
        .query_one(WAITING, &[])
        .await
        .expect("a count")
        .get::<_, i64>(0)
        > 0
    {
        assert!(begin.elapsed() < Duration::from_secs(15), "they wait on");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    holder.batch_execute("ROLLBACK").await.expect("it is free");
    assert_eq!(store.list_keys().await.expect("the keys"), []);
    store.create_key(key(1)).await.expect("writes continue");
}

#[tokio::test]
async fn a_server_without_encryption_is_rejected_if_encryption_is_required() {
    let port = free_port();
    let settings = ["listen_addresses=127.0.0.1", &format!("port={port}")];
    let Some(_cluster) = own_with(&settings, &[]).await else {
        return;
    };
    let error = over_tcp(&format!("127.0.0.1:{port}"), "sslmode=require")
        .await
        .map(drop)
        .expect_err("no TLS");
    assert!(matches!(error.problem, OpenProblem::Tls(_)), "{error:?}");
    over_tcp(&format!("127.0.0.1:{port}"), "")
        .await
        .expect("it is only preferred");
}

#[tokio::test]
async fn a_server_that_closes_the_connection_in_the_tls_handshake_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    // Reads the request for TLS, accepts it, and closes the connection.
    let server = thread::spawn(move || {
        let (mut client, _) = listener.accept().expect("a connection");
        client.read_exact(&mut [0; 8]).expect("a request");
        client.write_all(b"S").expect("a response");
    });
    let error = over_tcp(&address.to_string(), "sslmode=require")
        .await
        .map(drop)
        .expect_err("it is gone");
    server.join().expect("no panic");
    assert!(
        matches!(error.problem, OpenProblem::Unreachable(_)) && error.is_temporary(),
        "{error:?}"
    );
}

#[tokio::test]
async fn the_error_names_a_file_without_certificates() {
    for file in [
        "nothing.pem",
        concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"),
    ] {
        let error = over_tcp("localhost:1", &format!("sslrootcert={file}"))
            .await
            .map(drop)
            .expect_err("no certificates");
        assert!(
            matches!(error.problem, OpenProblem::NoCertificates { .. }),
            "{error:?}"
        );
        assert!(error.to_string().contains(file), "{error}");
    }
}
