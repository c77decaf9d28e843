//! Tests that each unsupported construct is rejected at its place, with the reason and the remedy.

mod operations;
mod schemas;
mod unsupported;

use openapi_dropshot::{Options, generate_service};

fn options() -> Options {
    Options {
        command: "test".to_owned(),
        source: "api.yaml".to_owned(),
        models: "models".to_owned(),
        api: "api".to_owned(),
        client: "client".to_owned(),
        models_crate: "models".to_owned(),
        client_crate: "client".to_owned(),
        trait_name: None,
        renames: Default::default(),
    }
}

/// A document with this schema as `Thing`, on line 22, column 7.
fn schema(yaml: &str) -> String {
    format!(
        "openapi: 3.0.3
info:
  title: Rejected
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
  title: Rejected
  version: 1.0.0
paths:
  /things/{{thingId}}:
{yaml}"
    )
}

const PATH: &str = "
      parameters:
        - {name: thingId, in: path, required: true, schema: {type: string}}";

/// Returns the problems as `rule line:column message / help`.
fn problems(text: &str) -> Vec<String> {
    let document = match openapi_dropshot_contract::read("api.yaml", text) {
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

fn assert_rejected(table: &[(String, &str)]) {
    let mut wrong = Vec::new();
    for (text, expected) in table {
        let found = problems(text);
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
fn the_documents_of_the_tests_are_supported_without_the_rejected_constructs() {
    assert_eq!(
        problems(&schema("      type: string\n")),
        Vec::<String>::new()
    );
    assert_eq!(
        problems(&operation(&format!(
            "    get:\n      operationId: a{PATH}\n      responses: {{'204': {{description: Gone.}}}}\n"
        ))),
        Vec::<String>::new()
    );
}
