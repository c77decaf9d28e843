//! Request bodies that are streams of JSON lines.

use futures_util::{
    Stream, StreamExt as _,
    stream::{self, BoxStream},
};
#[cfg(not(target_arch = "wasm32"))]
use serde::Serialize;
use std::fmt;

/// The largest number of lines that are sent at once, if the stream has as many.
#[cfg(not(target_arch = "wasm32"))]
const AT_ONCE: usize = 64;

/// The lines of a request body. Each item is sent as soon as the stream yields it. A call with such a body is
/// not repeated.
///
/// ```
/// use futures_util::stream;
/// use openapi_dropshot_client::stream::Lines;
///
/// let titles = Lines::new(stream::iter(["Emma", "Ulysses"]));
/// // client.import_titles().body(titles)
/// # let _: Lines<&str> = titles;
/// ```
pub struct Lines<T>(BoxStream<'static, T>);

impl<T> Lines<T> {
    /// Sends the items of a stream.
    pub fn new(items: impl Stream<Item = T> + Send + 'static) -> Self {
        Lines(items.boxed())
    }
}

impl<T: Send + 'static> From<Vec<T>> for Lines<T> {
    fn from(items: Vec<T>) -> Self {
        Lines::new(stream::iter(items))
    }
}

impl<T> fmt::Debug for Lines<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lines(..)")
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl<T: Serialize + 'static> Lines<T> {
    pub(crate) fn into_body(self) -> Result<reqwest::Body, String> {
        let chunks = self.0.ready_chunks(AT_ONCE).map(|items| {
            let mut text = Vec::new();
            for item in items {
                serde_json::to_writer(&mut text, &item)?;
                text.push(b'\n');
            }
            Ok::<_, serde_json::Error>(text)
        });
        Ok(reqwest::Body::wrap_stream(chunks))
    }
}

#[cfg(target_arch = "wasm32")]
impl<T> Lines<T> {
    /// `fetch` cannot send streams with HTTP/1.1.
    pub(crate) fn into_body(self) -> Result<reqwest::Body, String> {
        let Lines(_unsent) = self;
        Err("lines cannot be sent as a stream in a browser".to_owned())
    }
}
