//! Schemas that no finite value satisfies: each value of them needs another
//! one inside it. Harmless-looking, and every generator of examples or of types
//! without indirection runs into the ground on them.

use super::Reader;
use crate::model::{Location, Schema};
use indexmap::IndexMap;
use std::collections::{HashMap, HashSet};

impl Reader<'_> {
    /// Reports schemas that need a value of themselves inside each value.
    pub(super) fn check_endless_schemas(&mut self) {
        for (name, at) in endless(&self.components.schemas) {
            self.error(
                "endless-schema",
                &at,
                format!("no value of `{name}` ever ends: each one must hold another"),
                "make one of the properties on the way optional or `nullable`",
            );
        }
    }
}

/// Finds the schemas without a finite value, each with the place where it
/// demands a further one.
fn endless(schemas: &IndexMap<String, Schema>) -> Vec<(String, Location)> {
    let mut users: HashMap<&str, Vec<&str>> = HashMap::new();
    for (name, schema) in schemas {
        each_reference(schema, &mut |target| {
            users.entry(target).or_default().push(name)
        });
    }
    // Whatever has a finite value lets its users have one: worked off until
    // nothing new comes.
    // A schema that could not be read has been reported; it is not held against others.
    let mut finite: HashSet<&str> = users
        .keys()
        .copied()
        .filter(|name| !schemas.contains_key(*name))
        .collect();
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
    let unfinished = schemas
        .iter()
        .filter(|(name, _)| !finite.contains(name.as_str()));
    unfinished
        .filter_map(|(name, schema)| Some((name.clone(), demand(schema, &finite)?.clone())))
        .collect()
}

/// Where a schema demands a value that has not been shown to be finite.
fn demand<'s>(schema: &'s Schema, finite: &HashSet<&str>) -> Option<&'s Location> {
    if schema.nullable || schema.enumeration.is_some() {
        return None;
    }
    if let Some(reference) = &schema.reference {
        return (!finite.contains(reference.value.as_str())).then_some(&reference.at);
    }
    let by_property = schema
        .required
        .iter()
        .filter_map(|name| schema.properties.get(&name.value))
        .find_map(|property| demand(property, finite));
    let by_element = schema
        .items
        .as_deref()
        .filter(|_| {
            schema
                .min_items
                .as_ref()
                .is_some_and(|minimum| minimum.value > 0)
        })
        .and_then(|items| demand(items, finite));
    by_property
        .or(by_element)
        .or_else(|| schema.all_of.iter().find_map(|part| demand(part, finite)))
        .or_else(|| by_all(&schema.one_of, finite))
        .or_else(|| by_all(&schema.any_of, finite))
}

/// Alternatives demand only what all of them do.
fn by_all<'s>(alternatives: &'s [Schema], finite: &HashSet<&str>) -> Option<&'s Location> {
    let mut demands = alternatives.iter().map(|schema| demand(schema, finite));
    let first = demands.next()?;
    if demands.all(|demand| demand.is_some()) {
        first
    } else {
        None
    }
}

fn each_reference<'s>(schema: &'s Schema, visit: &mut dyn FnMut(&'s str)) {
    if let Some(reference) = &schema.reference {
        visit(&reference.value);
    }
    let parts = schema
        .properties
        .values()
        .chain(schema.items.as_deref())
        .chain(&schema.all_of)
        .chain(&schema.one_of)
        .chain(&schema.any_of);
    for part in parts {
        each_reference(part, visit);
    }
}
