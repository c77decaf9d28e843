//! Tries what openapi-to-rust makes of the same documents, for the table: whether its client
//! and its server compile, and what the values that are made from a document show about
//! its types. Its version is installed from the registry, below the target folder.

use super::{program::Program, report::rendered, schemas::Schemas, values, values::Spelling};
use crate::{files, name_of};
use anyhow::{Context, Result, ensure};
use openapi_dropshot_contract::{Document, normalized};
use std::{
    collections::{BTreeMap, BTreeSet},
    env,
    ffi::OsStr,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};
use toml::{Table, Value};

/// The program that tries the types; `// TYPES` stands for the list of them.
const MAIN: &str = include_str!("beside/main.rs");

/// openapi-to-rust, and the folder of the crates that it generates.
pub(super) struct Beside {
    program: PathBuf,
    folder: PathBuf,
}

/// What openapi-to-rust makes of one document.
#[derive(Default)]
pub(super) struct Outcome {
    client: bool,
    server: bool,
    /// The numbers of its types; `None` if the client does not compile.
    types: Option<Types>,
}

/// How many types of components were tried.
struct Types {
    tried: usize,
    /// How many reject a valid value, or write it back changed.
    lossy: usize,
    /// How many accept a value that is not valid.
    lax: usize,
}

impl Outcome {
    /// The cells of the table: what compiles, and the two numbers of types.
    pub(super) fn cells(&self) -> [String; 3] {
        let compiles = match (self.client, self.server) {
            (true, true) => "client, server",
            (true, false) => "client",
            (false, true) => "server",
            (false, false) => "neither",
        };
        let of = |count: fn(&Types) -> usize| {
            let types = self.types.as_ref();
            types.map_or_else(String::new, |types| {
                format!("{} of {}", count(types), types.tried)
            })
        };
        [
            compiles.to_owned(),
            of(|types| types.lossy),
            of(|types| types.lax),
        ]
    }
}

impl Beside {
    /// Installs a version of openapi-to-rust below the target folder, unless it is there.
    pub(super) fn install(root: &Path, version: &str) -> Result<Self> {
        let target = match env::var_os("CARGO_TARGET_DIR") {
            Some(folder) => root.join(folder),
            None => root.join("target"),
        };
        let folder = target.join("openapi-to-rust");
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let program = folder.join("bin/openapi-to-rust");
        let known = Command::new(&program).arg("--version").output();
        let is_known = known.is_ok_and(|output| {
            String::from_utf8_lossy(&output.stdout).trim() == format!("openapi-to-rust {version}")
        });
        if !is_known {
            let mut install = Command::new(cargo());
            install
                .args(["install", "--quiet", "--locked", "openapi-to-rust"])
                .args(["--version", version, "--root"])
                .arg(&folder)
                .arg("--target-dir")
                .arg(folder.join("build"));
            let output = run(&mut install)?;
            let errors = String::from_utf8_lossy(&output.stderr);
            ensure!(
                output.status.success(),
                "cannot install openapi-to-rust {version}; make sure that cargo can reach the registry:\n{}",
                errors.trim_end()
            );
        }
        Ok(Beside { program, folder })
    }

    /// Generates and compiles client and server of a document, and tries the types.
    pub(super) fn outcome(&self, name: &str, file: &Path) -> Result<Outcome> {
        let text =
            fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
        let source = fs::canonicalize(file)?;
        let document = openapi_dropshot_contract::read(&file.to_string_lossy(), &text).ok();
        let document = document.map(|document| normalized(&document).unwrap_or(document));
        let mut outcome = Outcome::default();
        let client = self.package(&format!("{name}-client"))?;
        let generated = run(Command::new(&self.program)
            .arg("generate")
            .arg(&source)
            .arg("--output-dir")
            .arg(client.join("src/generated")))?;
        let types = document.as_ref().map(|document| pairs(document, &client));
        let types = types.unwrap_or_default();
        if succeeded(&generated, file, "client: not generated") {
            self.write(&client, Some((name, types.values().collect())))?;
            outcome.client = self.compiles(&client, &["check", "--lib"], file)?;
        }
        if let Some(document) = &document {
            outcome.server = self.server(name, &source, document, file)?;
        }
        if let Some(document) = document.filter(|_| outcome.client)
            && self.compiles(&client, &["build", "--bins"], file)?
        {
            let program = self
                .folder
                .join("build/debug")
                .join(format!("{name}-client"));
            match try_types(&document, &types, &program) {
                Ok(types) => outcome.types = Some(types),
                // A type may panic, or overflow the stack.
                Err(error) => eprintln!("{}: openapi-to-rust: {error:#}", file.display()),
            }
        }
        eprintln!(
            "{}: openapi-to-rust: {}",
            file.display(),
            outcome.cells().join(" | ")
        );
        Ok(outcome)
    }

    /// Generates and compiles the server with all operations of a document.
    fn server(&self, name: &str, source: &Path, document: &Document, file: &Path) -> Result<bool> {
        let server = self.package(&format!("{name}-server"))?;
        let operations: Vec<Value> = document
            .operations
            .iter()
            .map(|operation| Value::from(name_of(operation)))
            .collect();
        let mut configuration: Table =
            "[generator]\noutput_dir = \"src/generated\"\nmodule_name = \"api\"\n[features]\n[server]\nframework = \"axum\"\n"
                .parse()
                .context("the configuration is TOML")?;
        let mut set = |table: &str, key: &str, value: Value| {
            let table = configuration.get_mut(table).and_then(Value::as_table_mut);
            table.map(|table| table.insert(key.to_owned(), value))
        };
        set(
            "generator",
            "spec_path",
            source.to_string_lossy().into_owned().into(),
        );
        set("server", "operations", operations.into());
        let path = server.join("openapi-to-rust.toml");
        fs::write(&path, configuration.to_string())?;
        let generated = run(Command::new(&self.program).args([
            OsStr::new("generate"),
            OsStr::new("--config"),
            path.as_os_str(),
        ]))?;
        if !succeeded(&generated, file, "server: not generated") {
            return Ok(false);
        }
        self.write(&server, None)?;
        self.compiles(&server, &["check", "--lib"], file)
    }

    /// Makes an empty folder for a package.
    fn package(&self, name: &str) -> Result<PathBuf> {
        let folder = self.folder.join("packages").join(name);
        // The files of an earlier run could be taken for those of this one.
        fs::remove_dir_all(&folder).ok();
        fs::create_dir_all(folder.join("src"))
            .with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(folder)
    }

    /// Writes the manifest, with the dependencies that openapi-to-rust lists, and the
    /// sources that are not generated.
    fn write(&self, package: &Path, program: Option<(&str, BTreeSet<&String>)>) -> Result<()> {
        let listed = fs::read_to_string(package.join("src/generated/REQUIRED_DEPS.toml"));
        let mut manifest: Table = listed.unwrap_or_default().parse()?;
        let name = package.file_name().unwrap_or_default().to_string_lossy();
        let own: Table = format!(
            "[package]\nname = {name:?}\nversion = \"0.0.0\"\nedition = \"2024\"\npublish = false\n\
             [workspace]\n[lints.rust]\nwarnings = \"allow\"\n[profile.dev]\ndebug = 0\n"
        )
        .parse()?;
        manifest.extend(own);
        let dependencies = manifest
            .entry("dependencies")
            .or_insert(Table::new().into());
        if let Some(dependencies) = dependencies.as_table_mut() {
            for name in ["serde", "serde_json"] {
                dependencies.entry(name).or_insert("1".into());
            }
        }
        let mut sources = vec![
            ("Cargo.toml".to_owned(), manifest.to_string()),
            ("src/lib.rs".to_owned(), "pub mod generated;\n".to_owned()),
        ];
        if let Some((name, types)) = program {
            let library = format!("{name}-client").replace('-', "_");
            let list = types.iter().fold(String::new(), |mut list, name| {
                let path = format!("{library}::generated::types::{name}");
                // Writing to a string cannot fail.
                writeln!(list, "        ({name:?}, attempt::<{path}> as Attempt),").ok();
                list
            });
            sources.push((
                "src/main.rs".to_owned(),
                MAIN.replace("        // TYPES\n", &list),
            ));
        }
        files::write_all(package, sources).map(drop)
    }

    fn compiles(&self, package: &Path, command: &[&str], file: &Path) -> Result<bool> {
        let output = run(Command::new(cargo())
            .args(command)
            .args(["--quiet", "--target-dir"])
            .arg(self.folder.join("build"))
            .env("CARGO_TERM_COLOR", "never")
            .current_dir(package))?;
        let name = package.file_name().unwrap_or_default().to_string_lossy();
        Ok(succeeded(
            &output,
            file,
            &format!("{name} does not compile"),
        ))
    }
}

fn cargo() -> std::ffi::OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

fn run(command: &mut Command) -> Result<Output> {
    let output = command.output();
    output.with_context(|| format!("cannot start {}", command.get_program().to_string_lossy()))
}

/// Returns whether a command succeeded; otherwise prints the beginning of its errors.
fn succeeded(output: &Output, file: &Path, what: &str) -> bool {
    const LISTED: usize = 12;
    if !output.status.success() {
        eprintln!("{}: openapi-to-rust: {what}", file.display());
        let errors = String::from_utf8_lossy(&output.stderr);
        errors
            .lines()
            .take(LISTED)
            .for_each(|line| eprintln!("    {line}"));
    }
    output.status.success()
}

/// Returns the public types without parameters in the generated models.
fn types_in(package: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(package.join("src/generated/types.rs")).unwrap_or_default();
    let names = text.lines().filter_map(|line| {
        let rest = line.strip_prefix("pub ")?;
        let kinds = ["struct ", "enum ", "type "];
        let rest = kinds.iter().find_map(|kind| rest.strip_prefix(kind))?;
        let end = rest.find(|sign: char| !sign.is_alphanumeric() && sign != '_')?;
        (!rest[end..].starts_with('<')).then(|| rest[..end].to_owned())
    });
    names.collect()
}

/// Returns the places of the components that have a type of their name, with that name.
fn pairs(document: &Document, package: &Path) -> BTreeMap<String, String> {
    let key = |name: &str| {
        let signs = name.chars().filter(|sign| sign.is_alphanumeric());
        signs.collect::<String>().to_lowercase()
    };
    let types = types_in(package).into_iter();
    let by_key: BTreeMap<String, String> = types.map(|name| (key(&name), name)).collect();
    let components = document.schemas.iter().filter_map(|(name, schema)| {
        // Bytes are no value of JSON.
        let format = schema.format.as_ref();
        if format.is_some_and(|format| format.value == "binary") {
            return None;
        }
        let own = by_key.get(&key(name))?;
        Some((schema.at.pointer.clone(), own.clone()))
    });
    components.collect()
}

/// Tries the values of each component that has a type of its name.
fn try_types(
    document: &Document,
    pairs: &BTreeMap<String, String>,
    program: &Path,
) -> Result<Types> {
    let schemas = Schemas::new(document.root.to_json());
    let mut program = Program::start(program)?;
    let trials = values::try_all(document, &schemas, pairs, Spelling::Free, &mut program)?;
    let wrong = trials.differences.iter();
    let wrong: Vec<_> = wrong
        .filter(|difference| difference.rule.accepted.is_none())
        .collect();
    let count = |is_lax: bool| {
        let own = wrong
            .iter()
            .filter(|difference| (difference.rule.id == "value-accepted") == is_lax);
        own.map(|difference| &difference.part)
            .collect::<BTreeSet<_>>()
            .len()
    };
    for difference in &wrong {
        eprintln!("openapi-to-rust: {}", rendered(difference));
    }
    Ok(Types {
        tried: pairs.len(),
        lossy: count(false),
        lax: count(true),
    })
}
