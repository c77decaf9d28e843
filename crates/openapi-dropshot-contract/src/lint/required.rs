//! `required` names properties that some part of the composed schema has. A
//! name that none has is most often misspelt; it is still valid, so this warns.

use super::walk::{compositions, parts, places};
use crate::model::{Document, Schema};
use crate::problem::Problem;
use crate::read::closest;
use std::collections::HashSet;

pub(super) fn check(document: &Document, problems: &mut Vec<Problem>) {
    for place in places(document) {
        let mut rule = Rule { document, problems };
        rule.check(place.schema, place.schema);
    }
}

struct Rule<'d, 'p> {
    document: &'d Document,
    problems: &'p mut Vec<Problem>,
}

impl<'d> Rule<'d, '_> {
    /// Checks a schema; `whole` is the composition that it is a part of, and
    /// whose other parts may bring the properties.
    fn check(&mut self, schema: &'d Schema, whole: &'d Schema) {
        self.names(schema, whole);
        let own: HashSet<*const Schema> = compositions(schema).map(std::ptr::from_ref).collect();
        for part in parts(schema) {
            let whole = if own.contains(&std::ptr::from_ref(part)) {
                whole
            } else {
                part
            };
            self.check(part, whole);
        }
    }

    fn names(&mut self, schema: &'d Schema, whole: &'d Schema) {
        let unknown: Vec<_> = schema
            .required
            .iter()
            .filter(|name| !schema.properties.contains_key(&name.value))
            .collect();
        if unknown.is_empty() {
            return;
        }
        let mut known = HashSet::new();
        self.collect(whole, &mut known);
        // A part that only requires is meant for other schemas to compose.
        if known.is_empty() {
            return;
        }
        for name in unknown
            .into_iter()
            .filter(|name| !known.contains(name.value.as_str()))
        {
            let help = match closest(&name.value, known.iter().copied()) {
                Some(close) => format!("did you mean `{close}`?"),
                None => "add it to `properties`, or remove it".to_owned(),
            };
            let message = format!(
                "`{}` is required but is no property",
                name.value.escape_debug()
            );
            self.problems.push(Problem::warning(
                "unknown-required",
                &name.at,
                message,
                help,
            ));
        }
    }

    /// The names of all properties of a composition.
    fn collect(&self, schema: &'d Schema, known: &mut HashSet<&'d str>) {
        let mut open = vec![schema];
        let mut seen = HashSet::new();
        while let Some(schema) = open.pop() {
            known.extend(schema.properties.keys().map(String::as_str));
            open.extend(compositions(schema));
            if let Some(reference) = &schema.reference
                && seen.insert(reference.value.as_str())
            {
                open.extend(self.document.schema(&reference.value));
            }
        }
    }
}
