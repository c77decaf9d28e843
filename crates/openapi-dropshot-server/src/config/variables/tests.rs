//! Tests which variables are reported as mistyped settings.

use super::*;
use crate::{config::ServeSettings, info::TEST};
use clap::Args as _;

fn meant(names: &[&str]) -> Vec<String> {
    let command = ServeSettings::<crate::config::NoSettings>::augment_args(Command::new("x"));
    let names = names.iter().map(|name| format!("SHOP_{name}"));
    let mistyped = mistyped(&command, &TEST, names);
    mistyped.into_iter().map(|found| found.meant).collect()
}

#[test]
fn a_variable_that_resembles_a_setting_is_found() {
    for (name, expected) in [
        ("LISTNE", "SHOP_LISTEN"),
        ("listen", "SHOP_LISTEN"),
        ("MAX_INFLIGHT", "SHOP_MAX_IN_FLIGHT"),
        ("LOGS", "SHOP_LOG"),
        ("LOGFORMAT", "SHOP_LOG_FORMAT"),
        ("TLS_CERTS", "SHOP_TLS_CERT"),
        ("CONFG", "SHOP_CONFIG"),
    ] {
        assert_eq!(meant(&[name]), [expected], "{name}");
    }
    let both = ["LISTNE", "MAX_INFLIGHT", "LISTEN"];
    assert_eq!(meant(&both), ["SHOP_LISTEN", "SHOP_MAX_IN_FLIGHT"]);
}

#[test]
fn variables_of_other_programs_are_ignored() {
    // Variables of the command-line client, of tests and scripts, and of a deployment.
    let others = [
        "URL",
        "API_KEY",
        "CLI_CONFIG",
        "PASSWORD",
        "DATABASE_PASSWORD",
        "IMAGE",
        "SERVER",
        "TEST_PROGRAM",
        "REQUIRE_POSTGRES",
        "FAULTS",
        "TOOLS",
        "MAINTAINER",
        "ADVISORIES",
        "PROXY_LISTEN",
        "PROXY_CLIENT_TIMEOUT",
        "CHAOS_SEED",
        "CRASH_ROUNDS",
    ];
    // Variables that Kubernetes sets for the Services `shop`, `shop-admin` and `shop-log`.
    let links = ["", "ADMIN_", "LOG_"].map(|service| {
        [
            "SERVICE_HOST",
            "SERVICE_PORT",
            "SERVICE_PORT_HTTP",
            "PORT",
            "PORT_8080_TCP",
            "PORT_8080_TCP_ADDR",
            "PORT_8080_TCP_PORT",
            "PORT_8080_TCP_PROTO",
        ]
        .map(|name| format!("{service}{name}"))
    });
    let links = links.as_flattened().iter().map(String::as_str);
    let all: Vec<_> = others.into_iter().chain(links).collect();
    assert_eq!(meant(&all), [""; 0]);
}
