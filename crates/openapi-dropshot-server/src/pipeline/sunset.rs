//! Rejects requests for an operation with 410 from its removal date on, if the setting
//! `sunset` is `enforce`.

use super::error_response::ErrorResponse;
use crate::{clock::Clock, config::SunsetPolicy};
use chrono::DateTime;
use openapi_dropshot_types::{Condition, Operation};

/// 410 where the operation has ended.
pub(super) fn check(
    operation: &Operation,
    policy: SunsetPolicy,
    clock: &dyn Clock,
) -> Result<(), ErrorResponse> {
    let Some(deprecation) = &operation.deprecation else {
        return Ok(());
    };
    if policy == SunsetPolicy::Announce || clock.now().timestamp() < deprecation.sunset {
        return Ok(());
    }
    let Operation { method, path, .. } = operation;
    let day = DateTime::from_timestamp(deprecation.sunset, 0)
        .map_or_else(String::new, |day| day.format(" on %-d %B %Y").to_string());
    let note = deprecation.note;
    let message = format!("`{method} {path}` was removed{day}; {note}");
    Err(ErrorResponse::new(Condition::OperationRemoved, message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_contract::{OPERATIONS, TestContract};
    use chrono::Utc;

    struct At(i64);

    impl Clock for At {
        fn now(&self) -> DateTime<Utc> {
            DateTime::from_timestamp(self.0, 0).expect("a time that there is")
        }
    }

    #[test]
    fn an_operation_ends_with_the_first_second_of_its_removal_date() {
        for operation in &OPERATIONS {
            let Some(deprecation) = &operation.deprecation else {
                continue;
            };
            let check = |policy, time| {
                let result = check(operation, policy, &At(time));
                result.map_err(|error| error.rejection::<TestContract>().error.code)
            };
            assert_eq!(check(SunsetPolicy::Enforce, deprecation.sunset - 1), Ok(()));
            assert_eq!(
                check(SunsetPolicy::Enforce, deprecation.sunset),
                Err("operation_removed")
            );
            assert_eq!(check(SunsetPolicy::Announce, deprecation.sunset), Ok(()));
        }
    }

    #[test]
    fn an_operation_that_is_not_deprecated_never_ends() {
        for operation in OPERATIONS
            .iter()
            .filter(|operation| operation.deprecation.is_none())
        {
            assert!(check(operation, SunsetPolicy::Enforce, &At(32_503_680_000)).is_ok());
        }
    }
}
