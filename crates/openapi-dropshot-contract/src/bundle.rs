//! Copies the targets of references to other files into the document. A path item replaces the reference to it; any other target
//! becomes a component. Every part keeps its file, line and column.

use crate::grammar::{ObjectKind, each_part_mut, each_reference, each_reference_mut};
use crate::model::{
    Location, Node, NodeKind, free_name, is_of_component_name, unescape_pointer_token,
};
use crate::problem::Problem;
use crate::read::{MAX_COPIED, too_many_copies};
use crate::rules::document as rules;
use crate::syntax;
use percent_encoding::percent_decode_str;
use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

/// Reads another file by its name, or returns the reason why that is not possible.
pub(crate) type Load<'l> = &'l mut dyn FnMut(&str) -> Result<String, String>;

/// A file and its text.
pub(crate) type File = (Arc<str>, Arc<str>);

/// The document with the parts of other files.
pub(crate) struct Bundle {
    pub(crate) root: Node,
    /// The other files.
    pub(crate) files: Vec<File>,
}

/// Reads the files to which a document refers, if it refers to any.
pub(crate) fn bundle(
    file: &str,
    root: &Node,
    load: Load<'_>,
    problems: &mut Vec<Problem>,
) -> Option<Bundle> {
    if !refers_to_files(root) {
        return None;
    }
    // In a name such as `REVISION:PATH`, the git revision stands before the path.
    let start = file.rfind(['/', '\\', ':']).map_or(0, |end| end + 1);
    let (folder, own) = file.split_at(start);
    let mut root = root.clone();
    let mut bundler = Bundler {
        folder,
        own,
        load,
        files: HashMap::new(),
        names: HashMap::new(),
        taken: taken(&root),
        pending: Vec::new(),
        copied: 0,
        problems,
    };
    bundler.components(&mut root);
    bundler.walk(&mut root, ObjectKind::Document, own, &mut Vec::new());
    let mut parts = Vec::new();
    while let Some(mut part) = bundler.pending.pop() {
        bundler.walk(&mut part.node, part.kind, &part.path, &mut Vec::new());
        parts.push(part);
    }
    let files = bundler.files.into_values().flatten();
    let mut files: Vec<File> = files.map(|file| file.source).collect();
    files.sort();
    // Sorts the parts in the order in which the references to them were found.
    parts.sort_by_key(|part| part.number);
    for part in parts {
        let components = root.get_or_add("components");
        let section = components.and_then(|components| components.get_or_add(part.section));
        section?.set(&part.name, part.node);
    }
    root.set_pointers();
    Some(Bundle { root, files })
}

/// Shortens the references that name the document by its own address (`$self` of OpenAPI 3.2).
pub(crate) fn shorten_own_references(root: &mut Node) {
    let Some(own) = root.word("$self").map(str::to_owned) else {
        return;
    };
    each_reference_mut(root, ObjectKind::Document, &mut |_, reference| {
        let place = reference.as_str().and_then(|text| text.strip_prefix(&own));
        if let Some(place) = place.filter(|place| place.starts_with('#')) {
            reference.kind = NodeKind::String(place.to_owned());
        }
    });
}

/// Returns whether a reference may lead to another file.
fn refers_to_files(root: &Node) -> bool {
    let mut found = false;
    each_reference(root, ObjectKind::Document, &mut |_, reference| {
        let text = reference.as_str();
        found |= text.is_some_and(|text| !text.starts_with('#'));
    });
    found
}

/// The names of the components of the document, by section.
fn taken(root: &Node) -> HashSet<(&'static str, String)> {
    let names = ObjectKind::sections().flat_map(|(_, section)| {
        let names = root.components(section);
        names.map(move |(name, _)| (section, name.to_owned()))
    });
    names.collect()
}

/// A file that was read.
struct Read {
    source: File,
    /// The tree; `None` if the text cannot be parsed.
    root: Option<Arc<Node>>,
}

/// A part of another file that becomes a component.
struct Part {
    number: usize,
    section: &'static str,
    name: String,
    kind: ObjectKind,
    /// The file, relative to the folder of the document.
    path: String,
    node: Node,
}

/// Where a reference leads to.
enum Target {
    /// To a place in the document itself.
    Own(String),
    /// To a place in another file.
    Other(String, String),
}

struct Bundler<'l> {
    /// The prefix of the names of all files.
    folder: &'l str,
    /// The document, relative to its folder.
    own: &'l str,
    load: Load<'l>,
    /// The other files by path, relative to the folder; `None` for a file that cannot be used.
    files: HashMap<String, Option<Read>>,
    /// The names of the components made from parts of other files, by file, pointer and section.
    names: HashMap<(String, String, &'static str), String>,
    taken: HashSet<(&'static str, String)>,
    pending: Vec<Part>,
    copied: usize,
    problems: &'l mut Vec<Problem>,
}

impl Bundler<'_> {
    /// Replaces a component that is a reference to another file with the content of that file, so that the content gets only one
    /// name.
    fn components(&mut self, root: &mut Node) {
        let Some(components) = root.get_mut("components") else {
            return;
        };
        for (kind, section) in ObjectKind::sections() {
            let entries = components.get_mut(section).and_then(Node::members_mut);
            for (name, member) in entries.into_iter().flatten() {
                let node = &mut member.value;
                let (Some(reference), Some(1)) =
                    (node.get("$ref"), node.as_object().map(|all| all.len()))
                else {
                    continue;
                };
                let Some(text) = reference.as_str().filter(|text| !text.starts_with('#')) else {
                    continue;
                };
                let at = reference.at.clone();
                let Some(Target::Other(path, pointer)) = self.target(text, &at, self.own) else {
                    continue;
                };
                let key = (path.clone(), pointer.clone(), section);
                if self.names.contains_key(&key) {
                    continue;
                }
                if let Some(mut target) = self.part(&path, &pointer, &at) {
                    self.names.insert(key, name.clone());
                    self.walk(&mut target, kind, &path, &mut Vec::new());
                    *node = target;
                }
            }
        }
    }

    /// Rewrites the references in a part of the file with this path. `items` are the path items from other files that contain the
    /// part.
    fn walk(
        &mut self,
        node: &mut Node,
        kind: ObjectKind,
        path: &str,
        items: &mut Vec<(String, String)>,
    ) {
        if kind == ObjectKind::PathItem
            && let Some(reference) = node.get("$ref")
            && let Some(text) = reference.as_str()
        {
            let (at, text) = (reference.at.clone(), text.to_owned());
            return self.path_item(node, &text, &at, path, items);
        }
        if let Some(section) = kind.section()
            && let Some(reference) = node.get_mut("$ref")
        {
            self.rewrite(reference, path, kind, section);
        }
        if kind == ObjectKind::Discriminator {
            // A reference without `#`, `/` or `.` is the name of a component.
            each_reference_mut(node, kind, &mut |_, target| {
                let text = target.as_str().unwrap_or_default();
                if text.contains(['#', '/', '.']) {
                    self.rewrite(target, path, ObjectKind::Schema, "schemas");
                }
            });
        }
        each_part_mut(node, kind, &mut |_, kind, part| {
            self.walk(part, kind, path, items)
        });
    }

    /// Rewrites one reference in the file with this path.
    fn rewrite(
        &mut self,
        reference: &mut Node,
        path: &str,
        kind: ObjectKind,
        section: &'static str,
    ) {
        if let Some(text) = reference.as_str()
            && let Some(local) = self.local(text, &reference.at, path, kind, section)
        {
            reference.kind = NodeKind::String(local);
        }
    }

    /// Replaces a reference to a path item of another file by the path item.
    fn path_item(
        &mut self,
        node: &mut Node,
        text: &str,
        at: &Location,
        path: &str,
        items: &mut Vec<(String, String)>,
    ) {
        let (path, pointer) = match self.target(text, at, path) {
            Some(Target::Other(path, pointer)) => (path, pointer),
            // The reader checks this reference.
            Some(Target::Own(pointer)) => {
                if let Some(reference) = node.get_mut("$ref") {
                    reference.kind = NodeKind::String(format!("#{pointer}"));
                }
                return;
            }
            None => return,
        };
        let place = (path, pointer);
        if items.contains(&place) {
            let text = text.escape_debug();
            let message = format!("the reference leads back to itself: `{text}`");
            let problem = rules::REFERENCE_CYCLE.violation(at, message);
            return self.problems.push(problem);
        }
        if let Some(target) = self.part(&place.0, &place.1, at) {
            *node = target;
            let path = place.0.clone();
            items.push(place);
            self.walk(node, ObjectKind::PathItem, &path, items);
            items.pop();
        }
    }

    /// Converts a reference in the file with this path to the equivalent reference inside of the document. Returns `None` if the
    /// reference already leads into the document, or if there is a problem.
    fn local(
        &mut self,
        text: &str,
        at: &Location,
        path: &str,
        kind: ObjectKind,
        section: &'static str,
    ) -> Option<String> {
        if text.starts_with('#') && path == self.own {
            return None;
        }
        let (path, pointer) = match self.target(text, at, path)? {
            Target::Own(pointer) => return Some(format!("#{pointer}")),
            Target::Other(path, pointer) => (path, pointer),
        };
        let key = (path.clone(), pointer.clone(), section);
        let name = match self.names.get(&key) {
            Some(name) => name.clone(),
            None => {
                let node = self.part(&path, &pointer, at)?;
                let name = self.free_name(&path, &pointer, section);
                self.names.insert(key, name.clone());
                self.pending.push(Part {
                    number: self.names.len(),
                    section,
                    name: name.clone(),
                    kind,
                    path,
                    node,
                });
                name
            }
        };
        Some(format!("#/components/{section}/{name}"))
    }

    /// Finds the file and the pointer to which a reference in the file with this path leads.
    fn target(&mut self, text: &str, at: &Location, path: &str) -> Option<Target> {
        let (file, pointer) = text.split_once('#').unwrap_or((text, ""));
        let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
        let (file, pointer) = (decoded(file), decoded(pointer));
        let scheme = file.split_once(':').map(|(scheme, _)| scheme);
        let (fault, help) =
            if scheme.is_some_and(|scheme| scheme.len() > 1 && !scheme.contains('/')) {
                let help = "save that document in the folder of this one, and refer to the file";
                (
                    "refers to a document on the network, which is not read",
                    help,
                )
            } else if file.starts_with(['/', '\\']) || scheme.is_some() {
                let help = "write the path relative to the file that has the reference";
                ("is an absolute path, which differs between machines", help)
            } else if file.contains('\\') {
                let help = "write `/` between the folders";
                ("has `\\`, which separates folders on Windows only", help)
            } else if let Some(file) = joined(path, &file) {
                return Some(match file == self.own {
                    true => Target::Own(pointer),
                    false => Target::Other(file, pointer),
                });
            } else {
                let help = "move the file into the folder of the document, or into one below it";
                ("leaves the folder of the document", help)
            };
        let message = format!("`{}` {fault}", text.escape_debug());
        self.fail(rules::EXTERNAL_REFERENCE.problem(at, message, help))
    }

    /// Copies a part of another file into the document.
    fn part(&mut self, path: &str, pointer: &str, at: &Location) -> Option<Node> {
        if !self.files.contains_key(path) {
            let read = self.read(path, at);
            self.files.insert(path.to_owned(), read);
        }
        let file = self.files.get(path)?.as_ref()?;
        let (root, name) = (file.root.clone()?, Arc::clone(&file.source.0));
        let Some(part) = root.pointer(pointer) else {
            let message = format!(
                "the file {name} has nothing at `#{}`",
                pointer.escape_debug()
            );
            let help = "correct the part after `#`: write the names from the root of that file to the referenced part, each after a `/`";
            return self.fail(rules::DANGLING_REFERENCE.problem(at, message, help));
        };
        self.copied += part.size();
        if self.copied > MAX_COPIED {
            return self.fail(too_many_copies(at));
        }
        Some(part.clone())
    }

    /// Reports a problem because of which there is no result.
    fn fail<T>(&mut self, problem: Problem) -> Option<T> {
        self.problems.push(problem);
        None
    }

    fn read(&mut self, path: &str, at: &Location) -> Option<Read> {
        let name: Arc<str> = Arc::from(format!("{}{path}", self.folder));
        let text = match (self.load)(&name) {
            Ok(text) => syntax::without_byte_order_mark(&text),
            Err(reason) => {
                let message = format!("the file {name} cannot be read: {reason}");
                let help = "correct the path, which is relative to the file that has the reference";
                return self.fail(rules::EXTERNAL_REFERENCE.problem(at, message, help));
            }
        };
        let parsed = syntax::parse(&name, &text);
        let is_usable = !parsed.problems.iter().any(Problem::is_error);
        self.problems.extend(parsed.problems);
        // The text is kept, because problems are displayed with their source lines.
        Some(Read {
            source: (name, text),
            root: parsed.root.filter(|_| is_usable).map(Arc::new),
        })
    }

    /// Derives a name from the last part of the pointer, or from the file.
    fn free_name(&mut self, path: &str, pointer: &str, section: &'static str) -> String {
        let file = path.rsplit('/').next().unwrap_or_default();
        let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
        let last = pointer.rsplit('/').next().map(unescape_pointer_token);
        let mut wanted = last
            .filter(|last| !last.is_empty())
            .unwrap_or_else(|| stem.to_owned());
        wanted.retain(is_of_component_name);
        if wanted.is_empty() {
            wanted = "Part".to_owned();
        }
        let is_taken = |name: &str| self.taken.contains(&(section, name.to_owned()));
        let name = free_name(wanted, is_taken);
        self.taken.insert((section, name.clone()));
        name
    }
}

/// Joins a path to the folder of a file. Returns `None` if the result is outside of the folder of the document. An empty path
/// stands for the file itself.
fn joined(file: &str, path: &str) -> Option<String> {
    if path.is_empty() {
        return Some(file.to_owned());
    }
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
