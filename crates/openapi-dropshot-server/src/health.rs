//! Command `health`: requests `/readyz` or `/livez` from the admin listener of a service on this
//! machine. It is meant for health checks of containers, so that their images need neither a shell
//! nor an HTTP client.

use crate::config::AdminListen;
use std::{
    io::{self, Read as _, Write as _},
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream},
    path::PathBuf,
    time::Duration,
};

/// The time limit of each step: connecting, sending and receiving. The service itself responds
/// within a second.
const TIMEOUT: Duration = Duration::from_secs(3);
/// The highest number of bytes of a response that are read; responses of the service are much
/// shorter.
const RESPONSE_BYTES: u64 = 16 << 10;

crate::settings! {
    /// The address of the admin listener.
    Admin {
        /// The address at which the service serves `/livez` and `/readyz`
        admin_listen: AdminListen = "127.0.0.1:9090";
    }
}

/// The settings of the command `health`.
#[derive(Clone, Debug, clap::Args)]
pub struct HealthSettings {
    /// A TOML file with settings, whose keys are the names of the flags
    #[arg(long, hide_env_values = true, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Check only that the process responds (`/livez`), not that it accepts requests (`/readyz`)
    #[arg(long)]
    pub live: bool,
    /// The address of the admin listener.
    #[command(flatten)]
    pub admin: Admin,
}

/// The service is not healthy, or its state is unknown.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct HealthError {
    message: String,
    source: Option<io::Error>,
}

/// Returns the line with which a healthy service responds, such as `ready`. Waits at most a few
/// seconds.
///
/// # Errors
///
/// Returns an error if the service does not respond, or if the status of the response is not 200.
pub fn check(settings: &HealthSettings) -> Result<String, HealthError> {
    let error = |message: String, source| Err(HealthError { message, source });
    let AdminListen::At(listen) = settings.admin.admin_listen else {
        let message = "the admin listener is switched off (`--admin-listen off`), so the health of the service is unknown; set the address that `serve` uses";
        return error(message.to_owned(), None);
    };
    let address = reachable(listen);
    let path = if settings.live { "/livez" } else { "/readyz" };
    let response = get(address, path).and_then(|response| {
        let (status, reason) =
            parse(&response).ok_or_else(|| io::Error::other("the response is not HTTP/1.1"))?;
        Ok((status.to_owned(), reason.to_owned()))
    });
    match response {
        Ok((status, reason)) if status.split(' ').next() == Some("200") => Ok(reason),
        Ok((status, reason)) => error(
            format!("http://{address}{path} responded with {status}: {reason}"),
            None,
        ),
        Err(source) => error(
            format!(
                "no response from http://{address}{path}; check that the service runs and that `--admin-listen` is the address that it uses"
            ),
            Some(source),
        ),
    }
}

/// Returns the address at which this machine reaches a listener: the loopback address if it listens
/// on all addresses.
fn reachable(mut listen: SocketAddr) -> SocketAddr {
    match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => listen.set_ip(Ipv4Addr::LOCALHOST.into()),
        IpAddr::V6(ip) if ip.is_unspecified() => listen.set_ip(Ipv6Addr::LOCALHOST.into()),
        _ => {}
    }
    listen
}

fn get(address: SocketAddr, path: &str) -> io::Result<String> {
    let mut connection = TcpStream::connect_timeout(&address, TIMEOUT)?;
    connection.set_read_timeout(Some(TIMEOUT))?;
    connection.set_write_timeout(Some(TIMEOUT))?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    connection.write_all(request.as_bytes())?;
    let mut response = Vec::new();
    connection.take(RESPONSE_BYTES).read_to_end(&mut response)?;
    Ok(String::from_utf8_lossy(&response).into_owned())
}

/// Returns the status with its reason phrase, and the first line of the body.
fn parse(response: &str) -> Option<(&str, &str)> {
    let (head, body) = response.split_once("\r\n\r\n")?;
    let status = head.lines().next()?.strip_prefix("HTTP/1.1 ")?;
    Some((status, body.lines().next().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Watch;

    #[test]
    fn the_health_command_and_the_server_have_the_same_default_address() {
        assert_eq!(Admin::default().admin_listen, Watch::default().admin_listen);
    }

    #[test]
    fn a_listener_on_all_addresses_is_reached_over_the_loopback_address() {
        for (listen, expected) in [
            ("0.0.0.0:9090", "127.0.0.1:9090"),
            ("[::]:9090", "[::1]:9090"),
            ("192.0.2.7:9090", "192.0.2.7:9090"),
        ] {
            let listen = listen.parse().expect("an address");
            assert_eq!(reachable(listen).to_string(), expected);
        }
    }

    #[test]
    fn a_response_has_a_status_and_a_reason() {
        let response = "HTTP/1.1 503 Service Unavailable\r\na: b\r\n\r\nthe service is starting\n";
        let expected = ("503 Service Unavailable", "the service is starting");
        assert_eq!(parse(response), Some(expected));
        assert_eq!(parse("SSH-2.0-OpenSSH_9.2\r\n"), None);
    }
}
