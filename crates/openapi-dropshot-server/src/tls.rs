//! Loads the certificate and the key for TLS.

pub(crate) mod certificate;

use crate::config_error::ConfigError;
use rustls::{
    ServerConfig,
    pki_types::{
        CertificateDer, PrivateKeyDer,
        pem::{self, PemObject as _},
    },
};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

/// The certificate and the key of the service, as files.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TlsFiles {
    /// The certificate chain, a PEM file that starts with the service's own certificate.
    pub cert: PathBuf,
    /// The private key of the first certificate, a PEM file.
    pub key: PathBuf,
}

/// A certificate with its key, ready for use: HTTP/2 for clients that offer it, HTTP/1.1 for all
/// others.
pub struct Tls(ServerConfig);

impl Tls {
    /// Reads both files.
    ///
    /// # Errors
    ///
    /// Returns an error if a file cannot be read, or if the certificate and the key do not belong
    /// together.
    pub fn load(files: &TlsFiles) -> Result<Self, ConfigError> {
        let (cert, key) = (files.cert.display(), files.key.display());
        let chain = chain(&files.cert).map_err(|source| {
            let message = format!(
                "cannot read the certificate `{cert}`; it must be a PEM file with the whole chain"
            );
            ConfigError::because(message, source)
        })?;
        if chain.is_empty() {
            return Err(ConfigError::new(format!(
                "there is no certificate in `{cert}`; it must be a PEM file with the whole chain"
            )));
        }
        let private_key = PrivateKeyDer::from_pem_file(&files.key).map_err(|source| {
            let message = format!(
                "cannot read the key `{key}`; it must be a PEM file with PKCS#8, PKCS#1 or SEC1, without a password"
            );
            ConfigError::because(message, source)
        })?;
        let config = ServerConfig::builder().with_no_client_auth();
        let config = config.with_single_cert(chain, private_key);
        let mut config = config.map_err(|source| {
            let message = format!("the certificate `{cert}` cannot be served with the key `{key}`");
            ConfigError::because(message, source)
        })?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Tls(config))
    }

    /// Reads both files again while the service runs. Rejects pipes and devices, because reading them
    /// could block forever.
    pub(crate) fn load_again(files: &TlsFiles) -> Result<Self, ConfigError> {
        for file in [&files.cert, &files.key] {
            if fs::metadata(file).is_ok_and(|metadata| !metadata.is_file()) {
                let name = file.display();
                return Err(ConfigError::new(format!("`{name}` is not a regular file")));
            }
        }
        Self::load(files)
    }

    pub(crate) fn into_config(self) -> Arc<ServerConfig> {
        Arc::new(self.0)
    }
}

/// Reads the certificates in a file.
fn chain(path: &Path) -> Result<Vec<CertificateDer<'static>>, pem::Error> {
    CertificateDer::pem_file_iter(path).and_then(Iterator::collect)
}
