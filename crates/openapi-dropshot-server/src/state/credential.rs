//! The credential of a request for one security scheme of the document.

use http::request::Parts;
use openapi_dropshot_types::{SchemeKind, SecurityScheme};
use std::{borrow::Cow, fmt};

/// The credential of a request for one security scheme, which
/// [`State::authenticate`](super::State::authenticate) gets. It is never empty. `Debug` does not show it.
#[derive(Clone)]
pub struct Credential<'a, P> {
    /// The security scheme.
    pub scheme: &'static SecurityScheme,
    /// The scopes of the scheme that the operation requires. Afterwards, the server checks them with
    /// [`State::has_scope`](super::State::has_scope).
    pub scopes: &'static [&'static str],
    /// The value that the client sent: the text after the name of the scheme in `Authorization`, decoded if
    /// the scheme is `basic`, or the API key in a header, query parameter or cookie.
    pub text: Cow<'a, str>,
    /// Method, URI and headers of the request.
    pub head: &'a Parts,
    /// The body of the request, if [`State::reads_body`](super::State::reads_body) returned `true`.
    pub body: Option<&'a [u8]>,
    /// If the operation requires several schemes together: the principal that the previous schemes returned,
    /// in the order of the document. The returned principal replaces it.
    pub earlier: Option<&'a P>,
}

impl<P> Credential<'_, P> {
    /// Returns the secret part: the password if the scheme is `basic`, otherwise the whole value.
    #[must_use]
    pub fn secret(&self) -> &str {
        match self.scheme.kind {
            SchemeKind::Basic => self.text.split_once(':').map_or("", |(_, secret)| secret),
            _ => &self.text,
        }
    }

    /// Returns the user name if the scheme is `basic`.
    #[must_use]
    pub fn user(&self) -> Option<&str> {
        let is_basic = self.scheme.kind == SchemeKind::Basic;
        let user = self.text.split_once(':').map(|(user, _)| user);
        user.filter(|_| is_basic)
    }
}

impl<P> fmt::Debug for Credential<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credential")
            .field("scheme", self.scheme)
            .field("scopes", &self.scopes)
            .finish_non_exhaustive()
    }
}
