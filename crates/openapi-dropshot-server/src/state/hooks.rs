//! What the hooks of a service get of each request.

use http::{Extensions, Method, request::Parts};
use openapi_dropshot_types::Operation;
use rustls::ServerConnection;
use std::net::{IpAddr, SocketAddr};

/// A request that has arrived, as [`State::before`](super::State::before) gets it.
#[derive(Debug)]
pub struct Incoming<'a> {
    /// Method, URI and headers, which the hook may change.
    pub head: &'a mut Parts,
    /// A place for values of the service's own, for [`State::after`](super::State::after).
    pub extensions: &'a mut Extensions,
    /// The other end of the connection.
    pub peer: SocketAddr,
    /// The address of the client: of the peer, or behind proxies that the owner trusts.
    pub client: IpAddr,
    /// The TLS of the connection, if it has one.
    pub tls: Option<&'a TlsInfo>,
    /// The id of the request, which the header `x-request-id` of its response has.
    pub request_id: &'a str,
}

/// A request whose response is about to be sent, as [`State::after`](super::State::after) gets it.
#[derive(Debug)]
pub struct Outgoing<'a, P> {
    /// The method.
    pub method: &'a Method,
    /// The operation, if the request has one.
    pub operation: Option<&'static Operation>,
    /// The principal, if the request was authenticated.
    pub principal: Option<&'a P>,
    /// What [`State::before`](super::State::before) put there.
    pub extensions: &'a Extensions,
    /// The address of the client.
    pub client: IpAddr,
    /// The id of the request.
    pub request_id: &'a str,
}

/// What is known of the TLS of a connection.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TlsInfo {
    /// The version, such as `TLSv1_3`.
    pub version: Option<rustls::ProtocolVersion>,
    /// The cipher suite.
    pub cipher_suite: Option<rustls::CipherSuite>,
    /// The name that the client asked for (SNI).
    pub server_name: Option<String>,
}

impl TlsInfo {
    pub(crate) fn of(connection: &ServerConnection) -> Self {
        let suite = connection.negotiated_cipher_suite();
        TlsInfo {
            version: connection.protocol_version(),
            cipher_suite: suite.map(|suite| suite.suite()),
            server_name: connection.server_name().map(str::to_owned),
        }
    }
}
