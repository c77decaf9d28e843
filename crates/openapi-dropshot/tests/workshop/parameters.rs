//! Tests parameters: each text has only one meaning, and the error for an invalid text names the
//! parameter.

use crate::workshop_models::{self as models, FromText};

#[test]
fn only_the_canonical_spelling_of_a_parameter_is_accepted() {
    assert_eq!(i32::from_text("-7"), Ok(-7));
    assert_eq!(i32::from_text("-0"), Ok(0));
    assert_eq!(u16::from_text("65535"), Ok(u16::MAX));
    for bad in [
        "",
        " 7",
        "+7",
        "007",
        "7.0",
        "0x7",
        "7_0",
        "٣",
        "2147483648",
    ] {
        assert!(i32::from_text(bad).is_err(), "{bad}");
    }
    assert_eq!(bool::from_text("true"), Ok(true));
    for bad in ["True", "1", "", " true"] {
        assert!(bool::from_text(bad).is_err(), "{bad}");
    }
    assert_eq!(f64::from_text("-1.5e3"), Ok(-1500.0));
    for bad in [
        "", "NaN", "inf", "1.", ".5", "+1", "0x1", " 1", "1e999", "01",
    ] {
        assert!(f64::from_text(bad).is_err(), "{bad}");
    }
    assert_eq!(String::from_text(""), Ok(String::new()));
}

#[test]
fn the_error_for_an_invalid_parameter_names_the_rule_and_the_value() {
    let why = |text: &str| {
        models::PageSize::from_text(text)
            .err()
            .map(|violation| violation.to_string())
    };
    assert_eq!(
        why("0").as_deref(),
        Some("must be an integer from 1 to 50, found `0`")
    );
    assert_eq!(
        why("999").as_deref(),
        Some("must be an integer from 1 to 50, found `999`")
    );
    assert_eq!(
        why(&"9".repeat(100)).map(|why| why.chars().count()),
        Some(106)
    );
    assert!(models::Kind::from_text("axe").is_err());
    assert!(models::ToolId::from_text("67e55044-10b1-426f-9247-bb680e5fe0c8").is_ok());
    assert!(models::Level::from_text("2").is_err());
    assert_eq!(models::Even::from_text("8").map(models::Even::get), Ok(8));
}

#[test]
fn the_values_of_response_headers_are_written_as_strings() {
    let headers = models::ListToolsOkHeaders {
        x_total: models::ListToolsOkHeadersXTotal::try_from(3).expect("in bounds"),
        x_kind: Some(models::Kind::DrillBit),
    };
    let written = serde_json::to_value(&headers).expect("headers can be written");
    assert_eq!(
        written,
        serde_json::json!({ "X-Total": "3", "X-Kind": "drill-bit" })
    );
}
