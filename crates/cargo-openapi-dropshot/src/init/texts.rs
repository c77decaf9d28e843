//! Creates the texts of all files of a new service.

use super::{Existing, Plan, Values, calls, handlers};
use crate::skip;
use anyhow::{Context as _, Result};
use openapi_dropshot_contract::{Profile, release::Version};
use std::{
    io::Write as _,
    process::{Command, Stdio},
};

const WORKSPACE: &str = include_str!("template/workspace.toml.in");
const CONFIGURATION: &str = include_str!("template/openapi-dropshot.toml.in");

/// The name of a crate after the name of the service, and the templates of its manifest and its library.
macro_rules! crate_of {
    ($part:literal) => {
        (
            $part,
            include_str!(concat!("template/", $part, ".toml.in")),
            include_str!(concat!("template/", $part, ".rs.in")),
        )
    };
}

/// Returns the paths and the texts of all files. `text` is the text of the document.
pub(super) fn all(plan: &Plan, text: &str, existing: &Existing) -> Result<Vec<(String, String)>> {
    let values = values(plan, existing);
    let name = &plan.name;
    let (handlers, mocks) = handlers(plan)?;
    let mut files = vec![(plan.source.clone(), text.to_owned())];
    let mut add = |path: &str, template: &str| files.push((path.to_owned(), values.fill(template)));
    add("openapi-dropshot.toml", CONFIGURATION);
    if existing.is_new() {
        add("Cargo.toml", WORKSPACE);
        add(".gitignore", include_str!("template/gitignore.in"));
    }
    add(".gitattributes", include_str!("template/gitattributes.in"));
    add("README.md", include_str!("template/readme.md.in"));
    add("CHANGELOG.md", include_str!("template/changelog.md.in"));
    let workflow = include_str!("template/ci.yml.in");
    add(".github/workflows/ci.yml", workflow);
    let parts = [crate_of!("models"), crate_of!("api"), crate_of!("server")].into_iter();
    let parts = parts.chain(plan.has_client.then_some(crate_of!("client")));
    for (part, manifest, library) in parts {
        add(&format!("crates/{name}-{part}/Cargo.toml"), manifest);
        add(&format!("crates/{name}-{part}/src/lib.rs"), library);
    }
    let main = include_str!("template/main.rs.in");
    add(&format!("crates/{name}-server/src/main.rs"), main);
    let tests = test_values(plan, values)?;
    let test = tests.fill(include_str!("template/test.rs.in"));
    files.push((format!("crates/{name}-server/tests/service.rs"), test));
    files.push((format!("crates/{name}-server/src/handlers.rs"), handlers));
    for (path, text) in &mut files {
        if path.ends_with(".rs") {
            *text = formatted(text);
        }
    }
    for (method, text) in mocks {
        files.push((format!("crates/{name}-server/mock/{method}.json"), text));
    }
    let generated = plan.generated.files.iter();
    files.extend(generated.map(|file| (file.path.clone(), file.text.clone())));
    Ok(files)
}

/// Returns the part of `openapi-dropshot.toml` about the document.
pub(super) fn document_table(plan: &Plan, existing: &Existing) -> String {
    let text = configuration_values(plan, existing).fill(CONFIGURATION);
    let start = text.find("[[document]]").unwrap_or_default();
    text[start..].trim_end().to_owned()
}

fn configuration_values(plan: &Plan, existing: &Existing) -> Values {
    let mut values = Values::default();
    let lints = openapi_dropshot_contract::lint(&plan.document, Profile::Strict);
    values.set("name", &plan.name);
    values.set("document", &plan.source);
    values.keep("client", plan.has_client);
    let trait_name = plan.generator.trait_name.as_deref();
    values.set("trait", trait_name.unwrap_or_default());
    let in_client = plan.unsupported.in_client.iter();
    let elements = skip::elements(in_client.map(|own| own.configured.as_str()));
    values.set("skipped-in-client", elements);
    values.set("skipped", skip::entries(&plan.unsupported.skip).trim_end());
    values.keep("general", lints.iter().any(|lint| lint.is_error()));
    let has_version = version(plan).is_some();
    values.keep("other-version", !has_version);
    values.keep("other-workspace", has_version && !existing.is_new());
    values
}

/// Returns the version of the document, if it is also a valid crate version.
fn version(plan: &Plan) -> Option<Version> {
    Version::parse(&plan.document.info.version.value)
}

fn values(plan: &Plan, existing: &Existing) -> Values {
    let mut values = configuration_values(plan, existing);
    let snake = plan.name.replace('-', "_");
    let version = version(plan).map_or_else(|| "0.1.0".to_owned(), |version| version.to_string());
    values.set("capitals", snake.to_uppercase());
    values.set("snake", &snake);
    values.set("version", &version);
    values.set("rust-version", env!("CARGO_PKG_RUST_VERSION"));
    values.set("base-path", &plan.api.base_path);
    let imported = plan.api.imported_crates();
    values.keep("free-form", imported.contains("serde_json"));
    values.set("install", plan.toolkit.install());
    values.keep("secured", plan.is_secured);
    values.keep("scoped", plan.has_scopes);
    values.keep("open", !plan.is_secured);
    let mut notes = plan.notes.clone();
    let left_out = plan.unsupported.operations.iter();
    let left_out: Vec<&str> = left_out.map(|own| own.name.as_str()).collect();
    if !left_out.is_empty() {
        let list = left_out.join("`, `");
        notes.push(format!("These operations of the document are skipped, because the generator does not support them: `{list}`. `[document.skip]` in `openapi-dropshot.toml` lists the reasons."));
    }
    values.keep("notes", !notes.is_empty());
    let notes: Vec<String> = notes.iter().map(|note| format!("- {note}")).collect();
    values.set("notes-list", notes.join("\n"));
    for part in ["client", "server", "types"] {
        // In an existing workspace, each crate lists its dependencies itself.
        let up = if existing.is_new() { "" } else { "../../" };
        let name = format!("openapi-dropshot-{part}");
        let source = plan.toolkit.dependency(&name, up);
        values.set(&format!("toolkit-{part}"), source);
    }
    let is_new = existing.is_new();
    let keys = [
        ("version", version.as_str()),
        ("edition", "2024"),
        ("rust-version", env!("CARGO_PKG_RUST_VERSION")),
    ];
    let package = keys.map(|(key, value)| match is_new {
        true => format!("{key}.workspace = true"),
        false => format!("{key} = {value:?}"),
    });
    values.set("package", package.join("\n"));
    // In an existing workspace, the crates do not use dependencies that its root declares.
    let parts = ["api", "client", "models"].map(|part| {
        let source = format!("path = \"../{}-{part}\"", plan.name);
        (format!("@{part}"), source)
    });
    for (name, source) in dependencies(&values).into_iter().chain(parts) {
        let source = if is_new { "workspace = true" } else { &source };
        values.set(&format!("dep:{name}"), source);
    }
    values
}

/// Returns the dependencies that the workspace declares, each as an inline table.
fn dependencies(values: &Values) -> Vec<(String, String)> {
    let text = values.fill(WORKSPACE);
    let lines = text.lines().filter_map(|line| line.split_once(" = "));
    let dependencies = lines.filter_map(|(name, source)| {
        let table = source.strip_prefix('{');
        let table = table.and_then(|table| table.strip_suffix('}'));
        let source = match table {
            Some(table) => table.trim().to_owned(),
            None if source.starts_with('"') => format!("version = {source}"),
            None => return None,
        };
        Some((name.to_owned(), source))
    });
    dependencies.collect()
}

fn test_values(plan: &Plan, mut values: Values) -> Result<Values> {
    let tests = calls::tests(plan).context("cannot write the tests of the service")?;
    values.keep("uses-json", tests.text.contains("json::<"));
    values.keep("uses-types", tests.text.contains("types::"));
    let mut operations = plan.document.operations.iter();
    values.keep("deprecated", operations.any(|own| own.deprecated));
    values.keep("secured-operation", tests.secured_request.is_some());
    values.set("secured-request", tests.secured_request.unwrap_or_default());
    values.set("tests", tests.text);
    Ok(values)
}

/// Formats Rust like `cargo fmt`. Without rustfmt, the text is not changed.
fn formatted(text: &str) -> String {
    let child = Command::new("rustfmt")
        .args(["--edition", "2024", "--emit", "stdout", "--quiet"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = child else {
        return text.to_owned();
    };
    if let Some(mut input) = child.stdin.take() {
        // If rustfmt ends early, its output is not used, so the error does not matter.
        drop(input.write_all(text.as_bytes()));
    }
    match child.wait_with_output() {
        Ok(output) if output.status.success() && !output.stdout.is_empty() => {
            String::from_utf8(output.stdout).unwrap_or_else(|_| text.to_owned())
        }
        _ => text.to_owned(),
    }
}
