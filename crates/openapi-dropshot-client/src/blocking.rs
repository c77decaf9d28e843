//! Calls for code that is not async. This crate sends the requests on its own runtime, and the calling thread waits.
//!
//! Each request of a generated client has `send_blocking` in addition to `send`. [`Pages`] and [`Items`] have a method
//! `blocking`, which turns them into iterators.
//!
//! A call has the same spans and the same trace as `send` would have in its place: it uses the current span, subscriber
//! and OpenTelemetry context.
//!
//! Blocking calls work on any thread. A thread that runs async code is blocked until the call ends, so use `send` in async
//! code.

use crate::{Error, ErrorCode, Feed, Items, Pages};
use futures_util::{Stream, StreamExt as _};
use serde::de::DeserializeOwned;
use std::{
    future::Future,
    io,
    sync::{LazyLock, mpsc},
};
use tokio::runtime::{Builder, Runtime};
use tracing::{Instrument as _, instrument::WithSubscriber as _};

/// One thread is enough, because it only transfers bytes.
static RUNTIME: LazyLock<io::Result<Runtime>> = LazyLock::new(|| {
    Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("openapi-client")
        .enable_all()
        .build()
});

/// Runs a call to its end, even on a thread that runs async code. Generated code calls this function.
///
/// # Errors
///
/// Returns the error of the call, or an error if the runtime cannot be started.
pub fn wait<T: Send + 'static, C: Send + 'static>(
    call: impl Future<Output = Result<T, Error<C>>> + Send + 'static,
) -> Result<T, Error<C>> {
    let runtime = RUNTIME.as_ref().map_err(Error::no_runtime)?;
    let (sender, receiver) = mpsc::sync_channel(1);
    let call = call.in_current_span().with_current_subscriber();
    #[cfg(feature = "opentelemetry")]
    let call = opentelemetry::trace::FutureExt::with_current_context(call);
    // `block_on` cannot be used here, because it panics on a thread that runs async code.
    runtime.spawn(async move {
        // The receiver waits below.
        let _ = sender.send(call.await);
    });
    receiver.recv().unwrap_or_else(|_| Err(Error::panicked()))
}

/// Declares the iterator over a stream with a cursor. The function returns the next item of the page that was received last.
macro_rules! iterator {
    ($(#[$attribute:meta])* $name:ident($stream:ident, $next_arrived:expr)) => {
        $(#[$attribute])*
        pub struct $name<T, C = String> {
            /// `None` only while the iterator waits for a page.
            stream: Option<$stream<T, C>>,
        }

        impl<T, C> $name<T, C> {
            pub(crate) fn new(stream: $stream<T, C>) -> Self {
                let stream = Some(stream);
                $name { stream }
            }

            #[doc = concat!("The same as [`", stringify!($stream), "::cursor`].")]
            pub fn cursor(&self) -> Option<&str> {
                self.stream.as_ref()?.cursor()
            }
        }

        impl<T: DeserializeOwned + Send + 'static, C: ErrorCode> Iterator for $name<T, C> {
            type Item = <$stream<T, C> as Stream>::Item;

            fn next(&mut self) -> Option<Self::Item> {
                let next_arrived: fn(&mut $stream<T, C>) -> Option<Self::Item> = $next_arrived;
                let arrived = next_arrived(self.stream.as_mut()?);
                arrived.or_else(|| wait_for_next(&mut self.stream))
            }
        }

        debug_fields!([T, C] $name<T, C>, cursor(cursor()));
    };
}

iterator! {
    /// Yields pages one after the other; [`Pages::blocking`] returns it.
    ///
    /// ```
    /// # use openapi_dropshot_client::{Error, Pages, blocking::PagesIter};
    /// # fn example(pages: Pages<Vec<String>>) -> Result<(), Error> {
    /// let pages: PagesIter<Vec<String>> = pages.blocking();
    /// for page in pages {
    ///     println!("{} titles", page?.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use = "nothing is sent before a page is requested"]
    PagesIter(Pages, |_| None)
}

iterator! {
    /// Yields the items of the pages one by one; [`Items::blocking`] returns it.
    ///
    /// ```
    /// # use openapi_dropshot_client::{Error, Items, blocking::ItemsIter};
    /// # fn example(titles: Items<String>) -> Result<(), Error> {
    /// let titles: ItemsIter<String> = titles.blocking();
    /// for title in titles.take(3) {
    ///     println!("{}", title?);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use = "nothing is sent before an item is requested"]
    ItemsIter(Items, |items| items.next_of_page().map(Ok))
}

/// Yields the items of a [stream](crate::stream) one by one; [`Streamed::blocking`](crate::stream::Streamed::blocking) and
/// [`EventStream::blocking`](crate::stream::EventStream::blocking) return it.
///
/// ```
/// # use openapi_dropshot_client::{Error, blocking::StreamIter, stream::Streamed};
/// # fn example(titles: Streamed<String>) -> Result<(), Error> {
/// let mut titles: StreamIter<Streamed<String>> = titles.blocking();
/// for title in &mut titles {
///     println!("{}", title?);
/// }
/// println!("{:?} items", titles.stream().map(Streamed::received));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
#[must_use = "items arrive when they are requested"]
pub struct StreamIter<S: Stream> {
    /// `None` only while the iterator waits for an item.
    stream: Option<S>,
    /// Returns the next item that has already arrived.
    next_arrived: fn(&mut S) -> Option<S::Item>,
}

impl<S: Stream> StreamIter<S> {
    pub(crate) fn new(stream: S, next_arrived: fn(&mut S) -> Option<S::Item>) -> Self {
        StreamIter {
            stream: Some(stream),
            next_arrived,
        }
    }

    /// Returns the stream, so that you can inspect its state.
    pub fn stream(&self) -> Option<&S> {
        self.stream.as_ref()
    }
}

impl<S, T, C> Iterator for StreamIter<S>
where
    S: Stream<Item = Result<T, Error<C>>> + Unpin + Send + 'static,
    T: Send + 'static,
    C: Send + 'static,
{
    type Item = Result<T, Error<C>>;

    fn next(&mut self) -> Option<Self::Item> {
        let arrived = (self.next_arrived)(self.stream.as_mut()?);
        arrived.or_else(|| wait_for_next(&mut self.stream))
    }
}

/// Yields the events of a feed one by one, without an end; [`Feed::blocking`] returns it. To get the cursor, call `cursor`
/// of the feed that [`stream`](StreamIter::stream) returns.
///
/// ```
/// # use openapi_dropshot_client::{Error, Feed, blocking::FeedIter};
/// # fn example(titles: Feed<String>) -> Result<(), Error> {
/// let mut titles: FeedIter<String> = titles.blocking();
/// while let Some(title) = titles.next() {
///     println!("{:?}", title?);
///     println!("store {:?} with the effect", titles.stream().and_then(Feed::cursor));
/// }
/// # Ok(())
/// # }
/// ```
pub type FeedIter<T, C = String> = StreamIter<Feed<T, C>>;

/// Waits for the next item of a stream. The stream is moved to the runtime and back.
fn wait_for_next<S, T, C>(stream: &mut Option<S>) -> Option<Result<T, Error<C>>>
where
    S: Stream<Item = Result<T, Error<C>>> + Unpin + Send + 'static,
    T: Send + 'static,
    C: Send + 'static,
{
    let mut own = stream.take()?;
    let waited = wait(async move {
        let item = own.next().await;
        Ok((item, own))
    });
    match waited {
        Ok((item, own)) => {
            *stream = Some(own);
            item
        }
        Err(error) => Some(Err(error)),
    }
}
