//! The setting for the address on which the service listens.

use std::net::SocketAddr;

crate::settings! {
    /// Where the service listens.
    Listen / ListenOptions {
        /// Address and port of the API; port 0 takes a free one
        listen: SocketAddr = "127.0.0.1:8080";
    }
}
