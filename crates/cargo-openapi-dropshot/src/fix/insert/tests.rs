//! Tests of insertions: where members are inserted, and which parts of the text do not change.

use super::*;

const VERSION: &str = "openapi: 3.2.0\n";

fn inserted(file: &str, text: &str, members: &[(&[&str], Value)]) -> Result<String> {
    let is_json = file.ends_with("json");
    let text = match is_json {
        true => text.to_owned(),
        false => format!("{VERSION}{text}"),
    };
    let draft = openapi_dropshot_contract::read_draft(file, &text)?;
    let mut insertions = Insertions::new(&text, &draft.root, is_json);
    for (path, value) in members {
        insertions.add(path, value.clone());
    }
    let changed = insertions.text()?;
    let again = openapi_dropshot_contract::read_draft(file, &changed)?;
    assert_eq!(again.root.to_json(), insertions.json(), "{changed}");
    Ok(changed.trim_start_matches(VERSION).to_owned())
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

#[test]
fn new_members_are_inserted_after_the_last_member_and_comments_are_kept() -> Result<()> {
    let before = "x-a: # one\n  b: |\n    # text\n\n    more\n  # of a\n\n# of d\nx-d: {e: 'it''s }', f: [1]} # f\n";
    let after = "x-a: # one\n  b: |\n    # text\n\n    more\n  # of a\n  4XX:\n    $ref: '#/components/responses/No'\n\n# of d\nx-d: {e: 'it''s }', f: [1], '200': Done. It is} # f\nx-new:\n  list: [x, 'y: z']\n";
    let members: &[(&[&str], Value)] = &[
        (&["x-a", "4XX"], Value::reference("responses", "No")),
        (&["x-d", "200"], text("Done. It is")),
        (
            &["x-new", "list"],
            Value::Texts(vec!["x".to_owned(), "y: z".to_owned()]),
        ),
    ];
    assert_eq!(inserted("a.yaml", before, members)?, after);
    // A text without a final line break, and with Windows line endings.
    let members: &[(&[&str], Value)] = &[(&["x-a", "c"], Value::Number(1))];
    assert_eq!(
        inserted("a.yaml", "x-a:\n  b: 1", members)?,
        "x-a:\n  b: 1\n  c: 1"
    );
    let windows = inserted("a.yaml", "x-a:\r\n  b: 1\r\nx-d: 2\r\n", members)?;
    assert_eq!(windows, "x-a:\r\n  b: 1\r\n  c: 1\r\nx-d: 2\r\n");
    Ok(())
}

#[test]
fn an_edit_of_a_json_document_keeps_its_indentation() -> Result<()> {
    let before = "{\n    \"openapi\": \"3.2.0\",\n    \"x-a\": {\n        \"b\": \"}\\\"\"\n    },\n    \"x-c\": {},\n    \"x-d\": {\"e\": 1}\n}\n";
    let after = "{\n    \"openapi\": \"3.2.0\",\n    \"x-a\": {\n        \"b\": \"}\\\"\",\n        \"4XX\": {\n            \"$ref\": \"#/components/responses/No\"\n        }\n    },\n    \"x-c\": {\"x\": 1, \"y\": 2},\n    \"x-d\": {\"e\": 1, \"f\": 3},\n    \"x-g\": {\n        \"h\": 4\n    }\n}\n";
    let members: &[(&[&str], Value)] = &[
        (&["x-a", "4XX"], Value::reference("responses", "No")),
        (&["x-c", "x"], Value::Number(1)),
        (&["x-c", "y"], Value::Number(2)),
        (&["x-d", "f"], Value::Number(3)),
        (&["x-g", "h"], Value::Number(4)),
    ];
    assert_eq!(inserted("a.json", before, members)?, after);
    Ok(())
}

#[test]
fn a_member_added_to_an_object_and_to_its_yaml_alias_is_inserted_only_once() -> Result<()> {
    let before = "x-a: &all\n  x: 1\nx-b: *all\n";
    let members: &[(&[&str], Value)] = &[
        (&["x-a", "z"], Value::Number(2)),
        (&["x-b", "z"], Value::Number(2)),
    ];
    assert_eq!(
        inserted("a.yaml", before, members)?,
        "x-a: &all\n  x: 1\n  z: 2\nx-b: *all\n"
    );
    Ok(())
}
