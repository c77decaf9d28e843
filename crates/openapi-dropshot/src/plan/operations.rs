//! Plans the operations: their names, parameters, bodies, responses, websockets and removal.

use super::{
    Planner,
    bodies::Body,
    errors::{Catalogue, Errors},
    parameters::Fields,
    paths::Routes,
    responses::Success,
    security::Security,
};
use crate::{
    lifecycle::relative_reference,
    names::{Names, pascal, snake},
    rules,
};
use openapi_dropshot_contract::model::{Header, Method, Operation, ParameterIn};

/// An operation with everything that is generated for it.
pub(crate) struct OperationPlan<'a> {
    pub(crate) operation: &'a Operation,
    /// Its id, or a name built from its method and path.
    pub(crate) id: String,
    /// The path with which the operation is registered in dropshot.
    pub(crate) route: String,
    /// The name of its method in the trait.
    pub(crate) function: String,
    /// The name of its variant in `OperationId`. The names of its types begin with this name.
    pub(crate) type_name: String,
    /// The parameters in each location that has some, in the order in which the handler gets them.
    pub(crate) parameters: Vec<(ParameterIn, Fields)>,
    pub(crate) body: Option<Body>,
    /// Whether the body may be absent.
    pub(crate) optional_body: bool,
    /// Whether the handler gets the body as it arrives.
    pub(crate) streamed_body: bool,
    pub(crate) websocket: bool,
    pub(crate) success: Success<'a>,
    pub(crate) errors: Errors<'a>,
    pub(crate) security: Security,
    /// The relative reference to the replacement of a deprecated operation.
    pub(crate) successor: Option<String>,
}

/// Names that the generated API itself uses. `Http` and `HttpResponse` are the beginnings of names of dropshot's types.
const TAKEN: &str = "
    Contract Cookies Deprecation ErrorCode ErrorEntry ErrorMember FormParts Generated Http HttpResponse Operation
    OperationId OptionalBody PhantomData Rejection RequiredScheme Router SchemeKind Security
    SecurityScheme Stability
";

impl<'a> Planner<'a> {
    /// Plans all operations.
    pub(super) fn operations(
        &mut self,
        catalogue: Option<&Catalogue<'a>>,
    ) -> Vec<OperationPlan<'a>> {
        self.check_paths();
        let routes = Routes::of(self.document);
        let mut functions = Names::without(["dispatch"]);
        let mut types = Names::without(TAKEN.split_whitespace());
        let mut plans = Vec::new();
        let names = self.document.operation_names();
        for (operation, id) in self.document.operations.iter().zip(names) {
            if matches!(operation.method.as_str(), "TRACE" | "CONNECT") {
                let method = operation.method;
                let message = format!("{method} is not supported: it is meant for proxies");
                let help = "use another method";
                self.reject(&rules::UNSUPPORTED_METHOD, &operation.at, message, help);
            }
            for parameter in &operation.parameters {
                self.check_parameter(parameter);
            }
            let type_name = types.claim(&pascal(&id));
            let websocket = self.websocket(operation);
            let success = if websocket {
                let mut responses = operation.responses.iter();
                Success {
                    response: responses.find(|response| operation.is_opened_by(response)),
                    status: Some(101),
                    ..Success::default()
                }
            } else {
                self.success(operation, &type_name)
            };
            let errors = self.errors(operation, &type_name, catalogue);
            self.check_pages(operation, websocket);
            let body = operation.request_body.as_ref();
            let mut plan = OperationPlan {
                operation,
                route: routes.registered(operation),
                function: functions.claim(&snake(&id)),
                parameters: (ParameterIn::ALL.into_iter())
                    .filter_map(|place| self.parameters(operation, place, &type_name))
                    .collect(),
                body: self.request_body(operation, &type_name),
                optional_body: body.is_some_and(|body| !body.required),
                streamed_body: false,
                websocket,
                success,
                errors,
                security: self.security(operation),
                successor: self.successor(operation),
                type_name,
                id,
            };
            plan.streamed_body = self.is_streamed(operation, plan.body.as_ref());
            plans.push(plan);
        }
        plans
    }

    /// Returns the path of the replacement of a deprecated operation, relative to the request.
    fn successor(&mut self, operation: &'a Operation) -> Option<String> {
        let lifecycle = &operation.lifecycle;
        if !operation.deprecated {
            return None;
        }
        let id = &lifecycle.replacement.as_ref()?.operation;
        // The linter rejects a replacement that does not exist.
        let other = self.document.operation(&id.value)?;
        let reference = relative_reference(&operation.path.value, &other.path.value);
        if reference.is_none() {
            let (id_text, path) = (&id.value, &other.path.value);
            let message = format!(
                "the address of `{id_text}` cannot be derived from a request, because `{path}` has other variables"
            );
            let help = "name a replacement with variables at the same places of the path, or without variables";
            self.reject(&rules::UNSUPPORTED_REPLACEMENT, &id.at, message, help);
        }
        reference
    }

    /// Returns whether an operation opens a websocket. Dropshot serves websockets as channels. The protocol (RFC 6455)
    /// defines the request and the response, so the document must not describe them further.
    fn websocket(&mut self, operation: &'a Operation) -> bool {
        if !operation.opens_websocket() {
            return false;
        }
        if operation.method != Method::Get {
            let method = operation.method;
            let message = format!("a websocket is opened with GET, not with {method}");
            let (at, help) = (&operation.at, "use GET");
            self.reject(&rules::UNSUPPORTED_WEBSOCKET, at, message, help);
        }
        if let Some(body) = &operation.request_body {
            let message = "a request that opens a websocket has no body";
            let help = "remove it, or send it through the websocket";
            self.reject(&rules::UNSUPPORTED_WEBSOCKET, &body.at, message, help);
        }
        for response in &operation.responses {
            let (at, status) = (&response.status.at, response.status.value);
            let opens = operation.is_opened_by(response);
            if !opens && !status.may_be_error() {
                let message = format!("`{status}` is not the response that opens a websocket");
                self.reject(&rules::UNSUPPORTED_WEBSOCKET, at, message, "write `101`");
            }
            let own = ["connection", "sec-websocket-accept", "upgrade"];
            let is_own = |header: &Header| own.contains(&&*header.name.value.to_lowercase());
            if opens && !response.headers.iter().all(is_own) {
                let message = "dropshot sets the headers of the response that opens a websocket";
                let help = "remove `headers`";
                self.reject(&rules::UNSUPPORTED_WEBSOCKET, at, message, help);
            }
        }
        true
    }
}
