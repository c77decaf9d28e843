//! The values that the hooks of a service get for each request.

use http::{Extensions, Method, request::Parts};
use openapi_dropshot_types::Operation;
use rustls::ServerConnection;
use std::net::{IpAddr, SocketAddr};

/// A request that has arrived, which [`State::before`](super::State::before) gets.
#[derive(Debug)]
pub struct Incoming<'a> {
    /// Method, URI and headers. The hook may change them.
    pub head: &'a mut Parts,
    /// Storage for the service's own values, which [`State::after`](super::State::after) gets.
    pub extensions: &'a mut Extensions,
    /// The address of the other end of the connection.
    pub peer: SocketAddr,
    /// The address of the client: the other end of the connection or, behind trusted proxies, the
    /// address that they forward.
    pub client: IpAddr,
    /// The TLS properties of the connection, if it uses TLS.
    pub tls: Option<&'a TlsInfo>,
    /// The id of the request, which is also in the header `x-request-id` of its response.
    pub request_id: &'a str,
}

/// A request whose response is about to be sent, which [`State::after`](super::State::after) gets.
#[derive(Debug)]
pub struct Outgoing<'a, P> {
    /// The method.
    pub method: &'a Method,
    /// The operation, if it is known.
    pub operation: Option<&'static Operation>,
    /// The principal, if the request was authenticated.
    pub principal: Option<&'a P>,
    /// The values that [`State::before`](super::State::before) stored.
    pub extensions: &'a Extensions,
    /// The address of the client.
    pub client: IpAddr,
    /// The id of the request.
    pub request_id: &'a str,
}

/// The TLS properties of a connection.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TlsInfo {
    /// The version, such as `TLSv1_3`.
    pub version: Option<rustls::ProtocolVersion>,
    /// The cipher suite.
    pub cipher_suite: Option<rustls::CipherSuite>,
    /// The host name that the client requested (SNI).
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
