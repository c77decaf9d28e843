//! Creates repositories for the tests, and runs the command in them.

use sha2::{Digest, Sha256};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};
use tempfile::TempDir;

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_cargo-openapi-dropshot");

pub(crate) const DOCUMENT: &str = "spec/things.yaml";

/// A document that follows all rules.
pub(crate) const THINGS: &str = r"openapi: 3.0.3
info: {title: Things, version: 1.0.0}
servers: [{url: 'http://localhost/v1'}]
security: [{key: []}]
paths:
  /things:
    get:
      operationId: listThings
      summary: List all things
      parameters:
        - {name: limit, in: query, description: How many., schema: {type: integer, format: int32, minimum: 1, maximum: 100}}
      responses:
        '200': {description: All things., content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Thing'}}, example: []}}}
        '404': {$ref: '#/components/responses/NotFound'}
        4XX: {$ref: '#/components/responses/Rejected'}
        5XX: {$ref: '#/components/responses/Broken'}
components:
  securitySchemes:
    key: {type: http, scheme: bearer}
  responses:
    NotFound:
      description: There are no things.
      x-error-codes: [not_found]
      content: {application/json: {schema: {$ref: '#/components/schemas/Error'}, example: {code: not_found, message: Nothing is here.}}}
    Rejected:
      description: The request was rejected.
      x-error-codes: [bad_request, unauthorized, request_timeout, operation_removed, payload_too_large, unsupported_media_type, rate_limited]
      content: {application/json: {schema: {$ref: '#/components/schemas/Error'}, example: {code: bad_request, message: It is bad.}}}
    Broken:
      description: The service is broken.
      x-error-codes: [internal, overloaded, unavailable]
      content: {application/json: {schema: {$ref: '#/components/schemas/Error'}, example: {code: internal, message: It is broken.}}}
  schemas:
    Thing:
      type: object
      required: [id]
      properties:
        id: {type: integer, format: int64}
        note: {type: object, properties: {text: {type: string, maxLength: 100}}}
    Error:
      type: object
      required: [code, message]
      properties:
        message: {type: string}
        code:
          type: string
          x-extensible-enum: [bad_request, unauthorized, not_found, request_timeout, operation_removed, payload_too_large, unsupported_media_type, rate_limited, internal, overloaded, unavailable]
          x-error-catalogue:
            bad_request: {status: 400, cause: It is bad., cure: Make it good.}
            unauthorized: {status: 401, cause: There is no key., cure: Send one.}
            not_found: {status: 404, cause: It is gone., cure: Forget it.}
            request_timeout: {status: 408, cause: It is late., cure: Be faster.}
            operation_removed: {status: 410, cause: It is removed., cure: Use another.}
            payload_too_large: {status: 413, cause: It is large., cure: Send less.}
            unsupported_media_type: {status: 415, cause: It is not JSON., cure: Send JSON.}
            rate_limited: {status: 429, cause: There are many., cure: Wait.}
            internal: {status: 500, cause: A fault., cure: Try later.}
            overloaded: {status: 503, cause: It is busy., cure: Try later.}
            unavailable: {status: 503, cause: It is away., cure: Try later.}
";

pub(crate) const CHANGELOG: &str = "# Changelog

## Unreleased

## 1.0.0 - 2026-11-20

### Added

- All of it.
";

const CODE_FIRST: &str = "[[document]]\npath = \"spec/things.yaml\"\n";

const GENERATE: &str = r#"
[document.generate]
models = { folder = "models/src/generated" }
api = { folder = "api/src/generated" }
client = { folder = "client/src/generated" }
"#;

/// A repository, which is deleted when dropped.
pub(crate) struct Repository(TempDir);

impl Repository {
    /// A repository that commits only its document, released as 1.0.0.
    pub(crate) fn code_first() -> Self {
        Repository::code_first_in(tempfile::tempdir().expect("a temporary folder"))
    }

    /// Does the same in a folder of another repository.
    pub(crate) fn below(outer: &Repository, name: &str) -> Self {
        let folder = tempfile::Builder::new()
            .prefix(name)
            .rand_bytes(0)
            .tempdir_in(outer.root());
        Repository::code_first_in(folder.expect("a folder"))
    }

    fn code_first_in(folder: TempDir) -> Self {
        let repository = Repository(folder);
        repository.write("openapi-dropshot.toml", CODE_FIRST);
        repository.write(DOCUMENT, THINGS);
        repository.release(THINGS);
        repository.write("CHANGELOG.md", CHANGELOG);
        repository
    }

    /// Writes a document as the release 1.0.0, with its checksum.
    pub(crate) fn release(&self, text: &str) {
        self.write("spec/released/1.0.0.yaml", text);
        let digest = Sha256::digest(text);
        let checksum: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let record = format!("{checksum}  1.0.0.yaml\n");
        self.write("spec/released/SHA256SUMS", &record);
    }

    /// A repository with a workspace of three crates for generated code.
    pub(crate) fn with_crates() -> Self {
        let repository = Repository::code_first();
        repository.write("openapi-dropshot.toml", &format!("{CODE_FIRST}{GENERATE}"));
        let workspace = "[workspace]\nmembers = [\"models\", \"api\", \"client\"]\n\n[workspace.package]\nversion = \"1.0.0\"\n";
        repository.write("Cargo.toml", workspace);
        for name in ["models", "api", "client"] {
            let package =
                format!("[package]\nname = \"things-{name}\"\nversion.workspace = true\n");
            repository.write(&format!("{name}/Cargo.toml"), &package);
            repository.write(&format!("{name}/src/lib.rs"), "mod generated;\n");
        }
        repository
    }

    pub(crate) fn root(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.root().join(path)
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.path(path);
        let folder = path.parent().expect("a file is in a folder");
        fs::create_dir_all(folder).expect("a folder");
        fs::write(path, text).expect("a file is written");
    }

    /// Replaces the first `old` of a file by `new`.
    #[track_caller]
    pub(crate) fn replace(&self, path: &str, old: &str, new: &str) {
        let text = self.read(path);
        assert!(text.contains(old), "{path} has no `{old}`");
        self.write(path, &text.replacen(old, new, 1));
    }

    /// The command in the root of the repository.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command
            .arg("openapi-dropshot")
            .args(arguments)
            .current_dir(self.root())
            .env_remove("GITHUB_ACTIONS");
        command
    }

    /// Runs the command, and returns the exit code with all that it printed.
    pub(crate) fn run(&self, arguments: &[&str]) -> (i32, String) {
        all_of(&self.command(arguments).output().expect("the program runs"))
    }

    /// Runs git, which must succeed.
    #[track_caller]
    pub(crate) fn git(&self, arguments: &[&str]) {
        let output = Command::new("git")
            .args([
                "-c",
                "user.name=T",
                "-c",
                "user.email=t@example.com",
                "-c",
                "commit.gpgsign=false",
            ])
            .args(arguments)
            .current_dir(self.root())
            .output()
            .expect("git runs");
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            all_of(&output).1
        );
    }

    /// Commits everything on the branch `main`.
    pub(crate) fn commit_all(&self) {
        if !self.path(".git").exists() {
            self.git(&["init", "--quiet", "--initial-branch=main"]);
        }
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--no-verify", "--message", "All"]);
    }

    /// All files with their contents, without those of git.
    pub(crate) fn snapshot(&self) -> Vec<(PathBuf, Vec<u8>)> {
        let mut files = Vec::new();
        let mut folders = vec![self.root().to_path_buf()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.ends_with(".git") {
                    continue;
                }
                if path.is_dir() {
                    files.push((path.clone(), Vec::new()));
                    folders.push(path);
                } else {
                    files.push((path.clone(), fs::read(&path).unwrap_or_default()));
                }
            }
        }
        files.sort();
        files
    }
}

/// The exit code of a program, and all that it printed.
pub(crate) fn all_of(output: &Output) -> (i32, String) {
    let printed = [&output.stdout, &output.stderr];
    let printed = printed.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let code = output.status.code().expect("the program was not killed");
    (code, printed.concat())
}

/// Checks the exit code of a run, and that it printed these texts.
#[track_caller]
pub(crate) fn assert_printed((code, printed): (i32, String), expected: i32, texts: &[&str]) {
    assert_eq!(code, expected, "{printed}");
    for text in texts {
        assert!(printed.contains(text), "`{text}` is not in:\n{printed}");
    }
}
