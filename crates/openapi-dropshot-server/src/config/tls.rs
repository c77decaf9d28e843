//! The settings of TLS: the files of the certificate and its key.

use super::{
    ConfigError,
    settings::{Table, put, take},
};
use std::path::PathBuf;

/// The certificate and the key of the service, as files.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TlsFiles {
    /// The certificate chain, PEM, the service's own certificate first.
    pub cert: PathBuf,
    /// The private key of the first certificate, PEM.
    pub key: PathBuf,
}

/// The options of [`TlsFiles`]. Without both, the service speaks plain HTTP.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct TlsOptions {
    /// Serve https with this certificate chain, a PEM file; read again at SIGHUP [default: plain http]
    #[arg(long, hide_env_values = true, value_name = "FILE")]
    pub tls_cert: Option<PathBuf>,
    /// The private key of the certificate, a PEM file with PKCS#8, PKCS#1 or SEC1
    #[arg(long, hide_env_values = true, value_name = "FILE")]
    pub tls_key: Option<PathBuf>,
}

impl TlsOptions {
    /// These, and `others` where these say nothing.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self {
            tls_cert: self.tls_cert.or(others.tls_cert),
            tls_key: self.tls_key.or(others.tls_key),
        }
    }

    /// Both files, or none.
    pub(super) fn resolve(self) -> Result<Option<TlsFiles>, ConfigError> {
        match (self.tls_cert, self.tls_key) {
            (Some(cert), Some(key)) => Ok(Some(TlsFiles { cert, key })),
            (None, None) => Ok(None),
            (Some(_), None) => Err(ConfigError::Contradiction(
                "`tls-cert` is set, but `tls-key` is not; set both for https, or none for http",
            )),
            (None, Some(_)) => Err(ConfigError::Contradiction(
                "`tls-key` is set, but `tls-cert` is not; set both for https, or none for http",
            )),
        }
    }

    /// Takes what a configuration file says of them.
    pub(super) fn take(table: &mut Table) -> Result<Self, ConfigError> {
        Ok(Self {
            tls_cert: take(table, "tls_cert")?,
            tls_key: take(table, "tls_key")?,
        })
    }
}

impl TlsFiles {
    /// Puts them where a configuration file has them.
    pub(super) fn put(&self, table: &mut Table) {
        put(table, "tls_cert", &self.cert.display());
        put(table, "tls_key", &self.key.display());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_certificate_without_a_key_is_rejected_and_so_is_a_key_alone() {
        let set = |cert: Option<&str>, key: Option<&str>| TlsOptions {
            tls_cert: cert.map(PathBuf::from),
            tls_key: key.map(PathBuf::from),
        };
        assert!(set(Some("cert"), None).resolve().is_err());
        assert!(set(None, Some("key")).resolve().is_err());
        assert_eq!(set(None, None).resolve().expect("plain"), None);
        let both = set(Some("cert"), None).or(set(Some("other"), Some("key")));
        let files = both.resolve().expect("both").expect("https");
        assert_eq!(
            files,
            TlsFiles {
                cert: "cert".into(),
                key: "key".into()
            }
        );
    }
}
