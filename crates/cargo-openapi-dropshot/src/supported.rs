//! Generates the supported part of a document. Unsupported parts are skipped, together with the operations that need them, so that
//! one unsupported construct does not hide the others.

use crate::{counted, frequencies};
use anyhow::anyhow;
use openapi_dropshot::Generated;
use openapi_dropshot_contract::{
    Document, Parts, Problem, Problems, model::Operation, normalized, parts_of, read_without,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    iter,
};

/// A document without the parts that cannot be used, and the code generated from it.
#[derive(Default)]
pub(crate) struct Supported {
    /// The document without the skipped parts.
    pub(crate) document: Document,
    /// The generated code; empty before [`generate`](Supported::generate), and if no operation is left.
    pub(crate) generated: Generated,
    /// The rejected parts, with the reasons.
    pub(crate) rejections: Vec<Problem>,
    /// The skipped operations.
    pub(crate) rejected: Vec<RejectedOperation>,
    /// The number of skipped component schemas.
    pub(crate) rejected_schemas: usize,
    /// The parts that must be skipped so that the rest can be generated: their names for a configuration, each with the reason.
    pub(crate) skipped: BTreeMap<String, String>,
}

/// The function of the generator to call.
pub(crate) type Generate =
    fn(&Document, &openapi_dropshot::Options) -> Result<Generated, Vec<Problem>>;

/// An operation that the generator rejects.
pub(crate) struct RejectedOperation {
    /// The operation, as `GET /path`.
    pub(crate) name: String,
    /// The name of the operation in a configuration.
    pub(crate) configured: String,
    /// The rules of the problems that reject it.
    pub(crate) rules: BTreeSet<&'static str>,
}

impl Supported {
    /// Generates the supported part of the document: skips rejected parts until the generator rejects nothing.
    pub(crate) fn generate(
        mut self,
        generate: Generate,
        options: &openapi_dropshot::Options,
    ) -> Self {
        self.document = normalized(&self.document).unwrap_or(self.document);
        loop {
            match generate(&self.document, options) {
                Ok(generated) => {
                    // An API without operations is not useful.
                    if !self.document.operations.is_empty() || self.rejected.is_empty() {
                        self.generated = generated;
                    }
                    return self;
                }
                Err(problems) => {
                    let is_whole = self.leave_out(&problems);
                    self.rejections.extend(problems);
                    if is_whole {
                        return self;
                    }
                }
            }
        }
    }

    /// Skips the parts with these problems, and everything that needs them. Returns whether that is the whole document.
    fn leave_out(&mut self, problems: &[Problem]) -> bool {
        let root = &self.document.root;
        let parts = Parts::of(root);
        let written_parts = Parts::of(self.document.as_written());
        let mut reasons: BTreeMap<String, Vec<&Problem>> = BTreeMap::new();
        for problem in problems {
            for part in parts.with_users(parts.at(&problem.pointer)) {
                reasons.entry(part).or_default().push(problem);
            }
        }
        let nodes = reasons.keys().filter_map(|part| root.pointer(part));
        let written = nodes.map(|node| node.at.as_written().pointer).collect();
        let rest = self.document.without(written).ok();
        // A problem outside of all parts that can be skipped is a problem of the whole document.
        let rest = rest.filter(|rest| rest.as_written() != self.document.as_written());
        let rest = rest.map(|rest| normalized(&rest).unwrap_or(rest));
        let is_left = |operation: &Operation| {
            let mut left = rest.iter().flat_map(|rest| &rest.operations);
            left.any(|other| other.request() == operation.request())
        };
        for operation in self.document.operations.iter().filter(|own| !is_left(own)) {
            let own = reasons.remove(&operation.at.pointer);
            let own = own.unwrap_or_else(|| problems.iter().collect());
            let rules = own.iter().map(|problem| problem.rule).collect();
            let configured = written_parts.name(&operation.at.as_written().pointer);
            self.skipped.insert(configured.clone(), reason(&own));
            self.rejected.push(RejectedOperation {
                name: operation.request(),
                configured,
                rules,
            });
        }
        for (part, problems) in reasons.iter().filter(|(part, _)| parts.is_named(part)) {
            if let Some(node) = root.pointer(part) {
                let name = written_parts.name(&node.at.as_written().pointer);
                self.skipped.insert(name, reason(problems));
            }
        }
        let before = self.document.schemas.len();
        match rest {
            Some(rest) => {
                self.rejected_schemas += before.saturating_sub(rest.schemas.len());
                self.document = rest;
                false
            }
            None => {
                self.rejected_schemas += before;
                self.document.operations.clear();
                self.document.schemas.clear();
                true
            }
        }
    }

    /// Returns the rejections, each with the lines of the document around it.
    pub(crate) fn rendered_rejections(&self) -> Problems {
        Problems::new(&self.document, self.rejections.clone())
    }
}

/// The parts of a document that the generator does not support.
#[derive(Default)]
pub(crate) struct Unsupported {
    /// The parts that the service and the client skip: their names for a configuration, each with the reason.
    pub(crate) skip: BTreeMap<String, String>,
    /// The operations that the service skips.
    pub(crate) operations: Vec<RejectedOperation>,
    /// The operations that only the client skips.
    pub(crate) in_client: Vec<RejectedOperation>,
}

impl Unsupported {
    /// Finds and prints the parts that the generator does not support, for a service and its client. Operations that only the
    /// client does not support remain in the service.
    ///
    /// # Errors
    ///
    /// The rejected parts, if no operation is left in the service or in the client.
    pub(crate) fn find(
        usable: Supported,
        options: &openapi_dropshot::Options,
        not_in_client: Option<&[String]>,
    ) -> Result<Self, Problems> {
        let service = usable.generate(openapi_dropshot::generate_service, options);
        let mut client = None;
        if let Some(names) = not_in_client {
            let usable = Supported::from(without(&service.document, names)?);
            client = Some(usable.generate(openapi_dropshot::generate_client, options));
        }
        for part in iter::once(&service).chain(&client) {
            let problems = part.rendered_rejections();
            if part.document.operations.is_empty() && !part.rejections.is_empty() {
                return Err(problems);
            }
            if !part.rejections.is_empty() {
                eprintln!("{problems}\n");
            }
        }
        Ok(Unsupported {
            skip: service.skipped,
            operations: service.rejected,
            in_client: client.map_or_else(Vec::new, |client| client.rejected),
        })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.skip.is_empty() && self.in_client.is_empty()
    }
}

/// Returns the reason why a part is skipped, for the configuration.
fn reason(problems: &[&Problem]) -> String {
    let [first, others @ ..] = problems else {
        return String::new();
    };
    let more = match others.len() {
        0 => String::new(),
        others => format!(", and {}", counted(others, "other problem")),
    };
    format!("{}: {}{more}", first.rule, first.message)
}

/// The exit code of `--skip-unsupported` if an operation was skipped.
pub(crate) const SKIPPED: u8 = 3;

/// Prints the warnings of a document without errors.
pub(crate) fn print_warnings(document: &Document, warnings: Vec<Problem>) {
    if !warnings.is_empty() {
        eprintln!("{}\n", Problems::new(document, warnings));
    }
}

/// Prints the problems of a document, and returns the error that ends the task.
pub(crate) fn rejected(document: &str, problems: &Problems, remedy: &str) -> anyhow::Error {
    eprintln!("{problems}\n");
    let problems = problems.problems().iter();
    let errors = problems.filter(|problem| problem.is_error());
    let rules = frequencies(errors.map(|problem| problem.rule));
    let count = counted(rules.values().sum(), "error");
    let rules: Vec<String> = rules
        .iter()
        .map(|(rule, count)| format!("`{rule}` {count}"))
        .collect();
    let by_rule = match rules.len() {
        ..2 => String::new(),
        _ => format!(" ({})", rules.join(", ")),
    };
    anyhow!("{document} has {count}{by_rule}; nothing was written{remedy}")
}

impl From<Document> for Supported {
    fn from(document: Document) -> Self {
        Supported {
            document,
            ..Supported::default()
        }
    }
}

impl Supported {
    /// Reads a document, and skips the parts with errors of the reader or of the linter, and everything that needs them, until
    /// there are no errors.
    ///
    /// # Errors
    ///
    /// All problems, if one of them is outside of all parts that can be skipped.
    pub(crate) fn of_text(
        file: &str,
        text: &str,
        load: &mut dyn FnMut(&str) -> Result<String, String>,
        skip: &[String],
        lint: impl Fn(&Document) -> Vec<Problem>,
    ) -> Result<Self, Problems> {
        let mut names = skip.to_vec();
        let mut usable = Supported::default();
        loop {
            let problems = match read_without(file, text, load, &names) {
                Ok(document) => {
                    let problems = Problems::new(&document, lint(&document));
                    if !problems.has_errors() {
                        return Ok(Supported { document, ..usable });
                    }
                    problems
                }
                Err(problems) => problems,
            };
            let Some(parts) = parts_of(file, text, load) else {
                return Err(problems);
            };
            let faulty = parts.with_errors(problems.problems()).unwrap_or_default();
            let before = names.len();
            for (name, errors) in faulty {
                if names.contains(&name) {
                    continue;
                }
                usable
                    .rejected
                    .extend(parts.request(&name).map(|request| RejectedOperation {
                        name: request.to_owned(),
                        configured: name.clone(),
                        rules: errors.iter().map(|problem| problem.rule).collect(),
                    }));
                usable.skipped.insert(name.clone(), reason(&errors));
                names.push(name);
            }
            if names.len() == before {
                return Err(problems);
            }
            let errors = problems.into_problems().into_iter();
            usable.rejections.extend(errors.filter(Problem::is_error));
        }
    }
}

/// Returns the document without these operations and components, which are named as in a configuration, and without the parts that
/// only they need.
pub(crate) fn without(document: &Document, names: &[String]) -> Result<Document, Problems> {
    let parts = Parts::of(document.as_written());
    let named = names.iter().filter_map(|name| parts.named(name));
    let named: BTreeSet<String> = named.map(str::to_owned).collect();
    match named.is_empty() {
        true => Ok(document.clone()),
        false => document.without(named),
    }
}
