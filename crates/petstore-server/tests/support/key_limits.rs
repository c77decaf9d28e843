//! Tests the limits of API keys with the real program, on the database that the caller chooses.

use crate::{
    process::{Service, run_failing, run_ok},
    raw::{RawResponse, Request},
};
use std::{
    thread,
    time::{Duration, Instant, SystemTime},
};

/// A service, and the arguments with which commands access its store.
pub struct Shop<'a> {
    pub service: &'a Service,
    pub database: &'a [&'a str],
}

impl Shop<'_> {
    fn run(&self, arguments: &[&str]) -> String {
        let arguments = [arguments, self.database].concat();
        run_ok(self.service.folder.path(), &arguments)
    }

    fn key(&self, name: &str, flags: &[&str]) -> String {
        let arguments = [&["key", "create", name], flags].concat();
        self.run(&arguments).trim_end().to_owned()
    }

    /// Returns the columns of all keys with this name.
    fn listed(&self, name: &str) -> Vec<Vec<String>> {
        let list = self.run(&["key", "list"]);
        let lines = list.lines().map(|line| line.split('\t').map(str::to_owned));
        lines
            .map(Iterator::collect)
            .filter(|columns: &Vec<String>| columns[1] == name)
            .collect()
    }

    fn send(&self, request: Request, key: &str) -> RawResponse {
        self.service.send(&request.key(key))
    }

    fn get(&self, key: &str) -> RawResponse {
        self.send(Request::get("/v1/pets"), key)
    }
}

const REX: &str = r#"{"name":"Rex","categoryId":7,"status":"available"}"#;

/// The limits are the last columns of the list.
pub fn key_list_shows_the_limits_of_keys(shop: &Shop<'_>) {
    shop.key("none", &[]);
    let all = ["--expires", "2099-01-31", "--rate", "20", "--scope", "read"];
    shop.key("all", &all);
    shop.key("off", &["--rate", "off", "--scope", "read,write"]);
    for (name, limits) in [
        ("none", ["expires -", "rate -", "scope read,write"]),
        (
            "all",
            ["expires 2099-01-31T00:00:00Z", "rate 20", "scope read"],
        ),
        ("off", ["expires -", "rate off", "scope read,write"]),
        ("first", ["expires -", "rate -", "scope read,write"]),
    ] {
        let listed = shop.listed(name);
        assert_eq!(listed.len(), 1, "{listed:?}");
        let columns = &listed[0];
        assert!(columns[4].starts_with("revoked -"), "{columns:?}");
        assert_eq!(columns[5..], limits, "{columns:?}");
    }
}

/// A key is valid until its expiry, and no longer.
pub fn an_expired_key_is_rejected(shop: &Shop<'_>) {
    let key = shop.key("tomorrow", &["--expires", "1d"]);
    assert_eq!(shop.get(&key).status, 200);

    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let soon = now.expect("a time after 1970").as_secs() + 2;
    let soon = chrono::DateTime::from_timestamp(i64::try_from(soon).expect("small"), 0);
    let soon = soon
        .expect("a time")
        .format("%Y-%m-%dT%H:%M:%SZ")
        .to_string();
    let key = shop.key("soon", &["--expires", &soon]);
    let begin = Instant::now();
    let rejected = loop {
        let response = shop.get(&key);
        if response.status != 200 {
            break response;
        }
        assert!(begin.elapsed() < Duration::from_secs(20), "still valid");
        thread::sleep(Duration::from_millis(20));
    };
    let message = rejected.assert_error(401, "unauthorized");
    assert!(message.contains(&format!("expired at {soon}")), "{message}");
    let challenge = rejected.header("www-authenticate").unwrap_or_default();
    assert!(challenge.contains("error=\"invalid_token\""), "{challenge}");
    let listed = shop.listed("soon");
    assert_eq!(listed[0][5], format!("expires {soon}"));
}

/// A key with the scope `read` can read, but changes nothing.
pub fn a_key_with_the_scope_read_cannot_write(shop: &Shop<'_>) {
    let key = shop.key("reader", &["--scope", "read"]);
    let pet = shop.service.add("Tom", Some("available"));
    for target in ["/v1/pets", &format!("/v1/pets/{pet}"), "/v1/store/orders"] {
        let response = shop.send(Request::get(target), &key);
        assert_eq!(response.status, 200, "{response:?}");
    }
    let order = format!(r#"{{"petId":{pet}}}"#);
    let patch = Request::new("PATCH", "/v1/store/orders/1")
        .header("Content-Type", "application/json")
        .body(r#"{"status":"approved"}"#);
    for request in [
        Request::post("/v1/pets", REX),
        Request::post("/v1/store/orders", order),
        patch,
        // The scope is checked before validation: bodies that are invalid, not JSON, or too large.
        Request::post("/v1/pets", "{}"),
        Request::new("POST", "/v1/pets").body("name=Rex"),
        Request::new("POST", "/v1/pets").header("Content-Length", "99999999"),
    ] {
        let response = shop.send(request, &key);
        let message = response.assert_error(403, "insufficient_scope");
        assert!(message.contains("`read,write`"), "{message}");
        let challenge = response.header("www-authenticate").unwrap_or_default();
        assert!(
            challenge.contains("error=\"insufficient_scope\", scope=\"write\""),
            "{challenge}"
        );
    }
    // The scope is checked after the route and the authentication.
    let unknown = shop.send(Request::post("/v1/cats", REX), &key);
    unknown.assert_error(404, "not_found");
    let nobody = shop.send(Request::post("/v1/pets", REX), "petstore_x");
    nobody.assert_error(401, "unauthorized");
    let invalid = shop.send(Request::get("/v1/pets?limit=0"), &key);
    invalid.assert_error(400, "invalid_request");

    let names: Vec<_> = shop.service.pets();
    assert_eq!(names.len(), 1, "{names:?}");
    let writer = shop.key("writer", &["--scope", "read,write"]);
    assert_eq!(
        shop.send(Request::post("/v1/pets", REX), &writer).status,
        201
    );
}

/// A key has its own rate limit, and other keys have none. The service has a burst of 3 and no rate
/// limit.
pub fn a_key_has_its_own_rate_limit(shop: &Shop<'_>) {
    let slow = shop.key("slow", &["--rate", "1"]);
    let response = shop.get(&slow);
    assert_eq!(response.status, 200);
    let policy = response.header("ratelimit-policy");
    assert_eq!(policy, Some("\"default\";q=3;w=3"));
    let begin = Instant::now();
    let limited = loop {
        let response = shop.get(&slow);
        if response.status != 200 {
            break response;
        }
        assert!(begin.elapsed() < Duration::from_secs(20), "no limit");
    };
    limited.assert_error(429, "rate_limited");
    assert!(limited.header("retry-after").is_some(), "{limited:?}");
    for _ in 0..20 {
        let response = shop.service.get("/v1/pets");
        assert_eq!(response.status, 200);
        assert_eq!(response.header("ratelimit"), None);
    }
}

/// Two keys with the same name are valid until one of them is revoked.
pub fn a_key_can_be_replaced_by_another_key_with_the_same_name(shop: &Shop<'_>) {
    let old = shop.key("tablet", &["--expires", "90d"]);
    let new = shop.key("tablet", &["--expires", "90d"]);
    assert_ne!(old, new);
    assert_eq!([shop.get(&old).status, shop.get(&new).status], [200, 200]);
    let listed = shop.listed("tablet");
    assert_eq!(listed.len(), 2, "{listed:?}");
    // The oldest key comes first.
    shop.run(&["key", "revoke", &listed[0][0]]);
    let revoked = Instant::now();
    while shop.get(&old).status != 401 {
        assert!(revoked.elapsed() < Duration::from_secs(20), "still works");
    }
    assert_eq!(shop.get(&new).status, 200);
    let listed = shop.listed("tablet");
    assert!(listed[0][4].starts_with("revoked 20"), "{listed:?}");
    assert_eq!(listed[1][4], "revoked -");
}

/// If limits cannot be used, no key is created.
pub fn invalid_limits_of_keys_are_rejected(shop: &Shop<'_>) {
    let folder = shop.service.folder.path();
    for (flags, code, text) in [
        (["--expires", "soon"], 2, "90d"),
        (["--expires", "0d"], 2, "90d"),
        (["--expires", "2020-01-31"], 1, "in the past"),
        (["--rate", "0"], 2, "`off`"),
        (["--rate", "10/s"], 2, "`off`"),
        (["--scope", "write"], 2, "`read,write`"),
        (["--scope", "admin"], 2, "`read,write`"),
    ] {
        let arguments = [&["key", "create", "wrong"], &flags[..], shop.database].concat();
        let error = run_failing(folder, &arguments, code);
        assert!(error.contains(text), "{flags:?}: {error}");
    }
    assert_eq!(shop.listed("wrong").len(), 0);
}
