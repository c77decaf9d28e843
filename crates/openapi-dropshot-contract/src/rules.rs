//! Declares every rule of the reader, the linter and the comparison. A declaration contains the id, the severity, the meaning, the
//! remedy and an example.
//!
//! [`all`] lists the rules for one document, [`all_changes`] the rules for the changes between two documents.
//! `cargo openapi-dropshot explain` and the page of rules in the documentation are generated from these declarations. A problem or
//! a change can be created only from the constant of its rule, so an undeclared id does not compile. To find the code that reports
//! a rule, search for the name of its constant. Rules for the same change at different places are declared together: the id of
//! each is its place, followed by the declared ending.

pub(crate) mod changes;
pub mod differences;
pub mod document;
mod example;
mod keywords;

use std::fmt;
use std::sync::LazyLock;

/// Declares rules. Each entry contains the name of the constant, the severity, the profile, the id, the meaning, the remedy, the
/// part of a document that the examples show, the examples, and how to configure the rule, if that differs from other rules. `ALL`
/// contains all declared rules in this order.
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
    /// The problem is reported, but nothing fails.
    Warning,
    /// The document cannot be used.
    Error,
}

impl Severity {
    /// The word for the severity in messages.
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
    /// Only the rules that every document must follow to have a clear meaning.
    General,
    /// The general rules and the project rules. The project rules are: an operation has an id, a summary and a security
    /// requirement; a body has an example; a deprecated operation states the day of its deprecation, its sunset and its
    /// replacement; an error response lists its codes.
    #[default]
    Strict,
}

/// How serious a change is. The most severe level is first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// An existing client can break.
    Err,
    /// An existing client may break; the documents alone do not show whether it does.
    Warn,
    /// The change is only information; no client breaks.
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

/// The part of a document that an example shows. The rest of the document contains only what a document must contain.
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
    /// A schema of a component, a body, a parameter or a header.
    Schema,
    /// A description in words, because the example itself is too large.
    Words,
}

/// A rule. A [`Problem`](crate::Problem) can be created only from a rule, by [`Rule::problem`](crate::Rule::problem). Other crates
/// declare their own rules with [`rules!`](crate::rules!).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// A stable name in kebab case.
    pub id: &'static str,
    /// How serious a violation is.
    pub severity: Severity,
    /// The least strict profile that checks the rule.
    pub profile: Profile,
    /// When a document violates it, as a sentence.
    pub meaning: &'static str,
    /// What to do about it, as a sentence.
    pub remedy: &'static str,
    /// Which part of a document the examples show.
    pub part: Part,
    /// An example that violates the rule.
    pub breaks: &'static str,
    /// A similar example that does not violate the rule.
    pub keeps: &'static str,
    /// How to configure the rule, in full sentences, if that differs from other rules.
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
    /// A stable name in kebab case. It is the id of oasdiff if oasdiff has the rule.
    pub id: &'static str,
    /// How serious such a change is for a stable operation.
    pub level: Level,
    /// What changed, as a clause.
    pub meaning: &'static str,
    /// Examples: the part of the document that the example shows, its text in the base, and its text in the revision. At least one
    /// of the examples shows a change of this rule.
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
                "Keep sending only what the old document describes, or add a new operation and deprecate this one."
            }
            (None, Level::Err) => {
                "Keep accepting what the old document accepts, or add a new operation and deprecate this one."
            }
            (None, Level::Warn) => {
                "Make sure that no client relies on what the old document describes."
            }
            (None, Level::Info) => "Nothing: existing clients keep working.",
        }
    }

    /// Whether the rule is about a promise for the future, such as a sunset. The stability level does not lower the level of such
    /// a rule.
    pub(crate) fn is_promise(&self) -> bool {
        self.id.contains("sunset") || self.id.contains("stability")
    }
}

/// Places of a change, grouped by level. Each place is the beginning of an id.
type Levels = &'static [(Level, &'static [&'static str])];

/// The part of a document that an example shows, with its text in the base and in the revision.
type Example = (Part, &'static str, &'static str);

/// Returns the examples of the opposite change.
const fn swapped<const COUNT: usize>(examples: &[Example]) -> [Example; COUNT] {
    let mut swapped = [examples[0]; COUNT];
    let mut index = 0;
    while index < COUNT {
        let (part, base, revision) = examples[index];
        swapped[index] = (part, revision, base);
        index += 1;
    }
    swapped
}

/// Rules for the same change at different places: of a request body, of a
/// property in a response, and so on.
pub(crate) struct Family {
    /// What all ids end with.
    pub(crate) ending: &'static str,
    /// The places where the change occurs.
    levels: Levels,
    /// What changed, as a clause.
    pub(crate) meaning: &'static str,
    examples: &'static [Example],
    /// The remedy of the rules whose level is not `Info`.
    own_remedy: Option<&'static str>,
}

impl Family {
    /// Returns the rule for the first of these places that has a rule. A place is the beginning of the ids of its rules.
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
            // The text may be leaked, because the rules live as long as the program.
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
