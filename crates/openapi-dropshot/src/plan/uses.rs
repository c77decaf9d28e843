//! Plans the uses of schemas: names, references, the meaning of `null` and absence,
//! and schemas that occur more than once.

use super::{
    DEEPEST, Known, Planner,
    ir::{Home, Item, Kind, Ty},
};
use crate::{docs::Docs, names::pascal};
use openapi_dropshot_contract::{
    Problem,
    model::{Node, Schema},
};

impl<'a> Planner<'a> {
    /// Plans all schemas that have a name.
    pub(super) fn components(&mut self) {
        let document = self.document;
        for (component, schema) in &document.schemas {
            let name = self.name_of(component);
            let place = self.items.len();
            let kind = self.kind(schema, &name, Home::Schemas);
            let docs = Docs::new(
                schema.description.as_deref(),
                format!("The schema `{component}`."),
            );
            let item = Item {
                component: Some(component.clone()),
                ..self.item(name, schema, Home::Schemas, docs, kind)
            };
            self.items.insert(place, item);
        }
    }

    /// The name in Rust of a component.
    pub(super) fn name_of(&self, component: &str) -> String {
        self.components
            .get(component)
            .cloned()
            .unwrap_or_else(|| pascal(component))
    }

    fn item(&self, name: String, schema: &Schema, home: Home, docs: Docs, kind: Kind) -> Item {
        Item {
            name,
            component: None,
            home,
            docs: if schema.deprecated {
                docs.with_note("Deprecated.")
            } else {
                docs
            },
            title: schema.title.clone(),
            deprecated: schema.deprecated,
            default: schema.default.clone(),
            kind,
        }
    }

    /// The type of a schema where it is used; `wanted` is the name that it gets
    /// if it needs one.
    pub(super) fn use_of(&mut self, schema: &'a Schema, wanted: &str, home: Home) -> Ty {
        let ty = match &schema.reference {
            Some(reference) => Ty::Named(self.name_of(&reference.value)),
            None => self.inline(schema, wanted, home),
        };
        if self.is_nullable(schema) {
            nullable(ty)
        } else {
            ty
        }
    }

    /// The type of a schema that stands where it is used. It may be met again,
    /// even from within itself: `allOf` copies the members of other schemas.
    fn inline(&mut self, schema: &'a Schema, wanted: &str, home: Home) -> Ty {
        let place = &schema.at.pointer;
        if let Some(known) = self.known.get_mut(place) {
            return match known {
                Known::Planned(ty) => ty.clone(),
                Known::Open(name) => {
                    Ty::Named(name.get_or_insert_with(|| self.names.claim(wanted)).clone())
                }
            };
        }
        if self.depth == DEEPEST {
            self.problems.push(Problem::error(
                "too-deep",
                &schema.at,
                format!("the schema is nested more than {DEEPEST} levels deep"),
                "give the inner parts names in `components.schemas`, and refer to them",
            ));
            return Ty::Invalid;
        }
        self.known.insert(place.clone(), Known::Open(None));
        self.depth += 1;
        let before = self.items.len();
        let kind = self.kind(schema, wanted, home);
        self.depth -= 1;
        let claimed = match self.known.remove(place) {
            Some(Known::Open(name)) => name,
            Some(Known::Planned(_)) | None => None,
        };
        let ty = match (kind, claimed) {
            (Kind::Wrapper(ty) | Kind::Alias(ty), None) => ty,
            (kind, claimed) => {
                let name = claimed.unwrap_or_else(|| self.names.claim(wanted));
                let what = match &kind {
                    Kind::Struct(_) => "An object inside",
                    _ => "A value of",
                };
                let otherwise = format!("{what} the document, without a description of its own.");
                let docs = Docs::new(schema.description.as_deref(), otherwise);
                let item = self.item(name.clone(), schema, home, docs, kind);
                self.items.insert(before, item);
                Ty::Named(name)
            }
        };
        self.known.insert(place.clone(), Known::Planned(ty.clone()));
        ty
    }

    /// Whether `null` is a value of the schema.
    pub(super) fn is_nullable(&self, schema: &Schema) -> bool {
        let mut schema = schema;
        // A chain of references without a cycle is no longer than this.
        for _ in 0..=self.document.schemas.len() * 2 {
            if schema.nullable {
                return true;
            }
            schema = match (&schema.reference, schema.all_of.as_slice()) {
                (Some(reference), _) => match self.document.schema(&reference.value) {
                    Some(target) => target,
                    None => return false,
                },
                (None, [only]) => only,
                _ => return false,
            };
        }
        false
    }

    /// The default of a schema, that of the schema it refers to included.
    pub(super) fn default_of(&self, schema: &'a Schema) -> Option<&'a Node> {
        let mut schema = schema;
        for _ in 0..=self.document.schemas.len() * 2 {
            if let Some(default) = &schema.default {
                return Some(default);
            }
            schema = match (&schema.reference, schema.all_of.as_slice()) {
                (Some(reference), _) => self.document.schema(&reference.value)?,
                (None, [only]) => only,
                _ => return None,
            };
        }
        None
    }
}

/// A type that allows `null` too.
pub(super) fn nullable(ty: Ty) -> Ty {
    match ty {
        Ty::Any | Ty::Invalid | Ty::Nullable(_) => ty,
        ty => Ty::Nullable(Box::new(ty)),
    }
}
