//! Tests an old application with a newer service. A client of the released document is compiled and run, and receives
//! responses of a document with more operations, properties and values. None of these is an error for the client, and
//! it loses no data. `application` tests whether applications still compile after an addition.

use super::{application::add_to_the_contract, contract_change::generate};
use crate::copy::Copy;
use serde_json::{Value, json};
use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    path::PathBuf,
    process::Command,
    thread,
};

const DOCUMENT: &str = "spec/openapi.yaml";
const RELEASED: &str = "spec/released/1.0.0.yaml";

/// The parts of the hand-written client code that name types of documents after the released one.
const LATER_TYPES: &[&str] = &[
    "#[cfg(feature = \"experimental\")]\nmod events;\n",
    "#[cfg(feature = \"experimental\")]\npub use types::{Event, EventType};\n",
    "#[cfg(feature = \"experimental\")]\npub use types::{\n    CreatedWebhook, DeliveryStatus, NewWebhook, Redelivery, Webhook, WebhookDelivery,\n    WebhookStatus, WebhookUpdate, WebhookUpdateStatus,\n};\n",
    "#[cfg(all(feature = \"experimental\", feature = \"webhooks\"))]\n#[cfg_attr(docsrs, doc(cfg(all(feature = \"experimental\", feature = \"webhooks\"))))]\npub mod webhooks;\n",
    "#[cfg(feature = \"beta\")]\npub use types::{ImportResult, NewOrder, Order, OrderStatus, OrderUpdate, Orders, PetToImport};\n",
];

/// Prints all pets, and the result of trying to add a pet.
const APPLICATION: &str = r#"//! An application.

use petstore_client::{Client, Error, NewPet};

#[tokio::main]
async fn main() -> Result<(), Error> {
    let base_url = std::env::args().nth(1).unwrap_or_default();
    let client = Client::builder(base_url).api_key("key").no_proxy().build()?;
    let mut pets = client.list_pets().stream();
    while let Some(pet) = pets.next().await {
        let pet = pet?;
        let status = pet.status.as_ref().map_or("none", |status| status.as_str());
        println!("{} {} {status}", pet.id, pet.name);
    }
    let rex = NewPet::builder().name("Rex").category_id(7);
    if let Err(error) = client.create_pet().body(rex).send().await {
        let code = error.code().map_or("none", |code| code.as_str());
        let (status, later) = (error.status(), error.is_retryable());
        println!("{code} {status:?} {later}, tried {} times more", error.retries());
    }
    Ok(())
}
"#;

/// The responses for a list: two pages of a document with one more value of `PetStatus` and one more member of `Pet`.
fn pages() -> [Value; 2] {
    [
        json!([
            {"id": 1, "name": "Rex", "categoryId": 7, "status": "available", "bornOn": "2026-01-01"},
            {"id": 2, "name": "Tom", "categoryId": 3, "status": "reserved"},
        ]),
        json!([{"id": 3, "name": "Kit", "categoryId": 3, "bornOn": "2026-02-02"}]),
    ]
}

/// The response for a creation: an error code that the released document does not list. That document also has no
/// `Idempotency-Key`, so the creation is not repeated.
fn closed() -> Value {
    json!({"code": "closed", "message": "come back tomorrow", "status": 503})
}

#[test]
fn a_client_of_the_released_document_understands_a_newer_service() {
    let (copy, _lock) = Copy::of_the_workspace();
    let released = copy.read(RELEASED);
    add_to_the_contract(&copy);
    let newer = copy.read(DOCUMENT);
    for page in pages() {
        assert!(is_valid(&newer, "Pets", &page), "{page}");
    }
    assert!(!is_valid(&released, "Pets", &pages()[0]), "nothing is new");
    assert!(newer.contains("- closed\n") && !released.contains("- closed\n"));

    copy.write(DOCUMENT, &released);
    for types in LATER_TYPES {
        copy.replace("crates/petstore-client/src/lib.rs", types, "");
    }
    generate(&copy);
    let program = build(&copy);
    let service = serve();
    let output = Command::new(program)
        .arg(format!("http://{service}/v1"))
        .output()
        .expect("the application can be run");
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "1 Rex available\n2 Tom reserved\n3 Kit none\nclosed Some(503) true, tried 0 times more\n",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn is_valid(document: &str, schema: &str, value: &Value) -> bool {
    let document =
        openapi_dropshot_contract::read(DOCUMENT, document).expect("the document is valid");
    let components = document.root.to_json()["components"].take();
    let reference = format!("#/components/schemas/{schema}");
    let schema = json!({"allOf": [{"$ref": reference}], "components": components});
    let options = jsonschema::options().with_draft(jsonschema::Draft::Draft4);
    let validator = options.build(&schema).expect("the schema is valid");
    validator.is_valid(value)
}

/// Compiles the application. Its client has another name in the target folder, because tests of the client use the
/// newest library with that name.
fn build(copy: &Copy) -> PathBuf {
    let client = "[workspace.dependencies]\npetstore-client = { package = \"older-client\", path = \"crates/petstore-client\" }\n";
    let manifest = copy.read("Cargo.toml");
    let others = manifest
        .lines()
        .filter(|line| !line.starts_with("petstore-client = "));
    let manifest: String = others.map(|line| format!("{line}\n")).collect();
    copy.write(
        "Cargo.toml",
        &manifest.replace("[workspace.dependencies]\n", client),
    );
    let name = |name: &str| format!("[package]\nname = \"{name}\"\n");
    copy.replace(
        "crates/petstore-client/Cargo.toml",
        &name("petstore-client"),
        &name("older-client"),
    );
    let manifest = "examples/Cargo.toml";
    let bin = "\n[[bin]]\nname = \"older_client\"\npath = \"older_client.rs\"\n";
    copy.write(manifest, &(copy.read(manifest) + bin));
    copy.write("examples/older_client.rs", APPLICATION);
    let output = copy
        .cargo()
        // The whole workspace is compiled, as in other commands, so that no dependency is compiled again. The lock file
        // changes with the name of the client.
        .args(["build", "--workspace", "--bin", "older_client"])
        .arg("--message-format=json")
        .output()
        .expect("cargo can be run");
    let lines = output.stdout.split(|byte| *byte == b'\n');
    let mut messages = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let program = messages.find_map(|message| message["executable"].as_str().map(PathBuf::from));
    program.unwrap_or_else(|| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

/// The newer service. It sends the responses above, each on a separate connection.
fn serve() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let address = listener.local_addr().expect("a bound listener has one");
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            // A broken connection does not matter for the service.
            answer(connection).ok();
        }
    });
    address
}

fn answer(connection: TcpStream) -> std::io::Result<()> {
    let mut reader = BufReader::new(connection);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let [one, two] = pages();
    let (status, link, body) = match first.as_str() {
        line if line.starts_with("POST") => ("503 Service Unavailable", "", closed()),
        line if line.contains("cursor=two") => ("200 OK", "", two),
        _ => ("200 OK", "link: <?cursor=two>; rel=\"next\"\r\n", one),
    };
    let body = body.to_string();
    let length = body.len();
    write!(
        reader.get_mut(),
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\n{link}content-length: {length}\r\n\r\n{body}"
    )
}
