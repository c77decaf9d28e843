//! Follows the links of the service from page to page (RFC 8288), as a stream of pages or of items.

use crate::{Error, ErrorCode, Response, error::Failure, link, prepared::Prepared};
use futures_util::{
    Stream, StreamExt as _,
    stream::{self, BoxStream},
};
use reqwest::Url;
use serde::de::DeserializeOwned;
use std::{
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll, ready},
};

/// Pages, one after the other, as a [`Stream`]. The method `pages` of a request returns it.
///
/// A page is fetched only when it is polled for. After an error the stream ends. To continue, use [`cursor`](Pages::cursor),
/// or [`next_cursor`](Response::next_cursor) of the last page.
///
/// ```
/// # use openapi_dropshot_client::{Error, Pages};
/// # async fn example(mut pages: Pages<Vec<String>>) -> Result<(), Error> {
/// while let Some(page) = pages.next().await {
///     let page = page?;
///     println!("{} titles, then {:?}", page.len(), page.next_cursor()?);
/// }
/// println!("the last page began at {:?}", pages.cursor());
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is sent before a page is polled for"]
pub struct Pages<T, C = String> {
    pages: BoxStream<'static, Result<Page<T, C>, Failure>>,
    cursor: Option<String>,
}

/// A page that was received, and the cursor at which it begins.
type Page<T, C> = (Response<T, C>, Option<String>);

/// The request for the next page, or the error that follows the last page.
pub(crate) type Next = Result<Box<Prepared>, Failure>;

impl<T, C> Pages<T, C> {
    /// Returns the cursor of the page that was returned last; before the first page, the cursor of the request. A request with
    /// this `cursor` and the same filters starts with that page again. `None` means the beginning of the list.
    pub fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }
}

impl<T: DeserializeOwned + Send + 'static, C: ErrorCode> Pages<T, C> {
    pub(crate) fn new(first: Next) -> Self {
        let cursor = cursor_of(&first);
        let pages = stream::try_unfold(Some(first), |next: Option<Next>| async move {
            match next {
                Some(request) => fetch(request?).await.map(Some),
                None => Ok(None),
            }
        });
        Pages {
            pages: pages.boxed(),
            cursor,
        }
    }

    /// Returns the next page; `None` after the last one. This is the same as `next` of `StreamExt`, but needs no import.
    pub async fn next(&mut self) -> Option<Result<Response<T, C>, Error<C>>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// Returns the pages as an iterator, for code that is not async.
    #[cfg(all(feature = "blocking", not(target_arch = "wasm32")))]
    pub fn blocking(self) -> crate::blocking::PagesIter<T, C> {
        crate::blocking::PagesIter::new(self)
    }
}

impl<T: DeserializeOwned + Send + 'static, C: ErrorCode> Stream for Pages<T, C> {
    type Item = Result<Response<T, C>, Error<C>>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let page = ready!(this.pages.poll_next_unpin(context));
        Poll::Ready(page.map(|page| {
            let (response, cursor) = page.map_err(Failure::typed)?;
            this.cursor = cursor;
            Ok(response)
        }))
    }
}

debug_fields!([T, C] Pages<T, C>, cursor(cursor));

/// Fetches a page.
///
/// # Errors
///
/// Returns the error of the request.
async fn fetch<T: DeserializeOwned, C>(
    mut request: Box<Prepared>,
) -> Result<(Page<T, C>, Option<Next>), Failure> {
    let response: Response<T, C> = Response::json(request.read().await?)?;
    let url = request.request.url();
    let cursor = link::query_value(url, "cursor");
    let next = link::next(response.headers()).map(|target| follow(url, &target));
    let next = next.map(|next| match next {
        Ok(next) => {
            // The remaining parts of the request are the same for the next page.
            *request.request.url_mut() = next;
            Ok(request)
        }
        Err(reason) => Err(response.unreadable(reason)),
    });
    Ok(((response, cursor), next))
}

/// Returns the cursor of a request.
pub(crate) fn cursor_of(request: &Next) -> Option<String> {
    let url = request.as_ref().ok()?.request.url();
    link::query_value(url, "cursor")
}

/// Resolves the target of a link, relative to the request whose response has the link.
pub(crate) fn follow(from: &Url, target: &str) -> Result<Url, &'static str> {
    let to = from
        .join(target)
        .map_err(|_| "the link to the next page is not a URL")?;
    // The request contains the API key.
    if to.origin() != from.origin() || !to.username().is_empty() || to.password().is_some() {
        return Err(
            "the link to the next page leads to another origin, which must not get the API key",
        );
    }
    if to == *from {
        return Err("the link to the next page leads to the same page");
    }
    Ok(to)
}

/// The items of the pages, one by one, as a [`Stream`]. The method `stream` of a request returns it.
///
/// The next page is fetched only when the items of the last page are used up. After an error the stream ends. To continue, use
/// [`cursor`](Items::cursor).
///
/// ```
/// # use openapi_dropshot_client::{Error, Items};
/// # async fn example(mut titles: Items<String>) -> Result<(), Error> {
/// while let Some(title) = titles.next().await {
///     println!("{}", title?);
/// }
/// # Ok(())
/// # }
/// ```
///
/// With the traits of the crate `futures`, it can be used like any other stream:
///
/// ```
/// use futures::{StreamExt, TryStreamExt};
///
/// # use openapi_dropshot_client::{Error, Items};
/// # async fn example(titles: Items<String>) -> Result<(), Error> {
/// let ten: Vec<String> = titles.take(10).try_collect().await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is sent before an item is polled for"]
pub struct Items<T, C = String> {
    pages: Pages<Vec<T>, C>,
    page: std::vec::IntoIter<T>,
}

impl<T, C> Items<T, C> {
    /// Returns the cursor of the page of the last item; before the first item, the cursor of the request. A request with this
    /// `cursor` and the same filters starts with that page again: it may return some items a second time, but misses none.
    /// `None` means the beginning of the list.
    pub fn cursor(&self) -> Option<&str> {
        self.pages.cursor()
    }

    /// Returns the next item of the page that was received last.
    #[cfg(all(feature = "blocking", not(target_arch = "wasm32")))]
    pub(crate) fn next_of_page(&mut self) -> Option<T> {
        self.page.next()
    }
}

impl<T: DeserializeOwned + Send + 'static, C: ErrorCode> Items<T, C> {
    pub(crate) fn new(first: Next) -> Self {
        Items {
            pages: Pages::new(first),
            page: Vec::new().into_iter(),
        }
    }

    /// Returns the next item; `None` after the last one. This is the same as `next` of `StreamExt`, but needs no import.
    pub async fn next(&mut self) -> Option<Result<T, Error<C>>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// Returns the items as an iterator, for code that is not async.
    #[cfg(all(feature = "blocking", not(target_arch = "wasm32")))]
    pub fn blocking(self) -> crate::blocking::ItemsIter<T, C> {
        crate::blocking::ItemsIter::new(self)
    }
}

impl<T: DeserializeOwned + Send + 'static, C: ErrorCode> Stream for Items<T, C> {
    type Item = Result<T, Error<C>>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(item) = this.page.next() {
                return Poll::Ready(Some(Ok(item)));
            }
            match ready!(this.pages.poll_next_unpin(context)) {
                // A page may be empty and still have a next page.
                Some(Ok(page)) => this.page = page.into_inner().into_iter(),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }
}

/// It is `Unpin`, because no field borrows from another field.
impl<T, C> Unpin for Items<T, C> {}

debug_fields!([T, C] Items<T, C>, cursor(cursor()), left_on_page(page.len()));
