//! Command `init`: creates a service for a document: models, API, client, a server that responds with the examples of the
//! document until its handlers are written, tests, and the configuration of `cargo openapi-dropshot`.

mod calls;
mod examples;
mod existing;
mod template;
mod texts;
mod toolkit;
mod verify;

use crate::{
    Output, Project, counted, files, fix, frequencies,
    supported::{SKIPPED, Supported, Unsupported, print_warnings, rejected, without},
};
use any_ascii::any_ascii;
use anyhow::{Context, Result, bail, ensure};
use examples::Examples;
use existing::Existing;
use openapi_dropshot::{Generated, starter::Api};
use openapi_dropshot_contract::{
    Document, Problem, Problems, Profile, model::Operation, normalized,
};
use std::{
    borrow::Cow,
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};
use template::Values;
use toolkit::Toolkit;

/// Create a service for a document; until its handlers are written, it responds with the examples of the document
///
/// Writes models, API, client, server, tests, CI and `openapi-dropshot.toml`, and keeps
/// existing files. Then compiles the service, runs its tests and `check`, and removes it if
/// one of them fails. Exits with 0 if the service was created, with 3 if `--skip-unsupported` skipped an operation,
/// and with 1 if nothing was written.
#[derive(clap::Args, Debug)]
pub struct Options {
    /// The OpenAPI document, YAML or JSON
    #[arg(long, value_name = "FILE")]
    from: PathBuf,

    /// The name of the service and prefix of its crate names; derived from the title of the document if not given
    #[arg(long, value_name = "NAME")]
    name: Option<String>,

    /// Skip the operations that the generator does not support, and list them; the
    /// exit code is then 3
    #[arg(long)]
    skip_unsupported: bool,

    /// Add to the document the responses that every service sends, if they are missing, as `generate --fix` does; the given
    /// file does not change
    #[arg(long)]
    fix: bool,

    /// Do not compile the service, and skip its tests and the gate `roundtrip`, which take minutes
    #[arg(long)]
    no_verify: bool,

    /// Has no effect, because this is the default; kept for scripts that pass it
    #[arg(long, hide = true, overrides_with = "no_verify")]
    verify: bool,

    /// Generate no client, for documents that only the server generator supports
    #[arg(long)]
    no_client: bool,

    /// The source of the toolkit crates: a version in the registry, the URL of a Git repository, or a folder (a relative path
    /// stays relative); the default is the version of this command
    #[arg(long, value_name = "VERSION|URL|FOLDER")]
    toolkit: Option<String>,

    /// The folder of the service. Existing files are kept
    #[arg(default_value = ".", value_name = "DIR")]
    folder: PathBuf,
}

/// The plan for a service that will be written.
struct Plan {
    /// The name, such as `book-shop`.
    name: String,
    /// The document without the skipped parts.
    document: Document,
    /// The path where the document will be, such as `spec/openapi.yaml`.
    source: String,
    generator: openapi_dropshot::Options,
    generated: Generated,
    api: Api,
    has_client: bool,
    /// Whether any operation requires a credential.
    is_secured: bool,
    has_scopes: bool,
    /// The skipped parts.
    unsupported: Unsupported,
    toolkit: Toolkit,
    /// Notes about what the service does not do.
    notes: Vec<String>,
}

/// Writes the files that do not exist yet, and prints the written files and the remaining steps. The exit code is 0, or 3 if
/// `--skip-unsupported` skipped an operation.
///
/// # Errors
///
/// The document cannot be read or served, a name is already used, or a file cannot be written. In these cases nothing was
/// written.
pub fn run(options: &Options) -> Result<ExitCode> {
    let toolkit = Toolkit::parse(options.toolkit.as_deref(), &options.folder)?;
    let mut text = fs::read_to_string(&options.from)
        .with_context(|| format!("cannot read {}", options.from.display()))?;
    let mut usable = read(options, &text)?;
    let bundled = match usable.document.whole_text() {
        Cow::Owned(bundled) => Some(bundled),
        Cow::Borrowed(_) => None,
    };
    let is_bundled = bundled.is_some();
    if let Some(bundled) = bundled {
        // The document of the new repository is a single file.
        text = bundled;
        usable = read(options, &text)?;
    }
    let mut added = Vec::new();
    if options.fix
        && let Some(fixed) = fix::add_missing_responses(&usable.document)?
    {
        added = fixed.lines;
        text = fixed.text;
        usable = read(options, &text)?;
    }
    let name = match &options.name {
        Some(name) => name.clone(),
        None => name_of_title(&usable.document.info.title)?,
    };
    check_name(&name)?;
    check_folder(&options.folder)?;
    print_warnings(&usable.document, lints(&usable.document));
    let is_json = options.from.extension().is_some_and(|end| end == "json");
    let source = match is_bundled || is_json {
        true => JSON,
        false => "spec/openapi.yaml",
    };
    let mut plan = plan(options, usable, name, source, toolkit)?;
    plan.notes.extend(about_source(options, source, is_bundled));
    print_warnings(&plan.document, openapi_dropshot::warnings(&plan.document));
    let existing = Existing::read(&options.folder)?;
    existing.check_crates(&plan.crates())?;

    let mut files = texts::all(&plan, &text, &existing)?;
    let handlers = format!("crates/{}-server/src/handlers.rs", plan.name);
    if let Ok(handlers) = fs::read_to_string(options.folder.join(handlers)) {
        files.retain(|(path, _)| !is_replaced(path, &handlers));
    }
    let is_new = |path: &str| !options.folder.join(path).exists();
    let (new, kept): (Vec<_>, Vec<_>) = files.into_iter().partition(|(path, _)| is_new(path));
    let has_folder = options.folder.exists();
    let written = files::write_all(&options.folder, new)?;
    // Together with other code, or before the remaining steps, the service does not have to compile.
    let is_complete =
        existing.steps(&plan).is_empty() && kept.iter().all(|own| is_same(options, own));
    match is_complete {
        true => verify::remove_unless_green(options, &plan, &written, has_folder)?,
        false => plan.notes.push(NOT_TRIED.to_owned()),
    }
    added.iter().for_each(|line| println!("{line}"));
    report(options, &plan, &existing, &written, &kept);
    Ok(match plan.unsupported.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::from(SKIPPED),
    })
}

/// The note that explains why nothing was compiled.
const NOT_TRIED: &str = "The service was not compiled, because existing files were kept. After the remaining steps, run `cargo test --workspace` and `cargo openapi-dropshot check`.";

/// Whether a file that was kept is not a part of the service, or has the content that would be written.
fn is_same(options: &Options, (path, text): &(String, String)) -> bool {
    let is_part = path.starts_with("crates/") || path.starts_with("spec/");
    !is_part || fs::read_to_string(options.folder.join(path)).is_ok_and(|actual| actual == *text)
}

/// Whether a file is the example response of an operation whose handler has been written in the meantime.
fn is_replaced(path: &str, handlers: &str) -> bool {
    let name = path
        .rsplit_once("/mock/")
        .and_then(|(_, name)| name.strip_suffix(".json"));
    name.is_some_and(|name| {
        handlers.contains(&format!("fn {name}("))
            && !handlers.contains(&format!("/mock/{name}.json"))
    })
}

fn lints(document: &Document) -> Vec<Problem> {
    openapi_dropshot_contract::lint(document, Profile::General)
}

/// Reads the document. With `--skip-unsupported`, removes the parts that have errors. Prints why a document cannot be used.
fn read(options: &Options, text: &str) -> Result<Supported> {
    let file = options.from.to_string_lossy();
    let mut load = files::loader(Path::new(""));
    let usable = Supported::of_text(&file, text, &mut load, &[], lints);
    if options.skip_unsupported {
        return usable.map_err(|problems| rejected(&file, &problems, ""));
    }
    let remedy = match usable {
        Ok(_) => "; `--skip-unsupported` skips the operations that need them",
        Err(_) => "",
    };
    let document = openapi_dropshot_contract::read_with_files(&file, text, &mut load)
        .map_err(|problems| rejected(&file, &problems, remedy))?;
    let problems = Problems::new(&document, lints(&document));
    if problems.has_errors() {
        return Err(rejected(&file, &problems, remedy));
    }
    Ok(document.into())
}

/// The path of the document if it is JSON.
const JSON: &str = "spec/openapi.json";

/// Tells the user which file is the document now, if it is not a copy at the usual path.
fn about_source(options: &Options, source: &str, is_bundled: bool) -> Option<String> {
    let from = options.from.display();
    if is_bundled {
        return Some(format!(
            "The document consists of several files, of which {from} is the first. It was written to one JSON file: {source}. From now on, edit this file."
        ));
    }
    let given = fs::canonicalize(&options.from).ok()?;
    let folder = fs::canonicalize(&options.folder).ok()?;
    let is_copied = given.starts_with(&folder) && given != folder.join(source);
    is_copied.then(|| {
        format!("The document was copied to {source}, and the commands read the copy. Remove {from}. If you move the copy, change `path` in openapi-dropshot.toml.")
    })
}

fn plan(
    options: &Options,
    usable: Supported,
    name: String,
    source: &str,
    toolkit: Toolkit,
) -> Result<Plan> {
    let document = usable.document.clone();
    let rust = name.replace('-', "_");
    let folder = |part: &str| format!("crates/{name}-{part}/src/generated");
    let generator = openapi_dropshot::Options {
        command: Project::unconfigured().task("generate"),
        source: source.to_owned(),
        models: folder("models"),
        api: folder("api"),
        client: match options.no_client {
            true => String::new(),
            false => folder("client"),
        },
        models_crate: format!("{rust}_models"),
        client_crate: format!("{rust}_client"),
        trait_name: trait_name(&document.info.title, &name),
        renames: BTreeMap::new(),
    };
    let mut output = Output {
        options: generator,
        skip: Vec::new(),
        skip_in_client: Vec::new(),
    };
    let generator = &output.options;
    let notes = notes(&document);
    let from = options.from.to_string_lossy();
    let mut unsupported = Unsupported::default();
    if options.skip_unsupported {
        let not_in_client = (!options.no_client).then_some(&[][..]);
        unsupported = Unsupported::find(usable, generator, not_in_client).map_err(|problems| {
            let remedy = "; every operation uses something that is not supported";
            rejected(&from, &problems, remedy)
        })?;
        output.skip = unsupported.skip.keys().cloned().collect();
        let in_client = unsupported.in_client.iter();
        output.skip_in_client = in_client.map(|own| own.configured.clone()).collect();
    }
    let mut generated = output
        .generate(&document)
        .map_err(|problems| not_supported(options, &document, generator, problems))?;
    let document = without(&document, &output.skip)?;
    let document = normalized(&document).unwrap_or(document);
    ensure!(
        !document.operations.is_empty(),
        "{from} has no operations, so there is nothing to serve; add an operation"
    );
    let mut operations = document.operations.iter();
    let is_secured = operations.any(|operation| !operation.is_open());
    let has_scopes = (document.operations.iter())
        .flat_map(|operation| &operation.security)
        .any(|schemes| schemes.values().any(|scopes| !scopes.is_empty()));
    let api = generated.api.take().context("there is no service")?;
    Ok(Plan {
        name,
        source: source.to_owned(),
        generator: output.options,
        generated,
        api,
        has_client: !options.no_client,
        is_secured,
        has_scopes,
        unsupported,
        toolkit,
        notes,
        document,
    })
}

/// Prints the problems, and returns the error, which describes the workaround.
fn not_supported(
    options: &Options,
    document: &Document,
    generator: &openapi_dropshot::Options,
    problems: Vec<Problem>,
) -> anyhow::Error {
    let service = openapi_dropshot::generate_service(document, generator);
    let remedy = match service.is_ok() && !options.no_client {
        true => {
            "; only the client does not support them: `--skip-unsupported` skips the operations in the client, `--no-client` generates no client"
        }
        false => "; `--skip-unsupported` skips the operations that need them",
    };
    let problems = Problems::new(document, problems);
    rejected(&options.from.to_string_lossy(), &problems, remedy)
}

/// Derives a name from the title: `Book Shop (v2)` becomes `book-shop-v2`.
fn name_of_title(title: &str) -> Result<String> {
    let text = any_ascii(title).to_lowercase();
    let words = text.split(|letter: char| !letter.is_ascii_alphanumeric());
    let mut words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    // One of the crates already has the suffix `api`.
    if words.len() > 1 && words.last() == Some(&"api") {
        words.pop();
    }
    let name = words.join("-");
    let name = name.trim_start_matches(|first: char| first.is_ascii_digit() || first == '-');
    ensure!(
        !name.is_empty(),
        "no crate name can be derived from the title of the document, `{title}`; pass `--name`"
    );
    Ok(name.to_owned())
}

/// Returns the name of the trait if the title ends with `API`, so that the name does not contain it twice.
fn trait_name(title: &str, name: &str) -> Option<String> {
    let last = title.split_whitespace().last()?;
    let words = name.split('-').map(|word| {
        let (first, rest) = word.split_at(word.len().min(1));
        format!("{}{rest}", first.to_ascii_uppercase())
    });
    let words: String = words.collect();
    last.eq_ignore_ascii_case("api")
        .then(|| format!("{words}Api"))
}

/// Checks that the folder exists or can be created.
fn check_folder(folder: &Path) -> Result<()> {
    if let Some(existing) = folder.ancestors().find(|above| above.exists()) {
        ensure!(
            existing.is_dir(),
            "cannot create {}: {} is a file; pass the path of a folder",
            folder.display(),
            existing.display()
        );
    }
    Ok(())
}

fn check_name(name: &str) -> Result<()> {
    let starts_well = name.starts_with(|first: char| first.is_ascii_lowercase());
    let is_plain = name
        .chars()
        .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-');
    let is_whole = !name.ends_with('-') && !name.contains("--");
    if starts_well && is_plain && is_whole {
        return Ok(());
    }
    bail!(
        "`{name}` is not a valid crate name; use lower-case letters, digits and `-`, as in `--name book-shop`"
    )
}

impl Plan {
    /// Returns the names of the crates.
    fn crates(&self) -> Vec<String> {
        let parts = ["models", "api", "server"].into_iter();
        let parts = parts.chain(self.has_client.then_some("client"));
        parts.map(|part| format!("{}-{part}", self.name)).collect()
    }
}

/// Returns what the service does not do, as sentences.
fn notes(document: &Document) -> Vec<String> {
    let mut notes = Vec::new();
    let lacks = |statuses: &[u16], is_concerned: fn(&Operation) -> bool| {
        let has_response = |operation: &Operation| {
            let mut statuses = statuses.iter();
            statuses.any(|status| operation.response_for(*status).is_some())
        };
        let operations = document.operations.iter();
        let lacking = operations.filter(|own| is_concerned(own) && !has_response(own));
        lacking.count()
    };
    let is_checked = |operation: &Operation| {
        operation.request_body.is_some() || !operation.parameters.is_empty()
    };
    let is_secured = |operation: &Operation| !operation.is_open();
    let (invalid, failed) = (lacks(&[400], is_checked), lacks(&[500, 503], |_| true));
    for (status, when, count) in [
        (400, "a parameter or a body is invalid", invalid),
        (401, "there is no valid API key", lacks(&[401], is_secured)),
        (500, "it fails or is overloaded", failed),
    ] {
        if count > 0 {
            let operations = counted(count, "operation");
            notes.push(format!(
                "The document has no response {status} for {operations}. The service still sends it if {when}. `cargo openapi-dropshot generate --fix` adds `4XX` and `5XX` to the document."
            ));
        }
    }
    notes
}

fn report(
    options: &Options,
    plan: &Plan,
    existing: &Existing,
    written: &[String],
    kept: &[(String, String)],
) {
    let generated = |path: &str| path.contains("/src/generated/");
    for path in written.iter().filter(|path| !generated(path)) {
        println!("wrote   {path}");
    }
    let count = written.iter().filter(|path| generated(path)).count();
    if count > 0 {
        println!("wrote   {count} generated files");
    }
    for (path, _) in kept.iter().filter(|(path, _)| !generated(path)) {
        println!("kept    {path}");
    }
    let stale = kept.iter().filter(|(path, text)| {
        generated(path)
            && fs::read_to_string(options.folder.join(path)).is_ok_and(|actual| actual != *text)
    });
    if stale.count() > 0 {
        println!(
            "\nSome existing generated files do not match the document, but were kept. Update them with\n\n    cargo openapi-dropshot generate"
        );
    }
    for operation in &plan.unsupported.operations {
        println!("skipped {}", operation.name);
    }
    for operation in &plan.unsupported.in_client {
        println!("skipped {} in the client", operation.configured);
    }
    let steps = existing.steps(plan);
    // The note applies only to new manifests, because existing ones may use another source for the toolkit.
    let has_manifest = written.iter().any(|path| path.ends_with("Cargo.toml"));
    let toolkit = plan.toolkit.note().filter(|_| has_manifest);
    let rules = broken_rules(&plan.document);
    let notes = plan.notes.iter().chain(&rules).chain(&toolkit);
    for note in notes.chain(&steps) {
        println!("\n{note}");
    }
    let folder = options.folder.display();
    println!("\nThe service responds with examples until its handlers are written:\n");
    if options.folder != Path::new(".") {
        println!("    cd {folder}");
    }
    println!("    cargo run -p {}-server -- serve", plan.name);
}

/// Lists the project rules that the document breaks. If there are any, the configuration switches all project rules off.
fn broken_rules(document: &Document) -> Option<String> {
    let lints = openapi_dropshot_contract::lint(document, Profile::Strict);
    let errors = lints.iter().filter(|lint| lint.is_error());
    let counts = frequencies(errors.map(|lint| lint.rule)).into_iter();
    let counts = counts.map(|(rule, count)| format!("`{rule}` ({count})"));
    let counts: Vec<String> = counts.collect();
    (!counts.is_empty()).then(|| {
        format!(
            "The document breaks project rules, which are not part of OpenAPI: {}. openapi-dropshot.toml switches the project rules off with `profile = \"general\"`; `cargo openapi-dropshot explain RULE` describes a rule.",
            counts.join(", ")
        )
    })
}

/// Returns the operations whose handlers return a response (all except websockets), each with its id and the name of its method.
fn mocked_operations(plan: &Plan) -> impl Iterator<Item = (&Operation, &str, &str)> {
    let operations = plan.document.operations.iter().zip(&plan.api.operations);
    let mocked = operations.filter(|(_, own)| !own.is_websocket);
    mocked.map(|(operation, own)| (operation, own.id.as_str(), own.method.as_str()))
}

/// Returns the text of the handlers, and the files of the mock responses.
fn handlers(plan: &Plan) -> Result<(String, Vec<(String, String)>)> {
    let rust = plan.name.replace('-', "_");
    let context = "openapi_dropshot_server::Context<crate::Service>";
    let models = &plan.generator.models_crate;
    let handlers = plan.api.handlers(&format!("{rust}_api"), models, context)?;
    let examples = Examples::new(&plan.document);
    let mut mocks = Vec::new();
    for (operation, _, method) in mocked_operations(plan) {
        let response = examples
            .response(operation)
            .with_context(|| format!("cannot make a response of {}", operation.request()))?;
        mocks.push((method.to_owned(), response.text));
    }
    Ok((handlers, mocks))
}

#[cfg(test)]
mod tests;
