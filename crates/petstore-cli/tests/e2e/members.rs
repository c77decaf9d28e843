//! Sends every property of a pet through import and export. The values are generated from the
//! document that the service serves, so a new property of the contract is tested without a change
//! here.

use crate::{program::User, samples::Schemas, service::Service};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    io::{Read as _, Write as _},
    net::TcpStream,
};

const NEW_PET: &str = "/components/schemas/NewPet";

/// The document of a running service.
fn document(service: &Service) -> Value {
    let place = service.url.strip_prefix("http://").expect("plain HTTP");
    let (address, base) = place.split_once('/').expect("a path");
    let mut stream = TcpStream::connect(address).expect("it listens");
    let request = format!("GET /{base}/openapi.json HTTP/1.0\r\nHost: {address}\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("sent");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("a response");
    let (_, body) = response.split_once("\r\n\r\n").expect("a body");
    serde_json::from_str(body).expect("JSON")
}

/// Returns the pets of an export, without the properties that the service set.
fn pets(export: &str) -> Vec<Value> {
    let pet = |line| {
        let mut pet: Value = serde_json::from_str(line).expect("JSON");
        for member in ["id", "version"] {
            let given = pet.as_object_mut().expect("an object").remove(member);
            assert!(given.is_some_and(|given| given.is_i64()), "{member}");
        }
        pet
    };
    export.lines().map(pet).collect()
}

#[test]
fn every_member_of_a_pet_is_exported_and_imported() {
    let first = Service::start();
    let schemas = Schemas::new(document(&first));
    let samples: Vec<Value> = (0..6)
        .map(|number| schemas.sample(NEW_PET, number))
        .collect();
    let lines: Vec<String> = samples.iter().map(Value::to_string).collect();
    let user = User::of(&first);
    user.write("pets.ndjson", &lines.join("\n"));
    // The pets are in the order of the file.
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

/// Returns the flag for a property or parameter, such as `--category-id` for `categoryId`.
fn flag(name: &str) -> String {
    let mut flag = String::from("--");
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            flag.push('-');
        }
        flag.push(letter.to_ascii_lowercase());
    }
    flag
}

#[test]
fn every_member_and_every_filter_of_a_pet_has_a_command_line_flag() {
    let service = Service::start();
    let document = document(&service);
    let user = User::of(&service);
    let add = user.run(&["pets", "add", "--help"]);
    for member in Schemas::new(document.clone()).members(NEW_PET) {
        let flag = flag(&member);
        assert!(add.stdout_of(0).contains(&flag), "`pets add` has no {flag}");
    }
    let list = user.run(&["pets", "list", "--help"]);
    let parameters = document["paths"]["/pets"]["get"]["parameters"].as_array();
    for parameter in parameters.expect("listPets has parameters") {
        let target = parameter["$ref"]
            .as_str()
            .map(|to| to.trim_start_matches('#'));
        let parameter = target.map_or(Some(parameter), |target| document.pointer(target));
        let name = parameter.and_then(|parameter| parameter["name"].as_str());
        let flag = flag(name.expect("a parameter has a name"));
        assert!(
            list.stdout_of(0).contains(&flag),
            "`pets list` has no {flag}"
        );
    }
}
