//! Compares how the values of parameters and headers are serialized: by `style` and `explode`, or
//! as a media type.

use super::context::Context;
use super::schema;
use super::scope::Scope;
use crate::model::{Node, essence};
use crate::rules::changes as rules;

/// The value of a parameter or of a header.
#[derive(Clone, Copy)]
pub(super) struct Value<'a> {
    /// The location of the value, such as `query`.
    pub location: &'a str,
    /// The parameter or the header.
    pub node: &'a Node,
}

impl<'a> Value<'a> {
    pub(super) fn of_header(node: &'a Node) -> Self {
        let location = "header";
        Value { location, node }
    }

    /// `style` and `explode`.
    fn style(self) -> (&'a str, bool) {
        let default_style = match self.location {
            "query" | "cookie" => "form",
            _ => "simple",
        };
        let style = self.node.word("style").unwrap_or(default_style);
        let explode = (self.node.get("explode").and_then(Node::as_bool)).unwrap_or(style == "form");
        (style, explode)
    }

    /// The media type with its schema, if the value is serialized as a media type.
    fn content(self) -> Option<(&'a str, Option<&'a Node>)> {
        let (name, content) = self.node.entries("content").next()?;
        Some((name, content.get("schema")))
    }
}

/// Compares how the values are serialized, and their schemas.
pub(super) fn compare<'a>(
    context: &mut Context<'a>,
    scope: &Scope,
    old: Value<'a>,
    new: Value<'a>,
) {
    let (old_schema, new_schema) = (old.node.get("schema"), new.node.get("schema"));
    let as_content = |name: &str| format!("`content` of `{name}`");
    let written = match (old.content(), new.content()) {
        (None, Some((to, _))) if old_schema.is_some() => ("`schema`".to_owned(), as_content(to)),
        (Some((from, _)), None) if new_schema.is_some() => {
            (as_content(from), "`schema`".to_owned())
        }
        (Some((from, _)), Some((to, _))) if essence(from) != essence(to) => {
            (as_content(from), as_content(to))
        }
        (Some((_, Some(from))), Some((_, Some(to)))) => {
            let mut scope = scope.clone();
            scope.strongly_typed = true;
            return schema::start(context, &scope, from, to);
        }
        _ => {
            if let (Some(from), Some(to)) = (old_schema, new_schema) {
                compare_style(context, scope, (old, from), new);
                context.exploded = new.style() == ("form", true);
                schema::start(context, scope, from, to);
            }
            return;
        }
    };
    report(context, scope, (old, new), &written);
}

/// Compares `style` and `explode`, which only matter for lists and objects.
fn compare_style<'a>(
    context: &mut Context<'a>,
    scope: &Scope,
    (old, schema): (Value<'a>, &'a Node),
    new: Value<'a>,
) {
    let ((old_style, old_explode), (new_style, new_explode)) = (old.style(), new.style());
    let kind = context.base.view(&[schema]).kind();
    let is_compound = matches!(kind, None | Some("array" | "object"));
    let differs = (old_style != new_style && (is_compound || new.location == "path"))
        || (old_explode != new_explode && is_compound);
    if differs {
        let written = |style, explode| format!("style `{style}` and explode {explode}");
        let from = written(old_style, old_explode);
        let to = written(new_style, new_explode);
        report(context, scope, (old, new), &(from, to));
    }
}

fn report(
    context: &mut Context<'_>,
    scope: &Scope,
    (old, new): (Value<'_>, Value<'_>),
    (from, to): &(String, String),
) {
    let text = format!("is serialized in another way: {from} became {to}");
    let family = &rules::SERIALIZATION_CHANGED;
    scope.report(context, family, Some(old.node), Some(new.node), &text);
}
