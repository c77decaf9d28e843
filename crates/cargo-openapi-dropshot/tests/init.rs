//! Tests of `cargo openapi-dropshot init` as a team runs it: in an empty folder, in a repository, and with documents that cannot be
//! served. Nothing is compiled here: `.ci/toolkit` compiles, tests and runs the services that `init` creates.

use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};
use tempfile::TempDir;
use walkdir::{DirEntry, WalkDir};

const DOCUMENT: &str = r#"openapi: 3.0.3
info: {title: Shop API, version: 1.2.0}
servers: [{url: 'https://shop.example/v1'}]
security: [{key: []}]
paths:
  /things/{thingId}:
    get:
      operationId: getThing
      parameters:
        - {name: thingId, in: path, required: true, schema: {type: integer, example: 7}}
      responses:
        '200':
          description: A thing.
          headers:
            x-page: {required: true, schema: {type: integer, minimum: 3}}
          content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}
        4XX: {$ref: '#/components/responses/Error'}
        5XX: {$ref: '#/components/responses/Error'}
    delete:
      operationId: removeThing
      parameters:
        - {name: thingId, in: path, required: true, schema: {type: integer, example: 7}}
      responses:
        '204': {description: Removed.}
        4XX: {$ref: '#/components/responses/Error'}
        5XX: {$ref: '#/components/responses/Error'}
components:
  securitySchemes: {key: {type: http, scheme: bearer}}
  responses:
    Error:
      description: An error.
      content: {application/json: {schema: {$ref: '#/components/schemas/Error'}}}
  schemas:
    Error:
      type: object
      required: [code, message]
      properties: {code: {type: integer}, message: {type: string}}
    Thing:
      type: object
      required: [id, kind]
      properties:
        id: {type: integer, example: 7}
        kind: {type: string, enum: [round, square]}
        code: {type: string, pattern: '^[A-Z]{2}-[0-9]{3}$'}
        secret: {type: string, writeOnly: true}
        tags: {type: array, items: {type: string, example: new}}
"#;

/// A folder with the document. The command runs in this folder.
struct Place(TempDir);

impl Place {
    fn new(document: &str) -> Self {
        let place = Place(TempDir::new().expect("a folder"));
        place.write("openapi.yaml", document);
        place
    }

    fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        let folder = path.parent().expect("a folder");
        fs::create_dir_all(folder).expect("the folder can be made");
        fs::write(path, text).expect("the file can be written");
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).expect(path)
    }

    /// Runs a command. The service that `init` creates is not compiled.
    fn run_in(&self, folder: &str, arguments: &[&str]) -> (i32, String) {
        let fast = arguments.starts_with(&["init"]).then_some("--no-verify");
        let arguments: Vec<&str> = arguments.iter().copied().chain(fast).collect();
        self.run_all(folder, &arguments)
    }

    fn run_all(&self, folder: &str, arguments: &[&str]) -> (i32, String) {
        let Output {
            status,
            stdout,
            stderr,
        } = Command::new(env!("CARGO_BIN_EXE_cargo-openapi-dropshot"))
            .arg("openapi-dropshot")
            .args(arguments)
            .current_dir(self.path(folder))
            .env_remove("GITHUB_ACTIONS")
            .env("CARGO_NET_OFFLINE", "true")
            .output()
            .expect("the command runs");
        let text = [stdout, stderr].concat();
        let text = String::from_utf8(text).expect("UTF-8");
        (status.code().expect("an exit code"), text)
    }

    /// Runs `init` for the document, into `shop`.
    fn init(&self, arguments: &[&str]) -> (i32, String) {
        let arguments = [&["init", "--from", "openapi.yaml", "shop"], arguments].concat();
        self.run_in("", &arguments)
    }

    /// The texts of the files below a folder, by their paths in it.
    fn texts(&self, folder: &str, change: impl Fn(String) -> String) -> BTreeMap<String, String> {
        Place::texts_below(&self.path(folder), change)
    }

    /// Does the same for any folder. Build output is skipped.
    fn texts_below(folder: &Path, change: impl Fn(String) -> String) -> BTreeMap<String, String> {
        let is_source = |entry: &DirEntry| {
            !["target", "Cargo.lock"].contains(&&*entry.file_name().to_string_lossy())
        };
        let entries = WalkDir::new(folder).into_iter().filter_entry(is_source);
        let entries = entries.map(|entry| entry.expect("a readable folder"));
        let files = entries.filter(|entry| entry.file_type().is_file());
        files
            .map(|file| {
                let path = file.path().strip_prefix(folder).expect("below the folder");
                let text = fs::read_to_string(file.path()).expect("a text");
                (path.to_string_lossy().into_owned(), change(text))
            })
            .collect()
    }

    /// The files below a folder, with their content.
    fn files(&self, folder: &str) -> BTreeMap<PathBuf, Vec<u8>> {
        let entries = WalkDir::new(self.path(folder))
            .into_iter()
            .filter_map(Result::ok);
        let files = entries.filter(|entry| entry.file_type().is_file());
        files
            .map(|file| {
                (
                    file.path().to_owned(),
                    fs::read(file.path()).expect("a file"),
                )
            })
            .collect()
    }
}

#[test]
fn init_writes_a_service_that_passes_the_gates() {
    let place = Place::new(DOCUMENT);
    let (code, text) = place.init(&[]);
    assert_eq!(code, 0, "{text}");
    assert_eq!(place.read("shop/spec/openapi.yaml"), DOCUMENT);
    let handlers = place.read("shop/crates/shop-server/src/handlers.rs");
    assert!(
        handlers.contains("impl ShopApi for Handlers {"),
        "{handlers}"
    );
    let call = r#"mock::respond(include_str!("../mock/get_thing.json"), (rqctx, path))"#;
    assert!(handlers.contains(call), "{handlers}");
    let manifest = place.read("shop/Cargo.toml");
    let version = format!(
        "openapi-dropshot-server = {{ version = {:?} }}",
        env!("CARGO_PKG_VERSION")
    );
    assert!(manifest.contains(&version), "{manifest}");
    assert!(manifest.contains("version = \"1.2.0\""), "{manifest}");

    let (code, text) = place.run_in("shop", &["generate", "--check"]);
    assert_eq!(code, 0, "{text}");
    let gates = [
        "document",
        "generated",
        "breaking",
        "lifecycle",
        "changelog",
    ];
    for gate in gates {
        let (code, text) = place.run_in("shop", &["check", "--gate", gate]);
        assert_eq!(code, 0, "{gate}: {text}");
    }
}

#[test]
fn a_generated_service_that_does_not_compile_is_removed_and_the_output_of_cargo_is_printed() {
    let place = Place::new(DOCUMENT);
    place.write("shop/notes.txt", "kept");
    // The registry does not contain this version of the toolkit.
    let arguments = [
        "init",
        "--from",
        "openapi.yaml",
        "shop",
        "--toolkit",
        "0.0.1",
    ];
    let (code, text) = place.run_all("", &arguments);
    assert_eq!(code, 1, "{text}");
    for part in [
        "Compiling the service and running its tests",
        "nothing was written: cargo does not find the crates that the service needs: pass the folder",
        "`--no-verify` writes the service without compiling it",
        "openapi-dropshot-types",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    let left = place.files("shop").into_keys();
    assert_eq!(left.collect::<Vec<_>>(), [place.path("shop/notes.txt")]);
    // A folder that `init` created is removed, too.
    let arguments = arguments.map(|argument| if argument == "shop" { "new" } else { argument });
    let (code, text) = place.run_all("", &arguments);
    assert_eq!(code, 1, "{text}");
    assert!(!place.path("new").exists());
}

#[test]
fn mock_responses_have_the_examples_of_the_document_or_else_valid_values() {
    let place = Place::new(DOCUMENT);
    let (code, text) = place.init(&[]);
    assert_eq!(code, 0, "{text}");
    let read = |name: &str| -> Value {
        let text = place.read(&format!("shop/crates/shop-server/mock/{name}.json"));
        serde_json::from_str(&text).expect("JSON")
    };
    let thing = json!({ "id": 7, "kind": "round", "code": "AA-000", "tags": ["new"] });
    let headers = json!({ "content-type": "application/json", "x-page": "5" });
    let response = read("get_thing");
    assert_eq!(response["status"], 200);
    assert_eq!(response["body"], thing);
    assert_eq!(response["headers"]["content-type"], headers["content-type"]);
    let page: u64 = response["headers"]["x-page"]
        .as_str()
        .and_then(|page| page.parse().ok())
        .expect("a number");
    assert!(page >= 3, "{response}");
    assert_eq!(read("remove_thing"), json!({ "status": 204 }));
    // The server's own errors have the error body of the document.
    let errors = place.read("shop/crates/shop-api/src/generated/errors.rs");
    let body =
        "[\n    (\"code\", ErrorMember::Status),\n    (\"message\", ErrorMember::Message),\n]";
    assert!(errors.contains(body), "{errors}");
}

#[test]
fn the_tests_that_init_writes_call_each_operation_with_the_required_input() {
    let add = "  /things:
    post:
      operationId: addThing
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: '#/components/schemas/NewThing'}}}
      responses:
        '201': {description: Added.}
        4XX: {$ref: '#/components/responses/Error'}
        5XX: {$ref: '#/components/responses/Error'}
components:
";
    let schemas = "  schemas:
    NewThing: {type: object, required: [name], properties: {name: {type: string, example: lamp}}}
";
    let document = DOCUMENT
        .replace("components:\n", add)
        .replace("  schemas:\n", schemas);
    let place = Place::new(&document);
    let (code, text) = place.init(&[]);
    assert_eq!(code, 0, "{text}");
    let tests = place.read("shop/crates/shop-server/tests/service.rs");
    let tests: String = tests.split_whitespace().collect();
    for call in [
        r##".add_thing().body(json::<types::NewThing>(r#"{"name":"lamp"}"#)).send()"##,
        r#".get_thing().thing_id(json::<"#,
    ] {
        assert!(tests.contains(call), "{call} in {tests}");
    }
}

#[test]
fn handlers_of_free_form_objects_import_their_types() {
    let document = r#"openapi: 3.0.3
info: {title: Shop, version: 1.0.0}
paths:
  /any:
    get:
      operationId: getAny
      responses: {'200': {description: Anything., content: {application/json: {schema: {type: array, items: {}}}}}}
  /object:
    put:
      operationId: putObject
      requestBody: {content: {application/json: {schema: {type: object, additionalProperties: {type: object}}}}}
      responses: {'204': {description: Done.}}
"#;
    let place = Place::new(document);
    let (code, text) = place.init(&[]);
    assert_eq!(code, 0, "{text}");
    let handlers = place.read("shop/crates/shop-server/src/handlers.rs");
    for part in [
        "use serde_json::{Map, Value};\n",
        "use std::collections::BTreeMap;\n",
        "HttpResponseOk<Vec<Value>>",
        "OptionalBody<TypedBody<BTreeMap<String, Map<String, Value>>>>",
    ] {
        assert!(handlers.contains(part), "{part} in {handlers}");
    }
    let manifest = place.read("shop/crates/shop-server/Cargo.toml");
    let (dependencies, _) = manifest.split_once("\n[dev-dependencies]\n").expect("both");
    assert!(dependencies.contains("\nserde_json = "), "{manifest}");
}

#[test]
fn the_test_that_init_writes_for_a_multipart_operation_sends_each_part() {
    let upload = "  /files:
    post:
      operationId: addFile
      requestBody:
        required: true
        content: {multipart/form-data: {schema: {type: object, required: [file, size], properties: {file: {type: string, example: a b}, size: {type: integer, example: 3}}}}}
      responses:
        '201': {description: Added.}
        4XX: {$ref: '#/components/responses/Error'}
        5XX: {$ref: '#/components/responses/Error'}
components:
";
    let document = DOCUMENT.replace("components:\n", upload);
    let place = Place::new(&document);
    let (code, text) = place.init(&[]);
    assert_eq!(code, 0, "{text}");
    let client = place.read("shop/crates/shop-client/src/generated/builder.rs");
    assert!(client.contains("request_with_parts"), "{client}");
    let (code, text) = place.run_in("shop", &["generate", "--check"]);
    assert_eq!(code, 0, "{text}");
    let handlers = place.read("shop/crates/shop-server/src/handlers.rs");
    assert!(handlers.contains("async fn add_file("), "{handlers}");
    let tests = place.read("shop/crates/shop-server/tests/service.rs");
    let sent = [
        r#""content-type: multipart/form-data; boundary=part""#,
        r#"--part\r\ncontent-disposition: form-data; name=\"file\"\r\n\r\na b\r\n"#,
        r#"--part\r\ncontent-disposition: form-data; name=\"size\"\r\n\r\n3\r\n--part--\r\n"#,
    ];
    for part in sent {
        assert!(tests.contains(part), "{part} in {tests}");
    }
}

#[test]
fn the_tests_that_init_writes_send_bodies_that_are_not_json_and_headers_with_an_example() {
    let document = DOCUMENT
        .replace(
            "content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}",
            "content: {application/pdf: {schema: {}}}",
        )
        .replace(
            "          headers:\n",
            "          headers:
            X-Total-Count: {schema: {type: integer}, example: 12}
            X-Unknown: {schema: {type: string}}
            Link: {schema: {type: string}, example: <?page=2>; rel=next}
",
        );
    let place = Place::new(&document);
    let (code, text) = place.init(&[]);
    assert_eq!(code, 0, "{text}");
    let text = place.read("shop/crates/shop-server/mock/get_thing.json");
    let response: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(response["body"], "example");
    let headers = response["headers"].as_object().expect("headers");
    assert_eq!(headers["x-total-count"], "12");
    let names: Vec<&str> = headers.keys().map(String::as_str).collect();
    assert_eq!(names, ["content-type", "x-page", "x-total-count"]);
}

#[test]
fn init_prints_where_it_copied_the_document() {
    let place = Place::new(DOCUMENT);
    let schema = "{$ref: '#/components/schemas/Thing'}";
    let several = DOCUMENT.replace(schema, "{$ref: 'extra.yaml'}");
    place.write("several/api.yaml", &several);
    place.write("several/extra.yaml", "type: object\n");
    let (code, text) = place.run_in("several", &["init", "--from", "api.yaml", "../shop"]);
    assert_eq!(code, 0, "{text}");
    assert!(
        text.contains("was written to one JSON file: spec/openapi.json"),
        "{text}"
    );
    let written = place.read("shop/spec/openapi.json");
    assert!(serde_json::from_str::<Value>(&written).is_ok(), "{written}");
    let configuration = place.read("shop/openapi-dropshot.toml");
    assert!(
        configuration.contains("path = \"spec/openapi.json\""),
        "{configuration}"
    );
    assert_eq!(place.run_in("shop", &["generate", "--check"]).0, 0);
    // A copy in the same folder as the original.
    place.write("own/docs/api.yaml", DOCUMENT);
    let (code, text) = place.run_in("own", &["init", "--from", "docs/api.yaml"]);
    assert_eq!(code, 0, "{text}");
    let copied = "The document was copied to spec/openapi.yaml";
    assert!(
        text.contains(copied) && text.contains("Remove docs/api.yaml"),
        "{text}"
    );
    let (code, text) = place.init(&[]);
    assert_eq!(code, 0, "{text}");
    assert!(!text.contains(copied), "{text}");
}

#[test]
fn init_lists_the_rules_that_the_document_breaks() {
    let place = Place::new(DOCUMENT);
    let (code, text) = place.init(&[]);
    assert_eq!(code, 0, "{text}");
    let part = "`missing-summary` (2)";
    assert!(
        text.contains(part) && text.contains("`profile = \"general\"`"),
        "{text}"
    );
}

#[test]
fn init_lists_a_remaining_step_for_an_existing_changelog_in_another_format() {
    let place = Place::new(DOCUMENT);
    place.write("shop/CHANGELOG.md", "# What is new\n\n## v7\n");
    let (code, text) = place.init(&[]);
    assert_eq!(code, 0, "{text}");
    let step = "CHANGELOG.md was kept. The gate `changelog` and the command `release` need a file";
    assert!(
        text.contains(step) && text.contains("`changelog = \"spec/CHANGELOG.md\"`"),
        "{text}"
    );
    place.write("other/CHANGELOG.md", "# Changelog\n\n## Unreleased\n");
    let (code, text) = place.run_in("", &["init", "--from", "openapi.yaml", "other"]);
    assert_eq!(code, 0, "{text}");
    assert!(!text.contains("The gate `changelog`"), "{text}");
}

#[test]
fn a_second_run_of_init_keeps_every_file() {
    let place = Place::new(DOCUMENT);
    let (code, text) = place.init(&[]);
    assert_eq!(code, 0, "{text}");
    place.write(
        "shop/crates/shop-server/src/handlers.rs",
        "// written by hand\n",
    );
    let before = place.files("shop");
    let (code, text) = place.init(&[]);
    assert_eq!(code, 0, "{text}");
    assert!(!text.contains("wrote"), "{text}");
    assert!(
        text.contains("kept    crates/shop-server/src/handlers.rs"),
        "{text}"
    );
    assert!(before == place.files("shop"), "a file changed");
}

#[test]
fn a_second_run_of_init_writes_only_the_responses_of_new_operations() {
    let place = Place::new(DOCUMENT);
    assert_eq!(place.init(&[]).0, 0);
    let handlers = "async fn get_thing() {}\nasync fn remove_thing() { include_str!(\"../mock/remove_thing.json\") }\n";
    place.write("shop/crates/shop-server/src/handlers.rs", handlers);
    for name in ["get_thing", "remove_thing"] {
        fs::remove_file(place.path(&format!("shop/crates/shop-server/mock/{name}.json")))
            .expect("it is there");
    }
    let (code, text) = place.init(&[]);
    assert_eq!(code, 0, "{text}");
    assert!(
        text.contains("wrote   crates/shop-server/mock/remove_thing.json"),
        "{text}"
    );
    assert!(!text.contains("get_thing"), "{text}");
}

#[test]
fn init_keeps_existing_files_and_prints_the_remaining_steps() {
    let place = Place::new(DOCUMENT);
    let manifest = "[workspace]\nmembers = [\"tools/*\"]\n";
    place.write("shop/Cargo.toml", manifest);
    place.write("shop/README.md", "# Ours\n");
    place.write("shop/openapi-dropshot.toml", "# Ours\n");
    let (code, text) = place.init(&["--no-client"]);
    assert_eq!(code, 0, "{text}");
    assert_eq!(place.read("shop/Cargo.toml"), manifest);
    assert_eq!(place.read("shop/README.md"), "# Ours\n");
    for part in [
        "kept    README.md",
        "Add these to `members` in `[workspace]` of Cargo.toml:\n\n    \"crates/shop-models\", \"crates/shop-api\", \"crates/shop-server\"\n",
        "    [[document]]\n    path = \"spec/openapi.yaml\"\n",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    // The crates do not use dependencies of the workspace.
    let manifest = place.read("shop/crates/shop-server/Cargo.toml");
    assert!(
        manifest.contains("shop-api = { path = \"../shop-api\" }"),
        "{manifest}"
    );
    assert!(!manifest.contains("workspace"), "{manifest}");
    assert!(!place.path("shop/crates/shop-client").exists());
}

#[test]
fn a_release_keeps_the_version_of_an_existing_workspace() {
    let place = Place::new(DOCUMENT);
    let manifest = "[workspace]\nmembers = [\"thing\", \"crates/*\"]\n\n[workspace.package]\nversion = \"0.7.3\"\n";
    place.write("shop/Cargo.toml", manifest);
    let thing = "[package]\nname = \"thing\"\nversion.workspace = true\n";
    place.write("shop/thing/Cargo.toml", thing);
    let (code, text) = place.init(&[]);
    assert_eq!(code, 0, "{text}");
    // A released document and a changelog entry, as after some work.
    let released = DOCUMENT.replace(
        "/things/{thingId}:\n    get:",
        "/old: {}\n  /things/{thingId}:\n    get:",
    );
    place.write("shop/spec/released/1.2.0.yaml", &released);
    let changelog =
        "# Changelog\n\n## Unreleased\n\n### Fixed\n\n- A thing.\n\n## 1.2.0 - 2026-11-20\n";
    place.write("shop/CHANGELOG.md", changelog);
    let (code, text) = place.run_in("shop", &["check", "--gate", "changelog"]);
    assert_eq!(code, 0, "{text}");
    assert_eq!(place.read("shop/Cargo.toml"), manifest);
    let configuration = place.read("shop/openapi-dropshot.toml");
    assert!(
        configuration.contains("\ncargo-version = false\n"),
        "{configuration}"
    );
    // A second run does not ask the user to add a document that is already in the configuration.
    let (code, text) = place.init(&[]);
    assert_eq!(code, 0, "{text}");
    assert!(!text.contains("[[document]]"), "{text}");
    // The note about the version does not apply to a repository that `init` created.
    let new = Place::new(DOCUMENT);
    assert_eq!(new.init(&[]).0, 0);
    let configuration = new.read("shop/openapi-dropshot.toml");
    assert!(!configuration.contains("cargo-version"), "{configuration}");
}

#[test]
fn a_toolkit_in_a_folder_is_referred_to_by_a_relative_path() {
    let place = Place::new(DOCUMENT);
    place.write("toolkit/Cargo.toml", "[workspace]\n\n[profile.tool]\n");
    place.write("toolkit/crates/openapi-dropshot-server/Cargo.toml", "");
    let (code, text) = place.init(&["--toolkit", "toolkit"]);
    assert_eq!(code, 0, "{text}");
    assert!(
        text.contains("are at ../toolkit/crates, outside of"),
        "{text}"
    );
    let manifest = place.read("shop/Cargo.toml");
    let types = "openapi-dropshot-types = { path = \"../toolkit/crates/openapi-dropshot-types\" }";
    assert!(manifest.contains(types), "{manifest}");
    let install =
        "cargo install --path ../toolkit/crates/cargo-openapi-dropshot --locked --profile tool\n";
    let workflow = place.read("shop/.github/workflows/ci.yml");
    assert!(workflow.contains(install), "{workflow}");
    // In an existing workspace, each crate lists its dependencies itself.
    place.write("old/Cargo.toml", "[workspace]\nmembers = [\"crates/*\"]\n");
    let arguments = [
        "init",
        "--from",
        "../openapi.yaml",
        "--toolkit",
        "../toolkit",
    ];
    let (code, text) = place.run_in("old", &arguments);
    assert_eq!(code, 0, "{text}");
    let manifest = place.read("old/crates/shop-models/Cargo.toml");
    let types = "path = \"../../../toolkit/crates/openapi-dropshot-types\"";
    assert!(manifest.contains(types), "{manifest}");
    let here = place.path("").display().to_string();
    for folder in ["shop", "old"] {
        for (path, text) in place.texts(folder, |text| text) {
            assert!(
                !text.contains(&here),
                "{folder}/{path} has an absolute path"
            );
        }
    }
    // Without the option, `init` explains where cargo looks for the crates.
    let other = Place::new(DOCUMENT);
    let (code, text) = other.init(&[]);
    assert_eq!(code, 0, "{text}");
    assert!(
        text.contains("come from the registry") && text.contains("`--toolkit`"),
        "{text}"
    );
    // None of the manifests is new.
    let (code, text) = other.init(&[]);
    assert_eq!(code, 0, "{text}");
    assert!(!text.contains("come from the registry"), "{text}");
}

#[test]
fn unsupported_operations_are_reported_with_their_place_and_can_be_skipped() {
    let unsupported = "{type: integer, example: 7, not: {type: string}}";
    let document = DOCUMENT.replacen("{type: integer, example: 7}", unsupported, 1);
    let place = Place::new(&document);
    let (code, text) = place.init(&[]);
    assert_eq!(code, 1, "{text}");
    for part in [
        "--> openapi.yaml:10:",
        "nothing was written",
        "`--skip-unsupported`",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    assert!(!place.path("shop").exists());
    let (code, text) = place.init(&["--skip-unsupported"]);
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("skipped GET /things/{thingId}"), "{text}");
    let readme = place.read("shop/README.md");
    assert!(
        readme.contains("are skipped") && readme.contains("`GET /things/{thingId}`"),
        "{readme}"
    );
    let configuration = place.read("shop/openapi-dropshot.toml");
    let entry = "[document.skip]\ngetThing = \"unsupported-schema: `not` is not supported";
    assert!(configuration.contains(entry), "{configuration}");
    for arguments in [
        &["generate", "--check"][..],
        &["check", "--skip", "roundtrip"],
    ] {
        let (code, text) = place.run_in("shop", arguments);
        assert_eq!(code, 0, "{text}");
    }
    assert!(
        !place
            .path("shop/crates/shop-server/mock/get_thing.json")
            .exists()
    );
    assert!(
        place
            .path("shop/crates/shop-server/mock/remove_thing.json")
            .exists()
    );
}

#[test]
fn init_lists_the_error_responses_that_the_document_lacks() {
    let document = DOCUMENT.replace("        4XX: {$ref: '#/components/responses/Error'}\n", "");
    let place = Place::new(&document);
    let (code, text) = place.init(&[]);
    assert_eq!(code, 0, "{text}");
    for part in [
        "no response 400 for 2 operations",
        "no response 401 for 2 operations",
    ] {
        assert!(text.contains(part), "{part} in {text}");
        assert!(place.read("shop/README.md").contains(part), "{part}");
    }
    assert!(!text.contains("no response 500"), "{text}");
}

#[test]
fn patterns_of_the_legacy_syntax_of_ecmascript_are_supported() {
    for pattern in [r"^[\w-.]+$", r"^\d+\Z"] {
        let document = DOCUMENT.replace("^[A-Z]{2}-[0-9]{3}$", pattern);
        let place = Place::new(&document);
        let (code, text) = place.init(&[]);
        assert_eq!(code, 0, "{text}");
    }
}

#[test]
fn each_warning_is_printed_once() {
    let document = DOCUMENT.replace("      type: object\n      required: [id, kind]\n", "");
    let place = Place::new(&document);
    let (code, text) = place.init(&["--fix"]);
    assert_eq!(code, 0, "{text}");
    assert_eq!(text.matches("warning[assumed-type]").count(), 1, "{text}");
    assert!(text.contains("--> openapi.yaml:"), "{text}");
}

#[test]
fn responses_that_every_service_sends_are_added_on_request() {
    let document = DOCUMENT
        .replace("        4XX: {$ref: '#/components/responses/Error'}\n", "")
        .replace("        5XX: {$ref: '#/components/responses/Error'}\n", "");
    let place = Place::new(&document);
    let (code, text) = place.init(&["--fix"]);
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("added   the response `Rejected`"), "{text}");
    assert!(!text.contains("has no response"), "{text}");
    assert_eq!(place.read("openapi.yaml"), document);
    let fixed = place.read("shop/spec/openapi.yaml");
    for (range, name) in [("4XX", "Rejected"), ("5XX", "Failed")] {
        let response =
            format!("        {range}:\n          $ref: '#/components/responses/{name}'\n");
        assert_eq!(fixed.matches(&response).count(), 2, "{fixed}");
    }
    let body = "schema:\n            $ref: '#/components/schemas/Error'";
    assert_eq!(fixed.matches(body).count(), 2, "{fixed}");
    let (code, text) = place.run_in(
        "shop",
        &["check", "--gate", "document", "--gate", "generated"],
    );
    assert_eq!(code, 0, "{text}");
}

#[test]
fn errors_have_the_media_type_of_the_document() {
    let problem =
        "content: {application/problem+json: {schema: {$ref: '#/components/schemas/Error'}}}";
    let document = DOCUMENT
        .replace(
            "content: {application/json: {schema: {$ref: '#/components/schemas/Error'}}}",
            problem,
        )
        .replace("        5XX: {$ref: '#/components/responses/Error'}\n", "");
    let place = Place::new(&document);
    let (code, text) = place.init(&["--fix"]);
    assert_eq!(code, 0, "{text}");
    let fixed = place.read("shop/spec/openapi.yaml");
    assert!(
        fixed.contains("application/problem+json:\n          schema:"),
        "{fixed}"
    );
    let dispatch = place.read("shop/crates/shop-api/src/generated/dispatch.rs");
    let media_type = "const ERROR_MEDIA_TYPE: &'static str = \"application/problem+json\";";
    assert!(dispatch.contains(media_type), "{dispatch}");
}

#[test]
fn init_reports_a_mistake_with_a_remedy_and_writes_nothing() {
    let place = Place::new(DOCUMENT);
    place.write("file", "");
    place.write("broken/Cargo.toml", "[workspace");
    place.write("taken/Cargo.toml", "[workspace]\nmembers = [\"old/*\"]\n");
    place.write("taken/old/Cargo.toml", "[package]\nname = \"shop-api\"\n");
    place.write("no-name.yaml", &DOCUMENT.replace("Shop API", "'404'"));
    place.write("no-document.yaml", "openapi: 3.0.3\ninfos: {}\n");
    let before = place.files("");
    for (arguments, parts) in [
        (
            &["--from", "missing.yaml"][..],
            &["cannot read missing.yaml"][..],
        ),
        (
            &["--from", "no-document.yaml"],
            &["--> no-document.yaml:2:1", "nothing was written"],
        ),
        (
            &["--from", "no-name.yaml"],
            &["no crate name can be derived", "pass `--name`"],
        ),
        (
            &["--from", "openapi.yaml", "--name", "My Shop"],
            &["`My Shop` is not a valid crate name", "`--name book-shop`"],
        ),
        (
            &["--from", "openapi.yaml", "--toolkit", "no/folder"],
            &["`--toolkit no/folder` is not a version"],
        ),
        (
            &["--from", "openapi.yaml", "file"],
            &["cannot create file: file is a file", "path of a folder"],
        ),
        (
            &["--from", "openapi.yaml", "file/shop"],
            &["cannot create file/shop: file is a file"],
        ),
        (
            &["--from", "openapi.yaml", "broken"],
            &["broken/Cargo.toml is not valid TOML"],
        ),
        (
            &["--from", "openapi.yaml", "taken"],
            &[
                "taken/old/Cargo.toml is already a crate with the name `shop-api`",
                "pass another `--name`",
            ],
        ),
    ] {
        let (code, text) = place.run_in("", &[&["init"], arguments].concat());
        assert_eq!(code, 1, "{arguments:?}: {text}");
        for part in parts {
            assert!(text.contains(part), "{part} in {text}");
        }
        let after = place.files("");
        assert!(before == after, "{arguments:?} left something behind");
    }
}

/// The files of `examples/bookmarks` that differ from the output of `init` for its document: the handlers with their state and
/// their dependencies, their tests, and the page about them.
const BY_HAND: &[&str] = &[
    "README.md",
    "crates/bookmarks-server/Cargo.toml",
    "crates/bookmarks-server/src/handlers.rs",
    "crates/bookmarks-server/src/lib.rs",
    "crates/bookmarks-server/tests/service.rs",
];
/// Files that `init` does not write.
const ADDED: &[&str] = &[
    "crates/bookmarks-server/src/shelf.rs",
    "crates/bookmarks-server/tests/applications.rs",
];
/// The mock responses, which the handlers replace.
const MOCKS: &str = "crates/bookmarks-server/mock/";

/// With `UPDATE_GOLDEN=1`, this test writes the files that are not hand-written.
#[test]
fn the_example_equals_the_output_of_init_except_for_its_handlers() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let root = root.canonicalize().expect("the repository");
    let example = root.join("examples/bookmarks");
    let document = example.join("spec/openapi.yaml");
    let toolkit = root.join("crates");
    let (document, toolkit) = (document.to_string_lossy(), toolkit.to_string_lossy());
    let place = Place(TempDir::new().expect("a folder"));
    let arguments = ["init", "--from", &document, "--toolkit", &toolkit];
    let (code, text) = place.run_in("", &arguments);
    assert_eq!(code, 0, "{text}");
    // The path of the toolkit folder is written as in the example.
    let written = place.texts("", |text| text.replace(&*toolkit, "../../crates"));
    let actual = Place::texts_below(&example, |text| text);
    if test_support::updates_golden() {
        let generated = written
            .iter()
            .filter(|(path, _)| !BY_HAND.contains(&path.as_str()) && !path.starts_with(MOCKS));
        for (path, text) in generated {
            let path = example.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("the file can be written");
        }
        return;
    }
    let is_different = |path: &&String| actual.get(*path) != written.get(*path);
    let mut paths: Vec<&String> = actual.keys().chain(written.keys()).collect();
    paths.sort();
    paths.dedup();
    let different: Vec<&str> = paths
        .into_iter()
        .filter(is_different)
        .map(String::as_str)
        .filter(|path| !path.starts_with(MOCKS))
        .collect();
    let mut expected = [BY_HAND, ADDED].concat();
    expected.sort_unstable();
    assert_eq!(
        different, expected,
        "write the files again with UPDATE_GOLDEN=1"
    );
    let mocks = |files: &BTreeMap<String, String>| {
        files.keys().filter(|path| path.starts_with(MOCKS)).count()
    };
    assert_eq!((mocks(&actual), mocks(&written)), (0, 4));
}

#[test]
fn manual_page_and_completions_name_the_commands() {
    let place = Place::new(DOCUMENT);
    for arguments in [
        &["man"][..],
        &["completions", "bash"],
        &["completions", "zsh"],
        &["--help"],
    ] {
        let (code, text) = place.run_in("", arguments);
        assert_eq!(code, 0, "{text}");
        for name in ["init", "generate", "check"] {
            assert!(text.contains(name), "{name} in the output of {arguments:?}");
        }
    }
}
