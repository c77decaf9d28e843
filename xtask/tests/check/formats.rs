//! Tests the output of the gates: lines and details as text, JSON, and annotations.

use crate::check::tree::{DOCUMENT, Tree, all_of};
use serde_json::Value;

/// A tree with a warning and two failing gates.
fn broken() -> Tree {
    let tree = Tree::new();
    tree.replace(DOCUMENT, "maximum: 100", "maximum: 50");
    tree
}

const DAY: &[&str] = &["--today", "2030-06-20"];

#[test]
fn each_gate_has_a_line_with_its_time_and_each_finding_has_its_place_and_remedy() {
    let output = broken().check(DAY);
    assert_eq!(output.status.code(), Some(1));
    let printed = all_of(&output);
    let lines: Vec<Vec<&str>> = (printed.lines().take(5))
        .map(|line| line.split_whitespace().take(4).collect())
        .collect();
    let states: Vec<(&str, &str, &str)> = lines
        .iter()
        .map(|words| (words[0], words[1], words[3]))
        .collect();
    assert_eq!(
        states,
        [
            ("document", "ok", "s"),
            ("generated", "FAILED", "s"),
            ("breaking", "FAILED", "s"),
            ("lifecycle", "warning", "s"),
            ("changelog", "ok", "s"),
        ],
        "{printed}"
    );
    for words in lines {
        assert!(words[2].parse::<f64>().is_ok(), "{words:?} has no time");
    }
    for words in [
        "\nfix: cargo xtask generate\n",
        "error[request-parameter-max-decreased]: GET /pets: ",
        "(was spec/released/",
        "warning[sunset-near]",
        "\n2 of 5 gates failed: generated, breaking\n",
    ] {
        assert!(printed.contains(words), "`{words}` is missing:\n{printed}");
    }
}

#[test]
fn one_gate_can_be_run_alone() {
    let output = broken().xtask(&["check", "--gate", "document"]);
    let printed = all_of(&output);
    assert_eq!(output.status.code(), Some(0), "{printed}");
    assert!(printed.ends_with("\nthe gate is green\n"), "{printed}");
}

#[test]
fn the_json_output_is_one_object_with_every_gate_and_finding() {
    let output = broken().check(&[DAY, &["--format", "json"]].concat());
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(json["passed"], false);
    assert_eq!(json["today"], "2030-06-20");
    let gates = json["gates"].as_array().expect("gates");
    let states: Vec<(&str, &str)> = (gates.iter())
        .filter_map(|gate| Some((gate["name"].as_str()?, gate["state"].as_str()?)))
        .collect();
    assert_eq!(
        states,
        [
            ("document", "passed"),
            ("generated", "failed"),
            ("breaking", "failed"),
            ("lifecycle", "warned"),
            ("changelog", "passed"),
        ]
    );
    assert_eq!(gates[1]["fix"], "cargo xtask generate");
    assert!(
        gates
            .iter()
            .all(|gate| gate["seconds"].is_number() && gate["summary"].is_string())
    );
    let found = &gates[2]["findings"][0];
    assert_eq!(found["severity"], "error");
    assert_eq!(found["rule"], "request-parameter-max-decreased");
    assert_eq!(found["file"], DOCUMENT);
    assert!(found["line"].is_number() && found["column"].is_number());
    assert_eq!(
        found["pointer"],
        "/components/parameters/Limit/schema/maximum"
    );
}

#[test]
fn annotations_name_file_and_line_and_contain_no_line_breaks() {
    let output = broken().check(&[DAY, &["--annotations"]].concat());
    let printed = all_of(&output);
    let annotations: Vec<&str> = printed
        .lines()
        .filter(|line| line.starts_with("::"))
        .collect();
    let of_break = (annotations.iter())
        .find(|line| line.contains("request-parameter-max-decreased"))
        .unwrap_or_else(|| panic!("the break is not annotated:\n{printed}"));
    assert!(
        of_break.starts_with("::error file=spec/openapi.yaml,line="),
        "{of_break}"
    );
    assert!(of_break.contains("%0A[[accepted]]%0Arule = "), "{of_break}");
    assert!(
        annotations
            .iter()
            .any(|line| line.starts_with("::warning file=spec/openapi.yaml,line=")),
        "{printed}"
    );
}

#[test]
fn annotations_escape_special_characters_in_the_path_of_a_file() {
    let tree = Tree::new();
    let path = "crates/petstore-api/src/generated/100%, a:b.rs";
    tree.write(path, "pub struct Extra;\n");
    let output = tree.xtask(&["check", "--gate", "generated", "--annotations"]);
    let printed = all_of(&output);
    let expected =
        "::error file=crates/petstore-api/src/generated/100%25%2C a%3Ab.rs,line=1,col=1,";
    assert!(printed.contains(expected), "{printed}");
}

#[test]
fn annotations_are_written_in_github_actions_and_keep_json_valid() {
    let tree = broken();
    let run = |format: &str| {
        std::process::Command::new(env!("CARGO_BIN_EXE_xtask"))
            .arg("--root")
            .arg(tree.root())
            .args(["check", "--gate", "generated", "--format", format])
            .env("GITHUB_ACTIONS", "true")
            .output()
            .expect("xtask can be run")
    };
    let text = run("text");
    assert!(String::from_utf8_lossy(&text.stdout).contains("\n::error file="));
    let json = run("json");
    assert!(serde_json::from_slice::<Value>(&json.stdout).is_ok());
    assert!(String::from_utf8_lossy(&json.stderr).starts_with("::error file="));
}

#[test]
fn the_flag_spec_compares_another_document_with_code_and_releases() {
    let tree = Tree::new();
    let other = tree.root().join("other.yaml");
    let text = tree.read(DOCUMENT).replace("maximum: 100", "maximum: 50");
    tree.write("other.yaml", &text);
    let other = other.to_str().expect("the path is UTF-8");
    let output = tree.check(&["--spec", other, "--format", "json"]);
    let json: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let findings = crate::check::tree::Findings(json);
    assert_eq!(
        findings.failed(),
        ["generated", "breaking"],
        "{}",
        findings.shown()
    );
    assert_eq!(findings.of("breaking")[0]["file"], other);
    assert!(
        findings
            .fix("generated")
            .contains("replace spec/openapi.yaml with")
    );
}

#[test]
fn a_missing_document_is_reported_with_its_path() {
    let output = Tree::new().xtask(&["check", "--spec", "no-such.yaml"]);
    assert_eq!(output.status.code(), Some(1));
    let printed = all_of(&output);
    assert!(
        printed.contains("error: cannot read the document no-such.yaml"),
        "{printed}"
    );
}
