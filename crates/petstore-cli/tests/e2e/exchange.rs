//! Tests that one service can import the export of another one, and output whose reader stops early.

use crate::{interrupted::pets, program::User, service::Service};
use std::{
    io::{self, Read as _, Write as _},
    net::{Shutdown, TcpListener, TcpStream},
    process::Stdio,
    thread,
};

/// Names that need quotes, escapes, or neither.
const NAMES: [&str; 5] = ["Rex", "a, \"b\"", "two\nlines", " Ärger ", "-"];

#[test]
fn both_formats_transfer_every_pet_from_one_service_to_another() {
    let (first, second) = (Service::start(), Service::start());
    let (from, to) = (User::of(&first), User::of(&second));
    for name in NAMES {
        from.run(&["pets", "add", "--name", name, "--category-id", "7"])
            .stdout_of(0);
        let sold = ["--category-id", "-8", "--status", "sold"];
        from.run(&[&["pets", "add", "--name", name][..], &sold].concat())
            .stdout_of(0);
    }
    let there = || {
        let pets = second.pets().into_iter();
        let mut pets: Vec<_> = pets
            .map(|pet| (pet.name, pet.category_id, pet.status))
            .collect();
        pets.sort();
        pets
    };
    let mut expected: Vec<_> = first
        .pets()
        .into_iter()
        .map(|pet| (pet.name, pet.category_id, pet.status))
        .collect();
    for format in ["ndjson", "csv"] {
        let exported = from.run(&["pets", "export", "--format", format]);
        let file = format!("pets.{format}");
        to.write(&file, exported.stdout_of(0));
        let report = to.run(&["pets", "import", &file]).json(0);
        assert_eq!(
            (&report["added"], &report["lines"]),
            (&10.into(), &10.into())
        );
        expected.sort();
        assert_eq!(there(), expected, "{format}");
        // The second format adds all pets once more.
        expected.extend(expected.clone());
    }
    let sold = from.run(&["pets", "export", "--status", "sold"]);
    assert_eq!(sold.stdout_of(0).lines().count(), NAMES.len());
}

#[test]
fn an_export_of_an_empty_store_is_a_file_without_pets() {
    let service = Service::start();
    let user = User::of(&service);
    assert_eq!(user.run(&["pets", "export"]).stdout_of(0), "");
    let csv = user.run(&["pets", "export", "--format", "csv"]);
    let header = csv.stdout_of(0);
    assert!(header.starts_with("id,name,categoryId,status"), "{header}");
    assert!(
        header.ends_with('\n') && header.lines().count() == 1,
        "{header}"
    );
    user.write("pets.csv", &csv.out);
    assert_eq!(
        user.run(&["pets", "import", "pets.csv"]).json(0)["lines"],
        0
    );
}

#[test]
fn a_closed_pipe_ends_the_program_silently() {
    let service = Service::start();
    let user = User::of(&service);
    // The output is larger than the buffer of a pipe.
    user.write("pets.ndjson", &pets(2_000));
    user.run(&["pets", "import", "pets.ndjson"]).stdout_of(0);
    for arguments in [
        &["pets", "export"][..],
        &["pets", "list", "--all"],
        &["pets", "list", "--all", "--output", "table"],
    ] {
        let mut command = user.command(arguments);
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it runs");
        let mut head = [0; 10];
        let mut out = child.stdout.take().expect("piped");
        out.read_exact(&mut head).expect("ten bytes");
        drop(out);
        let ended = child.wait_with_output().expect("it ends");
        assert_eq!(
            (ended.status.code(), ended.stderr.as_slice()),
            (Some(0), &b""[..]),
            "{arguments:?}"
        );
    }
}

/// Starts a relay to a service, and returns its address. On each connection, `one` decides what the relay does after it has
/// forwarded the first request.
fn relay(url: &str, one: impl Fn(&[u8], TcpStream, TcpStream) + Copy + Send + 'static) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port is free");
    let address = listener.local_addr().expect("an address");
    let to = url.trim_start_matches("http://").trim_end_matches("/v1");
    let to = to.to_owned();
    thread::spawn(move || {
        for mut from in listener.incoming().map_while(Result::ok) {
            let mut to = TcpStream::connect(&to).expect("the service listens");
            thread::spawn(move || {
                let mut request = [0; 16 * 1024];
                let read = from.read(&mut request).expect("a request");
                to.write_all(&request[..read]).expect("the service reads");
                one(&request[..read], from, to);
            });
        }
    });
    format!("http://{address}/v1")
}

#[test]
fn an_export_continues_after_an_interrupted_connection_and_has_each_pet_once() {
    let service = Service::start();
    let mut user = User::of(&service);
    user.write("pets.ndjson", &pets(1_000));
    user.run(&["pets", "import", "pets.ndjson"]).stdout_of(0);
    let whole = user.run(&["pets", "export"]);
    let whole = whole.stdout_of(0).to_owned();
    user.url = relay(&service.url, |_, mut from, to| {
        let _ = io::copy(&mut to.take(20_000), &mut from);
        let _ = from.shutdown(Shutdown::Both);
    });
    assert_eq!(user.run(&["pets", "export"]).stdout_of(0), whole);
    // The export ends if a connection delivers no pet.
    user.url = relay(&service.url, |_, mut from, to| {
        let _ = io::copy(&mut to.take(200), &mut from);
        let _ = from.shutdown(Shutdown::Both);
    });
    let broken = user.run(&["pets", "export", "--after", "500"]);
    broken.reports(&["the pets cannot be listed"]);
    // Exports the rest with a separate command.
    user.url.clone_from(&service.url);
    let first: Vec<&str> = whole.lines().take(600).collect();
    let last: serde_json::Value = serde_json::from_str(first[599]).expect("a pet");
    let after = last["id"].to_string();
    let rest = user.run(&["pets", "export", "--after", &after]);
    assert_eq!(first.join("\n") + "\n" + rest.stdout_of(0), whole);
}

#[test]
fn a_service_without_the_export_operation_is_exported_page_by_page() {
    let service = Service::start();
    let mut user = User::of(&service);
    user.write("pets.ndjson", &pets(250));
    user.run(&["pets", "import", "pets.ndjson"]).stdout_of(0);
    let whole = user.run(&["pets", "export"]);
    user.url = relay(&service.url, |request, mut from, mut to| {
        if request.starts_with(b"GET /v1/pets/export") {
            let body =
                r#"{"code":"invalid_request","message":"`petId`: not a number","status":400}"#;
            let head = "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nConnection: close\r\n";
            let length = body.len();
            let _ = write!(from, "{head}Content-Length: {length}\r\n\r\n{body}");
        } else {
            let (mut requests, mut upstream) =
                (from.try_clone().expect("one"), to.try_clone().expect("one"));
            thread::spawn(move || io::copy(&mut requests, &mut upstream));
            let _ = io::copy(&mut to, &mut from);
        }
    });
    assert_eq!(
        user.run(&["pets", "export"]).stdout_of(0),
        whole.stdout_of(0)
    );
    let after = user.run(&["pets", "export", "--after", "3"]);
    after
        .reports(&["this service cannot begin an export after an id"])
        .stdout_of(1);
}
