//! Tests links in all forms that RFC 8288 allows.

use super::*;
use http::HeaderValue;

fn next_of(values: &[&str]) -> Option<String> {
    let mut headers = HeaderMap::new();
    for value in values {
        headers.append(
            LINK,
            HeaderValue::from_str(value).expect("the test writes valid headers"),
        );
    }
    next(&headers)
}

#[test]
fn the_next_page_is_found_in_every_valid_form_of_the_link_header() {
    for value in [
        r#"<?cursor=a>; rel="next""#,
        "<?cursor=a>;rel=next",
        r#"<?cursor=a> ; title="a, <b>; \"rel=x\"" ; REL = "Next""#,
        r#"<?cursor=a>; rel="prefetch next""#,
        r#"<../books>; rel="successor-version", <?cursor=a>; rel="next""#,
        r#", ,<x>; rel=prev,<?cursor=a>; rel=next, <?cursor=b>; rel=next"#,
    ] {
        assert_eq!(next_of(&[value]).as_deref(), Some("?cursor=a"), "{value}");
    }
    assert_eq!(
        next_of(&["<x>; rel=prev", "<?cursor=a>; rel=next"]).as_deref(),
        Some("?cursor=a")
    );
}

#[test]
fn a_page_without_a_link_to_the_next_page_is_the_last_page() {
    for value in [
        "",
        "<x>",
        r#"<x>; rel="prev"; rel="next""#,
        r#"<x>; rel="nextish""#,
        r##"<x>; rel=next; anchor="#other""##,
        "x; rel=next",
        "<x; rel=next",
    ] {
        assert_eq!(next_of(&[value]), None, "{value}");
    }
}

#[test]
fn the_cursor_in_a_link_is_percent_decoded_exactly_once() {
    for (target, expected) in [
        ("?limit=2&cursor=MTphOjI", Some("MTphOjI")),
        ("?cursor=a%2Bb%253D", Some("a+b%3D")),
        ("https://books.example/v1/books?cursor=x", Some("x")),
        ("/v1/books?cursor=", Some("")),
        ("?limit=2", None),
        ("http://[", None),
    ] {
        assert_eq!(cursor(target).as_deref(), expected, "{target}");
    }
}
