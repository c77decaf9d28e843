//! Tests the headers and the removal of deprecated operations.

use super::*;
use crate::test_contract::{OPERATIONS, TestContract};
use chrono::Utc;
use openapi_dropshot_types::Deprecation;

#[test]
fn a_link_to_the_successor_does_not_replace_the_link_to_the_next_page() {
    let deprecated = OPERATIONS
        .iter()
        .find(|operation| operation.deprecation.is_some());
    let mut headers = HeaderMap::new();
    headers.insert(LINK, HeaderValue::from_static("<?cursor=x>; rel=\"next\""));
    Announcements::new(&OPERATIONS).announce(deprecated, &mut headers);
    let added = usize::from(deprecated.is_some());
    assert_eq!(headers.get_all(LINK).iter().count(), 1 + added);
    assert_eq!(headers.len(), 1 + 3 * added);
}

#[test]
fn a_sunset_without_a_deprecation_date_is_announced_by_the_sunset_header_only() {
    let deprecation = Deprecation {
        since: i64::MIN,
        deprecation_header: "",
        link_header: "",
        ..OPERATIONS
            .iter()
            .find_map(|operation| operation.deprecation)
            .expect("one is deprecated")
    };
    let operation = Operation {
        index: 0,
        deprecation: Some(deprecation),
        ..OPERATIONS[0]
    };
    let mut headers = HeaderMap::new();
    Announcements::new(&[operation]).announce(Some(&operation), &mut headers);
    let names: Vec<_> = headers.keys().collect();
    assert_eq!(names, [SUNSET]);
}

#[test]
fn operations_that_are_not_deprecated_get_no_lifecycle_headers() {
    let mut headers = HeaderMap::new();
    let announcements = Announcements::new(&OPERATIONS);
    for operation in OPERATIONS
        .iter()
        .filter(|operation| operation.deprecation.is_none())
    {
        announcements.announce(Some(operation), &mut headers);
    }
    announcements.announce(None, &mut headers);
    assert!(headers.is_empty());
}

struct At(i64);

impl Clock for At {
    fn now(&self) -> DateTime<Utc> {
        DateTime::from_timestamp(self.0, 0).expect("a time that there is")
    }
}

#[test]
fn an_operation_is_rejected_from_the_first_second_of_its_removal_date_on() {
    for operation in &OPERATIONS {
        let Some(deprecation) = &operation.deprecation else {
            continue;
        };
        let check = |policy, time| {
            let result = check_sunset(operation, policy, &At(time));
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
fn an_operation_that_is_not_deprecated_is_never_rejected() {
    for operation in OPERATIONS
        .iter()
        .filter(|operation| operation.deprecation.is_none())
    {
        assert!(check_sunset(operation, SunsetPolicy::Enforce, &At(32_503_680_000)).is_ok());
    }
}
