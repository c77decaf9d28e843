//! Tests how settings are read and displayed.

use super::*;

/// Checks that the first text of each pair is parsed and then displayed as the second text, and
/// that the second text is parsed as the same value. The other texts are not valid.
fn check<T: FromStr + PartialEq + fmt::Display>(valid: &[(&str, &str)], invalid: &[&str]) {
    for (text, displayed) in valid {
        let value: Option<T> = text.parse().ok();
        let text_of = value.as_ref().map(ToString::to_string);
        assert_eq!(text_of.as_deref(), Some(*displayed), "{text}");
        assert!(displayed.parse().ok() == value, "{displayed}");
    }
    for text in invalid {
        assert!(text.parse::<T>().is_err(), "{text}");
    }
}

#[test]
fn each_option_of_an_enum_setting_is_displayed_as_it_is_written_in_the_configuration() {
    fn check<T: ValueEnum + fmt::Display>(texts: &[&str]) {
        let displayed = T::value_variants().iter().map(ToString::to_string);
        assert_eq!(displayed.collect::<Vec<_>>(), texts);
    }
    check::<Switch>(&["on", "off"]);
    check::<LogFormat>(&["text", "json"]);
    check::<SunsetPolicy>(&["announce", "enforce"]);
    check::<CountCalls>(&["deprecated", "all"]);
    check::<MinStability>(&["experimental", "beta", "stable"]);
}

#[test]
fn seconds_may_have_a_fraction_and_only_a_delay_may_be_zero() {
    let invalid = ["", "-1", "NaN", "inf", "10s", "86401"];
    check::<Seconds>(
        &[("10", "10"), ("0.25", "0.25"), ("86400", "86400")],
        &[&invalid[..], &["0", "1e-30"]].concat(),
    );
    check::<Delay>(&[("0", "0"), ("0.5", "0.5")], &invalid);
    assert_eq!(
        "0.25".parse::<Seconds>(),
        Ok(Seconds(Duration::from_millis(250)))
    );
}

#[test]
fn a_log_filter_is_a_level_optionally_with_modules() {
    check::<LogFilter>(
        &[
            ("info", "info"),
            ("WARN", "warn"),
            (
                "warn, shop_server::access=off",
                "shop_server::access=off,warn",
            ),
            ("info,hyper=debug", "hyper=debug,info"),
            ("shop_server::usage", "shop_server::usage=trace"),
        ],
        &[],
    );
    for (text, help) in [
        ("warning", "`warning` is not a level; write `warn`"),
        ("inf", "`inf` is not a level; write `info`"),
        ("err", "write `error`"),
        ("Debugging", "write `debug`"),
        ("info,hyper=wran", "`wran` is not a level; write `warn`"),
        ("loud", "write one of: error, warn, info, debug, trace, off"),
        ("hyper", "`info,hyper=warn`"),
        ("a=b=c", "not a level"),
    ] {
        let problem = text.parse::<LogFilter>().expect_err(text).to_string();
        assert!(problem.contains(help), "{text}: {problem}");
    }
}

#[test]
fn a_rate_is_a_number_or_off() {
    check::<Rate>(
        &[("off", "off"), ("1", "1"), ("4294967295", "4294967295")],
        &["", "0", "-1", "0.5", "on", "10/s"],
    );
}

#[test]
fn the_address_of_the_admin_listener_has_a_port_and_no_name() {
    check::<AdminListen>(
        &[
            ("127.0.0.1:9090", "127.0.0.1:9090"),
            ("[::]:0", "[::]:0"),
            ("off", "off"),
        ],
        &["on", "9090", "localhost:9090"],
    );
}

#[test]
fn host_names_with_a_port_or_a_scheme_are_rejected() {
    check::<HostNames>(
        &[
            ("none", "none"),
            ("*", "*"),
            ("Service.internal, a_b", "service.internal,a_b"),
        ],
        &["petstore:9090", "a b", "a,,b", "http://a"],
    );
}

#[test]
fn networks_are_addresses_with_optional_prefix_lengths() {
    check::<Networks>(
        &[
            ("none", "none"),
            ("", "none"),
            ("127.0.0.1, 10.0.0.0/8", "127.0.0.1,10.0.0.0/8"),
            ("::1,fd00::/8", "::1,fd00::/8"),
        ],
        &["proxy", "10.0.0.0/33", "127.0.0.1:80", "127.0.0.1,", "*"],
    );
    let networks: Networks = "127.0.0.1,10.0.0.0/8".parse().expect("networks");
    for (address, is_in) in [
        ("127.0.0.1", true),
        ("10.9.9.9", true),
        ("127.0.0.2", false),
    ] {
        assert_eq!(
            networks.contains(address.parse().expect("an address")),
            is_in
        );
    }
}

#[test]
fn cors_origins_are_parsed_in_the_form_that_browsers_send() {
    check::<Origins>(
        &[
            ("none", "none"),
            ("", "none"),
            ("*", "*"),
            ("https://shop.example", "https://shop.example"),
            (
                "http://localhost:3000, https://a.example:8443",
                "http://localhost:3000,https://a.example:8443",
            ),
            ("http://[::1]:3000", "http://[::1]:3000"),
        ],
        &[
            "shop.example",
            "https://shop.example/",
            "https://shop.example:443",
            "https://Shop.example",
            "https://a@shop.example",
            "https://shop.example/page",
            "file:///x",
            "null",
            "https://a.example,",
            "https://a.example,*",
        ],
    );
}
