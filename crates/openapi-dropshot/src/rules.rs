//! The rules of the generator: the constructs that it rejects, and the constructs about which it warns. Each rule is declared
//! once, with its meaning, its remedy and examples, and is reported by reference to its declaration.

// Rules of the linter that the generator also reports.
pub(crate) use openapi_dropshot_contract::rules::document::{
    INVALID_DEFAULT, MISSING_OPERATION_ID,
};

openapi_dropshot_contract::rules! {
    // Schemas.
    MISSING_TYPE Error General "missing-type" "No part of `allOf` has a `type`, so values of every type are valid."
        "Write `type: object` beside `allOf` or in one of its parts."
        Schema "{allOf: [{description: A thing.}, {description: A small one.}]}"
            "{type: object, allOf: [{description: A thing.}, {description: A small one.}]}";
    MEANINGLESS_KEYWORD Error General "meaningless-keyword" "A keyword is at a place where it has no effect, such as beside alternatives."
        "Remove the keyword, or move it to a schema with the type to which it applies."
        Schema "{oneOf: [{type: string}, {type: integer}], minimum: 1}"
            "{oneOf: [{type: string}, {type: integer, minimum: 1}]}";
    MEANINGLESS_DEFAULT Error General "meaningless-default" "A schema has a default although its value cannot be absent, and the generator could not remove the default."
        "Remove `default`, or move it to the property or parameter that may be absent."
        Words "a default of the elements of an array, in a document that takes too many steps to simplify"
            "a default of a property that is not required";
    UNSUPPORTED_SCHEMA Error General "unsupported-schema" "No Rust type has the same meaning as the schema."
        "Write the schema in the form that the message describes."
        Schema "{type: string, not: {type: integer}}"
            "{type: string}";
    UNSUPPORTED_ENUM Error General "unsupported-enum" "The values of `enum` are not all strings, integers, numbers or booleans of the type."
        "Write an `enum` of strings with `type: string`, of integers with `type: integer`, and so on."
        Schema "{enum: [a, 1.5]}"
            "{type: integer, enum: [1]}";
    ENUM_NULL Error General "enum-null" "`enum` lists `null`, but the schema is not nullable."
        "Add `nullable: true`, or remove `null` from `enum`."
        Schema "{type: string, enum: [a, null]}"
            "{type: string, nullable: true, enum: [a, null]}";
    ENUM_OUTSIDE_TYPE Error General "enum-outside-type" "A value of `enum` does not fit the `format` of the integer."
        "Remove the value, or write another `format`."
        Schema "{type: integer, format: int8, enum: [1, 200]}"
            "{type: integer, format: int16, enum: [1, 200]}";
    EMPTY_RANGE Error General "empty-range" "No value is valid for the bounds, the format and `multipleOf` of an integer."
        "Correct the bounds."
        Schema "{type: integer, format: uint8, minimum: 256}"
            "{type: integer, format: uint16, minimum: 256}";
    UNSUPPORTED_MULTIPLE_OF Error General "unsupported-multiple-of" "`multipleOf` of an integer is a fraction."
        "Write an integer, or `type: number`."
        Schema "{type: integer, multipleOf: 0.5}"
            "{type: number, multipleOf: 0.5}";
    REQUIRED_WITHOUT_PROPERTY Error General "required-without-property" "`required` names a member that has no schema, and the generator could not add a schema that allows any value."
        "Add it to `properties`, or remove it from `required`."
        Words "`required: [b]` without a property `b`, in a document that takes too many steps to simplify"
            "`required: [b]` with a property `b`";
    UNSUPPORTED_ALL_OF Error General "unsupported-all-of" "A part of `allOf` is not an object, or has `additionalProperties` that also apply to the properties of the other parts."
        "Combine all parts in one schema."
        Schema "{allOf: [{type: object, properties: {a: {type: string}}}, {type: string}]}"
            "{allOf: [{type: object, properties: {a: {type: string}}}, {type: object, properties: {b: {type: string}}}]}";
    ALL_OF_CONFLICT Error General "all-of-conflict" "Two parts of `allOf` define a member differently."
        "Define the member in only one part."
        Schema "{allOf: [{type: object, properties: {a: {type: string}}}, {type: object, properties: {a: {type: integer}}}]}"
            "{allOf: [{type: object, properties: {a: {type: string}}}, {type: object, properties: {b: {type: integer}}}]}";
    UNSUPPORTED_DISCRIMINATOR Error General "unsupported-discriminator" "`mapping` of a `discriminator` names a component that is not one of the alternatives, or two alternatives have the \
                                       same value."
        "List the component among the alternatives, or remove it from `mapping`; give each alternative its own value."
        Document "components: {schemas: {A: {oneOf: [{$ref: '#/components/schemas/B'}], discriminator: {propertyName: kind, mapping: {c: \
                   '#/components/schemas/C'}}}, B: {type: object, required: [kind], properties: {kind: {type: string}}}, C: {type: object, required: [kind], \
                   properties: {kind: {type: string}}}}}"
            "components: {schemas: {A: {oneOf: [{$ref: '#/components/schemas/B'}], discriminator: {propertyName: kind, mapping: {b: \
         '#/components/schemas/B'}}}, B: {type: object, required: [kind], properties: {kind: {type: string}}}}}";
    TOO_DEEP Error General "too-deep" "Schemas are nested more than 64 levels deep."
        "Give the inner parts names in `components.schemas`, and refer to them."
        Words "an array of arrays, 70 levels deep"
            "an array of arrays, 10 levels deep";

    // Operations.
    UNSUPPORTED_METHOD Error General "unsupported-method" "An operation has the method TRACE or CONNECT, which are meant for proxies."
        "Use another method."
        Paths "/a: {trace: {operationId: a, responses: {'204': {description: Done.}}}}"
            "/a: {get: {operationId: a, responses: {'204': {description: Done.}}}}";
    UNSUPPORTED_PATH Error General "unsupported-path" "A path has a segment that requests cannot contain, has several variables in one segment, cannot be distinguished from another path, or is used by the service for one of its own pages."
        "Write the path in the form that the message describes."
        Paths "/a//b: {get: {operationId: a, responses: {'204': {description: Done.}}}}"
            "/a/b: {get: {operationId: a, responses: {'204': {description: Done.}}}}";
    UNSUPPORTED_REPLACEMENT Error General "unsupported-replacement" "The address of the replacement of an operation cannot be derived from a request, because the path of the replacement has other variables."
        "Name a replacement without variables, or with variables at the same places of the path."
        Paths "/a: {get: {operationId: a, deprecated: true, x-deprecated-since: 2026-01-01, x-sunset: 2030-01-01, x-replacement: {operation: b, note: use it}, \
                responses: {'204': {description: Done.}}}}, '/b/{id}': {get: {operationId: b, parameters: [{name: id, in: path, required: true, \
                schema: {type: string}}], responses: {'204': {description: Done.}}}}"
            "/a: {get: {operationId: a, deprecated: true, x-deprecated-since: 2026-01-01, x-sunset: 2030-01-01, x-replacement: {operation: b, note: use it}, \
         responses: {'204': {description: Done.}}}}, /b: {get: {operationId: b, responses: {'204': {description: Done.}}}}";
    UNSUPPORTED_SECURITY Error General "unsupported-security" "An operation requires a security scheme that the server cannot enforce."
        "Use `http` with `bearer` or `basic`, `apiKey`, `oauth2` or `openIdConnect`."
        Document "security: [{key: []}]\ncomponents: {securitySchemes: {key: {type: http, scheme: digest}}}\n\
            paths: {/a: {get: {operationId: a, responses: {'204': {description: Done.}}}}}"
            "security: [{key: []}]\ncomponents: {securitySchemes: {key: {type: http, scheme: basic}}}\n\
            paths: {/a: {get: {operationId: a, responses: {'204': {description: Done.}}}}}";
    UNSUPPORTED_WEBSOCKET Error General "unsupported-websocket" "An operation opens a websocket (it has `x-dropshot-websocket`, or is a GET whose only response that is not an error is `101`), but does not have the form of a dropshot channel."
        "Use GET without a body, and the response `101`."
        Operation "operationId: a, x-dropshot-websocket: {}"
            "operationId: a";
    UNSUPPORTED_PAGINATION Error General "unsupported-pagination" "An operation has `x-dropshot-pagination` but no query parameters, or the extension has a value that dropshot does not support."
        "Add the query parameters of the pages, or remove the extension."
        Operation "operationId: a, x-dropshot-pagination: {required: []}"
            "operationId: a";
    UNSUPPORTED_STATUS Error General "unsupported-status" "A response has an interim status (1XX), which dropshot does not send. This is only a warning if the operation has other responses, because a server does not have to send an interim response."
        "Remove it."
        Operation "operationId: a, responses: {'103': {description: A.}}"
            "operationId: a, responses: {'204': {description: A.}}";
    UNSUPPORTED_BODY Error General "unsupported-body" "A HEAD request or a request that opens a websocket has a body; or `x-streamed` is not `true` or `false`, or is `true` for a body that is JSON or a form."
        "Remove the `requestBody`, or use another method; or remove `x-streamed`."
        Paths "/a: {head: {operationId: a, requestBody: {content: {application/json: {schema: {}}}}, responses: {'204': {description: A.}}}}"
            "/a: {put: {operationId: a, requestBody: {content: {application/json: {schema: {}}}}, responses: {'204': {description: A.}}}}";
    UNSUPPORTED_FORM Error General "unsupported-form" "A form is not an object, or has `additionalProperties` that are not strings. This is only a warning if a property, such as an array or an object, cannot be sent as one string, or if the schema of a streamed `multipart/form-data` has keywords other than `properties`, `required` and `additionalProperties: false`: the handler reads such a form itself."
        "Write an object with `properties` that are strings, numbers, booleans or enumerations. If there are `additionalProperties`, they must be strings."
        Paths "/a: {post: {operationId: a, requestBody: {required: true, content: {application/x-www-form-urlencoded: {schema: {type: array, items: \
                {type: string}}}}}, responses: {'204': {description: Done.}}}}"
            "/a: {post: {operationId: a, requestBody: {required: true, content: {application/x-www-form-urlencoded: {schema: {type: object, properties: \
         {b: {type: string}}}}}}, responses: {'204': {description: Done.}}}}";
    UNSUPPORTED_MEDIA_TYPE Error General "unsupported-media-type" "An error with a code has a body that is not JSON."
        "Use `application/json`, or remove the codes."
        Document "paths: {/a: {get: {operationId: a, responses: {'204': {description: Done.}, '400': {description: Bad., x-error-codes: [bad], content: \
                   {text/plain: {schema: {$ref: '#/components/schemas/Error'}}}}}}}}\ncomponents: {schemas: {Error: {type: object, required: [code, message], \
                   properties: {message: {type: string}, code: {type: string, x-extensible-enum: [bad, broken], x-error-catalogue: {bad: {status: 400, \
                   cause: A., cure: B.}, broken: {status: 500, cause: A., cure: B.}}}}}}}"
            "paths: {/a: {get: {operationId: a, responses: {'204': {description: Done.}, '400': {description: Bad., x-error-codes: [bad], content: \
         {application/json: {schema: {$ref: '#/components/schemas/Error'}}}}}}}}\ncomponents: {schemas: {Error: {type: object, required: [code, message], \
         properties: {message: {type: string}, code: {type: string, x-extensible-enum: [bad, broken], x-error-catalogue: {bad: {status: 400, cause: A., \
         cure: B.}, broken: {status: 500, cause: A., cure: B.}}}}}}}";
    MISSING_SCHEMA Error General "missing-schema" "A form or a header has no schema."
        "Add a `schema`. For a form, the schema is an object with a property for each field."
        Paths "/a: {post: {operationId: a, requestBody: {required: true, content: {application/x-www-form-urlencoded: {}}}, responses: {'204': \
                {description: Done.}}}}"
            "/a: {post: {operationId: a, requestBody: {required: true, content: {application/x-www-form-urlencoded: {schema: {type: object, properties: \
         {b: {type: string}}}}}}, responses: {'204': {description: Done.}}}}";
    UNSUPPORTED_PARAMETER Error General "unsupported-parameter" "A parameter cannot be written as one string: a value of any type, an object (in a query, an object without `properties`), an array of these, \
                                  a `content` that is not JSON, or another `style`. A cookie that is an array needs `explode: false`. The rule also rejects a query parameter with the name of a path parameter."
        "Use a string, a number, a boolean, an enumeration or an array of these."
        Operation "operationId: a, parameters: [{name: q, in: query, schema: {type: object}}]"
            "operationId: a, parameters: [{name: q, in: query, schema: {type: string}}]";
    UNSUPPORTED_ALLOW_RESERVED Error General "unsupported-allow-reserved" "A parameter has `allowReserved: true`, but the client encodes reserved characters."
        "Remove `allowReserved`."
        Operation "operationId: a, parameters: [{name: q, in: query, allowReserved: true, schema: {type: string}}]"
            "operationId: a, parameters: [{name: q, in: query, schema: {type: string}}]";
    HEADER_NAME Error General "header-name" "The name of a header or a cookie is not a token (RFC 9110, section 5.6.2)."
        "Use letters, digits and hyphens."
        Operation "operationId: a, parameters: [{name: 'a b', in: header, schema: {type: string}}]"
            "operationId: a, parameters: [{name: a-b, in: header, schema: {type: string}}]";

    // Errors.
    INCOMPLETE_CATALOGUE Error General "incomplete-catalogue" "The catalogue of error codes lacks a code for the status 400 or 500, which every service sends."
        "Add a code with that status."
        Document "components: {schemas: {Error: {type: object, required: [code, message], properties: {message: {type: string}, code: {type: string, \
                   x-extensible-enum: [bad], x-error-catalogue: {bad: {status: 400, cause: A., cure: B.}}}}}}}"
            "components: {schemas: {Error: {type: object, required: [code, message], properties: {message: {type: string}, code: {type: string, \
         x-extensible-enum: [bad, broken], x-error-catalogue: {bad: {status: 400, cause: A., cure: B.}, broken: {status: 500, cause: A., cure: B.}}}}}}}";
    UNSUPPORTED_ERROR_BODY Error General "unsupported-error-body" "A response with error codes, or the schema with the catalogue, cannot be the body of an error."
        "Give the schema the required members `code` and `message`, and refer to it from the response."
        Document "components: {schemas: {Error: {type: object, required: [code], properties: {message: {type: string}, code: {type: string, \
                   x-extensible-enum: [bad, broken], x-error-catalogue: {bad: {status: 400, cause: A., cure: B.}, broken: {status: 500, cause: A., cure: B.}}}}}}}"
            "components: {schemas: {Error: {type: object, required: [code, message], properties: {message: {type: string}, code: {type: string, \
         x-extensible-enum: [bad, broken], x-error-catalogue: {bad: {status: 400, cause: A., cure: B.}, broken: {status: 500, cause: A., cure: B.}}}}}}}";
    MISSING_ERROR_CODES Error General "missing-error-codes" "An error response of a document with a catalogue lists no error codes."
        "List the codes with `x-error-codes`."
        Document "paths: {/a: {get: {operationId: a, responses: {'204': {description: Done.}, '400': {description: Bad., content: {application/json: {schema: \
                   {$ref: '#/components/schemas/Error'}}}}}}}}\ncomponents: {schemas: {Error: {type: object, required: [code, message], properties: {message: \
                   {type: string}, code: {type: string, x-extensible-enum: [bad, broken], x-error-catalogue: {bad: {status: 400, cause: A., cure: B.}, \
                   broken: {status: 500, cause: A., cure: B.}}}}}}}"
            "paths: {/a: {get: {operationId: a, responses: {'204': {description: Done.}, '400': {description: Bad., x-error-codes: [bad], content: \
         {application/json: {schema: {$ref: '#/components/schemas/Error'}}}}}}}}\ncomponents: {schemas: {Error: {type: object, required: [code, message], \
         properties: {message: {type: string}, code: {type: string, x-extensible-enum: [bad, broken], x-error-catalogue: {bad: {status: 400, cause: A., \
         cure: B.}, broken: {status: 500, cause: A., cure: B.}}}}}}}";

    // The client.
    CLIENT_NAME_CLASH Error General "client-name-clash" "Two schemas, methods or setters of the client would have the same name in Rust."
        "Rename one of the two, so that they differ in more than case and punctuation."
        Operation "operationId: a, parameters: [{name: q-a, in: query, schema: {type: string}}, {name: q_a, in: query, schema: {type: string}}]"
            "operationId: a, parameters: [{name: q-a, in: query, schema: {type: string}}, {name: q-b, in: query, schema: {type: string}}]";
    CLIENT_NAME_RESERVED Error General "client-name-reserved" "An operation or a parameter has a name that the client uses for another purpose."
        "Give it another name."
        Operation "operationId: execute"
            "operationId: a";
    CLIENT_HEADER Error General "client-header" "The client cannot send a header with this name."
        "Use letters, digits and `-` in its name."
        Operation "operationId: a, parameters: [{name: X Reason, in: header, schema: {type: string}}]"
            "operationId: a, parameters: [{name: X-Reason, in: header, schema: {type: string}}]";
    CLIENT_PATH Error General "client-path" "The path of an operation does not contain one of its path parameters."
        "Add the name of the parameter in braces to the path. The linter reports this first, as `path-parameter`."
        Words "a parameter `id` of the path `/things`"
            "a parameter `id` of the path `/things/{id}`";
    CLIENT_STYLE Error General "client-style" "The client cannot write a parameter in its `style`, or an object, or an array in a path."
        "Leave `style` out, and use a string, a number or a boolean."
        Paths "'/a/{q}': {get: {operationId: a, parameters: [{name: q, in: path, required: true, style: label, schema: {type: string}}], responses: \
                {'204': {description: Done.}}}}"
            "'/a/{q}': {get: {operationId: a, parameters: [{name: q, in: path, required: true, schema: {type: string}}], responses: \
         {'204': {description: Done.}}}}";
    CLIENT_PARAMETER_CONTENT Error General "client-parameter-content" "A parameter has a `content` that is not JSON."
        "Give the parameter a `schema`, or a `content` of `application/json`."
        Operation "operationId: a, parameters: [{name: q, in: query, content: {text/plain: {schema: {type: string}}}}]"
            "operationId: a, parameters: [{name: q, in: query, schema: {type: string}}]";
    CLIENT_DEPRECATED_VARIANT Error General "client-deprecated-variant" "A property of an alternative without a name is deprecated, but the client cannot warn about it."
        "Give the alternative its own name in `components.schemas`."
        Schema "{oneOf: [{type: object, properties: {a: {type: string, deprecated: true}}}, {type: string}]}"
            "{oneOf: [{type: object, properties: {a: {type: string}}}, {type: string}]}";
    CLIENT_REQUEST_MEDIA_TYPES Error General "client-request-media-types" "The client cannot send any of the media types of a request body."
        "Use `application/json`, `application/x-www-form-urlencoded`, `multipart/form-data`, `application/octet-stream` or `text/plain`."
        Paths "/a: {post: {operationId: a, requestBody: {required: true, content: {multipart/mixed: {schema: {type: object}}}}, responses: {'204': \
                {description: Done.}}}}"
            "/a: {post: {operationId: a, requestBody: {required: true, content: {application/octet-stream: {schema: {type: string, format: binary}}}}, \
         responses: {'204': {description: Done.}}}}";
    CLIENT_ENCODING Error General "client-encoding" "A form has an `encoding` that the client ignores."
        "Remove it."
        Paths "/a: {post: {operationId: a, requestBody: {required: true, content: {application/x-www-form-urlencoded: {schema: {type: object, properties: \
                {b: {type: string}}}, encoding: {b: {style: form}}}}}, responses: {'204': {description: Done.}}}}"
            "/a: {post: {operationId: a, requestBody: {required: true, content: {application/x-www-form-urlencoded: {schema: {type: object, properties: \
         {b: {type: string}}}}}}, responses: {'204': {description: Done.}}}}";
    CLIENT_WEBSOCKET Error General "client-websocket" "An operation opens a websocket, which the client does not support."
        "Describe the websocket in a separate document, without a client."
        Operation "operationId: a, x-dropshot-websocket: {}, responses: {'101': {description: A.}}"
            "operationId: a";
    CLIENT_UNSUPPORTED Error General "client-unsupported" "progenitor, which generates the client, has no type for a part of the document."
        "Write the part with simpler schemas, each with its own name in `components.schemas`."
        Words "a schema for which progenitor reports an error"
            "the same with simpler schemas";

    // Bugs of the generator.
    CLIENT_SHAPE Error General "client-shape" "The client generator does not recognise the code that progenitor generated."
        "Use the version of progenitor in the `Cargo.lock` of the toolkit, and report the document."
        Words "another version of progenitor"
            "the version of `Cargo.lock`"
        configuration "The rule cannot be switched off.";
    GENERATOR_FAULT Error General "generator-fault" "The generator wrote text that is not Rust."
        "This is a bug in the generator, or caused by a name in its options: report the document."
        Words "`crate = \"shop models\"`"
            "`crate = \"shop_models\"`"
        configuration "The rule cannot be switched off.";

    // Warnings.
    UNSENT_MEDIA_TYPE Warning General "unsent-media-type" "A response has several media types, but the service sends only one of them: JSON; without JSON, a stream; otherwise the first one."
        "Remove the other media types, or declare an operation for each."
        Words "a response `200` with the media types `application/json` and `application/xml`"
            "a response `200` with the media type `application/json`"
        configuration "In `openapi-dropshot.toml`, `level` is `off`, `warn` or `error`:\n\n\
                       ```toml\n[document.rules]\nunsent-media-type = { level = \"off\", reason = \"Why this document is an exception.\" }\n```\n";
    UNFILLED_ERROR_BODY Warning General "unfilled-error-body" "The server itself sends some errors, such as 400 for an invalid parameter, but the document describes a body for this status \
                                                              that the server cannot write, because the body requires a member whose value only a handler knows. The server sends the other members."
        "Require only members that the server can set: strings for a message, a code (`code`, `error`, `error_code`, `errorCode` or `type`) \
         and the id of the request (`request_id` or `requestId`), and a number for the status (`status`, `status_code` or `statusCode`). \
         Make other members optional. Alternatively, implement `State::error_body` in the service, which can give these errors any body that the document \
         allows, and switch the rule off."
        Words "a response `400` whose body has the members `message` and `details`, both required"
            "a response `400` whose body has the members `message` and `details`, with `message` alone required"
        configuration "In `openapi-dropshot.toml`, `level` is `off`, `warn` or `error`:\n\n\
                       ```toml\n[document.rules]\nunfilled-error-body = { level = \"off\", reason = \"Why this document is an exception.\" }\n```\n";
}
