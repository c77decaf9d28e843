//! Tests YAML and JSON syntax: places, scalars, duplicate keys, bounds.

use crate::support::{assert_clean, assert_fault, readable, with_components, with_schemas};
use openapi_dropshot_contract::model::Node;
use openapi_dropshot_contract::read;

/// The value of the extension `x-value` of a document.
#[track_caller]
fn extension(file: &str, text: &str) -> Node {
    match read(file, text) {
        Ok(document) => document.extensions["x-value"].clone(),
        Err(problems) => panic!("the document should be readable:\n{problems}"),
    }
}

fn yaml(value: &str) -> String {
    format!("openapi: 3.0.3\ninfo: {{title: T, version: 1.0.0}}\npaths: {{}}\nx-value: {value}\n")
}

fn json(value: &str) -> String {
    format!(
        "{{\"openapi\": \"3.0.3\", \"info\": {{\"title\": \"T\", \"version\": \"1\"}}, \"paths\": {{}},\n\"x-value\": {value}}}"
    )
}

#[test]
fn json_escapes_are_decoded_in_files_of_any_name() {
    let text = json(r#""\u0000 \ud83d\ude00 \/ \b\f\n\r\t \u00e9 \\ \"""#);
    let expected = "\u{0} \u{1f600} / \u{8}\u{c}\n\r\t é \\ \"";
    assert_eq!(extension("api.json", &text).as_str(), Some(expected));
    assert_eq!(
        extension("api.yaml", &text).as_str(),
        Some(expected),
        "JSON is recognised under any name"
    );
}

#[test]
fn tabs_may_indent_json() {
    let text = json("[\t1,\n\t\t2\t]");
    assert_eq!(
        extension("api.json", &text).to_json(),
        serde_json::json!([1, 2])
    );
}

#[test]
fn numbers_of_up_to_64_bits_are_read_exactly() {
    for text in [
        "9223372036854775807",
        "-9223372036854775808",
        "18446744073709551615",
        "0.1",
        "1e3",
    ] {
        let from_json = extension("api.json", &json(text)).to_json().to_string();
        let from_yaml = extension("api.yaml", &yaml(text)).to_json().to_string();
        assert_eq!(from_json, from_yaml, "of {text}");
    }
    assert_eq!(
        extension("api.yaml", &yaml("9223372036854775807")).as_i64(),
        Some(i64::MAX)
    );
}

#[test]
fn dates_and_quoted_values_in_yaml_are_read_as_strings() {
    assert_eq!(
        extension("a.yaml", &yaml("2026-11-20")).as_str(),
        Some("2026-11-20")
    );
    assert_eq!(extension("a.yaml", &yaml("'true'")).as_str(), Some("true"));
    assert_eq!(extension("a.yaml", &yaml("!!str 5")).as_str(), Some("5"));
    assert_eq!(extension("a.yaml", &yaml("no")).as_str(), Some("no"));
    assert_eq!(extension("a.yaml", &yaml("True")).as_bool(), Some(true));
    assert!(extension("a.yaml", &yaml("~")).is_null());
}

#[test]
fn lines_and_columns_begin_at_one_and_columns_count_characters() {
    let node = extension("a.yaml", &yaml("{ünïcödé: [a, 'b']}"));
    let second = node.pointer("/ünïcödé/1").expect("the node exists");
    assert_eq!((second.at.line, second.at.column), (4, 24));
    assert_eq!(second.at.pointer, "/x-value/ünïcödé/1");
    let node = extension("a.json", &json("{\"ünïcödé\": [\"😀\", true]}"));
    let second = node.pointer("/ünïcödé/1").expect("the node exists");
    assert_eq!((second.at.line, second.at.column), (2, 30));
}

#[test]
fn pointers_escape_slashes_and_tildes() {
    let node = extension("a.yaml", &yaml("{a/b~c: 1}"));
    let member = node.pointer("/a~1b~0c").expect("the node exists");
    assert_eq!(member.at.pointer, "/x-value/a~1b~0c");
}

#[test]
fn member_names_that_look_like_numbers_are_read_as_text() {
    let document = readable(
        "openapi: 3.0.3\ninfo: {title: T, version: 1.0.0}\npaths:\n  /a:\n    get:\n      responses:\n        200: {description: Fine.}\n",
    );
    assert_eq!(
        document.operations[0].responses[0].status.value.to_string(),
        "200"
    );
}

#[test]
fn a_byte_order_mark_is_not_part_of_the_text() {
    let node = extension("a.yaml", &format!("\u{feff}{}", yaml("1")));
    assert_eq!((node.at.line, node.at.column), (4, 10));
    extension("a.json", &format!("\u{feff}{}", json("1")));
}

#[test]
fn a_duplicate_name_is_rejected_with_both_places() {
    let text = with_schemas("    A: {type: string}\n    «A: {type: integer}\n");
    assert_fault(
        &text,
        "duplicate-member",
        "this object has `A` twice, first at line 6, column 5",
        "rename",
    );
    let text = json("{\"a\": 1,\n «\"a\": 2}");
    assert_fault(
        &text,
        "duplicate-member",
        "first at line 2, column 13",
        "rename",
    );
}

#[test]
fn aliases_have_the_value_of_their_anchor() {
    let node = extension("a.yaml", &yaml("{one: &x {deep: [1]}, two: *x}"));
    assert!(
        node.get("two")
            .expect("it exists")
            .same_value(node.get("one").expect("it exists"))
    );
    let copied = node.pointer("/two/deep/0").expect("it exists");
    assert_eq!(
        copied.at.pointer, "/x-value/two/deep/0",
        "a copy has a pointer of its own"
    );
    assert_eq!(
        (copied.at.line, copied.at.column),
        (4, 27),
        "and the place where it is written"
    );
}

#[test]
fn aliases_that_would_expand_to_a_very_large_document_are_rejected() {
    let mut text = String::from("openapi: 3.0.3\nx-0: &a0 [1,1,1,1,1,1,1,1,1,1]\n");
    for level in 1..20 {
        let inside = vec![format!("*a{}", level - 1); 10].join(",");
        text.push_str(&format!("x-{level}: &a{level} [{inside}]\n"));
    }
    let problems = read("a.yaml", &text).expect_err("it is far too large");
    assert_eq!(problems.problems()[0].rule, "alias");
    assert!(
        problems.problems()[0]
            .message
            .contains("more than 100000 values")
    );
}

#[test]
fn an_alias_inside_its_own_value_is_rejected() {
    assert_fault(
        &yaml("&x [«*x]"),
        "alias",
        "inside the value that it names",
        "$ref",
    );
}

#[test]
fn a_document_that_is_nested_too_deeply_is_rejected() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let text = json(&format!(
            "{}1{}",
            open.repeat(100_000),
            close.repeat(100_000)
        ));
        let problems = read("a.json", &text).expect_err("it is far too deep");
        assert_eq!(problems.problems()[0].rule, "nesting-too-deep");
        assert!(read("a.yaml", &text).is_err());
    }
    let block: String = (0..2000)
        .map(|depth| format!("{}- \n", " ".repeat(depth)))
        .collect();
    assert!(read("a.yaml", &block).is_err());
}

#[test]
fn schemas_may_nest_as_deep_as_the_syntax_allows() {
    let deepest = 120;
    let schema = format!("{}{{}}{}", "{not: ".repeat(deepest), "}".repeat(deepest));
    assert_clean(&with_schemas(&format!("    A: {schema}\n")));
}

#[test]
fn a_member_name_that_is_too_long_is_rejected() {
    let name = "n".repeat(3000);
    assert_fault(
        &yaml(&format!("{{«{name}: 1}}")),
        "name-too-long",
        "2048 bytes",
        "shorter names",
    );
}

#[test]
fn merge_keys_are_rejected() {
    let text = with_schemas("    A: &a {type: object}\n    B: {«<<: *a, title: B}\n");
    assert_fault(&text, "merge-key", "merge keys (`<<`)", "allOf");
}

#[test]
fn a_second_yaml_document_in_the_same_file_is_rejected() {
    assert_fault(
        &format!("{}«---\nopenapi: 3.0.3\n", yaml("1")),
        "several-documents",
        "second YAML document",
        "one document",
    );
}

#[test]
fn an_empty_text_is_rejected() {
    for text in ["«", "«# only a comment\n"] {
        assert_fault(text, "syntax", "the document is empty", "openapi: 3.0.3");
    }
}

#[test]
fn yaml_that_json_cannot_express_is_rejected() {
    assert_fault(
        &yaml("«.nan"),
        "number",
        "`.nan` is not a JSON number",
        "quote it",
    );
    assert_fault(
        &yaml("{? «[a, b] : 1}"),
        "complex-key",
        "written out as a scalar",
        "quote",
    );
    assert_fault(&yaml("«!thing 5"), "yaml-tag", "has no meaning", "remove");
}

#[test]
fn a_syntax_error_in_yaml_is_reported_at_the_place_of_the_error() {
    let text = with_components("  schemas:\n    A:\n      description: a: «b\n");
    let text = text.replace('«', "");
    let problems = read("a.yaml", &text).expect_err("it is broken");
    assert_eq!(
        (problems.problems()[0].rule, problems.problems()[0].at.line),
        ("syntax", 7)
    );
}

#[test]
fn a_syntax_error_in_json_is_reported_at_the_place_of_the_error() {
    for (value, message, help) in [
        ("{\"a\": 1,«}", "key must be a string", "remove the comma"),
        ("[1,«]", "expected value", "remove the comma"),
        ("{«'a': 1}", "key must be a string", "double quotes"),
        ("{\"a\" «1}", "expected `:`", "\"name\": value"),
        ("[1 «2]", "expected `,` or `]`", "commas"),
        ("«nul", "expected ident", "double quotes"),
        ("«01", "invalid number", "leading zeros"),
        ("«1e999", "number out of range", "as JSON does"),
        ("«// note\n1", "expected value", "use YAML"),
        ("\"a«\nb\"", "control character", "escape"),
        ("\"«\\ud83d\"", "hex escape", "both halves"),
        ("\"«\\x\"", "invalid escape", "backslash"),
    ] {
        let marked = json(value);
        let (before, _) = marked.split_once('«').expect("a mark");
        let (line, column) = (
            before.matches('\n').count() + 1,
            before.rsplit('\n').next().map_or(0, |l| l.chars().count()) + 1,
        );
        let problems = read("api.json", &marked.replace('«', ""))
            .expect_err(value)
            .into_problems();
        let [problem] = problems.as_slice() else {
            panic!("one problem expected for {value}")
        };
        assert_eq!(
            (problem.rule, problem.at.line, problem.at.column),
            ("syntax", line, column),
            "of {value}"
        );
        assert!(
            problem.message.contains(message),
            "of {value}: {}",
            problem.message
        );
        assert!(problem.help.contains(help), "of {value}: {}", problem.help);
    }
}

#[test]
fn text_after_the_end_of_the_document_is_rejected() {
    let problems = read("api.json", &format!("{} x", json("1"))).expect_err("it goes on");
    assert!(
        problems.problems()[0]
            .message
            .contains("trailing characters")
    );
}

#[test]
fn a_flow_mapping_that_is_not_json_is_read_as_yaml() {
    readable("{openapi: 3.0.3, info: {title: T, version: 1.0.0}, paths: {}}");
}
