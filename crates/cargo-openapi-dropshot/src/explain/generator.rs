//! The rules of the generator: constructs that it rejects, with examples.

use openapi_dropshot_contract::{
    Profile, Rule, Severity,
    rules::Part::{self, Document, Operation, Paths, Schema, Words},
};

const fn rule(
    id: &'static str,
    meaning: &'static str,
    remedy: &'static str,
    part: Part,
    breaks: &'static str,
    keeps: &'static str,
) -> Rule {
    Rule {
        id,
        severity: Severity::Error,
        profile: Profile::General,
        meaning,
        remedy,
        part,
        breaks,
        keeps,
    }
}

#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    // Schemas.
    rule("missing-type", "No part of `allOf` has a `type`, so that values of every type are valid.",
        "Write `type: object` beside `allOf` or in one of its parts.",
        Schema, "{allOf: [{description: A thing.}, {description: A small one.}]}",
        "{type: object, allOf: [{description: A thing.}, {description: A small one.}]}"),
    rule("meaningless-keyword", "A keyword is at a place where it says nothing about the values, such as beside alternatives.",
        "Remove the keyword, or write it in the schema of the type that it belongs to.",
        Schema, "{oneOf: [{type: string}, {type: integer}], minimum: 1}", "{oneOf: [{type: string}, {type: integer, minimum: 1}]}"),
    rule("meaningless-default", "A default is at a place where the value cannot be absent, and the generator could not leave it out.",
        "Remove `default`, or write it at the property or parameter that may be absent.",
        Words, "a default of the elements of an array, in a document that takes too many steps to simplify",
        "a default of a property that is not required"),
    rule("unsupported-schema", "No type of Rust has the same meaning as the schema.",
        "Write the schema in the form that the message names.",
        Schema, "{type: string, not: {type: integer}}", "{type: string}"),
    rule("unsupported-enum", "The values of `enum` are neither all strings nor all integers.",
        "Write an `enum` of strings with `type: string`, or one of integers with `type: integer`.",
        Schema, "{type: number, enum: [1.5]}", "{type: integer, enum: [1]}"),
    rule("enum-null", "`enum` lists `null`, and the schema is not nullable.",
        "Add `nullable: true`, or remove `null` from `enum`.",
        Schema, "{type: string, enum: [a, null]}", "{type: string, nullable: true, enum: [a, null]}"),
    rule("enum-outside-type", "A value of `enum` does not fit the `format` of the integer.",
        "Remove the value, or write another `format`.",
        Schema, "{type: integer, format: int8, enum: [1, 200]}", "{type: integer, format: int16, enum: [1, 200]}"),
    rule("empty-range", "No value fits the bounds, the format and `multipleOf` of an integer.",
        "Correct the bounds.",
        Schema, "{type: integer, format: uint8, minimum: 256}", "{type: integer, format: uint16, minimum: 256}"),
    rule("unsupported-multiple-of", "`multipleOf` of a number is not checked, because fractions are not exact.",
        "Count in the smallest unit, as an integer.",
        Schema, "{type: number, multipleOf: 0.1}", "{type: integer, multipleOf: 10}"),
    rule("required-without-property", "`required` names a member that has no schema, and the generator could not add one that allows any value.",
        "Add it to `properties`, or remove it from `required`.",
        Words, "`required: [b]` without a property `b`, in a document that takes too many steps to simplify",
        "`required: [b]` with a property `b`"),
    rule("unsupported-all-of", "A part of `allOf` is no object, or speaks of the members of the other parts.",
        "Write the rules of all parts in one schema.",
        Schema, "{allOf: [{type: object, properties: {a: {type: string}}}, {type: string}]}",
        "{allOf: [{type: object, properties: {a: {type: string}}}, {type: object, properties: {b: {type: string}}}]}"),
    rule("all-of-conflict", "Two parts of `allOf` define a member differently.",
        "Define it in one part only.",
        Schema, "{allOf: [{type: object, properties: {a: {type: string}}}, {type: object, properties: {a: {type: integer}}}]}",
        "{allOf: [{type: object, properties: {a: {type: string}}}, {type: object, properties: {b: {type: integer}}}]}"),
    rule("unsupported-discriminator", "`mapping` of a `discriminator` names a component that is none of the alternatives, or two alternatives have the \
                                       same value.",
        "List the component among the alternatives, or remove it from `mapping`; give each alternative a value of its own.",
        Document, "components: {schemas: {A: {oneOf: [{$ref: '#/components/schemas/B'}], discriminator: {propertyName: kind, mapping: {c: \
                   '#/components/schemas/C'}}}, B: {type: object, required: [kind], properties: {kind: {type: string}}}, C: {type: object, required: [kind], \
                   properties: {kind: {type: string}}}}}",
        "components: {schemas: {A: {oneOf: [{$ref: '#/components/schemas/B'}], discriminator: {propertyName: kind, mapping: {b: \
         '#/components/schemas/B'}}}, B: {type: object, required: [kind], properties: {kind: {type: string}}}}}"),
    rule("too-deep", "Schemas are nested more than 64 levels deep.",
        "Give the inner parts names in `components.schemas`, and refer to them.",
        Words, "an array of arrays, 70 levels deep", "an array of arrays, 10 levels deep"),
    // Operations.
    rule("unsupported-method", "An operation has the method TRACE, which dropshot does not serve.",
        "Use another method.",
        Paths, "/a: {trace: {operationId: a, responses: {'204': {description: Done.}}}}",
        "/a: {get: {operationId: a, responses: {'204': {description: Done.}}}}"),
    rule("unsupported-path", "A path is read in another way by dropshot's router.",
        "Write the path in the form that the message names.",
        Paths, "/a//b: {get: {operationId: a, responses: {'204': {description: Done.}}}}",
        "/a/b: {get: {operationId: a, responses: {'204': {description: Done.}}}}"),
    rule("unsupported-replacement", "The address of the replacement of an operation cannot be made from a request, because its path has other variables.",
        "Name a replacement whose variables are at the same place of the path, or one without variables.",
        Paths, "/a: {get: {operationId: a, deprecated: true, x-deprecated-since: 2026-01-01, x-sunset: 2030-01-01, x-replacement: {operation: b, note: use it}, \
                responses: {'204': {description: Done.}}}}, '/b/{id}': {get: {operationId: b, parameters: [{name: id, in: path, required: true, \
                schema: {type: string}}], responses: {'204': {description: Done.}}}}",
        "/a: {get: {operationId: a, deprecated: true, x-deprecated-since: 2026-01-01, x-sunset: 2030-01-01, x-replacement: {operation: b, note: use it}, \
         responses: {'204': {description: Done.}}}}, /b: {get: {operationId: b, responses: {'204': {description: Done.}}}}"),
    rule("unsupported-websocket", "An operation with `x-dropshot-websocket` is not in the form of dropshot's channels.",
        "Use GET without a body, and the response `101`.",
        Operation, "operationId: a, x-dropshot-websocket: {}", "operationId: a"),
    rule("unsupported-pagination", "An operation has `x-dropshot-pagination` and no query, or a value that dropshot does not write.",
        "Add the query parameters of the pages, or remove the extension.",
        Operation, "operationId: a, x-dropshot-pagination: {required: []}", "operationId: a"),
    rule("unsupported-status", "A response has an interim status (1XX), which dropshot does not send.",
        "Remove it.",
        Operation, "operationId: a, responses: {'101': {description: A.}}", "operationId: a, responses: {'204': {description: A.}}"),
    rule("unsupported-body", "A body is at a place where HTTP has none: a request with HEAD, or a response with 204, 205 or 304.",
        "Remove the `content`, or use another method or status.",
        Operation, "operationId: a, responses: {'204': {description: A., content: {application/json: {schema: {}}}}}",
        "operationId: a, responses: {'200': {description: A., content: {application/json: {schema: {}}}}}"),
    rule("unsupported-form", "A form is no object whose members are texts, or has `additionalProperties` that are no strings.",
        "Write an object with `properties` that are strings, numbers, booleans or enumerations, and `additionalProperties`, if there are any, that are strings.",
        Paths, "/a: {post: {operationId: a, requestBody: {required: true, content: {application/x-www-form-urlencoded: {schema: {type: array, items: \
                {type: string}}}}}, responses: {'204': {description: Done.}}}}",
        "/a: {post: {operationId: a, requestBody: {required: true, content: {application/x-www-form-urlencoded: {schema: {type: object, properties: \
         {b: {type: string}}}}}}, responses: {'204': {description: Done.}}}}"),
    rule("unsupported-media-type", "A request body has several media types, or an error with a code has one, and none of them is JSON.",
        "Keep one entry in `content`, and use `application/json` if there are several.",
        Paths, "/a: {post: {operationId: a, requestBody: {required: true, content: {application/xml: {schema: {type: string}}, text/plain: {schema: {type: \
                string}}}}, responses: {'204': {description: Done.}}}}",
        "/a: {post: {operationId: a, requestBody: {required: true, content: {text/plain: {schema: {type: string}}}}, responses: {'204': {description: Done.}}}}"),
    rule("missing-schema", "A form or a header has no schema.",
        "Add a `schema`: for a form an object with a property for each field.",
        Paths, "/a: {post: {operationId: a, requestBody: {required: true, content: {application/x-www-form-urlencoded: {}}}, responses: {'204': \
                {description: Done.}}}}",
        "/a: {post: {operationId: a, requestBody: {required: true, content: {application/x-www-form-urlencoded: {schema: {type: object, properties: \
         {b: {type: string}}}}}}, responses: {'204': {description: Done.}}}}"),
    rule("unsupported-parameter", "A parameter cannot be written as one text: a value of any type, an object (in a query, one without `properties`), an array of these, \
                                  `content`, another `style`, a cookie.",
        "Use a string, a number, a boolean, an enumeration or an array of these, in the query or in a header.",
        Operation, "operationId: a, parameters: [{name: q, in: query, schema: {type: object}}]",
        "operationId: a, parameters: [{name: q, in: query, schema: {type: string}}]"),
    rule("unsupported-allow-reserved", "A parameter has `allowReserved: true`, and the client encodes reserved characters.",
        "Remove `allowReserved`.",
        Operation, "operationId: a, parameters: [{name: q, in: query, allowReserved: true, schema: {type: string}}]",
        "operationId: a, parameters: [{name: q, in: query, schema: {type: string}}]"),
    rule("header-name", "The name of a header is not a token (RFC 9110, section 5.6.2).",
        "Use letters, digits and hyphens.",
        Operation, "operationId: a, parameters: [{name: 'a b', in: header, schema: {type: string}}]",
        "operationId: a, parameters: [{name: a-b, in: header, schema: {type: string}}]"),
    // Errors.
    rule("incomplete-catalogue", "The catalogue of error codes lacks a code with status 400 or 500, which every service sends.",
        "Add a code with that status.",
        Document, "components: {schemas: {Error: {type: object, required: [code, message], properties: {message: {type: string}, code: {type: string, \
                   x-extensible-enum: [bad], x-error-catalogue: {bad: {status: 400, cause: A., cure: B.}}}}}}}",
        "components: {schemas: {Error: {type: object, required: [code, message], properties: {message: {type: string}, code: {type: string, \
         x-extensible-enum: [bad, broken], x-error-catalogue: {bad: {status: 400, cause: A., cure: B.}, broken: {status: 500, cause: A., cure: B.}}}}}}}"),
    rule("unsupported-error-body", "A response with error codes, or the schema with the catalogue, cannot be the body of an error.",
        "Give the schema the required members `code` and `message`, and refer to it from the response.",
        Document, "components: {schemas: {Error: {type: object, required: [code], properties: {message: {type: string}, code: {type: string, \
                   x-extensible-enum: [bad, broken], x-error-catalogue: {bad: {status: 400, cause: A., cure: B.}, broken: {status: 500, cause: A., cure: B.}}}}}}}",
        "components: {schemas: {Error: {type: object, required: [code, message], properties: {message: {type: string}, code: {type: string, \
         x-extensible-enum: [bad, broken], x-error-catalogue: {bad: {status: 400, cause: A., cure: B.}, broken: {status: 500, cause: A., cure: B.}}}}}}}"),
    rule("missing-error-codes", "An error response of a document with a catalogue lists no error codes.",
        "List them with `x-error-codes`.",
        Document, "paths: {/a: {get: {operationId: a, responses: {'204': {description: Done.}, '400': {description: Bad., content: {application/json: {schema: \
                   {$ref: '#/components/schemas/Error'}}}}}}}}\ncomponents: {schemas: {Error: {type: object, required: [code, message], properties: {message: \
                   {type: string}, code: {type: string, x-extensible-enum: [bad, broken], x-error-catalogue: {bad: {status: 400, cause: A., cure: B.}, \
                   broken: {status: 500, cause: A., cure: B.}}}}}}}",
        "paths: {/a: {get: {operationId: a, responses: {'204': {description: Done.}, '400': {description: Bad., x-error-codes: [bad], content: \
         {application/json: {schema: {$ref: '#/components/schemas/Error'}}}}}}}}\ncomponents: {schemas: {Error: {type: object, required: [code, message], \
         properties: {message: {type: string}, code: {type: string, x-extensible-enum: [bad, broken], x-error-catalogue: {bad: {status: 400, cause: A., \
         cure: B.}, broken: {status: 500, cause: A., cure: B.}}}}}}}"),
    // The client.
    rule("client-name-clash", "Two schemas, methods, setters or fields of the client would have the same name in Rust.",
        "Rename one of the two, so that they differ in more than case and punctuation.",
        Operation, "operationId: a, parameters: [{name: q-a, in: query, schema: {type: string}}, {name: q_a, in: query, schema: {type: string}}]",
        "operationId: a, parameters: [{name: q-a, in: query, schema: {type: string}}, {name: q-b, in: query, schema: {type: string}}]"),
    rule("client-name-reserved", "The client needs the name of a schema, an operation or a parameter for something else.",
        "Give it another name.",
        Document, "components: {schemas: {Option: {type: object, properties: {a: {type: string}}}}}",
        "components: {schemas: {Choice: {type: object, properties: {a: {type: string}}}}}"),
    rule("client-cookie", "The client cannot send a cookie.",
        "Send the value in a header or in the query.",
        Operation, "operationId: a, parameters: [{name: s, in: cookie, schema: {type: string}}]",
        "operationId: a, parameters: [{name: s, in: query, schema: {type: string}}]"),
    rule("client-header", "The client sets a header itself, or cannot send a header of that name.",
        "Leave the header to `security` and `content`, or use letters, digits and `-` in its name.",
        Operation, "operationId: a, parameters: [{name: Authorization, in: header, schema: {type: string}}]",
        "operationId: a, parameters: [{name: X-Reason, in: header, schema: {type: string}}]"),
    rule("client-path", "The path of an operation has no place for a parameter.",
        "Write the name in braces into the path. The linter reports this first, as `path-parameter`.",
        Words, "a parameter `id` of the path `/things`", "a parameter `id` of the path `/things/{id}`"),
    rule("client-style", "The client cannot write a parameter in its `style`, or an object, or an array in a path.",
        "Leave `style` out, and use a string, a number or a boolean.",
        Operation, "operationId: a, parameters: [{name: q, in: query, style: spaceDelimited, schema: {type: array, items: {type: string}}}]",
        "operationId: a, parameters: [{name: q, in: query, schema: {type: array, items: {type: string}}}]"),
    rule("client-parameter-content", "A parameter has `content` instead of a `schema`.",
        "Give the parameter a `schema`.",
        Operation, "operationId: a, parameters: [{name: q, in: query, content: {application/json: {schema: {type: string}}}}]",
        "operationId: a, parameters: [{name: q, in: query, schema: {type: string}}]"),
    rule("client-deprecated-variant", "A property of an alternative without a name is deprecated, of which the client cannot warn.",
        "Move the alternative to `components.schemas` under a name of its own.",
        Schema, "{oneOf: [{type: object, properties: {a: {type: string, deprecated: true}}}, {type: string}]}",
        "{oneOf: [{type: object, properties: {a: {type: string}}}, {type: string}]}"),
    rule("client-request-media-types", "The client can send none of the media types of a request body.",
        "Use `application/json`, `application/x-www-form-urlencoded`, `application/octet-stream` or `text/plain`.",
        Paths, "/a: {post: {operationId: a, requestBody: {required: true, content: {multipart/form-data: {schema: {type: object}}}}, responses: {'204': \
                {description: Done.}}}}",
        "/a: {post: {operationId: a, requestBody: {required: true, content: {application/octet-stream: {schema: {type: string, format: binary}}}}, \
         responses: {'204': {description: Done.}}}}"),
    rule("client-encoding", "A request body has `encoding`, which the client ignores.",
        "Remove it.",
        Paths, "/a: {post: {operationId: a, requestBody: {required: true, content: {application/x-www-form-urlencoded: {schema: {type: object, properties: \
                {b: {type: string}}}, encoding: {b: {style: form}}}}}, responses: {'204': {description: Done.}}}}",
        "/a: {post: {operationId: a, requestBody: {required: true, content: {application/x-www-form-urlencoded: {schema: {type: object, properties: \
         {b: {type: string}}}}}}, responses: {'204': {description: Done.}}}}"),
    rule("client-websocket", "An operation opens a websocket, which the client cannot do.",
        "Serve the channel outside of this document.",
        Operation, "operationId: a, x-dropshot-websocket: {}, responses: {'101': {description: A.}}", "operationId: a"),
    rule("client-unsupported", "progenitor, which writes the client, has no type for a part of the document.",
        "Write the part with plainer schemas, each with a name of its own in `components.schemas`.",
        Words, "a schema for which progenitor reports an error", "the same with plainer schemas"),
    // Faults of the generator.
    rule("client-shape", "The code that progenitor made is not in the form that the generator of the client knows.",
        "Use the version of progenitor that `Cargo.lock` of the toolkit names, and report the document.",
        Words, "another version of progenitor", "the version of `Cargo.lock`"),
    rule("generator-fault", "The generator wrote text that is not Rust.",
        "This is a fault of the generator, or of a name in its options: report the document.",
        Words, "`crate = \"shop models\"`", "`crate = \"shop_models\"`"),
];
