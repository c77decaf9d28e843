//! Rejects the parts of a document that describe requests and responses, but that
//! neither service nor client implements, so that none is dropped silently. Schemas,
//! parameters and bodies are checked where they are planned.

use super::Planner;
use openapi_dropshot_contract::{
    Problem,
    model::{Member, Method, Node, Operation, Server},
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
    /// Checks the parts of the document that no plan is made of.
    pub(super) fn check_unsupported(&mut self) {
        let document = self.document;
        for (path, item) in members(document.root.get("paths")) {
            // A caller may have taken operations out of the document.
            let operations: Vec<&Node> = members(Some(&item.value))
                .filter(|(name, _)| {
                    Method::from_key(name).is_some_and(|method| {
                        let here = |operation: &Operation| {
                            operation.path.value == *path && operation.method == method
                        };
                        document.operations.iter().any(here)
                    })
                })
                .map(|(_, operation)| &operation.value)
                .collect();
            if operations.is_empty() {
                continue;
            }
            self.reject_member(&item.value, SERVERS);
            self.check_reserved(elements(item.value.get("parameters")));
            for operation in operations {
                self.reject_member(operation, CALLBACKS);
                self.reject_member(operation, SERVERS);
                self.check_reserved(elements(operation.get("parameters")));
                for (_, response) in members(operation.get("responses")) {
                    self.reject_member(&response.value, LINKS);
                }
            }
        }
        if let Some(components) = document.root.get("components") {
            self.reject_member(components, CALLBACKS);
            self.reject_member(components, LINKS);
            self.check_reserved(values(components.get("parameters")));
            for response in values(components.get("responses")) {
                self.reject_member(response, LINKS);
            }
        }
        self.check_servers(&document.servers);
    }

    /// Rejects a member of an object, where it is there and holds something.
    fn reject_member(&mut self, node: &Node, (name, rule, help): Unsupported) {
        let member = node.as_object().and_then(|members| members.get(name));
        if let Some(member) = member.filter(|member| member.value.size() > 1) {
            self.problems.push(Problem::error(
                rule,
                &member.key_at,
                format!("`{name}` is not supported here: no generated code would implement it"),
                help,
            ));
        }
    }

    /// Reserved characters are always encoded by the client.
    fn check_reserved<'n>(&mut self, parameters: impl Iterator<Item = &'n Node>) {
        for reserved in parameters.filter_map(|parameter| parameter.get("allowReserved")) {
            if reserved.as_bool() == Some(true) {
                self.problems.push(Problem::error(
                    "unsupported-allow-reserved",
                    &reserved.at,
                    "`allowReserved: true` is not supported: the client encodes reserved characters",
                    "remove `allowReserved`",
                ));
            }
        }
    }

    /// A service has one base path.
    fn check_servers(&mut self, servers: &[Server]) {
        let Some((first, others)) = servers.split_first() else {
            return;
        };
        for server in others {
            let (path, expected) = (path_of(&server.url), path_of(&first.url));
            if path != expected {
                self.problems.push(
                    Problem::error(
                        "unsupported-servers",
                        &server.at,
                        format!("this server has the path `{path}`, another one `{expected}`: the service has one"),
                        "give all servers the same path, or write a document for each path",
                    )
                    .with_related(&first.at, "the other one"),
                );
            }
        }
    }
}

/// The path of the address of a server: what follows its host and its last
/// variable.
pub(crate) fn path_of(url: &str) -> &str {
    let fixed = url.rsplit_once('}').map_or(url, |(_, rest)| rest);
    let place = fixed.split_once("://").map_or(fixed, |(_, rest)| rest);
    let path = place.find('/').map_or("", |start| &place[start..]);
    path.trim_end_matches('/')
}

fn members(node: Option<&Node>) -> impl Iterator<Item = (&String, &Member)> {
    node.and_then(Node::as_object).into_iter().flatten()
}

fn values(node: Option<&Node>) -> impl Iterator<Item = &Node> {
    members(node).map(|(_, member)| &member.value)
}

fn elements(node: Option<&Node>) -> impl Iterator<Item = &Node> {
    node.and_then(Node::as_array).into_iter().flatten()
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
