//! The settings of a single call, and of all calls of a client.

use crate::{Interceptor, RetryPolicy, interceptor::Interceptors};
use http::{Extensions, HeaderMap, HeaderName, HeaderValue};
use std::time::Duration;

/// Declares the settings that a client has and that a call can change: the setter for a call, and the default of a client.
macro_rules! settings {
    ($($(#[$doc:meta])* $name:ident($value:ident: $type:ty) = $default:expr;)+) => {
        /// The settings that a call changes.
        #[derive(Clone, Default)]
        struct Changes {
            $($name: Option<$type>,)+
        }

        /// The settings of a client, or of a call after its options were applied.
        #[derive(Clone, Debug)]
        pub(crate) struct Settings {
            $(pub(crate) $name: $type,)+
            pub(crate) interceptors: Interceptors,
            pub(crate) context: Extensions,
        }

        impl Default for Settings {
            fn default() -> Self {
                Settings {
                    $($name: $default,)+
                    interceptors: Interceptors::default(),
                    context: Extensions::new(),
                }
            }
        }

        impl Settings {
            /// The settings of a call, and the headers that the call adds.
            pub(crate) fn changed_by(&self, options: CallOptions) -> (Self, AddedHeaders) {
                let changes = options.changes;
                let settings = Settings {
                    $($name: changes.$name.unwrap_or_else(|| self.$name.clone()),)+
                    interceptors: self.interceptors.followed_by(options.interceptors),
                    context: options.context,
                };
                (settings, options.headers)
            }
        }

        impl CallOptions {
            $(
                $(#[$doc])*
                pub fn $name(mut self, $value: $type) -> Self {
                    self.changes.$name = Some($value);
                    self
                }
            )+
        }

        // The headers are not shown, because they may contain a secret.
        debug_fields!(CallOptions, $($name(changes.$name),)+ interceptors(interceptors));
    };
}

/// Settings of a single call. For settings that are not set, the settings of the client apply. The method `with` of a request accepts them.
///
/// ```
/// # use openapi_dropshot_client::{CallOptions, RetryPolicy};
/// use std::time::Duration;
///
/// let impatient = CallOptions::new()
///     .timeout(Duration::from_secs(1))
///     .try_timeout(Duration::from_millis(500))
///     .retry(RetryPolicy::never())
///     .header("x-priority", "high");
/// ```
#[derive(Clone, Default)]
#[must_use = "settings have no effect until they are passed to a call"]
pub struct CallOptions {
    changes: Changes,
    interceptors: Interceptors,
    context: Extensions,
    headers: AddedHeaders,
}

impl CallOptions {
    /// Creates settings that change nothing.
    pub fn new() -> Self {
        CallOptions::default()
    }

    /// Adds a header to each try. It replaces a header with the same name that the client sets. If the name or the value cannot be sent,
    /// the call fails before anything is sent.
    pub fn header<N, V>(mut self, name: N, value: V) -> Self
    where
        N: TryInto<HeaderName>,
        V: TryInto<HeaderValue>,
    {
        self.headers.add(name, value);
        self
    }

    /// Adds hooks around each try of the call, in addition to those of its client.
    pub fn interceptor(mut self, interceptor: impl Interceptor) -> Self {
        self.interceptors.push(interceptor);
        self
    }

    /// Stores a value that the hooks of the call can get by its type from the [`http::Extensions`] of the call; see [`Interceptor`].
    pub fn context(mut self, value: impl Clone + Send + Sync + 'static) -> Self {
        self.context.insert(value);
        self
    }
}

settings! {
    /// Sets the time limit of the whole call, including all tries and the pauses between them. If a request of a feed lets the service wait
    /// for events (`wait`), this time is added to the limit, and to that of each try. In a stream of pages or items, each page is
    /// a call with this time limit. A body that is read as it arrives may take longer.
    timeout(timeout: Duration) = Duration::from_secs(30);
    /// Sets the time limit of one try, from connecting to the last byte of the response. A request whose body is a stream has only one try,
    /// which is limited only by [`timeout`](Self::timeout).
    try_timeout(timeout: Duration) = Duration::from_secs(10);
    /// Sets how often the call is tried, and how long it pauses between two tries.
    retry(policy: RetryPolicy) = RetryPolicy::new();
    /// Sets how many bytes the response may have after decompression; see
    /// [`ClientBuilder::max_response_bytes`](crate::ClientBuilder::max_response_bytes).
    max_response_bytes(bytes: u64) = 64 << 20;
    /// Sets the longest time without data in a [stream](crate::stream); the default is 60 seconds. After this time, a stream of
    /// events reconnects, and any other stream ends with [`ErrorKind::Timeout`](crate::ErrorKind::Timeout). It must be longer
    /// than the time between two heartbeats of the service.
    idle_timeout(timeout: Duration) = Duration::from_secs(60);
    /// Sets how many bytes an item of a [stream](crate::stream) may have; the default is 1 MiB. A larger item is dropped and reported as an
    /// error of the kind [`ErrorKind::TooLarge`](crate::ErrorKind::TooLarge), and the stream continues.
    max_item_bytes(bytes: usize) = 1 << 20;
    /// Sets how many attempts in a row a [stream of events](crate::stream::EventStream) makes to reconnect; the default is 10,
    /// which takes about half a minute with the default [`RetryPolicy`]. With 0, the stream ends when its connection ends.
    max_reconnects(attempts: u32) = 10;
}

/// The headers that an application adds to one call, or to all calls.
/// Or why the first header that was rejected cannot be sent. The text does not contain its value, which may be a secret.
#[derive(Clone)]
pub(crate) struct AddedHeaders(pub(crate) Result<HeaderMap, String>);

impl Default for AddedHeaders {
    fn default() -> Self {
        AddedHeaders(Ok(HeaderMap::new()))
    }
}

impl AddedHeaders {
    /// Adds a header, replacing an earlier one with the same name.
    pub(crate) fn add<N, V>(&mut self, name: N, value: V)
    where
        N: TryInto<HeaderName>,
        V: TryInto<HeaderValue>,
    {
        let Ok(headers) = &mut self.0 else { return };
        let problem = match (name.try_into(), value.try_into()) {
            (Ok(name), Ok(value)) => {
                headers.insert(name, value);
                return;
            }
            (Ok(name), Err(_)) => format!("`{name}` cannot be sent in a header"),
            (Err(_), _) => "the name of an added header is not valid".to_owned(),
        };
        self.0 = Err(problem);
    }
}
