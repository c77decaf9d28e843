//! Tests of documents of other teams. Each has a construct that the toolkit once rejected, lost or misread. `init` must create a
//! service that passes all gates. `.ci/foreign` also compiles and tests these services, and runs the round trip.

use std::{fs, path::Path, process::Command};
use tempfile::TempDir;

/// A service that `init` created for a document of the folder `foreign`.
struct Service {
    folder: TempDir,
    printed: String,
}

impl Service {
    /// Runs `init` without options, except for the name if the title of the document does not contain one.
    fn of(document: &str) -> Self {
        let folder = TempDir::new().expect("a folder");
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign");
        let from = from.join(document).display().to_string();
        let name: &[&str] = match document {
            "names.yaml" => &["--name", "odd"],
            _ => &[],
        };
        let arguments = [&["init", "--from", &from], name].concat();
        let (code, printed) = run(folder.path(), &arguments);
        assert_eq!(code, 0, "{printed}");
        Service { folder, printed }
    }

    fn assert_green(&self) {
        for arguments in [
            &["generate", "--check"][..],
            &["check", "--skip", "roundtrip"],
        ] {
            let (code, printed) = run(self.folder.path(), arguments);
            assert_eq!(code, 0, "{printed}");
        }
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.folder.path().join(path)).expect(path)
    }
}

/// Runs a command. The service that `init` creates is not compiled.
fn run(folder: &Path, arguments: &[&str]) -> (i32, String) {
    let fast = arguments.starts_with(&["init"]).then_some("--no-verify");
    let output = Command::new(env!("CARGO_BIN_EXE_cargo-openapi-dropshot"))
        .arg("openapi-dropshot")
        .args(arguments)
        .args(fast)
        .current_dir(folder)
        .env_remove("GITHUB_ACTIONS")
        .output()
        .expect("the command runs");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8(text).expect("UTF-8");
    (output.status.code().expect("an exit code"), text)
}

#[test]
fn generated_services_pass_all_gates() {
    for document in [
        "additional-methods.yaml",
        "alternatives-of-text.yaml",
        "any-media-type.yaml",
        "bounded-lists.yaml",
        "described-reference.yaml",
        "disjoint-methods.yaml",
        "free-form.yaml",
        "head-with-content.yaml",
        "implied-rules.yaml",
        "media-types.yaml",
        "missing-texts.yaml",
        "names.yaml",
        "newest-version.yaml",
        "null-parameter.yaml",
        "nullable-bodies.yaml",
        "parameters.yaml",
        "query-method.yaml",
        "scopes.yaml",
        "single-boolean.yaml",
        "stray-members.yaml",
        "titled-parameter.yaml",
        "two-schemes.yaml",
        "union-tag.yaml",
        "values.yaml",
        "variable-at-root.yaml",
        "words-beside-map.yaml",
    ] {
        Service::of(document).assert_green();
    }
}

#[test]
fn alternatives_that_are_all_strings_become_an_enum_in_the_client() {
    let service = Service::of("alternatives-of-text.yaml");
    let types = service.read("crates/plans-client/src/generated/types.rs");
    for name in ["PlanInterval", "PlanVersion"] {
        assert!(types.contains(&format!("pub enum {name} {{")), "{types}");
    }
}

#[test]
fn each_error_reported_for_a_document_can_be_skipped_at_its_place() {
    let folder = TempDir::new().expect("a folder");
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign/faulty-parts.yaml");
    let from = from.display().to_string();
    let (code, printed) = run(folder.path(), &["init", "--from", &from]);
    assert_eq!(code, 1, "{printed}");
    assert!(printed.contains("`--skip-unsupported` skips"), "{printed}");
    let (code, printed) = run(
        folder.path(),
        &["init", "--from", &from, "--skip-unsupported"],
    );
    assert_eq!(code, 3, "{printed}");
    let service = Service { folder, printed };
    let configuration = service.read("openapi-dropshot.toml");
    let (_, skip) = configuration
        .split_once("[document.skip]")
        .expect("a table");
    let names: Vec<&str> = (skip.trim().lines())
        .map_while(|line| Some(line.split_once(" = ")?.0))
        .collect();
    assert_eq!(
        names,
        [
            "\"#/components/schemas/Unused\"",
            "\"GET /type\"",
            "getDangling",
            "getDefault",
            "getOtherScheme",
            "getScheme",
            "getTwice",
        ]
    );
    assert!(skip.contains("`list` is not a type"), "{skip}");
    let handlers = service.read("crates/faulty-parts-server/src/handlers.rs");
    assert_eq!(handlers.matches("async fn ").count(), 1, "{handlers}");
    service.assert_green();
}

#[test]
fn nothing_is_written_if_a_gate_would_fail() {
    let folder = TempDir::new().expect("a folder");
    let released = folder.path().join("spec/released");
    fs::create_dir_all(&released).expect("a folder");
    fs::write(released.join("1.0.0.yaml"), "openapi: [").expect("a file");
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign/free-form.yaml");
    let from = from.display().to_string();
    let (code, printed) = run(folder.path(), &["init", "--from", &from]);
    assert_eq!(code, 1, "{printed}");
    assert!(printed.contains("nothing was written"), "{printed}");
    assert!(!folder.path().join("openapi-dropshot.toml").exists());
    assert!(!folder.path().join("crates").exists());
}

#[test]
fn each_member_without_a_meaning_causes_exactly_one_warning() {
    let service = Service::of("stray-members.yaml");
    for part in [
        "warning[unknown-member]: a schema has no member `examples`",
        "warning[unknown-member]: a schema has no member `display_order`",
        "warning[wrong-type]: `required` must be an array of names",
        "warning[duplicate-tag]",
        "warning[security-scope]",
        "warning[reserved-header]",
    ] {
        let count = service.printed.matches(part).count();
        assert_eq!(count, 1, "{part} in {}", service.printed);
    }
    assert!(!service.printed.contains("error["), "{}", service.printed);
}

#[test]
fn overlapping_paths_with_different_methods_are_allowed() {
    let service = Service::of("disjoint-methods.yaml");
    let handlers =
        service.read("crates/paths-that-meet-and-methods-that-do-not-server/src/handlers.rs");
    for method in ["get_task", "delete_task", "create_task", "link", "get_lead"] {
        assert!(
            handlers.contains(&format!("async fn {method}(")),
            "{method} in {handlers}"
        );
    }
}

#[test]
fn a_constant_boolean_keeps_its_value() {
    let service = Service::of("single-boolean.yaml");
    let models = ["mod.rs", "operations.rs", "schemas.rs"].map(|file| {
        let path = format!("crates/m-models/src/generated/{file}");
        fs::read_to_string(service.folder.path().join(path)).unwrap_or_default()
    });
    let models = models.concat();
    assert!(models.contains("(true)]"), "{models}");
}

#[test]
fn init_rejects_a_document_with_webhooks_only() {
    let folder = TempDir::new().expect("a folder");
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign/webhooks-only.yaml");
    let from = from.display().to_string();
    let (code, printed) = run(folder.path(), &["init", "--from", &from]);
    assert_eq!(code, 1, "{printed}");
    assert!(printed.contains("there is nothing to serve"), "{printed}");
}

#[test]
fn an_operation_with_response_101_is_a_websocket_and_is_left_out_of_the_client_only() {
    let folder = TempDir::new().expect("a folder");
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign/websocket.yaml");
    let from = from.display().to_string();
    let arguments = ["init", "--from", &from, "--skip-unsupported"];
    let (code, printed) = run(folder.path(), &arguments);
    assert_eq!(code, 3, "{printed}");
    assert!(
        printed.contains("warning[unsupported-status]: 101 is not sent"),
        "{printed}"
    );
    let service = Service { folder, printed };
    let configuration = service.read("openapi-dropshot.toml");
    assert!(
        configuration.contains("skip-in-client = [\"watch\"]"),
        "{configuration}"
    );
    assert!(
        !configuration.contains("[document.skip]"),
        "{configuration}"
    );
    service.assert_green();
}
