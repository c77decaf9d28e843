//! Tests that names are valid and unique identifiers.

use super::*;

#[test]
fn names_are_converted_to_rust_conventions() {
    for (name, type_name, field) in [
        ("listTools", "ListTools", "list_tools"),
        ("HTTPServer", "HttpServer", "http_server"),
        ("x-request-id", "XRequestId", "x_request_id"),
        ("type", "Type", "type_"),
        ("gen", "Gen", "gen_"),
        ("self", "SelfValue", "self_"),
        ("3d", "V3d", "value_3d"),
        ("", "Empty", "empty"),
        ("@", "Value", "value"),
        ("skos:broader", "SkosBroader", "skos_broader"),
        ("naïve", "Naïve", "naïve"),
        ("id2Name", "Id2Name", "id2_name"),
    ] {
        assert_eq!(pascal(name), type_name, "{name}");
        assert_eq!(snake(name), field, "{name}");
    }
}

#[test]
fn every_name_becomes_a_valid_rust_identifier() {
    for name in [
        "²", "①", "ǅ", "日本", "a\u{301}", "🦀", "İ", "ß", "_", "__", "Ⅷ", "٣",
    ] {
        for made in [pascal(name), snake(name)] {
            assert!(
                syn::parse_str::<Ident>(&made).is_ok(),
                "{name:?} gave {made:?}"
            );
        }
    }
}

#[test]
fn no_two_items_get_the_same_name() {
    let mut names = Names::without(["Option"]);
    assert_eq!(names.claim("Tool"), "Tool");
    assert_eq!(names.claim("Tool"), "Tool2");
    assert_eq!(names.claim("Tool2"), "Tool2_2");
    assert_eq!(names.claim("Option"), "Option2");
    assert_eq!(names.claim("name"), "name");
    assert_eq!(names.claim("name"), "name_2");
}
