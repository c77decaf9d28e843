//! The grammar of OpenAPI 3.0, 3.1 and 3.2: a table of every object with its members, and of the objects or types of values that
//! each member contains. The code that reads, bundles, visits and rewrites documents uses this table, so a new member has to be
//! added only here.

use crate::model::{Document, Location, Node};
use std::cmp::Ordering;

/// The version of OpenAPI that introduced a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Since {
    V30,
    V31,
    V32,
}

impl Since {
    /// Returns the version that a document names. Any other version counts as 3.0; the reader rejects it.
    pub(crate) fn of_document(root: &Node) -> Self {
        let version = root.get("openapi").and_then(Node::as_str);
        match version.unwrap_or_default() {
            version if version.starts_with("3.1.") => Since::V31,
            version if version.starts_with("3.2.") => Since::V32,
            _ => Since::V30,
        }
    }
}

/// What the value of a member contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holds {
    /// Any value, or a value whose type the reader checks separately.
    Any,
    Text,
    Flag,
    Number,
    /// An integer that is not negative.
    Count,
    /// A list of any values.
    AnyList,
    TextList,
    /// Values of any type under names that the author chooses.
    AnyMap,
    TextMap,
    One(ObjectKind),
    List(ObjectKind),
    /// An object whose members have names that the author chooses and values of this kind.
    Map(ObjectKind),
    /// The same as `Map`, except that names that begin with `x-` are extensions.
    Extensible(ObjectKind),
}

/// The effect of a schema keyword on values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    /// The keyword restricts values of any type, or the member does not belong to a schema.
    Any,
    /// The keyword restricts no values: it describes or identifies the schema.
    Annotation,
    /// The keyword restricts only values of this type.
    Of(&'static str),
}

/// A member of an object.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) name: &'static str,
    pub(crate) since: Since,
    pub(crate) effect: Effect,
    pub(crate) holds: Holds,
    /// Whether an object must have the member.
    pub(crate) is_required: bool,
}

impl Member {
    /// Whether the value of the member contains no OpenAPI objects.
    pub(crate) fn holds_nothing(&self) -> bool {
        !matches!(
            self.holds,
            Holds::One(_) | Holds::List(_) | Holds::Map(_) | Holds::Extensible(_)
        )
    }
}

macro_rules! name {
    ($name:ident) => {
        stringify!($name)
    };
    ($name:literal) => {
        $name
    };
    (*) => {
        "*"
    };
}

macro_rules! holds {
    () => {
        Holds::Any
    };
    (text) => {
        Holds::Text
    };
    (flag) => {
        Holds::Flag
    };
    (number) => {
        Holds::Number
    };
    (count) => {
        Holds::Count
    };
    ([any]) => {
        Holds::AnyList
    };
    ([text]) => {
        Holds::TextList
    };
    ({any}) => {
        Holds::AnyMap
    };
    ({text}) => {
        Holds::TextMap
    };
    ([$kind:ident]) => {
        Holds::List(ObjectKind::$kind)
    };
    ({$kind:ident}) => {
        Holds::Map(ObjectKind::$kind)
    };
    (($kind:ident)) => {
        Holds::Extensible(ObjectKind::$kind)
    };
    ($kind:ident) => {
        Holds::One(ObjectKind::$kind)
    };
}

macro_rules! since {
    ([$since:ident $($kind:ident)?]) => {
        Since::$since
    };
}

macro_rules! is_required {
    ([$since:ident required]) => {
        true
    };
    ($group:tt) => {
        false
    };
}

macro_rules! effect {
    ([$since:ident $(required)?]) => {
        Effect::Any
    };
    ([$since:ident annotation]) => {
        Effect::Annotation
    };
    ([$since:ident $kind:ident]) => {
        Effect::Of(stringify!($kind))
    };
}

macro_rules! grammar {
    ($($kind:ident $what:literal {
        $($group:tt { $($member:tt $(: $held:tt)?),* $(,)? })*
    })*) => {
        /// The objects of OpenAPI, and the objects of the extensions that the toolkit reads.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) enum ObjectKind {
            $($kind),*
        }

        impl ObjectKind {
            /// The name of the object in messages.
            pub(crate) fn what(self) -> &'static str {
                match self {
                    $(ObjectKind::$kind => $what),*
                }
            }

            /// Its members. The name `*` stands for each name that is not listed.
            pub(crate) fn members(self) -> &'static [Member] {
                match self {
                    $(ObjectKind::$kind => &[$($(Member {
                        name: name!($member),
                        since: since!($group),
                        effect: effect!($group),
                        holds: holds!($($held)?),
                        is_required: is_required!($group),
                    }),*),*]),*
                }
            }
        }
    };
}

// Before the members stands the version that introduced them, followed by `required` if an object must have them, or by the type
// whose values these keywords restrict, or by `annotation`. After a member stands what it contains: `[X]` is a list, `{X}` a map,
// and `(X)` a map with extensions.
grammar! {
    Document "the document" {
        [V30] {
            openapi, servers: [Server], components: Components, security: [any], tags: [Tag], externalDocs: ExternalDocs
        }
        [V30 required] { info: Info, paths: (PathItem) }
        [V31] { webhooks: (PathItem), jsonSchemaDialect }
        [V32] { "$self": text }
    }
    Info "`info`" {
        [V30 required] { title: text, version: text }
        [V30] { description: text, termsOfService: text, contact: Contact, license: License }
        [V31] { summary }
    }
    Contact "`contact`" { [V30] { name: text, url: text, email: text } }
    License "`license`" { [V30 required] { name: text } [V30] { url: text } [V31] { identifier } }
    Server "a server" {
        [V30 required] { url: text }
        [V30] { description: text, variables: {ServerVariable} }
        [V32] { name: text }
    }
    ServerVariable "a server variable" { [V30] { enum: [text], description: text } [V30 required] { default: text } }
    Tag "a tag" {
        [V30 required] { name: text }
        [V30] { description: text, externalDocs: ExternalDocs }
        [V32] { summary: text, parent: text, kind: text }
    }
    ExternalDocs "`externalDocs`" { [V30 required] { url: text } [V30] { description: text } }
    Components "`components`" {
        [V30] {
            schemas: {Schema}, responses: {Response}, parameters: {Parameter}, examples: {Example}, requestBodies: {RequestBody},
            headers: {Header}, securitySchemes: {SecurityScheme}, links: {Link}, callbacks: {Callback}
        }
        [V31] { pathItems: {PathItem} }
        [V32] { mediaTypes: {MediaType} }
    }
    PathItem "a path item" {
        [V30] {
            "$ref", summary: text, description: text, servers: [Server], parameters: [Parameter], get: Operation, put: Operation,
            post: Operation, delete: Operation, options: Operation, head: Operation, patch: Operation, trace: Operation
        }
        [V32] { query: Operation, additionalOperations: {Operation} }
    }
    Operation "an operation" {
        [V30] {
            operationId: text, summary: text, description: text, tags: [text], parameters: [Parameter], requestBody: RequestBody,
            deprecated: flag, security: [any], servers: [Server], callbacks: {Callback}, externalDocs: ExternalDocs
        }
        [V30 required] { responses: (Response) }
    }
    Callback "a callback" { [V30] { "$ref", *: PathItem } }
    Parameter "a parameter" {
        [V30 required] { name: text, in: text }
        [V30] {
            description: text, required: flag, deprecated: flag, allowEmptyValue: flag, style: text, explode: flag,
            allowReserved: flag, schema: Schema, example, examples: {Example}, content: {MediaType}
        }
    }
    Header "a header" {
        [V30] {
            description: text, required: flag, deprecated: flag, allowEmptyValue: flag, style: text, explode: flag,
            allowReserved: flag, schema: Schema, example, examples: {Example}, content: {MediaType}
        }
    }
    RequestBody "a request body" { [V30] { description: text, required: flag } [V30 required] { content: {MediaType} } }
    Response "a response" {
        // Before 3.2 the description is required. The reader checks that.
        [V30] { description: text, headers: {Header}, content: {MediaType}, links: {Link} }
        [V32] { summary: text }
    }
    MediaType "a media type" {
        [V30] { schema: Schema, example, examples: {Example}, encoding: {Encoding}, "x-item-schema": Schema }
        [V32] { itemSchema: Schema, prefixEncoding: [Encoding], itemEncoding: Encoding }
    }
    Encoding "an encoding" {
        [V30] { contentType: text, headers: {Header}, style: text, explode: flag, allowReserved: flag }
        [V32] { encoding: {Encoding}, prefixEncoding: [Encoding], itemEncoding: Encoding }
    }
    Example "an example" {
        [V30] { summary: text, description: text, value, externalValue: text }
        [V32] { dataValue, serializedValue: text }
    }
    Link "a link" {
        [V30] { operationRef: text, operationId: text, parameters: {any}, requestBody, description: text, server: Server }
    }
    SecurityScheme "a security scheme" {
        [V30 required] { type: text }
        [V30] { description: text, name, in, scheme, bearerFormat: text, flows: Flows, openIdConnectUrl }
        [V32] { oauth2MetadataUrl: text, deprecated: flag }
    }
    Flows "`flows`" {
        [V30] { implicit: Flow, password: Flow, clientCredentials: Flow, authorizationCode: Flow }
        [V32] { deviceAuthorization: Flow }
    }
    Flow "a flow" {
        [V30] { authorizationUrl, tokenUrl, refreshUrl: text }
        [V30 required] { scopes: {text} }
        [V32] { deviceAuthorizationUrl }
    }
    Schema "a schema" {
        [V30] { "$ref", type, format: text, enum: [any], nullable, allOf: [Schema], oneOf: [Schema], anyOf: [Schema], not: Schema }
        [V30 annotation] {
            title: text, description: text, default, example, deprecated: flag, readOnly: flag, writeOnly: flag, xml: Xml,
            externalDocs: ExternalDocs
        }
        [V30 string] { minLength: count, maxLength: count, pattern: text }
        [V30 number] { minimum: number, maximum: number, exclusiveMinimum: number, exclusiveMaximum: number, multipleOf: number }
        [V30 array] { items: Schema, minItems: count, maxItems: count, uniqueItems: flag }
        [V30 object] {
            properties: {Schema}, required, additionalProperties: Schema, minProperties: count, maxProperties: count
        }
        [V30] { discriminator: Discriminator }
        [V31] { const, if: Schema, then: Schema, else: Schema, "$dynamicRef" }
        [V31 annotation] { examples, "$id", "$anchor", "$dynamicAnchor", "$defs": {Schema}, "$schema", "$vocabulary", "$comment" }
        [V31 annotation] { contentSchema: Schema }
        [V31 string] { contentEncoding, contentMediaType }
        [V31 array] { prefixItems: [Schema], contains: Schema, minContains, maxContains, unevaluatedItems: Schema }
        [V31 object] {
            patternProperties: {Schema}, propertyNames: Schema, unevaluatedProperties: Schema, dependentRequired,
            dependentSchemas: {Schema}
        }
    }
    Discriminator "`discriminator`" {
        [V30 required] { propertyName: text }
        [V30] { mapping: {text} }
        [V32] { defaultMapping: text }
    }
    Xml "`xml`" { [V30] { name, namespace, prefix, attribute, wrapped } [V32] { nodeType: text } }
    Replacement "`x-replacement`" { [V30 required] { operation: text, note: text } }
    Waiter "an entry of `x-waiters`" { [V30 required] { path: text } [V30] { success: [text], failure: [text], retry: [text] } }
    Limits "`x-limits`" { [V30] { "body-bytes": count, "deadline-seconds": count, concurrency: count, cost: count } }
    ErrorCode "an entry of `x-error-catalogue`" { [V30 required] { status, cause: text, cure: text } }
}

impl ObjectKind {
    /// The sections of the components to which references may lead, with the kind of object in each section.
    pub(crate) fn sections() -> impl Iterator<Item = (ObjectKind, &'static str)> {
        let members = ObjectKind::Components.members().iter();
        // A reference to a path item is replaced by the path item before references are followed.
        let members = members.filter(|member| member.name != "pathItems");
        members.filter_map(|member| match member.holds {
            Holds::Map(kind) => Some((kind, member.name)),
            _ => None,
        })
    }

    /// The section of the components that contains objects of this kind.
    pub(crate) fn section(self) -> Option<&'static str> {
        let mut sections = ObjectKind::sections();
        sections.find_map(|(kind, section)| (kind == self).then_some(section))
    }

    /// Returns whether a reference can stand in place of the object.
    pub(crate) fn has_references(self, version: Since) -> bool {
        let is_known = self != ObjectKind::MediaType || version >= Since::V32;
        is_known && self.section().is_some()
    }

    pub(crate) fn member(self, name: &str) -> Option<&'static Member> {
        let members = self.members();
        let listed = members.iter().find(|member| member.name == name);
        let any = || members.iter().find(|member| member.name == "*");
        listed.or_else(|| any().filter(|_| !name.starts_with("x-")))
    }
}

/// Returns whether a keyword of a schema restricts no values: an annotation or an extension.
pub fn is_annotation(keyword: &str) -> bool {
    let effect = ObjectKind::Schema
        .member(keyword)
        .map(|member| member.effect);
    effect == Some(Effect::Annotation) || keyword.starts_with("x-")
}

/// Returns whether a schema allows every value.
pub(crate) fn is_free(schema: &Node) -> bool {
    let members = schema.as_object();
    members.is_some_and(|members| members.keys().all(|keyword| is_annotation(keyword)))
}

/// The exclusive bounds, each with the bound that it makes exclusive as a flag in OpenAPI 3.0, and with how a narrower bound
/// compares to a wider one.
pub(crate) const EXCLUSIVE_BOUNDS: [(&str, &str, Ordering); 2] = [
    ("exclusiveMinimum", "minimum", Ordering::Greater),
    ("exclusiveMaximum", "maximum", Ordering::Less),
];

/// Returns whether a schema keyword applies to everything that the other keywords do not describe. The strictest value of such a
/// keyword is `false`.
pub fn is_closing(keyword: &str) -> bool {
    [
        "additionalProperties",
        "unevaluatedProperties",
        "unevaluatedItems",
    ]
    .contains(&keyword)
}

/// Returns whether a schema keyword contains schemas under names that the author chooses; `None` if it contains no schemas.
pub fn holds_schemas_by_name(keyword: &str) -> Option<bool> {
    match ObjectKind::Schema.member(keyword)?.holds {
        Holds::One(ObjectKind::Schema) | Holds::List(ObjectKind::Schema) => Some(false),
        Holds::Map(ObjectKind::Schema) => Some(true),
        _ => None,
    }
}

/// The keywords of OpenAPI 3.0 that are bounds of numbers, lengths and counts.
pub(crate) fn keywords_of_bounds() -> impl Iterator<Item = &'static str> {
    let members = ObjectKind::Schema.members().iter();
    let bounds = members.filter(|member| matches!(member.holds, Holds::Number | Holds::Count));
    bounds.map(|member| member.name)
}

/// Returns whether a keyword restricts the values of one type only, so that it implies the type.
pub fn implies_type(keyword: &str) -> bool {
    keyword == "format" || keywords_of_types().any(|(name, _)| name == keyword)
}

/// The keywords of OpenAPI 3.0 that restrict only values of one type, each with that type.
pub(crate) fn keywords_of_types() -> impl Iterator<Item = (&'static str, &'static str)> {
    let members = ObjectKind::Schema.members().iter();
    let members = members.filter(|member| member.since == Since::V30);
    members.filter_map(|member| match member.effect {
        Effect::Of(kind) => Some((member.name, kind)),
        _ => None,
    })
}

/// Defines a function that calls a callback for each object directly inside of an object. The macro is used for shared and for
/// exclusive references.
macro_rules! each_part {
    ($(#[$documentation:meta])* $name:ident, $get:ident, $array:ident $(, $mut:tt)?) => {
        $(#[$documentation])*
        pub(crate) fn $name<'n>(
            node: &'n $($mut)? Node,
            kind: ObjectKind,
            callback: &mut dyn FnMut(&'static Member, ObjectKind, &'n $($mut)? Node),
        ) {
            for (name, member) in node.$get().into_iter().flatten() {
                let Some(grammar) = kind.member(name) else {
                    continue;
                };
                let value = &$($mut)? member.value;
                match grammar.holds {
                    Holds::One(kind) => callback(grammar, kind, value),
                    Holds::List(kind) => {
                        for part in value.$array().into_iter().flatten() {
                            callback(grammar, kind, part);
                        }
                    }
                    Holds::Map(kind) | Holds::Extensible(kind) => {
                        let is_extensible = matches!(grammar.holds, Holds::Extensible(_));
                        for (name, member) in value.$get().into_iter().flatten() {
                            if !(is_extensible && name.starts_with("x-")) {
                                callback(grammar, kind, &$($mut)? member.value);
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
    };
}

each_part!(
    /// Calls the callback for each object directly inside of an object, together with the member that contains it.
    each_part, as_object, as_array
);
each_part!(
    /// Does the same as [`each_part()`], but allows the callback to change the objects.
    each_part_mut, members_mut, items_mut, mut
);

/// Calls the callback for an object and for all objects inside of it, the outer ones first. The callback returns whether to visit
/// the objects inside.
pub(crate) fn visit<'n>(
    node: &'n Node,
    kind: ObjectKind,
    callback: &mut dyn FnMut(ObjectKind, &'n Node) -> bool,
) {
    if callback(kind, node) {
        each_part(node, kind, &mut |_, kind, part| visit(part, kind, callback));
    }
}

/// Does the same as [`visit`], but allows the callback to change the objects.
pub(crate) fn visit_mut(
    node: &mut Node,
    kind: ObjectKind,
    callback: &mut dyn FnMut(ObjectKind, &mut Node) -> bool,
) {
    if callback(kind, node) {
        each_part_mut(node, kind, &mut |_, kind, part| {
            visit_mut(part, kind, callback)
        });
    }
}

impl Document {
    /// Calls the callback for each schema in the tree, the outer ones first.
    pub fn each_schema<'d>(&'d self, callback: &mut dyn FnMut(&'d Node)) {
        visit(&self.root, ObjectKind::Document, &mut |kind, node| {
            if kind == ObjectKind::Schema {
                callback(node);
            }
            true
        });
    }
}

impl Location {
    /// Returns the keyword at this place as the author wrote it. `rewritten` is the keyword in the rewritten tree.
    pub fn keyword<'a>(&'a self, rewritten: &'a str) -> &'a str {
        let mut tokens = self.written.as_deref().unwrap_or_default().rsplit('/');
        let name = tokens.find(|token| token.parse::<usize>().is_err());
        let written = name.filter(|name| ObjectKind::Schema.member(name).is_some());
        written.unwrap_or(rewritten)
    }
}

/// Calls the callback for each reference in an object, together with the kind of object to which it must refer. References are the
/// value of `$ref` and the values of `discriminator.mapping`, which may also be names of component schemas.
pub(crate) fn each_reference<'n>(
    node: &'n Node,
    kind: ObjectKind,
    callback: &mut dyn FnMut(ObjectKind, &'n Node),
) {
    visit(node, kind, &mut |kind, node| {
        if kind == ObjectKind::Discriminator {
            let targets = node.entries("mapping").map(|(_, target)| target);
            for target in targets.chain(node.get("defaultMapping")) {
                callback(ObjectKind::Schema, target);
            }
        } else if let Some(reference) = node.get("$ref") {
            callback(kind, reference);
        }
        true
    });
}

/// Does the same as [`each_reference`], but allows the callback to change the references.
pub(crate) fn each_reference_mut(
    node: &mut Node,
    kind: ObjectKind,
    callback: &mut dyn FnMut(ObjectKind, &mut Node),
) {
    visit_mut(node, kind, &mut |kind, node| {
        if kind == ObjectKind::Discriminator {
            for target in node
                .get_mut("mapping")
                .into_iter()
                .flat_map(Node::values_mut)
            {
                callback(ObjectKind::Schema, target);
            }
            if let Some(target) = node.get_mut("defaultMapping") {
                callback(ObjectKind::Schema, target);
            }
        } else if let Some(reference) = node.get_mut("$ref") {
            callback(kind, reference);
        }
        true
    });
}

#[cfg(test)]
mod tests;
