//! Problems of a document: what is wrong, where, and what to write instead.

mod render;

pub(crate) use render::quoted_length;

use crate::location::Location;
use crate::rules::{DifferenceRule, Rule, Severity};
use std::fmt;
use std::sync::Arc;

/// One problem of a document. It can be created only from a declared rule: by [`Rule::problem`], [`Rule::violation`],
/// [`DifferenceRule::problem`] or [`Change::problem`](crate::diff::Change::problem).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// How serious it is.
    pub severity: Severity,
    /// The id of the rule that was violated.
    pub rule: &'static str,
    /// The place in the document as it is written.
    pub at: Location,
    /// The JSON pointer to the place in the tree that was checked. The tree may have been rewritten, so this pointer can
    /// differ from that of `at`.
    pub pointer: String,
    /// What is wrong, as a phrase that begins with a lower-case letter.
    pub message: String,
    /// What to write instead.
    pub help: String,
    /// Other places that the message refers to, each with a short label.
    pub related: Vec<(Location, String)>,
}

impl Rule {
    /// Makes a problem of this rule, with the remedy of the rule as its help.
    pub fn violation(&self, at: &Location, message: impl Into<String>) -> Problem {
        let mut help = self.remedy.trim_end_matches('.').to_owned();
        if let Some(first) = help.get_mut(..1) {
            first.make_ascii_lowercase();
        }
        self.problem(at, message, help)
    }

    /// Makes a problem of this rule, with a help text other than the remedy.
    pub fn problem(
        &self,
        at: &Location,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Problem {
        Problem::new(self.id, self.severity, at, message.into(), help.into())
    }
}

impl DifferenceRule {
    /// Makes a problem of this rule.
    pub fn problem(
        &self,
        at: &Location,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Problem {
        Problem::new(self.id, Severity::Error, at, message.into(), help.into())
    }
}

impl Problem {
    /// Makes a problem from the id of a declared rule.
    pub(crate) fn new(
        rule: &'static str,
        severity: Severity,
        at: &Location,
        message: String,
        help: String,
    ) -> Self {
        Problem {
            severity,
            rule,
            at: at.as_written(),
            pointer: at.pointer.clone(),
            message,
            help,
            related: Vec::new(),
        }
    }

    /// Whether the problem makes the document unusable.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Replaces the severity. This is for problems whose severity depends on more than the rule.
    #[must_use]
    pub fn with_severity(self, severity: Severity) -> Self {
        Problem { severity, ..self }
    }

    /// Adds another place that the message refers to.
    #[must_use]
    pub fn with_related(mut self, at: &Location, label: impl Into<String>) -> Self {
        self.related.push((at.as_written(), label.into()));
        self
    }
}

/// The texts of a document: the text of its file, and the texts of the files to which it refers.
#[derive(Clone, Debug)]
pub struct Texts {
    /// The text of each file that is not in `others`.
    main: Arc<str>,
    others: Vec<(Arc<str>, Arc<str>)>,
}

impl Texts {
    /// The texts of a document with other files.
    pub(crate) fn new(text: &Arc<str>, others: Vec<(Arc<str>, Arc<str>)>) -> Self {
        Texts {
            main: Arc::clone(text),
            others,
        }
    }

    /// The index of the text of a file. The document itself has index 0.
    fn index(&self, at: &Location) -> usize {
        let mut others = self.others.iter();
        others
            .position(|(file, _)| *file == at.file)
            .map_or(0, |index| index + 1)
    }
}

impl From<&Arc<str>> for Texts {
    fn from(text: &Arc<str>) -> Self {
        Texts::new(text, Vec::new())
    }
}

impl From<&str> for Texts {
    fn from(text: &str) -> Self {
        Texts::new(&Arc::from(text), Vec::new())
    }
}

impl From<&Texts> for Texts {
    fn from(texts: &Texts) -> Self {
        texts.clone()
    }
}

/// The problems of one document, together with its text. They are displayed in the format of rustc: with the source line
/// and with the help. The errors come last, because the end of the output is what a terminal shows.
#[derive(Clone, Debug)]
pub struct Problems {
    texts: Texts,
    problems: Vec<Problem>,
}

impl Problems {
    /// Combines problems with the text to which they belong, and sorts them in the order of the text. The text is that of a
    /// [`Document`](crate::Document), or any other text.
    pub fn new(texts: impl Into<Texts>, mut problems: Vec<Problem>) -> Self {
        let texts = texts.into();
        problems.sort_by(|a, b| {
            let key = |p: &Problem| (texts.index(&p.at), p.at.line, p.at.column, p.rule);
            key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
        });
        // A problem in a component is found once for each use of the component.
        problems.dedup_by(|a, b| {
            let texts = (&a.message, &a.help) == (&b.message, &b.help);
            texts && (a.rule, &a.at, &a.related) == (b.rule, &b.at, &b.related)
        });
        Problems { texts, problems }
    }

    /// The texts to which the problems belong.
    pub fn texts(&self) -> &Texts {
        &self.texts
    }

    /// The problems, in the order of the text.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The problems without the texts.
    pub fn into_problems(self) -> Vec<Problem> {
        self.problems
    }

    /// Whether one of them makes the document unusable.
    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(Problem::is_error)
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others = self.texts.others.iter().map(|(_, text)| text);
        let sources: Vec<_> = std::iter::once(&self.texts.main)
            .chain(others)
            .map(|text| render::Source::new(text))
            .collect();
        let (errors, warnings): (Vec<_>, Vec<_>) =
            self.problems.iter().partition(|problem| problem.is_error());
        for (index, problem) in warnings.into_iter().chain(errors).enumerate() {
            if index > 0 {
                f.write_str("\n\n")?;
            }
            let source = |at: &Location| &sources[self.texts.index(at)];
            f.write_str(&render::render(problem, &source))?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = self.severity.word();
        write!(
            f,
            "{}: {severity}[{}]: {}; {}",
            self.at, self.rule, self.message, self.help
        )
    }
}
