//! Which operation a request asks for: 404 where the path is not of the API,
//! 405 with `Allow` where it has no such method. How paths are matched is left
//! to dropshot's router, which was made from the contract.

use super::{answer::Rejection, public};
use crate::api::{ErrorCode, Generated, OPERATIONS, Operation, Refusal, Stability};
use crate::{server::StartError, service::Service};
use dropshot::RequestEndpointMetadata;
use http::{HeaderValue, Method, StatusCode, header::ALLOW};
use openapi_dropshot_types::{Contract as _, Router};
use std::{borrow::Cow, sync::LazyLock};

/// Where the API begins, the path of both `servers` of the contract.
pub(super) const BASE: &str = "/v1";

/// The template of each operation's path, in the order of [`OPERATIONS`].
static TEMPLATES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let templates = OPERATIONS
        .iter()
        .map(|operation| format!("{BASE}{}", operation.path));
    templates.collect()
});

/// The path of an operation as the document has it, from the root on.
pub(super) fn template(operation: &Operation) -> &'static str {
    TEMPLATES
        .get(operation.index)
        .map_or(operation.path, String::as_str)
}

/// The operations that are served, by method and path.
pub(crate) struct Routes {
    router: Router,
    served: Vec<Operation>,
}

impl Routes {
    /// The routes to those of the contract's operations that are of this
    /// stability at least. The others are as if they never were.
    ///
    /// # Errors
    ///
    /// Two operations of the contract exclude each other in dropshot's router,
    /// or one has the path of a page.
    pub(crate) fn new(operations: &[Operation], lowest: Stability) -> Result<Self, StartError> {
        if let Some((operation, page)) = public::in_the_way(operations) {
            let Operation { method, path, .. } = operation;
            return Err(StartError::Taken { method, path, page });
        }
        let is_served = |operation: &&Operation| operation.stability >= lowest;
        Ok(Routes {
            router: Generated::<Service>::router()?,
            served: operations.iter().filter(is_served).copied().collect(),
        })
    }

    /// The operations that are served, in the order of the contract.
    pub(crate) fn served(&self) -> &[Operation] {
        &self.served
    }

    /// The operation, and what its extractors need to know of the path.
    pub(super) fn find(
        &self,
        method: &Method,
        path: &str,
    ) -> Result<(&'static Operation, RequestEndpointMetadata), Rejection> {
        let path = relative(path).ok_or_else(not_found)?;
        match self.router.find(method, path) {
            Ok((operation, endpoint)) if self.serves(operation, method) => {
                Ok((operation, endpoint))
            }
            Ok(_) => Err(self.without(method, path)),
            Err(error) => Err(match error.status_code.as_status() {
                StatusCode::NOT_FOUND => not_found(),
                StatusCode::METHOD_NOT_ALLOWED => self.without(method, path),
                StatusCode::BAD_REQUEST => {
                    Refusal::new(ErrorCode::InvalidRequest, error.external_message).into()
                }
                _ => Refusal::internal(error.internal_message).into(),
            }),
        }
    }

    /// Whether an operation that the router found is one to answer: it is not
    /// hidden, and its method is written as it is. The router takes `get` for
    /// `GET`, but methods are case-sensitive (RFC 9110, section 9.1).
    fn serves(&self, operation: &Operation, method: &Method) -> bool {
        let mut served = self.served.iter();
        let found = served.find(|served| served.index == operation.index);
        found.is_some_and(|served| served.method == method.as_str())
    }

    /// What to say where a path does not have that method; a path of which
    /// nothing is served is none.
    fn without(&self, method: &Method, path: &str) -> Rejection {
        match self.allowed(path) {
            methods if methods.is_empty() => not_found(),
            methods => not_allowed(method, methods),
        }
    }

    /// The methods that a path has, in the order of the contract.
    fn allowed(&self, path: &str) -> Vec<&'static str> {
        let mut methods = Vec::new();
        for Operation { index, method, .. } in &self.served {
            let known = Method::from_bytes(method.as_bytes()).ok();
            let found = known.and_then(|known| self.router.find(&known, path).ok());
            if found.is_some_and(|(found, _)| found.index == *index) && !methods.contains(method) {
                methods.push(*method);
            }
        }
        methods
    }
}

/// The path below the base address. dropshot's router would also find
/// `//pets//5/`; but an address has one spelling, and from `/pets/5/` the
/// relative `Link` of an answer would lead astray.
fn relative(path: &str) -> Option<&str> {
    let path = path.strip_prefix(BASE)?;
    (path.starts_with('/') && !path.ends_with('/') && !path.contains("//")).then_some(path)
}

fn not_found() -> Rejection {
    let message = "there is no such path; `/v1/openapi.yaml` lists those that there are";
    Refusal::new(ErrorCode::NotFound, message).into()
}

/// 405 for a path that is there.
pub(super) fn not_allowed(method: &Method, allowed: Vec<&'static str>) -> Rejection {
    let allowed = allowed.join(", ");
    let method: Cow<'_, str> = match method.as_str() {
        long if long.len() > 20 => "this method".into(),
        short => format!("`{short}`").into(),
    };
    let message = format!("{method} is not possible on this path; use {allowed}");
    let rejection = Rejection::from(Refusal::new(ErrorCode::MethodNotAllowed, message));
    match HeaderValue::try_from(allowed) {
        Ok(allowed) => rejection.with(ALLOW, allowed),
        Err(_) => rejection,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routes() -> Routes {
        Routes::new(OPERATIONS, Stability::Experimental).expect("the contract can be served")
    }

    #[test]
    fn every_base_address_of_the_contract_ends_where_the_api_begins() {
        let document = crate::document::Document::of(OPERATIONS);
        let document: serde_json::Value = serde_json::from_slice(&document.json).expect("JSON");
        let servers = document["servers"].as_array().expect("servers");
        assert!(!servers.is_empty());
        for server in servers {
            let url = server["url"].as_str().expect("a text");
            // Behind the variable that stands for scheme, host and port.
            assert_eq!(
                url.split_once('}').map(|(_, path)| path),
                Some(BASE),
                "{url}"
            );
        }
    }

    fn refused(method: Method, path: &str) -> ErrorCode {
        routes()
            .find(&method, path)
            .map(|(found, _)| found.name)
            .expect_err(path)
            .refusal
            .code
    }

    #[test]
    fn every_operation_of_the_contract_is_found_by_its_path() {
        let routes = routes();
        for operation in OPERATIONS {
            let path = format!("{BASE}{}", operation.path.replace(['{', '}'], ""));
            let method = Method::from_bytes(operation.method.as_bytes()).expect("a method");
            let (found, endpoint) = routes.find(&method, &path).expect(operation.name);
            assert_eq!(
                (found.index, endpoint.operation_id.as_str()),
                (operation.index, operation.name)
            );
        }
    }

    #[test]
    fn an_address_has_one_spelling() {
        for path in [
            "",
            "/",
            "/v1",
            "/v1/",
            "/pets",
            "/v2/pets",
            "/v1pets",
            "/v1/pets/",
            "/v1//pets",
            "//v1/pets",
            "/v1/pets/1/",
            "/v1/pets/1/x",
        ] {
            assert_eq!(refused(Method::GET, path), ErrorCode::NotFound, "{path}");
        }
    }

    #[test]
    fn the_methods_that_a_path_has_are_listed() {
        let rejection = routes()
            .find(&Method::DELETE, "/v1/pets")
            .map(|_| ())
            .expect_err("not there");
        assert_eq!(rejection.refusal.code, ErrorCode::MethodNotAllowed);
        assert_eq!(rejection.into_answer("id").headers()[ALLOW], "GET, POST");
        assert_eq!(
            refused(Method::POST, "/v1/pets/1"),
            ErrorCode::MethodNotAllowed
        );
    }

    /// The contract, with other stabilities.
    fn with(stabilities: &[(&str, Stability)]) -> Vec<Operation> {
        let changed = |operation: &Operation| {
            let other = stabilities.iter().find(|(name, _)| *name == operation.name);
            Operation {
                stability: other.map_or(operation.stability, |(_, other)| *other),
                ..*operation
            }
        };
        OPERATIONS.iter().map(changed).collect()
    }

    #[test]
    fn an_operation_below_the_level_is_as_if_it_never_was() {
        let table = with(&[
            ("createPet", Stability::Beta),
            ("getPet", Stability::Experimental),
        ]);
        for (lowest, served, post, get) in [
            (Stability::Experimental, 7, None, None),
            (Stability::Beta, 6, None, Some(ErrorCode::NotFound)),
            (
                Stability::Stable,
                1,
                Some(ErrorCode::MethodNotAllowed),
                Some(ErrorCode::NotFound),
            ),
        ] {
            let routes = Routes::new(&table, lowest).expect("they can be served");
            assert_eq!(routes.served().len(), served);
            let refused = |method, path| {
                let found = routes.find(&method, path);
                found.err().map(|rejection| rejection.refusal.code)
            };
            assert_eq!(refused(Method::GET, "/v1/pets"), None);
            assert_eq!(refused(Method::POST, "/v1/pets"), post);
            assert_eq!(refused(Method::GET, "/v1/pets/1"), get);
            // Nor does another method tell that there is such a path.
            let other = get.unwrap_or(ErrorCode::MethodNotAllowed);
            assert_eq!(refused(Method::DELETE, "/v1/pets/1"), Some(other));
        }
    }

    #[test]
    fn allow_names_only_methods_that_are_served() {
        let table = with(&[("createPet", Stability::Beta)]);
        let routes = Routes::new(&table, Stability::Stable).expect("they can be served");
        let rejection = routes.find(&Method::POST, "/v1/pets").map(|_| ());
        let answer = rejection.expect_err("hidden").into_answer("id");
        assert_eq!(answer.headers()[ALLOW], "GET");
    }
}
