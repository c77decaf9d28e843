//! Writes the document as JSON, so that no server has to read YAML.

use openapi_dropshot_contract::model::{Document, Node, NodeKind};
use serde_json::Value;

/// The document on one line, with the members of each object sorted by name:
/// whatever the features of `serde_json` are, the text is the same.
pub(super) fn json(document: &Document) -> String {
    let mut out = String::new();
    write(&document.root, &mut out);
    out.push('\n');
    out
}

fn write(node: &Node, out: &mut String) {
    match &node.kind {
        NodeKind::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        NodeKind::Object(members) => {
            let mut names: Vec<&String> = members.keys().collect();
            names.sort_unstable();
            out.push('{');
            for (index, name) in names.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(name.as_str()).to_string());
                out.push(':');
                write(&members[name].value, out);
            }
            out.push('}');
        }
        _ => out.push_str(&node.to_json().to_string()),
    }
}
