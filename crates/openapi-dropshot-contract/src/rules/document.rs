//! The rules for one document, in the order in which they are checked: syntax, structure, and the
//! rules of `lint`.

crate::rules! {
    // Syntax.
    SYNTAX Error General "syntax" "The text is not valid YAML or JSON."
        "Check the indentation, and quote texts that contain `: ` or ` #` or begin with a special character."
        Document "x-a: [1, 2" "x-a: [1, 2]";
    DUPLICATE_MEMBER Error General "duplicate-member" "An object has two members of the same name."
        "Remove or rename one of them."
        Schema "{type: string, type: integer}" "{type: string}";
    NESTING_TOO_DEEP Error General "nesting-too-deep" "Objects and arrays are nested more than 128 levels deep."
        "Give inner schemas a name under `components.schemas` and refer to them."
        Words "an array in an array, 129 levels deep" "the same, 100 levels deep";
    NAME_TOO_LONG Error General "name-too-long" "The names that lead to a value are longer than 2048 bytes together."
        "Use shorter names, or nest less deeply."
        Words "a name of 3000 characters" "a name of 30 characters";
    SEVERAL_DOCUMENTS Error General "several-documents" "The text contains a second YAML document."
        "Keep one document in each file."
        Document "x-a: 1\n---\nx-b: 2" "x-a: 1\nx-b: 2";
    NUMBER Error General "number" "A number cannot be written in JSON: it is infinite, not a number, or too large."
        "Quote it if a string is meant."
        Document "x-a: .nan" "x-a: '.nan'";
    MERGE_KEY Error General "merge-key" "A member is named `<<`, which is not part of YAML 1.2."
        "Write the members out, or use `allOf` with `$ref`."
        Document "x-a: &a {b: 1}\nx-c: {<<: *a}" "x-a: {b: 1}\nx-c: {b: 1}";
    ALIAS Error General "alias" "An alias is inside the value that it names, or aliases expand to more than 100,000 values."
        "Use `$ref` to a component instead."
        Document "x-a: &a [*a]" "x-a: &a [1]\nx-b: *a";
    COMPLEX_KEY Error General "complex-key" "The name of a member is an object, an array or an alias."
        "Quote a name that begins with `{`, `[` or `*`."
        Document "x-a: {? [b] : 1}" "x-a: {'[b]': 1}";
    YAML_TAG Error General "yaml-tag" "A value has a YAML tag that has no meaning in a document."
        "Remove the tag."
        Document "x-a: !thing 5" "x-a: 5";

    // Structure.
    OPENAPI_VERSION Error General "openapi-version" "The text is not a document of OpenAPI 3.0, 3.1 or 3.2."
        "Begin the document with its version, such as `openapi: 3.1.1`."
        Text "openapi: 2.9.0\ninfo: {title: T, version: 1.0.0}\npaths: {}" "openapi: 3.0.3\ninfo: {title: T, version: 1.0.0}\npaths: {}";
    DIALECT Error General "dialect" "`jsonSchemaDialect` names a dialect of JSON Schema that is not the dialect of OpenAPI 3.1."
        "Remove `jsonSchemaDialect`, and write schemas of JSON Schema 2020-12."
        Text "openapi: 3.1.1\ninfo: {title: T, version: 1.0.0}\njsonSchemaDialect: 'https://example.com/own'\npaths: {}"
            "openapi: 3.1.1\ninfo: {title: T, version: 1.0.0}\npaths: {}";
    WEBHOOKS Warning General "webhooks" "A document has `webhooks`. A generated client contains types for their bodies; no other code is generated for webhooks."
        "Write the code that sends these requests yourself."
        Text "openapi: 3.1.1\ninfo: {title: T, version: 1.0.0}\npaths: {}\nwebhooks: {sold: {}}"
            "openapi: 3.1.1\ninfo: {title: T, version: 1.0.0}\npaths: {}";
    KEYWORD_OF_OLDER_VERSION Warning General "keyword-of-older-version" "A schema of OpenAPI 3.1 has `nullable`, which is a keyword of OpenAPI 3.0."
        "Add `null` to the list of types, such as `type: [string, 'null']`, or remove `nullable`."
        Text "openapi: 3.1.1\ninfo: {title: T, version: 1.0.0}\npaths: {}\ncomponents: {schemas: {A: {type: string, nullable: true}}}"
            "openapi: 3.1.1\ninfo: {title: T, version: 1.0.0}\npaths: {}\ncomponents: {schemas: {A: {type: [string, 'null']}}}";
    ITEM_SCHEMA Warning General "item-schema" "`itemSchema`, or `x-item-schema` in OpenAPI 3.0 and 3.1, describes the items of a stream: of `text/event-stream`, `application/jsonl`, `application/x-ndjson`, `application/json-seq` or a media type that ends in `+json-seq`. For any other media type, no code is generated from it."
        "Write `schema`, or use one of these media types. The items of `text/event-stream` are events: describe an event as an object whose member `data` has `contentMediaType: application/json` and a `contentSchema`; `x-item-schema` is the schema of the data itself."
        Operation "responses: {'200': {description: Here., content: {application/json: {x-item-schema: {}}}}}"
            "responses: {'200': {description: Here., content: {application/jsonl: {x-item-schema: {}}}}}";
    TAG_PARENT Error General "tag-parent" "`parent` of a tag names a tag that is not declared, or the parents form a cycle."
        "Write the name of another tag of the document."
        Text "openapi: 3.2.0\ninfo: {title: T, version: 1.0.0}\ntags: [{name: a, parent: b}]\npaths: {}"
            "openapi: 3.2.0\ninfo: {title: T, version: 1.0.0}\ntags: [{name: a, parent: b}, {name: b}]\npaths: {}";
    WRONG_TYPE Error General "wrong-type" "The value of a member has the wrong type. This is only a warning for `title`, `summary`, `description` and `version`, because a number or `null` there does not change the meaning of the document."
        "Write a value of the type that the message names."
        Schema "{type: string, minLength: '1'}" "{type: string, minLength: 1}";
    UNKNOWN_MEMBER Error General "unknown-member" "An object has a member that OpenAPI does not define for it. This is an error if the name is similar to the name of a known member, or is a keyword that restricts values in another version of OpenAPI; any other unknown member is ignored, with a warning."
        "Correct the name, remove the member, or begin its name with `x-` if it is an extension."
        Operation "sumary: List things" "summary: List things";
    MISSING_MEMBER Error General "missing-member" "An object lacks a member that it must have. This is only a warning for members that do not affect the meaning of the document: the description of a response, the name of a license and the address of external documentation."
        "Add the member."
        Operation "parameters: [{name: q, in: query}]" "parameters: [{name: q, in: query, schema: {type: string}}]";
    EXCLUSIVE_MEMBERS Error General "exclusive-members" "An object has two members that exclude each other."
        "Keep one of them."
        Operation "parameters: [{name: q, in: query, schema: {type: string}, example: a, examples: {}}]"
            "parameters: [{name: q, in: query, schema: {type: string}, example: a}]";
    ERROR_CATALOGUE Error General "error-catalogue" "There are two catalogues of error codes, or `x-extensible-enum` and the `x-error-catalogue` of the same schema differ."
        "Keep one catalogue, and list the same codes in both members."
        Schema "{type: object, required: [code, message], properties: {message: {type: string}, code: {type: string, x-extensible-enum: [bad], x-error-catalogue: {bad: {status: 400, cause: A., cure: B.}, broken: {status: 500, cause: A., cure: B.}}}}}"
            "{type: object, required: [code, message], properties: {message: {type: string}, code: {type: string, x-extensible-enum: [bad, broken], x-error-catalogue: {bad: {status: 400, cause: A., cure: B.}, broken: {status: 500, cause: A., cure: B.}}}}}";
    DATE Error General "date" "A date in an extension is not a day that exists."
        "Write it as `YYYY-MM-DD`."
        Paths "/a: {get: {operationId: a, deprecated: true, x-deprecated-since: 2029-01-01, x-sunset: 2030-02-30, x-replacement: {operation: b, note: use it}, responses: {'204': {description: Done.}}}, put: {operationId: b, responses: {'204': {description: Done.}}}}"
            "/a: {get: {operationId: a, deprecated: true, x-deprecated-since: 2029-01-01, x-sunset: 2030-02-28, x-replacement: {operation: b, note: use it}, responses: {'204': {description: Done.}}}, put: {operationId: b, responses: {'204': {description: Done.}}}}";
    STABILITY_LEVEL Error General "stability-level" "`x-stability-level` is not one of the three levels."
        "Write `experimental`, `beta` or `stable`."
        Operation "x-stability-level: alpha" "x-stability-level: beta";
    SERVER_VARIABLE Error General "server-variable" "A server uses a variable that it does not define, or the default of a variable is not in its `enum`."
        "Define the variable under `variables`, with a `default` that `enum` lists."
        Document "servers: [{url: 'https://{host}/v1'}]" "servers: [{url: 'https://{host}/v1', variables: {host: {default: localhost}}}]";
    DUPLICATE_TAG Warning General "duplicate-tag" "A tag is declared twice. The first declaration counts."
        "Remove one of the declarations."
        Document "tags: [{name: a}, {name: a}]" "tags: [{name: a}, {name: b}]";
    PATH_FORM Error General "path-form" "A path does not begin with `/`, has a query or a fragment, or its braces do not match."
        "Write the path as `/things/{name}`, and describe a query by `parameters`."
        Paths "things: {}" "/things: {}";
    STATUS_CODE Error General "status-code" "The name of a response is not a status code."
        "Write a code such as `'200'`, a range such as `4XX`, or `default`."
        Operation "responses: {'2000': {description: Here.}}" "responses: {'200': {description: Here.}}";
    SERVER_PATH Warning General "server-path" "Two servers have different paths. A generated service uses the path of the first server."
        "Give all servers the same path, or write a document for each path."
        Document "servers: [{url: 'https://a.example/v1'}, {url: 'https://a.example/v2'}]"
            "servers: [{url: 'https://a.example/v1'}, {url: 'https://b.example/v1'}]";
    UNREAD_BODY Warning General "unread-body" "The body of a request may be JSON or another media type. A generated service reads only JSON, and prefers `application/json` to other JSON media types."
        "Remove the other media types, or write the code that reads them yourself."
        Paths "/a: {post: {requestBody: {content: {application/json: {schema: {}}, application/xml: {schema: {}}}}, responses: {'204': {description: Done.}}}}"
            "/a: {post: {requestBody: {content: {application/json: {schema: {}}}}, responses: {'204': {description: Done.}}}}";
    NO_RESPONSE Warning General "no-response" "An operation has no response."
        "Add one, such as `'200'`."
        Operation "responses: {}" "responses: {'200': {description: Here.}}";
    MEDIA_TYPE Error General "media-type" "A key of `content` is not a media type."
        "Write `type/subtype`, such as `application/json`."
        Operation "responses: {'200': {description: Here., content: {json: {}}}}"
            "responses: {'200': {description: Here., content: {application/json: {}}}}";
    DUPLICATE_PARAMETER Error General "duplicate-parameter" "A list of parameters contains the same parameter twice."
        "Remove one of them."
        Operation "parameters: [{name: q, in: query, schema: {type: string}}, {name: q, in: query, schema: {type: string}}]"
            "parameters: [{name: q, in: query, schema: {type: string}}]";
    PARAMETER_IN Error General "parameter-in" "`in` of a parameter is not a value that OpenAPI 3.0 knows."
        "Write `path`, `query`, `header` or `cookie`, and describe a body by `requestBody`."
        Operation "parameters: [{name: q, in: body, schema: {type: string}}]" "parameters: [{name: q, in: query, schema: {type: string}}]";
    PATH_PARAMETER_REQUIRED Error General "path-parameter-required" "A path parameter is not marked as required."
        "Add `required: true`."
        Document "components: {parameters: {P: {name: id, in: path, schema: {}}}}"
            "components: {parameters: {P: {name: id, in: path, required: true, schema: {}}}}";
    SECURITY_SCHEME Error General "security-scheme" "The type of a security scheme, or the place of an API key, is unknown."
        "Write `http`, `apiKey`, `oauth2` or `openIdConnect`, and send a key in `query`, `header` or `cookie`."
        Document "components: {securitySchemes: {key: {type: basic}}}" "components: {securitySchemes: {key: {type: http, scheme: basic}}}";
    COMPONENT_NAME Error General "component-name" "A component has a name that references cannot use."
        "Use letters, digits, `.`, `-` and `_` only."
        Document "components: {schemas: {A B: {}}}" "components: {schemas: {A_B: {}}}";
    SCHEMA_TYPE Error General "schema-type" "`type` of a schema is not a type of OpenAPI 3.0."
        "Write `string`, `integer`, `number`, `boolean`, `array` or `object`."
        Schema "{type: date}" "{type: string, format: date}";
    EMPTY_ENUM Error General "empty-enum" "`enum` is empty, so that no value is valid."
        "List the values, or remove `enum`."
        Schema "{enum: []}" "{enum: [a]}";
    EMPTY_COMPOSITION Error General "empty-composition" "`allOf`, `oneOf` or `anyOf` is empty."
        "List at least one schema, or remove the member."
        Schema "{oneOf: []}" "{oneOf: [{type: string}]}";
    DUPLICATE_REQUIRED Error General "duplicate-required" "`required` lists a name twice."
        "Remove one of them."
        Schema "{type: object, required: [a, a], properties: {a: {}}}" "{type: object, required: [a], properties: {a: {}}}";

    // References.
    REFERENCE Error General "reference" "`$ref` does not refer to a component, or refers to the wrong kind of component."
        "Write `#/components/SECTION/NAME`."
        Schema "{$ref: '#/info'}" "{type: object, properties: {next: {$ref: '#/components/schemas/A'}}}";
    EXTERNAL_REFERENCE Error General "external-reference" "`$ref` refers to a file that cannot be read, to a document on the network, or to a file outside of the folder of the document."
        "Keep the file in the folder of the document or below it, and write its path relative to the file that has the reference."
        Schema "{$ref: 'other.yaml#/A'}" "{type: object, properties: {next: {$ref: '#/components/schemas/A'}}}";
    DANGLING_REFERENCE Error General "dangling-reference" "`$ref` refers to a component that does not exist."
        "Correct the name, or define the component."
        Schema "{type: object, properties: {next: {$ref: '#/components/schemas/B'}}}" "{type: object, properties: {next: {$ref: '#/components/schemas/A'}}}";
    REFERENCE_SIBLING Warning General "reference-sibling" "A member beside `$ref` is ignored (OpenAPI 3.0.3, \"Reference Object\")."
        "Move it to the component; in a schema, wrap the reference: `allOf: [{$ref: …}]`."
        Schema "{type: object, properties: {next: {$ref: '#/components/schemas/A', nullable: true}}}"
            "{type: object, properties: {next: {nullable: true, allOf: [{$ref: '#/components/schemas/A'}]}}}";
    REFERENCE_CYCLE Error General "reference-cycle" "Components consist only of references that form a cycle."
        "Replace one of the references by the component that it stands for."
        Document "components: {parameters: {A: {$ref: '#/components/parameters/A'}}}"
            "components: {parameters: {A: {name: q, in: query, schema: {}}}}";
    TOO_MANY_REFERENCES Error General "too-many-references" "References expand to more than 2,000,000 values."
        "Split the document, or make the components smaller."
        Words "300 references to a parameter with an example of 10,000 elements" "30 references to it";
    SCHEMA_CYCLE Error General "schema-cycle" "A schema contains itself through references and compositions only, without a property or `items` between."
        "Write out one of the schemas instead of referring to it, or refer to it from a property or from `items`."
        Schema "{allOf: [{$ref: '#/components/schemas/A'}]}" "{type: object, properties: {next: {$ref: '#/components/schemas/A'}}}";
    ENDLESS_SCHEMA Error General "endless-schema" "Each value of a schema must contain another value, which must contain another one, and so on, so that every value would be infinitely deep."
        "Make one of the properties in the cycle optional or `nullable`."
        Schema "{type: object, required: [next], properties: {next: {$ref: '#/components/schemas/A'}}}"
            "{type: object, properties: {next: {$ref: '#/components/schemas/A'}}}";

    // Operations.
    EMPTY_OPERATION_ID Error General "empty-operation-id" "`operationId` is empty."
        "Write a name such as `listBooks`."
        Operation "operationId: ''" "operationId: listBooks";
    DUPLICATE_OPERATION_ID Error General "duplicate-operation-id" "Two operations have the same id."
        "Give each operation an id of its own."
        Paths "/a: {get: {operationId: list, responses: {'204': {description: Done.}}}, put: {operationId: list, responses: {'204': {description: Done.}}}}"
            "/a: {get: {operationId: list, responses: {'204': {description: Done.}}}, put: {operationId: replace, responses: {'204': {description: Done.}}}}";
    UNDECLARED_TAG Warning General "undeclared-tag" "An operation has a tag that the document does not declare."
        "List it in `tags` of the document, with a description."
        Operation "tags: [books]" "tags: []";
    MEANINGLESS_BODY Warning General "meaningless-body" "A request of `GET`, `HEAD`, `DELETE` or `TRACE` has a body (RFC 9110, section 9.3), or a response with status 204, 205 or 304 has a body. HTTP gives such a body no meaning. The body of the response is ignored."
        "Use parameters or another method, or another status."
        Operation "requestBody: {content: {application/json: {}}}" "parameters: []";
    PATH_VARIABLE Error General "path-variable" "A variable of a path has no parameter, or occurs twice."
        "Add the parameter with `in: path` and `required: true`, or give each variable its own name."
        Paths "'/things/{id}': {get: {responses: {'204': {description: Done.}}}}"
            "'/things/{id}': {get: {parameters: [{name: id, in: path, required: true, schema: {type: string}}], responses: {'204': {description: Done.}}}}";
    PATH_PARAMETER Error General "path-parameter" "A path parameter is not in the path."
        "Write it into the path, or remove the parameter."
        Operation "parameters: [{name: id, in: path, required: true, schema: {type: string}}]" "parameters: [{name: id, in: query, schema: {type: string}}]";
    AMBIGUOUS_PATHS Error General "ambiguous-paths" "Operations of two paths match the same requests. This is only a warning if their methods differ: OpenAPI does not allow such paths, but the service can distinguish them by the method."
        "Merge the two, or distinguish them by a literal segment."
        Paths "'/a/{b}': {parameters: [{name: b, in: path, required: true, schema: {type: string}}], get: {responses: {'204': {description: Done.}}}}, '/a/{c}': {parameters: [{name: c, in: path, required: true, schema: {type: string}}], get: {responses: {'204': {description: Done.}}}}"
            "'/a/{b}': {parameters: [{name: b, in: path, required: true, schema: {type: string}}], get: {responses: {'204': {description: Done.}}}}, /a/mine: {get: {responses: {'204': {description: Done.}}}}";
    PARAMETER_STYLE Error General "parameter-style" "The `style` of a parameter is not allowed for its `in`."
        "Write one of the styles that the message lists."
        Operation "parameters: [{name: q, in: query, schema: {type: string}, style: matrix}]" "parameters: [{name: q, in: query, schema: {type: string}, style: form}]";
    RESERVED_HEADER Warning General "reserved-header" "A header parameter is named `Accept`, `Content-Type` or `Authorization`, which OpenAPI ignores."
        "Describe the header by `content` or by a security scheme instead."
        Operation "parameters: [{name: Accept, in: header, schema: {}}]" "parameters: [{name: X-Accept, in: header, schema: {}}]";
    ALLOW_EMPTY_VALUE Warning General "allow-empty-value" "`allowEmptyValue` has no effect on a parameter that is not in the query."
        "Remove it."
        Operation "parameters: [{name: X-A, in: header, schema: {}, allowEmptyValue: true}]"
            "parameters: [{name: q, in: query, schema: {}, allowEmptyValue: true}]";
    UNKNOWN_SECURITY_SCHEME Error General "unknown-security-scheme" "A security requirement names a scheme that does not exist."
        "Correct the name, or define the scheme under `components.securitySchemes`."
        Document "security: [{key: []}]" "security: [{key: []}]\ncomponents: {securitySchemes: {key: {type: http, scheme: bearer}}}";
    SECURITY_SCOPE Warning General "security-scope" "A security requirement names a scope that its scheme does not define."
        "List the scope in one of the flows of the scheme; write `[]` for a scheme without scopes."
        Document "security: [{key: [read]}]\ncomponents: {securitySchemes: {key: {type: http, scheme: bearer}}}"
            "security: [{key: []}]\ncomponents: {securitySchemes: {key: {type: http, scheme: bearer}}}";

    // Schemas.
    CROSSED_BOUNDS Error General "crossed-bounds" "A lower bound is above the upper one, so that no value is valid."
        "Swap or correct the bounds."
        Schema "{type: integer, minimum: 5, maximum: 4}" "{type: integer, minimum: 4, maximum: 5}";
    DUPLICATE_ENUM_VALUE Warning General "duplicate-enum-value" "`enum` lists a value twice. The second one is ignored."
        "Remove one of them."
        Schema "{enum: [a, a]}" "{enum: [a, b]}";
    MISSING_ITEMS Error General "missing-items" "An array does not describe its elements."
        "Add `items`; `items: {}` allows anything."
        Schema "{type: array}" "{type: array, items: {}}";
    PATTERN Error General "pattern" "`pattern` is not a regular expression."
        "Write it in the syntax of ECMA-262, without slashes around it."
        Schema "{type: string, pattern: '(a'}" "{type: string, pattern: '(a)'}";
    ASSUMED_TYPE Warning General "assumed-type" "A schema has keywords that apply to one type, but no `type`. Strictly read, it allows all values of other types; the toolkit assumes that only the type of the keywords is meant."
        "Write the `type`."
        Schema "{properties: {a: {type: string}}}" "{type: object, properties: {a: {type: string}}}";
    IDLE_KEYWORD Warning General "idle-keyword" "A keyword has no effect, because it does not apply to the type of its schema, or to the place of the schema."
        "Remove the keyword, or correct the type."
        Schema "{type: integer, minLength: 1}" "{type: string, minLength: 1}";
    READ_WRITE_ONLY Error General "read-write-only" "A schema is `readOnly` and `writeOnly`, so that nobody can send it."
        "Keep one of them."
        Property "readOnly: true, writeOnly: true" "readOnly: true";
    UNKNOWN_REQUIRED Warning General "unknown-required" "`required` names a property that no part of the schema describes."
        "Correct the name, describe the property, or remove the name."
        Schema "{type: object, required: [nmae], properties: {name: {}}}" "{type: object, required: [name], properties: {name: {}}}";
    DISCRIMINATOR_MAPPING Error General "discriminator-mapping" "`discriminator.mapping` leads to a schema that does not exist."
        "Write `#/components/schemas/NAME`."
        Document "components: {schemas: {A: {oneOf: [{$ref: '#/components/schemas/B'}], discriminator: {propertyName: a, mapping: {b: '#/components/schemas/C'}}}, B: {type: object, required: [a], properties: {a: {type: string}}}}}"
            "components: {schemas: {A: {oneOf: [{$ref: '#/components/schemas/B'}], discriminator: {propertyName: a, mapping: {b: '#/components/schemas/B'}}}, B: {type: object, required: [a], properties: {a: {type: string}}}}}";
    DISCRIMINATOR_PROPERTY Warning General "discriminator-property" "The discriminator names a property that the schema does not describe."
        "Describe the property and require it, or list the alternatives in `oneOf`."
        Document "components: {schemas: {A: {type: object, discriminator: {propertyName: a}}, B: {allOf: [{$ref: '#/components/schemas/A'}, {type: object, properties: {b: {}}}]}, C: {type: array, items: {$ref: '#/components/schemas/A'}}}}"
            "components: {schemas: {A: {type: object, required: [a], properties: {a: {type: string}}, discriminator: {propertyName: a}}, B: {allOf: [{$ref: '#/components/schemas/A'}, {type: object, properties: {b: {}}}]}, C: {type: array, items: {$ref: '#/components/schemas/A'}}}}";
    INVALID_DEFAULT Error General "invalid-default" "A default is not valid for its own schema."
        "Correct the default or the schema."
        Schema "{type: integer, maximum: 100, default: 1000}" "{type: integer, maximum: 100, default: 10}";
    INVALID_ENUM_VALUE Error General "invalid-enum-value" "A value of `enum` is not valid for the rest of the schema."
        "Correct the value or the schema."
        Schema "{type: integer, enum: [1, a]}" "{type: integer, enum: [1, 2]}";
    INVALID_EXAMPLE Warning General "invalid-example" "An example is not valid for its own schema. With `Profile::Strict` this is an error."
        "Correct the example or the schema."
        Schema "{type: integer, example: ten}" "{type: integer, example: 10}";

    // Lifecycle.
    LIFECYCLE Error General "lifecycle" "The sunset of an operation is before its deprecation. It is only a warning if the replacement is itself deprecated."
        "Write a later `x-sunset`, or name a replacement that is not deprecated."
        Paths "/a: {get: {operationId: a, deprecated: true, x-deprecated-since: 2030-01-01, x-sunset: 2029-01-01, x-replacement: {operation: b, note: use it}, responses: {'204': {description: Done.}}}, put: {operationId: b, responses: {'204': {description: Done.}}}}"
            "/a: {get: {operationId: a, deprecated: true, x-deprecated-since: 2030-01-01, x-sunset: 2031-01-01, x-replacement: {operation: b, note: use it}, responses: {'204': {description: Done.}}}, put: {operationId: b, responses: {'204': {description: Done.}}}}";
    UNKNOWN_REPLACEMENT Error General "unknown-replacement" "`x-replacement` does not name another operation of the document."
        "Write the `operationId` of another operation."
        Paths "/a: {get: {operationId: a, deprecated: true, x-deprecated-since: 2030-01-01, x-sunset: 2031-01-01, x-replacement: {operation: c, note: use it}, responses: {'204': {description: Done.}}}, put: {operationId: b, responses: {'204': {description: Done.}}}}"
            "/a: {get: {operationId: a, deprecated: true, x-deprecated-since: 2030-01-01, x-sunset: 2031-01-01, x-replacement: {operation: b, note: use it}, responses: {'204': {description: Done.}}}, put: {operationId: b, responses: {'204': {description: Done.}}}}";
    NOT_DEPRECATED Error General "not-deprecated" "An operation has extensions for a deprecation, but is not deprecated."
        "Add `deprecated: true`, or remove the extension."
        Operation "operationId: a, x-sunset: 2030-12-05" "operationId: a";
    INCOMPLETE_DEPRECATION Error Strict "incomplete-deprecation" "A deprecated operation lacks `x-deprecated-since`, `x-sunset` or `x-replacement`. The service sends the header `Sunset` for `x-sunset`, and then also the headers `Deprecation` and `Link` for the other two extensions."
        "Add the extension: the days as `2030-12-05`, and what replaces the operation as `x-replacement: {operation: ID, note: TEXT}`."
        Operation "deprecated: true, x-sunset: 2030-12-05"
            "deprecated: true, x-deprecated-since: 2026-12-05, x-sunset: 2030-12-05, x-replacement: {operation: a, note: use it}";

    // Waiters.
    WAITER Error General "waiter" "An entry of `x-waiters` has no state that ends the waiting, a state in two lists or one that the schema of the response does not allow, or a `path` that is not a JSON pointer or does not lead to a member; or its operation is not a `GET`."
        "List each state once, spelled as in the schema, and write the path as a JSON pointer such as `/status`."
        Operation "x-waiters: {done: {path: status, success: [a]}}" "x-waiters: {done: {path: /status, success: [a]}}";

    // Project rules.
    ERROR_CODES Error General "error-codes" "`x-error-codes` lists a code twice, a code that is not in the catalogue, or a code that the catalogue gives another status. With `Profile::Strict`, an error response without `x-error-codes` and a document without a catalogue break this rule as well."
        "List each code of the catalogue in the response for its status."
        Operation "responses: {4XX: {description: Bad., x-error-codes: [a, a]}}" "responses: {4XX: {description: Bad., x-error-codes: [a]}}";
    UNLISTED_ERROR_CODE Error Strict "unlisted-error-code" "In a document with a catalogue of error codes, the response for a status that every service sends (rule `missing-response`) does not list the code that the service sends with it: `invalid_request`, `unauthorized`, `request_timeout`, `operation_removed`, `payload_too_large`, `unsupported_media_type`, `rate_limited`, `internal_error`, `overloaded`, `unavailable`, or the first code of the catalogue with the same status if the catalogue has no code of this name."
        "Add the code to `x-error-codes` of the response, and to the catalogue if that has no code with this status."
        Document "paths: {/a: {get: {responses: {4XX: {description: Bad., x-error-codes: [unknown_key]}}}}}\ncomponents: {schemas: {Error: {type: object, properties: {code: {type: string, x-extensible-enum: [slow, unknown_key], x-error-catalogue: {slow: {status: 429, cause: a, cure: b}, unknown_key: {status: 401, cause: a, cure: b}}}}}}}"
            "paths: {/a: {get: {responses: {4XX: {description: Bad., x-error-codes: [unknown_key, slow]}}}}}\ncomponents: {schemas: {Error: {type: object, properties: {code: {type: string, x-extensible-enum: [slow, unknown_key], x-error-catalogue: {slow: {status: 429, cause: a, cure: b}, unknown_key: {status: 401, cause: a, cure: b}}}}}}}";
    MISSING_OPERATION_ID Error Strict "missing-operation-id" "An operation has no `operationId`. Generated clients name their methods after it."
        "Add one, such as `listBooks`."
        Operation "summary: List books" "operationId: listBooks";
    MISSING_SUMMARY Error Strict "missing-summary" "An operation has no `summary`."
        "Add one line that says what the operation does."
        Operation "operationId: listBooks" "summary: List books";
    UNSECURED_OPERATION Error Strict "unsecured-operation" "An operation can be called without credentials."
        "Name a scheme in `security` of the operation or of the document."
        Operation "security: []" "security: [{key: []}]";
    MISSING_RESPONSE Error Strict "missing-response" "An operation lacks a response that every service sends: 401 if it requires credentials, 400 if it has parameters or a body, 408, 413 and 415 if it has a body, 410 if it has `x-sunset`, 429 for a rate limit, 500 for internal errors and 503 for overload."
        "Add the statuses, or the ranges `4XX` and `5XX`, or `default`. `cargo openapi-dropshot generate --fix` adds the ranges."
        Operation "responses: {'204': {description: Done.}, '404': {description: Gone.}}"
            "responses: {'204': {description: Done.}, 4XX: {description: Bad.}, 5XX: {description: Broken.}}";
    MISPLACED_STABILITY_LEVEL Error Strict "misplaced-stability-level" "A schema has `x-stability-level`, which has a meaning only for operations, parameters and responses."
        "Remove it, or describe in words that the property may change."
        Schema "{type: object, properties: {a: {x-stability-level: beta}}}" "{type: object, properties: {a: {description: It may change.}}}";
    MISSING_EXAMPLE Error Strict "missing-example" "A body has no example."
        "Add `example` beside its schema."
        Operation "responses: {'200': {description: Here., content: {text/plain: {schema: {type: string}}}}}"
            "responses: {'200': {description: Here., content: {text/plain: {schema: {type: string}, example: a}}}}";
}
