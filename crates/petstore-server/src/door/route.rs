//! Which operation a request asks for: 404 where the path is not of the API,
//! 405 with `Allow` where it has no such method. How paths are matched is left
//! to dropshot's router, which was made from the contract.

use super::answer::Rejection;
use crate::service::Service;
use dropshot::{ApiDescriptionBuildErrors, RequestEndpointMetadata};
use http::{HeaderValue, Method, StatusCode, header::ALLOW};
use petstore_api::{ErrorCode, OPERATIONS, Operation, Refusal, Router};
use std::borrow::Cow;

/// Where the API begins, the path of both `servers` of the contract.
pub(super) const BASE: &str = "/v1";

/// The operations, by method and path.
pub(crate) struct Routes(Router);

impl Routes {
    /// The routes of the contract.
    ///
    /// # Errors
    ///
    /// Two operations of the contract exclude each other in dropshot's router.
    pub(crate) fn new() -> Result<Self, ApiDescriptionBuildErrors> {
        Router::new::<Service>().map(Routes)
    }

    /// The operation, and what its extractors need to know of the path.
    pub(super) fn find(
        &self,
        method: &Method,
        path: &str,
    ) -> Result<(&'static Operation, RequestEndpointMetadata), Rejection> {
        let path = relative(path).ok_or_else(not_found)?;
        match self.0.find(method, path) {
            Ok((id, endpoint)) => Ok((id.operation(), endpoint)),
            Err(error) => Err(match error.status_code.as_status() {
                StatusCode::NOT_FOUND => not_found(),
                StatusCode::METHOD_NOT_ALLOWED => not_allowed(method, self.allowed(path)),
                StatusCode::BAD_REQUEST => {
                    Refusal::new(ErrorCode::InvalidRequest, error.external_message).into()
                }
                _ => Refusal::internal(error.internal_message).into(),
            }),
        }
    }

    /// The methods that a path has, in the order of the contract.
    fn allowed(&self, path: &str) -> Vec<&'static str> {
        let mut methods = Vec::new();
        for Operation { method, .. } in OPERATIONS {
            let known = Method::from_bytes(method.as_bytes());
            let found = known.is_ok_and(|known| self.0.find(&known, path).is_ok());
            if found && !methods.contains(method) {
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
        Routes::new().expect("the contract can be served")
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
                (found.id, endpoint.operation_id.as_str()),
                (operation.id, operation.name)
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
}
