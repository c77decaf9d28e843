//! Tests which heads of requests are accepted.

use super::*;
use http::Request;

fn is_accepted(version: Version, headers: &[(&str, &str)]) -> bool {
    let mut request = Request::get("/").version(version);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let (head, ()) = request.body(()).expect("a request").into_parts();
    check(&head).is_ok()
}

#[test]
fn an_http_1_1_request_must_have_one_valid_host() {
    for (version, hosts, accepted) in [
        (Version::HTTP_11, &["localhost:8080"][..], true),
        (Version::HTTP_11, &["[::1]:8080"], true),
        (Version::HTTP_11, &[""], true),
        (Version::HTTP_11, &[], false),
        (Version::HTTP_11, &["a", "a"], false),
        (Version::HTTP_11, &["a b"], false),
        (Version::HTTP_11, &["a:"], true),
        (Version::HTTP_11, &["a.b-c:80"], true),
        (Version::HTTP_11, &["a:80:80"], false),
        (Version::HTTP_11, &[":80"], false),
        (Version::HTTP_11, &["a:port"], false),
        (Version::HTTP_11, &["a,b"], false),
        (Version::HTTP_11, &["user@a"], false),
        (Version::HTTP_11, &["a/b"], false),
        (Version::HTTP_10, &[], true),
        (Version::HTTP_10, &["a", "b"], false),
        (Version::HTTP_2, &[], true),
    ] {
        let hosts: Vec<_> = hosts.iter().map(|host| ("host", *host)).collect();
        assert_eq!(
            is_accepted(version, &hosts),
            accepted,
            "{version:?} {hosts:?}"
        );
    }
}

#[test]
fn a_target_must_not_contain_a_user_and_must_match_the_host_header() {
    for (version, target, host, accepted) in [
        (Version::HTTP_11, "http://a/", "a", true),
        (Version::HTTP_11, "http://user@a/", "a", false),
        (Version::HTTP_11, "http://user:secret@a/", "user@a", false),
        (Version::HTTP_11, "http://a/", "b", true),
        (Version::HTTP_2, "http://user@a/", "a", false),
        (Version::HTTP_2, "http://a/", "b", false),
        (Version::HTTP_2, "http://a/", "a", true),
        (Version::HTTP_2, "http://A/", "a:80", true),
        (Version::HTTP_2, "https://a:443/", "a", true),
        (Version::HTTP_2, "https://a:443/", "a:80", false),
        (Version::HTTP_2, "http://[::1]:8080/", "[::1]:8080", true),
        (Version::HTTP_2, "http://a/", "", false),
    ] {
        let request = Request::get(target).version(version).header("host", host);
        let (head, ()) = request.body(()).expect("a request").into_parts();
        assert_eq!(
            check(&head).is_ok(),
            accepted,
            "{version:?} {target} {host}"
        );
    }
}

#[test]
fn unknown_transfer_codings_and_expectations_are_rejected() {
    for (name, value, accepted) in [
        ("transfer-encoding", "chunked", true),
        ("transfer-encoding", "Chunked", true),
        ("transfer-encoding", "gzip, chunked", false),
        ("expect", "100-continue", true),
        ("expect", "100-Continue", true),
        ("expect", "200-maybe", false),
    ] {
        let headers = [("host", "a"), (name, value)];
        assert_eq!(
            is_accepted(Version::HTTP_11, &headers),
            accepted,
            "{name}: {value}"
        );
    }
}
