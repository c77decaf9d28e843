//! Encrypted connections to the database, by rustls. Whether a connection is
//! encrypted is left to `url`; if it is, the certificate of the server and the
//! host name in it are always verified.

use super::error::PostgresError;
use rustls_native_certs::load_native_certs;
use std::{
    future::Future,
    io,
    path::Path,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::{
    TlsConnector,
    client::TlsStream as RustlsStream,
    rustls::{
        ClientConfig, RootCertStore,
        crypto::aws_lc_rs,
        pki_types::{CertificateDer, InvalidDnsNameError, ServerName, pem::PemObject},
    },
};

/// Makes encrypted connections; cheap to clone.
#[derive(Clone)]
pub(super) struct Tls(TlsConnector);

impl Tls {
    /// Trusts the certificates in the file, or those that the system trusts.
    pub(super) fn new(root_certificates: Option<&Path>) -> Result<Self, PostgresError> {
        let roots = match root_certificates {
            Some(file) => roots_in(file)?,
            None => roots_of_the_system(),
        };
        // The provider by name: a process can have no default, or another one.
        let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| no_certificates("the TLS library".to_owned(), error))?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Self(TlsConnector::from(Arc::new(config))))
    }
}

fn roots_in(file: &Path) -> Result<RootCertStore, PostgresError> {
    let place = || format!("`{}`", file.display());
    let mut roots = RootCertStore::empty();
    let certificates =
        CertificateDer::pem_file_iter(file).map_err(|error| no_certificates(place(), error))?;
    for certificate in certificates {
        let certificate = certificate.map_err(|error| no_certificates(place(), error))?;
        roots
            .add(certificate)
            .map_err(|error| no_certificates(place(), error))?;
    }
    if roots.is_empty() {
        return Err(no_certificates(
            place(),
            io::Error::other("there is no certificate in it"),
        ));
    }
    Ok(roots)
}

/// A system without any is no error here: most databases on a private network
/// are reached without TLS, and one that needs it says so when it is reached.
fn roots_of_the_system() -> RootCertStore {
    let found = load_native_certs();
    for error in &found.errors {
        tracing::debug!(%error, "some certificates of the system cannot be read");
    }
    let mut roots = RootCertStore::empty();
    let (_added, _ignored) = roots.add_parsable_certificates(found.certs);
    roots
}

fn no_certificates(
    place: String,
    error: impl std::error::Error + Send + Sync + 'static,
) -> PostgresError {
    PostgresError::NoCertificates {
        place,
        source: Arc::new(error),
    }
}

impl<S> MakeTlsConnect<S> for Tls
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    type Stream = Encrypted<S>;
    type TlsConnect = ToHost;
    type Error = InvalidDnsNameError;

    fn make_tls_connect(&mut self, host: &str) -> Result<ToHost, InvalidDnsNameError> {
        // A Unix socket has no host, and is never encrypted.
        let host = if host.is_empty() { "localhost" } else { host };
        Ok(ToHost {
            connector: self.0.clone(),
            host: ServerName::try_from(host.to_owned())?,
        })
    }
}

/// An encrypted connection to be made.
pub(super) struct ToHost {
    connector: TlsConnector,
    host: ServerName<'static>,
}

impl<S> TlsConnect<S> for ToHost
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move {
            self.connector
                .connect(self.host, stream)
                .await
                .map(Encrypted)
        })
    }
}

/// An encrypted connection.
pub(super) struct Encrypted<S>(RustlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Encrypted<S> {
    /// None: the certificate is verified, which binds more than a password.
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}
