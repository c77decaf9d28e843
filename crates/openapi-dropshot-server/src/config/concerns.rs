//! Declares the settings that every service has, grouped by concern.

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
        /// Address and port of the API; with port 0, the operating system chooses a free port
        listen: SocketAddr = "127.0.0.1:8080";
    }

    /// How the service starts.
    Start {
        /// How long, in seconds, the service waits at its start for a database that it cannot reach; `/readyz` responds with 503 meanwhile. With 0, the service exits at the first failure
        database_wait_seconds: Delay = "300";
    }

    /// The limits of the service. A request that exceeds a limit is rejected.
    Limits {
        /// The highest number of reads (operations with a safe method such as GET) that run at the same time, and also the highest number of writes. Further requests are rejected with 503 at once. A single key may use at most three quarters of this and every other budget
        max_in_flight: NonZeroUsize = "512";
        /// Seconds that a request may run after its body was read; a request that runs longer gets 503
        request_deadline_seconds: Seconds = "10";
        /// The largest size of a request body, in bytes; a request with a larger body is rejected with 413
        body_max_bytes: NonZeroUsize = "65536";
        /// Limits of single operations, separated by commas (or an array in the file), each as in `createBook.body-bytes=1000`; or `none`. `body-bytes` and `deadline-seconds` replace the limits that apply to all operations. `concurrency` is how many requests of the operation may run at the same time. `cost` is how many requests one call counts as for the rate limit. If the document also sets a limit for the operation, the stricter limit applies
        operation_limits: OwnLimits = "none";
        /// Seconds in which a request body must arrive; a request with a slower body is rejected with 408
        body_read_seconds: Seconds = "10";
        /// Total size of all request bodies in memory, in bytes; a request that would exceed it is rejected with 503
        body_budget_bytes: NonZeroUsize = "33554432";
        /// Total memory, in bytes, of requests that wait for their bodies or have large headers; a request that would exceed it is
        /// rejected with 503
        request_budget_bytes: NonZeroUsize = "25165824";
        /// Total size, in bytes, of the responses that clients have not read yet (with HTTP/1.1, only responses larger than 8 KiB count); a request that would exceed it is rejected with 503
        response_budget_bytes: NonZeroUsize = "25165824";
        /// Seconds in which a client must read the next 64 KiB of a response. A slower client is disconnected, even if it reads other responses
        response_stall_seconds: Seconds = "30";
        /// The highest number of streamed responses and long polls at the same time; further ones are rejected with 503 at once. They do not count as reads or writes
        max_streams: NonZeroUsize = "1024";
        /// The highest number of streamed responses and long polls that a single key may have at the same time
        max_streams_per_key: NonZeroUsize = "64";
        /// Seconds without an item after which the service ends a stream
        stream_idle_seconds: Seconds = "300";
        /// Seconds after which the service ends an open stream, so that its client reconnects and its key is checked again
        stream_max_seconds: Seconds = "3600";
        /// Seconds without an event after which a stream of server-sent events gets a comment, so that proxies keep its connection open
        stream_heartbeat_seconds: Seconds = "15";
        /// Seconds in which the head of a request must arrive. A connection without a request is closed after the same time. Set it higher than the time for which your proxy keeps idle connections open
        idle_seconds: Seconds = "30";
        /// The highest number of open connections. When it is reached, a new connection closes the connections that have been open longest without a valid key; if all connections have a valid key, it closes the one that has been idle longest. The service lowers this number if the limit of open files is too low for it
        max_connections: NonZeroUsize = "4096";
        /// Seconds for which the service continues to serve requests after it received the signal to stop. `/readyz` responds with 503 during this time, so that load balancers stop sending requests
        shutdown_delay_seconds: Delay = "0";
        /// Seconds for which running requests may continue after the shutdown delay
        shutdown_grace_seconds: Seconds = "20";
    }

    /// How many requests a key may make.
    RateLimit {
        /// Requests per second that each key may make on average, or `off` for no limit; further requests are rejected with 429
        rate_limit_per_second: Rate = "off";
        /// Requests that a key may make at once after a pause; used only if there is a rate limit
        rate_limit_burst: NonZeroU32 = "100";
    }

    /// CORS and compression.
    Web {
        /// Origins whose pages may call the service from a browser, separated by commas (or an array in the file), as in `https://shop.example`; `*` for all origins, `none` for none
        cors_origins: Origins = "none";
        /// Whether responses are compressed for clients that accept gzip: `on` or `off`
        compression: Switch = "on";
    }

    /// Which operations are served, and what happens to removed operations.
    Lifecycle {
        /// The lowest stability level of the operations that are served: `stable`, `beta` or `experimental`. Operations of a lower level are also missing from the served document
        min_stability: MinStability = "experimental";
        /// What happens to an operation from its removal date on: with `announce` it is still served, with headers that announce the removal; with `enforce` it is rejected with 410
        sunset: SunsetPolicy = "announce";
        /// The operations whose calls are counted for each key: `deprecated` or `all`
        count_calls: CountCalls = "deprecated";
    }

    /// The admin listener, the metrics and the access log.
    Watch {
        /// Address and port of `/livez`, `/readyz`, `/metrics` and `/usage`. With port 0, the operating system chooses a free port, which is logged; `off` disables these pages. Block access from clients, because these pages need no API key
        admin_listen: AdminListen = "127.0.0.1:9090";
        /// Host names under which clients reach the admin listener, without ports, separated by commas (or an array in the file), as in `service.internal`; `*` for any name, `none` for none. Requests to an IP address or to `localhost` are always accepted
        admin_hosts: HostNames = "none";
        /// Whether metrics are collected for `/metrics`: `on` or `off`
        metrics: Switch = "on";
        /// Whether each request is logged in one line: `on` or `off`
        access_log: Switch = "on";
        /// How many lines per second the access log may have for the rejected requests of each status and error code, or `off` for no limit. Requests that exceed this are counted in one line per second. Successful requests, and server errors other than 503, are always logged
        access_log_rejected_per_second: Rate = "100";
    }

    /// The proxies in front of the service; the access log uses them to find the client address.
    Proxies {
        /// Addresses and networks of the proxies in front of the service, separated by commas (or an array in the file), as in `127.0.0.1,10.0.0.0/8`, or `none`. For requests from these proxies, the access log shows the client address that the proxy forwards
        trusted_proxies: Networks = "none";
        /// The header in which the proxies forward the address of the client: `x-forwarded-for` or `forwarded` (RFC 7239). The proxies must append to this header or replace it
        client_address_header: ClientAddressHeader = "x-forwarded-for";
    }

    /// What is logged.
    Log {
        /// Which lines are logged to stderr: `error`, `warn`, `info`, `debug` or `trace`, optionally by module as in
        /// `info,SERVICE::access=off`
        log: LogFilter = "info";
        /// The format of the log: `text` for people, `json` for programs
        log_format: LogFormat = "text";
    }
}

/// The files of the certificate and its key. If neither is set, the service uses plain HTTP.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct TlsSettings {
    /// Serve https with this certificate chain, a PEM file, which is read again at SIGHUP [default: plain http]
    #[arg(long, hide_env_values = true, value_name = "FILE")]
    pub tls_cert: Option<PathBuf>,
    /// The private key of the certificate: a PEM file with a key in PKCS#8, PKCS#1 or SEC1 format
    #[arg(long, hide_env_values = true, value_name = "FILE")]
    pub tls_key: Option<PathBuf>,
}

impl TlsSettings {
    /// Both files, or `None` if neither is set.
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
                "`body-budget-bytes` is less than `body-max-bytes`: the largest body would never fit; increase `body-budget-bytes`",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_limits_are_consistent() {
        assert!(Limits::default().check().is_ok());
    }

    #[test]
    fn a_body_budget_smaller_than_the_largest_body_is_rejected() {
        let limits = Limits {
            body_budget_bytes: NonZeroUsize::MIN,
            ..Limits::default()
        };
        assert!(limits.check().is_err());
    }

    #[test]
    fn a_certificate_without_a_key_and_a_key_without_a_certificate_are_rejected() {
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
