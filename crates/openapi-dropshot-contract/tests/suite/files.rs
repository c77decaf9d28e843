//! Tests documents of several files.

use openapi_dropshot_contract::{
    Document, Problems, Profile, lint,
    model::{AdditionalProperties, Type},
    read_draft_with_files, read_with_files,
};
use std::collections::BTreeMap;

const MAIN: &str = "\
openapi: 3.0.3
info: {title: Shop, version: 1.0.0}
paths:
  /pets: {$ref: 'paths/pets.yaml'}
  /toys:
    get:
      operationId: listToys
      parameters: [{$ref: 'common.yaml#/components/parameters/Limit'}]
      responses:
        '200':
          description: All toys.
          content: {application/json: {schema: {type: array, items: {$ref: './schemas/toy.json'}}}}
        default: {$ref: 'common.yaml#/components/responses/Failed'}
components:
  schemas:
    Pet: {$ref: 'schemas/pet.yaml'}
    Error: {type: string}
";

const FILES: [(&str, &str); 5] = [
    (
        "spec/paths/pets.yaml",
        "\
get:
  operationId: listPets
  parameters: [{$ref: '../common.yaml#/components/parameters/Limit'}]
  responses:
    '200':
      description: All pets.
      content: {application/json: {schema: {type: array, items: {$ref: ../schemas/pet.yaml}}}}
post:
  operationId: addPet
  requestBody:
    required: true
    content: {application/json: {schema: {$ref: '../openapi.yaml#/components/schemas/Pet'}}}
  responses: {'204': {description: Added.}}
",
    ),
    (
        "spec/schemas/pet.yaml",
        "\
type: object
required: [name]
properties:
  name: {type: string}
  parent: {$ref: '#'}
  toy: {$ref: 'toy.json'}
  kind: {$ref: '#/definitions/Kind'}
definitions:
  unused: true
",
    ),
    (
        "spec/schemas/toy.json",
        r##"{"type": "object", "additionalProperties": {"$ref": "pet.yaml"}}"##,
    ),
    (
        "spec/common.yaml",
        "\
components:
  parameters:
    Limit: {name: limit, in: query, schema: {$ref: '#/components/schemas/Limit'}}
  responses:
    Failed:
      description: It failed.
      content: {application/json: {schema: {$ref: '#/components/schemas/Error'}}}
  schemas:
    Limit: {type: integer}
    Error: {type: object, properties: {code: {type: string}}}
",
    ),
    ("spec/broken.yaml", "a: [\n"),
];

/// The files of the tests. `Pet` is without its missing definition, so that all references are
/// valid.
fn files() -> BTreeMap<String, String> {
    let files = FILES.map(|(name, text)| {
        let text = text.replace("  kind: {$ref: '#/definitions/Kind'}\n", "");
        (
            name.to_owned(),
            text.replace("definitions:\n  unused: true\n", ""),
        )
    });
    files.into()
}

fn read_from(files: &BTreeMap<String, String>, main: &str) -> Result<Document, Problems> {
    read_with_files("spec/openapi.yaml", main, &mut |name| {
        let text = files.get(name).cloned();
        text.ok_or_else(|| "there is no such file".to_owned())
    })
}

#[test]
fn the_parts_of_other_files_become_parts_of_the_document() {
    let document = read_from(&files(), MAIN).expect("all files are there");
    let paths: Vec<String> = (document.operations.iter())
        .map(|operation| operation.label())
        .collect();
    assert_eq!(paths.len(), 3, "{paths:?}");
    let names: Vec<&str> = document.schemas.keys().map(String::as_str).collect();
    // `Pet` is named after its file. The second `Error` gets a number, because the document already
    // has an `Error`.
    assert_eq!(names, ["Pet", "Error", "toy", "Error2", "Limit"]);
    let pet = &document.schemas["Pet"];
    assert_eq!(pet.at.to_string(), "spec/schemas/pet.yaml:1:1");
    assert_eq!(pet.at.pointer, "/components/schemas/Pet");
    for name in ["parent", "toy"] {
        let target = pet.properties[name]
            .reference
            .as_ref()
            .map(|name| &*name.value);
        assert_eq!(target, Some(if name == "toy" { "toy" } else { "Pet" }));
    }
    let toy = &document.schemas["toy"];
    assert!(matches!(&toy.additional_properties,
        Some(AdditionalProperties::Schema(values)) if values.reference.is_some()));
    let limit = &document.operations[0].parameters[0];
    assert_eq!(limit.at.to_string(), "spec/common.yaml:3:12");
    let schema = limit.schema.as_ref().expect("it has one");
    let resolved = document.resolve(schema).expect("it leads somewhere");
    assert!(
        resolved
            .types
            .as_ref()
            .is_some_and(|kind| kind.value == Type::Integer)
    );
    let body = document.operations[1]
        .request_body
        .as_ref()
        .expect("it has one");
    let body = body.content[0].schema.as_ref().expect("it has one");
    assert_eq!(
        body.reference.as_ref().map(|name| &*name.value),
        Some("Pet")
    );
    let names: Vec<&str> = document.files.iter().map(|(name, _)| &**name).collect();
    assert_eq!(
        names,
        [
            "spec/common.yaml",
            "spec/paths/pets.yaml",
            "spec/schemas/pet.yaml",
            "spec/schemas/toy.json"
        ]
    );
}

#[test]
fn a_document_of_several_files_can_be_written_as_one_text_with_the_same_meaning() {
    let document = read_from(&files(), MAIN).expect("all files are there");
    let text = document.one_text();
    let again = openapi_dropshot_contract::read("one.yaml", &text).expect("it has no other files");
    assert_eq!(again.root.to_json(), document.root.to_json());
    assert_eq!(again.one_text(), text.as_ref());
    let draft = read_draft_with_files("spec/openapi.yaml", MAIN, &mut |name| {
        files().get(name).cloned().ok_or_else(String::new)
    });
    assert_eq!(
        draft.expect("it can be compared").root.to_json(),
        document.root.to_json()
    );
}

#[test]
fn a_problem_in_another_file_is_shown_with_the_lines_of_that_file() {
    let mut files = files();
    let pet = files.get_mut("spec/schemas/pet.yaml").expect("it is there");
    *pet = pet.replace("name: {type: string}", "name: {type: sting}");
    let problems = read_from(&files, MAIN)
        .expect_err("the type is unknown")
        .to_string();
    assert!(
        problems.contains("--> spec/schemas/pet.yaml:4:16"),
        "{problems}"
    );
    assert!(problems.contains("4 |   name: {type: sting}"), "{problems}");
    // The linter also shows the file.
    let pet = files.get_mut("spec/schemas/pet.yaml").expect("it is there");
    *pet = pet.replace("name: {type: sting}", "name: {type: string, default: 5}");
    let document = read_from(&files, MAIN).expect("it can be read");
    let problems = Problems::new(&document, lint(&document, Profile::General)).to_string();
    assert!(
        problems.contains("--> spec/schemas/pet.yaml:4:33"),
        "{problems}"
    );
    assert!(
        problems.contains("name: {type: string, default: 5}"),
        "{problems}"
    );
}

#[test]
fn a_document_of_openapi_3_1_can_consist_of_several_files() {
    let main = MAIN.replace("3.0.3", "3.1.0");
    let mut files = files();
    let pet = files.get_mut("spec/schemas/pet.yaml").expect("it is there");
    *pet = pet.replace(
        "name: {type: string}",
        "name: {type: [string, 'null'], minLength: -1}",
    );
    let problems = read_from(&files, &main)
        .expect_err("the length is negative")
        .to_string();
    assert!(
        problems.contains("--> spec/schemas/pet.yaml:4:"),
        "{problems}"
    );
    let pet = files.get_mut("spec/schemas/pet.yaml").expect("it is there");
    *pet = pet.replace(", minLength: -1", "");
    let document = read_from(&files, &main).expect("it can be read");
    assert!(document.schemas["Pet"].properties["name"].nullable);
}

#[test]
fn files_that_cannot_be_used_are_reported_at_the_reference() {
    let cases = [
        (
            "https://example.com/pet.yaml",
            "external-reference",
            "on the network",
            "save that document",
        ),
        (
            "/etc/pet.yaml",
            "external-reference",
            "is an absolute path",
            "relative to the file",
        ),
        (
            "../pet.yaml",
            "external-reference",
            "leaves the folder of the document",
            "move the file",
        ),
        (
            "schemas/../../pet.yaml",
            "external-reference",
            "leaves the folder",
            "move the file",
        ),
        (
            "..\\\\pet.yaml",
            "external-reference",
            "which separates folders on Windows only",
            "write `/`",
        ),
        (
            "schemas/dog.yaml",
            "external-reference",
            "spec/schemas/dog.yaml cannot be read: there is no such file",
            "correct the path",
        ),
        (
            "common.yaml#/components/schemas/Dog",
            "dangling-reference",
            "spec/common.yaml has nothing at `#/components/schemas/Dog`",
            "correct the part after",
        ),
    ];
    for (target, rule, message, help) in cases {
        let main = MAIN.replace(
            "{$ref: 'schemas/pet.yaml'}",
            &format!("{{$ref: '{target}'}}"),
        );
        let problems = read_from(&files(), &main).expect_err(target);
        let [problem] = problems.problems() else {
            panic!("{target}: {problems}");
        };
        assert_eq!(problem.rule, rule, "{problems}");
        assert_eq!(
            problem.at.to_string(),
            "spec/openapi.yaml:16:17",
            "{problems}"
        );
        assert!(problem.message.contains(message), "{problems}");
        assert!(problem.help.contains(help), "{problems}");
    }
    let problems = read_from(
        &FILES
            .map(|(name, text)| (name.to_owned(), text.to_owned()))
            .into(),
        MAIN,
    );
    let problems = problems.expect_err("a definition is missing").to_string();
    assert!(
        problems.contains("--> spec/schemas/pet.yaml:7:16"),
        "{problems}"
    );
    let main = MAIN.replace("'schemas/pet.yaml'", "'broken.yaml'");
    let problems = read_from(&files(), &main).expect_err("the file is broken");
    assert!(
        problems
            .problems()
            .iter()
            .all(|problem| &*problem.at.file == "spec/broken.yaml"),
        "{problems}"
    );
}

#[test]
fn reference_cycles_between_files_are_reported() {
    let mut files = files();
    for (name, text) in [
        ("spec/schemas/pet.yaml", "$ref: 'toy.json'"),
        ("spec/schemas/toy.json", r#"{"$ref": "pet.yaml"}"#),
    ] {
        files.insert(name.to_owned(), text.to_owned());
    }
    let problems = read_from(&files, MAIN).expect_err("no schema is left");
    assert!(
        problems
            .problems()
            .iter()
            .any(|problem| problem.rule.contains("cycle")),
        "{problems}"
    );
    let mut files = self::files();
    let item = "$ref: 'pets.yaml'".to_owned();
    files.insert("spec/paths/pets.yaml".to_owned(), item);
    let problems = read_from(&files, MAIN).expect_err("there is no path item");
    let cycle = problems
        .problems()
        .iter()
        .find(|problem| problem.rule == "reference-cycle");
    let at = cycle.map(|problem| problem.at.to_string());
    assert_eq!(
        at.as_deref(),
        Some("spec/paths/pets.yaml:1:7"),
        "{problems}"
    );
}

#[test]
fn no_file_is_read_for_a_document_without_references_to_files() {
    let main = MAIN.split("paths:").next().expect("a part").to_owned() + "paths: {}\n";
    let document = read_with_files("openapi.yaml", &main, &mut |name| panic!("{name} is read"));
    assert!(document.expect("it is whole").files.is_empty());
}

#[test]
fn the_names_of_referenced_files_begin_with_the_git_revision_of_the_document() {
    let mut names = Vec::new();
    let main = MAIN.to_owned();
    let _ = read_with_files("main:openapi.yaml", &main, &mut |name| {
        names.push(name.to_owned());
        files()
            .get(&name.replace("main:", "spec/"))
            .cloned()
            .ok_or_else(String::new)
    })
    .expect("all files are there");
    assert!(
        names.contains(&"main:schemas/pet.yaml".to_owned()),
        "{names:?}"
    );
}
