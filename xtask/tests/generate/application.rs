//! Tests that an addition to the contract does not affect applications that use the client. An application is compiled
//! against the client of this document, and then against the client of a document with more operations, properties and
//! values. Operations that are not stable need the cargo feature for their level.

use super::contract_change::generate;
use crate::copy::Copy;
use serde_json::Value;

const DOCUMENT: &str = "spec/openapi.yaml";
const EXAMPLE: &str = "examples/add_pet.rs";

/// Uses the current client in every way that its documentation allows: builders, fields, matches, streams, settings,
/// errors.
const APPLICATION: &str = r#"//! An application.

use petstore_client::{CallOptions, Client, Error, ErrorCode, NewPet, Pet, PetStatus, RetryPolicy};

async fn add(client: &Client) -> Result<Pet, Error> {
    let pet: Result<NewPet, _> = NewPet::builder().name("Rex").category_id(7).try_into();
    let pet = pet.expect("complete");
    let call = client.create_pet().idempotency_key("once").body(pet);
    Ok(call.with(CallOptions::new().retry(RetryPolicy::never())).send().await?.into_inner())
}

async fn walk(client: &Client) -> Result<i64, Error> {
    let mut pets = client.list_pets().status(PetStatus::Sold).limit(100).stream();
    let mut sum = 0;
    while let Some(pet) = pets.next().await {
        let Pet { id, name, category_id, status, .. } = pet?;
        sum += id + category_id + name.len() as i64;
        sum += match status {
            Some(PetStatus::Available | PetStatus::Pending | PetStatus::Sold) => 1,
            Some(PetStatus::Unknown(text)) => text.len() as i64,
            _ => 0,
        };
    }
    Ok(sum)
}

fn main() -> Result<(), Error> {
    let client = Client::builder("http://127.0.0.1:8080/v1").api_key("key").build()?;
    let (added, walked) = (add(&client), walk(&client));
    drop((added, walked));
    let decide = |error: &Error| match error.code() {
        Some(ErrorCode::NotFound) => 1,
        Some(ErrorCode::Unknown(_)) => 2,
        _ => 3,
    };
    let _ = decide;
    Ok(())
}
"#;

/// Uses an operation of each level that is not stable.
const ADVENTUROUS: &str = r#"//! An application that tries what is new.

use petstore_client::Client;

/// Makes requests.
pub fn new(client: &Client) {
    drop(client.count_pets());
    drop(client.guess_pets());
}

fn main() {}
"#;

/// Two operations that are not stable, and one stable operation.
fn operations() -> String {
    let operation = |path: &str, id: &str, level: &str| {
        format!(
            "\n  /{path}:
    get:
      operationId: {id}
      tags: [pets]
      summary: Something new
      description: Returns pets.{level}
      responses:
        '200':
          description: Some pets.
          content:
            application/json:
              schema:
                $ref: '#/components/schemas/Pets'
              example: []
        '401':
          $ref: '#/components/responses/Unauthorized'
        4XX:
          description: The request is invalid for another reason.
          x-error-codes:
            - invalid_request
            - method_not_allowed
            - request_timeout
            - payload_too_large
            - rate_limited
          content:
            application/json:
              schema:
                $ref: '#/components/schemas/Error'
              example:
                code: invalid_request
                message: no
                status: 400
        5XX:
          $ref: '#/components/responses/ServerError'
"
        )
    };
    [
        operation("all-pets", "allPets", ""),
        operation("count-pets", "countPets", "\n      x-stability-level: beta"),
        operation(
            "guess-pets",
            "guessPets",
            "\n      x-stability-level: experimental",
        ),
        "\ncomponents:\n".to_owned(),
    ]
    .concat()
}

/// Adds more of everything that may be added.
pub(crate) fn add_to_the_contract(copy: &Copy) {
    copy.replace(DOCUMENT, "\ncomponents:\n", &operations());
    copy.replace(
        DOCUMENT,
        "        - $ref: '#/components/parameters/Cursor'\n",
        "        - $ref: '#/components/parameters/Cursor'
        - name: name
          in: query
          description: Restricts the result to pets of this name.
          schema:
            type: string
          example: Rex\n",
    );
    copy.replace(
        DOCUMENT,
        "\n        status:\n          $ref: '#/components/schemas/PetStatus'\n",
        "
        bornOn:
          description: The day the pet was born on.
          type: string
          format: date
        status:
          $ref: '#/components/schemas/PetStatus'\n",
    );
    copy.replace(
        DOCUMENT,
        "\n        - sold\n",
        "\n        - sold\n        - reserved\n",
    );
    copy.replace(
        DOCUMENT,
        "            - unavailable\n          x-error-catalogue:\n",
        "            - unavailable\n            - closed\n          x-error-catalogue:
            closed:
              status: 503
              cause: The store is closed.
              cure: Come back tomorrow.\n",
    );
}

#[test]
fn an_application_compiles_with_the_client_before_and_after_an_addition_to_the_document() {
    let (copy, _lock) = Copy::of_the_workspace();

    copy.write(EXAMPLE, APPLICATION);
    assert_eq!(faults(&copy, &[]), Vec::<String>::new(), "before");
    add_to_the_contract(&copy);
    generate(&copy);
    assert_eq!(faults(&copy, &[]), Vec::<String>::new(), "after");

    // Some members of the workspace enable the feature `beta`, which enables it for all members. The command line and the
    // examples also enable `experimental`.
    let cli = "crates/petstore-cli/Cargo.toml";
    copy.replace(cli, "[\"beta\", \"experimental\"]", "[\"beta\"]");
    copy.replace(
        "examples/Cargo.toml",
        "default = [\"webhooks\"]",
        "default = []",
    );
    copy.write(EXAMPLE, ADVENTUROUS);
    let hidden = faults(&copy, &[]);
    assert!(
        matches!(hidden.as_slice(), [only] if only.contains("guess_pets")),
        "{hidden:#?}"
    );
    let shown = faults(&copy, &["petstore-client/experimental"]);
    assert_eq!(shown, Vec::<String>::new(), "all features");
    // Without the feature, which is the default.
    copy.replace("examples/Cargo.toml", "[\"beta\", ", "[");
    copy.replace(cli, ", features = [\"beta\"]", "");
    let hidden = faults(&copy, &[]);
    for method in ["count_pets", "guess_pets"] {
        assert!(
            hidden.iter().any(|fault| fault.contains(method)),
            "{method} is there without its feature: {hidden:#?}"
        );
    }
}

/// Returns what the compiler reports for the client and for the crates that use it, including warnings. The service is
/// not compiled, because its new operations have no handlers yet.
fn faults(copy: &Copy, features: &[&str]) -> Vec<String> {
    let output = copy
        .cargo()
        // The whole workspace is compiled, so that the features are the same as for other commands and no dependency
        // is compiled again.
        .args(["check", "--workspace", "--bin", "add_pet", "--locked"])
        .args(["--message-format=json", "--features", &features.join(",")])
        .output()
        .expect("cargo can be run");
    let lines = output.stdout.split(|byte| *byte == b'\n');
    let messages: Vec<Value> = lines
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).expect("cargo prints JSON"))
        .collect();
    let is_asked = |message: &&Value| {
        let name = message["target"]["name"].as_str().unwrap_or_default();
        ["petstore_client", "petstore_examples", "add_pet"].contains(&name)
    };
    let asked: Vec<&Value> = messages.iter().filter(is_asked).collect();
    assert!(
        !asked.is_empty(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    asked
        .iter()
        .filter(|message| message["reason"] == "compiler-message")
        .map(|message| &message["message"])
        // The last message only counts the messages before it.
        .filter(|message| !message["spans"].as_array().is_none_or(Vec::is_empty))
        .map(|message| message["rendered"].as_str().unwrap_or_default().to_owned())
        .collect()
}
