//! Tests of lookups in a document.

use super::*;

#[test]
fn the_path_of_a_server_follows_its_host_and_its_variables() {
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
