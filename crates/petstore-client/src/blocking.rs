//! For code that is not async: requests are sent on a runtime of this crate,
//! and the thread that asked waits.
//!
//! Each request has `send_blocking` beside `send`; [`Pages`] and
//! [`Items`](crate::Items) have `blocking`, which makes iterators of them.
//!
//! ```no_run
//! use petstore_client::{Client, NewPet, PetStatus};
//!
//! fn main() -> Result<(), petstore_client::Error> {
//!     let client = Client::builder("http://127.0.0.1:8080/v1").api_key("the-key").build()?;
//!     let rex = NewPet::builder().name("Rex").category_id(7).status(PetStatus::Available);
//!     let added = client.create_pet().body(rex).send_blocking()?;
//!     println!("added with the id {}", added.id);
//!     for pet in client.list_pets().stream().blocking() {
//!         println!("{}", pet?.name);
//!     }
//!     Ok(())
//! }
//! ```
//!
//! It works on any thread. On one that runs async code it keeps everything else
//! there from running; use `send` in such code.

use crate::{Error, Pages, Response};
use serde::de::DeserializeOwned;
use std::{
    fmt,
    future::Future,
    io,
    sync::{LazyLock, mpsc},
};
use tokio::runtime::{Builder, Runtime};

/// One thread is enough: it only moves bytes.
static RUNTIME: LazyLock<io::Result<Runtime>> = LazyLock::new(|| {
    Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("petstore-client")
        .enable_all()
        .build()
});

/// Waits for a call.
///
/// # Errors
///
/// Those of the call, or there is no thread for it.
pub(crate) fn wait<T: Send + 'static>(
    call: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<T, Error> {
    let runtime = RUNTIME.as_ref().map_err(Error::no_runtime)?;
    let (give, take) = mpsc::sync_channel(1);
    // Not `block_on`, which panics on a thread that runs async code.
    runtime.spawn(async move {
        // Whoever asked is waiting below.
        let _ = give.send(call.await);
    });
    take.recv().unwrap_or_else(|_| Err(Error::panicked()))
}

/// Pages, one after the other; [`Pages::blocking`] makes it.
///
/// ```no_run
/// # fn example(client: &petstore_client::Client) -> Result<(), petstore_client::Error> {
/// let pages: petstore_client::blocking::PagesIter<_> = client.list_pets().pages().blocking();
/// for page in pages {
///     println!("{} pets", page?.len());
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is sent before a page is asked for"]
pub struct PagesIter<T> {
    /// Away only while a page is waited for.
    pages: Option<Pages<T>>,
}

impl<T> PagesIter<T> {
    pub(crate) fn new(pages: Pages<T>) -> Self {
        PagesIter { pages: Some(pages) }
    }

    /// As [`Pages::cursor`].
    ///
    /// ```no_run
    /// # fn example(client: &petstore_client::Client) {
    /// let mut pages = client.list_pets().pages().blocking();
    /// pages.next();
    /// assert_eq!(pages.cursor(), None, "the first page has none");
    /// # }
    /// ```
    pub fn cursor(&self) -> Option<&str> {
        self.pages.as_ref()?.cursor()
    }
}

impl<T: DeserializeOwned + Send + 'static> Iterator for PagesIter<T> {
    type Item = Result<Response<T>, Error>;

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

impl<T> fmt::Debug for PagesIter<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PagesIter")
            .field("cursor", &self.cursor())
            .finish_non_exhaustive()
    }
}

/// What is on the pages, one by one; [`Items::blocking`](crate::Items::blocking)
/// makes it.
///
/// ```no_run
/// # fn example(client: &petstore_client::Client) -> Result<(), petstore_client::Error> {
/// let pets: petstore_client::blocking::ItemsIter<_> = client.list_pets().stream().blocking();
/// for pet in pets.take(3) {
///     println!("{}", pet?.name);
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is sent before an item is asked for"]
pub struct ItemsIter<T> {
    pages: PagesIter<Vec<T>>,
    page: std::vec::IntoIter<T>,
}

impl<T> ItemsIter<T> {
    pub(crate) fn new(pages: Pages<Vec<T>>) -> Self {
        ItemsIter {
            pages: PagesIter::new(pages),
            page: Vec::new().into_iter(),
        }
    }

    /// As [`Items::cursor`](crate::Items::cursor).
    ///
    /// ```no_run
    /// # fn example(client: &petstore_client::Client) {
    /// let mut pets = client.list_pets().stream().blocking();
    /// pets.next();
    /// assert_eq!(pets.cursor(), None, "the first page has none");
    /// # }
    /// ```
    pub fn cursor(&self) -> Option<&str> {
        self.pages.cursor()
    }
}

impl<T: DeserializeOwned + Send + 'static> Iterator for ItemsIter<T> {
    type Item = Result<T, Error>;

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

impl<T> fmt::Debug for ItemsIter<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ItemsIter")
            .field("cursor", &self.cursor())
            .finish_non_exhaustive()
    }
}
