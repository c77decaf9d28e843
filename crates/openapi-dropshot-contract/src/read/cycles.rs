//! Schemas that contain themselves. Through a property or an element they may:
//! some value ends there. Through compositions and references alone they say
//! nothing, and every tool that follows them runs in a circle.

use super::Reader;
use super::chains::circle;
use crate::model::{Location, Schema};
use indexmap::IndexMap;
use std::collections::{HashMap, HashSet};

impl Reader<'_> {
    /// Reports each chain of schemas that leads back without a step into the
    /// value, and tells whether there was one.
    pub(super) fn has_schema_cycles(&mut self) -> bool {
        let cycles = cycles(&self.components.schemas);
        let found = !cycles.is_empty();
        for (names, at) in cycles {
            let message = format!("a schema that consists of itself has no meaning: {names}");
            let help = "break the chain: write one of these schemas out, or refer to it from a property or from `items`";
            self.error("schema-cycle", &at, message, help);
        }
        found
    }
}

/// A cycle: its names in words, and the place of the reference that closes it.
type Cycle = (String, Location);

/// Finds cycles by a depth-first walk that keeps its own stack, so that a long
/// chain of schemas cannot overflow that of the thread. Each back edge gives one.
fn cycles(schemas: &IndexMap<String, Schema>) -> Vec<Cycle> {
    let edges: HashMap<&str, Vec<(&str, &Location)>> = schemas
        .iter()
        .map(|(name, schema)| {
            let mut targets = Vec::new();
            in_place(schema, &mut targets);
            (name.as_str(), targets)
        })
        .collect();
    let mut found = Vec::new();
    let mut done: HashSet<&str> = HashSet::new();
    for start in schemas.keys() {
        // The path that is walked: a schema, and how many of its edges are done.
        let mut path: Vec<(&str, usize)> = vec![(start, 0)];
        let mut on_path: HashMap<&str, usize> = HashMap::from([(start.as_str(), 0)]);
        if done.contains(start.as_str()) {
            continue;
        }
        while let Some((name, next)) = path.last_mut() {
            let name = *name;
            let Some((target, at)) = edges.get(name).and_then(|targets| targets.get(*next)) else {
                done.insert(name);
                on_path.remove(name);
                path.pop();
                continue;
            };
            *next += 1;
            if let Some(&begin) = on_path.get(target) {
                found.push((
                    circle(path[begin..].iter().map(|(name, _)| *name)),
                    (*at).clone(),
                ));
            } else if !done.contains(target) {
                on_path.insert(target, path.len());
                path.push((target, 0));
            }
        }
    }
    found
}

/// The schemas that judge the same value as this one does.
fn in_place<'s>(schema: &'s Schema, targets: &mut Vec<(&'s str, &'s Location)>) {
    if let Some(reference) = &schema.reference {
        targets.push((&reference.value, &reference.at));
    }
    let parts = schema
        .all_of
        .iter()
        .chain(&schema.one_of)
        .chain(&schema.any_of)
        .chain(schema.not.as_deref());
    for part in parts {
        in_place(part, targets);
    }
}
