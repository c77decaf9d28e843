//! Tests that unsupported parameters, operations and error catalogues are
//! rejected.

use super::{PATH, assert_rejected, operation};

#[test]
fn parameters_that_cannot_be_sent_as_strings_are_rejected() {
    let parameter = |yaml: &str| {
        operation(&format!(
            "    get:\n      operationId: a{PATH}\n        - {{{yaml}}}\n      responses: {{'204': {{description: Gone.}}}}\n"
        ))
    };
    assert_rejected(&[
        (
            parameter("name: a, in: query, schema: {type: object}"),
            "unsupported-parameter … use a string, an integer",
        ),
        (
            parameter("name: a, in: query, schema: {}"),
            "unsupported-parameter",
        ),
        (
            parameter("name: a, in: cookie, schema: {type: array, items: {type: string}}"),
            "unsupported-parameter … write `explode: false`",
        ),
        (
            parameter("name: a b, in: cookie, schema: {type: string}"),
            "header-name",
        ),
        (
            parameter("name: a, in: query, content: {text/plain: {schema: {type: string}}}"),
            "unsupported-parameter … with a `content` of `application/json`",
        ),
        (
            parameter(
                "name: a, in: query, schema: {anyOf: [{type: string}, {type: array, items: {type: integer}}]}",
            ),
            "unsupported-parameter",
        ),
        (
            parameter(
                "name: a, in: query, allowEmptyValue: true, schema: {type: string, minLength: 1}",
            ),
            "unsupported-parameter … this schema does not accept an empty string",
        ),
        (
            parameter("name: a, in: query, allowEmptyValue: true, schema: {type: boolean}"),
            "unsupported-parameter … this schema does not accept an empty string",
        ),
        (
            parameter("name: thingId, in: query, schema: {type: string}"),
            "unsupported-parameter … `thingId` is also a path parameter",
        ),
        (
            parameter("name: 'a b', in: header, schema: {type: string}"),
            "header-name",
        ),
    ]);
}

#[test]
fn operations_that_dropshot_cannot_serve_are_rejected() {
    let get = |yaml: &str| operation(&format!("    get:\n      operationId: a{PATH}\n{yaml}"));
    let post = |yaml: &str| operation(&format!("    post:\n      operationId: a{PATH}\n{yaml}"));
    let gone = "      responses: {'204': {description: Gone.}}\n";
    assert_rejected(&[
        (
            operation(&format!("    trace:\n      operationId: a{PATH}\n{gone}")),
            "unsupported-method",
        ),
        (
            operation(&format!(
                "    additionalOperations:\n     CONNECT:\n      operationId: a{PATH}\n{gone}"
            ))
            .replace("3.0.3", "3.2.0"),
            "unsupported-method … CONNECT",
        ),
        (
            post(&format!(
                "      requestBody: {{required: true, content: {{application/x-www-form-urlencoded: {{schema: {{type: array, items: {{type: string}}}}}}}}}}\n{gone}"
            )),
            "unsupported-form … write an object with `properties` that are strings",
        ),
        (
            post(&format!(
                "      requestBody: {{required: true, content: {{application/x-www-form-urlencoded: {{schema: {{type: object, properties: {{a: {{type: integer}}}}, additionalProperties: {{type: integer}}}}}}}}}}\n{gone}"
            )),
            "unsupported-form … if there are `additionalProperties`, they must be strings",
        ),
        (
            post(&format!("      x-dropshot-websocket: {{}}\n{gone}")),
            "unsupported-websocket … use GET",
        ),
        (
            get(&format!("      x-dropshot-websocket: {{}}\n{gone}")),
            "unsupported-websocket … write `101`",
        ),
        (
            get(
                "      responses: {'101': {description: A., headers: {X-Own: {schema: {type: string}}}}}\n",
            ),
            "unsupported-websocket … remove `headers`",
        ),
        (
            get(&format!(
                "      x-dropshot-pagination: {{required: []}}\n{gone}"
            )),
            "unsupported-pagination … add the query parameters",
        ),
        (
            post("      responses: {'101': {description: A.}}\n"),
            "unsupported-status",
        ),
        (
            operation(&format!(
                "    get:\n      operationId: a{PATH}\n{gone}    put:\n      operationId: a{PATH}\n{gone}"
            )),
            "duplicate-operation-id … give each operation an id of its own",
        ),
    ]);
}

#[test]
fn an_incomplete_or_unused_error_catalogue_is_rejected() {
    let document = |codes: &str, response: &str| {
        let names = if codes.is_empty() {
            "bad"
        } else {
            "bad, broken"
        };
        format!(
            "openapi: 3.0.3
info: {{title: Rejected, version: 1.0.0}}
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
    let text = "content: {text/plain: {schema: {type: string}}}";
    assert_rejected(&[
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
            "error-codes … `bad` has the status 400",
        ),
        (
            document(
                internal,
                &format!("        '400': {{description: A., x-error-codes: [worse], {body}}}"),
            ),
            "error-codes … add it to `x-error-catalogue`",
        ),
        (
            document(
                internal,
                &format!("        '400': {{description: A., x-error-codes: [bad], {other}}}"),
            ),
            "unsupported-error-body … refer to `#/components/schemas/Error`",
        ),
        (
            document(
                internal,
                &format!("        '400': {{description: A., x-error-codes: [bad], {text}}}"),
            ),
            "unsupported-media-type … use `application/json`",
        ),
        (
            document(internal, "").replace("required: [code, message]", "required: [code]"),
            "unsupported-error-body … give it the required members",
        ),
    ]);
}
