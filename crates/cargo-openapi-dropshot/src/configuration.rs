//! Reads `openapi-dropshot.toml`: finds the file, checks its values, and creates a [`Project`] for each document.

use crate::{
    Output, Project,
    project::Severities,
    rules::{CHANGELOG_ENTRY, CHANGELOG_ENTRY_LOST, CHANGELOG_FORM, CONFIGURATION, is_fixed},
    settings::{self, Document, Generate, RuleLevel, Settings, Target},
};
use anyhow::{Context, Result, anyhow, bail, ensure};
use openapi_dropshot::{Options, rules::UNFILLED_ERROR_BODY};
use openapi_dropshot_contract::{
    Problem, Problems, Profile, Severity, model::Location, rules, suggest::did_you_mean,
};
use std::{collections::BTreeMap, env, fs, io, ops::Range, path::Path, sync::Arc};
use toml::Spanned;

/// The name of the configuration file.
pub const FILE: &str = "openapi-dropshot.toml";

/// The configuration of a repository.
#[derive(Clone, Debug)]
pub struct Configuration {
    /// A project for each document, in the order of the file.
    pub projects: Vec<Project>,
}

impl Configuration {
    /// Finds the file in the current folder or in a folder above it, and reads it.
    ///
    /// # Errors
    ///
    /// The file does not exist or has errors.
    pub fn find() -> Result<Self> {
        Self::find_if_any()?.with_context(|| {
            format!(
                "{FILE} was not found in this folder or in a folder above it: \
                 create one, for example with `cargo openapi-dropshot init`, or name an existing file with `--config FILE`"
            )
        })
    }

    /// Does the same as [`find`](Self::find), but returns `None` if the file does not exist.
    ///
    /// # Errors
    ///
    /// The file has errors.
    pub fn find_if_any() -> Result<Option<Self>> {
        let current = env::current_dir().context("cannot find the current folder")?;
        let mut files = current.ancestors().map(|folder| folder.join(FILE));
        let file = files.find(|file| file.is_file());
        file.map(|file| Self::read(&file)).transpose()
    }

    /// Reads a configuration file. Its folder is the root of the projects.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or it has errors. These errors are printed on standard error.
    pub fn read(file: &Path) -> Result<Self> {
        let shown = env::current_dir()
            .ok()
            .and_then(|current| Some(file.strip_prefix(current).ok()?.to_path_buf()));
        let name = shown.as_deref().unwrap_or(file).display().to_string();
        let text = fs::read_to_string(file).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => anyhow!(
                "{name} does not exist: create it, for example with `cargo openapi-dropshot init`, or name another file with `--config FILE`"
            ),
            _ => anyhow::Error::new(error).context(format!("cannot read {name}")),
        })?;
        let folder = file
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let root = folder.unwrap_or(Path::new("."));
        Self::parse(root, &name, &text).map_err(|problems| {
            eprintln!("{problems}\n");
            let count = crate::counted(problems.problems().len(), "error");
            anyhow!("{name} has {count}; nothing was done")
        })
    }

    /// Parses the text of a configuration file; `name` is its name in messages.
    pub(crate) fn parse(root: &Path, name: &str, text: &str) -> Result<Self, Problems> {
        let text: Arc<str> = Arc::from(text);
        let mut reader = Reader {
            root,
            name,
            text: &text,
            problems: Vec::new(),
        };
        let settings = match toml::from_str::<Settings>(&text) {
            Ok(settings) => settings,
            Err(error) => {
                let span = error.span().unwrap_or_default();
                let (message, help) = explained(error.message());
                reader.report(span, message, help);
                return Err(Problems::new(&text, reader.problems));
            }
        };
        let projects = reader.projects(&settings);
        if reader.problems.is_empty() {
            Ok(Configuration { projects })
        } else {
            Err(Problems::new(&text, reader.problems))
        }
    }

    /// Selects the documents with these names, or all documents if there are no names.
    ///
    /// # Errors
    ///
    /// No document has one of the names.
    pub fn select(mut self, names: &[String]) -> Result<Vec<Project>> {
        let known: Vec<String> = self.projects.iter().map(|own| own.name.clone()).collect();
        for name in names {
            if !known.contains(name) {
                let otherwise = format!("the documents are {}", known.join(", "));
                let help = did_you_mean(name, known.iter().map(String::as_str), &otherwise);
                bail!("{FILE} has no document with the name `{name}`: {help}");
            }
        }
        self.projects
            .retain(|project| names.is_empty() || names.contains(&project.name));
        Ok(self.projects)
    }

    /// Selects the document for a task that works on exactly one document.
    ///
    /// # Errors
    ///
    /// No document has the name, or there are several documents and no name.
    pub fn select_one(self, names: &[String]) -> Result<Project> {
        let mut projects = self.select(names)?;
        let known: Vec<&str> = projects.iter().map(|own| own.name.as_str()).collect();
        ensure!(
            projects.len() == 1,
            "this command works on one document: choose it with `--document NAME`; the documents are {}",
            known.join(", ")
        );
        projects.pop().context("there is one document")
    }
}

/// Translates a message of the parser into terms of the configuration, and adds a remedy.
fn explained(message: &str) -> (String, String) {
    let quoted = |text: &str| -> Vec<String> {
        let parts = text.split('`').enumerate();
        let quoted = parts.filter(|(index, _)| index % 2 == 1);
        quoted.map(|(_, part)| part.to_owned()).collect()
    };
    let see = "`cargo openapi-dropshot schema` prints all keys with their meaning";
    let (kind, help) = if message.starts_with("unknown field") {
        ("unknown key", see)
    } else if message.starts_with("unknown variant") {
        ("unknown value", see)
    } else if let Some(rest) = message.strip_prefix("missing field ") {
        let help = format!("add the key; {see}");
        return (format!("the key {rest} is missing"), help);
    } else {
        let help = format!("write the value in TOML (https://toml.io); {see}");
        return (message.to_owned(), help);
    };
    let words = quoted(message);
    let Some((word, candidates)) = words.split_first() else {
        return (message.to_owned(), help.to_owned());
    };
    let all = candidates.join("`, `");
    let otherwise = match candidates.len() {
        0 => help.to_owned(),
        _ => format!("use one of `{all}`"),
    };
    let help = did_you_mean(word, candidates.iter().map(String::as_str), &otherwise);
    (format!("{kind} `{word}`"), help)
}

/// Checks the values of one file.
struct Reader<'a> {
    root: &'a Path,
    name: &'a str,
    text: &'a Arc<str>,
    problems: Vec<Problem>,
}

impl Reader<'_> {
    fn at(&self, span: Range<usize>) -> Location {
        Location::at_byte(self.name, self.text, span.start)
    }

    fn report(&mut self, span: Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        let at = self.at(span);
        self.problems
            .push(CONFIGURATION.problem(&at, message, help));
    }

    /// Creates the projects, and checks the values that two projects must not share.
    fn projects(&mut self, settings: &Settings) -> Vec<Project> {
        let documents = &settings.document;
        if documents.is_empty() {
            self.report(0..0, "there is no document", "add a table `[[document]]`");
        }
        let is_single = documents.len() == 1;
        let mut projects = Vec::new();
        for document in documents {
            projects.push(self.project(settings, document, is_single));
        }
        self.check_shared(documents, &projects);
        let mut folders: Vec<(String, Range<usize>)> = Vec::new();
        let targets = documents.iter().flat_map(|own| &own.generate);
        for target in targets.flat_map(Generate::targets) {
            self.check_folder(target, &mut folders);
            self.check_contents(target, &projects);
        }
        projects
    }

    /// Checks that two documents do not share values that must be unique.
    fn check_shared(&mut self, documents: &[Document], projects: &[Project]) {
        let both = || documents.iter().zip(projects);
        let names = both().map(|(own, project)| (own.name.as_ref(), own, project.name.clone()));
        self.check_distinct(names, |name, _| {
            let message = format!("two documents have the name `{name}`");
            (message, "give one of them another `name`".to_owned())
        });
        type Key = (
            &'static str,
            &'static str,
            fn(&Document) -> Option<&Spanned<String>>,
            fn(&Project) -> &String,
        );
        const KEYS: [Key; 4] = [
            ("document", "path", |_| None, |own| &own.document),
            (
                "folder of releases",
                "releases",
                |own| own.releases.as_ref(),
                |own| &own.releases,
            ),
            (
                "file of accepted breaks",
                "accepted-breaks",
                |own| own.accepted_breaks.as_ref(),
                |own| &own.accepted_breaks,
            ),
            (
                "changelog",
                "changelog",
                |own| own.changelog.as_ref(),
                |own| &own.changelog,
            ),
        ];
        for (what, key, set, path) in KEYS {
            let paths = both().map(|(own, project)| (set(own), own, path(project).clone()));
            self.check_distinct(paths, |path, index| {
                let more = match key {
                    "accepted-breaks" => format!(
                        ", such as `{}`, and move its entries from {path}: a release removes all entries of the file",
                        beside(&projects[index].document, &named_breaks(&projects[index].name))
                    ),
                    _ => String::new(),
                };
                let message = format!("two documents have the same {what}");
                (message, format!("write another `{key}` for one of them{more}"))
            });
        }
        let versions = both().filter(|(_, project)| project.cargo_version);
        let versions = versions.map(|(own, _)| (own.cargo_version.as_ref(), own, ()));
        self.check_distinct(versions, |(), _| {
            let message = "two documents cannot both have their version in Cargo.toml";
            let help = "remove `cargo-version` from one of them";
            (message.to_owned(), help.to_owned())
        });
        let crates = both().filter_map(|(own, project)| {
            let (generate, output) = own.generate.as_ref().zip(project.output.as_ref())?;
            let options = &output.options;
            let models = Some((&generate.models, own, options.models_crate.clone()));
            let client = generate.client.as_ref();
            let client = client.map(|client| (client, own, options.client_crate.clone()));
            Some([models, client].into_iter().flatten())
        });
        let crates = crates.flatten().filter(|(.., name)| !name.is_empty());
        let crates = crates.map(|(target, own, name)| (Some(target.place()), own, name));
        self.check_distinct(crates, |name, _| {
            let message = format!("two folders of generated code have the same crate `{name}`");
            let help = "write the `crate` of each folder with `_` for `-`, such as `shop_models` and `shop_client`; if two folders belong to the same \
                        crate, write a module for each, such as `crate::models`";
            (message, help.to_owned())
        });
    }

    /// Reports each value that an earlier document also has, at the value or, if it is not set, at the beginning of its
    /// document. `problem` returns the message and the help for the value at an index.
    fn check_distinct<'d, T: PartialEq, S: 'd>(
        &mut self,
        values: impl IntoIterator<Item = (Option<&'d Spanned<S>>, &'d Document, T)>,
        problem: impl Fn(&T, usize) -> (String, String),
    ) {
        let values: Vec<_> = values.into_iter().collect();
        for (index, (set, document, value)) in values.iter().enumerate() {
            if values[..index].iter().any(|(.., other)| other == value) {
                let (message, help) = problem(value, index);
                let at = set.map_or_else(|| document.path.span(), Spanned::span);
                self.report(at, message, help);
            }
        }
    }

    /// Checks that this folder is none of the other folders, and is not inside of one of them or around it.
    fn check_folder(&mut self, target: &Target, folders: &mut Vec<(String, Range<usize>)>) {
        let folder = target.folder.get_ref();
        let other = folders.iter().find(|(other, _)| {
            Path::new(folder).starts_with(other) || Path::new(other).starts_with(folder)
        });
        if let Some((other, _)) = other {
            let message = if other == folder {
                format!("`{folder}` is used for two parts of the generated code")
            } else {
                format!("one of the folders `{folder}` and `{other}` contains the other")
            };
            let help = "use a separate folder for each part: the generator removes all other files from the folder of a part";
            self.report(target.folder.span(), message, help);
        }
        folders.push((folder.clone(), target.folder.span()));
    }

    /// Checks that a folder of generated code contains no files of other kinds.
    fn check_contents(&mut self, target: &Target, projects: &[Project]) {
        let folder = target.folder.get_ref().trim_end_matches('/');
        let mut found = Vec::new();
        if self.root.join(folder).join("Cargo.toml").is_file() {
            found.push(("a crate", format!("{folder}/Cargo.toml")));
        }
        for project in projects {
            let paths = [
                ("a document", &project.document),
                ("the releases", &project.releases),
                ("the changelog", &project.changelog),
                ("the accepted breaks", &project.accepted_breaks),
            ];
            let inside =
                (paths.into_iter()).filter(|(_, path)| Path::new(path).starts_with(folder));
            found.extend(inside.map(|(what, path)| (what, path.clone())));
        }
        if let Some((what, path)) = found.first() {
            let message = format!(
                "`{folder}` must contain only generated code, but contains {what} ({path})"
            );
            let help = "use a separate folder for the generated code, such as `crates/shop-client/src/generated`: files that the \
                        generator does not write must not be in it";
            self.report(target.folder.span(), message, help);
        }
    }

    fn project(&mut self, settings: &Settings, document: &Document, is_single: bool) -> Project {
        let path = self.path(&document.path);
        let beside = |name: &str| beside(&path, name);
        let name = match &document.name {
            Some(name) => name.get_ref().clone(),
            None => {
                let stem = Path::new(&path).file_stem().unwrap_or_default();
                stem.to_string_lossy().into_owned()
            }
        };
        let releases = self.path_or(&document.releases, || beside("released"));
        let root = self.root;
        let accepted_breaks = self.path_or(&document.accepted_breaks, || {
            let (only, named) = (beside("accepted-breaks.toml"), beside(&named_breaks(&name)));
            // In earlier versions, several documents shared this default file. If two documents still use it, an error is
            // reported.
            let is_former = !root.join(&named).exists() && root.join(&only).exists();
            if is_single || is_former { only } else { named }
        });
        let changelog = self.path_or(&document.changelog, || "CHANGELOG.md".to_owned());
        let has_manifest = || self.root.join("Cargo.toml").is_file();
        let cargo_version = match &document.cargo_version {
            Some(set) => *set.get_ref(),
            None => is_single && has_manifest(),
        };
        let renames = self.renames(document);
        let project = Project {
            root: self.root.to_path_buf(),
            command: settings.command.clone(),
            releases,
            accepted_breaks,
            changelog,
            output: None,
            configuration: Path::new(self.name).file_name().map_or_else(
                || FILE.to_owned(),
                |name| name.to_string_lossy().into_owned(),
            ),
            types_crate: None,
            usage_command: document.usage_command.clone(),
            cargo_version,
            profile: match document.profile {
                settings::Profile::Strict => Profile::Strict,
                settings::Profile::General => Profile::General,
            },
            severities: self.severities(document),
            deprecation_days_beta: document.deprecation_days.beta,
            deprecation_days_stable: document.deprecation_days.stable,
            document: path,
            name,
        };
        let output = (document.generate.as_ref())
            .map(|generate| self.output(&project, document, generate, renames));
        Project { output, ..project }
    }

    fn output(
        &mut self,
        project: &Project,
        document: &Document,
        generate: &Generate,
        renames: BTreeMap<String, String>,
    ) -> Output {
        for (name, reason) in &document.skip {
            if reason.get_ref().trim().is_empty() {
                let message = format!("`{}` is skipped without a reason", name.get_ref());
                self.report(reason.span(), message, "write why it is skipped");
            }
        }
        if let Some(name) = &generate.trait_name
            && !is_path_of_names(name.get_ref(), 1)
        {
            let message = format!("`{}` is not a valid name of a trait", name.get_ref());
            let help = "write letters and digits, such as `Shop`";
            self.report(name.span(), message, help);
        }
        let client = generate.client.as_ref();
        let text = |name: &Spanned<String>| name.get_ref().clone();
        Output {
            options: Options {
                command: project.task("generate"),
                source: project.document.clone(),
                models: self.path(&generate.models.folder),
                api: self.path(&generate.api.folder),
                client: client.map_or_else(String::new, |client| self.path(&client.folder)),
                models_crate: self.crate_name(&generate.models),
                client_crate: client.map_or_else(String::new, |client| self.crate_name(client)),
                trait_name: generate.trait_name.as_ref().map(text),
                renames,
            },
            skip: document.skip.keys().map(text).collect(),
            skip_in_client: generate.skip_in_client.iter().map(text).collect(),
        }
    }

    /// Returns the crate of a folder, or an empty string after reporting a problem.
    fn crate_name(&mut self, target: &Target) -> String {
        if let Some(name) = &target.crate_name {
            if is_path_of_names(name.get_ref(), usize::MAX) {
                return name.get_ref().clone();
            }
            let message = format!(
                "`{}` is not a valid name of a crate or a module",
                name.get_ref()
            );
            let help = "write `_` for `-`, as in `shop_models`, and `::` between modules, as in `crate::models`";
            self.report(name.span(), message, help);
            return String::new();
        }
        let folder = target.folder.get_ref();
        let manifests = Path::new(folder)
            .ancestors()
            .map(|above| above.join("Cargo.toml"));
        let package = manifests.into_iter().find_map(|manifest| {
            let text = fs::read_to_string(self.root.join(manifest)).ok()?;
            let table: toml::Table = text.parse().ok()?;
            let name = table.get("package")?.get("name")?.as_str()?;
            Some(name.replace('-', "_"))
        });
        package.unwrap_or_else(|| {
            let message = format!("no Cargo.toml above `{folder}` contains the name of the crate");
            let help = "add `crate`, the name of the crate with `_` for `-`, such as `shop_models`";
            self.report(target.folder.span(), message, help);
            String::new()
        })
    }

    fn path_or(
        &mut self,
        path: &Option<Spanned<String>>,
        otherwise: impl FnOnce() -> String,
    ) -> String {
        match path {
            Some(path) => self.path(path),
            None => otherwise(),
        }
    }

    /// Checks a path, and returns it without a trailing `/`.
    fn path(&mut self, path: &Spanned<String>) -> String {
        let text = path.get_ref();
        let mut parts = text.trim_end_matches('/').split('/');
        let is_part = |part: &str| !["", ".", ".."].contains(&part) && !part.contains('\\');
        if !parts.all(is_part) {
            let message = format!("`{text}` is not a path below the folder of this file");
            let help =
                "write it as `spec/openapi.yaml`: relative, with `/`, and without `.` and `..`";
            self.report(path.span(), message, help);
        }
        text.trim_end_matches('/').to_owned()
    }

    fn severities(&mut self, document: &Document) -> Severities {
        let others = [
            &CHANGELOG_FORM,
            &CHANGELOG_ENTRY,
            &CHANGELOG_ENTRY_LOST,
            &UNFILLED_ERROR_BODY,
        ];
        let mut severities = Severities::new();
        for (id, setting) in &document.rules {
            let name = id.get_ref().as_str();
            if setting.reason.get_ref().trim().is_empty() {
                let message = format!("the severity of `{name}` has no reason");
                let help = "write in `reason` why this document is an exception";
                self.report(setting.reason.span(), message, help);
            }
            let severity = match setting.level.get_ref() {
                RuleLevel::Off => None,
                RuleLevel::Warn => Some(Severity::Warning),
                RuleLevel::Error => Some(Severity::Error),
            };
            let mut known = others.into_iter().chain(rules::all());
            match known.find(|rule| rule.id == name) {
                Some(rule) if severity == Some(Severity::Error) || !is_fixed(rule) => {
                    severities.insert(rule.id, severity);
                }
                Some(_) => {
                    let message = format!("the severity of `{name}` cannot be lowered");
                    let help = "correct the document: other tools reject it as well";
                    self.report(setting.level.span(), message, help);
                }
                None if rules::change(name).is_some() => {
                    let message = format!(
                        "`{name}` is a rule about changes; the severity of these rules is fixed"
                    );
                    let help = "accept a single change in `accepted-breaks.toml`, with a reason";
                    self.report(id.span(), message, help);
                }
                None => {
                    let known = rules::all().map(|rule| rule.id);
                    let otherwise = "`cargo openapi-dropshot explain` lists all rules";
                    let help = did_you_mean(name, known, otherwise);
                    self.report(id.span(), format!("the linter has no rule `{name}`"), help);
                }
            }
        }
        severities
    }

    /// Returns the new names for the types of inline schemas, by the names that the generator would give.
    fn renames(&mut self, document: &Document) -> BTreeMap<String, String> {
        let mut renames: BTreeMap<String, String> = BTreeMap::new();
        for (from, to) in &document.rename {
            let (old, new) = (from.get_ref(), to.get_ref());
            let is_type = new.starts_with(|first: char| first.is_ascii_uppercase());
            if !is_type || !is_path_of_names(new, 1) {
                let message = format!("`{new}` is not a valid name of a type");
                let help = "write letters and digits, such as `LoanNote`";
                self.report(to.span(), message, help);
            } else if renames.values().any(|other| other == new) {
                let message = format!("two types get the name `{new}`");
                self.report(to.span(), message, "give one of them another name");
            }
            renames.insert(old.clone(), new.clone());
        }
        renames
    }
}

/// Returns the path of a file with this name in the folder of another file.
fn beside(path: &str, name: &str) -> String {
    match path.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{name}"),
        None => name.to_owned(),
    }
}

/// The name of the file of accepted breaks for one of several documents.
fn named_breaks(name: &str) -> String {
    format!("{name}-accepted-breaks.toml")
}

/// Whether a text consists of Rust names joined by `::`, and of at most this many names.
fn is_path_of_names(text: &str, at_most: usize) -> bool {
    let is_name = |name: &str| {
        let mut letters = name.chars();
        let first = letters.next();
        first.is_some_and(|first| first.is_alphabetic() || first == '_')
            && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    text.split("::").count() <= at_most && text.split("::").all(is_name)
}

impl Generate {
    fn targets(&self) -> impl Iterator<Item = &Target> {
        [&self.models, &self.api].into_iter().chain(&self.client)
    }
}

impl Target {
    /// The place for messages: the crate of the folder if it is set, or else the folder.
    fn place(&self) -> &Spanned<String> {
        self.crate_name.as_ref().unwrap_or(&self.folder)
    }
}

#[cfg(test)]
mod tests;
