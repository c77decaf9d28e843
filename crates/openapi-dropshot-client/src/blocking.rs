//! Calls for code that is not async: requests are sent on a runtime of this crate, and the calling thread waits.
//!
//! Each request of a generated client has `send_blocking` beside `send`; [`Pages`] and [`Items`](crate::Items) have
//! `blocking`, which makes iterators of them.
//!
//! A call has the same spans and trace as `send` in the same place: it takes the current span, subscriber and OpenTelemetry
//! context along.
//!
//! It works on any thread. A thread that runs async code is blocked until the call ends; use `send` in such code.

use crate::{Error, ErrorCode, Pages, Response};
use serde::de::DeserializeOwned;
use std::{
    fmt,
    future::Future,
    io,
    sync::{LazyLock, mpsc},
};
use tokio::runtime::{Builder, Runtime};
use tracing::{Instrument as _, instrument::WithSubscriber as _};

/// One thread is enough: it only moves bytes.
static RUNTIME: LazyLock<io::Result<Runtime>> = LazyLock::new(|| {
    Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("openapi-client")
        .enable_all()
        .build()
});

/// Runs a call to its end, even on a thread that is running async code. For generated code.
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
    // Not `block_on`, which panics on a thread that runs async code.
    runtime.spawn(async move {
        // The receiver waits below.
        let _ = sender.send(call.await);
    });
    receiver.recv().unwrap_or_else(|_| Err(Error::panicked()))
}

/// Pages, one after the other; [`Pages::blocking`] returns it.
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
pub struct PagesIter<T, C = String> {
    /// `None` only while a page is waited for.
    pages: Option<Pages<T, C>>,
}

impl<T, C> PagesIter<T, C> {
    pub(crate) fn new(pages: Pages<T, C>) -> Self {
        PagesIter { pages: Some(pages) }
    }

    /// The same as [`Pages::cursor`].
    pub fn cursor(&self) -> Option<&str> {
        self.pages.as_ref()?.cursor()
    }
}

impl<T: DeserializeOwned + Send + 'static, C: ErrorCode> Iterator for PagesIter<T, C> {
    type Item = Result<Response<T, C>, Error<C>>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut pages = self.pages.take()?;
        let waited = wait(async move {
            let page = pages.next().await;
            Ok((page, pages))
        });
        match waited {
            Ok((page, pages)) => {
                self.pages = Some(pages);
                page
            }
            Err(error) => Some(Err(error)),
        }
    }
}

impl<T, C> fmt::Debug for PagesIter<T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PagesIter")
            .field("cursor", &self.cursor())
            .finish_non_exhaustive()
    }
}

/// The items of the pages, one by one; [`Items::blocking`](crate::Items::blocking) returns it.
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
pub struct ItemsIter<T, C = String> {
    pages: PagesIter<Vec<T>, C>,
    page: std::vec::IntoIter<T>,
}

impl<T, C> ItemsIter<T, C> {
    /// Begins with the items of a page that was received already.
    pub(crate) fn new(pages: Pages<Vec<T>, C>, page: std::vec::IntoIter<T>) -> Self {
        ItemsIter {
            pages: PagesIter::new(pages),
            page,
        }
    }

    /// The same as [`Items::cursor`](crate::Items::cursor).
    pub fn cursor(&self) -> Option<&str> {
        self.pages.cursor()
    }
}

impl<T: DeserializeOwned + Send + 'static, C: ErrorCode> Iterator for ItemsIter<T, C> {
    type Item = Result<T, Error<C>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.page.next() {
                return Some(Ok(item));
            }
            match self.pages.next()? {
                // A page may be empty and still lead to another one.
                Ok(page) => self.page = page.into_inner().into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl<T, C> fmt::Debug for ItemsIter<T, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ItemsIter")
            .field("cursor", &self.cursor())
            .finish_non_exhaustive()
    }
}
