//! Describes the credentials that the operations of a document require.

/// The credentials that an operation requires.
///
/// The default of a mistake is to reject: a value that neither is open nor has an alternative lets no
/// request through, and an alternative without a scheme is never fulfilled.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Security {
    /// Whether a request without credentials is accepted: the document lists no requirement, or an
    /// empty one among others.
    pub is_open: bool,
    /// The alternatives, in the order of the document. A request needs the credentials of all
    /// schemes of one of them.
    pub alternatives: &'static [&'static [RequiredScheme]],
}

/// A security scheme that an operation requires, and the scopes that it needs.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RequiredScheme {
    /// The scheme.
    pub scheme: &'static SecurityScheme,
    /// The scopes that the principal must have; none for most schemes.
    pub scopes: &'static [&'static str],
}

/// One of the document's `components.securitySchemes`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct SecurityScheme {
    /// Its name in the document.
    pub name: &'static str,
    /// Where a request has its credential.
    pub kind: SchemeKind<'static>,
}

/// Where a request has the credential of a security scheme.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum SchemeKind<'a> {
    /// An API key as `Authorization: Bearer KEY` (`type: http`, `scheme: bearer`; RFC 6750).
    Bearer,
    /// An access token as `Authorization: Bearer TOKEN` (`type: oauth2` and `openIdConnect`, and `http` with `bearerFormat: JWT`).
    Token,
    /// User name and password as `Authorization: Basic …` (`type: http`, `scheme: basic`; RFC 7617).
    Basic,
    /// An API key in a header of this name (`type: apiKey`).
    Header(&'a str),
    /// An API key in a query parameter of this name (`type: apiKey`).
    Query(&'a str),
    /// An API key in a cookie of this name (`type: apiKey`).
    Cookie(&'a str),
}

impl Security {
    /// No credential is required, and none is read.
    pub const NONE: Security = Security {
        is_open: true,
        alternatives: &[],
    };

    /// The schemes of all alternatives, in the order of the document; some of them several times.
    pub fn schemes(&self) -> impl Iterator<Item = &'static SecurityScheme> {
        let all = self.alternatives.iter().copied().flatten();
        all.map(|required| required.scheme)
    }
}

impl SchemeKind<'_> {
    /// Whether the credential is in the header `Authorization`, after the name of its scheme.
    pub const fn is_authorization(self) -> bool {
        matches!(
            self,
            SchemeKind::Bearer | SchemeKind::Token | SchemeKind::Basic
        )
    }
}
