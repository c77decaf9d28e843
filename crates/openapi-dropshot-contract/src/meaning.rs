//! Compares two documents by meaning: the source, and the document that a service
//! generated from it emits.
//!
//! It ignores differences in notation (`$ref` through `allOf`, order, an inline schema that got a
//! name). Each difference in meaning is reported with its place and a stable
//! rule, by which the caller decides whether the difference is acceptable.

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
    /// The schemas of the source as JSON pointers, each with the name of the
    /// component that represents it in the emitted document.
    pub pairs: BTreeMap<String, String>,
    /// The operations of the source, such as `GET /things`.
    pub operations: Vec<String>,
    /// The component schemas of the source, by name.
    pub schemas: Vec<String>,
    /// The parameters of all operations: the operation, and the parameter.
    pub parameters: Vec<(String, String)>,
    /// The responses of all operations: the operation, and the status.
    pub statuses: Vec<(String, String)>,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What differs, such as [`SCHEMA_MAXIMUM`](crate::rules::differences::SCHEMA_MAXIMUM).
    pub rule: &'static DifferenceRule,
    /// Where in the source.
    pub at: Location,
    /// The part that it belongs to: an operation as `GET /things`, with its
    /// parameter or status, or a component schema by name.
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
    /// Whether an error of the operation that is being compared has a body;
    /// dropshot gives all errors of an operation the same one.
    errors_have_bodies: bool,
    /// Whether the operation that is being compared has not exactly one success; dropshot
    /// describes the headers of one.
    has_several_successes: bool,
    /// Whether the schema of a parameter is being compared; dropshot describes the parameter
    /// alone.
    in_parameter: bool,
    /// Whether the schema of a body, of the elements of an array, or of members without a name
    /// is being compared; its type may have no name in Rust.
    is_nameless: bool,
    /// Pairs of schemas that were compared or are being compared.
    seen: BTreeSet<(String, String)>,
}

impl<'d> Comparer<'d> {
    /// The component schemas of the source, each with that of the same name.
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
                // A component that is a reference is compared at its target.
                None if schema.is_reference() => {}
                None => self.differ(
                    &rules::SCHEMA_MISSING,
                    &schema.at,
                    format!("there is no schema `{name}`"),
                ),
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

    /// Reports that the emitted document lacks something of the source.
    fn lost(&mut self, rule: &'static DifferenceRule, at: &Location, name: &str) {
        self.differ(rule, at, format!("`{name}` was lost"));
    }

    /// Reports that the emitted document has something that the source lacks.
    fn added(&mut self, rule: &'static DifferenceRule, at: &Location, name: &str) {
        self.differ(rule, at, format!("`{name}` is not in the source"));
    }

    /// Reports a difference of two values, where there is one.
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

    /// Compares texts for people. Rust's documentation escapes brackets, joins lines
    /// and adds notes; these are ignored, but lost and changed words are reported.
    fn text(&mut self, rules: &TextRules, at: &Location, both: [Option<&str>; 2]) {
        if let Some((rule, message)) = rules.difference(both) {
            self.differ(rule, at, message);
        }
    }

    /// Reports each extension of the source that the emitted document lacks.
    fn extensions(&mut self, rule: &'static DifferenceRule, at: &Location, both: [&Extensions; 2]) {
        let [source, emitted] = both;
        for name in source.keys().filter(|name| !emitted.contains_key(*name)) {
            self.lost(rule, at, name);
        }
    }

    /// Compares schemas that may be absent.
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
    /// The text has the same words in another form.
    form: &'static DifferenceRule,
    /// The text of the source is followed by more words.
    more: &'static DifferenceRule,
    /// The source has no text.
    added: &'static DifferenceRule,
    /// The words are missing or differ.
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
