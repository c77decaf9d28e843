//! Checks the structure of the tree by the grammar: the names of members, the members that must be present, and the types of values.

use crate::grammar::{Holds, ObjectKind, Since, each_part, is_closing};
use crate::model::{Node, NodeKind};
use crate::problem::Problem;
use crate::rules::{Severity, document as rules};
use crate::suggest::did_you_mean;
use std::cell::RefCell;

/// The problems that have been reported so far. All parts of the reader add to it.
pub(super) type Log = RefCell<Vec<Problem>>;

/// Checks an object and the objects inside of it. The target of a reference is checked where it is defined.
pub(super) fn check(node: &Node, kind: ObjectKind, version: Since, log: &Log) {
    let is_reference = kind.has_references(version) && node.get("$ref").is_some();
    if is_reference || !check_object(node, kind, version, log) {
        return;
    }
    each_part(node, kind, &mut |member, part_kind, part| {
        let is_flag = is_closing(member.name) && part.as_bool().is_some();
        if !is_flag && member.since <= newest_read(kind, version) {
            check(part, part_kind, version, log);
        }
    });
}

/// The version of the newest members that the model contains. The model does not contain the newer schema keywords, which the
/// generator rejects.
fn newest_read(kind: ObjectKind, version: Since) -> Since {
    match kind {
        ObjectKind::Schema => Since::V30,
        _ => version,
    }
}

/// Checks the members of a node that must be an object. Returns whether the node is one.
pub(super) fn check_object(node: &Node, kind: ObjectKind, version: Since, log: &Log) -> bool {
    let Some(members) = node.as_object() else {
        log.borrow_mut().push(not_an_object(node, kind.what()));
        return false;
    };
    for (name, member) in members {
        let known = kind.member(name).filter(|known| known.since <= version);
        if known.is_some() || name.starts_with("x-") {
            continue;
        }
        let message = format!("{} has no member `{}`", kind.what(), name.escape_debug());
        let otherwise = match name.as_str() {
            "itemSchema" => "write `x-item-schema`, or `openapi: 3.2.0` if all tools read it",
            _ => "remove it, or begin its name with `x-` if it is an extension",
        };
        let help = match foreign_keyword(name).filter(|_| kind == ObjectKind::Schema) {
            Some(help) => help.to_owned(),
            None => {
                let allowed = kind.members().iter().filter(|known| known.since <= version);
                did_you_mean(name, allowed.map(|known| known.name), otherwise)
            }
        };
        let problem = rules::UNKNOWN_MEMBER.problem(&member.key_at, message, help);
        log.borrow_mut().push(problem);
    }
    let newest = newest_read(kind, version);
    for member in kind.members().iter().filter(|own| own.since <= newest) {
        match node.get(member.name) {
            Some(value) if value.as_object().is_none() && kind == ObjectKind::Components => {
                let problem = not_an_object(value, "a section of `components`");
                log.borrow_mut().push(problem);
            }
            Some(value) => check_value(value, member.name, member.holds, log),
            None if member.is_required => report_absent(node, kind, member.name, log),
            None => {}
        }
    }
    true
}

/// Reports that an object lacks a member that it must have.
pub(super) fn report_absent(node: &Node, kind: ObjectKind, name: &str, log: &Log) {
    let message = format!("{} lacks `{name}`", kind.what());
    let mut problem = rules::MISSING_MEMBER.problem(&node.at, message, format!("add `{name}`"));
    let is_meaningless = match kind {
        ObjectKind::Response | ObjectKind::License | ObjectKind::ExternalDocs => true,
        ObjectKind::Info => name == "version",
        _ => false,
    };
    if is_meaningless {
        problem = problem.with_severity(Severity::Warning);
    }
    log.borrow_mut().push(problem);
}

/// Members that are texts for people. A scalar of another type does not change the meaning of the document.
const TEXTS_FOR_PEOPLE: [&str; 4] = ["description", "summary", "title", "version"];

/// Checks the type of the value of a member, except an object.
pub(super) fn check_value(value: &Node, name: &str, holds: Holds, log: &Log) {
    let (fits, expected, help) = match holds {
        Holds::Any | Holds::One(_) => return,
        Holds::Map(_) | Holds::Extensible(_) | Holds::AnyMap | Holds::TextMap => {
            if value.as_object().is_none() {
                let problem = not_an_object(value, &format!("`{name}`"));
                log.borrow_mut().push(problem);
            }
            for (name, value) in value.members().filter(|_| holds == Holds::TextMap) {
                check_value(value, name, Holds::Text, log);
            }
            return;
        }
        Holds::List(_) | Holds::AnyList | Holds::TextList => {
            let items = value.as_array();
            for item in (items.into_iter().flatten()).filter(|_| holds == Holds::TextList) {
                check_value(item, name, Holds::Text, log);
            }
            (items.is_some(), "an array", "write it as a list")
        }
        Holds::Text => {
            let help = match &value.kind {
                NodeKind::Number(_) | NodeKind::Bool(_) => "put it in quotes",
                _ => "write a text",
            };
            (value.as_str().is_some(), "a string", help)
        }
        Holds::Flag => {
            let help = "write `true` or `false`, without quotes";
            (value.as_bool().is_some(), "`true` or `false`", help)
        }
        Holds::Number => {
            let help = "write it without quotes";
            (value.as_number().is_some(), "a number", help)
        }
        Holds::Count => {
            let help = "write it without quotes, sign and fraction";
            (value.as_u64().is_some(), "an integer from 0", help)
        }
    };
    if !fits {
        let mut problem = wrong_type(value, name, expected, help);
        if holds == Holds::Text
            && TEXTS_FOR_PEOPLE.contains(&name)
            && value.as_object().is_none()
            && value.as_array().is_none()
        {
            problem = problem.with_severity(Severity::Warning);
        }
        log.borrow_mut().push(problem);
    }
}

/// Returns the problem of a value that must be an object but is not.
pub(super) fn not_an_object(node: &Node, what: &str) -> Problem {
    let message = format!("{what} must be an object, found {}", node.summary());
    rules::WRONG_TYPE.problem(&node.at, message, "write its members below it")
}

/// Returns the problem of a member whose value has the wrong type.
pub(crate) fn wrong_type(node: &Node, name: &str, expected: &str, help: &str) -> Problem {
    let message = format!("`{name}` must be {expected}, found {}", node.summary());
    rules::WRONG_TYPE.problem(&node.at, message, help)
}

/// Returns what to write instead of a JSON Schema keyword that OpenAPI 3.0 does not have.
fn foreign_keyword(name: &str) -> Option<&'static str> {
    Some(match name {
        "const" => "OpenAPI 3.0 has no `const`: write an `enum` of one value",
        "examples" => "a schema of OpenAPI 3.0 has one `example`",
        "patternProperties" | "propertyNames" => {
            "OpenAPI 3.0 has no rules for names: write `additionalProperties`"
        }
        "$defs" | "definitions" => "put named schemas under `components.schemas`",
        "if" | "then" | "else" | "dependentSchemas" | "dependentRequired" | "dependencies" => {
            "OpenAPI 3.0 has no conditions: write `oneOf`"
        }
        "prefixItems" | "additionalItems" | "contains" | "minContains" | "maxContains"
        | "unevaluatedItems" => "OpenAPI 3.0 has one schema for all elements: write `items`",
        "unevaluatedProperties" => "write `additionalProperties`",
        "$schema" | "$id" | "$comment" | "$anchor" => "remove it: OpenAPI 3.0 does not have it",
        "contentEncoding" => "write `format: byte` for base64",
        "contentMediaType" => "write `format: binary`, and the media type as the name in `content`",
        _ => return None,
    })
}
