//! Makes a call for each of many inputs, with a limited number of calls at the same time.

use crate::{Error, ErrorKind, RetryStop};
use futures_util::{
    FutureExt as _, Stream, StreamExt as _,
    future::BoxFuture,
    stream::{self, BoxStream},
};
use std::{
    fmt,
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// How many calls run at the same time by default.
const CONCURRENCY: usize = 8;

/// A call for each of many inputs, with a limited number of calls at the same time.
///
/// ```
/// use openapi_dropshot_client::{Batch, Error, Response};
///
/// # async fn create_book(title: &str) -> Result<Response<i64>, Error> { Err(Error::from(openapi_dropshot_client::BuildError::MissingApiKey)) }
/// # async fn example() {
/// let titles = ["Emma", "Persuasion", "Sanditon"];
/// let report = Batch::new(titles, |title| create_book(title))
///     .concurrency(4)
///     .on_progress(|progress| println!("{} done, {} failed", progress.done, progress.failed))
///     .run()
///     .await;
/// println!("{} books added", report.done.len());
/// for (index, error) in &report.failed {
///     println!("{}: {error}", titles[*index]);
/// }
/// if report.stopped {
///     println!("repeat the batch with the titles that are neither done nor failed");
/// }
/// # }
/// ```
///
/// An error stops the batch if all other calls would fail in the same way. Any other error affects only its own input:
///
/// | error, after all tries of its call | |
/// |---|---|
/// | no connection, no secure connection, no API key ([`ErrorKind`]) | stops the batch |
/// | 401 and 403 | stops the batch |
/// | 429, 502, 503, and other statuses with the code `rate_limited`, `overloaded` or `unavailable` | stops the batch |
/// | any error, if the [`RetryBudget`](crate::RetryBudget) of the client is used up ([`RetryStop::Budget`]) | stops the batch |
/// | the connection broke, or a time limit was reached | affects one input |
/// | any other status, such as 400, 404, 409, 500 or 504 | affects one input |
/// | a value that is not valid, or a response that cannot be read | affects one input |
///
/// A stopped batch starts no further calls and waits for the running ones, so the result of each input is known.
/// [`stop_if`](Batch::stop_if) changes which errors stop the batch.
///
/// Each call has the retries and time limits of its client. If a failed creation may have been carried out
/// ([`Error::was_sent`]), repeat it with the [`idempotency_key`](Error::idempotency_key) of its error.
#[must_use = "nothing is sent before `run` or `stream` is called"]
pub struct Batch<'a, T, C = String> {
    calls: BoxStream<'a, BoxFuture<'a, Result<T, Error<C>>>>,
    concurrency: usize,
    unordered: bool,
    is_fatal: Arc<IsFatal<'a, C>>,
    on_progress: Option<Box<dyn FnMut(Progress) + Send + 'a>>,
}

type IsFatal<'a, C> = dyn Fn(&Error<C>) -> bool + Send + Sync + 'a;

/// The progress of a batch; see [`Batch::on_progress`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Progress {
    /// The number of calls that succeeded.
    pub done: usize,
    /// The number of calls that failed.
    pub failed: usize,
}

impl<'a, T: Send + 'a, C: fmt::Display + Send + 'a> Batch<'a, T, C> {
    /// Creates a batch that makes a call for each of these inputs.
    pub fn new<I, F, R>(inputs: I, call: F) -> Self
    where
        I: IntoIterator,
        I::IntoIter: Send + 'a,
        F: FnMut(I::Item) -> R + Send + 'a,
        R: Future<Output = Result<T, Error<C>>> + Send + 'a,
    {
        Batch::from_stream(stream::iter(inputs), call)
    }

    /// Creates a batch that makes a call for each input of a stream. The stream is read only as fast as calls end.
    pub fn from_stream<S, F, R>(inputs: S, mut call: F) -> Self
    where
        S: Stream + Send + 'a,
        F: FnMut(S::Item) -> R + Send + 'a,
        R: Future<Output = Result<T, Error<C>>> + Send + 'a,
    {
        Batch {
            calls: inputs.map(move |input| call(input).boxed()).boxed(),
            concurrency: CONCURRENCY,
            unordered: false,
            is_fatal: Arc::new(is_fatal),
            on_progress: None,
        }
    }

    /// Sets how many calls run at the same time; the default is 8, and 0 counts as 1.
    pub fn concurrency(mut self, calls: usize) -> Self {
        self.concurrency = calls.max(1);
        self
    }

    /// Yields each result as soon as it arrives, instead of in the order of the inputs. One slow call then does not delay
    /// the results of the others, and no result waits in memory.
    pub fn unordered(mut self) -> Self {
        self.unordered = true;
        self
    }

    /// Sets which errors stop the batch, instead of those that [`Batch`] lists.
    pub fn stop_if(mut self, is_fatal: impl Fn(&Error<C>) -> bool + Send + Sync + 'a) -> Self {
        self.is_fatal = Arc::new(is_fatal);
        self
    }

    /// Sets a function that is called after each call.
    pub fn on_progress(mut self, listener: impl FnMut(Progress) + Send + 'a) -> Self {
        self.on_progress = Some(Box::new(listener));
        self
    }

    /// Returns the results as a stream, each with the position of its input, counted from 0. The stream ends early after an
    /// error that stops the batch.
    pub fn stream(self) -> impl Stream<Item = (usize, Result<T, Error<C>>)> + Send + use<'a, T, C> {
        let stopped = Arc::new(AtomicBool::new(false));
        let (at_input, is_fatal) = (Arc::clone(&stopped), self.is_fatal);
        let calls = self
            .calls
            .take_while(move |_| std::future::ready(!at_input.load(Ordering::Relaxed)))
            .enumerate()
            .map(move |(index, call)| {
                let (stopped, is_fatal) = (Arc::clone(&stopped), Arc::clone(&is_fatal));
                async move {
                    let result = call.await;
                    if result.as_ref().is_err_and(|error| is_fatal(error)) {
                        stopped.store(true, Ordering::Relaxed);
                    }
                    (index, result)
                }
            });
        let results = if self.unordered {
            calls.buffer_unordered(self.concurrency).boxed()
        } else {
            calls.buffered(self.concurrency).boxed()
        };
        let (mut progress, mut listener) = (Progress::default(), self.on_progress);
        results.inspect(move |(_, result)| {
            match result {
                Ok(_) => progress.done += 1,
                Err(_) => progress.failed += 1,
            }
            if let Some(listener) = &mut listener {
                listener(progress);
            }
        })
    }

    /// Makes the calls and collects their results.
    pub async fn run(self) -> BatchReport<T, C> {
        let is_fatal = Arc::clone(&self.is_fatal);
        let results = self.stream();
        let mut results = std::pin::pin!(results);
        let mut report = BatchReport {
            done: Vec::new(),
            failed: Vec::new(),
            stopped: false,
        };
        while let Some((index, result)) = results.next().await {
            match result {
                Ok(value) => report.done.push((index, value)),
                Err(error) => {
                    report.stopped |= is_fatal(&error);
                    report.failed.push((index, error));
                }
            }
        }
        report
    }
}

/// Whether all other calls would fail with this error, too.
fn is_fatal<C: fmt::Display>(error: &Error<C>) -> bool {
    if error.retry_stop() == Some(RetryStop::Budget) {
        return true;
    }
    match error.kind() {
        ErrorKind::Connect | ErrorKind::Credentials | ErrorKind::Tls => true,
        ErrorKind::Answer => match error.status() {
            Some(401 | 403) => true,
            Some(408 | 409 | 425 | 504) => false,
            _ => error.is_retryable(),
        },
        ErrorKind::Request
        | ErrorKind::Timeout
        | ErrorKind::Interrupted
        | ErrorKind::Unreadable
        | ErrorKind::TooLarge => false,
    }
}

/// The results of the inputs of a [`Batch`], each with its position, counted from 0.
#[derive(Debug)]
#[non_exhaustive]
pub struct BatchReport<T, C = String> {
    /// The calls that succeeded.
    pub done: Vec<(usize, T)>,
    /// The calls that failed.
    pub failed: Vec<(usize, Error<C>)>,
    /// Whether an error stopped the batch. If so, no call was made for the inputs that are neither done nor failed.
    pub stopped: bool,
}

impl<T, C> BatchReport<T, C> {
    /// Returns only the values, if every call succeeded.
    ///
    /// # Errors
    ///
    /// Returns an error if a call failed. The error says which inputs are done.
    pub fn into_result(self) -> Result<Vec<T>, BatchError<C>> {
        let done: Vec<usize> = self.done.iter().map(|(index, _)| *index).collect();
        match self.failed.into_iter().next() {
            None => Ok(self.done.into_iter().map(|(_, value)| value).collect()),
            Some((index, source)) => Err(BatchError {
                index,
                source,
                done,
            }),
        }
    }
}

/// The first error of a batch, and the inputs whose calls succeeded.
#[derive(Debug, thiserror::Error)]
#[error("the call for the input at position {index} failed, and {} calls succeeded: {source}", done.len())]
#[non_exhaustive]
pub struct BatchError<C = String> {
    /// The position of the input whose call failed.
    pub index: usize,
    /// The error of this call.
    pub source: Error<C>,
    /// The positions of the inputs whose calls succeeded.
    pub done: Vec<usize>,
}

debug_fields!([T, C] Batch<'_, T, C>, concurrency(concurrency), unordered(unordered));
