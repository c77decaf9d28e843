//! Rejects the parts of a document that describe requests and responses, but that
//! neither service nor client implements, so that none is dropped silently. Schemas,
//! parameters and bodies are checked where they are planned.

use super::Planner;
use openapi_dropshot_contract::{Problem, model::Location};

impl Planner<'_> {
    /// Checks the parts of the document that are not planned.
    pub(super) fn check_unsupported(&mut self) {
        let document = self.document;
        let node = |at: &Location| document.root.pointer(&at.pointer);
        let operations = || document.operations.iter();
        let parameters = operations().flat_map(|operation| &operation.parameters);
        for parameter in parameters.chain(document.parameters.values()) {
            let reserved = node(&parameter.at).and_then(|node| node.get("allowReserved"));
            if let Some(reserved) = reserved.filter(|value| value.as_bool() == Some(true)) {
                let message = "`allowReserved: true` is not supported: the client encodes reserved characters";
                let help = "remove `allowReserved`";
                self.reject("unsupported-allow-reserved", &reserved.at, message, help);
            }
        }
        self.check_servers();
    }

    /// Checks that the servers have the same path, because a service has one base path.
    fn check_servers(&mut self) {
        let Some((first, others)) = self.document.servers.split_first() else {
            return;
        };
        let expected = path_of(&first.url);
        for server in others {
            let path = path_of(&server.url);
            if path != expected {
                let message = format!(
                    "this server has the path `{path}`, another one `{expected}`: the service has one"
                );
                let help = "give all servers the same path, or write a document for each path";
                let problem = Problem::error("unsupported-servers", &server.at, message, help);
                self.problems
                    .push(problem.with_related(&first.at, "the other one"));
            }
        }
    }
}

/// Returns the path of the address of a server: the part after its host and its last
/// variable.
pub(crate) fn path_of(url: &str) -> &str {
    let fixed = url.rsplit_once('}').map_or(url, |(_, rest)| rest);
    let place = fixed.split_once("://").map_or(fixed, |(_, rest)| rest);
    let path = place.find('/').map_or("", |start| &place[start..]);
    path.trim_end_matches('/')
}

#[cfg(test)]
mod tests {
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
            assert_eq!(path_of(url), path, "{url}");
        }
    }
}
