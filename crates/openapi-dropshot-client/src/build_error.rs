//! The error of building a client.

/// Why a client cannot be built. No message contains the URL or the API key.
///
/// ```
/// use openapi_dropshot_client::Client;
///
/// let error = Client::builder("ftp://books.example/v1").api_key("the-key").build().expect_err("it is not an HTTP address");
/// assert!(error.to_string().contains("must begin with `http://` or `https://`"));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The base URL is not a valid URL.
    #[error("the base URL cannot be parsed ({reason}); write it as in `http://127.0.0.1:8080/v1`")]
    InvalidBaseUrl {
        /// The reason why it cannot be parsed.
        reason: String,
    },
    /// The scheme is neither `http` nor `https`.
    #[error(
        "the base URL has the scheme `{scheme}`; it must begin with `http://` or `https://`, as in `http://127.0.0.1:8080/v1`"
    )]
    UnsupportedScheme {
        /// The scheme of the URL.
        scheme: String,
    },
    /// The base URL contains a user name or a password.
    #[error(
        "the base URL contains a user name or a password; remove them and pass the key to `api_key`"
    )]
    CredentialsInBaseUrl,
    /// The base URL has a query or a fragment.
    #[error("the base URL has a query or a fragment; it must end with its path, as in `/v1`")]
    QueryInBaseUrl,
    /// There is no API key and no other credential, and every operation requires one.
    #[error(
        "there is no API key, and every operation needs one; pass one to `api_key`, or the credential of a security scheme to \
         `credential`"
    )]
    MissingApiKey,
    /// The API key contains a character that keys cannot contain.
    #[error(
        "the API key has a character at position {position} that cannot be sent; pass only the key, without `Bearer`, \
         spaces or line breaks"
    )]
    InvalidApiKey {
        /// The position of this character, counted from 1.
        position: usize,
    },
    /// The credential of a `basic` scheme was not created with `ApiKey::user`, or its user name contains a colon.
    #[error(
        "the credential of a `basic` scheme has no valid user name; create it with `ApiKey::user`, with a user name that \
         contains no colon"
    )]
    InvalidUser,
    /// A header that the application added cannot be sent.
    #[error("{reason}; use visible ASCII characters")]
    InvalidHeader {
        /// The name of the header, without its value.
        reason: String,
    },
    /// The base URL starts with `https`, but the client was built without TLS.
    #[error(
        "the base URL begins with `https`, but this client was built without TLS; \
         switch on its feature `rustls` or `native-tls`, or pass an HTTP client of your own to `http_client`"
    )]
    NoTls,
    /// The HTTP client or TLS could not be set up.
    #[error("the HTTP client cannot be set up; check the certificates of this machine")]
    Tls(#[source] reqwest::Error),
}
