//! The error of building a client.

/// Why a client cannot be built. No message repeats the address or the API key.
///
/// ```
/// use openapi_dropshot_client::Client;
///
/// let error = Client::builder("ftp://books.example/v1").api_key("the-key").build().expect_err("it is not an HTTP address");
/// assert!(error.to_string().contains("begin it with `http://` or `https://`"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The address is not a URL.
    #[error("the base URL cannot be read ({reason}); write it like `http://127.0.0.1:8080/v1`")]
    InvalidBaseUrl {
        /// What is wrong with the address.
        reason: String,
    },
    /// The scheme is neither `http` nor `https`.
    #[error(
        "the base URL has the scheme `{scheme}`; begin it with `http://` or `https://`, like `http://127.0.0.1:8080/v1`"
    )]
    UnsupportedScheme {
        /// The scheme of the address.
        scheme: String,
    },
    /// The address contains a user name or a password.
    #[error(
        "the base URL holds a user name or a password; leave them out and pass the key to `api_key`"
    )]
    CredentialsInBaseUrl,
    /// The address has a query or a fragment.
    #[error("the base URL has a query or a fragment; end it with its path, like `/v1`")]
    QueryInBaseUrl,
    /// No API key and no other credential was given, and every operation needs one.
    #[error(
        "there is no API key, and every operation needs one; pass one to `api_key`, or the credential of a security scheme to \
         `credential`"
    )]
    MissingApiKey,
    /// The API key contains a character that no key can have.
    #[error(
        "the API key has a character at position {position} that cannot be sent; pass the key alone, without `Bearer`, \
         spaces or line breaks"
    )]
    InvalidApiKey {
        /// The position of this character, counted from 1.
        position: usize,
    },
    /// The credential of a scheme that is `basic` was not made with `ApiKey::user`, or its user name contains a colon.
    #[error(
        "the credential of a scheme that is `basic` has no valid user name; make it with `ApiKey::user`, with a user name that \
         contains no colon"
    )]
    InvalidUser,
    /// A header that the application added cannot be sent.
    #[error("{reason}; use visible ASCII characters")]
    InvalidHeader {
        /// The header, without its value.
        reason: String,
    },
    /// The address begins with `https`, and the client was built without TLS.
    #[error(
        "the base URL begins with `https`, and this client was built without TLS; \
         switch on its feature `rustls` or `native-tls`, or pass an HTTP client of your own to `http_client`"
    )]
    NoTls,
    /// The HTTP client or TLS could not be set up.
    #[error("the HTTP client cannot be set up; check the certificates of this machine")]
    Tls(#[source] reqwest::Error),
}
