//! Compares the meaning of two documents: the source document, and the document that is emitted by
//! the service generated from it.
//!
//! Differences in notation are ignored, such as `$ref` through `allOf`, another order, or an inline
//! schema that got a name. Each difference in meaning is reported with its place and a rule with a
//! stable id. The caller uses the rule to decide whether the difference is acceptable.

mod operations;
mod responses;
mod schemas;
mod shape;

use crate::model::{Document, Extensions, Location, Schema};
use crate::rules::{DifferenceRule, differences as rules};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

/// The result of a comparison.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// Where the documents differ, in the order in which they were compared.
    pub differences: Vec<Difference>,
    /// The schemas of the source by JSON pointer, each with the name of the component that
    /// represents it in the emitted document.
    pub pairs: BTreeMap<String, String>,
    /// The operations of the source, such as `GET /things`.
    pub operations: Vec<String>,
    /// The component schemas of the source, by name.
    pub schemas: Vec<String>,
    /// The parameters of all operations, as pairs of operation and parameter.
    pub parameters: Vec<(String, String)>,
    /// The responses of all operations, as pairs of operation and status.
    pub statuses: Vec<(String, String)>,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What differs, such as [`SCHEMA_MAXIMUM`](crate::rules::differences::SCHEMA_MAXIMUM).
    pub rule: &'static DifferenceRule,
    /// The place in the source.
    pub at: Location,
    /// The part of the source that contains the difference: an operation such as `GET /things`,
    /// with its parameter or status, or the name of a component schema.
    pub part: String,
    /// What the source and the emitted document contain.
    pub message: String,
}

/// Compares an emitted document with its source.
pub fn compare(source: &Document, emitted: &Document) -> Comparison {
    let mut comparer = Comparer {
        source,
        emitted,
        comparison: Comparison::default(),
        part: String::new(),
        errors_have_bodies: false,
        has_several_successes: false,
        in_parameter: false,
        is_nameless: false,
        seen: BTreeSet::new(),
    };
    comparer.components();
    comparer.operations();
    comparer.comparison
}

/// The state of a comparison.
struct Comparer<'d> {
    source: &'d Document,
    emitted: &'d Document,
    comparison: Comparison,
    /// The part that is being compared; see [`Difference::part`].
    part: String,
    /// Whether the errors of the current operation have a body. Dropshot describes the same body
    /// for all errors of an operation.
    errors_have_bodies: bool,
    /// Whether the current operation has no success response, or more than one. Dropshot can
    /// describe the headers of only one success response.
    has_several_successes: bool,
    /// Whether the current schema belongs to a parameter. Dropshot describes only the parameter,
    /// not its schema.
    in_parameter: bool,
    /// Whether the current schema is that of a body, of the elements of an array or of members
    /// without fixed names. Its Rust type may have no name of its own.
    is_nameless: bool,
    /// Pairs of schemas that were compared or are being compared.
    seen: BTreeSet<(String, String)>,
}

impl<'d> Comparer<'d> {
    /// Compares each component schema of the source with the component schema of the same name.
    fn components(&mut self) {
        for (name, schema) in &self.source.schemas {
            self.part = name.clone();
            self.comparison.schemas.push(name.clone());
            match self.emitted.schema(name) {
                Some(other) => {
                    let pointer = schema.at.pointer.clone();
                    self.comparison.pairs.insert(pointer, name.clone());
                    self.schema(schema, other);
                }
                // If a component is a reference, only its target is compared.
                None if schema.is_reference() => {}
                None => {
                    let message = format!("there is no schema `{name}`");
                    self.differ(&rules::SCHEMA_MISSING, &schema.at, message);
                }
            }
        }
    }

    /// Reports a difference.
    fn differ(&mut self, rule: &'static DifferenceRule, at: &Location, message: impl Into<String>) {
        let difference = Difference {
            rule,
            at: at.clone(),
            part: self.part.clone(),
            message: message.into(),
        };
        if !self.comparison.differences.contains(&difference) {
            self.comparison.differences.push(difference);
        }
    }

    /// Reports that a part of the source is missing in the emitted document.
    fn lost(&mut self, rule: &'static DifferenceRule, at: &Location, name: &str) {
        self.differ(rule, at, format!("`{name}` was lost"));
    }

    /// Reports that the emitted document has a part that is not in the source.
    fn added(&mut self, rule: &'static DifferenceRule, at: &Location, name: &str) {
        self.differ(rule, at, format!("`{name}` is not in the source"));
    }

    /// Reports a difference if two values are not equal.
    fn same<T: PartialEq + Debug>(
        &mut self,
        rule: &'static DifferenceRule,
        at: &Location,
        [source, emitted]: [T; 2],
    ) {
        if source != emitted {
            self.differ(rule, at, format!("{source:?} became {emitted:?}"));
        }
    }

    /// Compares descriptions and other texts for readers. Rust's documentation escapes brackets,
    /// joins lines and adds notes; these differences are ignored, but missing and changed words are
    /// reported.
    fn text(&mut self, rules: &TextRules, at: &Location, both: [Option<&str>; 2]) {
        if let Some((rule, message)) = rules.difference(both) {
            self.differ(rule, at, message);
        }
    }

    /// Reports each extension of the source that is missing in the emitted document.
    fn extensions(&mut self, rule: &'static DifferenceRule, at: &Location, both: [&Extensions; 2]) {
        let [source, emitted] = both;
        for name in source.keys().filter(|name| !emitted.contains_key(*name)) {
            self.lost(rule, at, name);
        }
    }

    /// Compares two schemas, each of which may be absent.
    fn optional(&mut self, at: &Location, both: [Option<&'d Schema>; 2]) {
        match both {
            [Some(source), Some(emitted)] => self.schema(source, emitted),
            [Some(source), None] => {
                self.differ(&rules::SCHEMA_LOST, &source.at, "the schema was lost")
            }
            [None, Some(_)] => {
                self.differ(&rules::SCHEMA_ADDED, at, "the source has no schema here")
            }
            [None, None] => {}
        }
    }
}

/// The rules for one kind of text.
struct TextRules {
    /// Reported if the text has the same words in another form.
    form: &'static DifferenceRule,
    /// Reported if the emitted text continues with more words after the text of the source.
    more: &'static DifferenceRule,
    /// Reported if the source has no text.
    added: &'static DifferenceRule,
    /// Reported if words are missing or differ.
    lost: &'static DifferenceRule,
}

impl TextRules {
    /// Returns how two texts differ, if they do.
    fn difference(&self, both: [Option<&str>; 2]) -> Option<(&'static DifferenceRule, String)> {
        let [source, emitted] = both.map(Option::unwrap_or_default);
        if source.trim() == emitted.trim() {
            return None;
        }
        let (plain_source, plain_emitted) = (plain(source), plain(emitted));
        let rule = if plain_source == plain_emitted {
            self.form
        } else if plain_source.is_empty() {
            self.added
        } else if plain_emitted.starts_with(&plain_source) {
            self.more
        } else {
            self.lost
        };
        let message = format!("{:?} became {:?}", shortened(source), shortened(emitted));
        Some((rule, message))
    }
}

/// Removes white space, escapes, code fences and the angle brackets of links.
fn plain(text: &str) -> String {
    let text = text.replace("```text", "").replace("```", "");
    text.chars()
        .filter(|letter| !letter.is_whitespace() && !['\\', '<', '>'].contains(letter))
        .collect()
}

/// Returns the beginning of a text, for messages.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 80;
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}
