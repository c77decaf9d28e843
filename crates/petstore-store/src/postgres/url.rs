//! Parses the URL of a PostgreSQL database. It has the form of libpq, with the
//! parameters that this crate supports. The password of the URL never appears
//! in `Display`, `Debug` or an error.

use std::{
    fmt,
    path::{Path, PathBuf},
    time::Duration,
};
use tokio_postgres::{
    Config,
    config::{Host, SslMode, TargetSessionAttrs},
};

/// The parameters after the `?`. Other parameters are rejected, because ignoring a parameter could
/// weaken the security.
const PARAMETERS: &[&str] = &[
    "application_name",
    "channel_binding",
    "connect_timeout",
    "dbname",
    "host",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_retries",
    "options",
    "password",
    "port",
    "sslmode",
    "sslrootcert",
    "target_session_attrs",
    "tcp_user_timeout",
    "user",
];

/// If the other end of a connection disappears without a message, this is detected after this time:
/// by `tcp_user_timeout` if the connection is in use, otherwise by probes that begin after [`IDLE`].
const SILENCE: Duration = Duration::from_secs(10);
const IDLE: Duration = Duration::from_secs(6);
const PROBE_INTERVAL: Duration = Duration::from_secs(2);
const PROBES: u32 = 2;

/// How long connecting to one host may take without `connect_timeout`, so that a host that does not
/// respond does not prevent the use of the next host.
const HOST_TIMEOUT: Duration = Duration::from_secs(2);

/// A PostgreSQL database: `postgres://USER@HOST:PORT,HOST:PORT/NAME?…`, or
/// `postgres:///NAME?host=/FOLDER` for a Unix socket.
///
/// If there are several hosts, the host that was used last is tried first, then the other hosts in
/// their order. The first host that accepts writes is used (`target_session_attrs` is always
/// `read-write`). `connect_timeout` is the time for each host in seconds; 0, or no such
/// parameter, means 2 seconds. `sslmode` is
/// `disable`, `prefer` (the default: TLS if the server supports it) or `require`.
/// If TLS is used, the certificate and the host name are always verified, so
/// `verify-full` is the same as `require`. `sslrootcert` names a PEM file of
/// authorities to trust instead of the authorities of the system.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl {
    /// Each host has its own configuration, so that each has its own deadline.
    hosts: Vec<(String, Config)>,
    host_timeout: Duration,
    root_certificates: Option<PathBuf>,
    display: String,
}

impl PostgresUrl {
    /// Parses a URL. Returns `None` if it is the URL of another kind of database.
    pub(crate) fn parse(text: &str) -> Option<Result<Self, String>> {
        let rest = ["postgres://", "postgresql://"]
            .iter()
            .find_map(|prefix| text.strip_prefix(prefix))?;
        Some(Self::parse_rest(rest))
    }

    fn parse_rest(rest: &str) -> Result<Self, String> {
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        if place.matches('@').count() > 1 || query.contains('@') {
            return Err(
                "in a user, a password or a parameter, `@` must be written as `%40`, and `?` as `%3F`"
                    .to_owned(),
            );
        }
        let (login, rest) = place.split_at(place.find('@').map_or(0, |at| at + 1));
        let mut root_certificates = None;
        let (mut accepted, mut displayed) = (Vec::new(), Vec::new());
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            // Messages contain neither names nor values of parameters: if a `?` in the
            // password was not escaped, they are a part of the password.
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            match (name, value) {
                ("sslrootcert", file) => root_certificates = Some(PathBuf::from(decoded(file)?)),
                ("sslmode", "verify-full") => accepted.push("sslmode=require"),
                ("sslmode", "disable" | "prefer" | "require") => accepted.push(parameter),
                ("sslmode", _) => {
                    return Err(
                        "`sslmode` must be disable, prefer, require or verify-full".to_owned()
                    );
                }
                ("target_session_attrs", "read-write" | "primary") => {}
                ("target_session_attrs", _) => {
                    return Err("`target_session_attrs` must be read-write or primary".to_owned());
                }
                _ if PARAMETERS.contains(&name) => accepted.push(parameter),
                _ => {
                    return Err(format!(
                        "the URL has a parameter that is not supported; supported are {}",
                        PARAMETERS.join(", ")
                    ));
                }
            }
            if name != "password" {
                displayed.push(parameter);
            }
        }
        let all = config(&format!("{login}{rest}"), &accepted)?;
        accepted
            .retain(|parameter| !parameter.starts_with("host=") && !parameter.starts_with("port="));
        let database = rest.split_once('/').map_or("", |(_, name)| name);
        let without_hosts = config(&format!("{login}/{database}"), &accepted)?;
        let user = login.split([':', '@']).next().unwrap_or_default();
        let at = if login.is_empty() { "" } else { "@" };
        let mark = if displayed.is_empty() { "" } else { "?" };
        Ok(Self {
            hosts: hosts_of(&all, &without_hosts)?,
            host_timeout: all.get_connect_timeout().copied().unwrap_or(HOST_TIMEOUT),
            root_certificates,
            display: format!("postgres://{user}{at}{rest}{mark}{}", displayed.join("&")),
        })
    }

    /// The hosts in their order, each with a name for the log.
    pub(super) fn hosts(&self) -> impl Iterator<Item = (&str, &Config)> {
        self.hosts
            .iter()
            .map(|(name, config)| (name.as_str(), config))
    }

    /// How long connecting to one host may take.
    pub(super) fn host_timeout(&self) -> Duration {
        self.host_timeout
    }

    pub(super) fn root_certificates(&self) -> Option<&Path> {
        self.root_certificates.as_deref()
    }
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.display)
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PostgresUrl").field(&self.display).finish()
    }
}

fn config(place: &str, parameters: &[&str]) -> Result<Config, String> {
    let url = format!("postgres://{place}?{}", parameters.join("&"));
    url.parse()
        .map_err(|error: tokio_postgres::Error| super::error::chain(&error))
}

fn decoded(text: &str) -> Result<String, String> {
    let decoded = percent_encoding::percent_decode_str(text).decode_utf8();
    decoded
        .map(Into::into)
        .map_err(|_| "the path in `sslrootcert` is not UTF-8".to_owned())
}

/// Returns the name and the configuration of each host: the shared settings, with this
/// host and its port.
fn hosts_of(all: &Config, shared: &Config) -> Result<Vec<(String, Config)>, String> {
    let (hosts, ports) = (all.get_hosts(), all.get_ports());
    if hosts.is_empty() {
        return Err(
            "a host is missing; for a Unix socket write `postgres:///NAME?host=/FOLDER`".to_owned(),
        );
    }
    if ports.len() > 1 && ports.len() != hosts.len() {
        return Err("set one port for all hosts, or one port for each host".to_owned());
    }
    let hosts = hosts.iter().enumerate().map(|(place, host)| {
        let port = ports.get(place).or(ports.first()).copied().unwrap_or(5432);
        let mut one = shared.clone();
        one.target_session_attrs(TargetSessionAttrs::ReadWrite)
            .application_name(all.get_application_name().unwrap_or("petstore"))
            .port(port)
            .keepalives_idle(keepalives_idle(all))
            .keepalives_interval(all.get_keepalives_interval().unwrap_or(PROBE_INTERVAL))
            .keepalives_retries(all.get_keepalives_retries().unwrap_or(PROBES))
            .tcp_user_timeout(all.get_tcp_user_timeout().copied().unwrap_or(SILENCE));
        let name = match host {
            Host::Tcp(name) => {
                one.host(name);
                format!("{name}:{port}")
            }
            Host::Unix(folder) => {
                one.host_path(folder).ssl_mode(SslMode::Disable);
                format!("{}:{port}", folder.display())
            }
        };
        (name, one)
    });
    Ok(hosts.collect())
}

/// The value of the URL, or [`IDLE`] if the URL has none.
fn keepalives_idle(url: &Config) -> Duration {
    let idle = url.get_keepalives_idle();
    match idle == Config::new().get_keepalives_idle() {
        true => IDLE,
        false => idle,
    }
}

#[cfg(test)]
mod tests;
