//! How a PostgreSQL database is named: the URLs of libpq, with what this crate
//! understands of them. A password goes in and never comes out again, neither
//! in `Display` and `Debug` nor in an error.

use std::{
    fmt,
    path::{Path, PathBuf},
    time::Duration,
};
use tokio_postgres::{
    Config,
    config::{Host, SslMode, TargetSessionAttrs},
};

/// The parameters after the `?`. Others are rejected, since a parameter that
/// is ignored could be one that protects something.
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

/// A connection whose other end is gone without a word is noticed after this.
const SILENCE: Duration = Duration::from_secs(10);

/// A PostgreSQL database: `postgres://USER@HOST:PORT,HOST:PORT/NAME?…`, or
/// `postgres:///NAME?host=/FOLDER` for a Unix socket.
///
/// Of several hosts the first one that takes writes is used
/// (`target_session_attrs=read-write`, which is always meant). `sslmode` is
/// `disable`, `prefer` (the default: TLS if the server has it) or `require`;
/// where TLS is used, the certificate and the host name are always verified, so
/// `verify-full` is the same as `require`. `sslrootcert` names a PEM file of
/// authorities to trust instead of those of the system.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl {
    /// Each host by itself, so that each has its own deadline.
    hosts: Vec<(String, Config)>,
    root_certificates: Option<PathBuf>,
    display: String,
}

impl PostgresUrl {
    /// The URL of this text, or nothing if it is of another database.
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
                "an `@` in a user, a password or a parameter is written `%40`, a `?` is `%3F`"
                    .to_owned(),
            );
        }
        let parameters = query.split('&').filter(|parameter| !parameter.is_empty());
        let mut root_certificates = None;
        let (mut accepted, mut displayed) = (Vec::new(), Vec::new());
        for parameter in parameters {
            // Neither names nor values are repeated: with a `?` that was not
            // escaped, they are a part of the password.
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            if !PARAMETERS.contains(&name) {
                return Err(format!(
                    "the URL has a parameter that is not supported; there are {}",
                    PARAMETERS.join(", ")
                ));
            }
            match (name, value) {
                ("sslrootcert", file) => root_certificates = Some(PathBuf::from(decoded(file)?)),
                ("sslmode", "verify-full") => accepted.push("sslmode=require".to_owned()),
                ("sslmode", "disable" | "prefer" | "require") => {
                    accepted.push(parameter.to_owned())
                }
                ("sslmode", _) => {
                    return Err(
                        "`sslmode` is one of disable, prefer, require, verify-full".to_owned()
                    );
                }
                ("target_session_attrs", "read-write" | "primary") => {}
                ("target_session_attrs", _) => {
                    return Err("`target_session_attrs` is always read-write".to_owned());
                }
                _ => accepted.push(parameter.to_owned()),
            }
            if name != "password" {
                displayed.push(parameter);
            }
        }
        let config: Config = format!("postgres://{place}?{}", accepted.join("&"))
            .parse()
            .map_err(|error: tokio_postgres::Error| super::error::chain(&error))?;
        let display = match displayed.join("&") {
            empty if empty.is_empty() => format!("postgres://{}", without_password(place)),
            displayed => format!("postgres://{}?{displayed}", without_password(place)),
        };
        Ok(Self {
            hosts: hosts_of(&config)?,
            root_certificates,
            display,
        })
    }

    /// The hosts in their order, each with a name for the log.
    pub(super) fn hosts(&self) -> impl Iterator<Item = (&str, &Config)> {
        self.hosts
            .iter()
            .map(|(name, config)| (name.as_str(), config))
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

fn without_password(place: &str) -> String {
    match place.split_once('@') {
        None => place.to_owned(),
        Some((login, rest)) => {
            let user = login.split_once(':').map_or(login, |(user, _)| user);
            format!("{user}@{rest}")
        }
    }
}

fn decoded(text: &str) -> Result<String, String> {
    let decoded = percent_encoding::percent_decode_str(text).decode_utf8();
    decoded
        .map(Into::into)
        .map_err(|_| "the path in `sslrootcert` is not UTF-8".to_owned())
}

/// One configuration a host: what they share, and the host with its port.
fn hosts_of(all: &Config) -> Result<Vec<(String, Config)>, String> {
    let (hosts, ports) = (all.get_hosts(), all.get_ports());
    if hosts.is_empty() {
        return Err(
            "a host is missing; for a Unix socket write `postgres:///NAME?host=/FOLDER`".to_owned(),
        );
    }
    if ports.len() > 1 && ports.len() != hosts.len() {
        return Err("give one port to all hosts, or one to each".to_owned());
    }
    let port = |place: usize| ports.get(place).or(ports.first()).copied().unwrap_or(5432);
    let hosts = hosts.iter().enumerate();
    Ok(hosts
        .map(|(place, host)| {
            (
                name_of(host, port(place)),
                config_of(all, host, port(place)),
            )
        })
        .collect())
}

fn name_of(host: &Host, port: u16) -> String {
    match host {
        Host::Tcp(name) => format!("{name}:{port}"),
        #[cfg(unix)]
        Host::Unix(folder) => format!("{}:{port}", folder.display()),
    }
}

fn config_of(all: &Config, host: &Host, port: u16) -> Config {
    let mut one = Config::new();
    one.target_session_attrs(TargetSessionAttrs::ReadWrite)
        .application_name(all.get_application_name().unwrap_or("petstore"))
        .channel_binding(all.get_channel_binding())
        .port(port)
        .keepalives(all.get_keepalives())
        .keepalives_idle(all.get_keepalives_idle().min(SILENCE))
        .tcp_user_timeout(all.get_tcp_user_timeout().copied().unwrap_or(SILENCE));
    match host {
        Host::Tcp(name) => one.host(name).ssl_mode(all.get_ssl_mode()),
        #[cfg(unix)]
        Host::Unix(folder) => one.host_path(folder).ssl_mode(SslMode::Disable),
    };
    if let Some(user) = all.get_user() {
        one.user(user);
    }
    if let Some(password) = all.get_password() {
        one.password(password);
    }
    if let Some(name) = all.get_dbname() {
        one.dbname(name);
    }
    if let Some(options) = all.get_options() {
        one.options(options);
    }
    if let Some(&limit) = all.get_connect_timeout() {
        one.connect_timeout(limit);
    }
    if let Some(interval) = all.get_keepalives_interval() {
        one.keepalives_interval(interval);
    }
    if let Some(retries) = all.get_keepalives_retries() {
        one.keepalives_retries(retries);
    }
    one
}

#[cfg(test)]
mod tests {
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
    fn each_host_keeps_its_port_and_shares_the_rest() {
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
    fn a_password_is_neither_shown_nor_printed() {
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
    fn what_is_rejected_repeats_nothing_of_the_password() {
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
    fn other_databases_are_left_to_others() {
        assert!(PostgresUrl::parse("sqlite:pets.db").is_none());
        assert!(PostgresUrl::parse("postgres.db").is_none());
    }
}
