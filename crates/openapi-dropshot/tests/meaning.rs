//! Tests that the generated code behaves as the document says for keywords that were once lost.
//! Each document has one such keyword.

use openapi_dropshot::{Options, generate_service};

/// Returns the generated models for a document with these component schemas (one per line), without
/// documentation. `Thing` is sent in both directions.
fn models(version: &str, schemas: &str) -> String {
    let schemas = schemas.lines().map(|line| format!("    {}\n", line.trim()));
    let schemas: String = schemas.collect();
    let content = "content: {application/json: {schema: {$ref: '#/components/schemas/Thing'}}}";
    let text = format!(
        "openapi: {version}\ninfo: {{title: T, version: 1.0.0}}\npaths:\n  /things:\n    post:\n      requestBody: {{required: true, {content}}}\n      responses: {{'200': {{description: D., {content}}}}}\ncomponents:\n  schemas:\n{schemas}"
    );
    let options = Options {
        command: "test".to_owned(),
        source: "api.yaml".to_owned(),
        models: "models".to_owned(),
        api: "api".to_owned(),
        client: "client".to_owned(),
        models_crate: "models".to_owned(),
        client_crate: "client".to_owned(),
        trait_name: None,
        renames: Default::default(),
    };
    let document = openapi_dropshot_contract::read("api.yaml", &text)
        .unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    let files = generate_service(&document, &options)
        .unwrap_or_else(|problems| panic!("{problems:?}\n{text}"))
        .files;
    let models = files.iter().find(|file| file.path == "models/schemas.rs");
    let lines = models.expect("there are schemas").text.lines();
    let code = lines.filter(|line| !line.trim_start().starts_with("///"));
    code.map(|line| format!("{line}\n")).collect()
}

/// The text between the braces after this text.
fn body<'m>(models: &'m str, of: &str) -> &'m str {
    let (_, rest) = models
        .split_once(of)
        .unwrap_or_else(|| panic!("no {of}: {models}"));
    rest.split_once("\n}").map_or(rest, |(body, _)| body)
}

#[test]
fn each_element_described_by_prefix_items_is_checked_by_its_own_type() {
    for rest in ["unevaluatedItems: false", "items: false"] {
        let models = models(
            "3.1.1",
            &format!(
                "Name: {{type: string, minLength: 1}}
                Thing: {{type: array, prefixItems: [{{$ref: '#/components/schemas/Name'}}, {{type: integer}}], {rest}}}"
            ),
        );
        let check = body(&models, "impl TryFrom<Vec<Value>> for Thing {");
        let check: String = check.split_whitespace().collect();
        for wanted in [
            "check_count(value.len(),None,Some(2),\"elements\",)?;",
            "check_element::<Name>(&value,0)?;",
            "check_element::<i64>(&value,1)?;",
        ] {
            assert!(check.contains(wanted), "{wanted}: {check}");
        }
    }
}

#[test]
fn a_property_closed_in_one_part_of_all_of_rejects_unknown_members() {
    let models = models(
        "3.0.3",
        "Address: {type: object, additionalProperties: false, properties: {street: {type: string}}}
        Base: {type: object, properties: {address: {$ref: '#/components/schemas/Address'}}}
        Thing: {allOf: [{$ref: '#/components/schemas/Base'}, {type: object, properties: {address: {type: object, required: [street], properties: {street: {type: string}}}}}]}",
    );
    let (before, fields) = models
        .split_once("pub struct ThingAddress {")
        .unwrap_or_else(|| panic!("{models}"));
    let attributes = before.rsplit("\n}").next().unwrap_or_default();
    assert!(attributes.contains("deny_unknown_fields"), "{attributes}");
    let (fields, _) = fields.split_once('}').expect("the end of the struct");
    assert!(fields.contains("pub street: String,"), "{fields}");
}

#[test]
fn a_discriminator_mapping_that_omits_a_subtype_does_not_exclude_the_subtype() {
    let models = models(
        "3.0.3",
        "Vehicle: {type: object, required: [kind], properties: {kind: {type: string}}, discriminator: {propertyName: kind, mapping: {truck: Truck}}}
        Car: {allOf: [{$ref: '#/components/schemas/Vehicle'}, {type: object, properties: {seats: {type: integer}}}]}
        Truck: {allOf: [{$ref: '#/components/schemas/Vehicle'}, {type: object, properties: {load: {type: integer}}}]}
        Thing: {type: object, properties: {vehicle: {$ref: '#/components/schemas/Vehicle'}}}",
    );
    let variants = body(&models, "pub enum Vehicle {");
    assert!(
        variants.contains("Truck(Truck)") && variants.contains("Car(Car)"),
        "{variants}"
    );
    assert!(
        models.contains("`kind` must be one of `Truck`, `truck`, `Car`"),
        "{models}"
    );
}

#[test]
fn null_is_accepted_only_where_every_keyword_allows_it() {
    let components = "Text: {type: [string, 'null'], maxLength: 5}
        Part: {type: [object, 'null'], properties: {a: {type: string}}}
        Other: {type: [object, 'null'], properties: {b: {type: string}}}
        Whole: {type: object, properties: {a: {type: string}}}";
    let reference = |name: &str| format!("{{$ref: '#/components/schemas/{name}'}}");
    let (text, part, other, whole) = (
        reference("Text"),
        reference("Part"),
        reference("Other"),
        reference("Whole"),
    );
    for (schema, nullable) in [
        (
            format!("{{allOf: [{text}, {{type: string, minLength: 1}}]}}"),
            false,
        ),
        (
            format!("{{type: object, anyOf: [{whole}, {{type: 'null'}}]}}"),
            false,
        ),
        (
            "{enum: [a, b], anyOf: [{type: string}, {type: 'null'}]}".to_owned(),
            false,
        ),
        (text.replace('}', ", type: string}"), false),
        (part.replace('}', ", type: object}"), false),
        (part.replace('}', ", description: D.}"), true),
        (format!("{{anyOf: [{whole}, {{type: 'null'}}]}}"), true),
        (format!("{{allOf: [{part}, {other}]}}"), true),
        (format!("{{allOf: [{part}, {whole}]}}"), false),
        (
            format!("{{allOf: [{text}, {{type: [string, 'null'], minLength: 1}}]}}"),
            true,
        ),
    ] {
        let models = models(
            "3.1.1",
            &format!("{components}\nThing: {{type: object, properties: {{x: {schema}}}}}"),
        );
        let fields = body(&models, "pub struct Thing {");
        assert_eq!(
            fields.contains("pub x: Option<Option<"),
            nullable,
            "{schema}: {fields}"
        );
        assert!(fields.contains("pub x: Option<"), "{schema}: {fields}");
    }
}

#[test]
fn only_schema_names_of_the_document_are_discriminator_values() {
    let schemas = "A: {type: object, required: [k, id], properties: {k: {type: string}, id: {type: integer, readOnly: true}}}
        B: {type: object, required: [k], properties: {k: {type: string}, n: {type: string}}}";
    let union = "oneOf: [{$ref: '#/components/schemas/A'}, {$ref: '#/components/schemas/B'}], discriminator: {propertyName: k}";
    for thing in [
        format!("{{{union}}}"),
        format!("{{type: object, properties: {{inner: {{{union}}}}}}}"),
        // Keywords beside the alternatives are moved into them, with their names.
        format!("{{type: object, properties: {{c: {{type: string}}}}, {union}}}"),
    ] {
        let models = models("3.0.3", &format!("{schemas}\nThing: {thing}"));
        assert!(models.contains("pub struct AInput"), "{models}");
        assert!(!models.contains("\"AInput\""), "{thing}: {models}");
        assert!(!models.contains("`AInput`, "), "{thing}: {models}");
        assert!(models.contains("\"A\""), "{thing}: {models}");
    }
}

#[test]
fn a_large_or_fractional_bound_of_an_integer_is_generated_as_an_exact_integer() {
    for (bound, last) in [
        (
            "maximum: 1.0e+16, exclusiveMaximum: true",
            "value <= 9999999999999999",
        ),
        ("maximum: 1.0e+16", "value <= 10000000000000000"),
        (
            "minimum: -1.0e+16, exclusiveMinimum: true",
            "value >= -9999999999999999",
        ),
        ("maximum: 5.5, exclusiveMaximum: true", "value <= 5"),
        ("maximum: 5, exclusiveMaximum: true", "value <= 4"),
    ] {
        let models = models("3.0.3", &format!("Thing: {{type: integer, {bound}}}"));
        assert!(models.contains(last), "{bound}: {models}");
    }
}

#[test]
fn a_part_of_all_of_with_only_annotations_does_not_change_the_type() {
    for (words, all_of) in [
        (
            "{description: Words.}",
            "{$ref: '#/components/schemas/Labels'}, {$ref: '#/components/schemas/Words'}",
        ),
        (
            "{title: W, deprecated: true}",
            "{$ref: '#/components/schemas/Words'}, {$ref: '#/components/schemas/Labels'}",
        ),
        (
            "{$ref: '#/components/schemas/More'}",
            "{$ref: '#/components/schemas/Labels'}, {$ref: '#/components/schemas/Words'}, {readOnly: true}",
        ),
    ] {
        let models = models(
            "3.1.0",
            &format!(
                "Labels: {{type: object, additionalProperties: {{oneOf: [{{type: boolean}}, {{type: string}}]}}}}
                Words: {words}
                More: {{description: More words.}}
                Thing: {{type: object, properties: {{m: {{allOf: [{all_of}]}}}}}}"
            ),
        );
        let fields = body(&models, "pub struct Thing {");
        assert!(
            fields.contains("pub m: Option<Labels>"),
            "{all_of}: {fields}"
        );
    }
}
