//! Tests of the texts and headers for deprecations.

use super::*;

#[test]
fn the_link_to_a_replacement_is_relative_to_the_request() {
    for (from, to, way) in [
        ("/tools/{toolId}", "/tools", Some("../tools")),
        ("/tools", "/parts", Some("parts")),
        ("/tools", "/shop/parts", Some("shop/parts")),
        ("/tools/{toolId}/old", "/tools/{toolId}/new", Some("new")),
        ("/tools/{toolId}/old", "/tools/{toolId}", None),
        ("/a/b/c", "/x/y", Some("../../x/y")),
        ("/tools", "/", Some("./")),
        ("/tools", "/a:b", Some("./a:b")),
    ] {
        assert_eq!(
            relative_reference(from, to).as_deref(),
            way,
            "{from} -> {to}"
        );
    }
}

#[test]
fn a_date_in_a_description_is_recognised_in_words_and_in_iso_8601() {
    let day = NaiveDate::from_ymd_opt(2030, 12, 5).unwrap_or_default();
    for text in ["Removed on 5\nDecember 2030.", "`2030-12-05`"] {
        assert!(names_day(text, day), "{text}");
    }
    for text in ["", "15 December 2030", "5 December 2031", "12030-12-05"] {
        assert!(!names_day(text, day), "{text}");
    }
}

#[test]
fn a_sunset_is_written_as_an_http_date() {
    let day = NaiveDate::from_ymd_opt(2030, 12, 5).unwrap_or_default();
    assert_eq!(http_date(day), "Thu, 05 Dec 2030 00:00:00 GMT");
    assert_eq!(in_words(day), "5 December 2030");
    assert_eq!(midnight(day).timestamp(), 1_922_659_200);
}
