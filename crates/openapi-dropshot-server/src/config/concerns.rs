//! Declares the settings of every service, concern by concern.

use super::{
    OwnLimits,
    settings::{Settings, Table, put},
    values::{
        AdminListen, ClientAddressHeader, CountCalls, Delay, HostNames, LogFilter, LogFormat,
        MinStability, Networks, Origins, Rate, Seconds, SunsetPolicy, Switch,
    },
};
use crate::{config_error::ConfigError, tls::TlsFiles};
use std::{
    net::SocketAddr,
    num::{NonZeroU32, NonZeroUsize},
    path::PathBuf,
};

crate::settings! {
    /// Where the service listens.
    Listen {
        /// Address and port of the API; port 0 selects a free port
        listen: SocketAddr = "127.0.0.1:8080";
    }

    /// How the service starts.
    Start {
        /// Seconds that the service waits at its start for a database that cannot be reached, while `/readyz` responds with 503; with 0 the service exits at the first failure
        database_wait_seconds: Delay = "300";
    }

    /// The limits of the service; requests beyond them are rejected.
    Limits {
        /// The highest number of reads (operations with a safe method such as GET) that run at the same time, and the highest number of writes; further ones are rejected with 503 at once. A single key may use at most three quarters of this and of every other budget
        max_in_flight: NonZeroUsize = "512";
        /// Seconds that a request may run after its body was read; then it gets 503
        request_deadline_seconds: Seconds = "10";
        /// The largest size of a body, in bytes; a larger one is rejected with 413
        body_max_bytes: NonZeroUsize = "65536";
        /// Limits of single operations, separated by commas (in the file also an array), each as in `createBook.body-bytes=1000`, or `none`. `body-bytes` and `deadline-seconds` replace the limits of all operations, `concurrency` is the number of requests that run at the same time, and `cost` is how many requests one request counts as for the rate limit. If the document has a limit of the operation, too, the stricter one applies
        operation_limits: OwnLimits = "none";
        /// Seconds in which a body has to arrive; a slower one is rejected with 408
        body_read_seconds: Seconds = "10";
        /// Total size of all bodies in memory, in bytes; a request beyond it is rejected with 503
        body_budget_bytes: NonZeroUsize = "33554432";
        /// Total memory in bytes of requests that wait for their bodies or have large headers; a request beyond it is rejected with 503
        request_budget_bytes: NonZeroUsize = "25165824";
        /// Total size in bytes of the responses that clients have not read yet (with HTTP/1.1 only those of more than 8 KiB); a request beyond it is rejected with 503
        response_budget_bytes: NonZeroUsize = "25165824";
        /// Seconds in which a client must read the next 64 KiB of a response; otherwise it is disconnected, even if it reads other responses
        response_stall_seconds: Seconds = "30";
        /// The highest number of streamed responses and long polls at the same time; further ones are rejected with 503 at once. They count neither as reads nor as writes
        max_streams: NonZeroUsize = "1024";
        /// The highest number of streamed responses and long polls of a single key at the same time
        max_streams_per_key: NonZeroUsize = "64";
        /// Seconds without an item after which a stream is ended
        stream_idle_seconds: Seconds = "300";
        /// Seconds after which an open stream is ended, so that its client reconnects and its key is checked again
        stream_max_seconds: Seconds = "3600";
        /// Seconds after which a silent stream of server-sent events gets a comment, so that proxies keep its connection open
        stream_heartbeat_seconds: Seconds = "15";
        /// Seconds in which the head of a request has to arrive, and after which a connection without a request is closed. Raise it above the time for which a proxy keeps idle connections
        idle_seconds: Seconds = "30";
        /// The highest number of open connections. If it is reached, a new connection closes those that have been open longest without a valid key; if there are none, the one that has been idle longest. The number is lower if the limit of open files is too low
        max_connections: NonZeroUsize = "4096";
        /// Seconds that the service continues to serve requests after the signal to stop, while `/readyz` responds with 503, so that load balancers stop sending requests
        shutdown_delay_seconds: Delay = "0";
        /// Seconds that running requests have to finish after the shutdown delay
        shutdown_grace_seconds: Seconds = "20";
    }

    /// How many requests a key may make.
    RateLimit {
        /// Requests per second that each key may make on average, or `off`; further ones are rejected with 429
        rate_limit_per_second: Rate = "off";
        /// Requests that a key may make at once after a pause, if there is a limit
        rate_limit_burst: NonZeroU32 = "100";
    }

    /// CORS and compression.
    Web {
        /// Origins whose pages may call the service from a browser, separated by commas (in the file also an array), as in `https://shop.example`; `*` for all, `none` for none
        cors_origins: Origins = "none";
        /// Whether to compress responses for clients that accept gzip: `on` or `off`
        compression: Switch = "on";
    }

    /// Which operations are served, and how they end.
    Lifecycle {
        /// The lowest stability level of the operations that are served: `stable`, `beta` or `experimental`; the others are left out of the served document, too
        min_stability: MinStability = "experimental";
        /// What happens to an operation from its removal date on: `announce` still serves it, with headers that announce the removal; `enforce` rejects it with 410
        sunset: SunsetPolicy = "announce";
        /// The operations whose calls are counted for each key: `deprecated` or `all`
        count_calls: CountCalls = "deprecated";
    }

    /// The admin listener, the metrics and the access log.
    Watch {
        /// Address and port of `/livez`, `/readyz`, `/metrics` and `/usage`; port 0 selects a free port and logs it, `off` disables them. Block access from clients, because these pages need no API key
        admin_listen: AdminListen = "127.0.0.1:9090";
        /// Names under which clients reach the admin listener, without ports, separated by commas (in the file also an array), as in `service.internal`; `*` for any name, `none` for none. Requests to an IP address or to `localhost` are always accepted
        admin_hosts: HostNames = "none";
        /// Whether to collect metrics for `/metrics`: `on` or `off`
        metrics: Switch = "on";
        /// Whether to log a line for every request: `on` or `off`
        access_log: Switch = "on";
        /// Lines per second that the access log has for the rejected requests of each status and error code, or `off` for no limit; requests beyond it are counted in one line per second. Successful requests and server errors other than 503 are always logged
        access_log_rejected_per_second: Rate = "100";
    }

    /// The proxies in front of the service, for the client address in the access log.
    Proxies {
        /// Addresses and networks of the proxies in front of the service, separated by commas (in the file also an array), as in `127.0.0.1,10.0.0.0/8`, or `none`; the access log then has the address of the client that they forward
        trusted_proxies: Networks = "none";
        /// The header in which the proxies forward the address of the client: `x-forwarded-for` or `forwarded` (RFC 7239). The proxies must append to it or replace it
        client_address_header: ClientAddressHeader = "x-forwarded-for";
    }

    /// What is logged.
    Log {
        /// What to log to stderr: `error`, `warn`, `info`, `debug` or `trace`, also by module as in `info,SERVICE::access=off`
        log: LogFilter = "info";
        /// The format of the log: `text` for people, `json` for programs
        log_format: LogFormat = "text";
    }
}

/// The files of the certificate and its key. Without both, the service speaks plain HTTP.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct TlsSettings {
    /// Serve https with this certificate chain, a PEM file; read again at SIGHUP [default: plain http]
    #[arg(long, hide_env_values = true, value_name = "FILE")]
    pub tls_cert: Option<PathBuf>,
    /// The private key of the certificate, a PEM file with PKCS#8, PKCS#1 or SEC1
    #[arg(long, hide_env_values = true, value_name = "FILE")]
    pub tls_key: Option<PathBuf>,
}

impl TlsSettings {
    /// Both files, or `None`.
    pub(crate) fn files(&self) -> Result<Option<TlsFiles>, ConfigError> {
        let (set, missing) = match (self.tls_cert.clone(), self.tls_key.clone()) {
            (Some(cert), Some(key)) => return Ok(Some(TlsFiles { cert, key })),
            (None, None) => return Ok(None),
            (Some(_), None) => ("tls-cert", "tls-key"),
            (None, Some(_)) => ("tls-key", "tls-cert"),
        };
        Err(ConfigError::new(format!(
            "`{set}` is set, but `{missing}` is not; set both for https, or none for http"
        )))
    }
}

impl Settings for TlsSettings {
    fn put(&self, table: &mut Table) {
        for (field, file) in [("tls_cert", &self.tls_cert), ("tls_key", &self.tls_key)] {
            if let Some(file) = file {
                put(table, field, &file.display());
            }
        }
    }
}

impl Listen {
    /// Whether the API and the admin listener can both be bound.
    pub(super) fn check(&self, admin: AdminListen) -> Result<(), ConfigError> {
        let AdminListen::At(admin) = admin else {
            return Ok(());
        };
        let (api, admin_ip) = (self.listen.ip(), admin.ip());
        let is_everywhere = api.is_unspecified() || admin_ip.is_unspecified();
        let is_same_ip = api == admin_ip || (is_everywhere && api.is_ipv4() == admin_ip.is_ipv4());
        if self.listen.port() == admin.port() && admin.port() != 0 && is_same_ip {
            return Err(ConfigError::new(
                "`listen` and `admin-listen` are the same address and port; choose another port for one of them, or `off` for `admin-listen`",
            ));
        }
        Ok(())
    }
}

impl Limits {
    /// Whether the limits are consistent.
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if self.body_budget_bytes < self.body_max_bytes {
            return Err(ConfigError::new(
                "`body-budget-bytes` is less than `body-max-bytes`: the largest body would never fit; raise it",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_fit_each_other() {
        assert!(Limits::default().check().is_ok());
    }

    #[test]
    fn a_budget_that_the_largest_body_does_not_fit_is_rejected() {
        let limits = Limits {
            body_budget_bytes: NonZeroUsize::MIN,
            ..Limits::default()
        };
        assert!(limits.check().is_err());
    }

    #[test]
    fn a_certificate_without_a_key_is_rejected_and_so_is_a_key_alone() {
        let files = |cert: Option<&str>, key: Option<&str>| {
            let tls = TlsSettings {
                tls_cert: cert.map(PathBuf::from),
                tls_key: key.map(PathBuf::from),
            };
            tls.files()
        };
        assert!(files(Some("cert"), None).is_err());
        assert!(files(None, Some("key")).is_err());
        assert_eq!(files(None, None).expect("plain"), None);
        let files = files(Some("cert"), Some("key")).expect("both");
        assert_eq!(
            files,
            Some(TlsFiles {
                cert: "cert".into(),
                key: "key".into()
            })
        );
    }
}
