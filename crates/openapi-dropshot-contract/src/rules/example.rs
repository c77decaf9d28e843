//! Builds whole documents from the parts that the examples of rules show.

use super::Part;

impl Part {
    /// The name of the part in messages.
    pub fn name(self) -> &'static str {
        match self {
            Part::Text => "the whole text",
            Part::Document => "members of the document",
            Part::Paths => "members of `paths`",
            Part::Operation => "members of an operation",
            Part::Flow => "members of an OAuth 2.0 flow",
            Part::Parameter => "members of a parameter",
            Part::Body => "members of a body",
            Part::Property => "members of a property",
            Part::Schema => "a schema",
            Part::Words => "in words",
        }
    }

    /// Returns a document that contains the text of an example at its place; `None` if the example
    /// is a description in words.
    pub fn document(self, text: &str) -> Option<String> {
        let head = |text: &str| {
            let unless = |member: &str, line: &str| match text.contains(member) {
                true => String::new(),
                false => format!("{line}\n"),
            };
            let info = unless("info: ", "info: {title: T, version: 1.0.0}");
            let paths = unless("paths: ", "paths: {}");
            let text = text.replace(", paths: ", "\npaths: ");
            let version = version_of(&text);
            format!("openapi: {version}\n{info}{paths}{text}\n")
        };
        Some(match self {
            Part::Text => text.to_owned(),
            Part::Document => head(text),
            Part::Paths => head(&format!("paths: {{{text}}}")),
            Part::Operation => {
                let responses = match text.contains("responses: ") {
                    true => "",
                    false => ", responses: {'204': {description: Done.}}",
                };
                let members = format!("{text}{responses}");
                let members = members.trim_start_matches(", ");
                head(&format!("paths: {{/a: {{get: {{{members}}}}}}}"))
            }
            Part::Flow => {
                let scheme = format!("{{type: oauth2, flows: {{authorizationCode: {{{text}}}}}}}");
                head(&format!("components: {{securitySchemes: {{k: {scheme}}}}}"))
            }
            Part::Parameter => {
                let parameter = format!("{{name: q, in: query, schema: {{type: string}}, {text}}}");
                return Part::Operation.document(&format!("parameters: [{parameter}]"));
            }
            Part::Body => {
                let responses = format!("responses: {{'200': {{description: Here., {text}}}}}");
                let members = format!("requestBody: {{{text}}}, {responses}");
                return Part::Operation.document(&members);
            }
            Part::Property => {
                let schema = format!("{{type: object, properties: {{a: {{{text}}}}}}}");
                return Part::Schema.document(&schema);
            }
            Part::Schema => head(&format!("components:\n  schemas:\n    A: {text}")),
            Part::Words => return None,
        })
    }

    /// Returns a document for an example of a change. A schema is inserted at every place where a
    /// schema can be, because each place has its own rules.
    pub fn document_of_change(self, text: &str) -> Option<String> {
        match self {
            Part::Schema => everywhere(text),
            Part::Property => {
                everywhere(&format!("{{type: object, properties: {{a: {{{text}}}}}}}"))
            }
            part => part.document(text),
        }
    }
}

/// The keywords that OpenAPI 3.1 has but 3.0 does not have.
const NEWER: [&str; 14] = [
    "webhooks: ",
    "if: ",
    "then: ",
    "const: ",
    "contains: ",
    "prefixItems: ",
    "items: false",
    "exclusiveMaximum: ",
    "exclusiveMinimum: ",
    "patternProperties: ",
    "propertyNames: ",
    "unevaluated",
    "dependentRequired: ",
    "dependentSchemas: ",
];

/// The version of OpenAPI for which a text is valid: 3.1 only if the text uses something that 3.0
/// does not have, because most documents use 3.0.
fn version_of(text: &str) -> &'static str {
    let is_newer = NEWER.iter().any(|keyword| text.contains(keyword));
    // In 3.0, `exclusiveMinimum` and `exclusiveMaximum` are booleans.
    let has_flag = text.contains("imum: true");
    match is_newer && !has_flag {
        true => "3.1.0",
        false => "3.0.3",
    }
}

/// A document that contains a schema at every place where a schema can be.
fn everywhere(schema: &str) -> Option<String> {
    let bodies = |path: &str, schema: &str| {
        let content = format!(
            "content: {{application/json: {{schema: {schema}}}, text/plain: {{schema: {schema}}}}}"
        );
        format!(
            "/{path}: {{post: {{parameters: [{{name: q, in: query, schema: {schema}}}], requestBody: {{{content}}}, \
             responses: {{'200': {{description: Here., headers: {{X-A: {{schema: {schema}}}}}, {content}}}}}}}}}"
        )
    };
    let property = |members: &str| format!("{{type: object, properties: {{a: {members}}}}}");
    let wrapped = |flag: &str| property(&format!("{{{flag}: true, allOf: [{schema}]}}"));
    let paths = [
        bodies("body", schema),
        bodies("property", &property(schema)),
        bodies("read", &wrapped("readOnly")),
        bodies("write", &wrapped("writeOnly")),
    ];
    Part::Paths.document(&paths.join(", "))
}
