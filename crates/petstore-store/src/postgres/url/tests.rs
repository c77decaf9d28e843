//! Tests the URLs of PostgreSQL databases, and that no output shows their passwords.

use super::*;

fn url(text: &str) -> PostgresUrl {
    PostgresUrl::parse(text)
        .expect("a PostgreSQL URL")
        .expect(text)
}

fn rejection(text: &str) -> String {
    PostgresUrl::parse(text)
        .expect("a PostgreSQL URL")
        .expect_err(text)
}

#[test]
fn each_host_of_a_url_keeps_its_port_and_shares_the_other_parameters() {
    let url = url(
        "postgres://pets:s3cret@one:5433,two:5434,[::1]/store?sslmode=verify-full&target_session_attrs=read-write",
    );
    let names: Vec<&str> = url.hosts().map(|(name, _)| name).collect();
    assert_eq!(names, ["one:5433", "two:5434", "::1:5432"]);
    for (_, host) in url.hosts() {
        assert_eq!(host.get_dbname(), Some("store"));
        assert_eq!(host.get_user(), Some("pets"));
        assert_eq!(host.get_password(), Some("s3cret".as_bytes()));
        assert_eq!(host.get_ssl_mode(), SslMode::Require);
        assert_eq!(
            host.get_target_session_attrs(),
            TargetSessionAttrs::ReadWrite
        );
    }
}

#[test]
fn a_unix_socket_is_named_by_its_folder() {
    for text in [
        "postgres:///store?host=/run/pg&port=5433",
        "postgresql://%2Frun%2Fpg:5433/store?sslmode=require",
    ] {
        let url = url(text);
        let (name, config) = url.hosts().next().expect("a host");
        assert_eq!(name, "/run/pg:5433");
        assert_eq!(config.get_hosts(), [Host::Unix("/run/pg".into())]);
        assert_eq!(
            config.get_ssl_mode(),
            SslMode::Disable,
            "nothing to encrypt"
        );
    }
}

#[test]
fn a_password_is_in_neither_debug_nor_display_output() {
    for text in [
        "postgres://pets:s3cret@db/store?sslmode=require",
        "postgres://pets@db/store?sslmode=require&password=s3cret",
    ] {
        let url = url(text);
        assert_eq!(url.to_string(), "postgres://pets@db/store?sslmode=require");
        assert!(!format!("{url:?}").contains("s3cret"));
    }
}

#[test]
fn messages_about_rejected_urls_do_not_contain_the_password() {
    let rejected = [
        "postgres://pets:s3c@ret@db/store",
        "postgres://pets:s3c?ret@db/store",
        "postgres://pets:s3c?ret=1&x@db/store",
        "postgres://pets:s3cret/store",
        "postgres://pets:s3cret@/store",
        "postgres://pets:s3cret@db:port/store",
        "postgres://pets:s3cret@db/store?sslmode=maybe",
        "postgres://pets:s3cret@db/store?target_session_attrs=any",
        "postgres://pets:s3cret@db/store?load_balance_hosts=random",
    ];
    for text in rejected {
        let rejection = rejection(text);
        assert!(
            !rejection.contains("s3c") && !rejection.contains("ret="),
            "{text}: {rejection}"
        );
    }
}

#[test]
fn urls_of_other_databases_are_not_parsed() {
    assert!(PostgresUrl::parse("sqlite:pets.db").is_none());
    assert!(PostgresUrl::parse("postgres.db").is_none());
}
