//! Tests the documentation page over HTTP. `.ci/docs-page` tests it in a
//! browser.

use crate::{process::Service, raw::Request};

/// The Content-Security-Policy of the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

#[test]
fn the_page_and_its_scripts_are_there_without_a_key() {
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
fn the_viewer_goes_as_gzip_to_those_who_take_it() {
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
fn the_page_is_only_read() {
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
