//! Tests the headers of deprecated operations.

use super::*;
use http::HeaderValue;

fn of(pairs: &[(&'static str, &'static str)]) -> Option<Deprecation> {
    let pairs = pairs.iter().map(|(name, value)| {
        (
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        )
    });
    let url = Url::parse("http://books.example/v1/books/1").expect("it is a URL");
    read("getBook", &url, &pairs.collect())
}

#[test]
fn the_deprecation_the_sunset_and_the_successor_link_headers_are_parsed() {
    let deprecation = of(&[
        ("deprecation", "@1795132800"),
        ("sunset", "Thu, 05 Dec 2030 00:00:00 GMT"),
        ("link", "<../books>; rel=\"successor-version\""),
    ])
    .expect("it is deprecated");
    assert_eq!(deprecation.operation(), "getBook");
    let day = |moment: Option<DateTime<Utc>>| moment.map(|at| at.date_naive().to_string());
    assert_eq!(day(deprecation.since()).as_deref(), Some("2026-11-20"));
    assert_eq!(day(deprecation.sunset()).as_deref(), Some("2030-12-05"));
    assert_eq!(
        deprecation.successor(),
        Some("http://books.example/v1/books")
    );
}

#[test]
fn a_single_deprecation_header_marks_a_response_as_deprecated_even_if_its_value_is_invalid() {
    for pair in [
        ("deprecation", "true"),
        ("deprecation", "@x"),
        ("sunset", "soon"),
        ("link", "</v2/books>; rel=successor-version"),
    ] {
        assert!(of(&[pair]).is_some(), "{pair:?}");
    }
    assert_eq!(of(&[("link", "<?cursor=a>; rel=next")]), None);
    assert_eq!(of(&[]), None);
}
