//! Tests of removing the entries of accepted changes.

use super::without_entries;

#[test]
fn accepted_changes_are_removed_in_every_notation() {
    for entry in [
        "[[accepted]]\nrule = 'a'",
        "[[ accepted ]]\nrule = 'a'\n\n[[accepted]]\nrule = 'b'",
        "  [[accepted]]\nrule = 'a'",
        "[[\"accepted\"]]\nrule = 'a'",
        "accepted = [\n  {rule = 'a'},\n]",
    ] {
        let text = format!("# Accepted changes, as `[[accepted]]`.\n\n{entry}\n");
        assert_eq!(
            without_entries(&text),
            "# Accepted changes, as `[[accepted]]`.\n",
            "{entry}"
        );
    }
    assert_eq!(without_entries("# None.\n"), "# None.\n");
}
