//! Tests a change of the contract in a copy of the workspace.
//!
//! The test adds an operation, a property and an enum value, then runs `cargo xtask generate` and
//! `cargo check`. All generated code must compile, and the compiler must report exactly the places
//! in hand-written code that need a decision.

use crate::copy::Copy;
use serde_json::Value;
use std::{fmt, process::Command};

const DOCUMENT: &str = "spec/openapi.yaml";

const OPERATION: &str = "
    delete:
      operationId: deletePet
      x-stability-level: beta
      tags: [pets]
      summary: Remove a pet
      description: Removes the pet that has the given identifier.
      parameters:
        - name: petId
          in: path
          required: true
          description: Identifier of the pet.
          schema:
            type: integer
            format: int64
          example: 1
      responses:
        '204':
          description: The pet was removed.
        '401':
          $ref: '#/components/responses/Unauthorized'
        4XX:
          description: Another fault of the request.
          x-error-codes:
            - invalid_request
            - not_found
            - method_not_allowed
            - request_timeout
            - payload_too_large
            - pet_not_available
            - rate_limited
          content:
            application/json:
              schema:
                $ref: '#/components/schemas/Error'
              example:
                code: not_found
                message: there is no pet with the id 5
                status: 404
        5XX:
          $ref: '#/components/responses/ServerError'

  /store/orders:
";

const PROPERTY: &str = "
        bornOn:
          description: The day the pet was born on.
          type: string
          format: date
        status:
          $ref: '#/components/schemas/PetStatus'
";

/// The error for a trait implementation without one of the methods.
const MISSING_METHOD: &str = "E0046";
/// The errors for a struct expression and a struct pattern without one of the fields.
const MISSING_FIELD: [&str; 2] = ["E0063", "E0027"];
/// The error for a match without one of the variants.
const MISSING_VARIANT: &str = "E0004";

/// A place that the compiler reports.
struct Place {
    file: String,
    line: u64,
    code: String,
    message: String,
    /// The byte offset in the file.
    begin: usize,
    /// The text that the compiler suggests between two bytes of the file.
    suggestion: Option<(usize, usize, String)>,
}

#[test]
fn the_compiler_reports_each_place_that_a_contract_change_affects() {
    let (copy, _lock) = Copy::of_the_workspace();

    change_the_contract(&copy);
    generate(&copy);

    let places = follow_the_compiler(&copy);
    let listed: Vec<String> = places.iter().map(Place::to_string).collect();
    let listed = listed.join("\n");
    println!("{listed}");

    let by_hand = |place: &Place| {
        place.file.starts_with("crates/petstore-") && !place.file.contains("/generated/")
    };
    assert!(
        places.iter().all(by_hand),
        "the compiler leads to places that have nothing to decide:\n{listed}"
    );
    let handlers = places.iter().filter(|place| {
        place.is(
            &[MISSING_METHOD],
            "`delete_pet`",
            "crates/petstore-server/src/service",
        )
    });
    assert_eq!(
        handlers.count(),
        1,
        "it does not lead to the missing handler:\n{listed}"
    );
    assert!(
        places.iter().any(|place| place.is(
            &MISSING_FIELD,
            "`born_on`",
            "crates/petstore-store/src"
        )),
        "it does not lead to where the new field is kept:\n{listed}"
    );
    assert!(
        places
            .iter()
            .any(|place| place.is(&[MISSING_VARIANT], "Reserved", "crates/petstore-")),
        "it does not lead to a match on the enum:\n{listed}"
    );
}

/// Returns all places that the compiler reports. The compiler checks a crate only if its
/// dependencies compile, so after each round the reported places are fixed roughly as the compiler
/// suggests, until only the missing method is left.
fn follow_the_compiler(copy: &Copy) -> Vec<Place> {
    const ROUNDS: usize = 5;
    let mut places = Vec::new();
    for _ in 0..ROUNDS {
        let (methods, mendable): (Vec<_>, Vec<_>) = check(copy)
            .into_iter()
            .partition(|place| place.code == MISSING_METHOD);
        if mendable.is_empty() {
            places.extend(methods);
            return places;
        }
        mend(copy, &mendable);
        places.extend(mendable);
    }
    panic!(
        "{ROUNDS} rounds did not mend everything: {}",
        places.last().map_or(String::new(), Place::to_string)
    );
}

fn change_the_contract(copy: &Copy) {
    copy.replace(DOCUMENT, "\n  /store/orders:\n", OPERATION);
    copy.replace(
        DOCUMENT,
        "\n        status:\n          $ref: '#/components/schemas/PetStatus'\n",
        PROPERTY,
    );
    copy.replace(
        DOCUMENT,
        "\n        - sold\n",
        "\n        - sold\n        - reserved\n",
    );
}

/// Runs `cargo xtask generate` in a copy.
pub(crate) fn generate(copy: &Copy) {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .arg("--root")
        .arg(copy.root())
        .arg("generate")
        .output()
        .expect("xtask can be run");
    assert!(
        output.status.success(),
        "generate: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Runs `cargo check` and returns the errors.
fn check(copy: &Copy) -> Vec<Place> {
    let output = copy
        .cargo()
        // The whole workspace is checked, as in other commands, so that no dependency is compiled
        // again.
        .args([
            "check",
            "--workspace",
            "--keep-going",
            "--locked",
            "--message-format=json",
        ])
        .output()
        .expect("cargo can be run");
    let stderr = String::from_utf8_lossy(&output.stderr);
    let lines = output
        .stdout
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty());
    let messages =
        lines.map(|line| serde_json::from_slice::<Value>(line).expect("cargo prints JSON"));
    let places: Vec<Place> = messages
        .filter_map(|message| Place::of(&message["message"]))
        .collect();
    assert_eq!(
        output.status.success(),
        places.is_empty(),
        "cargo failed without leading anywhere: {stderr}"
    );
    places
}

impl Place {
    /// Returns the place of an error; `None` if the message is not an error or has no place.
    fn of(message: &Value) -> Option<Self> {
        let span = spans(message).find(|span| span["is_primary"] == true)?;
        let proposed = message["children"].as_array()?.iter().flat_map(spans);
        let suggestion = proposed.filter_map(|span| {
            Some((
                number(&span["byte_start"])?,
                number(&span["byte_end"])?,
                span["suggested_replacement"].as_str()?.to_owned(),
            ))
        });
        (message["level"] == "error").then(|| Place {
            file: span["file_name"].as_str().unwrap_or_default().to_owned(),
            line: span["line_start"].as_u64().unwrap_or_default(),
            code: message["code"]["code"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            message: message["message"].as_str().unwrap_or_default().to_owned(),
            begin: number(&span["byte_start"]).unwrap_or_default(),
            suggestion: suggestion.last(),
        })
    }
}

impl Place {
    /// Whether the compiler reports one of these errors about this name in this folder.
    fn is(&self, codes: &[&str], name: &str, below: &str) -> bool {
        codes.contains(&self.code.as_str())
            && self.message.contains(name)
            && self.file.starts_with(below)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}:{}: {} {}",
            self.file, self.line, self.code, self.message
        )
    }
}

fn spans(message: &Value) -> impl Iterator<Item = &Value> {
    message["spans"].as_array().into_iter().flatten()
}

fn number(value: &Value) -> Option<usize> {
    value
        .as_u64()
        .and_then(|number| usize::try_from(number).ok())
}

/// Makes the places compile: a new field is empty or ignored, a new variant is not handled.
fn mend(copy: &Copy, places: &[Place]) {
    let mut places: Vec<&Place> = places.iter().collect();
    // The places are changed from the end of each file, so that the offsets of earlier places do
    // not change.
    places.sort_by(|a, b| (&a.file, b.begin).cmp(&(&b.file, a.begin)));
    for place in places {
        let mut text = copy.read(&place.file);
        match (place.code.as_str(), &place.suggestion) {
            (MISSING_VARIANT, Some((begin, end, replacement))) => {
                text.replace_range(begin..end, replacement)
            }
            (code, _) if MISSING_FIELD.contains(&code) => {
                let brace = text[place.begin..].find('{').expect("fields are in braces");
                let rest = if code == MISSING_FIELD[0] {
                    " born_on: None,"
                } else {
                    " born_on: _,"
                };
                text.insert_str(place.begin + brace + 1, rest);
            }
            _ => panic!("the compiler leads to a place that has nothing to decide: {place}"),
        }
        copy.write(&place.file, &text);
    }
}
