//! Loads the certificate and the key for TLS.

pub(crate) mod certificate;

use rustls::{
    ServerConfig,
    pki_types::{
        CertificateDer, PrivateKeyDer,
        pem::{self, PemObject as _},
    },
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// The certificate and the key of the service, as files.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TlsFiles {
    /// The certificate chain, PEM, the service's own certificate first.
    pub cert: PathBuf,
    /// The private key of the first certificate, PEM.
    pub key: PathBuf,
}

/// A certificate with its key, ready to be served: HTTP/2 to clients that offer
/// it, HTTP/1.1 to the others.
pub struct Tls(ServerConfig);

/// Why a certificate or its key cannot be served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// The certificate file cannot be read, or is no PEM.
    #[error("cannot read the certificate `{}`; it has to be a PEM file with the whole chain", path.display())]
    Certificate {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: pem::Error,
    },
    /// The certificate file has no certificate in it.
    #[error("there is no certificate in `{}`; it has to be a PEM file with the whole chain", path.display())]
    NoCertificate {
        /// The file.
        path: PathBuf,
    },
    /// The key file cannot be read, or has no key in it.
    #[error("cannot read the key `{}`; it has to be a PEM file with PKCS#8, PKCS#1 or SEC1, without a password", path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: pem::Error,
    },
    /// The two do not belong together, or are of a kind that TLS has no use for.
    #[error("the certificate `{}` cannot be served with the key `{}`", cert.display(), key.display())]
    Unusable {
        /// The file of the certificate.
        cert: PathBuf,
        /// The file of the key.
        key: PathBuf,
        /// What is wrong with them.
        source: rustls::Error,
    },
}

impl Tls {
    /// Reads both files.
    ///
    /// # Errors
    ///
    /// One cannot be read, or they do not belong together.
    pub fn load(files: &TlsFiles) -> Result<Self, TlsError> {
        let chain = chain(&files.cert)?;
        let key = PrivateKeyDer::from_pem_file(&files.key).map_err(|source| TlsError::Key {
            path: files.key.clone(),
            source,
        })?;
        let mut config = ServerConfig::builder()
            .with_no_client_auth()
            .with_single_cert(chain, key)
            .map_err(|source| TlsError::Unusable {
                cert: files.cert.clone(),
                key: files.key.clone(),
                source,
            })?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Tls(config))
    }

    pub(crate) fn into_config(self) -> Arc<ServerConfig> {
        Arc::new(self.0)
    }
}

fn chain(path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let chain = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|source| TlsError::Certificate {
            path: path.to_owned(),
            source,
        })?;
    if chain.is_empty() {
        let path = path.to_owned();
        return Err(TlsError::NoCertificate { path });
    }
    Ok(chain)
}
