//! Parses YAML 1.2 from the events of `saphyr-parser`, with the place of every value.
//! Rejects what JSON cannot express (complex keys, unknown tags) and what readers
//! treat differently (duplicate and merge keys). Aliases are expanded within bounds.

use super::alias::{Copier, CopyError};
use super::{MAX_DEPTH, Parsed, child_pointer, duplicate_member, scalar, too_deep, too_long};
use crate::model::{Location, Member, Node, NodeKind};
use crate::problem::Problem;
use crate::rules::document as rules;
use indexmap::IndexMap;
use indexmap::map::Entry;
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Tag};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

/// How many values aliases may add to a document altogether.
const MAX_ALIASED: usize = 100_000;

const SYNTAX_HELP: &str = "check the indentation, and quote texts that contain `: ` or ` #` or begin with a special character";

/// Parses a YAML text.
pub(super) fn parse(file: &Arc<str>, text: &str) -> Parsed {
    let mut builder = Builder {
        file,
        stack: Vec::new(),
        anchors: HashMap::new(),
        aliased: 0,
        documents: 0,
        root: None,
        problems: Vec::new(),
        usable: true,
    };
    match builder.build(text) {
        Ok(()) => {
            let root = builder.root.filter(|_| builder.usable);
            Parsed {
                root,
                problems: builder.problems,
            }
        }
        Err(problem) => {
            let mut parsed = Parsed::failed(*problem);
            parsed.problems.append(&mut builder.problems);
            parsed
        }
    }
}

/// A problem that ends parsing.
type Fatal = Box<Problem>;

struct Builder<'a> {
    file: &'a Arc<str>,
    /// Objects and arrays that are open, outermost first.
    stack: Vec<Frame>,
    /// Values with an anchor, by the number that the parser gave it. `None`
    /// while the value is still open.
    anchors: HashMap<usize, Option<Node>>,
    aliased: usize,
    documents: usize,
    root: Option<Node>,
    problems: Vec<Problem>,
    /// Whether the tree can be read in spite of the problems.
    usable: bool,
}

struct Frame {
    at: Location,
    anchor: usize,
    content: Content,
}

enum Content {
    Array(Vec<Node>),
    Object {
        members: IndexMap<String, Member>,
        key: Option<Key>,
    },
}

/// A name whose value follows.
struct Key {
    name: String,
    at: Location,
    /// Whether the value is kept; that of a rejected name is not.
    keep: bool,
}

impl Builder<'_> {
    fn build(&mut self, text: &str) -> Result<(), Fatal> {
        for event in Parser::new_from_str(text) {
            let (event, span) = event.map_err(|error| {
                let at = self.place(error.marker());
                rules::SYNTAX.problem(&at, error.info().to_owned(), SYNTAX_HELP)
            })?;
            let start = span.start;
            match event {
                Event::DocumentStart(_) => self.document_start(&start)?,
                Event::MappingStart(anchor, tag) => {
                    self.check_tag(&start, tag.as_deref(), "map");
                    self.open(
                        &start,
                        anchor,
                        Content::Object {
                            members: IndexMap::new(),
                            key: None,
                        },
                    )?;
                }
                Event::SequenceStart(anchor, tag) => {
                    self.check_tag(&start, tag.as_deref(), "seq");
                    self.open(&start, anchor, Content::Array(Vec::new()))?;
                }
                Event::MappingEnd | Event::SequenceEnd => self.close()?,
                Event::Scalar(value, style, anchor, tag) => {
                    self.scalar(&start, value, style, anchor, tag.as_deref())?
                }
                Event::Alias(anchor) => self.alias(&start, anchor)?,
                Event::StreamStart | Event::StreamEnd | Event::DocumentEnd | Event::Nothing => {}
            }
        }
        if self.root.is_none() {
            let at = Location::start(self.file);
            return Err(Box::new(rules::SYNTAX.problem(
                &at,
                "the document is empty",
                "begin with `openapi: 3.0.3`",
            )));
        }
        Ok(())
    }

    fn document_start(&mut self, start: &Marker) -> Result<(), Fatal> {
        self.documents += 1;
        if self.documents > 1 {
            return Err(Box::new(rules::SEVERAL_DOCUMENTS.problem(
                &self.place(start),
                "a second YAML document begins here",
                "keep one document a file",
            )));
        }
        Ok(())
    }

    fn open(&mut self, start: &Marker, anchor: usize, content: Content) -> Result<(), Fatal> {
        let at = self.value_place(start)?;
        if self.stack.len() >= MAX_DEPTH {
            return Err(Box::new(too_deep(&at)));
        }
        if anchor != 0 {
            self.anchors.insert(anchor, None);
        }
        self.stack.push(Frame {
            at,
            anchor,
            content,
        });
        Ok(())
    }

    fn close(&mut self) -> Result<(), Fatal> {
        let Some(Frame {
            at,
            anchor,
            content,
        }) = self.stack.pop()
        else {
            return Ok(());
        };
        let kind = match content {
            Content::Array(items) => NodeKind::Array(items),
            Content::Object { members, .. } => NodeKind::Object(members),
        };
        self.complete(Node { at, kind }, anchor)
    }

    fn scalar(
        &mut self,
        start: &Marker,
        value: Cow<'_, str>,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
    ) -> Result<(), Fatal> {
        if self.awaits_key() {
            return self.key(start, value, style, anchor);
        }
        let at = self.value_place(start)?;
        let kind = match tag {
            Some(tag) if is_core(tag, "str") || (tag.handle == "!" && tag.suffix.is_empty()) => {
                NodeKind::String(value.into_owned())
            }
            None if style != ScalarStyle::Plain => NodeKind::String(value.into_owned()),
            _ => {
                if let Some(tag) = tag
                    && !["null", "bool", "int", "float"]
                        .iter()
                        .any(|name| is_core(tag, name))
                {
                    self.check_tag(start, Some(tag), "str");
                }
                scalar::resolve(&value).unwrap_or_else(|message| {
                    let help = "quote it if a string is meant";
                    self.problems
                        .push(rules::NUMBER.problem(&at, message, help));
                    NodeKind::Null
                })
            }
        };
        self.complete(Node { at, kind }, anchor)
    }

    /// Reads a scalar as the name of a member: the text as it is written, so that
    /// `200:` is the name `200`.
    fn key(
        &mut self,
        start: &Marker,
        value: Cow<'_, str>,
        style: ScalarStyle,
        anchor: usize,
    ) -> Result<(), Fatal> {
        let mut at = self.place(start);
        if anchor != 0 {
            let kind = NodeKind::String(value.to_string());
            self.anchors.insert(
                anchor,
                Some(Node {
                    at: at.clone(),
                    kind,
                }),
            );
        }
        let Some(Frame {
            at: parent,
            content: Content::Object { members, key },
            ..
        }) = self.stack.last_mut()
        else {
            return Ok(());
        };
        let name = value.into_owned();
        let Some(pointer) = child_pointer(&parent.pointer, &name) else {
            return Err(Box::new(too_long(&at)));
        };
        at.pointer = pointer;
        let mut keep = true;
        if name == "<<" && style == ScalarStyle::Plain {
            keep = false;
            self.usable = false;
            let message =
                "merge keys (`<<`) are not part of YAML 1.2, and tools disagree about them";
            let help = "write the members out, or use `allOf` with `$ref`";
            self.problems
                .push(rules::MERGE_KEY.problem(&at, message, help));
        } else if let Some(first) = members.get(&name) {
            keep = false;
            self.problems
                .push(duplicate_member(&name, &first.key_at, &at));
        }
        *key = Some(Key { name, at, keep });
        Ok(())
    }

    fn alias(&mut self, start: &Marker, anchor: usize) -> Result<(), Fatal> {
        if self.awaits_key() {
            return Err(self.complex_key(start));
        }
        let at = self.value_place(start)?;
        let Some(Some(node)) = self.anchors.get(&anchor) else {
            return Err(Box::new(rules::ALIAS.problem(
                &at,
                "an alias is inside the value that it names",
                "use `$ref` to a component for a schema that contains itself",
            )));
        };
        let mut copier = Copier::new(MAX_ALIASED.saturating_sub(self.aliased), self.stack.len());
        let copy = copier.copy(node, at.pointer.clone());
        self.aliased = MAX_ALIASED - copier.left();
        match copy {
            Ok(copy) => self.complete(copy, 0),
            Err(CopyError::Many) => Err(Box::new(rules::ALIAS.problem(
                &at,
                format!("aliases expand to more than {MAX_ALIASED} values"),
                "refer to components by `$ref` instead",
            ))),
            Err(CopyError::Deep) => Err(Box::new(too_deep(&at))),
            Err(CopyError::Long) => Err(Box::new(too_long(&at))),
        }
    }

    /// Adds a complete value to the object or array that it belongs to.
    fn complete(&mut self, node: Node, anchor: usize) -> Result<(), Fatal> {
        if anchor != 0 {
            self.anchors.insert(anchor, Some(node.clone()));
        }
        match self.stack.last_mut().map(|frame| &mut frame.content) {
            None => self.root = Some(node),
            Some(Content::Array(items)) => items.push(node),
            Some(Content::Object { members, key }) => {
                let Some(key) = key.take() else {
                    // A collection that just closed was itself a name; `open`
                    // has rejected it already.
                    return Ok(());
                };
                if key.keep
                    && let Entry::Vacant(place) = members.entry(key.name)
                {
                    place.insert(Member {
                        key_at: key.at,
                        value: node,
                    });
                }
            }
        }
        Ok(())
    }

    fn awaits_key(&self) -> bool {
        matches!(
            self.stack.last(),
            Some(Frame {
                content: Content::Object { key: None, .. },
                ..
            })
        )
    }

    /// The place of a value that begins here, with its pointer.
    fn value_place(&self, start: &Marker) -> Result<Location, Fatal> {
        let mut at = self.place(start);
        match self.stack.last() {
            None => {}
            Some(Frame {
                at: parent,
                content: Content::Array(items),
                ..
            }) => {
                let Some(pointer) = child_pointer(&parent.pointer, &items.len().to_string()) else {
                    return Err(Box::new(too_long(&at)));
                };
                at.pointer = pointer;
            }
            Some(Frame {
                content: Content::Object { key: Some(key), .. },
                ..
            }) => {
                at.pointer.clone_from(&key.at.pointer);
            }
            Some(Frame {
                content: Content::Object { key: None, .. },
                ..
            }) => return Err(self.complex_key(start)),
        }
        Ok(at)
    }

    fn place(&self, marker: &Marker) -> Location {
        Location {
            file: Arc::clone(self.file),
            line: marker.line().max(1),
            column: marker.col() + 1,
            pointer: String::new(),
        }
    }

    fn complex_key(&self, start: &Marker) -> Fatal {
        Box::new(rules::COMPLEX_KEY.problem(
            &self.place(start),
            "the name of a member must be written out as a scalar",
            "quote a name that begins with `{`, `[` or `*`",
        ))
    }

    fn check_tag(&mut self, start: &Marker, tag: Option<&Tag>, expected: &str) {
        if let Some(tag) = tag
            && !is_core(tag, expected)
        {
            let at = self.place(start);
            let message = format!("the tag `{}{}` has no meaning here", tag.handle, tag.suffix);
            self.problems
                .push(rules::YAML_TAG.problem(&at, message, "remove it"));
        }
    }
}

fn is_core(tag: &Tag, name: &str) -> bool {
    tag.is_yaml_core_schema() && tag.suffix == name
}
