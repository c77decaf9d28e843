//! Tests of the empty lines in files.

use super::*;

#[test]
fn blank_lines_separate_items_but_not_imports() {
    let code = quote!(
        use a::B;
        use c::D;
        struct E;
        fn f() {}
    );
    let text = file("//! First.", &["", "Second."], code).unwrap_or_default();
    assert_eq!(
        text,
        "//! First.\n//!\n//! Second.\n\nuse a::B;\nuse c::D;\n\nstruct E;\n\nfn f() {}\n"
    );
}
