//! Configures encrypted connections to the database. The certificate of the server
//! and the host name in it are always verified. If the server offers channel
//! binding (`tls-server-end-point`, RFC 5929), password authentication uses it.

use crate::OpenProblem;
use rustls::{
    ClientConfig, RootCertStore,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, pem::PemObject},
};
use rustls_native_certs::load_native_certs;
use std::{error::Error, path::Path, sync::Arc};
use tokio_postgres_rustls::MakeRustlsConnect;

/// Returns a connector for encrypted connections. It trusts the certificates in the file, or the
/// certificates that the system trusts. It is cheap to clone.
pub(super) fn connector(
    root_certificates: Option<&Path>,
) -> Result<MakeRustlsConnect, OpenProblem> {
    let roots = match root_certificates {
        Some(file) => roots_in(file)?,
        None => roots_of_the_system(),
    };
    // Sets the provider explicitly: a process may have no default provider, or another one.
    let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| no_certificates("the TLS library".to_owned(), error))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

fn roots_in(file: &Path) -> Result<RootCertStore, OpenProblem> {
    let read = || -> Result<_, Box<dyn Error + Send + Sync>> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_file_iter(file)? {
            roots.add(certificate?)?;
        }
        if roots.is_empty() {
            return Err("the file contains no certificate".into());
        }
        Ok(roots)
    };
    read().map_err(|error| no_certificates(format!("`{}`", file.display()), error))
}

/// A system without certificates is not an error here: most databases on a private network
/// are used without TLS. If a database needs TLS, the connection fails later.
fn roots_of_the_system() -> RootCertStore {
    let found = load_native_certs();
    for error in &found.errors {
        tracing::debug!(%error, "some certificates of the system cannot be read");
    }
    let mut roots = RootCertStore::empty();
    let (_added, _ignored) = roots.add_parsable_certificates(found.certs);
    roots
}

fn no_certificates(place: String, error: impl Into<Box<dyn Error + Send + Sync>>) -> OpenProblem {
    OpenProblem::NoCertificates {
        place,
        source: Arc::from(error.into()),
    }
}
