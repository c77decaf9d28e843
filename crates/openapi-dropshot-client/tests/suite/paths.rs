//! Tests that the value of a path parameter cannot leave its segment of the path; otherwise the request would reach another
//! operation.

use crate::clock::Passing;
use crate::service::{KEY, Service, client, response};
use openapi_dropshot_client::{
    Client, Error, ErrorKind,
    generated::{Call, Method, Operation, Parameter, Place, convert},
};

static REMOVE_KEYS: Operation = Operation {
    id: "removeKeys",
    method: Method::DELETE,
    path: "/orgs/{org}/members/{user}/keys",
    parameters: &[
        Parameter::new(Place::Path, "org", "org", true),
        Parameter::new(Place::Path, "user", "user", true),
    ],
    success: &[204],
};

/// Parameters that are parts of a segment.
static REMOVE_FILE: Operation = Operation {
    id: "removeFile",
    method: Method::DELETE,
    path: "/files/{name}.{extension}/%2e{hidden}/x{id}",
    parameters: &[
        Parameter::new(Place::Path, "name", "name", true),
        Parameter::new(Place::Path, "extension", "extension", true),
        Parameter::new(Place::Path, "hidden", "hidden", true),
        Parameter::new(Place::Path, "id", "id", true),
    ],
    success: &[204],
};

/// Two parameters that form a segment together, and a list.
static REMOVE_PAIR: Operation = Operation {
    id: "removePair",
    method: Method::DELETE,
    path: "/pairs/{left}{right}/{ids}",
    parameters: &[
        Parameter::new(Place::Path, "left", "left", true),
        Parameter::new(Place::Path, "right", "right", true),
        Parameter::new(Place::Path, "ids", "ids", true),
    ],
    success: &[204],
};

/// The values of parameters, by their names.
type Values<'a> = [(&'static str, &'a str)];

/// Calls an operation with these values of its parameters, with a client that retries.
async fn call(
    service: &Service,
    operation: &'static Operation,
    values: &Values<'_>,
) -> Result<(), Error> {
    let client = Client::builder(service.base_url())
        .api_key(KEY)
        .clock(Passing::new())
        .build()
        .expect("it is valid");
    let mut call = Call::new(&client, operation);
    for (name, value) in values {
        if *name == "ids" {
            let items = value.split_terminator(',').map(str::to_owned);
            call.set_joined(name, convert::<Vec<String>, Vec<String>>(items.collect()));
        } else {
            call.set_text(name, convert::<String, _>(*value));
        }
    }
    call.request().empty().await.map(drop)
}

fn removed() -> String {
    response("204 No Content", &[], "")
}

/// The targets of the requests that a service has received.
fn targets(service: &Service) -> Vec<String> {
    let requests = service.requests();
    let target = |request: &String| request.split(' ').nth(1).map(str::to_owned);
    requests.iter().filter_map(target).collect()
}

#[tokio::test]
async fn a_path_value_that_would_lead_to_another_operation_is_rejected_before_the_request_is_sent()
{
    let cases: [(&'static Operation, &Values<'_>, &str); 9] = [
        (
            &REMOVE_KEYS,
            &[("org", "acme"), ("user", "..")],
            "`user` makes `..` a segment of the path, which would lead to another operation: use another value",
        ),
        (
            &REMOVE_KEYS,
            &[("org", "."), ("user", "rex")],
            "`org` makes `.` a segment of the path, which would lead to another operation: use another value",
        ),
        (
            &REMOVE_KEYS,
            &[("org", "acme"), ("user", "")],
            "`user` is empty, so the path would lead to another operation: set it to a value that is not empty",
        ),
        (
            &REMOVE_FILE,
            &[
                ("name", ""),
                ("extension", "."),
                ("hidden", "a"),
                ("id", "1"),
            ],
            "`name` is empty, so the path would lead to another operation: set it to a value that is not empty",
        ),
        (
            &REMOVE_FILE,
            &[
                ("name", "a"),
                ("extension", "b"),
                ("hidden", "."),
                ("id", "1"),
            ],
            "`hidden` makes `%2e.` a segment of the path, which would lead to another operation: use another value",
        ),
        (
            &REMOVE_FILE,
            &[
                ("name", "a"),
                ("extension", "b"),
                ("hidden", "c"),
                ("id", ""),
            ],
            "`id` is empty, so the path would lead to another operation: set it to a value that is not empty",
        ),
        (
            &REMOVE_PAIR,
            &[("left", "."), ("right", "."), ("ids", "1")],
            "`left` makes `..` a segment of the path, which would lead to another operation: use another value",
        ),
        (
            &REMOVE_PAIR,
            &[("left", "a"), ("right", "b"), ("ids", "..")],
            "`ids` makes `..` a segment of the path, which would lead to another operation: use another value",
        ),
        (
            &REMOVE_PAIR,
            &[("left", "a"), ("right", "b"), ("ids", "")],
            "`ids` is empty, so the path would lead to another operation: set it to a value that is not empty",
        ),
    ];
    let service = Service::responding((0..cases.len()).map(|_| removed())).await;
    let mut wrong = Vec::new();
    for (operation, values, message) in cases {
        match call(&service, operation, values).await {
            Ok(()) => wrong.push(format!("{values:?} was sent")),
            Err(error) => {
                let as_expected = error.message() == message
                    && error.kind() == ErrorKind::Request
                    && !error.was_sent()
                    && !error.is_retryable()
                    && error.retries() == 0;
                if !as_expected {
                    wrong.push(format!("{values:?}: {error:?}"));
                }
            }
        }
    }
    assert_eq!((wrong, targets(&service)), (Vec::new(), Vec::new()));
}

#[tokio::test]
async fn a_path_parameter_value_is_always_encoded_as_exactly_one_path_segment() {
    // Characters that the crate `url` parses as a dot segment, a slash, or a part of an address, or removes.
    let cases = [
        (
            r"x\..\..\..\..\admin",
            "/v1/orgs/acme/members/x%5C..%5C..%5C..%5C..%5Cadmin/keys",
        ),
        (r"\", "/v1/orgs/acme/members/%5C/keys"),
        ("../../x", "/v1/orgs/acme/members/..%2F..%2Fx/keys"),
        ("%2e%2e", "/v1/orgs/acme/members/%252e%252e/keys"),
        (".%2E", "/v1/orgs/acme/members/.%252E/keys"),
        (".\t.", "/v1/orgs/acme/members/.%09./keys"),
        ("\n..", "/v1/orgs/acme/members/%0A../keys"),
        (".. ", "/v1/orgs/acme/members/..%20/keys"),
        ("...", "/v1/orgs/acme/members/.../keys"),
        (".hidden", "/v1/orgs/acme/members/.hidden/keys"),
        ("a?b#c", "/v1/orgs/acme/members/a%3Fb%23c/keys"),
        ("http://x", "/v1/orgs/acme/members/http:%2F%2Fx/keys"),
        // The full-width dot and the one dot leader look like dots, but are other characters.
        (
            "\u{ff0e}\u{2024}",
            "/v1/orgs/acme/members/%EF%BC%8E%E2%80%A4/keys",
        ),
    ];
    let service = Service::responding((0..cases.len()).map(|_| removed())).await;
    for (user, _) in cases {
        call(&service, &REMOVE_KEYS, &[("org", "acme"), ("user", user)])
            .await
            .expect("it is a segment");
    }
    let expected: Vec<_> = cases.iter().map(|(_, target)| *target).collect();
    assert_eq!(targets(&service), expected);
}

#[tokio::test]
async fn a_path_parameter_value_in_braces_is_not_replaced_by_another_parameter() {
    let service = Service::responding([removed(), removed(), removed()]).await;
    let values = [("org", "{user}"), ("user", "{org}")];
    let sent = call(&service, &REMOVE_KEYS, &values).await;
    sent.expect("both are segments");
    let values = [
        ("name", "{extension}"),
        ("extension", ".."),
        ("hidden", "{id}"),
        ("id", "."),
    ];
    let sent = call(&service, &REMOVE_FILE, &values).await;
    sent.expect("no segment consists of dots");
    let values = [("left", "."), ("right", "{left}"), ("ids", "..,{right}")];
    let sent = call(&service, &REMOVE_PAIR, &values).await;
    sent.expect("no segment consists of dots");
    assert_eq!(
        targets(&service),
        [
            "/v1/orgs/%7Buser%7D/members/%7Borg%7D/keys",
            "/v1/files/%7Bextension%7D.../%2e%7Bid%7D/x.",
            "/v1/pairs/.%7Bleft%7D/..,%7Bright%7D",
        ]
    );
}

#[tokio::test]
async fn a_generated_client_checks_its_path_parameters() {
    let service = Service::responding([removed(), removed()]).await;
    let client = client(&service);
    for shelf in ["..", ""] {
        let error = client.remove_shelf().shelf(shelf).send().await;
        let error = error.map(drop).expect_err("it is another operation");
        assert!(error.message().starts_with("`shelf` "), "{error}");
    }
    assert_eq!(service.requests().len(), 0);
}
