//! Tests that the dashboard and the alert rules of `examples/deploy` use only metrics and labels
//! that the service serves: each name in their queries is looked up in a scrape. Metrics that
//! Prometheus itself adds are listed here.

use crate::{
    metrics::promtool_is_here,
    process::run_ok,
    raw::Request,
    scrape::{Scrape, Watched},
};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};
use tempfile::TempDir;

/// Labels that Prometheus adds to scraped metrics.
const LABELS_OF_A_SCRAPE: [&str; 2] = ["instance", "job"];
/// The metrics that Prometheus itself records for every scrape.
const METRICS_OF_A_SCRAPE: [&str; 1] = ["up"];
/// The metrics of a service with a certificate; the tests of TLS check them.
const METRICS_OF_TLS: [&str; 1] = ["petstore_tls_certificate_expiry_timestamp_seconds"];
/// The metric of prometheus-node-exporter, with its labels.
const METRIC_OF_UNITS: (&str, [&str; 2]) = ("node_systemd_unit_state", ["name", "state"]);
/// PromQL keywords that are followed by labels in parentheses.
const GROUPING: [&str; 6] = [
    "by",
    "group_left",
    "group_right",
    "ignoring",
    "on",
    "without",
];
/// Other PromQL keywords, which are not metrics.
const WORDS: [&str; 14] = [
    "and", "avg", "bool", "bottomk", "count", "inf", "max", "min", "nan", "offset", "or", "sum",
    "topk", "unless",
];

fn deploy(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/deploy")
        .join(file)
}

fn read(file: &str) -> String {
    fs::read_to_string(deploy(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// The metrics and labels of a query.
#[derive(Debug, Default, Eq, PartialEq)]
struct Asked {
    /// Each metric, with the labels that select its series.
    metrics: Vec<(String, BTreeSet<String>)>,
    /// The labels by which results are grouped.
    grouped_by: BTreeSet<String>,
}

#[derive(Debug, PartialEq)]
enum Token {
    Word(String),
    Text,
    Sign(char),
}

fn tokens(query: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = query.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '"' => {
                while let Some(inside) = rest.next() {
                    match inside {
                        '"' => break,
                        '\\' => drop(rest.next()),
                        _ => {}
                    }
                }
                tokens.push(Token::Text);
            }
            // This is a range such as `[5m]`, or a number.
            '[' => rest
                .by_ref()
                .take_while(|inside| *inside != ']')
                .for_each(drop),
            '0'..='9' => {
                while rest
                    .next_if(|next| next.is_ascii_alphanumeric() || *next == '.')
                    .is_some()
                {}
            }
            'a'..='z' | 'A'..='Z' | '_' | ':' => {
                let mut word = String::from(character);
                while let Some(next) =
                    rest.next_if(|next| next.is_ascii_alphanumeric() || matches!(next, '_' | ':'))
                {
                    word.push(next);
                }
                tokens.push(Token::Word(word));
            }
            ' ' | '\n' => {}
            sign => tokens.push(Token::Sign(sign)),
        }
    }
    tokens
}

fn asked(query: &str) -> Asked {
    let mut asked = Asked::default();
    let tokens = tokens(query);
    let (mut in_selector, mut in_grouping) = (false, false);
    for (at, token) in tokens.iter().enumerate() {
        let next = tokens.get(at + 1);
        match token {
            Token::Sign('{') => in_selector = true,
            Token::Sign('}') => in_selector = false,
            Token::Sign(')') => in_grouping = false,
            Token::Word(label) if in_selector => {
                let (_, labels) = asked
                    .metrics
                    .last_mut()
                    .expect("a metric before its labels");
                labels.insert(label.clone());
            }
            Token::Word(label) if in_grouping => {
                asked.grouped_by.insert(label.clone());
            }
            Token::Word(word) if GROUPING.contains(&word.as_str()) => in_grouping = true,
            Token::Word(word) if WORDS.contains(&word.as_str()) => {}
            // This is a function.
            Token::Word(_) if next == Some(&Token::Sign('(')) => {}
            Token::Word(metric) => asked.metrics.push((metric.clone(), BTreeSet::new())),
            _ => {}
        }
    }
    asked
}

/// Returns the metrics and labels of a query that the service does not serve.
fn missing(query: &str, scrape: &Scrape) -> Vec<String> {
    let others = METRICS_OF_A_SCRAPE.iter().chain(&METRICS_OF_TLS);
    let mut served: BTreeMap<&str, BTreeSet<&str>> =
        others.map(|name| (*name, BTreeSet::new())).collect();
    served.insert(METRIC_OF_UNITS.0, METRIC_OF_UNITS.1.into());
    for sample in &scrape.samples {
        let labels = sample.labels.keys().map(String::as_str);
        served.entry(&sample.name).or_default().extend(labels);
    }
    for labels in served.values_mut() {
        labels.extend(LABELS_OF_A_SCRAPE);
    }
    let asked = asked(query);
    let mut missing = Vec::new();
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for (metric, labels) in &asked.metrics {
        let Some(found) = served.get(metric.as_str()) else {
            missing.push(format!("no metric `{metric}`"));
            continue;
        };
        known.extend(found);
        let unknown = labels
            .iter()
            .filter(|label| !found.contains(label.as_str()));
        missing.extend(unknown.map(|label| format!("no label `{label}` of `{metric}`")));
    }
    let unknown = asked
        .grouped_by
        .iter()
        .filter(|label| !known.contains(label.as_str()));
    missing.extend(unknown.map(|label| format!("no label `{label}` to group by")));
    if asked.metrics.is_empty() {
        missing.push("asks for no metric".to_owned());
    }
    missing
}

/// Returns a scrape after some requests, so that every family has a series.
fn scrape() -> Scrape {
    let watched = Watched::start();
    watched.service.add("Rex", None);
    run_ok(watched.service.folder.path(), &["backup", "copy.db"]);
    watched.service.get("/v1/pets/1");
    watched.service.send(&Request::get("/v1/pets"));
    watched.scrape()
}

#[track_caller]
fn assert_served(queries: &[String], least: usize) {
    assert!(
        queries.len() >= least,
        "{} queries were found: {queries:?}",
        queries.len()
    );
    let scrape = scrape();
    for query in queries {
        let missing = missing(query, &scrape);
        assert!(
            missing.is_empty(),
            "{missing:?} in `{query}`, of what is served:\n{}",
            scrape.text
        );
    }
}

#[test]
fn every_query_of_the_dashboard_uses_served_metrics() {
    fn collect(value: &Value, queries: &mut Vec<String>) {
        match value {
            Value::Object(members) => {
                for (name, member) in members {
                    match member.as_str() {
                        Some(query) if name == "expr" => queries.push(query.to_owned()),
                        _ => collect(member, queries),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| collect(item, queries)),
            _ => {}
        }
    }
    let dashboard: Value = serde_json::from_str(&read("grafana/petstore.json")).expect("JSON");
    let mut queries = Vec::new();
    collect(&dashboard, &mut queries);
    // The queries of the dashboard variables have a special form of Grafana.
    for variable in dashboard["templating"]["list"]
        .as_array()
        .expect("variables")
    {
        let query = variable["definition"].as_str().unwrap_or_default();
        let values = query
            .strip_prefix("label_values(")
            .and_then(|rest| rest.strip_suffix(')'));
        if let Some((metric, label)) = values.and_then(|inside| inside.split_once(", ")) {
            queries.push(format!("{metric}{{{label}=\"\"}}"));
        }
    }
    for metric in [
        "petstore_tls_certificate_expiry_timestamp_seconds",
        "petstore_connections_open",
        "petstore_connections_limit",
        "petstore_last_backup_timestamp_seconds",
    ] {
        let has = |query: &String| query.contains(metric);
        assert!(queries.iter().any(has), "no panel has {metric}");
    }
    assert_served(&queries, 20);
}

#[test]
fn every_alert_uses_served_metrics() {
    let rules = read("prometheus-rules.yml");
    let queries: Vec<String> = rules
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("expr: "))
        .map(str::to_owned)
        .collect();
    assert_eq!(
        queries.len(),
        rules.matches("- alert: ").count(),
        "an `expr` is on one line"
    );
    assert_served(&queries, 5);
}

#[test]
fn promtool_accepts_the_configuration_and_its_rules() {
    if !promtool_is_here() {
        return;
    }
    // promtool also checks the rule files that the configuration names.
    let output = Command::new("promtool")
        .args(["check", "config"])
        .arg(deploy("prometheus.yml"))
        .output()
        .expect("promtool runs");
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.contains("rules found") && output.stderr.is_empty(),
        "{output:?}"
    );
}

#[test]
fn promtool_confirms_that_the_alerts_fire_only_when_they_should() {
    if !promtool_is_here() {
        return;
    }
    const TESTS: [&str; 2] = [
        "prometheus-rules.minutes.test.yml",
        "prometheus-rules.days.test.yml",
    ];
    let run = |folder: &Path| {
        let output = Command::new("promtool")
            .args(["test", "rules"])
            .args(TESTS)
            .current_dir(folder)
            .output();
        output.expect("promtool runs")
    };
    let output = run(&deploy("."));
    assert!(output.status.success(), "{output:?}");

    let folder = TempDir::new().expect("a folder can be made");
    let rules = read("prometheus-rules.yml").replace(" or absent(up{job=\"petstore\"})", "");
    let tests = TESTS.map(|name| (name, read(name)));
    for (name, text) in tests.into_iter().chain([("prometheus-rules.yml", rules)]) {
        fs::write(folder.path().join(name), text).expect("can be written");
    }
    let output = run(folder.path());
    assert!(!output.status.success(), "it cannot fail: {output:?}");
}

#[test]
fn the_metrics_and_labels_of_a_query_are_parsed() {
    let set = |labels: &[&str]| labels.iter().map(|label| (*label).to_owned()).collect();
    let query = r#"sum by (le, a) (rate(x_bucket{job=~"$job",b!="c{d}"}[$__rate_interval])) / on (e) y offset 5m > 0.5e3"#;
    let expected = Asked {
        metrics: vec![
            ("x_bucket".to_owned(), set(&["job", "b"])),
            ("y".to_owned(), BTreeSet::new()),
        ],
        grouped_by: set(&["a", "e", "le"]),
    };
    assert_eq!(asked(query), expected);
}

#[test]
fn a_query_of_an_unknown_metric_or_label_is_reported() {
    let scrape = scrape();
    for (query, expected) in [
        (
            "rate(petstore_nothing_total[5m])",
            "no metric `petstore_nothing_total`",
        ),
        (
            "petstore_errors_total{kind=\"x\"}",
            "no label `kind` of `petstore_errors_total`",
        ),
        (
            "sum by (kind) (petstore_errors_total)",
            "no label `kind` to group by",
        ),
        ("1 + 1", "asks for no metric"),
    ] {
        assert_eq!(missing(query, &scrape), [expected], "{query}");
    }
}
