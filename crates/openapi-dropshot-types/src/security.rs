//! Describes the credentials that the operations of a document require.

/// The credentials that an operation requires.
///
/// If this value is incomplete by mistake, requests are rejected: a value that is not open and has no alternative accepts no
/// request, and an alternative without a scheme is never fulfilled.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Security {
    /// Whether a request without credentials is accepted: the document lists no requirement, or one of the requirements is empty.
    pub is_open: bool,
    /// The alternatives, in the order of the document. A request must have the credentials of all schemes of one alternative.
    pub alternatives: &'static [&'static [RequiredScheme]],
}

/// A security scheme that an operation requires, with the required scopes.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct RequiredScheme {
    /// The scheme.
    pub scheme: &'static SecurityScheme,
    /// The scopes that the principal must have; most schemes have none.
    pub scopes: &'static [&'static str],
}

/// One of the document's `components.securitySchemes`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct SecurityScheme {
    /// Its name in the document.
    pub name: &'static str,
    /// The place of its credential in a request.
    pub kind: SchemeKind<'static>,
}

/// The place of a credential in a request.
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

    /// Returns the schemes of all alternatives, in the order of the document. A scheme may occur several times.
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
