//! Plans the uses of schemas: names, references, the meaning of `null` and of absence, and schemas
//! that occur more than once.

use super::{
    DEEPEST, Known, Planner,
    ir::{Item, Kind, Ty},
};
use crate::{docs::Docs, names::pascal, rules};
use openapi_dropshot_contract::model::{Node, Schema};

impl<'a> Planner<'a> {
    /// Plans all schemas that have a name.
    pub(super) fn components(&mut self) {
        for (component, schema) in &self.document.schemas {
            let name = self.name_of(component);
            let place = self.items.len();
            let kind = self.kind(schema, &name);
            let item = Item {
                component: Some(component.clone()),
                ..self.item(name, schema, format!("The schema `{component}`."), kind)
            };
            self.items.insert(place, item);
        }
    }

    /// Returns the Rust name of a component.
    pub(super) fn name_of(&self, component: &str) -> String {
        let name = self.components.get(component).cloned();
        name.unwrap_or_else(|| pascal(component))
    }

    /// Makes an item for a schema. `otherwise` is its documentation if it has no description.
    pub(super) fn item(
        &self,
        name: String,
        schema: &Schema,
        otherwise: String,
        kind: Kind,
    ) -> Item {
        let docs = Docs::new(schema.description.as_deref(), otherwise);
        Item {
            name,
            component: None,
            home: self.home,
            docs: match schema.deprecated {
                true => docs.with_note("Deprecated."),
                false => docs,
            },
            title: schema.title.clone(),
            deprecated: schema.deprecated,
            // `null` belongs to the places that use the type, not to the type itself.
            default: (schema.default.clone())
                .filter(|default| !(schema.nullable && default.is_null())),
            kind,
        }
    }

    /// Plans the type of a schema where it is used. `wanted` is the preferred name if the type
    /// needs a name.
    pub(super) fn use_of(&mut self, schema: &'a Schema, wanted: &str) -> Ty {
        let ty = match &schema.reference {
            Some(reference) => Ty::Named(self.name_of(&reference.value)),
            None => self.inline(schema, wanted),
        };
        match ty {
            Ty::Any | Ty::Invalid | Ty::Nullable(_) => ty,
            ty if self.document.allows_null(schema) => Ty::Nullable(Box::new(ty)),
            ty => ty,
        }
    }

    /// Plans the type of a schema whose value cannot be absent, so that a default would have no
    /// effect.
    pub(super) fn use_of_part(&mut self, schema: &'a Schema, wanted: &str, what: &str) -> Ty {
        if let Some(default) = &schema.default {
            let message = format!("a default has no effect on {what}: it cannot be absent");
            let help =
                "remove `default`, or write it at the property or parameter that may be absent";
            self.reject(&rules::MEANINGLESS_DEFAULT, &default.at, message, help);
        }
        self.use_of(schema, wanted)
    }

    /// Plans the type of an inline schema. The same schema may be planned several times, even from
    /// within itself, because `allOf` copies the members of other schemas.
    fn inline(&mut self, schema: &'a Schema, wanted: &str) -> Ty {
        let place = &schema.at.pointer;
        if let Some(known) = self.known.get_mut(place) {
            return match known {
                Known::Planned(ty) => ty.clone(),
                Known::Open(name) => Ty::Named(
                    name.get_or_insert_with(|| self.names.claim_inline(wanted))
                        .clone(),
                ),
            };
        }
        if self.depth == DEEPEST {
            let message = format!("the schema is nested more than {DEEPEST} levels deep");
            let help = "give the inner parts names in `components.schemas`, and refer to them";
            self.reject(&rules::TOO_DEEP, &schema.at, message, help);
            return Ty::Invalid;
        }
        self.known.insert(place.clone(), Known::Open(None));
        self.depth += 1;
        let before = self.items.len();
        let kind = self.kind(schema, wanted);
        self.depth -= 1;
        let claimed = match self.known.remove(place) {
            Some(Known::Open(name)) => name,
            Some(Known::Planned(_)) | None => None,
        };
        let ty = match (kind, claimed) {
            (Kind::Wrapper(ty) | Kind::Alias(ty), None) => ty,
            (kind, claimed) => {
                let name = claimed.unwrap_or_else(|| self.names.claim_inline(wanted));
                let what = match &kind {
                    Kind::Struct(_) => "An object inside",
                    _ => "A value of",
                };
                let otherwise = format!("{what} the document, without a description of its own.");
                let item = self.item(name.clone(), schema, otherwise, kind);
                self.items.insert(before, item);
                Ty::Named(name)
            }
        };
        self.known.insert(place.clone(), Known::Planned(ty.clone()));
        ty
    }

    /// Returns the default of a schema, or of a schema that defines it.
    pub(super) fn default_of(&self, schema: &'a Schema) -> Option<&'a Node> {
        self.document
            .definitions(schema)
            .find_map(|schema| schema.default.as_ref())
    }

    /// Returns the documentation of a schema where it is used. The description of another schema
    /// does not become a part of the generated schema.
    pub(super) fn docs_of(&self, schema: &'a Schema, otherwise: String) -> Docs {
        let mut chain = self.document.definitions(schema);
        let description = chain.find_map(|schema| schema.description.as_deref());
        let docs = Docs::new(description, otherwise);
        match schema.description {
            Some(_) => docs,
            None => docs.borrowed(),
        }
    }
}
