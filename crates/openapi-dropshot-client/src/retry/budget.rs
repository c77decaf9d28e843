//! Limits how many retries all calls of a client may make together. If a service is down for all its clients, six
//! requests per call instead of one make the situation worse. Therefore retries of later calls must be earned by
//! successful calls.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// How many retries a budget has when it starts.
const STOCK: u32 = 100;
/// How many calls must succeed to earn one more retry.
const CALLS_PER_RETRY: u32 = 5;

/// How many retries the calls of a client may make together.
///
/// A budget starts with 100 retries. Five successful calls earn one more retry, up to 100 in total. However long a
/// service is down, a client sends at most 100 requests plus a fifth more than it would send without retries. When the
/// budget is used up, a call fails with the error of its last try.
///
/// Clones share one budget. Several clients of a service can also share a budget, with
/// [`ClientBuilder::retry_budget`](crate::ClientBuilder::retry_budget):
///
/// ```
/// use openapi_dropshot_client::{Client, RetryBudget};
///
/// let budget = RetryBudget::new(20, 10);
/// let client = Client::builder("http://127.0.0.1:8080/v1")
///     .api_key("the-key")
///     .retry_budget(budget.clone())
///     .build()?;
/// assert_eq!(budget.left(), 20);
/// # Ok::<(), openapi_dropshot_client::BuildError>(())
/// ```
#[derive(Clone)]
pub struct RetryBudget {
    shared: Arc<Shared>,
}

struct Shared {
    /// A retry costs as many tokens as the number of calls that must succeed to earn it.
    tokens: AtomicU64,
    most: u64,
    price: u64,
}

impl RetryBudget {
    /// Creates a budget that starts with `stock` retries, and gets one more for each `calls_per_retry` successful calls,
    /// up to `stock`. A `calls_per_retry` of 0 counts as 1.
    #[must_use]
    pub fn new(stock: u32, calls_per_retry: u32) -> Self {
        let price = u64::from(calls_per_retry.max(1));
        let most = u64::from(stock) * price;
        RetryBudget {
            shared: Arc::new(Shared {
                tokens: AtomicU64::new(most),
                most,
                price,
            }),
        }
    }

    /// Returns how many retries are left.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.shared.tokens.load(Ordering::Relaxed) / self.shared.price
    }

    /// Uses one retry, if there is one.
    pub(crate) fn spend(&self) -> bool {
        self.change(|tokens| tokens.checked_sub(self.shared.price))
    }

    /// Counts a successful call.
    pub(crate) fn earn(&self) {
        // A full budget does not grow.
        self.change(|tokens| (tokens < self.shared.most).then_some(tokens + 1));
    }

    /// Changes the number of tokens, unless the function returns `None`.
    fn change(&self, change: impl FnMut(u64) -> Option<u64>) -> bool {
        let (tokens, order) = (&self.shared.tokens, Ordering::Relaxed);
        tokens.fetch_update(order, order, change).is_ok()
    }
}

impl Default for RetryBudget {
    fn default() -> Self {
        RetryBudget::new(STOCK, CALLS_PER_RETRY)
    }
}

debug_fields!(RetryBudget, left(left()));

#[cfg(test)]
mod tests;
