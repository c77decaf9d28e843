//! Tests `check --usage FILE`: an operation that was called in the last 30 days must not be removed.
//! The exports have the form that `petstore-server usage --format json` writes. A test of
//! `petstore-server` compares the two.

use crate::check::{
    sunsets::remove_get_pet,
    tree::{Tree, all_of},
};
use serde_json::{Value, json};

const DAY: &str = "2030-12-05";

fn export(last_seen: Option<&str>, days_without_calls: Option<i64>) -> Value {
    let callers: Vec<Value> = (last_seen.iter())
        .map(|last_seen| {
            json!({
                "key": "k_mvbvqf8yh5d5", "name": "shop", "calls": 3, "first_seen": "2029-01-01T00:00:00Z",
                "last_seen": last_seen, "last_user_agent": null, "days": {},
            })
        })
        .collect();
    json!({
        "format": 1,
        "created_at": "2030-12-05T10:00:00Z",
        "operations": [{
            "operation": "getPet", "path": "GET /pets/{petId}", "removed_on": "2030-12-05", "days_left": 0,
            "instead": "", "calls": 3, "last_seen": last_seen, "days_without_calls": days_without_calls,
            "is_unused": days_without_calls.is_some_and(|days| days >= 30), "callers": callers,
        }],
    })
}

/// Returns the exit code of the gate on a day, and its output.
fn check(tree: &Tree, export: &str, day: &str) -> (Option<i32>, String) {
    tree.write("usage.json", export);
    let file = tree.root().join("usage.json");
    let file = file.to_str().expect("text");
    let gate = [
        "check",
        "--gate",
        "lifecycle",
        "--today",
        day,
        "--usage",
        file,
    ];
    let output = tree.xtask(&gate);
    (output.status.code(), all_of(&output))
}

#[test]
fn an_operation_that_was_called_in_the_last_thirty_days_must_not_be_removed() {
    let tree = Tree::new();
    let in_use = export(Some("2030-11-06T09:00:00Z"), Some(29)).to_string();
    let (code, printed) = check(&tree, &in_use, "2030-12-04");
    assert_eq!(code, Some(0), "it is still there: {printed}");
    remove_get_pet(&tree);
    let (code, printed) = check(&tree, &in_use, DAY);
    assert_eq!(code, Some(1), "{printed}");
    for words in [
        "error[removed-operation-in-use]: `GET /pets/{petId}` was removed",
        "k_mvbvqf8yh5d5 (`shop`) on 2030-11-06",
    ] {
        assert!(printed.contains(words), "`{words}`: {printed}");
    }
    let quiet = export(Some("2030-11-05T09:00:00Z"), Some(30)).to_string();
    let never = export(None, Some(400)).to_string();
    for unused in [quiet, never] {
        let (code, printed) = check(&tree, &unused, DAY);
        assert_eq!(code, Some(0), "{printed}");
        assert!(!printed.contains("removed-operation"), "{printed}");
    }
}

#[test]
fn a_usage_export_that_does_not_cover_thirty_days_is_a_warning() {
    let tree = Tree::new();
    remove_get_pet(&tree);
    let empty = json!({"format": 1, "created_at": "2030-12-05T10:00:00Z", "operations": []});
    for (export, day, why) in [
        (export(None, None), DAY, "since when"),
        (export(None, Some(12)), DAY, "for only 12 days"),
        (export(None, Some(400)), "2030-12-20", "is 15 days old"),
        (empty, DAY, "does not contain it"),
    ] {
        let (code, printed) = check(&tree, &export.to_string(), day);
        assert_eq!(code, Some(0), "{printed}");
        let warning = "warning[removed-operation-unknown-usage]";
        assert!(
            printed.contains(warning) && printed.contains(why),
            "{printed}"
        );
    }
}

#[test]
fn a_file_that_is_not_a_usage_export_fails_the_command() {
    let tree = Tree::new();
    let (code, printed) = check(&tree, "operation,key\n", DAY);
    assert_eq!(code, Some(1), "{printed}");
    assert!(
        printed.contains("is not a JSON export of the usage"),
        "{printed}"
    );
    let later = json!({"format": 2, "created_at": "2030-12-05T10:00:00Z", "operations": []});
    let (code, printed) = check(&tree, &later.to_string(), DAY);
    assert_eq!(code, Some(1), "{printed}");
    assert!(printed.contains("has the format 2"), "{printed}");
}
