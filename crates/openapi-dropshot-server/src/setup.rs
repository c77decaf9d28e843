//! The parts from which a server is created.

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

/// The parts of a server. Start with [`Setup::new`] and change the fields that should differ.
pub struct Setup<S> {
    /// The names of the service.
    pub info: &'static ServiceInfo,
    /// The state of the service. It is not closed with the server.
    pub state: S,
    /// The address on which to listen; with port 0, the operating system chooses a free port.
    pub listen: SocketAddr,
    /// The certificate; without one, the server uses plain HTTP.
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
    /// Whether requests are counted in metrics.
    pub metrics: bool,
    /// How many lines per second the access log may have for the rejected requests of each status
    /// and code.
    pub rejected_lines: Rate,
    /// The proxies in front of the service, for the client address.
    pub proxies: Proxies,
}

impl<S> Setup<S> {
    /// Returns the parts of a server with the default of each setting, on a free port of the
    /// loopback interface.
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
