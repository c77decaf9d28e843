//! Tests of descriptions that rustdoc would misread.

use super::*;

#[test]
fn words_that_rustdoc_would_take_for_links_or_html_are_escaped() {
    for (words, safe) in [
        ("see [x] and [x][y]", r"see \[x\] and \[x\]\[y\]"),
        ("a Vec<T> & <b>", r"a Vec\<T> & \<b>"),
        ("`[x] <T>` stays", "`[x] <T>` stays"),
        ("``a ` b`` stays", "``a ` b`` stays"),
        ("an open ` mark", r"an open \` mark"),
        ("https://a.example/b.", "<https://a.example/b>."),
        ("(http://a.example)", "(<http://a.example>)"),
        ("<https://a.example>", "<https://a.example>"),
        ("[a](https://a.example)", "[a](https://a.example)"),
        ("[a](#b) [a]: c", r"\[a\](#b) \[a\]: c"),
        ("xhttp://a", "xhttp://a"),
        (r"\[already\]", r"\[already\]"),
        ("ends with \\", "ends with \\"),
        ("ends with */ /*", "ends with */ /*"),
        ("[", r"\["),
        ("<", r"\<"),
        ("`", r"\`"),
        ("", ""),
    ] {
        assert_eq!(harmless(words), safe, "{words}");
    }
}

#[test]
fn a_code_block_in_a_description_does_not_become_a_doctest() {
    assert_eq!(
        harmless("A:\n\n    let a = 1;\n\nB"),
        "A:\n\n```text\nlet a = 1;\n```\n\nB"
    );
    assert_eq!(harmless("    a\n\n    b"), "```text\na\n\nb\n```");
    assert_eq!(harmless("```\na\n```"), "```text\na\n```");
    assert_eq!(harmless("```rust,no_run\na\n```"), "```text\na\n```");
    assert_eq!(harmless("~~~ json\n{}\n~~~"), "~~~json\n{}\n~~~");
    assert_eq!(harmless("```sh\nnever closed"), "```sh\nnever closed\n```");
    assert_eq!(harmless("text\n    goes on"), "text\n   goes on");
}

#[test]
fn markdown_lists_stay_lists() {
    let list = "- one\n  goes on\n\n    and on\n- two\n    1. inner\n\nEnd";
    assert_eq!(
        harmless(list),
        "- one\n  goes on\n\n  and on\n- two\n    1. inner\n\nEnd"
    );
}

#[test]
fn control_and_bidi_characters_are_replaced_in_generated_code() {
    assert_eq!(
        harmless("a\r\nb\rc\u{0}\u{202e}  \n\n"),
        "a\nb\nc\u{fffd}\u{fffd}"
    );
    assert_eq!(harmless("\ta"), "```text\na\n```");
    assert_eq!(code("a\rb\u{202e}`"), "`a\u{fffd}b\u{fffd}\u{fffd}`");
    assert_eq!(code(" "), "\" \"");
    assert_eq!(one_line(" use\r\n a\u{202e} "), "use a\u{fffd}");
}

#[test]
fn comments_contain_no_bare_carriage_return() {
    let written = doc_attributes(&["a\rb\u{2066}".to_owned()]);
    assert_eq!(written.to_string(), "# [doc = \" a\u{fffd}b\u{fffd}\"]");
}

#[test]
fn a_description_attribute_is_generated_only_where_schemars_would_change_the_text() {
    let attribute_of = |docs: Docs| {
        docs.description_attribute()
            .map(|tokens| tokens.to_string())
    };
    let expected = |words: &str| Some(quote!(description = #words).to_string());
    let description_of = |words| attribute_of(Docs::new(Some(words), ""));
    assert_eq!(description_of("One line."), None);
    assert_eq!(description_of("Two\nlines."), None);
    assert_eq!(description_of("See [x]."), expected("See [x]."));
    assert_eq!(description_of("- a\n- b"), expected("- a\n- b"));
    assert_eq!(description_of("# Title"), expected("# Title"));
    assert_eq!(attribute_of(Docs::new(None, "Ours.")), expected(""));
    let borrowed = Docs::new(Some("Theirs."), "").borrowed();
    assert_eq!(attribute_of(borrowed), expected(""));
}
