//! How much repeating all calls of a client may do together. A service that is
//! down for everybody is not helped by clients that ask six times instead of
//! once; so what may be repeated is earned by what succeeds.

use std::{
    fmt,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// How many repetitions a client is good for when it starts.
const STOCK: u32 = 100;
/// How many calls have to succeed for one repetition more.
const CALLS_PER_RETRY: u32 = 5;

/// What the calls of a client may spend on repetitions, together.
///
/// It begins with a stock of 100 repetitions, and five calls that succeed earn
/// one more, up to the stock: however long a service is down, a client sends it
/// at most 100 requests and a fifth more than it would without repeating. Where
/// nothing is left, a call fails with the error of its last try.
///
/// Clones share what there is. Clients that talk to one service may share it
/// too, by [`ClientBuilder::retry_budget`](crate::ClientBuilder::retry_budget):
///
/// ```
/// use petstore_client::{Client, RetryBudget};
///
/// let budget = RetryBudget::new(20, 10);
/// let client = Client::builder("http://127.0.0.1:8080/v1")
///     .api_key("the-key")
///     .retry_budget(budget.clone())
///     .build()?;
/// assert_eq!(budget.left(), 20);
/// # let _ = client;
/// # Ok::<(), petstore_client::BuildError>(())
/// ```
#[derive(Clone)]
pub struct RetryBudget {
    shared: Arc<Shared>,
}

struct Shared {
    /// One repetition is as many tokens as calls have to succeed for it.
    tokens: AtomicU64,
    most: u64,
    price: u64,
}

impl RetryBudget {
    /// A budget that begins with a stock of this many repetitions, and gets one
    /// more for each `calls_per_retry` calls that succeed, up to the stock. With
    /// 0 for the latter, each call that succeeds earns one.
    ///
    /// ```
    /// let careful = petstore_client::RetryBudget::new(10, 20);
    /// assert_eq!(careful.left(), 10);
    /// ```
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

    /// How many repetitions are left.
    ///
    /// ```
    /// assert_eq!(petstore_client::RetryBudget::default().left(), 100);
    /// ```
    #[must_use]
    pub fn left(&self) -> u64 {
        self.shared.tokens.load(Ordering::Relaxed) / self.shared.price
    }

    /// Takes one repetition, if there is one.
    pub(crate) fn spend(&self) -> bool {
        let price = self.shared.price;
        let take = |tokens: u64| tokens.checked_sub(price);
        self.shared
            .tokens
            .try_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .is_ok()
    }

    /// A call succeeded.
    pub(crate) fn earn(&self) {
        let most = self.shared.most;
        let add = |tokens: u64| (tokens < most).then_some(tokens + 1);
        // Full is full.
        let _ = self
            .shared
            .tokens
            .try_update(Ordering::Relaxed, Ordering::Relaxed, add);
    }
}

impl Default for RetryBudget {
    fn default() -> Self {
        RetryBudget::new(STOCK, CALLS_PER_RETRY)
    }
}

impl fmt::Debug for RetryBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryBudget")
            .field("left", &self.left())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_spent_is_earned_by_calls_that_succeed() {
        let budget = RetryBudget::new(2, 3);
        assert!(budget.spend());
        assert!(budget.clone().spend(), "clones share what there is");
        assert!(!budget.spend(), "nothing is left");
        budget.earn();
        budget.earn();
        assert!(!budget.spend(), "two calls are not three");
        budget.earn();
        assert!(budget.spend());
    }

    #[test]
    fn nothing_is_saved_beyond_the_stock() {
        let budget = RetryBudget::new(1, 1);
        (0..10).for_each(|_| budget.earn());
        assert_eq!(budget.left(), 1);
    }

    #[test]
    fn a_budget_of_nothing_allows_nothing() {
        let budget = RetryBudget::new(0, 0);
        budget.earn();
        assert!(!budget.spend());
    }
}
