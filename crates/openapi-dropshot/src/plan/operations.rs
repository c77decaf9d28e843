//! Plans the operations: their names, parameters, bodies, responses and removal.

use super::{
    Planner,
    bodies::Body,
    errors::{Catalogue, Errors},
    parameters::Fields,
    responses::Success,
};
use crate::{
    lifecycle::relative_reference,
    names::{Names, pascal, snake},
};
use openapi_dropshot_contract::{
    Problem,
    model::{Location, MediaType, Method, Operation, ParameterIn, Schema},
};
use std::collections::BTreeMap;

/// An operation with everything that is generated for it.
pub(crate) struct OperationPlan<'a> {
    /// The operation in the document.
    pub(crate) operation: &'a Operation,
    /// `operationId`
    pub(crate) id: &'a str,
    /// The method of the trait.
    pub(crate) function: String,
    /// The variant, and the beginning of the names of its types.
    pub(crate) type_name: String,
    /// Parameters in the path.
    pub(crate) path: Option<Fields>,
    /// Parameters in the query.
    pub(crate) query: Option<Fields>,
    /// Parameters in headers.
    pub(crate) header: Option<Fields>,
    /// The body of the request.
    pub(crate) body: Option<Body>,
    /// Whether the body may be absent.
    pub(crate) optional_body: bool,
    /// Whether it opens a websocket.
    pub(crate) websocket: bool,
    /// The response that is not an error.
    pub(crate) success: Success<'a>,
    /// The responses that are errors.
    pub(crate) errors: Errors<'a>,
    /// The credential that it requires, if any.
    pub(crate) security: Option<String>,
    /// `Link` to the successor of a deprecated operation.
    pub(crate) successor: Option<String>,
}

/// Names that the generated API itself uses.
const TAKEN: &[&str] = &[
    "Contract",
    "Deprecation",
    "ErrorCode",
    "ErrorEntry",
    "ErrorMember",
    "Generated",
    "Operation",
    "OperationId",
    "OptionalBody",
    "PhantomData",
    "Rejection",
    "Router",
    "Stability",
];

impl<'a> Planner<'a> {
    /// Plans all operations.
    pub(super) fn operations(
        &mut self,
        catalogue: Option<&Catalogue<'a>>,
    ) -> Vec<OperationPlan<'a>> {
        let document = self.document;
        self.check_paths();
        let mut functions = Names::without(&["dispatch"]);
        let mut types = Names::without(TAKEN);
        let mut ids: BTreeMap<&str, &Location> = BTreeMap::new();
        let mut plans = Vec::new();
        for operation in &document.operations {
            let id = operation.id.as_ref().map_or("operation", |id| &id.value);
            match &operation.id {
                None => self.problems.push(Problem::error(
                    "missing-operation-id",
                    &operation.at,
                    format!(
                        "{} has no `operationId`, from which its name in Rust is made",
                        operation.label()
                    ),
                    "add one, such as `operationId: listThings`",
                )),
                Some(id) => {
                    if let Some(before) = ids.insert(&id.value, &id.at) {
                        let message = format!("`{}` names two operations", id.value);
                        let problem = Problem::error(
                            "duplicate-operation-id",
                            &id.at,
                            message,
                            "rename one of them",
                        );
                        self.problems
                            .push(problem.with_related(before, "the other one"));
                    }
                }
            }
            if operation.method == Method::Trace {
                self.problems.push(Problem::error(
                    "unsupported-method",
                    &operation.at,
                    "TRACE is not supported: dropshot does not serve it",
                    "use another method",
                ));
            }
            let type_name = types.claim(&pascal(id));
            let websocket = self.websocket(operation);
            let success = if websocket {
                Success::upgrade(operation)
            } else {
                self.success(operation, &type_name)
            };
            let errors = self.errors(operation, &type_name, catalogue);
            if websocket {
                self.check_websocket_errors(operation, &errors);
            }
            self.check_pages(operation, websocket);
            plans.push(OperationPlan {
                operation,
                id,
                function: functions.claim(&snake(id)),
                path: self.parameters(operation, ParameterIn::Path, &type_name),
                query: self.parameters(operation, ParameterIn::Query, &type_name),
                header: self.parameters(operation, ParameterIn::Header, &type_name),
                body: self.request_body(operation, &type_name),
                optional_body: operation
                    .request_body
                    .as_ref()
                    .is_some_and(|body| !body.required),
                websocket,
                success,
                errors,
                security: self.security(operation),
                successor: self.successor(operation),
                type_name,
            });
        }
        plans
    }

    /// The schema of a content that is JSON and nothing else.
    pub(super) fn json(
        &mut self,
        content: &'a [MediaType],
        at: &Location,
        what: &str,
    ) -> Option<&'a Schema> {
        for media_type in content
            .iter()
            .filter(|media_type| !is_json(&media_type.name.value))
        {
            self.problems.push(Problem::error(
                "unsupported-media-type",
                &media_type.name.at,
                format!("`{}` is not supported as {what}", media_type.name.value),
                "use `application/json`",
            ));
        }
        let json = content
            .iter()
            .find(|media_type| is_json(&media_type.name.value));
        let (at, schema) = match json {
            Some(media_type) => (&media_type.at, media_type.schema.as_ref()),
            None => (at, None),
        };
        if schema.is_none()
            && content
                .iter()
                .all(|media_type| is_json(&media_type.name.value))
        {
            self.problems.push(Problem::error(
                "missing-schema",
                at,
                format!("{what} has no schema"),
                "add a `schema`; `schema: {}` allows any JSON value",
            ));
        }
        schema
    }

    /// The credential: an HTTP scheme in small letters, or where the document asks
    /// for another one or for several, the names of its security schemes, those
    /// that belong together joined by ` & `, the alternatives by ` | `.
    fn security(&self, operation: &Operation) -> Option<String> {
        let alternatives = &operation.security;
        if alternatives.is_empty() || alternatives.iter().any(indexmap::IndexMap::is_empty) {
            return None;
        }
        if let [only] = alternatives.as_slice()
            && let [name] = only.keys().collect::<Vec<_>>().as_slice()
            && let Some(scheme) = self.document.security_schemes.get(name.as_str())
            && let Some(scheme) = &scheme.scheme
        {
            return Some(scheme.to_ascii_lowercase());
        }
        let together = |names: &indexmap::IndexMap<_, _>| {
            names.keys().cloned().collect::<Vec<String>>().join(" & ")
        };
        let alternatives: Vec<String> = alternatives.iter().map(together).collect();
        Some(alternatives.join(" | "))
    }

    /// The successor of a deprecated operation, relative to the request.
    fn successor(&mut self, operation: &'a Operation) -> Option<String> {
        let lifecycle = &operation.lifecycle;
        let parts = [
            lifecycle.since.is_some(),
            lifecycle.sunset.is_some(),
            lifecycle.replacement.is_some(),
        ];
        if !operation.deprecated || parts == [false; 3] {
            return None;
        }
        if parts != [true; 3] {
            self.problems.push(Problem::error(
                "incomplete-deprecation",
                &operation.at,
                format!("{} has only some of the extensions that describe its removal", operation.label()),
                "write all of `x-deprecated-since`, `x-sunset` and `x-replacement`, or none of them",
            ));
            return None;
        }
        let replacement = lifecycle.replacement.as_ref()?;
        let name = &replacement.operation;
        let Some(other) = self.document.operation(&name.value) else {
            self.problems.push(Problem::error(
                "unknown-replacement",
                &name.at,
                format!("there is no operation `{}`", name.value),
                "write the `operationId` of the replacement",
            ));
            return None;
        };
        let way = relative_reference(&operation.path.value, &other.path.value);
        if way.is_none() {
            self.problems.push(Problem::error(
                "unsupported-replacement",
                &name.at,
                format!("the address of `{}` cannot be told from a request: `{}` has other variables", name.value, other.path.value),
                "name a replacement whose variables stand at the same place of the path, or one without",
            ));
        }
        way
    }
}

/// Whether a media type is JSON as dropshot reads it.
pub(super) fn is_json(media_type: &str) -> bool {
    media_type
        .split(';')
        .next()
        .is_some_and(|name| name.trim().eq_ignore_ascii_case("application/json"))
}
