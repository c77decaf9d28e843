//! The parts of a server, from which it is started.

use crate::{
    ServiceInfo,
    clock::{Clock, SystemClock},
    config::{Lifecycle, Limits, Proxies, Rate, RateLimit, Watch, Web},
    tls::Tls,
};
use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
};

/// The parts of a server. Begin with [`Setup::new`] and set what is different.
pub struct Setup<S> {
    /// The names of the service.
    pub info: &'static ServiceInfo,
    /// The state of the service. It is not closed with the server.
    pub state: S,
    /// The address on which to listen; port 0 selects a free one.
    pub listen: SocketAddr,
    /// The certificate; without one, the server speaks plain HTTP.
    pub tls: Option<Tls>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The limits.
    pub limits: Limits,
    /// The rate limit of each principal.
    pub rate_limit: RateLimit,
    /// CORS and compression.
    pub web: Web,
    /// The lowest stability level that is served, and the behaviour on removal dates.
    pub lifecycle: Lifecycle,
    /// Whether to count requests.
    pub metrics: bool,
    /// Lines per second of the access log for the rejected requests of each status and code.
    pub rejected_lines: Rate,
    /// The proxies that name the client of a request.
    pub proxies: Proxies,
}

impl<S> Setup<S> {
    /// A server with the defaults of all settings, on a free port of this machine.
    pub fn new(info: &'static ServiceInfo, state: S) -> Self {
        Setup {
            info,
            state,
            listen: (Ipv4Addr::LOCALHOST, 0).into(),
            tls: None,
            clock: Arc::new(SystemClock),
            limits: Limits::default(),
            rate_limit: RateLimit::default(),
            web: Web::default(),
            lifecycle: Lifecycle::default(),
            metrics: true,
            rejected_lines: Watch::default().access_log_rejected_per_second,
            proxies: Proxies::default(),
        }
    }
}
