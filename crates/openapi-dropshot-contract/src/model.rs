//! The typed model of an OpenAPI document. It is plain data. Every item knows its place in the file.

mod edit;
mod lookup;
mod names;
mod node;
mod references;
mod schema;

pub(crate) use edit::update_pointers;
pub(crate) use lookup::EVENT_DATA;
pub use lookup::ErrorCode;
pub(crate) use names::is_of_component_name;
pub use names::{essence, free_name, is_json, is_token};
pub use node::{compare_numbers, escape_pointer_token, unescape_pointer_token};
pub use references::{SCHEMAS, referenced_names, referenced_schemas};
pub use schema::{AdditionalProperties, Discriminator, Schema, Type, pattern_flags};

pub use crate::location::Location;

use crate::problem::Problem;
use chrono::NaiveDate;
use indexmap::IndexMap;
use std::sync::Arc;

/// A value with the place where it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its place.
    pub at: Location,
}

/// A JSON value with the place where it was written. The members of objects keep their order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// Where the value begins.
    pub at: Location,
    /// The value.
    pub kind: NodeKind,
}

/// The kinds of a [`Node`].
#[derive(Clone, Debug, Default, PartialEq)]
pub enum NodeKind {
    /// `null`
    #[default]
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, with the precision of `serde_json`.
    Number(serde_json::Number),
    /// A string.
    String(String),
    /// An array.
    Array(Vec<Node>),
    /// An object.
    Object(IndexMap<String, Member>),
}

/// A member of an object: its value, and the place of its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The place of the name.
    pub key_at: Location,
    /// The value.
    pub value: Node,
}

/// Extensions (`x-…`) of an object, by full name.
pub type Extensions = IndexMap<String, Node>;

/// A whole document. References to parameters, responses and other components are resolved; references to schemas are kept by
/// name.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// The file as the caller named it.
    pub file: Arc<str>,
    /// The text that was read.
    pub text: Arc<str>,
    /// The other files that are parts of the document, with their texts; see [`read_with_files`](crate::read_with_files).
    pub files: Vec<(Arc<str>, Arc<str>)>,
    /// The untyped tree, for tools that need the whole document. Its schemas are JSON Schema 2020-12, whatever version of OpenAPI
    /// the document uses.
    pub root: Node,
    /// The tree as it is written, if the reader rewrote it; see [`Document::as_written`].
    pub written: Option<Node>,
    /// Whether the tree has the form that the generator expects; see [`normalized`](crate::normalized).
    pub is_normal: bool,
    /// The tree as it is written, including the parts that were removed, if any were removed; see [`Document::whole`].
    pub whole: Option<Node>,
    /// `info`
    pub info: Info,
    /// `servers`
    pub servers: Vec<Server>,
    /// `tags`
    pub tags: Vec<Tag>,
    /// All operations, in the order of the document.
    pub operations: Vec<Operation>,
    /// `components.schemas`, in the order of the document.
    pub schemas: IndexMap<String, Schema>,
    /// `components.parameters`; references among them are followed.
    pub parameters: IndexMap<String, Parameter>,
    /// `components.headers`
    pub headers: IndexMap<String, Header>,
    /// `components.requestBodies`
    pub request_bodies: IndexMap<String, RequestBody>,
    /// `components.responses`. Ignore the status of these responses: only an operation gives a response its status.
    pub responses: IndexMap<String, Response>,
    /// `components.callbacks`: the requests of each callback.
    pub callbacks: IndexMap<String, Vec<Operation>>,
    /// `webhooks` of OpenAPI 3.1: requests that the service sends.
    pub webhooks: Vec<Callback>,
    /// `components.securitySchemes`
    pub security_schemes: IndexMap<String, SecurityScheme>,
    /// The catalogue of error codes and its place; see
    /// [`Document::error_catalogue`].
    pub error_catalogue: Option<Spanned<Vec<ErrorCode>>>,
    /// The warnings of the reader. [`crate::lint`] returns them again.
    pub warnings: Vec<Problem>,
    /// Extensions of the root.
    pub extensions: Extensions,
}

/// `info`
#[derive(Clone, Debug, Default)]
pub struct Info {
    /// Its place.
    pub at: Location,
    /// `title`
    pub title: String,
    /// `version`
    pub version: Spanned<String>,
    /// `description`
    pub description: Option<String>,
    /// Extensions.
    pub extensions: Extensions,
}

/// One of `servers`
#[derive(Clone, Debug)]
pub struct Server {
    /// Its place.
    pub at: Location,
    /// `url`, with `{variables}`
    pub url: String,
    /// `description`
    pub description: Option<String>,
}

/// One of `tags`
#[derive(Clone, Debug)]
pub struct Tag {
    /// Its place.
    pub at: Location,
    /// `name`
    pub name: String,
    /// `description`
    pub description: Option<String>,
}

/// An HTTP method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names explain themselves")]
pub enum Method {
    Get,
    Put,
    Post,
    Delete,
    Options,
    Head,
    Patch,
    Trace,
    Query,
    /// A method that has no member of its own in path items: a key of `additionalOperations`, converted by [`Method::named`].
    Other(&'static str),
}

/// An operation: a method on a path.
#[derive(Clone, Debug)]
pub struct Operation {
    /// The place of the operation object.
    pub at: Location,
    /// `operationId`. Some documents lack it, but the generator requires it.
    pub id: Option<Spanned<String>>,
    /// The method.
    pub method: Method,
    /// The path as written, such as `/books/{bookId}`, and where it is written.
    pub path: Spanned<String>,
    /// `summary`
    pub summary: Option<String>,
    /// `description`
    pub description: Option<String>,
    /// `tags`
    pub tags: Vec<String>,
    /// The parameters of the operation and of its path, with references resolved. If both define the same parameter, the one of
    /// the operation counts.
    pub parameters: Vec<Parameter>,
    /// `requestBody`, reference resolved.
    pub request_body: Option<RequestBody>,
    /// `responses`, references resolved, in the order of the document.
    pub responses: Vec<Response>,
    /// `deprecated: true`
    pub deprecated: bool,
    /// Dates and replacement of a deprecated operation.
    pub lifecycle: Lifecycle,
    /// `x-stability-level`; absent means stable.
    pub stability: Option<Spanned<Stability>>,
    /// `security` of the operation, or `security` of the document if the operation has none. Each entry is one alternative: the
    /// names of schemes with their scopes.
    pub security: Vec<IndexMap<String, Vec<String>>>,
    /// `x-waiters`: the states for which clients can wait.
    pub waiters: Vec<Waiter>,
    /// `x-limits`: the limits that the service enforces for the operation, by name. Each value is greater than zero.
    pub limits: Vec<(&'static str, u64)>,
    /// `callbacks`: requests that the service sends because of this operation, with references resolved.
    pub callbacks: Vec<Callback>,
    /// All extensions, including those that are also in other fields.
    pub extensions: Extensions,
}

/// An entry of `callbacks` or of `webhooks`: requests that the service sends.
#[derive(Clone, Debug)]
pub struct Callback {
    /// Its name.
    pub name: String,
    /// The requests. Their `path` is the expression of a callback, such as `{$request.body#/url}`, or the name of a webhook.
    pub requests: Vec<Operation>,
}

/// An entry of `x-waiters`: `orderDelivered: {path: /status, success: [delivered], failure: [cancelled], retry: [placed]}`
#[derive(Clone, Debug)]
pub struct Waiter {
    /// Its place.
    pub at: Location,
    /// Its name.
    pub name: String,
    /// The place of the state in the response, as a JSON pointer.
    pub path: Spanned<String>,
    /// The states in which the waiting ends successfully.
    pub success: Vec<Spanned<String>>,
    /// The states from which none of the `success` states can be reached.
    pub failure: Vec<Spanned<String>>,
    /// The states in which clients keep waiting. Clients also keep waiting in every state that is not listed.
    pub retry: Vec<Spanned<String>>,
}

/// `x-deprecated-since`, `x-deprecated-since-version`, `x-sunset` and
/// `x-replacement` of an operation.
#[derive(Clone, Debug, Default)]
pub struct Lifecycle {
    /// `x-deprecated-since`: the day of the deprecation (RFC 9745).
    pub since: Option<Spanned<NaiveDate>>,
    /// `x-deprecated-since-version`: the version of the document that
    /// deprecated it.
    pub since_version: Option<Spanned<String>>,
    /// `x-sunset`: the day from which the operation may be removed (RFC 8594).
    pub sunset: Option<Spanned<NaiveDate>>,
    /// `x-replacement`
    pub replacement: Option<Replacement>,
}

/// `x-replacement: {operation, note}`
#[derive(Clone, Debug)]
pub struct Replacement {
    /// Its place.
    pub at: Location,
    /// Operation id of the replacement.
    pub operation: Spanned<String>,
    /// What the caller has to do, as a phrase in the imperative.
    pub note: String,
}

/// `x-stability-level`, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Stability {
    /// The operation may change or be removed at any time.
    Experimental,
    /// The operation may change, with a warning.
    Beta,
    /// The operation does not break clients before its sunset.
    Stable,
}

/// The place in a request where a parameter is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names explain themselves")]
pub enum ParameterIn {
    Path,
    Query,
    Header,
    Cookie,
}

/// A parameter of an operation, or a header of a response.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// Where it is defined: in the component, if the parameter is a reference to one.
    pub at: Location,
    /// `name`
    pub name: Spanned<String>,
    /// `in`
    pub location: ParameterIn,
    /// `required`
    pub required: bool,
    /// `description`
    pub description: Option<String>,
    /// `deprecated`
    pub deprecated: bool,
    /// `allowEmptyValue`
    pub allow_empty_value: bool,
    /// `style`, where written.
    pub style: Option<Spanned<String>>,
    /// `explode`, where written.
    pub explode: Option<Spanned<bool>>,
    /// `schema`
    pub schema: Option<Schema>,
    /// `content`, the alternative to `schema`.
    pub content: Vec<MediaType>,
    /// `example`, or the values of `examples`
    pub examples: Vec<Node>,
    /// Extensions, `x-stability-level` among them.
    pub extensions: Extensions,
}

/// `requestBody`
#[derive(Clone, Debug)]
pub struct RequestBody {
    /// Its place.
    pub at: Location,
    /// `description`
    pub description: Option<String>,
    /// `required`
    pub required: bool,
    /// `content`
    pub content: Vec<MediaType>,
    /// Extensions.
    pub extensions: Extensions,
}

/// One entry of a `content`
#[derive(Clone, Debug)]
pub struct MediaType {
    /// Its place.
    pub at: Location,
    /// The media type, such as `application/json`.
    pub name: Spanned<String>,
    /// `schema`
    pub schema: Option<Schema>,
    /// `itemSchema`, or the extension `x-item-schema`: the schema of each item of a stream. For server-sent events, it is the
    /// schema of `data`.
    pub item_schema: Option<Schema>,
    /// The `contentType` of each `encoding`, by the name of the property.
    pub encoding: IndexMap<String, String>,
    /// `example`, or the values of `examples`
    pub examples: Vec<Node>,
    /// Extensions.
    pub extensions: Extensions,
}

/// The key of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StatusCode {
    /// Exactly this code.
    Exact(u16),
    /// `1XX` to `5XX`, as its first digit.
    Range(u8),
    /// `default`
    Default,
}

/// One of `responses`
#[derive(Clone, Debug)]
pub struct Response {
    /// Where it is defined: in the component, if the response is a reference to one.
    pub at: Location,
    /// Where its status code is written in the operation.
    pub status: Spanned<StatusCode>,
    /// `description`
    pub description: String,
    /// `headers`, references resolved.
    pub headers: Vec<Header>,
    /// `content`
    pub content: Vec<MediaType>,
    /// `x-error-codes`
    pub error_codes: Vec<Spanned<String>>,
    /// Extensions.
    pub extensions: Extensions,
}

/// A header of a response: a parameter whose location is [`ParameterIn::Header`].
pub type Header = Parameter;

/// One of `components.securitySchemes`
#[derive(Clone, Debug)]
pub struct SecurityScheme {
    /// Its place.
    pub at: Location,
    /// `type`: `http`, `apiKey`, `oauth2`, `openIdConnect`
    pub kind: String,
    /// `scheme` of an `http` scheme, such as `bearer`
    pub scheme: Option<String>,
    /// `name` and `in` of an `apiKey` scheme
    pub api_key: Option<(String, String)>,
    /// `description`
    pub description: Option<String>,
    /// The scheme as written.
    pub node: Node,
}
