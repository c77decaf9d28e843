//! Rewrites media types: copies shared media types to the places that refer to them, and describes the items of server-sent events
//! by their data.

use crate::grammar::{ObjectKind, visit_mut};
use crate::model::{EVENT_DATA, Node, unescape_pointer_token};
use crate::problem::Problem;
use crate::read::MAX_COPIED;
use crate::rules::document as rules;

/// Copies the media types of the components to the places that refer to them, as long as the number of copied values stays within
/// the bound.
pub(super) fn share_media_types(root: &mut Node, shared: &Node, problems: &mut Vec<Problem>) {
    let count = shared.members().count();
    let mut copied = 0;
    visit_mut(root, ObjectKind::Document, &mut |kind, node| {
        // A chain without a cycle is not longer than the number of components.
        for _ in 0..count {
            let target = Some(&*node).filter(|_| kind == ObjectKind::MediaType);
            let target = target.and_then(|node| target_of(node, shared));
            let Some(target) = target.filter(|_| copied <= MAX_COPIED) else {
                break;
            };
            copied += target.size();
            if copied > MAX_COPIED {
                let message = format!(
                    "the references up to this one expand to more than {MAX_COPIED} values"
                );
                problems.push(rules::TOO_MANY_REFERENCES.violation(&node.at, message));
                break;
            }
            *node = target.clone();
        }
        true
    });
}

fn target_of<'n>(node: &Node, shared: &'n Node) -> Option<&'n Node> {
    let name = node
        .word("$ref")?
        .strip_prefix("#/components/mediaTypes/")?;
    shared.get(&unescape_pointer_token(name))
}

/// Describes the events of a body by their data. The schema of an event (OpenAPI 3.2.0, section 4.14.4.2) is an object with the
/// members `data`, `event`, `id` and `retry`. Handlers and clients support the last three without a schema. Data that the document
/// does not describe is text.
pub(super) fn describe_data(root: &Node, body: &mut Node) {
    let contents = body.get_mut("content").and_then(Node::members_mut);
    for (name, member) in contents.into_iter().flatten() {
        let essence = name.split(';').next().unwrap_or_default().trim();
        let media = &mut member.value;
        let Some(event) = media.get("itemSchema").cloned() else {
            continue;
        };
        if !essence.eq_ignore_ascii_case("text/event-stream") {
            continue;
        }
        let (at, event) = (event.at.clone(), root.resolve(&event));
        let data = data_of(event);
        let is_event = ["oneOf", "anyOf", "allOf"]
            .iter()
            .flat_map(|keyword| event.items(keyword))
            .any(|part| data_of(root.resolve(part)).is_some());
        if data.is_none() && !is_event {
            continue;
        }
        let json = data.and_then(|data| root.resolve(data).get("contentSchema"));
        let text = |text: &str| Node::text(&at, text.to_owned());
        let schema = json.or(data).cloned().unwrap_or_else(|| {
            let mut schema = Node::object(&at);
            schema.set("type", text("string"));
            schema
        });
        media.set("itemSchema", schema);
        media.set(
            EVENT_DATA,
            text(if json.is_some() { "json" } else { "text" }),
        );
    }
}

fn data_of(event: &Node) -> Option<&Node> {
    event.get("properties")?.get("data")
}
