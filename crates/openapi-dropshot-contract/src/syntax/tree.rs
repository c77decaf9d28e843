//! Builds the tree of [`Node`]s from the events of a parser, with the place of every value. Rejects
//! what JSON cannot express (complex keys, unknown tags) and what YAML parsers treat differently
//! (duplicate keys and merge keys). Aliases are expanded up to a limit.

use super::{Fatal, MAX_DEPTH, MAX_POINTER, Parsed, scalar};
use crate::model::{Location, Member, Node, NodeKind, escape_pointer_token, update_pointers};
use crate::problem::Problem;
use crate::rules::document as rules;
use indexmap::IndexMap;
use saphyr_parser::{Event, Marker, ScalarStyle, Tag};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// The maximum number of values that aliases may add to a document. A few lines of nested aliases
/// can expand to billions of values.
const MAX_ALIASED: usize = 100_000;

/// Builds the tree of a document.
pub(super) fn build<'t>(
    file: &Arc<str>,
    events: impl Iterator<Item = Result<(Event<'t>, Marker), Fatal>>,
) -> Parsed {
    let mut builder = Builder {
        file,
        events,
        anchors: HashMap::new(),
        aliased: 0,
        problems: Vec::new(),
        has_merge_key: false,
    };
    let root = builder.document();
    let mut problems = builder.problems;
    let root = match root {
        Ok(root) => Some(root).filter(|_| !builder.has_merge_key),
        Err(problem) => {
            problems.push(*problem);
            None
        }
    };
    Parsed { root, problems }
}

struct Builder<'a, E> {
    file: &'a Arc<str>,
    events: E,
    /// Complete values that have an anchor, by the number that the parser assigned to the anchor.
    anchors: HashMap<usize, Node>,
    /// How many values aliases have added.
    aliased: usize,
    problems: Vec<Problem>,
    /// Whether the document has a merge key. In that case, members are missing in the tree.
    has_merge_key: bool,
}

impl<'t, E: Iterator<Item = Result<(Event<'t>, Marker), Fatal>>> Builder<'_, E> {
    fn document(&mut self) -> Result<Node, Fatal> {
        let mut root = None;
        while let Some((event, start)) = self.next("")? {
            match event {
                Event::DocumentStart(_) if root.is_some() => {
                    let message = "a second YAML document begins here";
                    let at = self.place(&start, String::new());
                    return Err(Box::new(rules::SEVERAL_DOCUMENTS.violation(&at, message)));
                }
                Event::StreamStart | Event::StreamEnd | Event::Nothing => {}
                Event::DocumentStart(_) | Event::DocumentEnd => {}
                event => root = Some(self.node(event, self.place(&start, String::new()), 0)?),
            }
        }
        root.ok_or_else(|| {
            let (at, help) = (Location::start(self.file), "begin with `openapi: 3.0.3`");
            Box::new(rules::SYNTAX.problem(&at, "the document is empty", help))
        })
    }

    /// Builds the value that begins with this event. `depth` is the number of objects and arrays
    /// that contain the value.
    fn node(&mut self, event: Event<'t>, at: Location, depth: usize) -> Result<Node, Fatal> {
        let is_scalar = matches!(event, Event::Scalar(..) | Event::Alias(_));
        if depth >= MAX_DEPTH && !is_scalar {
            return Err(too_deep(&at));
        }
        let (kind, anchor) = match event {
            Event::MappingStart(anchor, tag) => {
                self.check_tag(&at, tag.as_deref(), &["map"]);
                let members = self.members(&at.pointer, depth + 1)?;
                (NodeKind::Object(members), anchor)
            }
            Event::SequenceStart(anchor, tag) => {
                self.check_tag(&at, tag.as_deref(), &["seq"]);
                (NodeKind::Array(self.items(&at.pointer, depth + 1)?), anchor)
            }
            Event::Scalar(value, style, anchor, tag) => {
                (self.scalar(&at, value, style, tag.as_deref()), anchor)
            }
            Event::Alias(anchor) => return self.alias(at, anchor, depth),
            // A parser returns no other event at the beginning of a value.
            _ => (NodeKind::Null, 0),
        };
        let node = Node { at, kind };
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    /// Returns the next event. A syntax error gets the pointer of the value that contains it.
    fn next(&mut self, pointer: &str) -> Result<Option<(Event<'t>, Marker)>, Fatal> {
        let event = self.events.next().transpose();
        event.map_err(|mut problem| {
            pointer.clone_into(&mut problem.at.pointer);
            problem
        })
    }

    fn items(&mut self, pointer: &str, depth: usize) -> Result<Vec<Node>, Fatal> {
        let mut items = Vec::new();
        while let Some((event, start)) = self.next(pointer)? {
            if event == Event::SequenceEnd {
                break;
            }
            let at = self.child_place(&start, pointer, &items.len().to_string())?;
            items.push(self.node(event, at, depth)?);
        }
        Ok(items)
    }

    /// Reads the members of an object. Each name is the text as it is written, so `200:` is the
    /// name `200`.
    fn members(&mut self, parent: &str, depth: usize) -> Result<IndexMap<String, Member>, Fatal> {
        let mut members: IndexMap<String, Member> = IndexMap::new();
        while let Some((event, start)) = self.next(parent)? {
            let (name, style, anchor) = match event {
                Event::MappingEnd => break,
                Event::Scalar(name, style, anchor, _) => (name.into_owned(), style, anchor),
                _ => {
                    let at = self.place(&start, String::new());
                    let message = "the name of a member must be written out as a scalar";
                    return Err(Box::new(rules::COMPLEX_KEY.violation(&at, message)));
                }
            };
            let key_at = self.child_place(&start, parent, &name)?;
            if anchor != 0 {
                let (at, kind) = (key_at.clone(), NodeKind::String(name.clone()));
                self.anchors.insert(anchor, Node { at, kind });
            }
            if name == "<<" && style == ScalarStyle::Plain {
                self.has_merge_key = true;
                let message =
                    "merge keys (`<<`) are not part of YAML 1.2, and tools disagree about them";
                let problem = rules::MERGE_KEY.violation(&key_at, message);
                self.problems.push(problem);
            } else if let Some(first) = members.get(&name) {
                let problem = duplicate_member(&name, &first.key_at, &key_at);
                self.problems.push(problem);
            }
            let Some((event, start)) = self.next(&key_at.pointer)? else {
                break;
            };
            let at = self.place(&start, key_at.pointer.clone());
            let value = self.node(event, at, depth)?;
            members.entry(name).or_insert(Member { key_at, value });
        }
        Ok(members)
    }

    fn scalar(
        &mut self,
        at: &Location,
        value: Cow<'_, str>,
        style: ScalarStyle,
        tag: Option<&Tag>,
    ) -> NodeKind {
        let is_text = match tag {
            Some(tag) => is_core(tag, "str") || (tag.handle == "!" && tag.suffix.is_empty()),
            None => style != ScalarStyle::Plain,
        };
        if is_text {
            return NodeKind::String(value.into_owned());
        }
        self.check_tag(at, tag, &["null", "bool", "int", "float"]);
        scalar::resolve(&value).unwrap_or_else(|message| {
            self.problems.push(rules::NUMBER.violation(at, message));
            NodeKind::Null
        })
    }

    /// Returns a copy of the value of an anchor. The copy keeps the line and column of the value,
    /// but gets its own pointers.
    fn alias(&mut self, at: Location, anchor: usize, depth: usize) -> Result<Node, Fatal> {
        let Some(node) = self.anchors.get(&anchor) else {
            let message = "an alias is inside the value that it names";
            let help = "use `$ref` to a component for a schema that contains itself";
            return Err(Box::new(rules::ALIAS.problem(&at, message, help)));
        };
        self.aliased += node.size();
        if self.aliased > MAX_ALIASED {
            let message = format!("aliases expand to more than {MAX_ALIASED} values");
            return Err(Box::new(rules::ALIAS.violation(&at, message)));
        }
        if depth + height(node) > MAX_DEPTH {
            return Err(too_deep(&at));
        }
        let mut copy = node.clone();
        if update_pointers(&mut copy, &mut at.pointer.clone(), false) > MAX_POINTER {
            return Err(too_long(&at));
        }
        Ok(copy)
    }

    fn place(&self, marker: &Marker, pointer: String) -> Location {
        super::place(self.file, marker, pointer)
    }

    /// Returns the place of a member or an element.
    fn child_place(&self, start: &Marker, parent: &str, token: &str) -> Result<Location, Fatal> {
        let at = self.place(start, String::new());
        let pointer = format!("{parent}/{}", escape_pointer_token(token));
        match pointer.len() <= MAX_POINTER {
            true => Ok(Location { pointer, ..at }),
            false => Err(too_long(&at)),
        }
    }

    fn check_tag(&mut self, at: &Location, tag: Option<&Tag>, allowed: &[&str]) {
        if let Some(tag) = tag
            && !allowed.iter().any(|name| is_core(tag, name))
        {
            let message = format!("the tag `{}{}` has no meaning here", tag.handle, tag.suffix);
            self.problems.push(rules::YAML_TAG.violation(at, message));
        }
    }
}

fn is_core(tag: &Tag, name: &str) -> bool {
    tag.is_yaml_core_schema() && tag.suffix == name
}

/// Returns how many levels of objects and arrays a value has.
fn height(node: &Node) -> usize {
    match &node.kind {
        NodeKind::Array(_) | NodeKind::Object(_) => {
            1 + node.children().map(height).max().unwrap_or_default()
        }
        _ => 0,
    }
}

fn too_deep(at: &Location) -> Fatal {
    let message = format!("nested more than {MAX_DEPTH} levels deep");
    Box::new(rules::NESTING_TOO_DEEP.violation(at, message))
}

fn too_long(at: &Location) -> Fatal {
    let message = format!("the names that lead here are longer than {MAX_POINTER} bytes together");
    Box::new(rules::NAME_TOO_LONG.violation(at, message))
}

fn duplicate_member(name: &str, first: &Location, second: &Location) -> Problem {
    let (name, line, column) = (name.escape_debug(), first.line, first.column);
    let message = format!("this object has `{name}` twice, first at line {line}, column {column}");
    let problem = rules::DUPLICATE_MEMBER.violation(second, message);
    problem.with_related(first, "first written here")
}
