//! Reads the files of `examples/deploy/cluster` and replaces their `${…}` with values for this
//! machine.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    net::TcpListener,
    path::{Path, PathBuf},
    process,
};

/// Returns the folder of PostgreSQL's programs, or a message that names a missing program.
pub(crate) fn programs() -> Result<PathBuf, &'static str> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    for (program, missing) in [
        ("etcd", "etcd is not installed"),
        ("patroni", "Patroni is not installed"),
    ] {
        if !std::env::split_paths(&path).any(|folder| folder.join(program).is_file()) {
            return Err(missing);
        }
    }
    if !crate::haproxy::Haproxy::is_installed() {
        return Err("HAProxy is not installed");
    }
    crate::postgres::programs().ok_or("PostgreSQL is not installed")
}

/// The ports of one machine.
pub(crate) struct Ports {
    pub(crate) etcd: u16,
    pub(crate) peer: u16,
    pub(crate) patroni: u16,
    pub(crate) postgres: u16,
    pub(crate) service: u16,
    pub(crate) admin: u16,
}

impl Ports {
    /// Chooses ports for this many machines. A killed program must find its port free when it
    /// restarts, so the ports are below those that the system uses for outgoing connections.
    pub(crate) fn free(machines: usize) -> Vec<Self> {
        let first = 20_000 + u16::try_from(process::id() % 1000).expect("below 1000") * 10;
        let mut free =
            (first..32_000).filter(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok());
        let mut next = || free.next().expect("a port is free");
        let ports = |_| Self {
            etcd: next(),
            peer: next(),
            patroni: next(),
            postgres: next(),
            service: next(),
            admin: next(),
        };
        (0..machines).map(ports).collect()
    }
}

/// The value of each `${…}`.
pub(crate) type Values = BTreeMap<&'static str, String>;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/deploy/cluster");
/// The files that contain values to replace.
pub(crate) const FILES: [&str; 4] = ["etcd.env", "patroni.yml", "make-database", "petstore.toml"];

/// Returns a file with all values replaced.
pub(crate) fn filled(file: &str, values: &Values) -> String {
    let mut filled = String::new();
    for (text, name) in pieces(&read(file)) {
        filled += text;
        if let Some(name) = name {
            filled += values
                .get(name)
                .unwrap_or_else(|| panic!("{file} has ${{{name}}}, which this test does not know"));
        }
    }
    filled
}

fn read(file: &str) -> String {
    fs::read_to_string(Path::new(FOLDER).join(file)).expect(file)
}

/// Splits a text into plain text and the name that follows it.
fn pieces(text: &str) -> impl Iterator<Item = (&str, Option<&str>)> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let (text, after) = match rest?.split_once("${") {
            None => return rest.take().map(|text| (text, None)),
            Some(parts) => parts,
        };
        let (name, after) = after.split_once('}').expect("a name ends with `}`");
        rest = Some(after);
        Some((text, Some(name)))
    })
}

/// Returns the settings that an owner has to set, as `machine.env` lists them.
fn explained() -> BTreeSet<String> {
    let text = read("machine.env");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name.to_owned())
        .collect()
}

#[test]
fn the_documented_list_of_values_contains_exactly_the_values_that_the_files_use() {
    let mut needed = BTreeSet::new();
    for file in FILES {
        needed.extend(pieces(&read(file)).filter_map(|(_, name)| name.map(str::to_owned)));
    }
    assert_eq!(needed, explained());
}
