//! Tests the router with combinations of paths that dropshot's own router does not allow.
#![cfg(feature = "dropshot")]

use dropshot::{
    ApiDescription, ApiEndpoint, ApiEndpointVersions, CONTENT_TYPE_JSON, HttpError, HttpResponseOk,
    Path, RequestContext,
};
use http::Method;
use openapi_dropshot_types::{Operation, Router, Security, Stability};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Id {
    #[expect(dead_code, reason = "declares the variable")]
    id: String,
}

async fn one(_: RequestContext<()>, _: Path<Id>) -> Result<HttpResponseOk<()>, HttpError> {
    Ok(HttpResponseOk(()))
}

async fn handler(_: RequestContext<()>) -> Result<HttpResponseOk<()>, HttpError> {
    Ok(HttpResponseOk(()))
}

const fn operation(index: usize, name: &'static str, path: &'static str) -> Operation {
    Operation {
        index,
        name,
        method: "GET",
        path,
        stability: Stability::Stable,
        security: Security::NONE,
        request_body: None,
        success: 200,
        errors: &[],
        deprecation: None,
    }
}

static OPERATIONS: [Operation; 8] = [
    operation(0, "root", "/"),
    operation(1, "all", "/tool/all"),
    operation(2, "photos", "/tool/photos/list"),
    operation(3, "store", "/store"),
    operation(4, "one", "/tool/{id}"),
    operation(5, "xml", "/tool/{id}.xml"),
    operation(6, "folder", "/store/"),
    Operation {
        method: "POST",
        ..operation(7, "link", "/{kind}/link")
    },
];

fn router() -> Router {
    let mut api = ApiDescription::new();
    for operation in &OPERATIONS {
        let has_variable = operation.path.contains('{');
        let (name, number) = (operation.name.to_owned(), operation.index);
        let method = operation.method.parse::<Method>().expect("a method");
        let (json, all) = (CONTENT_TYPE_JSON, ApiEndpointVersions::All);
        let endpoint = match has_variable {
            true => ApiEndpoint::new(name, one, method, json, &format!("/{number}/{{id}}"), all),
            false => ApiEndpoint::new(name, handler, method, json, &format!("/{number}"), all),
        };
        api.register(endpoint).expect("the paths differ");
    }
    Router::new(api, &OPERATIONS)
}

#[test]
fn operations_are_found_by_the_paths_of_the_document() {
    let router = router();
    for (path, expected) in [
        ("/", "root"),
        ("/tool/all", "all"),
        ("/tool/%61ll", "all"),
        ("/tool/photos/list", "photos"),
        ("/store", "store"),
        ("/tool/one", "one"),
        ("/tool/a%2Fll", "one"),
        ("/tool/one.xml", "xml"),
        ("/store/", "folder"),
        ("/tool/link", "one"),
        ("/tool/{id}", "one"),
        ("/tool/photos", "one"),
        ("/tool/..a", "one"),
    ] {
        let (operation, endpoint) = router.find(&Method::GET, path).expect(path);
        assert_eq!(
            (operation.name, &*endpoint.operation_id),
            (expected, expected)
        );
    }
    for (method, path, expected) in [
        (Method::GET, "/tool/one/more", 404),
        (Method::GET, "/1/tool/all", 404),
        (Method::GET, "/tool//one", 404),
        (Method::GET, "//tool/one", 404),
        (Method::GET, "/tool/one/", 404),
        (Method::GET, "/tool/%FF", 400),
        (Method::GET, "/tool/%2E%2e", 400),
        (Method::GET, "/tool/..", 400),
        (Method::GET, "/tool/./all", 400),
        (Method::POST, "/tool/all", 405),
    ] {
        let error = router.find(&method, path).map(|(found, _)| found.name);
        let status = error.expect_err(path).status_code.as_u16();
        assert_eq!(status, expected, "{method} {path}");
    }
    let link = router.find(&Method::POST, "/tool/link");
    assert_eq!(link.map(|(found, _)| found.name).ok(), Some("link"));
}
