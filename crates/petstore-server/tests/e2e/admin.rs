//! Tests the admin listener: it serves health checks as Kubernetes requests them, and no operation
//! of the API.

use crate::{
    process::{Service, program, run_failing, run_ok},
    raw::{self, Connection, Request},
    scrape::Watched,
};
use rustix::process::Signal;
use std::{fs, net::TcpListener};
use tempfile::TempDir;

fn line(response: &raw::RawResponse) -> (u16, String) {
    (
        response.status,
        String::from_utf8_lossy(&response.body).into_owned(),
    )
}

#[test]
fn a_service_that_responds_is_alive_and_ready() {
    let watched = Watched::start();
    assert_eq!(line(&watched.ask("/livez")), (200, "alive\n".to_owned()));
    assert_eq!(line(&watched.ask("/readyz")), (200, "ready\n".to_owned()));
    assert_eq!(
        line(&watched.ask("/readyz?verbose")),
        (200, "ready\n".to_owned())
    );
    let response = watched.ask("/metrics");
    assert_eq!(response.status, 200);
    assert_eq!(
        response.header("content-type"),
        Some("text/plain; version=0.0.4; charset=utf-8")
    );
    let mut connection = Connection::open(watched.admin);
    connection.write(Request::new("HEAD", "/readyz").bytes());
    assert_eq!(connection.head().0, 200);
    assert!(connection.is_closed());
}

#[test]
fn the_admin_listener_serves_no_operation_and_accepts_no_other_method() {
    let watched = Watched::start();
    for path in [
        "/",
        "/v1/pets",
        "/v1/openapi.yaml",
        "/livez/",
        "//livez",
        "/metrics/x",
    ] {
        let request = Request::get(path).key(&watched.service.key);
        assert_eq!(raw::send(watched.admin, &request).status, 404, "{path}");
    }
    for path in ["/livez", "/readyz", "/metrics"] {
        let response = raw::send(watched.admin, &Request::new("DELETE", path));
        assert_eq!(
            (response.status, response.header("allow")),
            (405, Some("GET, HEAD")),
            "{path}"
        );
        assert_eq!(
            watched.service.get(path).status,
            404,
            "{path} is not public"
        );
    }
}

#[test]
fn a_service_that_stops_is_alive_but_not_ready() {
    let Watched { mut service, admin } = Watched::start();
    let body = r#"{"name":"Rex","categoryId":7}"#;
    let request = Request::post("/v1/pets", body)
        .key(&service.key)
        .header("Expect", "100-continue")
        .bytes();
    let mut running = service.connect();
    running.write(&request[..request.len() - body.len()]);
    assert_eq!(running.head().0, 100);

    service.signal(Signal::TERM);
    service.log.wait_for("stopping after SIGTERM");
    assert_eq!(
        line(&raw::send(admin, &Request::get("/readyz"))),
        (503, "not ready: the service is stopping\n".to_owned())
    );
    assert_eq!(raw::send(admin, &Request::get("/livez")).status, 200);

    running.write(body);
    assert_eq!(running.response().status, 201);
    assert_eq!(service.ended().0.code(), Some(0));
}

#[test]
fn a_service_whose_store_file_is_missing_is_alive_but_not_ready_until_the_file_is_back() {
    let watched = Watched::start();
    let file = watched.service.folder.path().join("petstore.db");
    let aside = watched.service.folder.path().join("aside");
    fs::rename(&file, &aside).expect("can be moved");
    let (status, why) = line(&watched.ask("/readyz"));
    assert_eq!(status, 503, "{why}");
    assert!(
        why.starts_with("not ready: the store cannot be used"),
        "{why}"
    );
    watched.service.log.wait_for("not ready: ");
    assert_eq!(watched.ask("/livez").status, 200);
    watched.scrape().assert("petstore_ready", &[], 0.0);
    fs::rename(&aside, &file).expect("can be moved");
    assert_eq!(watched.ask("/readyz").status, 200);
    watched.scrape().assert("petstore_ready", &[], 1.0);
}

#[test]
fn silent_connections_to_the_admin_listener_do_not_delay_a_health_probe() {
    let watched = Watched::start();
    let _silent: Vec<_> = (0..40).map(|_| Connection::open(watched.admin)).collect();
    assert_eq!(watched.ask("/livez").status, 200);
}

#[test]
fn an_admin_address_in_use_is_reported_and_creates_no_key() {
    let folder = TempDir::new().expect("a folder can be made");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = taken.local_addr().expect("it has an address").to_string();
    let arguments = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--admin-listen",
        &address,
    ];
    let error = run_failing(folder.path(), &arguments, 1);
    let expected = format!(
        "error: cannot listen on {address} for health and metrics; choose another address with \
         `--admin-listen`, or `off`"
    );
    assert!(
        error.contains(&expected) && error.contains("in use"),
        "{error}"
    );
    assert!(!folder.path().join("petstore.db").exists(), "no store");
}

#[test]
fn the_admin_listener_can_be_switched_off() {
    let service = Service::start_with(&["--admin-listen", "off"]);
    assert!(service.pets().is_empty());
    assert!(
        !service.log.text().contains("health and metrics"),
        "{}",
        service.log.text()
    );
}

#[test]
fn metrics_can_be_switched_off_without_the_health_pages() {
    let watched = Watched::start_with(&["--metrics", "off"]);
    assert!(watched.service.pets().is_empty());
    let (status, why) = line(&watched.ask("/metrics"));
    assert_eq!(status, 404, "{why}");
    assert!(why.contains("`--metrics off`"), "{why}");
    assert_eq!(watched.ask("/readyz").status, 200);
}

#[test]
fn the_command_health_reports_the_response_of_the_admin_listener() {
    let mut watched = Watched::start_with(&["--shutdown-delay-seconds", "30"]);
    let folder = TempDir::new().expect("a folder can be made");
    let address = watched.admin.to_string();
    let health = ["health", "--admin-listen", &address];
    assert_eq!(run_ok(folder.path(), &health), "ready\n");
    // As in a container, where the service listens on all addresses.
    let everywhere = format!("0.0.0.0:{}", watched.admin.port());
    fs::write(
        folder.path().join("settings.toml"),
        format!("listen = \"127.0.0.1:0\"\nadmin-listen = \"{everywhere}\"\n"),
    )
    .expect("can be written");
    let live = ["health", "--live", "--config", "settings.toml"];
    // `Service` sets the variable to `off`, which takes precedence over the file.
    let error = run_failing(folder.path(), &live, 1);
    assert!(error.contains("`--admin-listen off`"), "{error}");
    let output = program(folder.path())
        .args(live)
        .env_remove("PETSTORE_ADMIN_LISTEN")
        .output()
        .expect("the program can be run");
    assert_eq!(output.stdout, b"alive\n", "{output:?}");

    watched.service.signal(Signal::TERM);
    watched.until_readiness(503);
    let error = run_failing(folder.path(), &health, 1);
    assert!(
        error.contains("/readyz responded with 503 Service Unavailable: "),
        "{error}"
    );
    assert_eq!(
        run_ok(
            folder.path(),
            &["health", "--live", "--admin-listen", &address]
        ),
        "alive\n"
    );

    // A second signal ends the shutdown delay.
    watched.service.signal(Signal::TERM);
    watched.service.ended();
    let error = run_failing(folder.path(), &health, 1);
    assert!(
        error.contains("no response from") && error.contains("check that the service runs"),
        "{error}"
    );
}

#[test]
fn the_admin_listener_rejects_requests_with_a_host_that_is_not_configured() {
    let watched = Watched::start_with(&["--admin-hosts", "Petstore.internal"]);
    let status = |host: &str, path: &str| {
        let mut connection = Connection::open(watched.admin);
        connection.write(format!("GET {path} HTTP/1.1\r\n{host}\r\n\r\n"));
        connection.response().status
    };
    let port = watched.admin.port();
    for path in ["/livez", "/readyz", "/metrics"] {
        for host in [
            &format!("Host: 127.0.0.1:{port}"),
            "Host: 10.1.2.3",
            &format!("Host: [::1]:{port}"),
            &format!("Host: localhost:{port}"),
            "Host: LOCALHOST",
            "Host: petstore.internal:9090",
            // An HTTP/1.0 probe does not need `Host`.
            "X: y",
        ] {
            assert_eq!(status(host, path), 200, "{host} {path}");
        }
        for host in [
            "Host: rebound.example",
            "Host: localhost.rebound.example",
            "Host: 127.0.0.1.rebound.example",
            "Host: petstore.internal.rebound.example",
            "Host: localhost\r\nHost: rebound.example",
            "Host: rebound.example@localhost/",
            "Host: rebound.example:80@127.0.0.1",
        ] {
            assert_eq!(status(host, path), 421, "{host} {path}");
        }
    }
    let any = Watched::start_with(&["--admin-hosts", "*"]);
    let mut connection = Connection::open(any.admin);
    connection.write("GET /livez HTTP/1.1\r\nHost: any.example\r\n\r\n");
    assert_eq!(connection.response().status, 200);
}

#[test]
fn a_store_whose_ids_are_used_up_is_not_ready() {
    let watched = Watched::start();
    let service = &watched.service;
    let set_last_id = |id: i64| {
        let sql =
            "INSERT OR REPLACE INTO sqlite_sequence (rowid, name, seq) VALUES (1, 'pets', ?1)";
        rusqlite::Connection::open(service.folder.path().join("petstore.db"))
            .and_then(|db| db.execute(sql, [id]))
            .expect("the sequence");
    };
    set_last_id(i64::MAX);
    service
        .post(r#"{"name":"Rex","categoryId":7}"#)
        .assert_error(503, "unavailable");
    watched.until_readiness(503);
    service
        .log
        .wait_for("the ids of the table `pets` are used up");
    set_last_id(7);
    watched.until_readiness(200);
    assert_eq!(service.add("Rex", None), 8);
}
