//! Tests the documentation page over HTTP. `.ci/docs-page` tests it in a browser.

use crate::{
    process::Service,
    raw::{RawResponse, Request},
};
use flate2::read::GzDecoder;
use std::io::Read as _;

/// The Content-Security-Policy of the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

#[test]
fn the_page_and_its_scripts_are_served_without_a_key() {
    let service = Service::start();
    let page = service.send(&Request::get("/docs"));
    assert_eq!(page.status, 200, "{page:?}");
    assert_eq!(
        page.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    assert_eq!(page.header("content-security-policy"), Some(POLICY));
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    let html = String::from_utf8(page.body).expect("text");
    let scripts: Vec<&str> = html
        .split("<script src=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    assert_eq!(scripts, ["/docs/scalar.js", "/docs/init.js"]);
    for script in scripts {
        let response = service.send(&Request::get(script));
        assert_eq!(response.status, 200, "{script}");
        assert_eq!(
            response.header("content-type"),
            Some("text/javascript; charset=utf-8")
        );
        assert_eq!(response.header("content-encoding"), None, "not asked for");
        assert!(!response.body.is_empty());
    }
}

#[test]
fn the_root_and_the_base_path_redirect_to_the_page() {
    let service = Service::start();
    for path in ["/", "/v1"] {
        for method in ["GET", "HEAD"] {
            let response = service.send(&Request::new(method, path));
            assert_eq!(response.status, 302, "{method} {path}: {response:?}");
            assert_eq!(response.header("location"), Some("/docs"));
            assert!(response.body.is_empty());
        }
        let response = service.send(&Request::post(path, "{}"));
        response.assert_error(404, "not_found");
    }
    for path in ["/v1/", "/index.html", "//"] {
        let response = service.send(&Request::get(path));
        response.assert_error(404, "not_found");
    }
}

#[test]
fn the_page_shows_which_build_serves_it() {
    let service = Service::start();
    let script = service.send(&Request::get("/docs/init.js"));
    let script = String::from_utf8(script.body).expect("text");
    let build = format!(
        "Served by petstore-server {}.",
        petstore_server::INFO.version
    );
    assert!(script.contains(&build), "{script}");
}

#[test]
fn the_script_of_the_viewer_is_compressed_for_clients_that_accept_gzip() {
    let service = Service::start();
    let whole = service.send(&Request::get("/docs/scalar.js"));
    let request = Request::get("/docs/scalar.js").header("Accept-Encoding", "gzip");
    let packed = service.send(&request);
    assert_eq!(packed.header("content-encoding"), Some("gzip"));
    assert!(packed.body.starts_with(&[0x1f, 0x8b]), "gzip");
    assert!(packed.body.len() * 3 < whole.body.len());
    for response in [whole, packed] {
        let vary = response.headers("vary").join(",").to_lowercase();
        assert!(vary.contains("accept-encoding"), "{vary}");
    }
}

#[test]
fn the_documentation_page_accepts_only_get_and_head() {
    let service = Service::start();
    for path in ["/docs", "/docs/init.js", "/docs/scalar.js"] {
        let response = service.send(&Request::new("DELETE", path));
        response.assert_error(405, "method_not_allowed");
        assert_eq!(response.header("allow"), Some("GET, HEAD"));
    }
    for path in ["/docs/", "/docs/page.html", "/v1/docs", "/docs/../docs/x"] {
        let status = service.send(&Request::get(path)).status;
        assert!([400, 404].contains(&status), "{path}: {status}");
    }
}

/// All pages that need no key.
const PAGES: [&str; 5] = [
    "/docs",
    "/docs/init.js",
    "/docs/scalar.js",
    "/v1/openapi.yaml",
    "/v1/openapi.json",
];

/// Returns the value of a header, which must occur exactly once.
fn only<'a>(response: &'a RawResponse, name: &str) -> &'a str {
    match *response.headers(name) {
        [value] => value,
        ref values => panic!("{name}: {values:?}"),
    }
}

#[test]
fn each_representation_of_a_page_has_its_own_validator() {
    let service = Service::start();
    for path in PAGES {
        let get = |coding| service.send(&Request::get(path).header("Accept-Encoding", coding));
        let (plain, packed) = (get("identity"), get("gzip"));
        assert_eq!((plain.status, packed.status), (200, 200), "{path}");
        assert_eq!(plain.header("content-encoding"), None, "{path}");
        assert_eq!(only(&packed, "content-encoding"), "gzip", "{path}");
        let mut unpacked = Vec::new();
        let mut gzip = GzDecoder::new(&*packed.body);
        gzip.read_to_end(&mut unpacked).expect("gzip, once");
        assert!(unpacked == plain.body, "{path}");
        assert_ne!(only(&plain, "etag"), only(&packed, "etag"), "{path}");
        for response in [&plain, &packed] {
            assert!(only(response, "etag").starts_with('"'), "strong: {path}");
            assert_eq!(only(response, "vary"), "Accept-Encoding", "{path}");
            let length = response.body.len().to_string();
            assert_eq!(only(response, "content-length"), length, "{path}");
            let fresh = match path {
                "/docs/scalar.js" => "public, max-age=86400",
                _ => "no-cache",
            };
            assert_eq!(only(response, "cache-control"), fresh, "{path}");
        }
        assert_eq!(only(&get("gzip"), "etag"), only(&packed, "etag"), "{path}");
    }
}

#[test]
fn a_client_with_the_validator_of_a_page_gets_304_without_a_body() {
    let service = Service::start();
    for path in PAGES {
        for (coding, other) in [("identity", "gzip"), ("gzip", "identity")] {
            let ask = |method, etag: &str| {
                let request = Request::new(method, path).header("Accept-Encoding", coding);
                service.send(&request.header("If-None-Match", etag))
            };
            let page = ask("GET", "\"other\"");
            assert_eq!(page.status, 200, "{path}");
            let etag = only(&page, "etag");
            for known in [etag, &format!("W/{etag}"), &format!("\"x\", {etag}"), "*"] {
                let current = ask("GET", known);
                assert_eq!(current.status, 304, "{path} {known}");
                assert!(current.body.is_empty(), "{path}");
                for header in ["etag", "cache-control", "vary"] {
                    assert_eq!(only(&current, header), only(&page, header), "{path}");
                }
                assert_eq!(current.header("content-encoding"), None, "{path}");
            }
            // The client has a different representation.
            let request = Request::get(path).header("Accept-Encoding", other);
            let response = service.send(&request.header("If-None-Match", etag));
            assert_eq!(response.status, 200, "{path}");
        }
    }
}
