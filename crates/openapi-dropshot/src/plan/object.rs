//! Plans the members of objects, and `allOf`: several object schemas become one struct with all
//! their members.

use super::{
    DEEPEST, Planner,
    ir::{Counts, Field, Kind, Presence, Struct},
    schema::counts,
    value,
};
use crate::{
    names::{Names, pascal},
    rules,
};
use indexmap::IndexMap;
use openapi_dropshot_contract::model::{AdditionalProperties, Location, Node, Schema, Type};
use std::collections::BTreeMap;

/// The combined definitions of an object and of the parts of its `allOf`.
#[derive(Default)]
struct Merged<'a> {
    properties: IndexMap<&'a str, &'a Schema>,
    required: BTreeMap<&'a str, &'a Location>,
    /// The parts that have `additionalProperties`.
    closing: Vec<(&'a Schema, &'a AdditionalProperties)>,
    has_type: bool,
    /// The members that must not all be present.
    exclusive: Vec<Vec<String>>,
    counts: Counts,
}

/// Returns what the absence of a value means.
pub(super) fn presence(required: bool, default: Option<&Node>) -> Presence {
    match default {
        _ if required => Presence::Required,
        Some(default) => Presence::Default(default.clone()),
        None => Presence::Optional,
    }
}

impl<'a> Planner<'a> {
    /// Plans a member of an object.
    fn member(
        &mut self,
        names: &mut Names,
        wire: &str,
        schema: &'a Schema,
        required: bool,
        parent: &str,
    ) -> Field {
        self.members.insert(schema.at.pointer.clone());
        let ty = self.use_of(schema, &format!("{parent}{}", pascal(wire)));
        let docs = self.docs_of(schema, format!("`{wire}`"));
        let presence = presence(required, self.default_of(schema));
        Field {
            direction: self.direction(schema, required),
            title: schema.title.clone(),
            deprecated: schema.deprecated,
            ..Field::new(names, wire, docs, ty, presence)
        }
    }

    /// Plans `allOf`: it is one schema with another description, or several objects.
    pub(super) fn all_of(&mut self, schema: &'a Schema, wanted: &str) -> Kind {
        if let [only] = schema.all_of.as_slice()
            && schema.types.is_none()
            && schema.properties.is_empty()
            && schema.required.is_empty()
            && schema.additional_properties.is_none()
        {
            self.only(schema, "a schema with `allOf`", &["allOf"]);
            return match self.kind(only, wanted) {
                Kind::Alias(ty) => Kind::Wrapper(ty),
                kind => kind,
            };
        }
        self.object(schema, wanted)
    }

    /// Plans an object with known members: its own members and those of all parts of its `allOf`.
    pub(super) fn object(&mut self, schema: &'a Schema, wanted: &str) -> Kind {
        let mut merged = Merged::default();
        self.merge(schema, &mut merged, 0);
        if !merged.has_type {
            let message =
                "none of the parts of `allOf` has a `type`, so values of every type are allowed";
            let help = "write `type: object` beside `allOf` or in one of its parts";
            self.reject(&rules::MISSING_TYPE, &schema.at, message, help);
        }
        for (name, at) in &merged.required {
            if !merged.properties.contains_key(name) {
                self.reject_required(name, at);
            }
        }
        let mut names = Names::default();
        let mut fields = Vec::new();
        for (wire, property) in &merged.properties {
            let required = merged.required.contains_key(wire);
            fields.push(self.member(&mut names, wire, property, required, wanted));
        }
        let additional = self.combined_additional(&merged, &schema.at);
        let others = self.others(additional, &mut names, wanted);
        let exclusive = merged.exclusive;
        for name in exclusive.iter().flatten() {
            let field = fields.iter().find(|field| field.wire == *name);
            // If a member has a default, the generated code can no longer tell whether it was
            // present.
            if field.is_none_or(|field| matches!(field.presence, Presence::Default(_))) {
                let message = format!(
                    "`not` is not supported for `{name}`, which is not a property without a default"
                );
                let help = "describe it in `properties`, without `default`";
                self.reject(&rules::UNSUPPORTED_SCHEMA, &schema.at, message, help);
            }
        }
        Kind::Struct(Struct {
            fields,
            others,
            exclusive,
            counts: merged.counts,
        })
    }

    /// Adds the definitions of one part to the definitions of the other parts.
    fn merge(&mut self, part: &'a Schema, merged: &mut Merged<'a>, depth: usize) {
        if let Some(reference) = &part.reference {
            if depth == DEEPEST {
                let message = format!("`allOf` leads through more than {DEEPEST} schemas");
                let help = "join some of them";
                self.reject(&rules::TOO_DEEP, &reference.at, message, help);
            } else if let Some(target) = self.document.schema(&reference.value) {
                self.merge(target, merged, depth + 1);
            }
            return;
        }
        let keywords = [
            "allOf",
            "properties",
            "required",
            "additionalProperties",
            "minProperties",
            "maxProperties",
        ];
        let exclusive = part.not.as_ref().and_then(|not| self.exclusive(not));
        let is_expressed = exclusive.as_ref().map(|_| "not");
        merged.exclusive.extend(exclusive);
        let expressed = Vec::from_iter(keywords.into_iter().chain(is_expressed));
        self.only(part, "an object", &expressed);
        let counts = counts(&part.min_properties, &part.max_properties);
        let (min, max) = (&mut merged.counts.min, &mut merged.counts.max);
        *min = (*min).max(counts.min);
        *max = counts.max.into_iter().chain(*max).min();
        let kind = value(&part.types);
        merged.has_type |= kind.is_some();
        if let Some(other) = kind.filter(|kind| *kind != Type::Object) {
            let message =
                format!("`allOf` can only combine objects, but this part has the type {other}");
            let help = "combine all parts in one schema";
            self.reject(&rules::UNSUPPORTED_ALL_OF, &part.at, message, help);
        }
        for (name, property) in &part.properties {
            let first = *merged.properties.entry(name.as_str()).or_insert(property);
            let is_same = self.is_same(first, property);
            let is_wider = is_same || self.document.is_wider(property, first);
            let is_narrower = is_same || self.document.is_wider(first, property);
            // If two definitions are the same, the later one counts, unless only the earlier one
            // has a description.
            let is_described = property.description.is_some() || first.description.is_none();
            if is_narrower && (is_described || !is_wider) {
                merged.properties.insert(name.as_str(), property);
            } else if !is_wider {
                let message = format!("two parts of `allOf` define `{name}` differently");
                let help = "define the member in only one part";
                let problem = rules::ALL_OF_CONFLICT.problem(&property.at, message, help);
                self.problems
                    .push(problem.with_related(&first.at, "the other definition"));
            }
        }
        let required = part.required.iter();
        let required = required.map(|name| (name.value.as_str(), &name.at));
        merged.required.extend(required);
        let additional = part.additional_properties.as_ref();
        (merged.closing).extend(additional.map(|additional| (part, additional)));
        for inner in &part.all_of {
            self.merge(inner, merged, depth);
        }
    }

    /// Returns the members that a schema requires, if the schema has no other keywords for objects.
    fn exclusive(&self, schema: &'a Schema) -> Option<Vec<String>> {
        let is_free = schema.properties.values().all(|own| self.is_free(own));
        let required = schema.required.iter().map(|name| name.value.clone());
        let is_only = is_free && self.says_only(schema, &["required", "properties"]);
        (is_only && !schema.required.is_empty()).then(|| required.collect())
    }

    /// Whether two schemas are written in the same way.
    fn is_same(&self, a: &Schema, b: &Schema) -> bool {
        let node = |schema: &Schema| self.document.root.pointer(&schema.at.pointer);
        let nodes = node(a).zip(node(b));
        nodes.map_or(a.at == b.at, |(a, b)| a.same_value(b))
    }

    /// Combines `additionalProperties` of all parts. In one part, it applies to all members that
    /// this part does not name, including those that other parts name.
    fn combined_additional(
        &mut self,
        merged: &Merged<'a>,
        whole: &Location,
    ) -> Option<&'a AdditionalProperties> {
        let mut combined: Option<&'a AdditionalProperties> = None;
        for &(part, additional) in &merged.closing {
            if matches!(additional, AdditionalProperties::Allowed(allowed) if allowed.value) {
                combined = combined.or(Some(additional));
                continue;
            }
            let mut names = merged.properties.keys();
            let names_all = names.all(|name| part.properties.contains_key(*name));
            let is_allowed = matches!(additional, AdditionalProperties::Allowed(_));
            let is_compatible = match combined {
                None => true,
                Some(AdditionalProperties::Allowed(before)) => before.value || is_allowed,
                Some(AdditionalProperties::Schema(_)) => false,
            };
            if names_all && is_compatible {
                combined = Some(additional);
            } else {
                // The part itself is correct; the problem is the schema that combines it with
                // others.
                let message = "`additionalProperties` of one part of `allOf` also applies to the properties of the other parts";
                let help =
                    "remove it from that part, or write all members in one schema without `allOf`";
                let problem = rules::UNSUPPORTED_ALL_OF.problem(whole, message, help);
                self.problems
                    .push(problem.with_related(&part.at, "the part with `additionalProperties`"));
            }
        }
        combined
    }

    /// Rejects a name in `required` that the document does not describe.
    pub(super) fn reject_required(&mut self, name: &str, at: &Location) {
        let message = format!("`{name}` is required, but has no schema");
        let help = "add it to `properties`, or remove it from `required`";
        self.reject(&rules::REQUIRED_WITHOUT_PROPERTY, at, message, help);
    }
}
