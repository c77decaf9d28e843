//! Rejects the parts of a document that describe requests and responses, but that
//! neither service nor client implements, so that none is dropped silently. Schemas,
//! parameters and bodies are checked where they are planned.

use super::Planner;
use openapi_dropshot_contract::{
    Problem,
    model::{Location, Node},
};

/// A member that is rejected: its name, the rule, and what to do instead.
type Unsupported = (&'static str, &'static str, &'static str);

const CALLBACKS: Unsupported = (
    "callbacks",
    "unsupported-callbacks",
    "remove `callbacks`, and describe in words which requests the service sends",
);
const LINKS: Unsupported = (
    "links",
    "unsupported-links",
    "remove `links`, and name the operation in the description of the response",
);
const SERVERS: Unsupported = (
    "servers",
    "unsupported-servers",
    "write `servers` once, at the root of the document",
);

impl Planner<'_> {
    /// Checks the parts of the document that are not planned.
    pub(super) fn check_unsupported(&mut self) {
        let document = self.document;
        let node = |at: &Location| document.root.pointer(&at.pointer);
        let paths = document.root.get("paths");
        for operation in &document.operations {
            let path = &operation.path.value;
            self.reject_member(paths.and_then(|paths| paths.get(path)), SERVERS);
            self.reject_member(node(&operation.at), CALLBACKS);
            self.reject_member(node(&operation.at), SERVERS);
        }
        let components = document.root.get("components");
        self.reject_member(components, CALLBACKS);
        self.reject_member(components, LINKS);
        let operations = || document.operations.iter();
        let responses = operations().flat_map(|operation| &operation.responses);
        for response in responses.chain(document.responses.values()) {
            self.reject_member(node(&response.at), LINKS);
        }
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

    /// Rejects a member of an object, if the object has it and it is not empty.
    fn reject_member(&mut self, node: Option<&Node>, (name, rule, help): Unsupported) {
        let members = node.and_then(Node::as_object);
        if let Some(member) = members.and_then(|members| members.get(name))
            && member.value.size() > 1
        {
            let message =
                format!("`{name}` is not supported here: no generated code would implement it");
            self.reject(rule, &member.key_at, message, help);
        }
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
