//! Creates a certificate and uses TLS with the service.

use crate::{
    attack,
    probe::{Probed, connect, probe_by},
    raw::Request,
};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, StreamOwned,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, ServerName, pem::PemObject as _},
};
use std::{
    io,
    net::{Ipv4Addr, SocketAddr, TcpStream},
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
};
use test_support::{Need, skip};

/// The arguments with which the service uses the certificate.
pub(crate) const SERVE: [&str; 4] = ["--tls-cert", "cert.pem", "--tls-key", "key.pem"];

const MAKE: [&str; 15] = [
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-noenc",
    "-keyout",
    "key.pem",
    "-out",
    "cert.pem",
    "-subj",
    "/CN=pet store",
    "-addext",
    "subjectAltName=IP:127.0.0.1",
];

/// A connection over TLS.
pub(crate) type Stream = StreamOwned<ClientConnection, TcpStream>;

/// Clients that trust the certificate.
#[derive(Clone)]
pub(crate) struct Trust(RootCertStore);

impl Trust {
    /// Creates the certificate, or prints that this is impossible here.
    pub(crate) fn make(folder: &Path) -> Option<Self> {
        let made = Command::new("openssl")
            .args(MAKE)
            .args(["-addext", "basicConstraints=critical,CA:FALSE"])
            .current_dir(folder)
            .stderr(Stdio::null())
            .status();
        let Ok(made) = made else {
            skip(Need::Openssl, "the command `openssl` is missing");
            return None;
        };
        assert!(made.success(), "openssl failed");
        let certificate = CertificateDer::from_pem_file(folder.join("cert.pem"));
        let mut roots = RootCertStore::empty();
        roots
            .add(certificate.expect("a certificate"))
            .expect("it can be trusted");
        Some(Self(roots))
    }

    /// Opens a connection that uses this protocol.
    pub(crate) fn open(&self, stream: TcpStream, protocol: &str) -> io::Result<Stream> {
        let provider = Arc::new(aws_lc_rs::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the provider supports them")
            .with_root_certificates(self.0.clone())
            .with_no_client_auth();
        config.alpn_protocols = vec![protocol.into()];
        let name = ServerName::from(std::net::IpAddr::from(Ipv4Addr::LOCALHOST));
        let connection = ClientConnection::new(Arc::new(config), name).map_err(io::Error::other)?;
        Ok(StreamOwned::new(connection, stream))
    }

    /// A connection of a hostile client.
    pub(crate) fn connect(&self, address: SocketAddr, protocol: &str) -> io::Result<Stream> {
        self.open(attack::connect(address)?, protocol)
    }

    pub(crate) fn probe(&self, address: SocketAddr, request: &Request) -> Probed {
        probe_by(|| self.open(connect(address)?, "http/1.1"), request)
    }
}
