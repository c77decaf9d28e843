//! Lookups in a document: the targets of references, operations by id, and the catalogue of error codes.

use super::{
    AdditionalProperties, Document, Location, MediaType, Method, Node, Operation, Parameter,
    ParameterIn, RequestBody, Response, Schema, Server, Spanned, StatusCode, Type, Waiter,
    escape_pointer_token, essence, free_name, is_json,
};
use crate::problem::Texts;
use indexmap::IndexSet;
use std::borrow::Cow;
use std::{collections::HashSet, fmt};

/// One entry of the catalogue of error codes (`x-error-catalogue`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorCode {
    /// The place of its entry.
    pub at: Location,
    /// The code, such as `not_found`.
    pub code: String,
    /// The HTTP status with which this code is sent.
    pub status: u16,
    /// Why the error happens, as a sentence.
    pub cause: String,
    /// What the client can do about it, as a sentence.
    pub cure: String,
}

impl Node {
    /// Returns the operations of a path item, each with its method and its path below the path item.
    pub(crate) fn operations(&self) -> impl Iterator<Item = (&str, String, &Node)> {
        let fixed = Method::members()
            .filter_map(|(key, name)| self.get(&key).map(|node| (name, key, node)));
        let others = self.entries("additionalOperations");
        fixed.chain(others.map(|(name, node)| {
            let way = format!("additionalOperations/{}", escape_pointer_token(name));
            (name, way, node)
        }))
    }

    /// Returns the operation of a path item with this method.
    pub(crate) fn operation(&self, method: &str) -> Option<&Node> {
        let mut operations = self.operations();
        let found = operations.find(|(name, ..)| *name == method);
        found.map(|(.., node)| node)
    }
}

impl Schema {
    /// Whether this is only a `$ref`, without other members.
    pub fn is_reference(&self) -> bool {
        self.reference.is_some()
    }

    /// A schema without any keywords. It allows every value.
    pub fn anything(at: Location) -> Self {
        Schema {
            at,
            ..Schema::default()
        }
    }

    /// The `type`, if the schema has one.
    pub fn kind(&self) -> Option<Type> {
        self.types.as_ref().map(|kind| kind.value)
    }

    /// Calls the callback for the schema and all schemas inside of it.
    pub fn each<'s>(&'s self, callback: &mut dyn FnMut(&'s Schema)) {
        callback(self);
        for part in self.parts() {
            part.each(callback);
        }
    }

    /// Returns the schemas directly inside of the schema.
    pub fn parts(&self) -> impl Iterator<Item = &Schema> {
        let additional = match &self.additional_properties {
            Some(AdditionalProperties::Schema(schema)) => Some(&**schema),
            _ => None,
        };
        (self.properties.values())
            .chain(&self.prefix_items)
            .chain(self.items.as_deref())
            .chain(additional)
            .chain(self.compositions())
            .chain(self.not.as_deref())
    }

    /// Returns the lower bound of a number, and whether it is exclusive.
    pub fn lower_bound(&self) -> Option<(&Spanned<serde_json::Number>, bool)> {
        let exclusive = self.exclusive_minimum.as_ref().map(|bound| (bound, true));
        exclusive.or(self.minimum.as_ref().map(|bound| (bound, false)))
    }

    /// Returns the upper bound of a number, and whether it is exclusive.
    pub fn upper_bound(&self) -> Option<(&Spanned<serde_json::Number>, bool)> {
        let exclusive = self.exclusive_maximum.as_ref().map(|bound| (bound, true));
        exclusive.or(self.maximum.as_ref().map(|bound| (bound, false)))
    }

    /// Returns the component for which the schema is only another notation: the schema is a reference to it, or an `allOf` with
    /// only the reference.
    pub fn component(&self) -> Option<&str> {
        let reference = match (&self.reference, self.all_of.as_slice()) {
            (None, [only]) => &only.reference,
            (reference, _) => reference,
        };
        reference.as_ref().map(|name| name.value.as_str())
    }

    /// Returns the schemas in `allOf`, `oneOf` and `anyOf`.
    pub fn compositions(&self) -> impl Iterator<Item = &Schema> {
        let alternatives = self.one_of.iter().chain(&self.any_of);
        self.all_of.iter().chain(alternatives)
    }
}

/// A tree as JSON.
fn as_json(root: &Node) -> String {
    let text = serde_json::to_string_pretty(root);
    text.expect("the names of members are texts") + "\n"
}

impl Document {
    /// The untyped tree as it is written.
    pub fn as_written(&self) -> &Node {
        self.written.as_ref().unwrap_or(&self.root)
    }

    /// The tree as it is written, including the parts that were removed from the document; see [`Document::without`].
    pub fn whole(&self) -> &Node {
        self.whole.as_ref().unwrap_or(self.as_written())
    }

    /// The whole document as one text. This is the text that was read. If the document has several files, or if parts were removed,
    /// it is JSON, which is also valid YAML.
    pub fn one_text(&self) -> Cow<'_, str> {
        match self.whole {
            None => self.whole_text(),
            Some(_) => Cow::Owned(as_json(self.as_written())),
        }
    }

    /// Does the same, but includes the parts that were removed.
    pub fn whole_text(&self) -> Cow<'_, str> {
        match self.files.as_slice() {
            [] => Cow::Borrowed(&self.text),
            _ => Cow::Owned(as_json(self.whole())),
        }
    }

    /// Returns the schema in the tree, without its alternative `null`.
    pub fn node(&self, schema: &Schema) -> Option<&Node> {
        let node = self.root.pointer(&schema.at.pointer);
        node.map(Node::without_null)
    }

    /// The component schema of this name.
    pub fn schema(&self, name: &str) -> Option<&Schema> {
        self.schemas.get(name)
    }

    /// The schema itself or, if it is a reference, the schema at the end of the chain of references. `None` only if the document
    /// was built by hand and has a dangling reference.
    pub fn resolve<'a>(&'a self, schema: &'a Schema) -> Option<&'a Schema> {
        let mut schema = schema;
        // A chain without a cycle is not longer than the number of schemas.
        for _ in 0..=self.schemas.len() {
            match &schema.reference {
                None => return Some(schema),
                Some(name) => schema = self.schemas.get(&name.value)?,
            }
        }
        None
    }

    /// Returns a schema and the schemas that define it: the target of its reference or the only part of its `allOf`, then the
    /// schemas that define that one, and so on. The reader rejects cycles.
    pub fn definitions<'a>(&'a self, schema: &'a Schema) -> impl Iterator<Item = &'a Schema> {
        std::iter::successors(Some(schema), |schema| {
            match (&schema.reference, schema.all_of.as_slice()) {
                (Some(reference), _) => self.schema(&reference.value),
                (None, [only]) => Some(only),
                _ => None,
            }
        })
    }

    /// Returns whether a schema in normal form allows `null`, or a schema that defines it does. If a type stands beside `allOf`, it
    /// excludes a `null` that the part allows.
    pub fn allows_null(&self, schema: &Schema) -> bool {
        let decides = |schema: &&Schema| schema.nullable || schema.types.is_some();
        let found = self.definitions(schema).find(decides);
        found.is_some_and(|schema| schema.nullable)
    }

    /// Returns the parameters of all operations, followed by those of the components.
    pub fn all_parameters(&self) -> impl Iterator<Item = &Parameter> {
        let used = self.operations.iter().flat_map(|own| &own.parameters);
        used.chain(self.parameters.values())
    }

    /// The operation of this id.
    pub fn operation(&self, id: &str) -> Option<&Operation> {
        let is_wanted = |own: &&Operation| own.id.as_ref().is_some_and(|own| own.value == id);
        self.operations.iter().find(is_wanted)
    }

    /// Returns the name of each operation, in the order of [`Document::operations`]. The name is the id or, without an id, built
    /// from the method and the path, such as `getThingsByThingId` for `GET /things/{thingId}`. The names are unique if the ids are.
    pub fn operation_names(&self) -> Vec<String> {
        let ids = self.operation_ids().map(|id| id.value.clone());
        let mut taken: HashSet<String> = ids.collect();
        let name = |operation: &Operation| match &operation.id {
            Some(id) => id.value.clone(),
            None => {
                let name = free_name(operation.name_from_path(), |name| taken.contains(name));
                taken.insert(name.clone());
                name
            }
        };
        self.operations.iter().map(name).collect()
    }

    pub(crate) fn operation_ids(&self) -> impl Iterator<Item = &Spanned<String>> {
        (self.operations.iter()).filter_map(|operation| operation.id.as_ref())
    }

    /// The place of a part of an operation, by its pointer inside of the operation. If the operation has no such part, the place of
    /// the operation.
    pub(crate) fn place_of<'a>(&'a self, operation: &'a Operation, pointer: &str) -> &'a Location {
        let pointer = format!("{}{pointer}", operation.at.pointer);
        let part = self.root.pointer(&pointer);
        part.map_or(&operation.at, |node| &node.at)
    }

    /// The catalogue of error codes, in the order of the document; `None` if no component schema has a property with
    /// `x-error-catalogue`.
    pub fn error_catalogue(&self) -> Option<&[ErrorCode]> {
        (self.error_catalogue.as_ref()).map(|catalogue| &*catalogue.value)
    }

    /// The JSON media type of the errors of all operations, such as `application/problem+json`; `None` if the errors have several
    /// media types or none.
    pub fn error_media_type(&self) -> Option<&str> {
        let responses = self.operations.iter().flat_map(|own| &own.responses);
        let errors = responses.filter(|response| response.status.value.may_be_error());
        let content = errors.flat_map(|response| &response.content);
        let names = content.map(|media| media.name.value.as_str());
        let mut names = names.filter(|name| *name == "application/json" || name.ends_with("+json"));
        let first = names.next()?;
        names.all(|name| name == first).then_some(first)
    }

    /// Returns the path that precedes the paths of all operations, such as `/v1`.
    pub fn base_path(&self) -> &str {
        self.servers.first().map_or("", Server::path)
    }

    /// The distinct paths that have operations, in the order of the document.
    pub fn distinct_paths(&self) -> Vec<&str> {
        let paths = self.operations.iter().map(|own| own.path.value.as_str());
        paths.collect::<IndexSet<_>>().into_iter().collect()
    }

    /// The distinct methods of operations that dropshot's router does not know.
    pub fn methods_unknown_to_dropshot(&self) -> Vec<Method> {
        let methods = self.operations.iter().map(|own| own.method);
        let is_unknown = |method: &Method| matches!(method, Method::Query | Method::Other(_));
        let unknown = methods.filter(is_unknown).collect::<IndexSet<_>>();
        unknown.into_iter().collect()
    }

    /// The entry of the catalogue for this code.
    pub fn error_code(&self, code: &str) -> Option<&ErrorCode> {
        (self.error_catalogue()?.iter()).find(|entry| entry.code == code)
    }
}

impl From<&Document> for Texts {
    fn from(document: &Document) -> Self {
        Texts::new(&document.text, document.files.clone())
    }
}

impl Parameter {
    /// Returns the `content`, if it is JSON.
    pub fn json(&self) -> Option<&MediaType> {
        self.content.first().filter(|media| media.is_json())
    }

    /// Returns the schema of the value: the schema of the parameter, or the schema of its JSON content.
    pub fn value(&self) -> Option<&Schema> {
        let json = || self.json()?.schema.as_ref();
        self.schema.as_ref().or_else(json)
    }

    /// Returns the character that separates the values of a list; `None` if each value is sent with its own name.
    pub fn separator(&self) -> Option<char> {
        let separator = match self.style.as_ref().map(|style| style.value.as_str()) {
            Some("spaceDelimited") => ' ',
            Some("pipeDelimited") => '|',
            _ => ',',
        };
        let can_repeat = matches!(self.location, ParameterIn::Query | ParameterIn::Cookie);
        let explode = self.explode.as_ref().map(|explode| explode.value);
        let is_exploded = can_repeat && explode.unwrap_or(separator == ',');
        (!is_exploded).then_some(separator)
    }
}

/// The extension that tells whether the data of events is `json` or `text`, if `itemSchema` describes the whole event.
pub(crate) const EVENT_DATA: &str = "x-event-data";

/// The media types of streams whose items have a schema, except JSON text sequences.
const STREAMS: [&str; 3] = [
    "text/event-stream",
    "application/jsonl",
    "application/x-ndjson",
];

impl MediaType {
    /// Returns the media type without its parameters, in lower case (RFC 9110, section 8.3.1).
    pub fn essence(&self) -> String {
        essence(&self.name.value)
    }

    /// Returns whether the media type is JSON; see [`is_json`].
    pub fn is_json(&self) -> bool {
        is_json(&self.name.value)
    }

    /// Returns whether the media type is a JSON text sequence: `application/json-seq` (RFC 7464), or a name that ends in
    /// `+json-seq` (RFC 8091).
    pub fn is_sequence(&self) -> bool {
        let essence = self.essence();
        essence == "application/json-seq" || essence.ends_with("+json-seq")
    }

    /// Returns the schema of the content and the schema of its items, as far as the document has them.
    pub fn schemas(&self) -> impl Iterator<Item = &Schema> {
        self.schema.iter().chain(&self.item_schema)
    }

    /// Returns the schema of the items, if this is a media type for streams of items.
    pub fn items(&self) -> Option<&Schema> {
        let schema = self.item_schema.as_ref();
        schema.filter(|_| self.is_sequence() || STREAMS.contains(&self.essence().as_str()))
    }
}

impl RequestBody {
    /// Returns the media types that a generated service reads. If there is JSON, this is only one: `application/json`, or else the
    /// first other JSON type. Without JSON, the service accepts all media types, and the handler reads the body itself.
    pub fn read(&self) -> &[MediaType] {
        let position = |is_it: fn(&MediaType) -> bool| self.content.iter().position(is_it);
        let plain = position(|media| media.essence() == "application/json");
        match plain.or_else(|| position(MediaType::is_json)) {
            Some(index) => &self.content[index..=index],
            None => &self.content,
        }
    }
}

impl Response {
    /// Returns the content that a generated service sends. JSON is preferred to streams, and streams to everything else.
    pub fn sent(&self) -> Option<&MediaType> {
        let contents = || self.content.iter();
        let stream = || contents().find(|media| media.items().is_some());
        let json = contents().find(|media| media.is_json());
        json.or_else(stream).or(self.content.first())
    }
}

impl Server {
    /// Returns the path of the address of the server: the part after the host and after the last variable.
    pub fn path(&self) -> &str {
        let url = self.url.as_str();
        let fixed = url.rsplit_once('}').map_or(url, |(_, rest)| rest);
        let place = fixed.split_once("://").map_or(fixed, |(_, rest)| rest);
        let path = place.find('/').map_or("", |start| &place[start..]);
        path.trim_end_matches('/')
    }
}

impl Operation {
    /// Returns whether the operation opens a websocket: it has `x-dropshot-websocket`, or it is a GET whose only response that is
    /// not an error is `101`.
    pub fn opens_websocket(&self) -> bool {
        if let Some(mark) = self.extensions.get("x-dropshot-websocket") {
            return mark.as_bool() != Some(false);
        }
        let statuses = self.responses.iter().map(|response| response.status.value);
        let others = statuses.filter(|status| !status.may_be_error());
        self.method == Method::Get && others.eq([StatusCode::Exact(101)])
    }

    /// Returns whether this is the response that opens the websocket of an operation that opens one. Older versions of dropshot
    /// wrote `default` for it.
    pub fn is_opened_by(&self, response: &Response) -> bool {
        let is_opening = |other: &Response| other.status.value == StatusCode::Exact(101);
        match response.status.value {
            StatusCode::Exact(status) => status == 101,
            StatusCode::Default => !self.responses.iter().any(is_opening),
            StatusCode::Range(_) => false,
        }
    }

    /// Whether the operation can be called without credentials.
    pub fn is_open(&self) -> bool {
        self.security.is_empty() || self.security.iter().any(|schemes| schemes.is_empty())
    }

    /// Builds a name from the method and the path.
    fn name_from_path(&self) -> String {
        let mut name = self.method.as_str().to_ascii_lowercase();
        let segments = self.path.value.split('/');
        for segment in segments.filter(|segment| !segment.is_empty()) {
            if segment.starts_with('{') {
                name.push_str("By");
            }
            let words = segment.split(|letter: char| !letter.is_ascii_alphanumeric());
            for word in words {
                let (first, rest) = word.split_at(word.len().min(1));
                name.push_str(&first.to_ascii_uppercase());
                name.push_str(rest);
            }
        }
        name
    }

    /// The method and the path of the operation, such as `GET /books/{bookId}`.
    pub fn request(&self) -> String {
        format!("{} {}", self.method, self.path.value)
    }

    /// The name of the operation in messages: its id, or method and path.
    pub fn label(&self) -> String {
        match &self.id {
            Some(id) => format!("`{}`", id.value),
            None => format!("`{}`", self.request()),
        }
    }

    /// The response for this status: the one that is declared for exactly this status, for its range, or as the default, in this
    /// order.
    pub fn response_for(&self, code: u16) -> Option<&Response> {
        let responses = self.responses.iter();
        let responses = responses.filter(|response| response.status.value.contains(code));
        responses.min_by_key(|response| response.status.value)
    }
}

impl Waiter {
    /// Returns all states that the waiter lists.
    pub(crate) fn states(&self) -> impl Iterator<Item = &Spanned<String>> {
        let lists = [&self.success, &self.failure, &self.retry];
        lists.into_iter().flatten()
    }
}

/// Displays the value for a message, with control characters escaped.
impl<T: fmt::Display> fmt::Display for Spanned<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.value.to_string().escape_debug())
    }
}

impl<T> Spanned<T> {
    /// Combines a value with its place.
    pub fn new(value: T, at: &Location) -> Self {
        Spanned {
            value,
            at: at.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
