//! Runs example programs against the service in memory.

use petstore_client::{Client, NewOrder, NewPet, OrderStatus, PetStatus, types::OrderUpdate};
use petstore_testing::{Fault, OperationId, Server};
use std::{
    io::{self, Write},
    process::{Output, Stdio},
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    process::Command,
};
use tracing_subscriber::fmt::MakeWriter;

/// The log of this process, in which the service runs.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        let bytes = self.0.lock().expect("no test panics with the lock");
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut log = self.0.lock().expect("no test panics with the lock");
        log.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Log;

    fn make_writer(&self) -> Log {
        self.clone()
    }
}

async fn start() -> Server {
    Server::start().await.expect("a port is free")
}

fn command(program: &str, server: &Server) -> Command {
    let mut command = Command::new(program);
    command
        .env("PETSTORE_URL", server.url())
        .env("PETSTORE_API_KEY", server.key());
    command
}

/// The output of a program that succeeds.
async fn run(program: &str, server: &Server, arguments: &[&str]) -> String {
    let output = command(program, server).args(arguments).output().await;
    printed(output.expect("the program was built with this test"))
}

fn printed(output: Output) -> String {
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("it prints text")
}

async fn add(client: &Client, name: &str) -> i64 {
    let mut pet = NewPet::new(7, name);
    pet.status = Some(PetStatus::Available);
    let added = client.create_pet().body(pet).send().await;
    added.expect("it is added").id
}

#[tokio::test]
async fn the_log_of_the_service_shows_the_trace_of_the_application() {
    let log = Log::default();
    tracing_subscriber::fmt()
        .json()
        .with_writer(log.clone())
        .init();
    let server = start().await;
    let text = run(env!("CARGO_BIN_EXE_propagate_trace"), &server, &[]).await;
    let (_, trace) = text
        .trim()
        .split_once("trace ")
        .expect("it prints the trace");
    assert_eq!(trace.len(), 32, "{text}");
    let log = log.text();
    let line = log
        .lines()
        .find(|line| line.contains("listPets") && line.contains(trace));
    let line = line.unwrap_or_else(|| panic!("no request with the trace {trace} in: {log}"));
    assert!(
        line.contains(&format!("\"trace_id\":\"{trace}\"")),
        "{line}"
    );
}

#[tokio::test]
async fn a_request_with_the_transport_of_hyper_is_retried() {
    let server = start().await;
    add(&server.client(), "Rex").await;
    let overloaded = Fault::overloaded(Duration::ZERO).on(OperationId::ListPets);
    server.inject(overloaded.times(1));
    let text = run(env!("CARGO_BIN_EXE_own_transport"), &server, &[]).await;
    assert_eq!(
        text,
        "listPets, try 1: Some(503)\nlistPets, try 2: Some(200)\n1 pets\n"
    );
}

#[tokio::test]
async fn the_key_file_is_read_again_after_the_service_rejected_the_key() {
    let server = start().await;
    let folder = tempfile::tempdir().expect("there is space");
    let file = folder.path().join("key");
    std::fs::write(&file, "an-old-key").expect("there is space");
    let mut child = command(env!("CARGO_BIN_EXE_changing_key"), &server)
        .arg(&file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program was built with this test");
    let mut stdin = child.stdin.take().expect("it is piped");
    let stdout = child.stdout.take().expect("it is piped");
    let mut lines = BufReader::new(stdout).lines();
    stdin.write_all(b"Rex\n").await.expect("it is read");
    let line = lines.next_line().await.expect("it is text");
    let line = line.expect("it continues");
    assert!(line.starts_with("Rex was not added: "), "{line}");

    std::fs::write(&file, server.key()).expect("there is space");
    stdin.write_all(b"Tom\nAda\n").await.expect("it is read");
    drop(stdin);
    let mut rest = Vec::new();
    while let Some(line) = lines.next_line().await.expect("it is text") {
        rest.push(line);
    }
    assert_eq!(
        rest,
        [
            "Tom was added after 1 retries",
            "Ada was added after 0 retries"
        ]
    );
    assert!(child.wait().await.expect("it ends").success());
}

#[tokio::test]
async fn the_example_distinguishes_errors_by_their_code() {
    let server = start().await;
    let program = env!("CARGO_BIN_EXE_handle_errors");
    // The classifier allows a retry after this 500.
    let restarting = Fault::error(500, "restarting").on(OperationId::CreatePet);
    server.inject(restarting.times(1));
    let text = run(program, &server, &["Rex", "7"]).await;
    assert!(text.starts_with("added with the id "), "{text}");
    assert_eq!(server.received(OperationId::CreatePet), 2);

    server.inject(Fault::error(401, "unauthorized").on(OperationId::CreatePet));
    let text = run(program, &server, &["Tom", "7"]).await;
    assert_eq!(text, "get another API key\n");

    server.clear_faults();
    server.inject(Fault::unavailable(Duration::ZERO).on(OperationId::CreatePet));
    let text = run(program, &server, &["Tom", "7"]).await;
    assert!(text.starts_with("all tries failed: "), "{text}");
}

#[tokio::test]
async fn a_raw_response_is_printed_exactly_as_it_was_sent() {
    let server = start().await;
    let id = add(&server.client(), "Rex").await;
    let text = run(env!("CARGO_BIN_EXE_raw_response"), &server, &[]).await;
    let sent: serde_json::Value = serde_json::from_str(&text).expect("it is the JSON alone");
    assert_eq!(sent[0]["id"], id);
}

#[tokio::test]
async fn a_program_waits_until_its_order_is_delivered() {
    let server = start().await;
    let client = server.client();
    let pet = add(&client, "Rex").await.to_string();
    let program = env!("CARGO_BIN_EXE_wait_for_order");
    let arguments = [pet.as_str(), "60"];
    let waiting = run(program, &server, &arguments);
    let delivery = async {
        let id = loop {
            let orders = client.list_orders().send().await.expect("it is listed");
            match orders.first() {
                Some(order) => break order.id,
                None => tokio::task::yield_now().await,
            }
        };
        for status in [OrderStatus::Approved, OrderStatus::Delivered] {
            let update = client.update_order().order_id(id);
            let update = update.body(OrderUpdate::new(status)).send().await;
            update.expect("the transition is allowed");
        }
    };
    let (text, ()) = tokio::join!(waiting, delivery);
    assert!(text.ends_with(": delivered\n"), "{text}");

    let pet = add(&client, "Tom").await.to_string();
    let text = run(program, &server, &[&pet, "0"]).await;
    assert!(text.ends_with("still placed\n"), "{text}");
    let other = client.create_order().body(NewOrder::new(999_999)).send();
    other.await.expect_err("there is no such pet");
}

#[tokio::test]
async fn many_pets_are_added_and_after_a_fatal_error_the_remaining_lines_are_counted() {
    let server = start().await;
    let program = env!("CARGO_BIN_EXE_add_many");
    let names: Vec<String> = (0..100).map(|number| format!("pet {number}")).collect();
    let input = names.join("\n");
    let run = async |input: &str| {
        let mut child = command(program, &server)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program was built with this test");
        let mut stdin = child.stdin.take().expect("it is piped");
        stdin.write_all(input.as_bytes()).await.expect("it is read");
        drop(stdin);
        printed(child.wait_with_output().await.expect("it ends"))
    };
    // Lost responses add no pet twice.
    let lost = Fault::cut_before_the_answer().on(OperationId::CreatePet);
    server.inject(lost.after(10).times(5));
    assert_eq!(run(&input).await, "100 of 100 added\n");
    let mut pets = server.client().list_pets().stream();
    let mut count = 0;
    while let Some(pet) = pets.next().await {
        pet.expect("it is listed");
        count += 1;
    }
    assert_eq!(count, 100);

    server.clear_faults();
    server.inject(Fault::error(401, "unauthorized").after(20));
    let text = run(&input).await;
    assert!(!text.starts_with("100 of 100"), "{text}");
    let left = text.lines().last().expect("it prints lines");
    let left: usize = left
        .strip_suffix(" lines were not begun")
        .and_then(|number| number.parse().ok())
        .unwrap_or_else(|| panic!("no number of lines at the end of: {text}"));
    let failed = text
        .lines()
        .filter(|line| line.starts_with("line "))
        .count();
    let added: usize = text
        .split(' ')
        .next()
        .and_then(|number| number.parse().ok())
        .expect("it begins with a number");
    assert_eq!(added + failed + left, 100, "{text}");
    assert!(left > 50, "{text}");
}

#[tokio::test]
async fn tries_and_retries_are_measured() {
    let server = start().await;
    let overloaded = Fault::overloaded(Duration::ZERO).on(OperationId::ListPets);
    server.inject(overloaded.times(1));
    let text = run(env!("CARGO_BIN_EXE_measure"), &server, &[]).await;
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        [
            "0 pets",
            "http.client.request.duration (s): 2 tries",
            "openapi_client.retries ({retry}): 1",
            "openapi_client.retry_budget.left ({retry}): [99]",
        ]
    );
}

#[tokio::test]
async fn an_order_is_placed_only_once_even_if_the_program_ended_before_the_response() {
    let server = start().await;
    let pet = add(&server.client(), "Rex").await.to_string();
    let folder = tempfile::tempdir().expect("there is space");
    let file = folder.path().join("order");
    let arguments = [&pet, file.to_str().expect("it is text")];
    let program = env!("CARGO_BIN_EXE_resume_order");
    // The service places the order, and the response is lost in all tries.
    server.inject(Fault::cut().on(OperationId::CreateOrder));
    let output = command(program, &server).args(arguments).output().await;
    assert!(!output.expect("it can be run").status.success());
    server.clear_faults();
    let mut command = command(program, &server);
    let command = command
        .env("PETSTORE_API_KEY", "another-key")
        .args(arguments);
    let output = command.output().await.expect("it can be run");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(text.contains("the credential differs"), "{text}");

    let text = run(program, &server, &arguments).await;
    assert!(text.ends_with(": placed\n"), "{text}");
    assert!(!file.exists());
    let orders = server.client().list_orders().send().await;
    assert_eq!(orders.expect("they are listed").len(), 1);
}

#[tokio::test]
async fn a_list_continues_after_the_last_page_that_was_printed() {
    let server = start().await;
    for name in ["a", "b", "c", "d", "e"] {
        add(&server.client(), name).await;
    }
    let folder = tempfile::tempdir().expect("there is space");
    let file = folder.path().join("cursor");
    let file = file.to_str().expect("it is text");
    let program = env!("CARGO_BIN_EXE_resume_list");
    server.inject(
        Fault::error(500, "internal_error")
            .on(OperationId::ListPets)
            .after(1),
    );
    let output = command(program, &server)
        .arg(file)
        .output()
        .await
        .expect("it can be run");
    assert!(!output.status.success());
    assert_eq!(String::from_utf8_lossy(&output.stdout), "a\nb\n");
    server.clear_faults();
    assert_eq!(run(program, &server, &[file]).await, "c\nd\ne\n");
    assert_eq!(run(program, &server, &[file]).await, "a\nb\nc\nd\ne\n");
}
