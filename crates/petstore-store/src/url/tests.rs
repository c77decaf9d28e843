//! Tests the names of databases.

use super::*;

#[test]
fn urls_of_files_and_of_memory_are_displayed_as_they_are_parsed() {
    for (text, path) in [
        ("sqlite:pets.db", "pets.db"),
        ("sqlite:/var/lib/pets.db", "/var/lib/pets.db"),
    ] {
        let url: DatabaseUrl = text.parse().expect("a file");
        assert_eq!(url, DatabaseUrl::SqliteFile(path.into()));
        assert_eq!(url.to_string(), text);
    }
    assert_eq!("sqlite::memory:".parse(), Ok(DatabaseUrl::SqliteMemory));
    assert_eq!(DatabaseUrl::SqliteMemory.to_string(), "sqlite::memory:");
    assert_eq!(
        "sqlite:///var/pets.db".parse(),
        Ok(DatabaseUrl::SqliteFile("/var/pets.db".into()))
    );
}

#[test]
fn unsupported_database_urls_are_rejected_with_the_supported_forms() {
    let rejected = [
        "",
        "pets.db",
        "sqlite:",
        "sqlite://pets.db",
        "sqlite:pets.db?mode=ro",
        "mysql://localhost/pets",
    ];
    for text in rejected {
        let error = text.parse::<DatabaseUrl>().expect_err(text).to_string();
        assert!(
            error.contains("`sqlite:PATH`") && error.contains("`sqlite::memory:`"),
            "{text}: {error}"
        );
    }
}

#[test]
fn the_message_about_an_unsupported_url_does_not_contain_its_password() {
    let error = "mysql://root:hunter2@localhost/pets"
        .parse::<DatabaseUrl>()
        .expect_err("no such backend");
    assert!(!error.to_string().contains("hunter2"), "{error}");
}
