//! Verifies JSON Web Tokens with the key set of their issuer. The key set is fetched when it is needed, and cached.

use jsonwebtoken::{
    Algorithm, DecodingKey, Validation, decode, decode_header,
    errors::ErrorKind,
    jwk::{Jwk, JwkSet},
};
use openapi_dropshot_server::state::{AuthenticationError, StateError};
use serde::Deserialize;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// The least time between two fetches of the key set, even if tokens name unknown keys.
const FETCH_AGAIN: Duration = Duration::from_secs(60);
/// How long the issuer has to respond.
const FETCH_TIME: Duration = Duration::from_secs(5);

/// The issuer of the tokens.
pub(crate) struct Issuer {
    /// The address of its key set: `jwks_uri` in the metadata of the issuer.
    address: String,
    http: reqwest::Client,
    validation: Validation,
    kept: Mutex<Kept>,
}

struct Kept {
    keys: JwkSet,
    fetched: Option<Instant>,
}

/// The claims of a token that the service reads.
#[derive(Deserialize)]
pub(crate) struct Claims {
    pub(crate) sub: String,
    /// The scopes, with spaces between them (RFC 9068, section 2.2.3).
    #[serde(default)]
    pub(crate) scope: String,
}

impl Issuer {
    /// Creates the issuer with this name. Its tokens are accepted if they are for this audience.
    pub(crate) fn new(name: &str, audience: &str, address: String) -> Self {
        // The service chooses the algorithm, and not the token. The expiry is checked by default.
        let mut validation = Validation::new(Algorithm::EdDSA);
        validation.set_issuer(&[name]);
        validation.set_audience(&[audience]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        Issuer {
            address,
            http: reqwest::Client::new(),
            validation,
            kept: Mutex::new(Kept {
                keys: JwkSet { keys: Vec::new() },
                fetched: None,
            }),
        }
    }

    /// The claims of a token.
    ///
    /// # Errors
    ///
    /// The token is not valid, or the issuer does not respond.
    pub(crate) async fn verify(&self, token: &str) -> Result<Claims, AuthenticationError> {
        let head = decode_header(token).map_err(|_| AuthenticationError::Malformed)?;
        let id = head.kid.ok_or(AuthenticationError::Malformed)?;
        let key = self.key(&id).await?;
        let key = DecodingKey::from_jwk(&key).map_err(|_| AuthenticationError::Unknown)?;
        let token = decode::<Claims>(token, &key, &self.validation);
        let token = token.map_err(|error| match error.kind() {
            ErrorKind::ExpiredSignature => {
                AuthenticationError::Rejected("the token expired; get a new one".into())
            }
            _ => AuthenticationError::Unknown,
        });
        Ok(token?.claims)
    }

    async fn key(&self, id: &str) -> Result<Jwk, AuthenticationError> {
        // The lock is held during the fetch, so only one of several requests fetches the keys.
        let mut kept = self.kept.lock().await;
        if let Some(key) = kept.keys.find(id) {
            return Ok(key.clone());
        }
        if kept.fetched.is_none_or(|at| at.elapsed() >= FETCH_AGAIN) {
            kept.keys = self.fetch().await.map_err(|error| {
                let message = "the keys of the issuer cannot be fetched; try again later";
                StateError::unavailable(message, error.to_string())
            })?;
            kept.fetched = Some(Instant::now());
        }
        let key = kept.keys.find(id).cloned();
        key.ok_or(AuthenticationError::Unknown)
    }

    async fn fetch(&self) -> reqwest::Result<JwkSet> {
        let request = self.http.get(&self.address).timeout(FETCH_TIME);
        request.send().await?.error_for_status()?.json().await
    }
}
