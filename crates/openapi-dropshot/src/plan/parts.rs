//! Plans the parts of streamed forms: each property of the schema becomes a variant.

use super::{Planner, bodies::is_string, ir::Ty, value};
use crate::{
    docs::Docs,
    names::{Names, pascal},
};
use openapi_dropshot_contract::model::{
    AdditionalProperties, Document, MediaType, Schema, Spanned, Type, is_json,
};

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
    /// Plans the parts of a streamed form. The error contains the keyword that cannot be checked while parts arrive; it is `None`
    /// if the form has no properties, so that there is nothing to check.
    pub(super) fn parts(
        &mut self,
        media_type: &'a MediaType,
        type_name: &str,
    ) -> Result<Parts, Option<&'static str>> {
        let (properties, is_open) = form_properties(self.document, media_type)?;
        let mut variants = Names::default();
        let mut parts = Vec::new();
        for property in properties {
            let (wire, outer, list) = (property.wire, property.outer, property.list);
            let media_types = property.media_types.to_owned();
            let content = if property.is_file() {
                Content::File
            } else {
                let wanted = format!("{type_name}{}", pascal(wire));
                let what = "a part of a streamed form";
                let ty = match self.use_of_part(property.each, &wanted, what) {
                    Ty::Nullable(of) if is_string(&self.items, &of) => *of,
                    ty => ty,
                };
                match is_string(&self.items, &ty) && !is_json(&media_types) {
                    true => Content::Text(ty),
                    false => Content::Json(ty),
                }
            };
            let length = value(&property.inner.max_length);
            let limit = |keyword: &Option<Spanned<u64>>| value(keyword).filter(|_| list.is_some());
            let description = property.schema.description.as_deref();
            let description = description.or(outer.description.as_deref());
            parts.push(Part {
                wire: wire.to_owned(),
                variant: variants.claim(&pascal(wire)),
                docs: Docs::new(description, format!("The part `{wire}`.")),
                max_bytes: match &content {
                    Content::File => length,
                    // A character has at most four bytes.
                    Content::Text(_) => length.map(|length| length.saturating_mul(4)),
                    Content::Json(_) => None,
                },
                content,
                is_required: property.is_required,
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

/// A property of the schema of a form in parts.
pub(crate) struct FormProperty<'a> {
    pub(crate) wire: &'a str,
    pub(crate) schema: &'a Schema,
    /// The schema of the property, after references are followed.
    outer: &'a Schema,
    /// The schema of the items if the property is a list. Each item is a separate part.
    pub(crate) list: Option<&'a Schema>,
    /// What a part contains.
    pub(crate) each: &'a Schema,
    /// The schema of a part, after references are followed.
    pub(crate) inner: &'a Schema,
    pub(crate) is_required: bool,
    /// The media types, separated by commas; empty if the document has none.
    pub(crate) media_types: &'a str,
}

impl FormProperty<'_> {
    pub(crate) fn is_file(&self) -> bool {
        is_file(self.inner)
    }
}

/// Returns the properties of a form, and whether it may have other properties. The error contains the keyword that restricts the
/// form more than its parts do; it is `None` if the form has no properties.
pub(crate) fn form_properties<'a>(
    document: &'a Document,
    media_type: &'a MediaType,
) -> Result<(Vec<FormProperty<'a>>, bool), Option<&'static str>> {
    let schema = media_type.schema.as_ref();
    let schema = schema.and_then(|schema| document.resolve(schema));
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
    let properties = schema.properties.iter().map(|(wire, property)| {
        let outer = document.resolve(property).unwrap_or(property);
        let is_list = outer.kind() == Some(Type::Array);
        let list = outer.items.as_deref().filter(|_| is_list);
        if list.is_some() && outer.unique_items {
            return Err(Some("uniqueItems"));
        }
        if list.is_some() && !outer.prefix_items.is_empty() {
            return Err(Some("prefixItems"));
        }
        let each = list.unwrap_or(property);
        Ok(FormProperty {
            wire,
            schema: property,
            outer,
            list,
            each,
            inner: document.resolve(each).unwrap_or(each),
            is_required: schema.required.iter().any(|name| name.value == *wire),
            media_types: media_type.encoding.get(wire).map_or("", String::as_str),
        })
    });
    Ok((properties.collect::<Result<_, _>>()?, is_open))
}

/// Returns whether a value is bytes: `format: binary`, or a schema that does not restrict the value.
fn is_file(schema: &Schema) -> bool {
    let format = schema.format.as_ref().map(|format| &*format.value);
    match schema.kind() {
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
