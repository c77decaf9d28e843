//! Plans the kind of type for a schema: references, enumerations, arrays, objects,
//! anything. Scalars with rules are in `scalar`, members and `allOf` in
//! `object`.

use super::{
    Planner,
    ir::{Entries, Home, Items, Kind, Others, Scalar, Struct, Ty, Word},
    unions::is_union,
};
use crate::names::{Names, pascal};
use openapi_dropshot_contract::{
    Problem,
    model::{AdditionalProperties, Node, Schema, Type},
};
use std::collections::BTreeSet;

impl<'a> Planner<'a> {
    /// What a schema is; parts that need a name are planned on the way.
    pub(super) fn kind(&mut self, schema: &'a Schema, wanted: &str, home: Home) -> Kind {
        if let Some(reference) = &schema.reference {
            return Kind::Alias(Ty::Named(self.name_of(&reference.value)));
        }
        if Self::is_free(schema) {
            return Kind::Wrapper(Ty::Any);
        }
        if !schema.all_of.is_empty() {
            return self.all_of(schema, wanted, home);
        }
        if is_union(schema) {
            return self.union(schema, wanted, home);
        }
        if let Some(values) = &schema.enumeration {
            return self.enumeration(schema, values, wanted);
        }
        match schema.types.as_ref().map(|types| types.value) {
            Some(Type::Boolean) => {
                self.only(schema, "a boolean", &[]);
                Kind::Wrapper(Ty::Scalar(Scalar::Bool))
            }
            Some(Type::Integer) => self.integer(schema),
            Some(Type::Number) => self.number(schema),
            Some(Type::String) => self.text(schema),
            Some(Type::Array) => self.array(schema, wanted, home),
            Some(Type::Object) => self.object(schema, wanted, home),
            None => {
                self.untyped(schema);
                Kind::Wrapper(Ty::Invalid)
            }
        }
    }

    fn untyped(&mut self, schema: &Schema) {
        let before = self.problems.len();
        self.only(
            schema,
            "a value of any type",
            &["properties", "required", "additionalProperties", "items"],
        );
        if self.problems.len() == before {
            self.problems.push(Problem::error(
                "missing-type",
                &schema.at,
                "a schema without `type` allows values of every other type",
                "write `type: object`, or `type: array` where it has `items`",
            ));
        }
    }

    fn enumeration(&mut self, schema: &'a Schema, values: &'a [Node], wanted: &str) -> Kind {
        let kind = schema.types.as_ref().map(|types| types.value);
        if kind.is_none() && values.iter().all(Node::is_null) && !values.is_empty() {
            self.only(schema, "`null`", &["enum"]);
            return Kind::Wrapper(Ty::Null);
        }
        if values.iter().any(Node::is_null) && !schema.nullable {
            self.problems.push(Problem::error(
                "enum-null",
                &schema.at,
                "`null` is among the values, but the schema is not nullable",
                "add `nullable: true`, or remove `null` from `enum`",
            ));
        }
        let values: Vec<&Node> = values.iter().filter(|value| !value.is_null()).collect();
        if values.is_empty() {
            self.problems.push(Problem::error(
                "empty-enum",
                &schema.at,
                "an enumeration without values allows nothing",
                "list at least one value",
            ));
            return Kind::Wrapper(Ty::Invalid);
        }
        if matches!(kind, None | Some(Type::String))
            && values.iter().all(|value| value.as_str().is_some())
        {
            self.only(schema, "an enumeration of strings", &["enum"]);
            return Kind::Words(words(&values));
        }
        if matches!(kind, None | Some(Type::Integer))
            && values.iter().all(|value| value.as_i64().is_some())
        {
            self.only(schema, "an enumeration of integers", &["enum", "format"]);
            return self.integers(schema, &values);
        }
        self.problems.push(Problem::error(
            "unsupported-enum",
            &schema.at,
            format!("the values of `{wanted}` are neither all strings nor all 64-bit integers of the schema's type"),
            "write an `enum` of strings with `type: string`, or one of integers with `type: integer`",
        ));
        Kind::Wrapper(Ty::Invalid)
    }

    fn array(&mut self, schema: &'a Schema, wanted: &str, home: Home) -> Kind {
        self.only(
            schema,
            "an array",
            &["items", "minItems", "maxItems", "uniqueItems"],
        );
        let of = match &schema.items {
            Some(items) => {
                self.no_default(items, "an element");
                self.use_of(items, &format!("{wanted}Item"), home)
            }
            None => Ty::Any,
        };
        let rules = Items {
            min: schema
                .min_items
                .as_ref()
                .map(|bound| bound.value)
                .filter(|least| *least > 0),
            max: schema.max_items.as_ref().map(|bound| bound.value),
            unique: schema.unique_items,
        };
        self.ordered(schema, "minItems", rules.min, "maxItems", rules.max);
        if rules == Items::default() {
            Kind::Wrapper(Ty::List(Box::new(of)))
        } else {
            Kind::Items(of, rules)
        }
    }

    fn object(&mut self, schema: &'a Schema, wanted: &str, home: Home) -> Kind {
        const KEYWORDS: &[&str] = &[
            "properties",
            "required",
            "additionalProperties",
            "minProperties",
            "maxProperties",
        ];
        self.only(schema, "an object", KEYWORDS);
        if schema.properties.is_empty() {
            return self.entries(schema, wanted, home);
        }
        self.reject_counts(schema);
        let required: BTreeSet<&str> = schema
            .required
            .iter()
            .map(|name| name.value.as_str())
            .collect();
        self.all_known(schema, |name| schema.properties.contains_key(name));
        let mut names = Names::default();
        let fields = schema
            .properties
            .iter()
            .map(|(wire, property)| {
                let needed = required.contains(wire.as_str());
                self.member(&mut names, wire, property, needed, wanted, home)
            })
            .collect();
        let others = self.others(
            schema.additional_properties.as_ref(),
            &mut names,
            wanted,
            home,
        );
        Kind::Struct(Struct { fields, others })
    }

    /// What happens to members that are not named.
    pub(super) fn others(
        &mut self,
        additional: Option<&'a AdditionalProperties>,
        names: &mut Names,
        wanted: &str,
        home: Home,
    ) -> Others {
        let ty = match additional {
            None => return Others::Ignored,
            Some(AdditionalProperties::Allowed(allowed)) if !allowed.value => {
                return Others::Rejected;
            }
            Some(AdditionalProperties::Allowed(_)) => Ty::Any,
            Some(AdditionalProperties::Schema(schema)) => {
                self.no_default(schema, "a member without a name");
                self.use_of(schema, &format!("{wanted}Value"), home)
            }
        };
        Others::Collected(names.claim("additional"), ty)
    }

    /// An object without known members.
    fn entries(&mut self, schema: &'a Schema, wanted: &str, home: Home) -> Kind {
        self.all_known(schema, |_| false);
        let of = match &schema.additional_properties {
            None => None,
            Some(AdditionalProperties::Allowed(allowed)) if allowed.value => None,
            Some(AdditionalProperties::Allowed(_)) => {
                self.reject_counts(schema);
                return Kind::Struct(Struct {
                    fields: Vec::new(),
                    others: Others::Rejected,
                });
            }
            Some(AdditionalProperties::Schema(values)) => {
                self.no_default(values, "a member without a name");
                Some(self.use_of(values, &format!("{wanted}Value"), home))
            }
        };
        let rules = Entries {
            min: schema
                .min_properties
                .as_ref()
                .map(|bound| bound.value)
                .filter(|least| *least > 0),
            max: schema.max_properties.as_ref().map(|bound| bound.value),
        };
        self.ordered(
            schema,
            "minProperties",
            rules.min,
            "maxProperties",
            rules.max,
        );
        match of {
            None if rules == Entries::default() => Kind::Wrapper(Ty::AnyMap),
            Some(of) if rules == Entries::default() => Kind::Wrapper(Ty::Map(Box::new(of))),
            of => Kind::Entries(of.unwrap_or(Ty::Any), rules),
        }
    }

    /// `required` may only name members that the document knows.
    pub(super) fn all_known(&mut self, schema: &Schema, known: impl Fn(&str) -> bool) {
        for name in schema.required.iter().filter(|name| !known(&name.value)) {
            self.problems.push(Problem::error(
                "required-without-property",
                &name.at,
                format!("`{}` is required, but has no schema", name.value),
                "add it to `properties`, or remove it from `required`",
            ));
        }
    }

    /// `minProperties` and `maxProperties` of an object with known members.
    pub(super) fn reject_counts(&mut self, schema: &Schema) {
        let counts = [
            ("minProperties", &schema.min_properties),
            ("maxProperties", &schema.max_properties),
        ];
        for (keyword, bound) in counts {
            if let Some(bound) = bound {
                self.problems.push(Problem::error(
                    "unsupported-schema",
                    &bound.at,
                    format!("`{keyword}` is not supported for an object with `properties`: a struct does not count its members"),
                    "list the members that must be present in `required`",
                ));
            }
        }
    }

    /// A lower bound above the upper one allows nothing.
    pub(super) fn ordered(
        &mut self,
        schema: &Schema,
        low: &str,
        least: Option<u64>,
        high: &str,
        greatest: Option<u64>,
    ) {
        if let (Some(least), Some(greatest)) = (least, greatest)
            && least > greatest
        {
            self.problems.push(Problem::error(
                "empty-range",
                &schema.at,
                format!("`{low}` {least} is above `{high}` {greatest}: nothing is allowed"),
                format!("exchange the two, or remove `{low}`"),
            ));
        }
    }

    /// A default only has an effect where a value can be absent.
    pub(super) fn no_default(&mut self, schema: &Schema, what: &str) {
        if let Some(default) = &schema.default {
            self.problems.push(Problem::error(
                "meaningless-default",
                &default.at,
                format!("a default has no effect on {what}: it cannot be absent"),
                "remove `default`, or write it at the property or parameter that may be absent",
            ));
        }
    }
}

/// The variants of an enumeration of strings.
fn words(values: &[&Node]) -> Vec<Word> {
    let mut names = Names::default();
    let mut seen = BTreeSet::new();
    values
        .iter()
        .filter_map(|value| value.as_str())
        .filter(|value| seen.insert(*value))
        .map(|value| Word {
            variant: names.claim(&pascal(value)),
            value: value.to_owned(),
            part: None,
        })
        .collect()
}
