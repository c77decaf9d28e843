//! Tests invalid input, with one test for each kind: the response has the right 4xx status and the
//! form of `Error`, its message names the problem, and the store is unchanged.

use crate::{
    process::Service,
    raw::{Connection, Request},
};
use serde_json::Value;

const PET: &str = r#"{"name":"Rex","categoryId":7}"#;

/// A service with one pet, and one connection, which must stay usable after every request.
struct Probe {
    service: Service,
    connection: Connection,
    before: Vec<Value>,
}

impl Probe {
    fn new() -> Self {
        let service = Service::start();
        service.add("Tom", Some("sold"));
        Probe {
            connection: service.connect(),
            before: service.pets(),
            service,
        }
    }

    /// Sends the request, and returns the message of the rejection.
    #[track_caller]
    fn rejected(&mut self, request: Request, status: u16, code: &str) -> String {
        self.connection
            .write(request.key(&self.service.key).bytes());
        let message = self.connection.response().assert_error(status, code);
        self.connection
            .write(Request::get("/v1/pets").key(&self.service.key).bytes());
        let after = self.connection.response();
        assert_eq!(
            after.json().as_array(),
            Some(&self.before),
            "the store changed"
        );
        message
    }

    #[track_caller]
    fn body_rejected(&mut self, body: impl Into<Vec<u8>>, named: &str) {
        let message = self.rejected(Request::post("/v1/pets", body), 400, "invalid_request");
        assert!(message.contains(named), "{named}: {message}");
    }

    #[track_caller]
    fn query_rejected(&mut self, query: &str, named: &str) {
        let request = Request::get(&format!("/v1/pets?{query}"));
        let message = self.rejected(request, 400, "invalid_request");
        assert!(message.contains(named), "{named}: {message}");
    }
}

#[test]
fn a_malformed_body_is_rejected_with_400() {
    let mut probe = Probe::new();
    probe.body_rejected("", "missing");
    probe.body_rejected("{", "not valid JSON");
    probe.body_rejected(r#"{"name":"Rex","categoryId":7,}"#, "column 30");
    probe.body_rejected(format!("{PET}{PET}"), "trailing");
    probe.body_rejected(r#"{"name":"\ud800","categoryId":7}"#, "column");
    probe.body_rejected("name=Rex", "not valid JSON");
}

#[test]
fn a_member_of_a_wrong_type_is_rejected_with_400() {
    let mut probe = Probe::new();
    probe.body_rejected(r#"{"name":1,"categoryId":7}"#, "name");
    probe.body_rejected(r#"{"name":null,"categoryId":7}"#, "name");
    for number in [
        "\"7\"",
        "7.0",
        "7e0",
        "-0.0",
        "null",
        "true",
        "[7]",
        "9223372036854775808",
        "1e30",
    ] {
        probe.body_rejected(
            format!(r#"{{"name":"Rex","categoryId":{number}}}"#),
            "expected an integer (int64)",
        );
    }
    probe.body_rejected(r#"{"name":"Rex","categoryId":1e400}"#, "categoryId");
    probe.body_rejected(r#"{"name":"Rex","categoryId":7,"status":null}"#, "status");
    for body in ["null", "[]", r#"["Rex",7]"#, "\"Rex\"", "7"] {
        probe.body_rejected(body, "expected an object");
    }
}

#[test]
fn an_unknown_member_may_have_any_json_value() {
    let probe = Probe::new();
    for value in ["1e400", "-1e-999999999999", "[1.0,{\"a\":-1E+400}]", "null"] {
        let body = format!(r#"{{"name":"Rex","categoryId":7,"later":{value}}}"#);
        let response = probe.service.post(&*body);
        assert_eq!(response.status, 201, "{value}: {response:?}");
    }
}

#[test]
fn a_missing_member_is_rejected_with_400() {
    let mut probe = Probe::new();
    probe.body_rejected(r#"{"name":"Rex"}"#, "missing field `categoryId`");
    probe.body_rejected(r#"{"categoryId":7}"#, "missing field `name`");
    probe.body_rejected("{}", "missing field");
    probe.body_rejected(
        r#"{"name":"Rex","categoryid":7}"#,
        "missing field `categoryId`",
    );
}

#[test]
fn an_unknown_enum_value_is_rejected_with_400() {
    let mut probe = Probe::new();
    for status in ["gone", "Available", "", "available "] {
        probe.body_rejected(
            format!(r#"{{"name":"Rex","categoryId":7,"status":"{status}"}}"#),
            "status",
        );
    }
    probe.query_rejected("status=gone", "`status`");
    probe.query_rejected("status=", "`status`");
}

#[test]
fn a_member_that_occurs_twice_is_rejected_with_400() {
    let mut probe = Probe::new();
    probe.body_rejected(r#"{"name":"Rex","categoryId":7,"name":"Tom"}"#, "`name`");
    probe.body_rejected(
        r#"{"name":"Rex","categoryId":7,"x":{"colour":1,"colo\u0075r":1}}"#,
        "`colour`",
    );
}

#[test]
fn deeply_nested_json_is_rejected_with_400() {
    let mut probe = Probe::new();
    for depth in [64, 30_000] {
        let nested = format!(
            r#"{{"name":"Rex","categoryId":7,"x":{}{}}}"#,
            "[".repeat(depth),
            "]".repeat(depth)
        );
        probe.body_rejected(nested, "64 levels");
    }
}

#[test]
fn a_body_that_is_not_utf_8_is_rejected_with_400() {
    let mut probe = Probe::new();
    probe.body_rejected(
        b"{\"name\":\"R\xffx\",\"categoryId\":7}",
        "UTF-8 from byte 10",
    );
    probe.body_rejected(
        "{\"name\":\"Rex\"}"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<u8>>(),
        "JSON",
    );
}

#[test]
fn a_body_of_ten_megabytes_is_rejected_with_413() {
    let probe = Probe::new();
    let pet = format!(r#"{{"name":"{}","categoryId":7}}"#, "x".repeat(10_000_000));
    // The client reads the response only after it has sent everything.
    let mut connection = probe.service.connect();
    connection.write(
        Request::post("/v1/pets", pet)
            .key(&probe.service.key)
            .bytes(),
    );
    let response = connection.response();
    let message = response.assert_error(413, "payload_too_large");
    assert!(message.contains("larger than 65536 bytes"), "{message}");
    assert!(connection.is_closed());
    assert_eq!(probe.service.pets(), probe.before);
}

#[test]
fn a_missing_or_wrong_content_type_is_rejected_with_415() {
    let mut probe = Probe::new();
    let post = || Request::new("POST", "/v1/pets");
    let message = probe.rejected(post().body(PET), 415, "unsupported_media_type");
    assert!(message.contains("no `Content-Type`"), "{message}");
    let wrong = post().header("Content-Type", "text/plain").body(PET);
    let message = probe.rejected(wrong, 415, "unsupported_media_type");
    assert!(message.contains("`text/plain`"), "{message}");
}

#[test]
fn an_invalid_cursor_is_rejected_with_400() {
    let mut probe = Probe::new();
    // `MTphOjI` is the position after pet 2 among the available ones.
    for query in [
        "cursor=x",
        "cursor=",
        "cursor=MTphOjI",
        "cursor=MTphOjI&status=sold",
        "cursor=MTphOjI%3D&status=available",
        "cursor=MTphOjJ&status=available",
    ] {
        probe.query_rejected(query, "`cursor`");
    }
    probe.query_rejected(&format!("cursor={}", "x".repeat(201)), "`cursor`");
}

#[test]
fn a_repeated_parameter_is_rejected_with_400() {
    let mut probe = Probe::new();
    probe.query_rejected("limit=1&limit=1", "`limit`");
    probe.query_rejected("status=sold&limit=1&status=sold", "`status`");
    probe.query_rejected("cursor=MTphOjI&cursor=MTphOjI", "`cursor`");
}

#[test]
fn parameters_that_are_not_integers_are_rejected_with_400() {
    let mut probe = Probe::new();
    for number in [
        "0",
        "101",
        "-1",
        "abc",
        "",
        "1.0",
        "+5",
        "%2B5",
        "007",
        "%205",
        "5%20",
        "0x5",
        "9223372036854775808",
        "%EF%BC%95",
        "%ff",
    ] {
        probe.query_rejected(&format!("limit={number}"), "`limit`");
    }
    for number in [
        "abc",
        "1.0",
        "+1",
        "01",
        "%201",
        "-00",
        "1%2F2",
        "9223372036854775808",
        "%00",
    ] {
        let request = Request::get(&format!("/v1/pets/{number}"));
        let message = probe.rejected(request, 400, "invalid_request");
        assert!(message.contains("`petId`"), "{message}");
    }
}

#[test]
fn minus_zero_is_read_as_zero_everywhere() {
    let service = Service::start();
    let created = service.post(r#"{"name":"-0","categoryId":-0}"#);
    assert_eq!(created.status, 201, "{created:?}");
    assert_eq!(created.json()["categoryId"], 0);
    assert_eq!(created.json()["name"], "-0");
    let missing = service.get("/v1/pets/-0");
    missing.assert_error(404, "not_found");
    let orders = service.get("/v1/store/orders?petId=-0");
    assert_eq!(orders.json(), serde_json::json!([]));
    let limit = service.get("/v1/pets?limit=-0");
    let message = limit.assert_error(400, "invalid_request");
    assert!(message.contains("from 1 to 100, found `-0`"), "{message}");
}

#[test]
fn a_wrong_path_gets_404_and_a_wrong_method_405() {
    let mut probe = Probe::new();
    probe.rejected(Request::get("/v1/pet"), 404, "not_found");
    probe.rejected(Request::post("/v1/pets/1", PET), 405, "method_not_allowed");
    probe.rejected(
        Request::new("TRACE", "/v1/pets/1"),
        405,
        "method_not_allowed",
    );
    probe.rejected(
        Request::new("PUT", "/v1/pets").body(PET),
        405,
        "method_not_allowed",
    );
}

#[test]
fn a_path_that_cannot_be_decoded_is_rejected_with_400() {
    let mut probe = Probe::new();
    for target in ["/v1/pets/%ff", "/v1/pets/..", "/v1/pets/../pets"] {
        probe
            .connection
            .write(Request::get(target).key(&probe.service.key).bytes());
        assert_eq!(probe.connection.response().status, 400);
    }
    assert_eq!(probe.service.pets(), probe.before);
}

#[test]
fn a_body_with_invalid_framing_is_rejected_with_400() {
    let probe = Probe::new();
    let post = || {
        Request::new("POST", "/v1/pets")
            .key(&probe.service.key)
            .header("Content-Type", "application/json")
    };
    let mut connection = probe.service.connect();
    connection.write(post().header("Transfer-Encoding", "chunked").bytes());
    connection.write("no length\r\n");
    connection.response().assert_error(400, "invalid_request");
    assert!(connection.is_closed());
    // For two lengths, or for a length and chunks, hyper rejects the request before the pipeline.
    let mut connection = probe.service.connect();
    connection.write(
        post()
            .header("Content-Length", "1")
            .header("Content-Length", "2")
            .bytes(),
    );
    assert_eq!(connection.response().status, 400);
    assert!(connection.is_closed());
    assert_eq!(probe.service.pets(), probe.before);
}
