//! Checks the values in a document: defaults, enum values and examples must be valid for their
//! schemas. All keywords of OpenAPI 3.0 and the common formats are checked. If the specification is
//! unclear (unknown formats, `null` beside `allOf`), a value counts as valid.

mod scalars;

use super::walk::{Direction, schema_uses};
use crate::grammar::is_free;
use crate::model::{AdditionalProperties, Document, Location, Member, Node, NodeKind, Schema};
use crate::problem::Problem;
use crate::rules::{Profile, Rule, Severity, document as rules};
use indexmap::IndexMap;
use scalars::{format_fits, has_type, with_article};
use std::collections::{HashMap, HashSet};

/// How many schemas a value is checked against before it counts as valid. Without a limit, nested
/// compositions can take exponential time.
const MAX_STEPS: usize = 20_000;

/// How many levels of schemas are followed. Chains of references can be long.
const MAX_DEPTH: usize = 200;

/// The kind of a validated value: the rule for invalid values, the name of the kind in messages,
/// and the severity.
#[derive(Clone, Copy)]
struct Subject(&'static Rule, &'static str, Severity);

pub(super) fn check(document: &Document, profile: Profile, problems: &mut Vec<Problem>) {
    // A wrong example misleads readers, and the project rules require examples that can be used as
    // tests.
    let severity = match profile {
        Profile::General => Severity::Warning,
        Profile::Strict => Severity::Error,
    };
    let example = Subject(&rules::INVALID_EXAMPLE, "example", severity);
    let default = Subject(&rules::INVALID_DEFAULT, "default", Severity::Error);
    let enum_value = Subject(&rules::INVALID_ENUM_VALUE, "enum value", Severity::Error);
    let either = Direction::Either;
    let mut validator = Validator {
        document,
        patterns: HashMap::new(),
        subject: example,
        direction: either,
        steps: 0,
        depth: 0,
        problems: Vec::new(),
    };
    for place in schema_uses(document) {
        for value in place.examples {
            let validator = validator.start(example, place.direction);
            validator.validate(place.schema, value);
        }
        place.schema.each(&mut |schema| {
            for value in &schema.examples {
                validator.start(example, either).validate(schema, value);
            }
            if let Some(value) = &schema.default {
                validator.start(default, either).validate(schema, value);
            }
            // A value of an enum that is not valid for the rest of the schema can never be sent.
            let values = schema.enumeration.as_deref().unwrap_or_default();
            // Dropshot writes a type beside an enum whose only value is `null`.
            let may_be_null = schema.nullable || values.iter().all(Node::is_null);
            for value in values {
                if !(may_be_null && value.is_null()) {
                    let validator = validator.start(enum_value, either);
                    validator.own_keywords(schema, value);
                    validator.compositions(schema, value);
                }
            }
        });
    }
    problems.append(&mut validator.problems);
}

/// Validates values against the schemas of one document.
struct Validator<'d> {
    document: &'d Document,
    patterns: HashMap<String, Option<regex::Regex>>,
    subject: Subject,
    direction: Direction,
    steps: usize,
    depth: usize,
    /// The problems of the values that have been validated.
    problems: Vec<Problem>,
}

impl Validator<'_> {
    /// Prepares for the validation of another value.
    fn start(&mut self, subject: Subject, direction: Direction) -> &mut Self {
        (self.subject, self.direction) = (subject, direction);
        (self.steps, self.depth) = (0, 0);
        self
    }

    /// Reports that a value violates a keyword or a schema.
    fn report(&mut self, value: &Node, by: &Location, message: &str, help: &str) {
        self.report_at(&value.at, by, message, help);
    }

    fn report_at(&mut self, at: &Location, by: &Location, message: &str, help: &str) {
        let Subject(rule, name, severity) = self.subject;
        let is_constant = at.keyword(name) == "const";
        let name = if is_constant { "`const`" } else { name };
        let message = format!("this {name} is not valid for its own schema: {message}");
        let problem = rule.problem(at, message, help);
        let problem = problem.with_severity(severity);
        self.problems.push(problem.with_related(by, "by this"));
    }

    /// Whether validation was stopped at a limit, so that its result is unknown.
    fn is_exhausted(&self) -> bool {
        self.steps > MAX_STEPS || self.depth > MAX_DEPTH
    }

    fn validate(&mut self, schema: &Schema, value: &Node) {
        self.steps += 1;
        if self.is_exhausted() {
            return;
        }
        let Some(schema) = self.document.resolve(schema) else {
            return;
        };
        if value.is_null() && schema.nullable {
            return;
        }
        self.depth += 1;
        if let Some(values) = &schema.enumeration
            && !values.iter().any(|allowed| allowed.same_value(value))
        {
            let message = format!("{} is not in `enum`", value.summary());
            let help = "write one of the values of `enum`";
            self.report(value, &schema.at, &message, help);
        }
        self.own_keywords(schema, value);
        self.compositions(schema, value);
        self.depth -= 1;
    }

    fn own_keywords(&mut self, schema: &Schema, value: &Node) {
        if let Some(kind) = &schema.types
            && !has_type(value, kind.value)
        {
            let (expected, found) = (with_article(kind.value), value.summary());
            let message = format!("expected {expected}, found {found}");
            let help = "write a value of the type of the schema";
            self.report(value, &kind.at, &message, help);
            return;
        }
        match &value.kind {
            NodeKind::Number(number) => self.numbers(schema, value, number),
            NodeKind::String(text) => self.texts(schema, value, text),
            NodeKind::Array(items) => self.arrays(schema, value, items),
            NodeKind::Object(members) => self.objects(schema, value, members),
            NodeKind::Null | NodeKind::Bool(_) => {}
        }
    }

    fn texts(&mut self, schema: &Schema, value: &Node, text: &str) {
        let bounds = (&schema.min_length, &schema.max_length);
        self.counts(text.chars().count(), "characters", bounds, value);
        let summary = value.summary();
        if let Some(pattern) = &schema.pattern
            && !self.matches(&pattern.value, text)
        {
            let message = format!("{summary} does not match the pattern `{}`", pattern.value);
            let help = "write a text that matches, or correct the pattern";
            self.report(value, &pattern.at, &message, help);
        }
        if let Some(format) = &schema.format
            && !format_fits(&format.value, text)
        {
            let message = format!("{summary} is not a valid `{}`", format.value);
            self.report(value, &format.at, &message, "write a text of this format");
        }
    }

    /// Matches with a regex engine that runs in bounded time. A pattern that the engine does not
    /// support (for example, with look-around) counts as matched.
    fn matches(&mut self, pattern: &str, text: &str) -> bool {
        let compiled = self.patterns.entry(pattern.to_owned());
        let compiled = compiled.or_insert_with(|| regex::Regex::new(pattern).ok());
        compiled.as_ref().is_none_or(|regex| regex.is_match(text))
    }

    fn arrays(&mut self, schema: &Schema, value: &Node, items: &[Node]) {
        let bounds = (&schema.min_items, &schema.max_items);
        self.counts(items.len(), "elements", bounds, value);
        if schema.unique_items {
            let mut seen = HashSet::new();
            for item in items {
                if !seen.insert(item.to_json().to_string()) {
                    let item_text = item.summary();
                    let message =
                        format!("{item_text} is repeated, but the elements must be unique");
                    self.report(item, &schema.at, &message, "remove one of them");
                }
            }
        }
        let described = &schema.prefix_items;
        for (item, own) in items.iter().zip(described) {
            self.validate(own, item);
        }
        let further = items.iter().skip(described.len());
        let Some(of) = &schema.items else {
            return;
        };
        let excluded = self.document.node(of).and_then(|node| node.get("not"));
        if !described.is_empty() && excluded.is_some_and(is_free) {
            let (count, keyword) = (described.len(), of.at.keyword("items"));
            let message = format!(
                "`{keyword}` allows only the {count} elements that `prefixItems` describes"
            );
            let help = "remove it, or describe it in `prefixItems`";
            for item in further {
                self.report(item, &of.at, &message, help);
            }
            return;
        }
        for item in further {
            self.validate(of, item);
        }
    }

    fn objects(&mut self, schema: &Schema, value: &Node, members: &IndexMap<String, Member>) {
        let bounds = (&schema.min_properties, &schema.max_properties);
        self.counts(members.len(), "properties", bounds, value);
        for name in &schema.required {
            let property = schema.properties.get(&name.value);
            if !members.contains_key(&name.value) && !self.may_be_absent(property) {
                let message = format!("the required property `{name}` is missing");
                self.report(value, &name.at, &message, "add it");
            }
        }
        for (name, member) in members {
            match (schema.properties.get(name), &schema.additional_properties) {
                (Some(property), _) => self.validate(property, &member.value),
                (None, Some(AdditionalProperties::Schema(schema))) => {
                    self.validate(schema, &member.value)
                }
                (None, Some(AdditionalProperties::Allowed(allowed))) if !allowed.value => {
                    let message = format!("the property `{}` is not allowed", name.escape_debug());
                    let help = "remove it, or add it to `properties`";
                    self.report_at(&member.key_at, &allowed.at, &message, help);
                }
                _ => {}
            }
        }
    }

    /// A required property is only required in the direction in which it is sent.
    fn may_be_absent(&self, property: Option<&Schema>) -> bool {
        let Some(property) = property.and_then(|property| self.document.resolve(property)) else {
            return false;
        };
        (property.read_only && self.direction != Direction::Response)
            || (property.write_only && self.direction != Direction::Request)
    }

    fn compositions(&mut self, schema: &Schema, value: &Node) {
        for part in &schema.all_of {
            self.validate(part, value);
        }
        match self.alternatives(&schema.one_of, value) {
            None | Some((1, _)) => {}
            Some((0, closest)) => self.problems.extend(closest),
            Some((valid, _)) => {
                let message = format!(
                    "it is valid for {valid} of the schemas in `oneOf`, not for exactly one"
                );
                let help = "make the schemas exclude each other, or write `anyOf`";
                self.report(value, &schema.at, &message, help);
            }
        }
        if let Some((0, closest)) = self.alternatives(&schema.any_of, value) {
            self.problems.extend(closest);
        }
        if let Some(not) = &schema.not
            && self.problems_by(not, value).is_empty()
            && !self.is_exhausted()
        {
            self.report(value, &not.at, "`not` excludes it", "write another value");
        }
    }

    /// Returns for how many alternatives a value is valid, and the problems for the closest one.
    /// Returns `None` if that is unknown or if there are no alternatives.
    fn alternatives(&mut self, schemas: &[Schema], value: &Node) -> Option<(usize, Vec<Problem>)> {
        let results = schemas.iter().map(|schema| self.problems_by(schema, value));
        let results: Vec<_> = results.collect();
        let valid = results.iter().filter(|problems| problems.is_empty());
        let valid = valid.count();
        let closest = results.into_iter().min_by_key(Vec::len)?;
        (!self.is_exhausted()).then_some((valid, closest))
    }

    /// Returns the problems of a value for a schema that it may violate.
    fn problems_by(&mut self, schema: &Schema, value: &Node) -> Vec<Problem> {
        let outer = std::mem::take(&mut self.problems);
        self.validate(schema, value);
        std::mem::replace(&mut self.problems, outer)
    }
}
