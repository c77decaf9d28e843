//! Tests of lookups in a document.

use super::*;

#[test]
fn the_path_of_a_server_url_begins_after_the_host_or_a_variable_for_the_host() {
    for (url, path) in [
        ("https://a.example/v1", "/v1"),
        ("https://a.example/v1/", "/v1"),
        ("https://a.example", ""),
        ("{base_url}/v1", "/v1"),
        ("https://{region}.a.example:{port}/v1", "/v1"),
        ("{scheme}://a.example/v1", "/v1"),
        ("/v1", "/v1"),
    ] {
        let server = Server {
            at: Location::default(),
            url: url.to_owned(),
            description: None,
        };
        assert_eq!(server.path(), path, "{url}");
    }
}
