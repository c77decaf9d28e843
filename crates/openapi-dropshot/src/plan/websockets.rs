//! Plans websockets: operations that `x-dropshot-websocket` marks, which dropshot
//! serves as channels.

use super::{Planner, errors::Errors};
use openapi_dropshot_contract::{
    Problem,
    model::{Method, Operation, StatusCode},
};

/// The extension that dropshot writes at such an operation.
const EXTENSION: &str = "x-dropshot-websocket";

impl Planner<'_> {
    /// Whether an operation opens a websocket. The protocol
    /// (RFC 6455) defines the request and the response, so the document may not
    /// describe them further.
    pub(super) fn websocket(&mut self, operation: &Operation) -> bool {
        let Some(mark) = operation.extensions.get(EXTENSION) else {
            return false;
        };
        if mark.as_bool() == Some(false) {
            return false;
        }
        let mut reject = |at, message: String, help: &str| {
            self.problems
                .push(Problem::error("unsupported-websocket", at, message, help));
        };
        if operation.method != Method::Get {
            reject(
                &operation.at,
                format!(
                    "a websocket is opened with GET, not with {}",
                    operation.method
                ),
                "use GET",
            );
        }
        if let Some(body) = &operation.request_body {
            reject(
                &body.at,
                "a request that opens a websocket has no body".to_owned(),
                "remove it, or send it through the websocket",
            );
        }
        for response in &operation.responses {
            let opens = matches!(
                response.status.value,
                StatusCode::Exact(101) | StatusCode::Default
            );
            let is_error = match response.status.value {
                StatusCode::Exact(status) => status >= 400,
                StatusCode::Range(first) => first >= 4,
                StatusCode::Default => true,
            };
            if !opens && !is_error {
                reject(
                    &response.status.at,
                    format!(
                        "`{}` is not the response that opens a websocket",
                        response.status.value
                    ),
                    "write `101`",
                );
            }
            if opens && !response.headers.is_empty() {
                reject(
                    &response.status.at,
                    "the headers of the response that opens a websocket are dropshot's own"
                        .to_owned(),
                    "remove `headers`",
                );
            }
        }
        true
    }

    /// The errors before the websocket is open are dropshot's own.
    pub(super) fn check_websocket_errors(&mut self, operation: &Operation, errors: &Errors<'_>) {
        let own = match errors {
            Errors::Dropshot(_) => false,
            Errors::Statuses(responses) => !responses.is_empty(),
            Errors::Codes(_) => true,
        };
        if own {
            self.problems.push(Problem::error(
                "unsupported-websocket",
                &operation.at,
                "the errors before a websocket is open are dropshot's own, and have its body",
                "write as their body a component `Error` with the strings `message`, `request_id` \
                 (both required) and `error_code`, or close the websocket with a reason",
            ));
        }
    }
}
