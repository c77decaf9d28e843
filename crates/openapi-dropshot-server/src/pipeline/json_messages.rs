//! Rewrites serde's messages about a body in JSON terms.

use openapi_dropshot_types::{Condition, Contract, Rejection, json};

/// Returns the same rejection; the message of an invalid request uses the terms of JSON.
pub(super) fn in_json_terms<C: Contract>(rejection: Rejection) -> Rejection {
    if rejection.error.code != C::error(Condition::InvalidRequest).code {
        return rejection;
    }
    match json::in_json_terms(&rejection.message) {
        Some(message) => Rejection {
            message: message.into(),
            ..rejection
        },
        None => rejection,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_contract::TestContract;

    #[test]
    fn messages_of_errors_that_are_not_about_json_are_not_changed() {
        let message = "invalid type: map, expected i64 at line 1";
        let rejection = TestContract::reject(Condition::Unavailable, message);
        assert_eq!(in_json_terms::<TestContract>(rejection).message, message);
    }
}
