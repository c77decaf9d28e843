//! Tests changes that look harmless but break clients, and changes that look breaking but are harmless.

use super::{before, changes};
use openapi_dropshot_contract::diff::{Level, Policy};
use openapi_dropshot_contract::rules::Part;

/// Returns the ids of the breaking changes if one part of a document is replaced by another.
fn breaks(part: Part, base: &str, revision: &str) -> Vec<String> {
    let document = |text: &str| part.document(text).expect("a part of a document");
    let changes = changes(&document(base), &document(revision), &Policy::on(before()));
    let mut ids: Vec<String> = (changes.into_iter())
        .filter(|change| change.level == Level::Err)
        .map(|change| change.id.to_owned())
        .collect();
    ids.sort();
    ids.dedup();
    ids
}

fn scheme(scheme: &str) -> String {
    format!("components: {{securitySchemes: {{k: {scheme}}}}}")
}

/// The members of an operation that uses a schema in the request and in the response.
fn both(schema: &str) -> String {
    let content = format!("content: {{application/json: {{schema: {schema}}}}}");
    format!("requestBody: {{{content}}}, responses: {{'200': {{description: Here., {content}}}}}")
}

/// The members of an operation that uses a schema in the response.
fn given(schema: &str) -> String {
    format!(
        "responses: {{'200': {{description: Here., content: {{application/json: {{schema: {schema}}}}}}}}}"
    )
}

/// The members of an operation that uses a schema in the request.
fn taken(schema: &str) -> String {
    format!("requestBody: {{content: {{application/json: {{schema: {schema}}}}}}}")
}

#[test]
fn a_changed_type_of_credential_breaks_clients() {
    let credential: &[&str] = &["api-security-component-credential-changed"];
    let url: &[&str] = &["api-security-component-url-moved"];
    let bearer = "{type: http, scheme: bearer}";
    let flow = |members: &str| format!("{{type: oauth2, flows: {{{members}}}}}");
    let client = |token: &str| {
        flow(&format!(
            "clientCredentials: {{tokenUrl: {token}, scopes: {{}}}}"
        ))
    };
    let table: &[(&str, &str, &[&str])] = &[
        (bearer, "{type: http, scheme: basic}", credential),
        (
            bearer,
            "{type: apiKey, name: X-Key, in: header}",
            credential,
        ),
        (bearer, "{type: http, scheme: Bearer}", &[]),
        // The token is still a bearer token.
        (bearer, &client("/t"), &[]),
        (&client("/t"), &client("/u"), url),
        (
            &flow("authorizationCode: {authorizationUrl: /a, tokenUrl: /t, scopes: {}}"),
            &flow("authorizationCode: {authorizationUrl: /b, tokenUrl: /t, scopes: {}}"),
            url,
        ),
        (
            "{type: openIdConnect, openIdConnectUrl: /a}",
            "{type: openIdConnect, openIdConnectUrl: /b}",
            url,
        ),
        (
            &flow("password: {tokenUrl: /t, scopes: {}}"),
            &client("/t"),
            &["api-security-component-oauth-flow-removed"],
        ),
    ];
    for (base, revision, expected) in table {
        let found = breaks(Part::Document, &scheme(base), &scheme(revision));
        assert_eq!(found, *expected, "{base} to {revision}");
    }
}

#[test]
fn changing_the_path_or_host_of_the_first_server_breaks_clients() {
    let moved: &[&str] = &["api-global-server-moved"];
    let variable = |default: &str| {
        format!("[{{url: 'https://{{host}}/v1', variables: {{host: {{default: {default}}}}}}}]")
    };
    let base_path = |default: &str| {
        format!("[{{url: '{{base}}', variables: {{base: {{default: '{default}'}}}}}}]")
    };
    let table: &[(&str, &str, &[&str])] = &[
        ("[{url: /v1}]", "[{url: /v2}]", moved),
        (
            "[{url: 'https://a.example/v1'}]",
            "[{url: 'https://a.example/v2'}]",
            moved,
        ),
        (
            "[{url: 'https://a.example/v1'}]",
            "[{url: 'https://b.example/v1'}]",
            moved,
        ),
        (
            "[{url: 'https://a.example'}]",
            "[{url: 'https://a.example/v1'}]",
            moved,
        ),
        (&variable("a.example"), &variable("b.example"), moved),
        (&base_path("/v1"), &base_path("/v2"), moved),
        // The old address still exists, beside another one or in another notation.
        (
            "[{url: 'https://a.example/v1'}]",
            "[{url: 'https://b.example/v1'}, {url: 'https://a.example/v1'}]",
            &[],
        ),
        (
            &variable("a.example"),
            "[{url: 'https://a.example/v1'}]",
            &[],
        ),
        ("[{url: /v1}]", "[{url: /v1/}]", &[]),
        ("[{url: /v1}]", "[{url: 'https://a.example/v1'}]", &[]),
        // A generated service uses only the path of the first server.
        (
            "[{url: /v1}, {url: /v2}]",
            "[{url: /v2}, {url: /v1}]",
            moved,
        ),
    ];
    for (base, revision, expected) in table {
        let [from, to] = [base, revision].map(|servers| format!("servers: {servers}"));
        assert_eq!(
            breaks(Part::Document, &from, &to),
            *expected,
            "{base} to {revision}"
        );
        let expected: Vec<String> = (expected.iter())
            .map(|id| id.replace("api-global", "api"))
            .collect();
        assert_eq!(
            breaks(Part::Operation, &from, &to),
            expected,
            "{base} to {revision}"
        );
    }
}

/// A document whose operations use one of two components in requests and responses. This discriminator chooses the
/// component.
fn union(discriminator: &str) -> String {
    let schema = "{oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}]";
    let component = |name: &str, property: &str| {
        format!(
            "{name}: {{type: object, required: [kind, {property}], properties: {{kind: {{type: string}}, type: {{type: string}}, {property}: {{type: string}}}}}}"
        )
    };
    let discriminator = match discriminator {
        "" => String::new(),
        members => format!(", discriminator: {{{members}}}"),
    };
    format!(
        "paths: {{/in: {{post: {{{}, responses: {{'204': {{description: Done.}}}}}}}}, /out: {{get: {{{}}}}}}}\n\
         components: {{schemas: {{{}, {}}}}}",
        taken(&format!("{schema}{discriminator}}}")),
        given(&format!("{schema}{discriminator}}}")),
        component("Cat", "meows"),
        component("Dog", "barks"),
    )
}

#[test]
fn a_changed_discriminator_breaks_clients() {
    const CAT: &str = "'#/components/schemas/Cat'";
    const DOG: &str = "'#/components/schemas/Dog'";
    let mapping = |entries: &[(&str, &str)]| {
        let entries: Vec<String> = (entries.iter())
            .map(|(value, target)| format!("{value}: {target}"))
            .collect();
        format!("propertyName: kind, mapping: {{{}}}", entries.join(", "))
    };
    let request = "request-body-discriminator-incompatible";
    let response = "response-body-discriminator-incompatible";
    let base = mapping(&[("c", CAT), ("d", DOG)]);
    let table: &[(&str, &str, &[&str])] = &[
        (
            &base,
            &mapping(&[("c", DOG), ("d", CAT)]),
            &[request, response],
        ),
        (
            &base,
            &mapping(&[("cat", CAT), ("d", DOG)]),
            &[request, response],
        ),
        (&base, "", &[request, response]),
        ("propertyName: kind", "", &[request, response]),
        (
            "propertyName: kind",
            "propertyName: type",
            &[request, response],
        ),
        // The service understands the new name, and may also send it.
        (
            &base,
            &mapping(&[("c", CAT), ("cat", CAT), ("d", DOG)]),
            &[response],
        ),
        // The names of the components are always values of the discriminator.
        (
            "propertyName: kind",
            &mapping(&[("Cat", CAT), ("Dog", "Dog")]),
            &[],
        ),
        (&base, &mapping(&[("d", "Dog"), ("c", "Cat")]), &[]),
        ("", "propertyName: kind", &[]),
    ];
    for (base, revision, expected) in table {
        let found = breaks(Part::Document, &union(base), &union(revision));
        assert_eq!(found, *expected, "{base} to {revision}");
    }
}

#[test]
fn a_property_that_is_no_longer_accepted_or_sent_breaks_clients() {
    let object = |required: &str, members: &str| {
        format!("{{type: object, required: [b{required}], properties: {{b: {{}}{members}}}}}")
    };
    let table: &[(String, String, &[&str])] = &[
        (
            taken(&object(", a", ", a: {}")),
            taken(&object(", a", ", a: {readOnly: true}")),
            &["request-required-property-no-longer-accepted"],
        ),
        (
            given(&object(", a", ", a: {}")),
            given(&object(", a", ", a: {writeOnly: true}")),
            &["response-required-property-removed"],
        ),
        (
            given(&object("", ", a: {}")),
            given(&object("", ", a: {writeOnly: true}")),
            &["response-optional-property-no-longer-sent"],
        ),
        (
            given(&object("", ", a: {}")),
            given(&object("", "")),
            &["response-optional-property-no-longer-sent"],
        ),
        // The removal was announced, and there is no sunset, or it has passed.
        (
            given(&object("", ", a: {deprecated: true}")),
            given(&object("", "")),
            &[],
        ),
        (
            given(&object("", ", a: {deprecated: true, x-sunset: 2026-11-20}")),
            given(&object("", "")),
            &[],
        ),
        (
            given(&object("", ", a: {deprecated: true, x-sunset: 2026-12-20}")),
            given(&object("", "")),
            &["response-optional-property-no-longer-sent"],
        ),
        // The property was never in the responses, or never in the requests.
        (
            given(&object("", ", a: {writeOnly: true}")),
            given(&object("", "")),
            &[],
        ),
        (
            taken(&object("", ", a: {readOnly: true}")),
            taken(&object("", "")),
            &[],
        ),
    ];
    for (base, revision, expected) in table {
        let found = breaks(Part::Operation, base, revision);
        assert_eq!(found, *expected, "{base} to {revision}");
    }
    let link = |headers: &str| {
        format!("responses: {{'200': {{description: Here., headers: {{{headers}}}}}}}")
    };
    assert_eq!(
        breaks(
            Part::Operation,
            &link("Link: {schema: {type: string}}"),
            &link("")
        ),
        ["response-optional-header-no-longer-sent"]
    );
}

#[test]
fn changing_a_media_type_to_another_type_with_the_same_suffix_breaks_clients() {
    let (json, vendor) = ("application/json", "application/vnd.shop+json");
    let taken = |media: &str| format!("requestBody: {{content: {{{media}: {{}}}}}}");
    let given = |media: &str| {
        format!("responses: {{'200': {{description: Here., content: {{{media}: {{}}}}}}}}")
    };
    let removed = ["request-body-media-type-removed"];
    assert_eq!(
        breaks(Part::Operation, &taken(json), &taken(vendor)),
        removed
    );
    assert_eq!(
        breaks(Part::Operation, &taken(vendor), &taken(json)),
        removed
    );
    assert_eq!(
        breaks(Part::Operation, &given(json), &given(vendor)),
        ["response-media-type-replaced"]
    );
    assert_eq!(
        breaks(Part::Operation, &given(vendor), &given(json)),
        ["response-media-type-name-generalized"]
    );
    // The range of media types includes the new media type.
    assert!(breaks(Part::Operation, &given("'application/*'"), &given(json)).is_empty());
    assert!(breaks(Part::Operation, &taken(json), &taken("'application/*'")).is_empty());
}

#[test]
fn forbidding_further_elements_breaks_clients_in_requests_but_not_in_responses() {
    let open = "{type: array, prefixItems: [{type: string}, {type: integer}]}";
    let closed = open.replace("]}", "], unevaluatedItems: false}");
    let same = open.replace("]}", "], items: false}");
    let is_broken = |part: fn(&str) -> String, base: &str, revision: &str| {
        !breaks(Part::Operation, &part(base), &part(revision)).is_empty()
    };
    let taken = |schema: &str| format!("{}, {}", taken(schema), given("{}"));
    assert!(is_broken(taken, open, &closed));
    assert!(!is_broken(taken, &closed, open));
    assert!(!is_broken(taken, &closed, &same));
    let member = |schema: &str| given(&format!("{{type: object, properties: {{a: {schema}}}}}"));
    assert!(is_broken(member, &closed, open));
    assert!(!is_broken(member, open, &closed));
}

#[test]
fn a_renamed_parameter_breaks_clients() {
    let parameter = |name: &str, place: &str, schema: &str| {
        format!("{{name: {name}, in: {place}, schema: {{type: {schema}}}}}")
    };
    let parameters = |list: &[String]| format!("parameters: [{}]", list.join(", "));
    let q = parameter("q", "query", "string");
    let search = parameter("search", "query", "string");
    let renamed: &[&str] = &["request-parameter-renamed"];
    let table: &[(&[String], &[String], &[&str])] = &[
        (
            std::slice::from_ref(&q),
            std::slice::from_ref(&search),
            renamed,
        ),
        (
            &[parameter("X-A", "header", "string")],
            &[parameter("X-B", "header", "string")],
            renamed,
        ),
        // Two parameters, or a parameter with another location or type, do not count as renamed.
        (
            std::slice::from_ref(&q),
            &[parameter("search", "header", "string")],
            &[],
        ),
        (
            std::slice::from_ref(&q),
            &[parameter("search", "query", "integer")],
            &[],
        ),
        (
            &[q.clone(), search.clone()],
            std::slice::from_ref(&search),
            &[],
        ),
        (std::slice::from_ref(&q), &[q.clone(), search.clone()], &[]),
    ];
    for (base, revision, expected) in table {
        let found = breaks(Part::Operation, &parameters(base), &parameters(revision));
        assert_eq!(found, *expected, "{base:?} to {revision:?}");
    }
}

#[test]
fn a_changed_pattern_that_rejects_strings_that_were_allowed_breaks_clients() {
    let tightened: &[&str] = &["request-body-pattern-tightened"];
    let table: &[(&str, &str, &str, &[&str])] = &[
        ("^[a-z]+$", "^[a-z]{3}$", "", tightened),
        ("^[a-z]{1,20}$", "^[a-z]{1,10}$", "", tightened),
        ("^[A-Za-z0-9_-]+$", "^[A-Za-z0-9-]+$", "", tightened),
        (r"^\d{3}-\d{4}$", r"^555-\d{4}$", "", tightened),
        ("shop", "^shop", "", tightened),
        // All earlier values are still allowed.
        ("^[a-z]{3}$", "^[a-z]+$", "", &[]),
        ("^(a|b)$", "^[ab]$", "", &[]),
        (r"^\d+$", "^[0-9]*$", "", &[]),
        ("^shop", "shop", "", &[]),
        // No string with this length is affected by the change.
        ("^[a-z]*$", "^[a-z]+$", ", minLength: 1", &[]),
        ("^[a-z]+$", "^[a-z]{1,5}$", ", maxLength: 5", &[]),
        (
            "^[a-z]+$",
            "^[a-z]{1,5}$",
            ", minLength: 5, maxLength: 6",
            tightened,
        ),
        // Patterns with look-around are not compared.
        ("^(?!a)[a-z]+$", "^(?!b)[a-z]+$", "", &[]),
    ];
    for (base, revision, lengths, expected) in table {
        let schema = |pattern: &str| format!("{{type: string, pattern: '{pattern}'{lengths}}}");
        let (base, revision) = (both(&schema(base)), both(&schema(revision)));
        assert_eq!(
            breaks(Part::Operation, &base, &revision),
            *expected,
            "{base} to {revision}"
        );
    }
}

#[test]
fn raising_max_length_of_a_response_or_replacing_one_of_with_any_of_breaks_no_clients() {
    let choice = |keyword: &str| {
        format!(
            "{{{keyword}: [{{type: object, required: [a], properties: {{a: {{}}}}}}, {{type: object, required: [b], properties: {{b: {{}}}}}}]}}"
        )
    };
    let table = [
        (
            "{type: string, maxLength: 5}".to_owned(),
            "{type: string, maxLength: 9}".to_owned(),
        ),
        (
            "{type: string, maxLength: 5}".to_owned(),
            "{type: string}".to_owned(),
        ),
        (choice("oneOf"), choice("anyOf")),
    ];
    for (base, revision) in table {
        let found = breaks(Part::Operation, &both(&base), &both(&revision));
        assert!(found.is_empty(), "{base} to {revision}: {found:?}");
    }
    // The changed alternatives themselves are also compared.
    let changed = choice("anyOf").replace("required: [b], ", "");
    assert_eq!(
        breaks(Part::Operation, &given(&choice("oneOf")), &given(&changed)),
        ["response-property-became-optional"]
    );
}
