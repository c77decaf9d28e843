//! Plans the members of objects, and `allOf`: several schemas of objects become one
//! struct with the members of all.

use super::{
    DEEPEST, Planner,
    ir::{Field, Home, Kind, Presence, Struct, Ty},
};
use crate::{
    docs::Docs,
    names::{Names, pascal, snake},
};
use indexmap::IndexMap;
use openapi_dropshot_contract::{
    Problem,
    model::{AdditionalProperties, Location, Schema, Type},
};
use std::collections::BTreeSet;

/// The combined definitions of the parts of an `allOf`.
#[derive(Default)]
struct Merged<'a> {
    properties: IndexMap<&'a str, &'a Schema>,
    required: Vec<(&'a str, &'a Location)>,
    closing: Vec<&'a Schema>,
    typed: bool,
}

impl<'a> Planner<'a> {
    /// A member of an object.
    pub(super) fn member(
        &mut self,
        names: &mut Names,
        wire: &str,
        schema: &'a Schema,
        required: bool,
        parent: &str,
        home: Home,
    ) -> Field {
        self.members.insert(schema.at.pointer.clone());
        let ty = self.use_of(schema, &format!("{parent}{}", pascal(wire)), home);
        Field {
            direction: self.direction(wire, schema, required),
            name: names.claim(&snake(wire)),
            wire: wire.to_owned(),
            docs: self.member_docs(schema, format!("`{wire}`")),
            title: schema.title.clone(),
            deprecated: schema.deprecated,
            ty,
            presence: match self.default_of(schema) {
                _ if required => Presence::Required,
                Some(default) => Presence::Default(default.clone()),
                None => Presence::Optional,
            },
            null_text: false,
        }
    }

    /// The definition of a member, or of the schema to which it refers.
    pub(super) fn member_docs(&self, schema: &Schema, otherwise: String) -> Docs {
        if schema.description.is_some() {
            return Docs::new(schema.description.as_deref(), otherwise);
        }
        let target = match schema.all_of.as_slice() {
            [only] => self.document.resolve(only),
            _ => self.document.resolve(schema),
        };
        Docs::new(
            target.and_then(|target| target.description.as_deref()),
            otherwise,
        )
        .borrowed()
    }

    /// `allOf`: one schema with words around it, or several objects.
    pub(super) fn all_of(&mut self, schema: &'a Schema, wanted: &str, home: Home) -> Kind {
        if let [only] = schema.all_of.as_slice()
            && schema.types.is_none()
            && schema.properties.is_empty()
            && schema.required.is_empty()
            && schema.additional_properties.is_none()
        {
            self.only(schema, "a schema with `allOf`", &["allOf"]);
            return match self.kind(only, wanted, home) {
                Kind::Alias(ty) => Kind::Wrapper(ty),
                kind => kind,
            };
        }
        let mut merged = Merged::default();
        let before = self.problems.len();
        self.merge(schema, &mut merged, &mut Vec::new());
        if self.problems.len() > before {
            return Kind::Wrapper(Ty::Invalid);
        }
        if !merged.typed {
            self.problems.push(Problem::error(
                "missing-type",
                &schema.at,
                "none of the parts of `allOf` has a `type`, so values of every type are allowed",
                "write `type: object` beside `allOf` or in one of its parts",
            ));
        }
        let required: BTreeSet<&str> = merged.required.iter().map(|(name, _)| *name).collect();
        for (name, at) in merged
            .required
            .iter()
            .filter(|(name, _)| !merged.properties.contains_key(name))
        {
            self.problems.push(Problem::error(
                "required-without-property",
                at,
                format!("`{name}` is required, but no part of `allOf` has a schema for it"),
                "add it to `properties`, or remove it from `required`",
            ));
        }
        let mut names = Names::default();
        let mut fields = Vec::new();
        for (wire, property) in &merged.properties {
            fields.push(self.member(
                &mut names,
                wire,
                property,
                required.contains(wire),
                wanted,
                home,
            ));
        }
        let additional = self.others_of_parts(&merged);
        let others = self.others(additional, &mut names, wanted, home);
        Kind::Struct(Struct { fields, others })
    }

    /// Adds the definitions of one part to those of the others.
    fn merge(&mut self, part: &'a Schema, merged: &mut Merged<'a>, path: &mut Vec<&'a str>) {
        let document = self.document;
        if let Some(reference) = &part.reference {
            if path.contains(&reference.value.as_str()) {
                self.problems.push(Problem::error(
                    "all-of-cycle",
                    &reference.at,
                    format!("`{}` is a part of itself through `allOf`", reference.value),
                    "remove the part, or refer to it from a property",
                ));
                return;
            }
            if path.len() == DEEPEST {
                self.problems.push(Problem::error(
                    "too-deep",
                    &reference.at,
                    format!("`allOf` leads through more than {DEEPEST} schemas"),
                    "join some of them",
                ));
                return;
            }
            if let Some(target) = document.schema(&reference.value) {
                path.push(&reference.value);
                self.merge(target, merged, path);
                path.pop();
            }
            return;
        }
        self.only(
            part,
            "an object made with `allOf`",
            &[
                "allOf",
                "properties",
                "required",
                "additionalProperties",
                "minProperties",
                "maxProperties",
            ],
        );
        self.reject_counts(part);
        match part.types.as_ref().map(|types| types.value) {
            Some(Type::Object) => merged.typed = true,
            None => {}
            Some(other) => self.problems.push(Problem::error(
                "unsupported-all-of",
                &part.at,
                format!("`allOf` joins objects, but this part is of type {other}"),
                "write the rules of all parts in one schema",
            )),
        }
        if part.additional_properties.is_some() {
            merged.closing.push(part);
        }
        for (name, property) in &part.properties {
            self.join(name, property, merged);
        }
        merged.required.extend(
            part.required
                .iter()
                .map(|name| (name.value.as_str(), &name.at)),
        );
        for inner in &part.all_of {
            self.merge(inner, merged, path);
        }
    }

    /// A property that two parts have must be the same in both.
    fn join(&mut self, name: &'a str, property: &'a Schema, merged: &mut Merged<'a>) {
        match merged.properties.get(name) {
            None => {
                merged.properties.insert(name, property);
            }
            Some(other) if self.same(other, property) => {}
            Some(other) => {
                let problem = Problem::error(
                    "all-of-conflict",
                    &property.at,
                    format!("two parts of `allOf` define `{name}` differently"),
                    "define it in one part only",
                );
                self.problems
                    .push(problem.with_related(&other.at, "the other definition"));
            }
        }
    }

    /// Whether two schemas are written alike.
    fn same(&self, a: &Schema, b: &Schema) -> bool {
        let root = &self.document.root;
        match (root.pointer(&a.at.pointer), root.pointer(&b.at.pointer)) {
            (Some(a), Some(b)) => a.same_value(b),
            _ => a.at == b.at,
        }
    }

    /// What `additionalProperties` of the parts means for the whole. In a part
    /// it speaks of all members that this part does not name, those of the other
    /// parts included.
    fn others_of_parts(&mut self, merged: &Merged<'a>) -> Option<&'a AdditionalProperties> {
        let mut combined: Option<&'a AdditionalProperties> = None;
        for part in &merged.closing {
            let Some(additional) = &part.additional_properties else {
                continue;
            };
            if matches!(additional, AdditionalProperties::Allowed(allowed) if allowed.value) {
                combined = combined.or(Some(additional));
                continue;
            }
            let names_all = merged
                .properties
                .keys()
                .all(|name| part.properties.contains_key(*name));
            let is_allowed = matches!(additional, AdditionalProperties::Allowed(_));
            let alone = match combined {
                None => true,
                Some(AdditionalProperties::Allowed(before)) => before.value || is_allowed,
                Some(AdditionalProperties::Schema(_)) => false,
            };
            if names_all && alone {
                combined = Some(additional);
            } else {
                self.problems.push(Problem::error(
                    "unsupported-all-of",
                    &part.at,
                    "`additionalProperties` of one part of `allOf` also speaks of the members of the other parts",
                    "remove it, or write all members in one schema without `allOf`",
                ));
            }
        }
        combined
    }
}
