//! Declares every rule of the reader, the linter and the comparison, each in
//! one place: id, severity, meaning, remedy and an example.
//!
//! [`all`] lists the rules for one document, [`all_changes`] those for the
//! changes between two. `cargo openapi-dropshot explain` and its page of rules
//! are generated from these declarations. A problem or a change can only be reported by reference to a
//! declaration, so that an undeclared id does not compile; search for the
//! name of the constant to find the code that reports a rule. Rules for the same
//! change at different places are declared together: their ids consist of the
//! place and of the ending that is declared.

pub(crate) mod changes;
pub mod differences;
pub mod document;
mod example;
mod keywords;

use std::fmt;
use std::sync::LazyLock;

/// Declares rules: the name of the constant, the severity, the profile, the id, the meaning,
/// the remedy, the part of a document that the examples show, the examples, and how to configure the rule, if it differs from what
/// is said about other rules. `ALL` has all of them, in this order.
#[macro_export]
macro_rules! rules {
    ($($name:ident $severity:ident $profile:ident $id:literal $meaning:literal $remedy:literal
       $part:ident $breaks:literal $keeps:literal $(configuration $configuration:literal)?;)+) => {
        $(#[doc = $meaning]
        pub static $name: $crate::Rule = $crate::Rule {
            id: $id,
            severity: $crate::Severity::$severity,
            profile: $crate::Profile::$profile,
            meaning: $meaning,
            remedy: $remedy,
            part: $crate::rules::Part::$part,
            breaks: $breaks,
            keeps: $keeps,
            configuration: [$(Some($configuration),)? None][0],
        };)+

        /// All of these rules.
        pub static ALL: &[&$crate::Rule] = &[$(&$name),+];
    };
}

/// How serious a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Reported, but nothing fails.
    Warning,
    /// The document cannot be used.
    Error,
}

impl Severity {
    /// The word in messages.
    pub const fn word(self) -> &'static str {
        match self {
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// Which rules [`crate::lint`] applies to a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// The rules that any document must follow to make sense.
    General,
    /// The general rules, and the project rules: an operation has an id, a
    /// summary and a security requirement; a body has an example; a deprecated
    /// operation states since when, until when and what replaces it; an error
    /// response lists its codes.
    #[default]
    Strict,
}

/// How much a change matters, the most severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// An existing client can break.
    Err,
    /// An existing client may break; the documents alone do not tell.
    Warn,
    /// For information; no client breaks.
    Info,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Level::Err => "ERR",
            Level::Warn => "WARN",
            Level::Info => "INFO",
        })
    }
}

/// Which part of a document an example shows. The rest of the document is the
/// least that a document needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The whole text.
    Text,
    /// Members of the document, beside `openapi`, `info` and `paths`.
    Document,
    /// Members of `paths`.
    Paths,
    /// Members of an operation.
    Operation,
    /// The members of a flow of an OAuth 2.0 security scheme.
    Flow,
    /// The members of a parameter other than its name, its place and its schema.
    Parameter,
    /// The members of a request body or of a response.
    Body,
    /// The members of a property of an object.
    Property,
    /// A schema: of a component, or of a body, a parameter or a header.
    Schema,
    /// A description in words, because the example itself is too large.
    Words,
}

/// A rule. A [`Problem`](crate::Problem) is made of a rule only, by [`Rule::problem`](crate::Rule::problem). Other crates declare
/// rules of their own with [`rules!`](crate::rules!).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// A stable name in kebab case.
    pub id: &'static str,
    /// How serious a violation is.
    pub severity: Severity,
    /// The first profile that checks it.
    pub profile: Profile,
    /// When a document violates it, as a sentence.
    pub meaning: &'static str,
    /// What to do about it, as a sentence.
    pub remedy: &'static str,
    /// Which part of a document the examples show.
    pub part: Part,
    /// An example that violates the rule.
    pub breaks: &'static str,
    /// A similar example that does not.
    pub keeps: &'static str,
    /// How to configure the rule, as sentences, if it differs from what is said about
    /// other rules.
    pub configuration: Option<&'static str>,
}

/// A rule for a difference between a document and the code generated from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DifferenceRule {
    /// A stable name in kebab case.
    pub id: &'static str,
    /// What differs, as a sentence.
    pub meaning: &'static str,
    /// Why such a difference is accepted; `None` if the round trip fails for it.
    pub accepted: Option<&'static str>,
}

/// A rule for a change between two documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeRule {
    /// A stable name in kebab case; oasdiff's where oasdiff has the rule.
    pub id: &'static str,
    /// How much such a change matters for an operation that is stable.
    pub level: Level,
    /// What changed, as a clause.
    pub meaning: &'static str,
    /// Examples: the part of the documents that is shown, its text in the base, and
    /// its text in the revision. At least one of them shows this rule.
    pub examples: &'static [(Part, &'static str, &'static str)],
    /// The remedy, if the general one is not suitable.
    own_remedy: Option<&'static str>,
}

impl ChangeRule {
    /// What to do about the change, as a sentence.
    pub fn remedy(&self) -> &'static str {
        match (self.own_remedy, self.level) {
            (Some(remedy), _) => remedy,
            (None, Level::Err) if self.id.contains("response") => {
                "Keep sending only what the base describes, or add a new operation and deprecate this one."
            }
            (None, Level::Err) => {
                "Keep accepting what the base accepts, or add a new operation and deprecate this one."
            }
            (None, Level::Warn) => "Make sure that no client relies on what the base describes.",
            (None, Level::Info) => "Nothing: existing clients keep working.",
        }
    }

    /// Whether the rule is about a promise for the future. Such a promise
    /// counts at every stability level.
    pub(crate) fn is_promise(&self) -> bool {
        self.id.contains("sunset") || self.id.contains("stability")
    }
}

/// Places of a change by level. Each is the beginning of an id.
type Levels = &'static [(Level, &'static [&'static str])];

/// Rules for the same change at different places: of a request body, of a
/// property in a response, and so on.
pub(crate) struct Family {
    /// What all ids end with.
    pub(crate) ending: &'static str,
    /// The places where the change occurs.
    levels: Levels,
    /// What changed, as a clause.
    pub(crate) meaning: &'static str,
    examples: &'static [(Part, &'static str, &'static str)],
    /// The remedy of the rules whose level is not `Info`.
    own_remedy: Option<&'static str>,
}

impl Family {
    /// Makes rules with the general remedies.
    const fn of_schema(
        ending: &'static str,
        meaning: &'static str,
        levels: Levels,
        examples: &'static [(Part, &'static str, &'static str)],
    ) -> Self {
        Family {
            ending,
            levels,
            meaning,
            examples,
            own_remedy: None,
        }
    }

    /// Returns the rule for the first of these places that has one. A place is the
    /// beginning of the ids of its rules.
    pub(crate) fn at(&self, places: &[&str]) -> Option<&'static ChangeRule> {
        places.iter().find_map(|place| change(&self.id(place)))
    }

    fn id(&self, place: &str) -> String {
        match place {
            "" => self.ending.to_owned(),
            _ => format!("{place}-{}", self.ending),
        }
    }

    fn rules(&self) -> impl Iterator<Item = ChangeRule> {
        let places = (self.levels.iter())
            .flat_map(|(level, places)| places.iter().map(|place| (*level, *place)));
        places.map(|(level, place)| ChangeRule {
            // Leaking the text is fine, because the rules live as long as the program.
            id: self.id(place).leak(),
            level,
            meaning: self.meaning,
            examples: self.examples,
            own_remedy: self.own_remedy.filter(|_| level != Level::Info),
        })
    }
}

/// All rules of the reader and the linter.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    document::ALL.iter().copied()
}

/// All rules of the comparison.
pub fn all_changes() -> impl Iterator<Item = &'static ChangeRule> {
    static FAMILIES: LazyLock<Vec<ChangeRule>> = LazyLock::new(|| {
        let bounds = keywords::BOUNDS.iter().flat_map(|(_, rules)| rules);
        let restrictions = keywords::RESTRICTIONS.iter().flat_map(|(_, rules)| rules);
        let families = [changes::FAMILIES, changes::OUTGOING, keywords::FAMILIES];
        let families = families.into_iter().flatten().copied();
        let families = families.chain(bounds).chain(restrictions);
        families.flat_map(Family::rules).collect()
    });
    changes::SINGLE.iter().copied().chain(FAMILIES.iter())
}

/// The rule of the comparison that has this id.
pub fn change(id: &str) -> Option<&'static ChangeRule> {
    all_changes().find(|rule| rule.id == id)
}
