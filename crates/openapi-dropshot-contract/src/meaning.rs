//! Compares two documents by meaning: whether one that was emitted by a service
//! says what the one that the service was made of says. Spelling does not count
//! (`$ref` through `allOf`, order, an inline schema that got a name); what does
//! is reported with its place. Which differences are acceptable is left to the
//! caller, who finds a stable rule in each; what breaks clients is in `diff`.

mod operations;
mod responses;
mod schemas;
mod shape;
mod words;

use crate::model::{Document, Location, Schema};
use std::collections::{BTreeMap, BTreeSet};

/// What the comparison found.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// Where the documents differ, in the order in which they were compared.
    pub differences: Vec<Difference>,
    /// The schemas of the source and the names that they have in the emitted
    /// document, each pair once.
    pub pairs: Vec<Pair>,
    /// What was compared, by the pointer into the source.
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
    /// A stable, kebab-case name of what differs, such as `schema-maximum`.
    pub rule: &'static str,
    /// Where in the source.
    pub at: Location,
    /// The part that it belongs to: an operation as `GET /things`, with its
    /// parameter or status, or a component schema by name.
    pub part: String,
    /// What the source says and what the emitted document says.
    pub message: String,
}

/// A schema of the source, and the component that stands for it in the emitted
/// document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// The schema of the source, as a JSON pointer.
    pub pointer: String,
    /// The name of the component of the emitted document.
    pub name: String,
}

/// Compares an emitted document with its source.
pub fn compare(source: &Document, emitted: &Document) -> Comparison {
    let mut comparer = Comparer {
        source,
        emitted,
        comparison: Comparison::default(),
        part: String::new(),
        errors_have_bodies: false,
        met: BTreeSet::new(),
        pairs: BTreeMap::new(),
    };
    comparer.components();
    comparer.operations();
    let pairs = comparer.pairs.into_iter();
    let mut comparison = comparer.comparison;
    comparison.pairs = pairs
        .map(|(pointer, name)| Pair { pointer, name })
        .collect();
    comparison
}

/// What comparing collects.
struct Comparer<'d> {
    source: &'d Document,
    emitted: &'d Document,
    comparison: Comparison,
    /// The part that is being compared; see [`Difference::part`].
    part: String,
    /// Whether an error of the operation that is being compared has a body:
    /// dropshot gives all of them the same.
    errors_have_bodies: bool,
    /// Pairs of schemas that were compared or are being compared.
    met: BTreeSet<(String, String)>,
    pairs: BTreeMap<String, String>,
}

impl<'d> Comparer<'d> {
    /// The component schemas of the source, each with that of the same name.
    fn components(&mut self) {
        for (name, schema) in &self.source.schemas {
            self.part = name.clone();
            self.comparison.schemas.push(name.clone());
            match self.emitted.schema(name) {
                Some(other) => {
                    self.pairs.insert(schema.at.pointer.clone(), name.clone());
                    self.schema(schema, other);
                }
                // Another name of a component is compared where it leads to.
                None if schema.is_reference() => {}
                None => self.differ(
                    "schema-missing",
                    &schema.at,
                    format!("there is no schema `{name}`"),
                ),
            }
        }
    }

    /// Notes a difference.
    fn differ(&mut self, rule: &'static str, at: &Location, message: impl Into<String>) {
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

    /// Notes a difference of two values, where there is one.
    fn same<T: PartialEq + std::fmt::Debug>(
        &mut self,
        rule: &'static str,
        at: &Location,
        source: &T,
        emitted: &T,
    ) {
        if source != emitted {
            self.differ(rule, at, format!("{source:?} became {emitted:?}"));
        }
    }

    /// Compares texts for people.
    fn text(
        &mut self,
        rules: &words::Rules,
        at: &Location,
        source: Option<&str>,
        emitted: Option<&str>,
    ) {
        if let Some((rule, message)) = words::difference(rules, source, emitted) {
            self.differ(rule, at, message);
        }
    }

    /// Compares schemas that may be absent.
    fn optional(&mut self, at: &Location, source: Option<&'d Schema>, emitted: Option<&'d Schema>) {
        match (source, emitted) {
            (Some(source), Some(emitted)) => self.schema(source, emitted),
            (Some(source), None) => self.differ("schema-lost", &source.at, "the schema was lost"),
            (None, Some(_)) => {
                self.differ("schema-added", at, "there is a schema that nobody wrote")
            }
            (None, None) => {}
        }
    }
}
