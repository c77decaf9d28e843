//! Tests which paths conflict in dropshot's router.

use super::*;

#[test]
fn paths_conflict_if_a_variable_is_in_the_position_of_a_literal_or_another_variable() {
    for (path, other, expected) in [
        ("/tool/{id}", "/tool/findByKind", true),
        ("/tool/{id}", "/tool/{name}/photo", true),
        ("/tool/{id}", "/tool/{id}/photo", false),
        ("/tool/{id}", "/tool", false),
        ("/tool/{id}", "/store/{name}", false),
        ("/{tenant}", "/tool", true),
    ] {
        assert_eq!(exclude(path, other), expected, "{path} {other}");
        assert_eq!(exclude(other, path), expected, "{other} {path}");
    }
}
