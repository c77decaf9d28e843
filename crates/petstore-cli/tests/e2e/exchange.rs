//! Tests that one service imports what another one exported, and readers that
//! stop early.

use crate::{interrupted::pets, program::User, service::Service};
use std::{io::Read as _, process::Stdio};

/// Names that need quotes, escapes, or neither.
const NAMES: [&str; 5] = ["Rex", "a, \"b\"", "two\nlines", " Ärger ", "-"];

#[test]
fn both_formats_carry_every_pet_from_one_service_to_another() {
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
        // The second format adds them all once more.
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
    // More than a pipe holds.
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
