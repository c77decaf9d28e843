//! Inserts members into the objects of a YAML or JSON text. Comments and formatting of the existing text do not
//! change.

use anyhow::{Context as _, Result, ensure};
use openapi_dropshot_contract::model::{Node, NodeKind, escape_pointer_token};
use serde_json::Value as Json;

/// The number of spaces per indentation level, if the text does not show it.
const STEP: usize = 2;

/// A value to insert.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Object(Vec<(String, Value)>),
    Texts(Vec<String>),
    Text(String),
    Number(u16),
}

/// The members that will be inserted into a document.
pub(super) struct Insertions<'a> {
    text: &'a str,
    root: &'a Node,
    is_json: bool,
    members: Vec<(Vec<String>, Value)>,
}

/// The members that will be inserted into one object.
struct Edit<'a> {
    object: &'a Node,
    members: Vec<(String, Value)>,
}

impl Value {
    /// An object with these members.
    pub(super) fn object<const N: usize>(members: [(&str, Value); N]) -> Self {
        Value::Object(members.map(|(key, value)| (key.to_owned(), value)).into())
    }

    /// A reference to a component.
    pub(super) fn reference(kind: &str, name: &str) -> Self {
        let target = format!("#/components/{kind}/{}", escape_pointer_token(name));
        Value::object([("$ref", Value::Text(target))])
    }

    fn to_json(&self) -> Json {
        match self {
            Value::Object(members) => {
                let members = members.iter();
                let members = members.map(|(key, value)| (key.clone(), value.to_json()));
                Json::Object(members.collect())
            }
            Value::Texts(texts) => Json::from(texts.clone()),
            Value::Text(text) => Json::from(text.as_str()),
            Value::Number(number) => Json::from(*number),
        }
    }

    /// Adds the members of another object.
    fn merge(&mut self, other: Value) {
        match (self, other) {
            (Value::Object(own), Value::Object(others)) => {
                others
                    .into_iter()
                    .for_each(|(key, value)| put(own, key, value));
            }
            (own, other) => *own = other,
        }
    }

    /// Returns the value in block style, to be written after `key:`.
    fn block(&self, indent: usize, newline: &str) -> String {
        match self {
            Value::Object(members) if !members.is_empty() => {
                let lines = members.iter().map(|(key, value)| {
                    let (spaces, key) = (" ".repeat(indent), scalar(key));
                    let value = value.block(indent + STEP, newline);
                    format!("{newline}{spaces}{key}:{value}")
                });
                lines.collect()
            }
            other => format!(" {}", other.flow()),
        }
    }

    /// Returns the value in flow style.
    fn flow(&self) -> String {
        match self {
            Value::Object(members) => {
                let members = members.iter();
                let members =
                    members.map(|(key, value)| format!("{}: {}", scalar(key), value.flow()));
                format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
            }
            Value::Texts(texts) => {
                let texts: Vec<String> = texts.iter().map(|text| scalar(text)).collect();
                format!("[{}]", texts.join(", "))
            }
            Value::Text(text) => scalar(text),
            Value::Number(number) => number.to_string(),
        }
    }

    /// Returns the value as JSON, on several lines if the lines are indented.
    fn json(&self, indent: Option<(usize, usize)>, newline: &str) -> String {
        match (self, indent) {
            (Value::Object(members), Some((indent, step))) if !members.is_empty() => {
                let inner = indent + step;
                let lines = members.iter().map(|(key, value)| {
                    let (spaces, key) = (" ".repeat(inner), Json::from(key.as_str()));
                    let value = value.json(Some((inner, step)), newline);
                    format!("{newline}{spaces}{key}: {value}")
                });
                let lines: Vec<String> = lines.collect();
                format!("{{{}{newline}{}}}", lines.join(","), " ".repeat(indent))
            }
            _ => self.to_json().to_string(),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.to_owned())
    }
}

/// Sets a member, or merges the value into an existing member.
fn put(members: &mut Vec<(String, Value)>, key: String, value: Value) {
    match members.iter_mut().find(|(own, _)| *own == key) {
        Some((_, own)) => own.merge(value),
        None => members.push((key, value)),
    }
}

/// Returns a YAML scalar. It is quoted unless it is a plain word or sentence that YAML reads as a string.
fn scalar(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || " $_-/.+".contains(letter);
    let starts_well = text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '$');
    let is_range = matches!(text, "4XX" | "5XX");
    let has_meaning = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
        .contains(&text.to_ascii_lowercase().as_str());
    match (starts_well || is_range)
        && text.chars().all(is_plain)
        && !text.ends_with(' ')
        && !has_meaning
    {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', "''")),
    }
}

impl<'a> Insertions<'a> {
    /// Starts without members to insert. `root` is the tree of the text.
    pub(super) fn new(text: &'a str, root: &'a Node, is_json: bool) -> Self {
        Insertions {
            text,
            root,
            is_json,
            members: Vec::new(),
        }
    }

    /// Adds a member at this path from the root. Missing objects on the path are created.
    pub(super) fn add(&mut self, path: &[&str], value: Value) {
        let path = path.iter().map(|&name| name.to_owned());
        self.members.push((path.collect(), value));
    }

    /// Returns the text with the inserted members.
    ///
    /// # Errors
    ///
    /// A member would have to be inserted into a value that is not an object.
    pub(super) fn text(&self) -> Result<String> {
        let is_crlf = self.text.contains("\r\n");
        let newline = if is_crlf { "\r\n" } else { "\n" };
        let mut edits = Vec::new();
        for edit in self.edits()? {
            edits.push(self.edit(&edit, newline).with_context(|| {
                format!("cannot find the end of the object at {}", edit.object.at)
            })?);
        }
        edits.sort_by_key(|(offset, _)| *offset);
        let mut text = self.text.to_owned();
        for (offset, inserted) in edits.iter().rev() {
            text.insert_str(*offset, inserted);
        }
        Ok(text)
    }

    /// Returns the document with the inserted members as JSON.
    pub(super) fn json(&self) -> Json {
        let mut json = self.root.to_json();
        for (path, value) in &self.members {
            let mut place = &mut json;
            for name in path {
                place = &mut place[name.as_str()];
            }
            *place = value.to_json();
        }
        json
    }

    /// Groups the members by the existing object into which they are inserted. With an anchor, several paths can
    /// lead to the same object.
    fn edits(&self) -> Result<Vec<Edit<'a>>> {
        let mut edits: Vec<Edit<'a>> = Vec::new();
        for (path, value) in &self.members {
            let (mut object, mut depth) = (self.root, 0);
            while let Some(inner) = object.get(&path[depth]) {
                (object, depth) = (inner, depth + 1);
                ensure!(depth < path.len(), "{} exists already", path.join("/"));
            }
            ensure!(
                matches!(object.kind, NodeKind::Object(_)),
                "{}: cannot add members to {}",
                object.at,
                object.kind_name()
            );
            let missing = path[depth + 1..].iter().rev();
            let value = missing.fold(value.clone(), |value, name| {
                Value::Object(vec![(name.clone(), value)])
            });
            let place = |node: &Node| (node.at.line, node.at.column);
            let mut known = edits.iter_mut();
            match known.find(|edit| place(edit.object) == place(object)) {
                Some(edit) => put(&mut edit.members, path[depth].clone(), value),
                None => edits.push(Edit {
                    object,
                    members: vec![(path[depth].clone(), value)],
                }),
            }
        }
        Ok(edits)
    }

    /// Returns the position at which the members are inserted, and the inserted text.
    fn edit(&self, edit: &Edit<'_>, newline: &str) -> Option<(usize, String)> {
        let start = self.offset(edit.object.at.line, edit.object.at.column)?;
        let first = edit.object.as_object()?.values().next();
        if self.text[start..].starts_with('{') {
            let end = end_of_flow(self.text, start)?;
            return self.flow(edit, start, end, newline);
        }
        let first = &first?.key_at;
        let indent = first.column - 1;
        let offset = end_of_block(self.text, first.line, indent);
        let lines = Value::Object(edit.members.clone()).block(indent, newline);
        // The inserted lines begin with a line break, unless the text before them already ends with one.
        let text = match self.text[..offset].ends_with('\n') {
            true => format!("{}{newline}", &lines[newline.len()..]),
            false => lines,
        };
        Some((offset, text))
    }

    /// Inserts members before the closing bracket of an object in flow style.
    fn flow(
        &self,
        edit: &Edit<'_>,
        start: usize,
        end: usize,
        newline: &str,
    ) -> Option<(usize, String)> {
        let inside = &self.text[start + 1..end];
        let content = inside.trim_end();
        let separator = match content.is_empty() || content.ends_with(',') {
            true => "",
            false => ",",
        };
        let offset = start + 1 + content.len();
        let first = edit.object.as_object()?.values().next();
        let own_line = first.filter(|first| first.key_at.line > edit.object.at.line);
        let text: Vec<String> = match own_line {
            Some(first) => {
                let indent = first.key_at.column - 1;
                let line = self.text.lines().nth(edit.object.at.line - 1)?;
                let step = indent.checked_sub(line.len() - line.trim_start().len());
                let step = step.filter(|step| *step > 0).unwrap_or(STEP);
                let lines = edit.members.iter().map(|member| {
                    let member = self.member(member, Some((indent, step)), newline);
                    format!("{newline}{}{member}", " ".repeat(indent))
                });
                lines.collect()
            }
            None => {
                let space = if separator.is_empty() { "" } else { " " };
                let members = edit.members.iter().enumerate().map(|(index, member)| {
                    let space = if index == 0 { space } else { " " };
                    format!("{space}{}", self.member(member, None, newline))
                });
                members.collect()
            }
        };
        Some((offset, format!("{separator}{}", text.join(","))))
    }

    /// Returns a member in flow style; in JSON on several lines, if they are indented.
    fn member(
        &self,
        (key, value): &(String, Value),
        indent: Option<(usize, usize)>,
        newline: &str,
    ) -> String {
        if self.is_json {
            let key = Json::from(key.as_str());
            return format!("{key}: {}", value.json(indent, newline));
        }
        format!("{}: {}", scalar(key), value.flow())
    }

    /// Returns the offset of a line and a column. Both are counted from 1, the column in characters.
    fn offset(&self, line: usize, column: usize) -> Option<usize> {
        let (start, text) = lines(self.text).nth(line - 1)?;
        let within = text.char_indices().map(|(offset, _)| offset);
        let mut offsets = within.chain([text.len()]);
        offsets.nth(column - 1).map(|offset| start + offset)
    }
}

/// Returns the lines of a text with their offsets. Each line includes its line break.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let offset = start;
        start += line.len();
        (offset, line)
    })
}

/// Returns the offset after the last line of an object in block style. Its first key is in the given line.
fn end_of_block(text: &str, line: usize, indent: usize) -> usize {
    let mut end = text.len();
    for (number, (offset, line_text)) in lines(text).enumerate().skip(line - 1) {
        let content = line_text.trim();
        let own = line_text.len() - line_text.trim_start_matches(' ').len();
        let is_inside = own >= indent && !content.is_empty();
        if number == line - 1 || is_inside && !(indent == 0 && is_document_end(line_text)) {
            end = offset + line_text.len();
        } else if !content.is_empty() && !content.starts_with('#') {
            break;
        }
    }
    end
}

fn is_document_end(line: &str) -> bool {
    line.starts_with("---") || line.starts_with("...")
}

/// Returns the offset of the closing bracket of an object in flow style that begins at `start`.
fn end_of_flow(text: &str, start: usize) -> Option<usize> {
    let mut depth = 0_usize;
    let mut before = ' ';
    let mut letters = text[start..].char_indices();
    while let Some((offset, letter)) = letters.next() {
        match letter {
            '{' | '[' => depth += 1,
            '}' | ']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(start + offset);
                }
            }
            // A quotation mark inside of a word is a part of the word.
            '"' if " ,:[{\n\t".contains(before) => {
                while let Some((_, inner)) = letters.next() {
                    match inner {
                        '\\' => drop(letters.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            '\'' if " ,:[{\n\t".contains(before) => loop {
                letters.find(|(_, inner)| *inner == '\'')?;
                // Inside of a quoted text, two quotation marks stand for one.
                match letters.clone().next() {
                    Some((_, '\'')) => drop(letters.next()),
                    _ => break,
                }
            },
            '#' if before.is_whitespace() => {
                letters.find(|(_, inner)| *inner == '\n')?;
            }
            _ => {}
        }
        before = letter;
    }
    None
}

#[cfg(test)]
mod tests;
