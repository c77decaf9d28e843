//! Tests `$ref`: where it may point, and that its target exists.

use crate::support::{
    assert_clean, assert_fault, assert_warning, readable, with_components, with_operation,
    with_paths, with_schemas,
};
use openapi_dropshot_contract::read;

#[test]
fn a_dangling_reference_is_rejected_with_the_most_similar_name() {
    let text = with_schemas(
        "    Book: {}\n    Books: {type: array, items: {$ref: «'#/components/schemas/Bookt'}}\n",
    );
    assert_fault(
        &text,
        "dangling-reference",
        "`#/components/schemas/Bookt` does not exist",
        "did you mean `#/components/schemas/Book`?",
    );
    let text = with_operation("      parameters: [{$ref: «'#/components/parameters/Limit'}]\n");
    assert_fault(
        &text,
        "dangling-reference",
        "does not exist",
        "define it under `components.parameters`",
    );
}

#[test]
fn a_reference_to_another_document_is_rejected() {
    for target in [
        "other.yaml",
        "other.yaml#/A",
        "https://example.com/a.json#/b",
    ] {
        let text = with_schemas(&format!("    A: {{$ref: «'{target}'}}\n"));
        assert_fault(
            &text,
            "external-reference",
            "refers to another document",
            "into `components.schemas`",
        );
    }
}

#[test]
fn a_reference_to_anything_but_a_component_of_the_expected_kind_is_rejected() {
    for target in [
        "#",
        "#/info",
        "#/components/schemas/A/properties/b",
        "#/components/things/A",
        "#/components/schemas/%zz",
    ] {
        let text = with_schemas(&format!("    A: {{$ref: «'{target}'}}\n"));
        assert_fault(
            &text,
            "reference",
            "a named component",
            "#/components/schemas/NAME",
        );
    }
    let text = with_operation("      parameters: [{$ref: «'#/components/schemas/A'}]\n");
    assert_fault(
        &text,
        "reference",
        "expected a reference into `components.parameters`",
        "parameters/NAME",
    );
    let text = with_schemas("    A: {$ref: «5}\n");
    assert_fault(&text, "reference", "`$ref` must be a string", "NAME");
    let text = with_paths("  /a: {$ref: «'#/paths/~1b'}\n");
    assert_fault(
        &text,
        "reference",
        "a path item cannot be a reference",
        "write its operations out",
    );
}

#[test]
fn references_may_be_percent_encoded() {
    let document = readable(&with_schemas(
        "    Book: {type: string}\n    B: {$ref: '#/components/schemas/%42ook'}\n",
    ));
    let target = document
        .resolve(&document.schemas["B"])
        .expect("it leads somewhere");
    assert!(target.types.is_some());
}

#[test]
fn members_beside_a_reference_are_ignored_with_a_warning() {
    let text =
        with_schemas("    A: {}\n    B: {$ref: '#/components/schemas/A', «nullable: true}\n");
    assert_warning(
        &text,
        "reference-sibling",
        "`nullable` beside `$ref` is ignored",
        "allOf",
    );
}

#[test]
fn a_circular_reference_is_rejected() {
    let text = with_components("  parameters:\n    A: {$ref: «'#/components/parameters/A'}\n");
    assert_fault(
        &text,
        "reference-cycle",
        "A -> A",
        "replace one of the references",
    );
    let text = with_components(
        "  responses:\n    A: {$ref: '#/components/responses/B'}\n    B: {$ref: «'#/components/responses/A'}\n",
    );
    assert_fault(
        &text,
        "reference-cycle",
        "itself: A -> B -> A",
        "replace one of the references",
    );
}

#[test]
fn a_long_reference_cycle_is_found_quickly_and_printed_in_part() {
    let links: String = (0..20_000)
        .map(|index| {
            format!(
                "    P{index}: {{$ref: '#/components/parameters/P{}'}}\n",
                index + 1
            )
        })
        .collect();
    let text = with_components(&format!(
        "  parameters:\n{links}    P20000: {{$ref: «'#/components/parameters/P0'}}\n"
    ));
    assert_fault(
        &text,
        "reference-cycle",
        "P6 -> P7 -> … -> P20000 -> P0",
        "replace one of the references",
    );
}

#[test]
fn chains_of_references_are_followed() {
    let document = readable(
        "openapi: 3.0.3
info: {title: T, version: 1.0.0}
paths:
  /a:
    get:
      parameters: [{$ref: '#/components/parameters/A'}]
      requestBody: {$ref: '#/components/requestBodies/A'}
      responses: {'200': {$ref: '#/components/responses/A'}}
components:
  parameters:
    A: {$ref: '#/components/parameters/B'}
    B: {name: q, in: query, schema: {type: string}, examples: {e: {$ref: '#/components/examples/A'}}}
  examples:
    A: {$ref: '#/components/examples/B'}
    B: {value: text}
  requestBodies:
    A: {$ref: '#/components/requestBodies/B'}
    B: {content: {text/plain: {}}}
  headers:
    A: {$ref: '#/components/headers/B'}
    B: {schema: {type: integer}}
  responses:
    A: {$ref: '#/components/responses/B'}
    B: {description: Fine., headers: {X-Count: {$ref: '#/components/headers/A'}}}
",
    );
    let operation = &document.operations[0];
    assert_eq!(operation.parameters[0].name.value, "q");
    assert_eq!(operation.parameters[0].examples[0].as_str(), Some("text"));
    assert_eq!(
        operation.parameters[0].at.pointer,
        "/components/parameters/B"
    );
    assert_eq!(
        operation.request_body.as_ref().expect("a body").content[0]
            .name
            .value,
        "text/plain"
    );
    assert_eq!(operation.responses[0].status.value.to_string(), "200");
    assert_eq!(operation.responses[0].headers[0].name.value, "X-Count");
}

#[test]
fn a_recursive_schema_that_allows_finite_values_is_accepted() {
    assert_clean(&with_schemas(
        "    Tree: {type: object, properties: {left: {$ref: '#/components/schemas/Tree'}}}
    List: {type: array, items: {$ref: '#/components/schemas/List'}}
    Map: {type: object, additionalProperties: {$ref: '#/components/schemas/Map'}}
    Next: {type: object, required: [next], properties: {next: {nullable: true, allOf: [{$ref: '#/components/schemas/Next'}]}}}
",
    ));
}

#[test]
fn a_schema_that_is_composed_of_itself_is_rejected_with_the_chain_of_references() {
    for keyword in ["allOf", "oneOf", "anyOf"] {
        let text = with_schemas(&format!(
            "    A: {{{keyword}: [{{$ref: '#/components/schemas/B'}}]}}\n    B: {{$ref: «'#/components/schemas/A'}}\n"
        ));
        assert_fault(&text, "schema-cycle", "A -> B -> A", "from a property");
    }
    assert_fault(
        &with_schemas("    A: {not: {$ref: «'#/components/schemas/A'}}\n"),
        "schema-cycle",
        "A -> A",
        "break",
    );
}

#[test]
fn a_schema_without_finite_values_is_rejected() {
    let text = with_schemas(
        "    A: {type: object, required: [b], properties: {b: {$ref: «'#/components/schemas/A'}}}\n",
    );
    assert_fault(
        &text,
        "endless-schema",
        "`A` has no finite value",
        "optional",
    );
    let text = with_schemas(
        "    A: {type: array, minItems: 1, items: {oneOf: [{$ref: «'#/components/schemas/A'}]}}\n",
    );
    assert_fault(
        &text,
        "endless-schema",
        "`A` has no finite value",
        "optional",
    );
    assert_clean(&with_schemas(
        "    A: {type: array, minItems: 1, items: {oneOf: [{$ref: '#/components/schemas/A'}, {type: string}]}}\n",
    ));
}

#[test]
fn a_long_chain_of_schemas_does_not_overflow_the_stack() {
    let mut schemas = String::new();
    for index in 0..20_000 {
        schemas.push_str(&format!(
            "    S{index}: {{allOf: [{{$ref: '#/components/schemas/S{}'}}]}}\n",
            index + 1
        ));
    }
    schemas.push_str("    S20000: {type: string, default: a}\n");
    let text = with_schemas(&schemas).replace("S0: {", "S0: {default: 5, ");
    let document = readable(&text);
    openapi_dropshot_contract::lint(&document, openapi_dropshot_contract::Profile::Strict);
}

#[test]
fn references_that_would_expand_to_a_very_large_document_are_rejected() {
    let examples = vec!["1"; 10_000].join(", ");
    let parameter = format!(
        "  parameters:\n    P: {{name: q, in: query, schema: {{}}, example: [{examples}]}}\n"
    );
    let uses: String = (0..300)
        .map(|index| {
            format!("  /a{index}:\n    get:\n      parameters: [{{$ref: '#/components/parameters/P'}}]\n      responses: {{'200': {{description: Fine.}}}}\n")
        })
        .collect();
    let problems = read(
        "a.yaml",
        &format!("{}components:\n{parameter}", with_paths(&uses)),
    )
    .expect_err("too large");
    assert_eq!(problems.problems().len(), 1);
    assert_eq!(problems.problems()[0].rule, "too-many-references");
}
