//! An archive of records: the service that the guide of `openapi-dropshot-server` builds. Models and API are generated from
//! `openapi.yaml` by the build script.

include!(concat!(env!("OUT_DIR"), "/service.rs"));

mod database;
mod handlers;
mod issuer;
mod records;
mod scans;

pub use handlers::Handlers;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use database::Pool;
use dropshot::Body;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::{HeaderValue, Request, Response, header, request::Parts};
use http_body_util::{BodyStream, StreamBody};
use issuer::Issuer;
use openapi_dropshot_server::{
    SecurityScheme, ServiceInfo, State, service_info,
    state::{
        AuthenticationError, Credential, ErrorBody, Incoming, Outgoing, ServerError, StateError,
    },
};
use scans::Scans;
use sha2::Sha256;
use std::{
    collections::HashMap,
    path::Path,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};
use sync_wrapper::SyncStream;
use tokio::sync::watch;
use tower::ServiceExt as _;
use tower_http::services::ServeDir;

/// The API with the handlers of this crate.
pub type Api = api::Generated<Handlers>;

/// The names of the service.
pub static INFO: ServiceInfo = service_info!("archive");

/// The greatest age of a signature, in seconds.
const LONGEST_WAY: u64 = 300;

/// The state of the service, which each handler reaches with `rqctx.context().state()`.
pub struct Archive {
    pool: Pool,
    /// Notified of each new record.
    added: watch::Sender<()>,
    issuer: Issuer,
    /// The secrets with which partners sign.
    partners: HashMap<String, Vec<u8>>,
    /// The passwords of users. A real service stores a slow hash of each password, such as Argon2.
    users: HashMap<String, String>,
    assets: ServeDir,
    scans: Scans,
}

/// Who makes a request.
#[derive(Debug)]
pub struct Caller {
    id: String,
    scopes: Vec<String>,
}

impl Archive {
    /// Opens the archive in this file. It accepts tokens of the issuer whose key set has this address.
    ///
    /// # Errors
    ///
    /// The file cannot be opened.
    pub fn open(file: &Path, key_set: String) -> anyhow::Result<Self> {
        let assets = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");
        Ok(Archive {
            pool: Pool::open(file, 4)?,
            added: watch::Sender::new(()),
            issuer: Issuer::new("https://issuer.example", "archive", key_set),
            partners: [("museum".to_owned(), b"the-secret".to_vec())].into(),
            users: [("ada".to_owned(), "the-password".to_owned())].into(),
            assets: ServeDir::new(assets),
            scans: Scans::open(file.with_extension("scans"))?,
        })
    }

    fn is_signed(&self, partner: &str, credential: &Credential<'_, Arc<Caller>>) -> Option<()> {
        let (time, mac) = credential.secret().split_once('.')?;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
        let age = now.abs_diff(time.parse().ok()?);
        let (method, path) = (&credential.head.method, credential.head.uri.path());
        let mut expected = Hmac::<Sha256>::new_from_slice(self.partners.get(partner)?).ok()?;
        expected.update(format!("{time} {method} {path}\n").as_bytes());
        expected.update(credential.body?);
        let mac = BASE64_STANDARD.decode(mac).ok()?;
        // Compares in constant time.
        expected.verify_slice(&mac).ok()?;
        (age <= LONGEST_WAY).then_some(())
    }
}

impl State for Archive {
    type Principal = Arc<Caller>;

    fn principal_id(caller: &Arc<Caller>) -> &str {
        &caller.id
    }

    fn reads_body(scheme: &SecurityScheme) -> bool {
        scheme.name == "signature"
    }

    async fn authenticate(
        &self,
        credential: Credential<'_, Arc<Caller>>,
    ) -> Result<Arc<Caller>, AuthenticationError> {
        let caller = |id: &str, scopes: &str| {
            let scopes = scopes.split_whitespace().map(str::to_owned).collect();
            let id = id.to_owned();
            Ok(Arc::new(Caller { id, scopes }))
        };
        let secret = credential.secret();
        match (credential.scheme.name, credential.earlier) {
            ("token", _) => {
                let claims = self.issuer.verify(secret).await?;
                caller(&claims.sub, &claims.scope)
            }
            ("user", _) => match credential.user() {
                Some(user) if self.users.get(user).is_some_and(|own| own == secret) => {
                    caller(user, "")
                }
                _ => Err(AuthenticationError::Unknown),
            },
            ("partner", _) if self.partners.contains_key(secret) => caller(secret, ""),
            ("signature", Some(partner)) => {
                let is_signed = self.is_signed(&partner.id, &credential);
                let is_signed = is_signed.ok_or(AuthenticationError::Unknown);
                is_signed.map(|()| Arc::clone(partner))
            }
            _ => Err(AuthenticationError::Unknown),
        }
    }

    fn has_scope(caller: &Arc<Caller>, _: &SecurityScheme, scope: &str) -> bool {
        caller.scopes.iter().any(|own| own == scope)
    }

    fn error_body(error: &ServerError<'_>) -> Option<ErrorBody> {
        Some(ErrorBody::problem_details(error))
    }

    async fn before(&self, request: Incoming<'_>) -> Option<Response<Body>> {
        let theme = cookie(request.head, "theme").map(str::to_owned);
        request.extensions.insert(Visit {
            theme,
            is_encrypted: request.tls.is_some(),
        });
        let file = request.head.uri.path().strip_prefix("/assets/")?;
        // tower-http handles `Range`, `If-Modified-Since`, paths outside the folder and the media type.
        let mut file_request = Request::new(Body::empty());
        file_request.headers_mut().clone_from(&request.head.headers);
        *file_request.method_mut() = request.head.method.clone();
        *file_request.uri_mut() = format!("/{file}").parse().ok()?;
        let response = self.assets.clone().oneshot(file_request).await;
        // A body of dropshot must be `Sync`, but a body of tower-http is not.
        let shared = |body| Body::wrap(StreamBody::new(SyncStream::new(BodyStream::new(body))));
        Some(response.ok()?.map(shared))
    }

    fn after(&self, request: &Outgoing<'_, Arc<Caller>>, response: &mut Response<Body>) {
        let headers = response.headers_mut();
        let nosniff = HeaderValue::from_static("nosniff");
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, nosniff);
        let Some(visit) = request.extensions.get::<Visit>() else {
            return;
        };
        if visit.is_encrypted {
            let always = HeaderValue::from_static("max-age=31536000");
            headers.insert(header::STRICT_TRANSPORT_SECURITY, always);
        }
        // The browser keeps the cookie for another month.
        if let Some(theme) = &visit.theme
            && let Ok(cookie) =
                format!("theme={theme}; Path=/; Max-Age=2592000; SameSite=Lax").parse()
        {
            headers.append(header::SET_COOKIE, cookie);
        }
    }

    async fn check(&self) -> Result<(), StateError> {
        let asked = self.pool.run(|db| db.query_row("SELECT 1", [], |_| Ok(())));
        let failed = |error: rusqlite::Error| {
            StateError::unavailable("the database does not respond", error.to_string())
        };
        asked.await.map_err(failed)
    }
}

/// The data that `before` passes to `after`.
#[derive(Clone)]
struct Visit {
    theme: Option<String>,
    is_encrypted: bool,
}

/// The value of a cookie.
fn cookie<'h>(head: &'h Parts, name: &str) -> Option<&'h str> {
    let lines = head.headers.get_all(header::COOKIE).iter();
    let mut pairs = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'));
    pairs.find_map(|pair| pair.trim().strip_prefix(name)?.strip_prefix('='))
}
