//! From page to page, along the links of the service (RFC 8288): as a stream of
//! pages, and as one of what is on them.

use crate::{Error, Response, call::Prepared, link};
use futures::{Stream, StreamExt as _, future::BoxFuture};
use reqwest::Url;
use serde::de::DeserializeOwned;
use std::{
    fmt,
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll, ready},
};

/// Pages, one after the other, as a [`Stream`]; `pages` of a request makes it.
///
/// A page is asked for when it is polled for, and not before: who stops asks
/// for nothing more. After an error there is nothing more, either; begin again
/// with [`cursor`](Pages::cursor) or with the
/// [`next_cursor`](Response::next_cursor) of the last page.
///
/// ```no_run
/// use petstore_client::{Client, PetStatus};
///
/// # async fn example(client: &Client) -> Result<(), petstore_client::Error> {
/// let mut pages = client.list_pets().status(PetStatus::Available).limit(100).pages();
/// while let Some(page) = pages.next().await {
///     let page = page?;
///     println!("{} pets, then {:?}", page.len(), page.next_cursor()?);
/// }
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is sent before a page is asked for"]
pub struct Pages<T> {
    state: State<T>,
    cursor: Option<String>,
}

enum State<T> {
    /// To be asked for.
    Next(Box<Prepared>),
    /// Asked for.
    Asked(BoxFuture<'static, Result<Found<T>, Error>>),
    /// What came after the last page that was given.
    Broken(Error),
    Done,
}

/// A page that was answered.
struct Found<T> {
    page: Response<T>,
    /// Where it began.
    cursor: Option<String>,
    next: State<T>,
}

impl<T> Pages<T> {
    pub(crate) fn new(first: Result<Prepared, Error>) -> Self {
        Pages {
            state: match first {
                Ok(request) => State::Next(Box::new(request)),
                Err(error) => State::Broken(error),
            },
            cursor: None,
        }
    }

    /// Where the page began that was given last: with the same filter, the
    /// `cursor` of a request that begins with that page again. `None` on the
    /// first page.
    ///
    /// ```no_run
    /// # async fn example(client: &petstore_client::Client) -> Result<(), petstore_client::Error> {
    /// let mut pages = client.list_pets().pages();
    /// pages.next().await;
    /// pages.next().await;
    /// let second = pages.cursor().map(str::to_owned);
    /// if let Some(second) = second {
    ///     let again = client.list_pets().cursor(second).send().await?;
    ///     println!("{} pets on the second page", again.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn cursor(&self) -> Option<&str> {
        self.cursor.as_deref()
    }
}

impl<T: DeserializeOwned + Send + 'static> Pages<T> {
    /// The next page; `None` after the last one. The same as `next` of
    /// `StreamExt`, without the import.
    ///
    /// ```no_run
    /// # async fn example(client: &petstore_client::Client) -> Result<(), petstore_client::Error> {
    /// let mut pages = client.list_pets().pages();
    /// if let Some(first) = pages.next().await {
    ///     println!("{} pets on the first page", first?.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn next(&mut self) -> Option<Result<Response<T>, Error>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// The pages as an iterator, for code that is not async.
    ///
    /// ```no_run
    /// # fn example(client: &petstore_client::Client) -> Result<(), petstore_client::Error> {
    /// for page in client.list_pets().pages().blocking() {
    ///     println!("{} pets", page?.len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "blocking")]
    pub fn blocking(self) -> crate::blocking::PagesIter<T> {
        crate::blocking::PagesIter::new(self)
    }
}

impl<T: DeserializeOwned + Send + 'static> Stream for Pages<T> {
    type Item = Result<Response<T>, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        if matches!(this.state, State::Next(_))
            && let State::Next(request) = std::mem::replace(&mut this.state, State::Done)
        {
            this.state = State::Asked(Box::pin(fetch(*request)));
        }
        if let State::Asked(page) = &mut this.state {
            let found = ready!(page.as_mut().poll(context));
            return Poll::Ready(Some(match found {
                Ok(found) => {
                    this.state = found.next;
                    this.cursor = found.cursor;
                    Ok(found.page)
                }
                Err(error) => {
                    this.state = State::Done;
                    Err(error)
                }
            }));
        }
        Poll::Ready(match std::mem::replace(&mut this.state, State::Done) {
            State::Broken(error) => Some(Err(error)),
            _ => None,
        })
    }
}

/// Nothing of it borrows from itself.
impl<T> Unpin for Pages<T> {}

impl<T> fmt::Debug for Pages<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pages")
            .field("cursor", &self.cursor)
            .finish_non_exhaustive()
    }
}

async fn fetch<T: DeserializeOwned>(request: Prepared) -> Result<Found<T>, Error> {
    let url = request.request.url().clone();
    // The rest of the request is that of the next page as well.
    let template = request.at(url.clone());
    let response = request.send().await?;
    let page: Response<T> = Response::json(response).await?;
    let next = match link::next(page.headers()) {
        None => State::Done,
        Some(target) => match follow(&url, &target) {
            Ok(next) => State::Next(Box::new(template.at(next))),
            Err(reason) => State::Broken(page.unreadable(reason)),
        },
    };
    let cursor = url
        .query_pairs()
        .find(|(name, _)| name == "cursor")
        .map(|(_, value)| value.into_owned());
    Ok(Found { page, cursor, next })
}

/// The address that a link leads to, relative to the request that it answers.
fn follow(from: &Url, target: &str) -> Result<Url, &'static str> {
    let to = from
        .join(target)
        .map_err(|_| "the link to the next page is no address")?;
    // The request carries the API key.
    if to.origin() != from.origin() || !to.username().is_empty() || to.password().is_some() {
        return Err("the link to the next page leads to another origin, which gets no API key");
    }
    if to == *from {
        return Err("the link to the next page leads to the page that it stands on");
    }
    Ok(to)
}

/// What is on the pages, one by one, as a [`Stream`]; `stream` of a request
/// makes it.
///
/// The next page is asked for when the last one is used up, and not before: who
/// stops asks for nothing more. After an error there is nothing more, either;
/// begin again with [`cursor`](Items::cursor).
///
/// ```no_run
/// use petstore_client::{Client, PetStatus};
///
/// # async fn example(client: &Client) -> Result<(), petstore_client::Error> {
/// let mut pets = client.list_pets().status(PetStatus::Available).stream();
/// while let Some(pet) = pets.next().await {
///     println!("{}", pet?.name);
/// }
/// # Ok(())
/// # }
/// ```
///
/// With the traits of the crate `futures` it does what streams do:
///
/// ```no_run
/// use futures::{StreamExt, TryStreamExt};
/// use petstore_client::{Client, Pet};
///
/// # async fn example(client: &Client) -> Result<(), petstore_client::Error> {
/// let ten: Vec<Pet> = client.list_pets().stream().take(10).try_collect().await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is sent before an item is asked for"]
pub struct Items<T> {
    pages: Pages<Vec<T>>,
    page: std::vec::IntoIter<T>,
}

impl<T> Items<T> {
    pub(crate) fn new(first: Result<Prepared, Error>) -> Self {
        Items {
            pages: Pages::new(first),
            page: Vec::new().into_iter(),
        }
    }

    /// Where the page of the last item began: with the same filter, the `cursor`
    /// of a request that begins with that page again, so that some items come
    /// twice and none is missed. `None` on the first page.
    ///
    /// ```no_run
    /// # async fn example(client: &petstore_client::Client) -> Result<(), petstore_client::Error> {
    /// let mut pets = client.list_pets().stream();
    /// while let Some(pet) = pets.next().await {
    ///     match pet {
    ///         Ok(pet) => println!("{}", pet.id),
    ///         Err(error) => {
    ///             println!("{error}; go on later from {:?}", pets.cursor());
    ///             break;
    ///         }
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn cursor(&self) -> Option<&str> {
        self.pages.cursor()
    }
}

impl<T: DeserializeOwned + Send + 'static> Items<T> {
    /// The next item; `None` after the last one. The same as `next` of
    /// `StreamExt`, without the import.
    ///
    /// ```no_run
    /// # async fn example(client: &petstore_client::Client) -> Result<(), petstore_client::Error> {
    /// if let Some(first) = client.list_pets().limit(1).stream().next().await {
    ///     println!("the first pet is {}", first?.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub async fn next(&mut self) -> Option<Result<T, Error>> {
        poll_fn(|context| Pin::new(&mut *self).poll_next(context)).await
    }

    /// The items as an iterator, for code that is not async.
    ///
    /// ```no_run
    /// # fn example(client: &petstore_client::Client) -> Result<(), petstore_client::Error> {
    /// for pet in client.list_pets().stream().blocking() {
    ///     println!("{}", pet?.name);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "blocking")]
    pub fn blocking(self) -> crate::blocking::ItemsIter<T> {
        crate::blocking::ItemsIter::new(self.pages)
    }
}

impl<T: DeserializeOwned + Send + 'static> Stream for Items<T> {
    type Item = Result<T, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            if let Some(item) = this.page.next() {
                return Poll::Ready(Some(Ok(item)));
            }
            match ready!(this.pages.poll_next_unpin(context)) {
                // A page may be empty and still lead to another one.
                Some(Ok(page)) => this.page = page.into_inner().into_iter(),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => return Poll::Ready(None),
            }
        }
    }
}

/// Nothing of it borrows from itself.
impl<T> Unpin for Items<T> {}

impl<T> fmt::Debug for Items<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Items")
            .field("cursor", &self.cursor())
            .field("left_on_page", &self.page.len())
            .finish_non_exhaustive()
    }
}
