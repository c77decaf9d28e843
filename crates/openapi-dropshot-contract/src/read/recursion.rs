//! Finds schemas that contain themselves in a way that cannot work: cycles that consist only of
//! references and compositions, which have no meaning, and schemas that no finite value satisfies.
//! A schema may contain itself through an optional property or an element.

use super::Reader;
use super::reference::circle;
use crate::model::{Location, Schema};
use crate::rules::document as rules;
use indexmap::IndexMap;
use std::collections::{HashMap, HashSet};

impl Reader<'_> {
    /// Reports each chain of schemas that leads back to its beginning without a step into the
    /// value. Returns whether there was such a chain.
    pub(super) fn has_schema_cycles(&self) -> bool {
        let cycles = cycles(&self.document.schemas);
        for (names, at) in &cycles {
            let message = format!("a schema that is defined by itself has no meaning: {names}");
            let help = "break the chain: write one of these schemas out, or refer to it from a property or from `items`";
            self.report(rules::SCHEMA_CYCLE.problem(at, message, help));
        }
        !cycles.is_empty()
    }

    /// Reports the schemas that no finite value satisfies.
    pub(super) fn check_endless_schemas(&self) {
        for (name, at) in endless(&self.document.schemas) {
            let message = format!(
                "`{name}` has no finite value: each value would have to be infinitely deep"
            );
            let help = "make one of the properties in this cycle optional or `nullable`";
            self.report(rules::ENDLESS_SCHEMA.problem(at, message, help));
        }
    }
}

/// A cycle: its names in the form for messages, and the place of the reference that closes it.
type Cycle<'s> = (String, &'s Location);

/// Finds cycles by a depth-first search with its own stack, so that a long chain of schemas cannot
/// overflow the stack of the thread. Each back edge is a cycle.
fn cycles(schemas: &IndexMap<String, Schema>) -> Vec<Cycle<'_>> {
    let edges: HashMap<&str, Vec<(&str, &Location)>> = schemas
        .iter()
        .map(|(name, schema)| {
            let mut targets = Vec::new();
            in_place(schema, &mut targets);
            (name.as_str(), targets)
        })
        .collect();
    let mut cycles = Vec::new();
    let mut done: HashSet<&str> = HashSet::new();
    for start in schemas.keys() {
        // The current path of the search: each schema, and how many of its edges have been
        // followed.
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
                let names = path[begin..].iter().map(|(name, _)| *name);
                cycles.push((circle(names), *at));
            } else if !done.contains(target) {
                on_path.insert(target, path.len());
                path.push((target, 0));
            }
        }
    }
    cycles
}

/// Collects the schemas that apply to the same value as this schema.
fn in_place<'s>(schema: &'s Schema, targets: &mut Vec<(&'s str, &'s Location)>) {
    if let Some(reference) = &schema.reference {
        targets.push((&reference.value, &reference.at));
    }
    for part in schema.compositions().chain(schema.not.as_deref()) {
        in_place(part, targets);
    }
}

/// Finds the schemas that have no finite value, each with the place where it requires another value
/// without an end.
fn endless(schemas: &IndexMap<String, Schema>) -> Vec<(&str, &Location)> {
    let mut users: HashMap<&str, Vec<&str>> = HashMap::new();
    for (name, schema) in schemas {
        schema.each(&mut |part| {
            if let Some(target) = &part.reference {
                users.entry(&target.value).or_default().push(name);
            }
        });
    }
    // If a schema has a finite value, the schemas that use it may have one, too. This is repeated
    // until nothing changes. A schema that could not be read has already been reported, and counts
    // as finite.
    let unread = users.keys().filter(|name| !schemas.contains_key(**name));
    let mut finite: HashSet<&str> = unread.copied().collect();
    let mut open: Vec<&str> = schemas.keys().map(String::as_str).collect();
    while let Some(name) = open.pop() {
        let Some(schema) = schemas.get(name) else {
            continue;
        };
        if !finite.contains(name) && demand(schema, &finite).is_none() {
            finite.insert(name);
            open.extend(users.get(name).into_iter().flatten());
        }
    }
    let all = schemas.iter().map(|(name, schema)| (name.as_str(), schema));
    let unfinished = all.filter(|(name, _)| !finite.contains(name));
    unfinished
        .filter_map(|(name, schema)| Some((name, demand(schema, &finite)?)))
        .collect()
}

/// Returns the place where a schema requires a value that has not been shown to be finite.
fn demand<'s>(schema: &'s Schema, finite: &HashSet<&str>) -> Option<&'s Location> {
    if schema.nullable || schema.enumeration.is_some() {
        return None;
    }
    if let Some(reference) = &schema.reference {
        return (!finite.contains(reference.value.as_str())).then_some(&reference.at);
    }
    let by_property = (schema.required.iter())
        .filter_map(|name| schema.properties.get(&name.value))
        .find_map(|property| demand(property, finite));
    let least = schema.min_items.as_ref().map_or(0, |least| least.value);
    let least = usize::try_from(least).unwrap_or(usize::MAX);
    let has_further = least > schema.prefix_items.len();
    let further = schema.items.as_deref().filter(|_| has_further);
    let mut elements = schema.prefix_items.iter().take(least).chain(further);
    let by_element = elements.find_map(|element| demand(element, finite));
    by_property
        .or(by_element)
        .or_else(|| schema.all_of.iter().find_map(|part| demand(part, finite)))
        .or_else(|| by_all(&schema.one_of, finite))
        .or_else(|| by_all(&schema.any_of, finite))
}

/// Alternatives require only what each of them requires.
fn by_all<'s>(alternatives: &'s [Schema], finite: &HashSet<&str>) -> Option<&'s Location> {
    let mut demands = alternatives.iter().map(|schema| demand(schema, finite));
    let first = demands.next()?;
    first.filter(|_| demands.all(|demand| demand.is_some()))
}
