//! Tests webhooks over HTTP with a receiver on this machine, as `book/src/petstore/webhooks.md` describes them.

use crate::{
    events::order,
    process::{Service, run_failing, run_ok},
    raw::{RawResponse, Request},
    receivers::{self, LOCAL, Receiver, create_key, serve_again, write_key},
    scrape::{self, Scrape},
};
use serde_json::{Value, json};
use std::{
    fs,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// How long a test waits before it fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until there is a value.
#[track_caller]
fn eventually<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "not within {PATIENCE:?}");
        thread::sleep(Duration::from_millis(50));
    }
}

/// A service that sends webhooks to this machine, and a key that can use them.
struct World {
    service: Service,
    key: String,
}

impl World {
    fn start() -> Self {
        Self::start_with(&[])
    }

    fn start_with(arguments: &[&str]) -> Self {
        let folder = Arc::new(tempfile::tempdir().expect("a folder"));
        write_key(folder.path());
        let arguments = [&LOCAL, arguments].concat();
        let mut service = Service::start_in(folder, &arguments, &[]);
        let key = create_key(service.folder.path(), &[]);
        service.key.clone_from(&key);
        World { service, key }
    }

    /// Starts the service again, after it has ended.
    fn start_again(self) -> Self {
        let World { service, key } = self;
        let service = serve_again(service.folder.clone(), &[], Some(&key));
        World { service, key }
    }

    fn send(&self, method: &str, target: &str, body: Option<Value>) -> RawResponse {
        receivers::request(
            self.service.address,
            &self.key,
            method,
            target,
            body.as_ref(),
        )
    }

    fn ok(&self, method: &str, target: &str, body: Option<Value>) -> Value {
        let response = self.send(method, target, body);
        assert!(
            (200..300).contains(&response.status),
            "{target}: {response:?}"
        );
        response.json()
    }

    /// An enabled webhook: its id and its secret.
    fn enabled(&self, url: &str, types: Value) -> (String, String) {
        receivers::enable(self.service.address, &self.key, url, &types)
    }

    fn deliveries(&self, id: &str) -> Vec<Value> {
        let found = self.ok("GET", &format!("/{id}/deliveries"), None);
        found.as_array().expect("a list").clone()
    }

    /// The newest delivery once it has this status.
    fn until(&self, id: &str, is_reached: impl Fn(&Value) -> bool) -> Value {
        eventually(|| {
            let newest = self.deliveries(id).into_iter().next();
            newest.filter(|newest| is_reached(newest))
        })
    }
}

#[test]
fn an_enabled_webhook_gets_each_event_of_its_types_with_a_valid_signature() {
    let (world, shop) = (World::start(), Receiver::open());
    world.service.add("Before", Some("available"));
    let (id, secret) = world.enabled(&shop.url("/events"), json!(["pet.created", "order.placed"]));
    let pet = world.service.add("Rex", Some("available"));
    let placed = order(&world.service, pet);
    let mut got = [shop.event(), shop.event()];
    got.sort_by_key(|got| got.json()["type"].to_string());
    let [ordered, created] = &got;
    assert_eq!(ordered.json()["data"], placed);
    assert_eq!(created.json()["data"]["name"], "Rex");
    for got in &got {
        assert_eq!(got.path, "/events");
        assert!(got.verify(&secret), "{got:?}");
        assert!(!got.verify("whsec_b3RoZXIgc2VjcmV0IG90aGVyIHNlY3JldA=="));
        assert_eq!(
            got.headers["webhook-id"],
            got.json()["id"].as_str().expect("an id")
        );
    }
    // The event before it was enabled, and the one of another type (`pet.status_changed`), are not sent.
    let newest = world.until(&id, |newest| newest["status"] == "delivered");
    assert_eq!(newest["tries"], 1);
    assert_eq!(newest["lastTry"]["httpStatus"], 200);
    assert_eq!(world.deliveries(&id).len(), 2);
}

#[test]
fn a_webhook_is_enabled_only_by_a_receiver_that_returns_the_challenge() {
    let (world, shop) = (World::start(), Receiver::open());
    let created = world.ok("POST", "", Some(json!({"url": shop.url("/other")})));
    let id = created["id"].as_str().expect("an id");
    let failed = world.send("POST", &format!("/{id}/verification"), None);
    failed.assert_error(409, "verification_failed");
    let enable = Some(json!({"status": "enabled"}));
    let response = world.send("PATCH", &format!("/{id}"), enable.clone());
    response.assert_error(409, "webhook_not_verified");
    let test = world.send("POST", &format!("/{id}/test"), None);
    test.assert_error(409, "webhook_not_enabled");
    // Neither a detour over `disabled` nor another address enables it.
    let disable = Some(json!({"status": "disabled"}));
    let response = world.send("PATCH", &format!("/{id}"), disable);
    response.assert_error(409, "webhook_not_verified");
    let update = Some(json!({"url": shop.url("/events")}));
    assert_eq!(
        world.ok("PATCH", &format!("/{id}"), update)["status"],
        "pending"
    );
    world.ok("POST", &format!("/{id}/verification"), None);
    let update = Some(json!({"url": shop.url("/elsewhere"), "status": "enabled"}));
    let response = world.send("PATCH", &format!("/{id}"), update);
    response.assert_error(409, "webhook_not_verified");
    let found = world.ok("GET", &format!("/{id}"), None);
    assert_eq!(
        (&found["status"], &found["url"]),
        (&json!("enabled"), &json!(shop.url("/events")))
    );
    world.service.add("Rex", None);
    assert_eq!(shop.event().path, "/events");
}

#[test]
fn a_failed_delivery_is_retried_and_a_receiver_that_responds_with_410_is_disabled() {
    let (world, shop) = (World::start(), Receiver::open());
    let (busy, _) = world.enabled(&shop.url("/503"), json!(["order.placed"]));
    let (away, _) = world.enabled(&shop.url("/302"), json!(["order.updated"]));
    let pet = world.service.add("Rex", Some("available"));
    let placed = order(&world.service, pet);
    // The second attempt comes after about five seconds.
    let (first, second) = (shop.event(), shop.event());
    assert_eq!(first.headers["webhook-id"], second.headers["webhook-id"]);
    assert_eq!(first.body, second.body);
    let waiting = world.until(&busy, |newest| newest["tries"] == 2);
    assert_eq!(waiting["status"], "waiting");
    assert_eq!(waiting["lastTry"]["failure"], "status");
    let found = world.ok("GET", &format!("/{busy}"), None);
    assert!(found["failingSince"].is_string(), "{found}");

    let update = Request::new("PATCH", &format!("/v1/store/orders/{}", placed["id"]))
        .key(&world.key)
        .header("content-type", "application/json")
        .body(r#"{"status": "approved"}"#);
    assert_eq!(world.service.send(&update).status, 200);
    let redirected = world.until(&away, |newest| newest["tries"] == 1);
    assert_eq!(redirected["lastTry"]["failure"], "redirect");
    assert_eq!(shop.event().path, "/302");

    // Its owner sees that it is gone.
    let (gone, _) = world.enabled(&shop.url("/410"), json!(["pet.created"]));
    world.service.add("Tom", None);
    let given_up = world.until(&gone, |newest| newest["status"] == "given_up");
    assert_eq!(given_up["lastTry"]["httpStatus"], 410);
    let found = world.ok("GET", &format!("/{gone}"), None);
    assert_eq!(
        (&found["status"], &found["disabledReason"]),
        (&json!("disabled"), &json!("gone"))
    );
}

#[test]
fn both_secrets_sign_after_a_replacement_and_test_events_and_redeliveries_are_sent() {
    let (world, shop) = (World::start(), Receiver::open());
    let (id, old) = world.enabled(&shop.url("/events"), json!(["order.placed"]));
    let rotated = world.ok("POST", &format!("/{id}/secret"), None);
    let new = rotated["secret"].as_str().expect("a secret");
    assert_ne!(new, old);
    let test = world.ok("POST", &format!("/{id}/test"), None);
    assert_eq!(
        (&test["type"], &test["status"]),
        (&json!("webhook.test"), &json!("waiting"))
    );
    let got = shop.event();
    assert_eq!(got.json()["type"], "webhook.test");
    assert!(got.verify(new) && got.verify(&old), "{got:?}");
    let delivered = world.until(&id, |newest| newest["status"] == "delivered");
    assert_eq!(delivered["id"], test["id"]);
    let again = Some(json!({"delivery": test["id"]}));
    assert_eq!(
        world.ok("POST", &format!("/{id}/redeliveries"), again)["count"],
        1
    );
    assert_eq!(shop.event().body, got.body);
    let unknown = world.send(
        "POST",
        &format!("/{id}/redeliveries"),
        Some(json!({"delivery": 999})),
    );
    unknown.assert_error(404, "not_found");
    let neither = world.send("POST", &format!("/{id}/redeliveries"), Some(json!({})));
    neither.assert_error(400, "invalid_request");
    let since = Some(json!({"since": "2026-01-01T00:00:00Z"}));
    assert_eq!(
        world.ok("POST", &format!("/{id}/redeliveries"), since)["count"],
        0
    );

    // A second rotation ends the first secret.
    world.ok("POST", &format!("/{id}/secret"), None);
    world.ok("POST", &format!("/{id}/test"), None);
    let got = shop.event();
    assert!(got.verify(new) && !got.verify(&old), "{got:?}");
}

#[test]
fn webhooks_require_the_webhook_scope_and_are_visible_only_to_the_key_that_created_them() {
    let (world, shop) = (World::start(), Receiver::open());
    let (id, _) = world.enabled(&shop.url("/events"), json!(["pet.created"]));
    let without = run_ok(world.service.folder.path(), &["key", "create", "clerk"]);
    let without = without.trim();
    for (method, target) in [
        ("GET", "/v1/webhooks".to_owned()),
        ("DELETE", format!("/v1/webhooks/{id}")),
    ] {
        let response = world
            .service
            .send(&Request::new(method, &target).key(without));
        response.assert_error(403, "insufficient_scope");
    }
    let other = World {
        key: create_key(world.service.folder.path(), &[]),
        ..world
    };
    assert_eq!(other.ok("GET", "", None), json!([]));
    for (method, target) in [
        ("GET", ""),
        ("DELETE", ""),
        ("POST", "/secret"),
        ("POST", "/verification"),
        ("GET", "/deliveries"),
    ] {
        let response = other.send(method, &format!("/{id}{target}"), None);
        response.assert_error(404, "not_found");
    }
    other
        .send("GET", "/we_1", None)
        .assert_error(404, "not_found");
    for number in 0..20 {
        other.ok(
            "POST",
            "",
            Some(json!({"url": shop.url(&format!("/{number}"))})),
        );
    }
    let response = other.send("POST", "", Some(json!({"url": shop.url("/21")})));
    response.assert_error(409, "webhook_limit");
}

#[test]
fn addresses_that_are_not_public_are_rejected() {
    let folder = Arc::new(tempfile::tempdir().expect("a folder"));
    write_key(folder.path());
    let service = Service::start_in(folder, &LOCAL[..2], &[]);
    let world = World {
        key: create_key(service.folder.path(), &[]),
        service,
    };
    for url in [
        "http://shop.example.com/",
        "https://127.0.0.1/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://169.254.169.254/latest/meta-data",
        "https://a:b@shop.example.com/",
        "https://shop.example.com/#events",
        "ftp://shop.example.com/",
        "shop.example.com",
        "",
        // Each of these letters becomes six characters.
        &format!("https://shop.example.com/{}", "é".repeat(400)),
    ] {
        let response = world.send("POST", "", Some(json!({"url": url})));
        response.assert_error(400, "invalid_request");
    }
    // A name is resolved when something is sent.
    let created = world.ok("POST", "", Some(json!({"url": "https://localhost/"})));
    let id = created["id"].as_str().expect("an id");
    let failed = world.send("POST", &format!("/{id}/verification"), None);
    let message = failed.assert_error(409, "verification_failed");
    assert!(message.contains("`address`"), "{message}");
}

#[test]
fn without_a_key_file_there_are_no_webhooks() {
    let service = Service::start();
    let world = World {
        key: create_key(service.folder.path(), &[]),
        service,
    };
    let response = world.send("GET", "", None);
    let message = response.assert_error(404, "not_found");
    assert!(message.contains("--webhook-key-file"), "{message}");
}

#[test]
fn a_killed_server_loses_no_delivery_and_a_revoked_key_gets_no_event() {
    let shop = Receiver::open();
    let mut world = World::start();
    let (id, secret) = world.enabled(&shop.url("/events"), json!(["pet.created"]));
    world.service.add("Rex", None);
    world.service.signal(rustix::process::Signal::KILL);
    world.service.ended();
    let mut world = world.start_again();
    world.service.add("Tom", None);
    let mut names = Vec::new();
    while !["Rex", "Tom"]
        .iter()
        .all(|name| names.contains(&json!(name)))
    {
        let got = shop.event();
        assert!(got.verify(&secret));
        names.push(got.json()["data"]["name"].clone());
    }
    world.until(&id, |newest| newest["status"] == "delivered");
    let list = run_ok(world.service.folder.path(), &["key", "list"]);
    let line = list
        .lines()
        .find(|line| line.contains("\tshop\t"))
        .expect("the key");
    let key = line.split('\t').next().expect("an id");
    run_ok(world.service.folder.path(), &["key", "revoke", key]);
    world.service.key = run_ok(world.service.folder.path(), &["key", "create", "clerk"])
        .trim()
        .to_owned();
    world.service.add("Max", None);
    // The service has looked at the event, and made no delivery of it.
    let store = rusqlite::Connection::open(world.service.folder.path().join("petstore.db"));
    let store = store.expect("the store");
    let number = |sql| {
        store
            .query_row(sql, [], |row| row.get::<_, i64>(0))
            .expect("a number")
    };
    eventually(|| (number("SELECT position FROM webhook_feed") == 3).then_some(()));
    assert_eq!(number("SELECT count(*) FROM webhook_deliveries"), 2);
}

#[test]
fn metrics_count_deliveries_and_failures() {
    let world = World::start_with(&["--admin-listen", "127.0.0.1:0"]);
    let shop = Receiver::open();
    world.enabled(&shop.url("/events"), json!(["pet.created"]));
    world.enabled(&shop.url("/404"), json!(["pet.created"]));
    world.service.add("Rex", None);
    let admin = scrape::address(&world.service);
    let found = eventually(|| {
        let found = Scrape::of(admin);
        let counts = ["deliveries_total", "failures_total"];
        let counts = counts.map(|name| found.find(&format!("petstore_webhook_{name}"), &[]));
        // A failed attempt is repeated.
        matches!(counts, [Some(1.0), Some(1.0..)]).then_some(found)
    });
    for gauge in ["deliveries_waiting", "oldest_due_seconds"] {
        let name = format!("petstore_webhook_{gauge}");
        found.find(&name, &[]).expect("a gauge");
    }
    found.assert("petstore_webhooks_disabled", &[], 0.0);
}

#[test]
fn a_key_file_that_cannot_be_used_is_rejected_at_the_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("webhooks.key");
    for (content, why) in [
        (Vec::new(), "has 0 bytes"),
        (vec![b'k'; 31], "has 31 bytes"),
        (vec![b'\n'; 64], "has 0 bytes"),
        (vec![b'k'; 5000], "has more than 4096 bytes"),
    ] {
        fs::write(&file, content).expect("a file");
        let error = run_failing(folder.path(), &["serve", LOCAL[0], LOCAL[1]], 2);
        assert!(
            error.contains("webhook-key-file") && error.contains(why),
            "{error}"
        );
    }
    let error = run_failing(folder.path(), &["serve", LOCAL[0], "."], 2);
    assert!(error.contains("is not a file"), "{error}");
}

#[test]
fn a_webhook_that_is_disabled_during_its_verification_stays_disabled() {
    let (world, shop) = (World::start(), Receiver::open());
    let created = world.ok("POST", "", Some(json!({"url": shop.url("/hold")})));
    let id = created["id"].as_str().expect("an id");
    for disables in [false, true] {
        let response = thread::scope(|scope| {
            let verify = || world.send("POST", &format!("/{id}/verification"), None);
            let verification = scope.spawn(verify);
            assert_eq!(shop.event().json()["type"], "endpoint.verification");
            if disables {
                let disable = Some(json!({"status": "disabled"}));
                let disabled = world.ok("PATCH", &format!("/{id}"), disable);
                assert_eq!(disabled["status"], "disabled");
            }
            shop.release();
            verification.join().expect("no panic")
        });
        match disables {
            false => assert_eq!(response.json()["status"], "enabled"),
            true => drop(response.assert_error(409, "verification_failed")),
        }
    }
    let found = world.ok("GET", &format!("/{id}"), None);
    assert_eq!(found["status"], "disabled");
}

#[test]
fn with_another_key_nothing_is_sent_until_the_secret_is_replaced() {
    let (mut world, shop) = (World::start(), Receiver::open());
    let (id, old) = world.enabled(&shop.url("/events"), json!(["pet.created"]));
    world.service.signal(rustix::process::Signal::TERM);
    world.service.ended();
    let file = world.service.folder.path().join("webhooks.key");
    fs::write(file, "x".repeat(48)).expect("a key file");
    let world = world.start_again();
    world.service.add("Rex", None);
    let failed = world.until(&id, |newest| newest["tries"] == 1);
    assert_eq!(failed["lastTry"]["failure"], "signature");
    world
        .service
        .log
        .wait_for("`webhook-key-file` is not the key");
    let rotated = world.ok("POST", &format!("/{id}/secret"), None);
    let again = Some(json!({"delivery": failed["id"]}));
    world.ok("POST", &format!("/{id}/redeliveries"), again);
    let got = shop.event();
    assert!(got.verify(rotated["secret"].as_str().expect("a secret")));
    assert!(!got.verify(&old));
}

#[test]
fn events_that_happened_while_a_webhook_was_disabled_are_sent_when_its_owner_asks_for_them() {
    let (world, shop) = (World::start(), Receiver::open());
    let (id, secret) = world.enabled(&shop.url("/events"), json!(["pet.created"]));
    let missed = Some(json!({"missed": true}));
    let patch = |status: &str| {
        let update = Some(json!({"status": status}));
        world.ok("PATCH", &format!("/{id}"), update)
    };
    let disabled = patch("disabled");
    assert_eq!(disabled["missedSince"], disabled["updatedAt"]);
    let redeliveries = format!("/{id}/redeliveries");
    let early = world.send("POST", &redeliveries, missed.clone());
    early.assert_error(409, "webhook_not_enabled");
    let pet = world.service.add("Rex", Some("available"));
    world.service.add("Tom", None);
    order(&world.service, pet);
    let enabled = patch("enabled");
    assert_eq!(enabled["missedSince"], disabled["missedSince"]);
    let sent = world.ok("POST", &redeliveries, missed.clone());
    assert_eq!(sent["count"], 2);
    let mut names = [shop.event(), shop.event()].map(|got| {
        assert!(got.verify(&secret));
        got.json()["data"]["name"].to_string()
    });
    names.sort();
    assert_eq!(names, ["\"Rex\"", "\"Tom\""]);
    let found = world.ok("GET", &format!("/{id}"), None);
    assert_eq!(found.get("missedSince"), None);
    assert_eq!(world.ok("POST", &redeliveries, missed)["count"], 0);
    for wrong in [
        json!({"missed": false}),
        json!({"missed": true, "delivery": 1}),
        json!({"missed": true, "since": "2026-01-01T00:00:00Z"}),
    ] {
        let response = world.send("POST", &redeliveries, Some(wrong));
        response.assert_error(400, "invalid_request");
    }
}

#[test]
fn the_other_webhooks_of_the_key_are_told_that_the_service_disabled_one() {
    let (world, shop) = (World::start(), Receiver::open());
    let (gone, _) = world.enabled(&shop.url("/410"), json!(["pet.created"]));
    let (_, secret) = world.enabled(&shop.url("/events"), json!(["order.placed"]));
    world.service.add("Rex", None);
    assert_eq!(shop.event().path, "/410");
    let told = shop.event();
    assert!(told.verify(&secret));
    assert_eq!(
        told.headers["webhook-id"],
        told.json()["id"].as_str().expect("an id")
    );
    assert_eq!(told.json()["type"], "webhook.disabled");
    let data = json!({"webhookId": gone, "reason": "gone"});
    assert_eq!(told.json()["data"], data);
    let disabled = world.ok("GET", &format!("/{gone}"), None);
    // The message has the time as the feed has it, with as many digits as needed.
    assert_eq!(told.json()["timestamp"], disabled["updatedAt"]);
}

#[test]
fn the_owner_of_the_service_can_list_and_delete_webhooks() {
    let (world, shop) = (World::start(), Receiver::open());
    let url = shop.url("/events");
    let (id, _) = world.enabled(&url, json!(["pet.created"]));
    let other = create_key(world.service.folder.path(), &[]);
    let request = Request::new("POST", "/v1/webhooks")
        .key(&other)
        .header("content-type", "application/json")
        .body(json!({"url": url}).to_string());
    assert_eq!(world.service.send(&request).status, 201);
    let folder = world.service.folder.path();
    let list = run_ok(folder, &["webhooks", "list"]);
    let lines: Vec<Vec<&str>> = list
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    assert_eq!(
        lines[0],
        ["id", "key", "status", "failing since", "created", "url"]
    );
    assert_eq!(lines.len(), 3, "{list}");
    assert_eq!(
        (lines[1][0], lines[1][2], lines[1][5]),
        (id.as_str(), "enabled", url.as_str())
    );
    assert_eq!((lines[2][2], lines[2][3]), ("pending", "failing since -"));
    let json = run_ok(folder, &["webhooks", "list", "--format", "json"]);
    let json: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(json["webhooks"][0]["types"], json!(["pet.created"]));
    assert_eq!(json["webhooks"][0]["key"], lines[1][1]);
    run_ok(folder, &["webhooks", "delete", &id]);
    world
        .send("GET", &format!("/{id}"), None)
        .assert_error(404, "not_found");
    for unknown in [&id, "we_x"] {
        let error = run_failing(folder, &["webhooks", "delete", unknown], 1);
        assert!(error.contains("webhooks list"), "{error}");
    }
}

#[test]
fn with_a_proxy_everything_is_sent_through_it() {
    let proxy = Receiver::open();
    let world = World::start_with(&["--webhook-proxy", &proxy.url("")]);
    // Only the proxy can resolve this name.
    world.enabled("http://shop.invalid/events", json!(["pet.created"]));
    world.service.add("Rex", None);
    assert_eq!(proxy.event().path, "http://shop.invalid/events");
}

#[test]
fn the_password_of_the_proxy_is_not_printed_and_a_wrong_url_is_rejected() {
    let folder = tempfile::tempdir().expect("a folder");
    let proxy = ["--webhook-proxy", "http://shop:secret@proxy.example:3128"];
    let config = run_ok(folder.path(), &[&["config"], &proxy[..]].concat());
    assert!(
        config.contains("webhook-proxy = \"http://shop:***@proxy.example:3128/\""),
        "{config}"
    );
    for wrong in [
        "shop:secret@proxy.example",
        "socks5://shop:secret@proxy.example",
        "http://",
    ] {
        let error = run_failing(folder.path(), &["config", "--webhook-proxy", wrong], 2);
        assert!(
            error.contains("`http://`") && !error.contains("secret"),
            "{error}"
        );
    }
}
