//! Plans the parts of streamed forms: each property of the schema becomes a variant.

use super::{Planner, bodies::is_string, ir::Ty};
use crate::{
    docs::Docs,
    names::{Names, pascal},
};
use openapi_dropshot_contract::model::{AdditionalProperties, MediaType, Schema, Spanned, Type};
use openapi_dropshot_types::is_json;

/// The parts of a form.
pub(crate) struct Parts {
    /// The name of their type.
    pub(crate) name: String,
    pub(crate) is_closed: bool,
    pub(crate) parts: Vec<Part>,
}

/// The parts with a name.
pub(crate) struct Part {
    pub(crate) wire: String,
    pub(crate) variant: String,
    pub(crate) docs: Docs,
    pub(crate) content: Content,
    pub(crate) is_required: bool,
    pub(crate) min: u64,
    pub(crate) max: Option<u64>,
    pub(crate) max_bytes: Option<u64>,
    pub(crate) media_types: String,
}

/// What a part contains.
pub(crate) enum Content {
    File,
    Text(Ty),
    Json(Ty),
}

impl<'a> Planner<'a> {
    /// Plans the parts of a streamed form. The error is the keyword that cannot be checked while parts arrive; there is none if the
    /// form has no properties, so that there is nothing to check.
    pub(super) fn parts(
        &mut self,
        media_type: &'a MediaType,
        type_name: &str,
    ) -> Result<Parts, Option<&'static str>> {
        let schema = media_type.schema.as_ref();
        let schema = schema.and_then(|schema| self.document.resolve(schema));
        let schema = schema.ok_or(None)?;
        let is_open = match &schema.additional_properties {
            None => true,
            Some(AdditionalProperties::Allowed(allowed)) => allowed.value,
            Some(AdditionalProperties::Schema(_)) => return Err(Some("additionalProperties")),
        };
        for (keyword, is_present) in [
            ("allOf", !schema.all_of.is_empty()),
            ("oneOf", !schema.one_of.is_empty()),
            ("anyOf", !schema.any_of.is_empty()),
            ("not", schema.not.is_some()),
            ("propertyNames", schema.property_names.is_some()),
            ("minProperties", schema.min_properties.is_some()),
            ("maxProperties", schema.max_properties.is_some()),
        ] {
            if is_present {
                return Err(Some(keyword));
            }
        }
        if schema.properties.is_empty() {
            return Err(None);
        }
        let mut variants = Names::default();
        let mut parts = Vec::new();
        for (wire, property) in &schema.properties {
            let outer = self.document.resolve(property).unwrap_or(property);
            let is_list = outer.types.as_ref().map(|types| types.value) == Some(Type::Array);
            let list = outer.items.as_deref().filter(|_| is_list);
            if list.is_some() && outer.unique_items {
                return Err(Some("uniqueItems"));
            }
            let each = list.unwrap_or(property);
            let inner = self.document.resolve(each).unwrap_or(each);
            let media_types = media_type.encoding.get(wire).cloned().unwrap_or_default();
            let content = if is_file(inner) {
                Content::File
            } else {
                let wanted = format!("{type_name}{}", pascal(wire));
                let ty = match self.use_of_part(each, &wanted, "a part of a streamed form") {
                    Ty::Nullable(of) if is_string(&self.items, &of) => *of,
                    ty => ty,
                };
                match is_string(&self.items, &ty) && !is_json(&media_types) {
                    true => Content::Text(ty),
                    false => Content::Json(ty),
                }
            };
            let length = inner.max_length.as_ref().map(|length| length.value);
            let limit = |keyword: &Option<Spanned<u64>>| {
                let keyword = keyword.as_ref().filter(|_| list.is_some());
                keyword.map(|limit| limit.value)
            };
            let description = property.description.as_deref();
            parts.push(Part {
                wire: wire.clone(),
                variant: variants.claim(&pascal(wire)),
                docs: Docs::new(
                    description.or(outer.description.as_deref()),
                    format!("The part `{wire}`."),
                ),
                max_bytes: match &content {
                    Content::File => length,
                    // A character has at most four bytes.
                    Content::Text(_) => length.map(|length| length.saturating_mul(4)),
                    Content::Json(_) => None,
                },
                content,
                is_required: schema.required.iter().any(|name| name.value == *wire),
                min: limit(&outer.min_items).unwrap_or_default(),
                max: match list {
                    Some(_) => limit(&outer.max_items),
                    None => Some(1),
                },
                media_types,
            });
        }
        Ok(Parts {
            name: format!("{type_name}Part"),
            is_closed: !is_open,
            parts,
        })
    }
}

/// Whether a value is bytes: `format: binary`, or a schema that says nothing of the value.
fn is_file(schema: &Schema) -> bool {
    let format = schema.format.as_ref().map(|format| &*format.value);
    match schema.types.as_ref().map(|types| types.value) {
        Some(Type::String) => format == Some("binary"),
        Some(_) => false,
        None => {
            let alternatives = [&schema.all_of, &schema.one_of, &schema.any_of];
            schema.enumeration.is_none()
                && schema.not.is_none()
                && alternatives.iter().all(|parts| parts.is_empty())
        }
    }
}
