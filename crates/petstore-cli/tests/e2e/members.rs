//! Sends every member of a pet through import and export. The values are made from
//! the document that the service serves, so a member that the contract gains is
//! tested without an edit here.

use crate::{program::User, samples::Schemas, service::Service};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    io::{Read as _, Write as _},
    net::TcpStream,
};

const NEW_PET: &str = "/components/schemas/NewPet";

/// The document of a running service.
fn document(service: &Service) -> Schemas {
    let place = service.url.strip_prefix("http://").expect("plain HTTP");
    let (address, base) = place.split_once('/').expect("a path");
    let mut stream = TcpStream::connect(address).expect("it listens");
    let request = format!("GET /{base}/openapi.json HTTP/1.0\r\nHost: {address}\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("a response");
    let (_, body) = response.split_once("\r\n\r\n").expect("a body");
    Schemas::new(serde_json::from_str(body).expect("JSON"))
}

/// The pets of an export, each without the id that the service gave it.
fn pets(export: &str) -> Vec<Value> {
    let pet = |line| {
        let mut pet: Value = serde_json::from_str(line).expect("JSON");
        let id = pet.as_object_mut().expect("an object").remove("id");
        assert!(id.is_some_and(|id| id.is_i64()));
        pet
    };
    export.lines().map(pet).collect()
}

#[test]
fn every_member_of_a_pet_goes_through_import_and_export() {
    let first = Service::start();
    let schemas = document(&first);
    let samples: Vec<Value> = (0..6)
        .map(|number| schemas.sample(NEW_PET, number))
        .collect();
    let lines: Vec<String> = samples.iter().map(Value::to_string).collect();
    let user = User::of(&first);
    user.write("pets.ndjson", &lines.join("\n"));
    // In the order of the file.
    let import = ["pets", "import", "--concurrency", "1"];
    user.run(&[&import[..], &["pets.ndjson"]].concat())
        .stdout_of(0);
    let exported = user.run(&["pets", "export"]);
    assert_eq!(pets(exported.stdout_of(0)), samples);

    let csv = user.run(&["pets", "export", "--format", "csv"]);
    let titles = csv
        .stdout_of(0)
        .lines()
        .next()
        .expect("a header")
        .split(',');
    let members: BTreeSet<String> = titles.map(str::to_owned).collect();
    let expected = schemas.members("/components/schemas/Pet");
    assert_eq!(members, expected.into_iter().collect());

    for (file, text) in [("pets.ndjson", &exported.out), ("pets.csv", &csv.out)] {
        let second = Service::start();
        let user = User::of(&second);
        user.write(file, text);
        user.run(&[&import[..], &[file]].concat()).stdout_of(0);
        let exported = user.run(&["pets", "export"]);
        assert_eq!(pets(exported.stdout_of(0)), samples, "{file}");
    }
}
