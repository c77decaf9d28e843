//! What the generator does not support: each construct is refused at its place,
//! with what is wrong and what to write instead.

use openapi_dropshot::{Options, generate_service};

fn options() -> Options {
    Options {
        command: "test".to_owned(),
        source: "api.yaml".to_owned(),
        models: "models".to_owned(),
        api: "api".to_owned(),
        client: "client".to_owned(),
        models_crate: "models".to_owned(),
        trait_name: None,
    }
}

/// A document with this schema on line 22, column 7, as `Thing`.
fn schema(yaml: &str) -> String {
    format!(
        "openapi: 3.0.3
info:
  title: Refused
  version: 1.0.0
paths:
  /things/{{thingId}}:
    get:
      operationId: getThing
      parameters:
        - name: thingId
          in: path
          required: true
          schema:
            type: string
      responses:
        '204':
          description: Gone.
components:
  schemas:
    Other:
      type: object
      properties:
        a:
          type: string
    Thing:
{yaml}"
    )
}

/// A document with this operation on `/things/{thingId}` from line 6 on.
fn operation(yaml: &str) -> String {
    format!(
        "openapi: 3.0.3
info:
  title: Refused
  version: 1.0.0
paths:
  /things/{{thingId}}:
{yaml}"
    )
}

const PATH: &str = "
      parameters:
        - {name: thingId, in: path, required: true, schema: {type: string}}";

/// What is refused, as `rule line:column message / help`.
fn refusals(text: &str) -> Vec<String> {
    let document = match openapi_contract::read("api.yaml", text) {
        Ok(document) => document,
        Err(problems) => panic!("the document cannot be read: {problems}"),
    };
    let problems = generate_service(&document, &options())
        .err()
        .unwrap_or_default();
    problems
        .iter()
        .map(|problem| {
            format!(
                "{} {}:{} {} / {}",
                problem.rule, problem.at.line, problem.at.column, problem.message, problem.help
            )
        })
        .collect()
}

fn refused(table: &[(String, &str)]) {
    let mut wrong = Vec::new();
    for (text, expected) in table {
        let found = refusals(text);
        let (first, words) = expected.split_once(" … ").unwrap_or((expected, ""));
        if !found
            .iter()
            .any(|problem| problem.starts_with(first) && problem.contains(words))
        {
            wrong.push(format!("expected {expected}\nfound {found:#?}\nin\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn the_documents_around_the_refused_constructs_are_supported() {
    assert_eq!(
        refusals(&schema("      type: string\n")),
        Vec::<String>::new()
    );
    assert_eq!(
        refusals(&operation(&format!(
            "    get:\n      operationId: a{PATH}\n      responses: {{'204': {{description: Gone.}}}}\n"
        ))),
        Vec::<String>::new()
    );
}

#[test]
fn schemas_are_refused_where_no_type_says_the_same() {
    refused(&[
        (
            schema("      oneOf:\n        - type: string\n        - type: integer\n"),
            "unsupported-schema 27:11 `oneOf` is not supported … write one object with optional properties",
        ),
        (
            schema("      anyOf:\n        - type: string\n"),
            "unsupported-schema 27:11 `anyOf`",
        ),
        (
            schema("      type: string\n      not:\n        type: integer\n"),
            "unsupported-schema",
        ),
        (
            schema(
                "      type: object\n      properties:\n        id:\n          type: integer\n          readOnly: true\n",
            ),
            "unsupported-schema 29:11 `readOnly` is not supported … write two schemas",
        ),
        (schema("      minimum: 1\n"), "meaningless-keyword"),
        (
            schema("      properties:\n        a: {}\n"),
            "missing-type … write `type: object`",
        ),
        (
            schema("      type: string\n      minimum: 1\n"),
            "meaningless-keyword 27:16 `minimum` says nothing about a string",
        ),
        (
            schema("      type: integer\n      pattern: a\n"),
            "meaningless-keyword",
        ),
        (
            schema("      type: integer\n      minimum: 5\n      maximum: 4\n"),
            "empty-range … from 5 to 4",
        ),
        (
            schema("      type: integer\n      format: uint8\n      minimum: 256\n"),
            "empty-range",
        ),
        (
            schema("      type: integer\n      exclusiveMinimum: true\n"),
            "meaningless-keyword … write the bound as `minimum`",
        ),
        (
            schema("      type: number\n      multipleOf: 0.1\n"),
            "unsupported-multiple-of … count in the smallest unit",
        ),
        (
            schema("      type: string\n      minLength: 3\n      maxLength: 2\n"),
            "empty-range",
        ),
        (
            schema("      type: string\n      pattern: '['\n"),
            "invalid-pattern 27:16 the pattern does not compile … ECMA-262",
        ),
        (
            schema("      type: string\n      format: uuid\n      minLength: 3\n"),
            "unsupported-schema … keep the `format` alone",
        ),
        (
            schema("      type: string\n      enum: [a, null]\n"),
            "enum-null … add `nullable: true`",
        ),
        (
            schema("      type: number\n      enum: [1.5]\n"),
            "unsupported-enum",
        ),
        (
            schema("      type: integer\n      format: int8\n      enum: [1, 200]\n"),
            "enum-outside-type … `200` is no value of i8",
        ),
        (
            schema(
                "      type: object\n      properties:\n        a:\n          type: string\n      required: [b]\n",
            ),
            "required-without-property 30:18 `b` is required, but has no schema",
        ),
        (
            schema(
                "      type: object\n      minProperties: 1\n      properties:\n        a:\n          type: string\n",
            ),
            "unsupported-schema … say with `required` which members",
        ),
        (
            schema("      type: array\n      items:\n        type: string\n        default: a\n"),
            "meaningless-default",
        ),
    ]);
}

#[test]
fn a_range_without_a_multiple_is_empty() {
    refused(&[(
        schema("      type: integer\n      minimum: 1\n      maximum: 4\n      multipleOf: 5\n"),
        "empty-range … no multiple of 5 is from 1 to 4",
    )]);
}

#[test]
fn defaults_are_values_of_their_types() {
    let property = |yaml: &str| {
        schema(&format!(
            "      type: object\n      properties:\n        a:\n{yaml}"
        ))
    };
    refused(&[
        (
            property("          type: integer\n          default: 1.5\n"),
            "invalid-default 30:20 the default `1.5` is no value of an integer",
        ),
        (
            property("          type: integer\n          maximum: 5\n          default: 6\n"),
            "invalid-default",
        ),
        (
            property("          type: string\n          enum: [a]\n          default: b\n"),
            "invalid-default",
        ),
        (
            property("          type: string\n          default: null\n"),
            "invalid-default",
        ),
        (
            property("          type: string\n          pattern: ^a$\n          default: b\n"),
            "invalid-default",
        ),
        (
            property("          type: object\n          default: {a: 1}\n"),
            "invalid-default … let the service decide",
        ),
        (
            property(
                "          type: array\n          minItems: 1\n          items: {type: string}\n          default: []\n",
            ),
            "invalid-default",
        ),
    ]);
}

#[test]
fn all_of_is_refused_where_parts_disagree() {
    let parts = |yaml: &str| {
        schema(&format!(
            "      allOf:\n        - $ref: '#/components/schemas/Other'\n{yaml}"
        ))
    };
    refused(&[
        (
            parts("        - type: string\n"),
            "unsupported-all-of … `allOf` joins objects",
        ),
        (
            parts(
                "        - type: object\n          properties:\n            a:\n              type: integer\n",
            ),
            "all-of-conflict 31:15 two parts of `allOf` define `a` differently",
        ),
        (
            parts(
                "        - type: object\n          additionalProperties: false\n          properties:\n            b:\n              type: integer\n",
            ),
            "unsupported-all-of … also speaks of the members of the other parts",
        ),
        (
            parts("        - type: object\n          required: [c]\n"),
            "required-without-property",
        ),
        (
            schema(
                "      allOf:\n        - properties: {a: {type: string}}\n        - properties: {b: {type: string}}\n",
            ),
            "missing-type … write `type: object` beside `allOf`",
        ),
    ]);
}

#[test]
fn parameters_are_refused_where_a_text_cannot_say_them() {
    let parameter = |yaml: &str| {
        operation(&format!(
            "    get:\n      operationId: a{PATH}\n        - {{{yaml}}}\n      responses: {{'204': {{description: Gone.}}}}\n"
        ))
    };
    refused(&[
        (
            parameter("name: a, in: query, schema: {type: array, items: {type: string}}"),
            "unsupported-parameter … use a string, an integer",
        ),
        (
            parameter("name: a, in: query, schema: {type: object}"),
            "unsupported-parameter",
        ),
        (
            parameter("name: a, in: query, schema: {}"),
            "unsupported-parameter",
        ),
        (
            parameter("name: a, in: cookie, schema: {type: string}"),
            "unsupported-parameter … send it as a header",
        ),
        (
            parameter("name: a, in: query, content: {application/json: {schema: {type: string}}}"),
            "unsupported-parameter … a `content` is not supported",
        ),
        (
            parameter("name: a, in: query, allowEmptyValue: true, schema: {type: string}"),
            "unsupported-parameter",
        ),
        (
            parameter("name: authorization, in: header, schema: {type: string}"),
            "reserved-header",
        ),
        (
            parameter("name: 'a b', in: header, schema: {type: string}"),
            "header-name",
        ),
    ]);
}

#[test]
fn operations_are_refused_where_dropshot_has_no_way() {
    let get = |yaml: &str| operation(&format!("    get:\n      operationId: a{PATH}\n{yaml}"));
    let post = |yaml: &str| operation(&format!("    post:\n      operationId: a{PATH}\n{yaml}"));
    let gone = "      responses: {'204': {description: Gone.}}\n";
    refused(&[
        (
            operation(&format!("    get:{PATH}\n{gone}")),
            "missing-operation-id 8:7 `GET /things/{thingId}` has no `operationId` … add one",
        ),
        (
            operation(&format!("    trace:\n      operationId: a{PATH}\n{gone}")),
            "unsupported-method",
        ),
        (
            post(&format!(
                "      requestBody: {{content: {{application/json: {{schema: {{type: string}}}}}}}}\n{gone}"
            )),
            "unsupported-optional-body … add `required: true`",
        ),
        (
            post(&format!(
                "      requestBody: {{required: true, content: {{text/plain: {{schema: {{type: string}}}}}}}}\n{gone}"
            )),
            "unsupported-media-type … use `application/json`",
        ),
        (
            post(&format!(
                "      requestBody: {{required: true, content: {{application/json: {{}}}}}}\n{gone}"
            )),
            "missing-schema … allows any JSON value",
        ),
        (
            get("      responses: {'200': {description: A.}, '201': {description: B.}}\n"),
            "several-successes … keep one",
        ),
        (
            get("      responses: {2XX: {description: A.}}\n"),
            "unsupported-status … write the exact status",
        ),
        (
            get("      responses: {'101': {description: A.}}\n"),
            "unsupported-status",
        ),
        (
            get("      responses: {default: {description: A.}}\n"),
            "missing-success",
        ),
        (
            get(
                "      responses: {'204': {description: A., content: {application/json: {schema: {}}}}}\n",
            ),
            "unsupported-body … an answer with status 204 has no body",
        ),
        (
            get("      responses:
        '204': {description: A.}
        '404': {description: B., content: {application/json: {schema: {type: string}}}}
        '409': {description: C.}
"),
            "several-error-bodies … use one schema for the errors",
        ),
        (
            operation(&format!(
                "    get:\n      operationId: a{PATH}\n{gone}  /things/all:\n    get:\n      operationId: b\n{gone}"
            )),
            "ambiguous-paths … cannot tell them apart",
        ),
        (
            operation(&format!(
                "    get:\n      operationId: a{PATH}\n{gone}    put:\n      operationId: a{PATH}\n{gone}"
            )),
            "duplicate-operation-id … rename one of them",
        ),
        (
            get(
                "      deprecated: true\n      x-sunset: 2030-01-01\n      responses: {'204': {description: Gone.}}\n",
            ),
            "incomplete-deprecation … write all of",
        ),
    ]);
}

#[test]
fn a_catalogue_of_errors_is_complete_and_used() {
    let document = |codes: &str, response: &str| {
        let names = if codes.is_empty() {
            "bad"
        } else {
            "bad, broken"
        };
        format!(
            "openapi: 3.0.3
info: {{title: Refused, version: 1.0.0}}
paths:
  /things:
    get:
      operationId: a
      responses:
        '204': {{description: Gone.}}
{response}
components:
  schemas:
    Error:
      type: object
      required: [code, message]
      properties:
        message: {{type: string}}
        code:
          type: string
          x-extensible-enum: [{names}]
          x-error-catalogue:
            bad: {{status: 400, cause: A., cure: B.}}
{codes}"
        )
    };
    let internal = "            broken: {status: 500, cause: A., cure: B.}\n";
    let body = "content: {application/json: {schema: {$ref: '#/components/schemas/Error'}}}";
    let other = "content: {application/json: {schema: {type: string}}}";
    refused(&[
        (
            document("", ""),
            "incomplete-catalogue … no code with status 500",
        ),
        (
            document(
                internal,
                &format!("        '400': {{description: A., {body}}}"),
            ),
            "missing-error-codes … list them with `x-error-codes`",
        ),
        (
            document(
                internal,
                &format!("        '404': {{description: A., x-error-codes: [bad], {body}}}"),
            ),
            "error-code-status … `bad` is sent with 400",
        ),
        (
            document(
                internal,
                &format!("        '400': {{description: A., x-error-codes: [worse], {body}}}"),
            ),
            "unknown-error-code … add it to `x-error-catalogue`",
        ),
        (
            document(
                internal,
                &format!("        '400': {{description: A., x-error-codes: [bad], {other}}}"),
            ),
            "unsupported-error-body … refer to `#/components/schemas/Error`",
        ),
        (
            document(internal, "").replace("required: [code, message]", "required: [code]"),
            "unsupported-error-body … give it the required members",
        ),
    ]);
}

#[test]
fn schemas_that_are_nested_without_end_are_refused_and_cyclic_ones_end() {
    let deep = format!(
        "      type: array\n      items: {}{{}}{}\n",
        "{type: array, items: ".repeat(70),
        "}".repeat(70)
    );
    refused(&[(schema(&deep), "too-deep … give the inner parts names")]);
    let through = "      type: object
      properties:
        broader:
          type: array
          items:
            allOf:
              - type: object
                properties: {id: {type: string}}
              - $ref: '#/components/schemas/Thing'
";
    assert_eq!(refusals(&schema(through)), Vec::<String>::new());
}
