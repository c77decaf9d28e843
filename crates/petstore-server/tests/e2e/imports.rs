//! Tests the import of pets as a stream whose results are also a stream.

use crate::{
    client::client_of,
    process::{Service, run_ok},
    raw::{Connection, Request},
};
use futures::{SinkExt as _, channel::mpsc};
use petstore_client::{ImportResult, Lines, PetToImport};
use rustix::process::Signal;
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::timeout;

const IMPORT: &str = "/v1/imports/pets";
/// If a test waits longer than this, it has failed.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running import whose body is sent in chunks.
fn begin(service: &Service) -> Connection {
    let mut connection = service.connect();
    let head = format!(
        "POST {IMPORT} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer {}\r\ncontent-type: application/jsonl\r\ntransfer-encoding: chunked\r\n\r\n",
        service.key
    );
    connection.write(head);
    let (status, headers) = connection.head();
    assert_eq!(status, 200, "{headers:?}");
    let media_type = ("content-type".into(), "application/jsonl".into());
    assert!(headers.contains(&media_type), "{headers:?}");
    connection
}

fn send(connection: &mut Connection, text: &str) {
    connection.write(format!("{:x}\r\n{text}\r\n", text.len()));
}

/// Returns the result of the next line.
fn result(connection: &mut Connection) -> Value {
    loop {
        let line = connection.until("\n");
        if line.starts_with('{') {
            return serde_json::from_str(&line).expect("a result");
        }
    }
}

#[test]
fn each_line_has_a_result_before_the_next_one_is_sent() {
    let service = Service::start();
    let mut import = begin(&service);
    send(&mut import, "{\"name\":\"Rex\",\"categ");
    send(&mut import, "oryId\":7,\"status\":\"sold\"}\n");
    let pet = json!({"id": 1, "name": "Rex", "categoryId": 7, "status": "sold", "version": 1});
    assert_eq!(result(&mut import), json!({"line": 1, "pet": pet}));
    let stored = service.get("/v1/pets").json();
    assert_eq!(stored, json!([pet]), "it is stored when its result arrives");
    // Each error equals the error of `POST /pets` with this body.
    let long = format!("{{\"name\":\"{}\",\"categoryId\":7}}", "x".repeat(70_000));
    for (line, text) in [
        (3, r#"{"name":"Rex"}"#),
        (4, r#"{"name":7,"categoryId":7}"#),
        (5, r#"{"name":"Rex","categoryId":7.0}"#),
        (6, r#"{"name":"Rex","categoryId":7,"status":"gone"}"#),
        (7, r#"{"name":"Rex","name":"Rex","categoryId":7}"#),
        (8, "{"),
        (9, &long),
    ] {
        // Line 2 is blank.
        let blank = if line == 3 { "\n" } else { "" };
        send(&mut import, &format!("{blank}{text}\n"));
        let result = result(&mut import);
        assert_eq!(result["line"], line, "{result}");
        assert_eq!(result["error"]["code"], "invalid_request", "{result}");
        assert_eq!(result["error"]["status"], 400, "{result}");
        let message = result["error"]["message"].as_str().expect("a message");
        let alone = service.send(&Request::post("/v1/pets", text).key(&service.key));
        if alone.status == 400 {
            let alone = alone.message();
            let reason = alone.rsplit(": ").next().expect("a reason");
            let reason = reason.split(" at line").next().expect("a reason");
            assert!(message.contains(reason), "{message:?} lacks {reason:?}");
        }
    }
    // The last line needs no newline.
    send(&mut import, "{\"name\":\"Tom\",\"categoryId\":7}");
    import.write("0\r\n\r\n");
    assert_eq!(result(&mut import)["pet"]["name"], "Tom");
    import.until("0\r\n\r\n");
    assert_eq!(
        service.get("/v1/pets").json().as_array().map(Vec::len),
        Some(2)
    );
}

#[test]
fn an_import_line_and_the_creation_of_a_pet_share_the_same_idempotency_keys() {
    let service = Service::start();
    let text = "{\"name\":\"Rex\",\"categoryId\":7,\"idempotencyKey\":\"a-1\"}\n";
    let mut import = begin(&service);
    send(&mut import, &text.repeat(2));
    let first = result(&mut import);
    let second = result(&mut import);
    assert_eq!(first["pet"], second["pet"]);
    assert_eq!((&first["line"], &second["line"]), (&json!(1), &json!(2)));
    let create = |name: &str| {
        let body = json!({"name": name, "categoryId": 7}).to_string();
        service.send(
            &Request::post("/v1/pets", body)
                .key(&service.key)
                .header("idempotency-key", "a-1"),
        )
    };
    let alone = create("Rex");
    assert_eq!((alone.status, alone.json()), (201, first["pet"].clone()));
    send(&mut import, &text.replace("Rex", "Tom"));
    let reused = result(&mut import);
    assert_eq!(
        reused["error"]["code"], "idempotency_key_reused",
        "{reused}"
    );
    create("Tom").assert_error(422, "idempotency_key_reused");
    let invalid = text.replace("a-1", "a 1");
    send(&mut import, &invalid);
    let message = &result(&mut import)["error"]["message"];
    assert!(
        message
            .as_str()
            .expect("a message")
            .contains("idempotencyKey")
    );
}

#[test]
fn an_import_requires_the_write_scope_and_a_body_of_json_lines() {
    let service = Service::start();
    let folder = service.folder.clone();
    let reader = run_ok(
        folder.path(),
        &["key", "create", "reader", "--scope", "read"],
    );
    let body = "{\"name\":\"Rex\",\"categoryId\":7}\n";
    let import = |key: &str, media_type: &str| {
        let request = Request::new("POST", IMPORT).body(body);
        service.send(&request.key(key).header("content-type", media_type))
    };
    import(reader.trim(), "application/jsonl").assert_error(403, "insufficient_scope");
    import("petstore_x", "application/jsonl").assert_error(401, "unauthorized");
    import(&service.key, "application/json").assert_error(415, "unsupported_media_type");
    assert_eq!(service.get("/v1/pets").json(), json!([]));
    // The body is sent with its length, as most programs do.
    let done = import(&service.key, "application/jsonl");
    assert_eq!(done.status, 200);
}

#[test]
fn an_import_ends_early_if_its_body_is_interrupted_or_its_key_is_revoked() {
    let mut service = Service::start();
    let folder = service.folder.clone();
    let key = run_ok(folder.path(), &["key", "create", "importer"]);
    let key = std::mem::replace(&mut service.key, key.trim().to_owned());
    let mut revoked = begin(&service);
    service.key = key;
    let mut broken = begin(&service);
    for (number, import) in [&mut revoked, &mut broken].into_iter().enumerate() {
        send(import, "{\"name\":\"Rex\",\"categoryId\":7}\n");
        assert_eq!(result(import)["pet"]["id"], number + 1);
    }
    // An incomplete line is not added.
    send(&mut broken, "{\"name\":\"Tom\",\"categoryId\":7}");
    broken.write("no size\r\n");
    assert_eq!(broken.rest(), "\r\n");
    run_ok(folder.path(), &["key", "revoke", "importer"]);
    revoked.rest();
    let stored = service.get("/v1/pets").json();
    assert_eq!(stored.as_array().map(Vec::len), Some(2), "{stored}");
}

/// Returns a line whose name and key are its number.
fn line(number: usize) -> PetToImport {
    PetToImport::builder()
        .name(number.to_string())
        .category_id(7)
        .idempotency_key(format!("line-{number}"))
        .try_into()
        .expect("a pet")
}

#[tokio::test]
async fn after_a_kill_import_lines_without_a_result_are_sent_again_and_added_only_once() {
    /// More lines than the buffers along the way can hold.
    const COUNT: usize = 20_000;
    let mut service = Service::start();
    let client = client_of(&service);
    let (mut lines, receiver) = mpsc::channel(16);
    let feed = tokio::spawn(async move {
        for number in 1..=COUNT {
            if lines.send(line(number)).await.is_err() {
                break;
            }
        }
    });
    let request = client.import_pets().body(Lines::new(receiver));
    let mut results = request.send().await.expect("it begins").into_inner();
    let mut done = 0;
    while done < 1_000 {
        let result: ImportResult = results.next().await.expect("more").expect("a result");
        done += 1;
        assert_eq!(result.line, i64::try_from(done).expect("small"));
        let pet = result.pet.expect("a pet");
        assert_eq!(pet.name.as_str(), done.to_string());
    }
    service.signal(Signal::KILL);
    service.ended();
    while let Some(Ok(result)) = timeout(PATIENCE, results.next()).await.expect("an end") {
        done += 1;
        assert!(result.pet.is_some());
    }
    feed.await.expect("the lines end with the upload");
    assert!(done < COUNT);

    let folder = service.folder.clone();
    let key = service.key.clone();
    let mut service = Service::start_in(folder, &[], &[]);
    service.key = key;
    let client = client_of(&service);
    // All lines are sent again, including those that were added before.
    let all = (1..=COUNT).map(line).collect::<Vec<_>>();
    let request = client.import_pets().body(all);
    let mut results = request.send().await.expect("it begins").into_inner();
    let mut number = 0;
    while let Some(result) = results.next().await {
        number += 1;
        let pet = result.expect("a result").pet.expect("a pet");
        assert_eq!(pet.name.as_str(), number.to_string());
    }
    assert_eq!(number, COUNT);
    let mut pets = client
        .export_pets()
        .send()
        .await
        .expect("pets")
        .into_inner();
    let mut count = 0;
    while let Some(pet) = pets.next().await {
        pet.expect("a pet");
        count += 1;
    }
    assert_eq!(count, COUNT);
}
