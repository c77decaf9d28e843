//! Plans the kind of type for a schema: references, enumerations, arrays, maps, and schemas that
//! allow any value. Scalars with rules are planned in `scalar`, members and `allOf` in `object`.

use super::{
    Planner,
    ir::{Counts, Kind, Others, Scalar, Struct, Ty, Word},
    scalar::one_of,
    value,
};
use crate::{
    names::{Names, pascal},
    rules,
};
use openapi_dropshot_contract::model::{AdditionalProperties, Node, Schema, Spanned, Type};

impl<'a> Planner<'a> {
    /// Plans the kind of a schema, and the items for its parts that need a name.
    pub(super) fn kind(&mut self, schema: &'a Schema, wanted: &str) -> Kind {
        if let Some(reference) = &schema.reference {
            return Kind::Alias(Ty::Named(self.name_of(&reference.value)));
        }
        if self.is_free(schema) {
            return Kind::Wrapper(Ty::Any);
        }
        if schema.not.as_ref().is_some_and(|not| self.is_free(not))
            && self.says_only(schema, &["not"])
        {
            return Kind::Wrapper(Ty::Never);
        }
        if !schema.all_of.is_empty() {
            return self.all_of(schema, wanted);
        }
        if self.is_union(schema) {
            return self.union(schema, wanted);
        }
        if let Some(values) = &schema.enumeration {
            return self.enumeration(schema, values, wanted);
        }
        match value(&schema.types) {
            Some(Type::Boolean) => {
                self.only(schema, "a boolean", &[]);
                Kind::Wrapper(Ty::Scalar(Scalar::Bool))
            }
            Some(Type::Integer) => self.integer(schema),
            Some(Type::Number) => self.number(schema),
            Some(Type::String) => self.text(schema),
            Some(Type::Array) => self.array(schema, wanted),
            Some(Type::Object) if schema.properties.is_empty() => self.entries(schema, wanted),
            Some(Type::Object) => self.object(schema, wanted),
            None => {
                self.untyped(schema);
                Kind::Wrapper(Ty::Invalid)
            }
        }
    }

    fn untyped(&mut self, schema: &'a Schema) {
        let before = self.problems.len();
        let known = ["properties", "required", "additionalProperties", "items"];
        self.only(schema, "a value of any type", &known);
        if self.problems.len() == before {
            let message = "a schema without `type` allows values of every other type";
            let help = "write `type: object`, or `type: array` where it has `items`";
            self.reject(&rules::MISSING_TYPE, &schema.at, message, help);
        }
    }

    fn enumeration(&mut self, schema: &'a Schema, values: &'a [Node], wanted: &str) -> Kind {
        let kind = value(&schema.types);
        if kind.is_none() && values.iter().all(Node::is_null) {
            self.only(schema, "`null`", &["enum"]);
            return Kind::Wrapper(Ty::Null);
        }
        if values.iter().any(Node::is_null) && !schema.nullable {
            let message = "the values contain `null`, but the schema is not nullable";
            let help = "add `nullable: true`, or in OpenAPI 3.1 write `type: [string, 'null']`, or remove `null` from `enum`";
            self.reject(&rules::ENUM_NULL, &schema.at, message, help);
        }
        let values: Vec<&Node> = values.iter().filter(|value| !value.is_null()).collect();
        let texts: Option<Vec<&str>> = values.iter().map(|value| value.as_str()).collect();
        let are = |is_it: fn(&Node) -> bool| values.iter().all(|value| is_it(value));
        match texts {
            Some(texts) if matches!(kind, None | Some(Type::String)) => {
                self.only(schema, "an enumeration of strings", &["enum"]);
                let mut names = Names::default();
                let word = |text: &str| Word {
                    variant: names.claim(&pascal(text)),
                    value: text.to_owned(),
                    part: None,
                };
                Kind::Words(texts.into_iter().map(word).collect())
            }
            None if are(|value| value.as_i64().is_some())
                && matches!(kind, None | Some(Type::Integer)) =>
            {
                self.only(schema, "an enumeration of integers", &["enum", "format"]);
                self.integers(schema, &values)
            }
            None if are(|value| value.as_number().is_some()) && kind == Some(Type::Number) => {
                self.only(schema, "an enumeration of numbers", &["enum", "format"]);
                let format = value(&schema.format);
                one_of(Scalar::Number { format }, &values)
            }
            None if are(|value| value.as_bool().is_some())
                && matches!(kind, None | Some(Type::Boolean)) =>
            {
                self.only(schema, "an enumeration of booleans", &["enum"]);
                one_of(Scalar::Bool, &values)
            }
            _ => {
                let message = format!(
                    "the values of `{wanted}` are not all strings, 64-bit integers, numbers or booleans of the schema's type"
                );
                let help = "write an `enum` of strings with `type: string`, of integers with `type: integer`, and so on";
                self.reject(&rules::UNSUPPORTED_ENUM, &schema.at, message, help);
                Kind::Wrapper(Ty::Invalid)
            }
        }
    }

    fn array(&mut self, schema: &'a Schema, wanted: &str) -> Kind {
        let keywords = [
            "items",
            "prefixItems",
            "minItems",
            "maxItems",
            "uniqueItems",
        ];
        self.only(schema, "an array", &keywords);
        let of = match &schema.items {
            Some(items) if schema.prefix_items.is_empty() || self.is_free(items) => {
                self.use_of_part(items, &format!("{wanted}Item"), "an element")
            }
            Some(items) => {
                let keyword = items.at.keyword("items");
                let message = format!(
                    "`{keyword}` is not supported beside `prefixItems`: the other elements would have another type"
                );
                let help = "write `items: false` if there are no other elements, or only `items`, with `oneOf` if the elements differ";
                self.reject(&rules::UNSUPPORTED_SCHEMA, &items.at, message, help);
                Ty::Invalid
            }
            None => Ty::Any,
        };
        let first = schema.prefix_items.iter().enumerate().map(|(index, part)| {
            let wanted = format!("{wanted}Item{index}");
            self.use_of_part(part, &wanted, "an element")
        });
        let rules = Counts {
            first: first.collect(),
            unique: schema.unique_items,
            ..counts(&schema.min_items, &schema.max_items)
        };
        match rules == Counts::default() {
            true => Kind::Wrapper(Ty::List(Box::new(of))),
            false => Kind::Items(of, rules),
        }
    }

    /// Plans how members that the document does not name are treated.
    pub(super) fn others(
        &mut self,
        additional: Option<&'a AdditionalProperties>,
        names: &mut Names,
        wanted: &str,
    ) -> Others {
        let ty = match additional {
            None => return Others::Ignored,
            Some(AdditionalProperties::Allowed(allowed)) if !allowed.value => {
                return Others::Rejected;
            }
            Some(AdditionalProperties::Allowed(_)) => Ty::Any,
            Some(AdditionalProperties::Schema(schema)) => {
                let wanted = format!("{wanted}Value");
                self.use_of_part(schema, &wanted, "a member without a name")
            }
        };
        Others::Collected(names.claim("additional"), ty)
    }

    /// Plans an object without `properties`, which is usually a map.
    fn entries(&mut self, schema: &'a Schema, wanted: &str) -> Kind {
        let keywords = [
            "required",
            "additionalProperties",
            "minProperties",
            "maxProperties",
            "propertyNames",
        ];
        self.only(schema, "an object", &keywords);
        for name in &schema.required {
            self.reject_required(&name.value, &name.at);
        }
        let additional = schema.additional_properties.as_ref();
        let of = match self.others(additional, &mut Names::default(), wanted) {
            Others::Rejected => {
                return Kind::Struct(Struct {
                    fields: Vec::new(),
                    others: Others::Rejected,
                    exclusive: Vec::new(),
                    counts: counts(&schema.min_properties, &schema.max_properties),
                });
            }
            Others::Ignored => Ty::Any,
            Others::Collected(_, of) => of,
        };
        let names = schema.property_names.as_ref();
        let rules = Counts {
            names: names.and_then(|names| self.names_of_members(names, wanted)),
            ..counts(&schema.min_properties, &schema.max_properties)
        };
        match additional {
            _ if rules != Counts::default() => Kind::Entries(of, rules),
            Some(AdditionalProperties::Schema(_)) => Kind::Wrapper(Ty::Map(Box::new(of))),
            _ => Kind::Wrapper(Ty::AnyMap),
        }
    }

    /// Plans the names of members; `None` if they may be any strings.
    fn names_of_members(&mut self, schema: &'a Schema, wanted: &str) -> Option<Ty> {
        let is_text = |own: &Schema| own.kind() == Some(Type::String);
        if !self.document.resolve(schema).is_some_and(is_text) {
            let message = "`propertyNames` is not supported unless it is a schema of strings";
            let help =
                "write `type: string`, with `pattern`, `enum`, `format` or the length of the names";
            self.reject(&rules::UNSUPPORTED_SCHEMA, &schema.at, message, help);
            return None;
        }
        let ty = self.use_of_part(schema, &format!("{wanted}Name"), "the name of a member");
        let ty = match ty {
            Ty::Nullable(inner) => *inner,
            ty => ty,
        };
        let is_any = matches!(ty, Ty::Scalar(Scalar::Text { .. }));
        (!is_any).then_some(ty)
    }
}

/// Returns the bounds of a count. A lower bound of zero is ignored.
pub(super) fn counts(min: &Option<Spanned<u64>>, max: &Option<Spanned<u64>>) -> Counts {
    Counts {
        min: value(min).filter(|least| *least > 0),
        max: value(max),
        ..Counts::default()
    }
}
