//! Rewrites media types: copies shared media types to the places that refer to them, and describes the items of server-sent events
//! by their data.

use crate::grammar::{ObjectKind, visit_mut};
use crate::model::{EVENT_DATA, Node, essence, unescape_pointer_token};
use crate::problem::Problem;
use crate::read::{MAX_COPIED, too_many_copies};

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
                problems.push(too_many_copies(&node.at));
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
        let media = &mut member.value;
        let Some(event) = media.get("itemSchema").cloned() else {
            continue;
        };
        if essence(name) != "text/event-stream" {
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
        let any_text = || Node::object(&at).with("type", Node::text(&at, "string"));
        media.set(
            "itemSchema",
            json.or(data).cloned().unwrap_or_else(any_text),
        );
        let form = if json.is_some() { "json" } else { "text" };
        media.set(EVENT_DATA, Node::text(&at, form));
    }
}

fn data_of(event: &Node) -> Option<&Node> {
    event.get("properties")?.get("data")
}
