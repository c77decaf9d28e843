//! Tests what the gates report about a sunset on different days. The day is an argument.

use crate::check::tree::{CHANGELOG, DOCUMENT, Tree, all_of};

/// Returns the exit code of the gate `lifecycle` on a day, and its whole output.
fn on(tree: &Tree, day: &str) -> (Option<i32>, String) {
    let output = tree.xtask(&["check", "--gate", "lifecycle", "--today", day]);
    (output.status.code(), all_of(&output))
}

#[test]
fn there_is_no_warning_more_than_180_days_before_a_sunset() {
    let (code, printed) = on(&Tree::new(), "2030-06-07");
    assert_eq!(code, Some(0), "{printed}");
    assert!(!printed.contains("getPet"), "{printed}");
}

#[test]
fn a_sunset_within_180_days_is_a_warning_that_names_the_operation() {
    let tree = Tree::new();
    for day in ["2030-06-08", "2030-06-20", "2030-12-04"] {
        let (code, printed) = on(&tree, day);
        assert_eq!(code, Some(0), "{printed}");
        assert!(printed.contains("lifecycle  warning"), "{printed}");
        assert!(
            printed.contains("warning[sunset-near]: the sunset of `getPet`"),
            "{printed}"
        );
        assert!(printed.contains("--> spec/openapi.yaml:"), "{printed}");
    }
}

#[test]
fn the_gate_fails_from_the_day_of_a_sunset_and_names_the_operation_to_remove() {
    let tree = Tree::new();
    for day in ["2030-12-05", "2030-12-06"] {
        let (code, printed) = on(&tree, day);
        assert_eq!(code, Some(1), "{printed}");
        for words in [
            "error[sunset-passed]: the sunset of `getPet` was on 2030-12-05",
            "remove `GET /pets/{petId}`",
            "--> spec/openapi.yaml:",
            "cargo xtask generate",
        ] {
            assert!(printed.contains(words), "`{words}` is missing:\n{printed}");
        }
    }
}

/// Removes the operation from the document, together with the error code that only it returns.
pub(crate) fn remove_get_pet(tree: &Tree) {
    let text = tree.read(DOCUMENT);
    // Removes the text from the path of the operation to the next path, or to the end of the paths.
    let begins = text.find("  /pets/{petId}:\n").expect("the path is there");
    let length = text[begins..]
        .lines()
        .skip(1)
        .take_while(|line| line.is_empty() || line.starts_with("   "));
    let length: usize = length.map(|line| line.len() + 1).sum();
    let after = &text[begins + "  /pets/{petId}:\n".len() + length..];
    let text = format!("{}{after}", &text[..begins]);
    // The error code that only this operation returns is removed with it.
    let is_of_code = |line: &&str| !line.starts_with("            - operation_removed");
    let lines: Vec<&str> = text.lines().filter(is_of_code).collect();
    let text = lines.join("\n") + "\n";
    let code = text
        .find("            operation_removed:\n")
        .expect("its catalogue entry");
    let entry: usize = text[code..]
        .split_inclusive('\n')
        .take(4)
        .map(str::len)
        .sum();
    tree.write(
        DOCUMENT,
        &format!("{}{}", &text[..code], &text[code + entry..]),
    );
}

#[test]
fn removing_an_operation_passes_on_the_day_of_the_sunset_and_fails_on_the_day_before() {
    let tree = Tree::new();
    remove_get_pet(&tree);
    tree.replace(CHANGELOG, "### Changed\n", "### Removed\n");
    tree.generate();
    for (day, passes) in [
        ("2030-12-04", false),
        ("2030-12-05", true),
        ("2030-12-06", true),
    ] {
        let findings = tree.findings_on(day);
        assert_eq!(findings.0["passed"], passes, "{day}: {}", findings.shown());
        let expected: &[&str] = if passes {
            &[]
        } else {
            &["breaking", "lifecycle"]
        };
        assert_eq!(findings.failed(), expected, "{day}: {}", findings.shown());
    }
}
