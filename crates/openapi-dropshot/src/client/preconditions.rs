//! Reports parts of the document that would make progenitor panic, or that progenitor would drop or misread, and names
//! that the generated code uses itself. The names of types are checked in [`super::names`].

use super::{
    document::{all_schemas, alternatives, is_type},
    names::{folded, is_one_of, is_taken},
    plan::{Sent, is_feed, sent},
};
use crate::rules;
use heck::ToPascalCase as _;
use openapi_dropshot_contract::{
    Problem, Rule,
    model::{
        Document, Location, MediaType, Node, Operation, Parameter, ParameterIn, Schema, Type,
        is_json, is_token,
    },
};
use std::collections::{BTreeMap, BTreeSet};

/// Methods that the client or progenitor's client already has, and `error`, because the builder of an operation `error`
/// would have the name of the crate's error type.
const CLIENT_METHODS: [&str; 9] = [
    "base_url",
    "builder",
    "clone",
    "deprecated_calls",
    "error",
    "execute",
    "new",
    "request",
    "to_builder",
];

/// The methods that every builder has.
const BUILDER_METHODS: [&str; 8] = [
    "body_map",
    "clone",
    "new",
    "pages",
    "send",
    "send_blocking",
    "stream",
    "with",
];

/// Returns everything in the operations of the document that the client cannot express.
pub(super) fn check(document: &Document) -> Vec<Problem> {
    let mut problems = Vec::new();
    for operation in &document.operations {
        let mut check = Check {
            document,
            operation,
            problems: &mut problems,
        };
        check.id();
        check.parameters();
        check.body();
        check.websocket();
    }
    let ids = document.operations.iter().flat_map(|own| &own.id);
    let ids = ids.map(|id| (id.value.as_str(), &id.at));
    check_distinct("method", ids, &mut problems);
    for schema in all_schemas(document) {
        check_alternatives(schema, &mut problems);
        check_copies(document, schema, &mut problems);
        check_merged(document, schema, &mut problems);
    }
    problems
}

/// Reports methods, setters or fields that would have the same name in Rust.
fn check_distinct<'a>(
    what: &str,
    names: impl Iterator<Item = (&'a str, &'a Location)>,
    problems: &mut Vec<Problem>,
) {
    let mut met = BTreeMap::new();
    for (name, at) in names {
        if let Some((other, first)) = met.insert(folded(name), (name, at)) {
            let message = format!("`{other}` and `{name}` would be the same {what} in Rust");
            let help =
                "rename one of the two, so that they differ in more than case and punctuation";
            let problem = rules::CLIENT_NAME_CLASH.problem(at, message, help);
            problems.push(problem.with_related(first, "the first one"));
        }
    }
}

/// Reports alternatives that their discriminator cannot identify.
fn check_alternatives(union: &Schema, problems: &mut Vec<Problem>) {
    let Some(discriminator) = &union.discriminator else {
        return;
    };
    for alternative in alternatives(union) {
        let tag = alternative.properties.get(&discriminator.property);
        let values = tag.and_then(|tag| tag.enumeration.as_ref());
        let has_tag = values.is_some_and(|values| values.len() == 1);
        if alternative.component().is_none() && !has_tag {
            problems.push(rules::UNSUPPORTED_DISCRIMINATOR.problem(&alternative.at,
                "a `discriminator` identifies alternatives by the names of their components, but this alternative is not a component",
                "give the schema a name in `components.schemas`, and refer to it; or remove `discriminator`",
            ));
        }
    }
}

/// Returns whether typify cannot find distinct names for the values of an `enum`, such as `.` and `X`, and would panic.
pub(super) fn has_values_of_one_name(schema: &Schema) -> bool {
    let values = schema.enumeration.iter().flatten();
    let texts: Vec<&str> = values.filter_map(|value| value.as_str()).collect();
    // Like typify: without the characters that a name cannot contain, or with `X` in their place.
    let is_of_name = |letter: char| letter.is_alphanumeric() || letter == '_';
    let plain = |text: &str| pascal_or_x(&text.replace(|letter| !is_of_name(letter), "-"));
    let spelled =
        |text: &str| pascal_or_x(&text.replace(|letter| letter == '_' || !is_of_name(letter), "X"));
    let has_clash = |name: &dyn Fn(&str) -> String| {
        let mut met = BTreeSet::new();
        !texts.iter().all(|text| met.insert(name(text)))
    };
    has_clash(&plain) && has_clash(&spelled)
}

/// Returns a text in the form of a variant name.
fn pascal_or_x(text: &str) -> String {
    match text.to_pascal_case() {
        name if name.starts_with(char::is_alphabetic) => name,
        name => format!("X{name}"),
    }
}

/// Reports an `allOf` with a part that contains the whole schema again, because typify would copy the parts endlessly.
fn check_copies(document: &Document, whole: &Schema, problems: &mut Vec<Problem>) {
    let copied = whole.all_of.iter().filter(|_| whole.all_of.len() > 1);
    let mut open: Vec<(&Schema, bool)> = copied.map(|part| (part, true)).collect();
    let mut seen = BTreeSet::new();
    while let Some((schema, is_copied)) = open.pop() {
        if schema.at == whole.at {
            let message = "the client generator cannot express `allOf` with a part that contains the whole schema again";
            let help = "give this schema a name in `components.schemas`, and refer to it";
            return problems.push(rules::CLIENT_UNSUPPORTED.problem(&whole.at, message, help));
        }
        if seen.insert(&schema.at) {
            let target = schema.reference.as_ref().filter(|_| is_copied);
            let target = target.and_then(|name| document.schema(&name.value));
            open.extend(schema.parts().map(|part| (part, false)));
            let copied = schema.all_of.iter().filter(|_| is_copied);
            open.extend(copied.chain(target).map(|part| (part, true)));
        }
    }
}

/// Reports parts of `allOf` with different definitions of a property of which one contains itself, because typify would
/// merge the two endlessly.
fn check_merged(document: &Document, whole: &Schema, problems: &mut Vec<Problem>) {
    let mut met: BTreeMap<&str, &Schema> = BTreeMap::new();
    let parts = whole.all_of.iter();
    for part in parts.filter_map(|part| document.resolve(part)) {
        for (name, property) in &part.properties {
            let Some(other) = met.insert(name, property) else {
                continue;
            };
            let component =
                |schema: &Schema| schema.reference.as_ref().map(|name| name.value.clone());
            let is_same = component(property).is_some() && component(property) == component(other);
            let mut both = [property, other].into_iter();
            if !is_same && both.any(|schema| contains_itself(document, schema)) {
                let message = format!(
                    "the client generator cannot express `allOf` with two definitions of `{name}` if one of them contains itself"
                );
                let help = "define the member in only one part";
                let problem = rules::CLIENT_UNSUPPORTED.problem(&property.at, message, help);
                problems.push(problem.with_related(&other.at, "the other definition"));
            }
        }
    }
}

/// Returns the components to which a schema refers, directly or indirectly, by name.
fn components_inside<'a>(
    document: &'a Document,
    schema: &'a Schema,
) -> BTreeMap<&'a str, &'a Schema> {
    let (mut open, mut found) = (vec![schema], BTreeMap::new());
    while let Some(schema) = open.pop() {
        open.extend(schema.parts());
        if let Some(name) = &schema.reference
            && let Some(target) = document.schema(&name.value)
            && found.insert(name.value.as_str(), target).is_none()
        {
            open.push(target);
        }
    }
    found
}

/// Whether a schema contains a component that contains itself.
fn contains_itself(document: &Document, schema: &Schema) -> bool {
    let mut inside = components_inside(document, schema).into_iter();
    inside.any(|(name, component)| components_inside(document, component).contains_key(name))
}

struct Check<'a, 'p> {
    document: &'a Document,
    operation: &'a Operation,
    problems: &'p mut Vec<Problem>,
}

impl Check<'_, '_> {
    fn reject(&mut self, rule: &Rule, at: &Location, what: impl AsRef<str>, help: &str) {
        let message = format!("the client of {} {}", self.operation.label(), what.as_ref());
        self.problems.push(rule.problem(at, message, help));
    }

    fn id(&mut self) {
        let Some(id) = &self.operation.id else {
            let (at, label) = (&self.operation.at, self.operation.label());
            let message = format!("{label} has no `operationId`, which names its method");
            let help = "add an `operationId`, such as `listBooks`";
            let problem = rules::MISSING_OPERATION_ID.problem(at, message, help);
            return self.problems.push(problem);
        };
        if is_taken(&id.value) || is_one_of(&CLIENT_METHODS, &id.value) {
            let what = "cannot have a method with this name, because another method already has it";
            let help = "use a verb and its object, such as `listBooks`";
            self.reject(&rules::CLIENT_NAME_RESERVED, &id.at, what, help);
        }
    }

    fn parameters(&mut self) {
        let parameters = &self.operation.parameters;
        for parameter in parameters {
            let name = &parameter.name;
            let is_body = folded(&name.value) == "body" && self.operation.request_body.is_some();
            let is_feed = folded(&name.value) == "feed" && is_feed(self.operation);
            if is_body || is_feed || is_one_of(&BUILDER_METHODS, &name.value) {
                let what = format!(
                    "cannot have a parameter `{}`, because its builder already has a method with this name",
                    name.value
                );
                let help = "give the parameter another name";
                self.reject(&rules::CLIENT_NAME_RESERVED, &name.at, what, help);
            }
            self.place(parameter);
            self.value(parameter);
        }
        let names = parameters.iter().map(|parameter| &parameter.name);
        let names = names.map(|name| (name.value.as_str(), &name.at));
        check_distinct("setter", names, self.problems);
    }

    /// Checks that the client can send a parameter in its location.
    fn place(&mut self, parameter: &Parameter) {
        let name = &parameter.name.value;
        match parameter.location {
            ParameterIn::Header if !is_token(name) => {
                let what = format!(
                    "cannot send `{name}`, which is not a valid header name (RFC 9110, section 5.1)"
                );
                let (at, help) = (&parameter.name.at, "use letters, digits and `-`");
                self.reject(&rules::CLIENT_HEADER, at, what, help);
            }
            ParameterIn::Path if !self.operation.path.value.contains(&format!("{{{name}}}")) => {
                let what = format!("has a path that does not contain `{name}`");
                let help = "add the name in braces to the path";
                self.reject(&rules::CLIENT_PATH, &parameter.at, what, help);
            }
            _ => {}
        }
    }

    /// Checks that the value of a parameter can be sent as one string, in the default style for its location.
    fn value(&mut self, parameter: &Parameter) {
        let name = &parameter.name.value;
        let place = parameter.location;
        let usual = match place {
            ParameterIn::Query => &["form", "spaceDelimited", "pipeDelimited"][..],
            ParameterIn::Cookie => &["form"],
            ParameterIn::Path | ParameterIn::Header => &["simple"],
        };
        let style = parameter.style.as_ref();
        if let Some(style) = style.filter(|style| !usual.contains(&style.value.as_str())) {
            let what = format!("cannot write `{name}` in the style `{}`", style.value);
            self.reject(&rules::CLIENT_STYLE, &style.at, what, "leave `style` out");
        }
        if parameter.json().is_some() {
            return;
        }
        let Some(schema) = &parameter.schema else {
            let what = format!("cannot send `{name}`, which has no `schema`");
            let help = "give the parameter a `schema`, or a `content` of `application/json`";
            let rule = &rules::CLIENT_PARAMETER_CONTENT;
            return self.reject(rule, &parameter.at, what, help);
        };
        let resolved = self.document.resolve(schema).unwrap_or(schema);
        let is_path = place == ParameterIn::Path;
        if is_type(resolved, Type::Object) || (is_type(resolved, Type::Array) && is_path) {
            let what = format!("cannot write the value of `{name}` into a {place}");
            let help = "use a string, a number or a boolean";
            self.reject(&rules::CLIENT_STYLE, &schema.at, what, help);
        }
    }

    /// Checks that the client can send the body.
    fn body(&mut self) {
        let Some(body) = &self.operation.request_body else {
            return;
        };
        let Some((media, how)) = sent(body.read()) else {
            let names: Vec<String> = (body.content.iter())
                .map(|media| format!("`{}`", media.name.value))
                .collect();
            let what = format!("cannot send {}", names.join(" or "));
            let help = "use `application/json`, `application/x-www-form-urlencoded`, `multipart/form-data`, `application/octet-stream` or `text/plain`";
            return self.reject(&rules::CLIENT_REQUEST_MEDIA_TYPES, &body.at, what, help);
        };
        let node = self.document.root.pointer(&media.at.pointer);
        // The caller chooses the media type of each part.
        if how != Sent::Parts
            && let Some(encoding) = node.and_then(|media| media.get("encoding"))
            && !(how == Sent::Form && self.is_json_of_objects(media, encoding))
        {
            let (at, what) = (&encoding.at, "ignores `encoding`");
            self.reject(&rules::CLIENT_ENCODING, at, what, "remove it");
        }
    }

    /// Whether `encoding` only says what the client does without it: it writes the objects in a form as JSON.
    fn is_json_of_objects(&self, form: &MediaType, encoding: &Node) -> bool {
        let target = |schema| self.document.resolve(schema);
        let form = form.schema.as_ref().and_then(target);
        let mut encodings = encoding.as_object().into_iter().flatten();
        encodings.all(|(name, encoding)| {
            let property = form.and_then(|form| form.properties.get(name));
            let types = property.and_then(target).and_then(|own| own.types.as_ref());
            let mut members = encoding.value.as_object().into_iter().flatten();
            types.is_some_and(|types| types.value == Type::Object)
                && members.all(|(keyword, own)| {
                    keyword == "contentType" && own.value.as_str().is_some_and(is_json)
                })
        })
    }

    /// Checks that the operation does not open a websocket, which is not a request with a response.
    fn websocket(&mut self) {
        let operation = self.operation;
        if operation.opens_websocket() {
            let what = "cannot upgrade to a websocket";
            let help = "describe the websocket in a separate document";
            self.reject(&rules::CLIENT_WEBSOCKET, &operation.at, what, help);
        }
    }
}
