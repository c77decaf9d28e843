//! Shares a budget among holders so that none of them can use it up alone.
//!
#![doc = include_str!("../README.md")]

use foldhash::fast::RandomState;
use std::{
    collections::{HashMap, hash_map::Entry},
    fmt,
    hash::{BuildHasher as _, Hash},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

/// The budget divided by this number is the common part, from which every holder may take.
const COMMON: usize = 4;
/// A holder may hold at most this multiple of the free amount.
const ALPHA: usize = 2;
/// Number of locks, so that different holders seldom wait for the same lock.
const SHARDS: usize = 16;

/// A budget that the holders `H` share.
pub struct Shares<H> {
    limit: usize,
    used: AtomicUsize,
    /// The amount that each holder took while more than the common part was in use. A holder without such an
    /// amount has no entry.
    shards: [Mutex<Held<H>>; SHARDS],
    hasher: RandomState,
}

/// The amounts that the holders have.
type Held<H> = HashMap<H, usize, RandomState>;

/// A part of a budget, which is returned when it is dropped.
pub struct Share<H: Copy + Eq + Hash> {
    shares: Arc<Shares<H>>,
    holder: H,
    amount: usize,
    /// The part of `amount` that was taken beyond the common part.
    counted: usize,
}

/// An amount that others may use until this loan is dropped; see [`Shares::lend`].
pub struct Loan<H> {
    shares: Arc<Shares<H>>,
    amount: usize,
}

impl<H> Drop for Loan<H> {
    fn drop(&mut self) {
        self.shares.used.fetch_add(self.amount, Ordering::Relaxed);
    }
}

impl<H: Copy + Eq + Hash> Shares<H> {
    /// Creates an unused budget.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Shares {
            limit,
            used: AtomicUsize::new(0),
            shards: std::array::from_fn(|_| Mutex::default()),
            hasher: RandomState::default(),
        }
    }

    /// Returns the size of the whole budget.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Returns the amount that all holders have taken at this moment.
    #[must_use]
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Takes this amount for a holder. Returns `None` if the amount is not free, or if the holder would then
    /// have more than its share.
    #[must_use]
    pub fn try_take(self: &Arc<Self>, holder: &H, amount: usize) -> Option<Share<H>> {
        let mut share = Share {
            shares: Arc::clone(self),
            holder: *holder,
            amount: 0,
            counted: 0,
        };
        share.try_grow(amount).then_some(share)
    }

    /// Lends other holders an amount that is in use, until the returned loan is dropped. Use it for a holder that does
    /// not need its share for some time, and drop the loan before the share. At most the used amount is lent.
    /// After the loan has ended, more than the whole budget may be in use, until shares are returned.
    #[must_use]
    pub fn lend(self: &Arc<Self>, amount: usize) -> Loan<H> {
        let lend = |used: usize| Some(used.saturating_sub(amount));
        let (order, update) = (Ordering::Relaxed, Ordering::Relaxed);
        let used = self.used.fetch_update(order, update, lend);
        Loan {
            shares: Arc::clone(self),
            amount: used.map_or(0, |used| amount.min(used)),
        }
    }

    /// Adds to the used amount if the sum is at most `limit`.
    fn reserve(&self, amount: usize, limit: usize) -> bool {
        let add = |used: usize| used.checked_add(amount).filter(|sum| *sum <= limit);
        self.used
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, add)
            .is_ok()
    }

    fn shard(&self, holder: &H) -> MutexGuard<'_, Held<H>> {
        let number = self.hasher.hash_one(holder) as usize % SHARDS;
        // A panic cannot leave an inconsistent number behind here.
        self.shards[number]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Like [`reserve`](Self::reserve), but beyond the common part, counted as the holder's own; `before` is
    /// what the holder already has in the share that grows.
    fn reserve_counted(&self, holder: &H, before: usize, amount: usize) -> bool {
        let mut shard = self.shard(holder);
        let held = shard.get(holder).copied().unwrap_or(0);
        let free = self.limit.saturating_sub(self.used());
        let is_only_share = held == before;
        let is_fair = held.saturating_add(amount) <= free.saturating_mul(ALPHA);
        if !(is_only_share || is_fair) || !self.reserve(amount, self.limit) {
            return false;
        }
        *shard.entry(*holder).or_default() += amount;
        true
    }

    fn give_back(&self, holder: &H, amount: usize, counted: usize) {
        if counted > 0
            && let Entry::Occupied(mut held) = self.shard(holder).entry(*holder)
        {
            *held.get_mut() -= counted;
            if *held.get() == 0 {
                held.remove();
            }
        }
        self.used.fetch_sub(amount, Ordering::Relaxed);
    }

    #[cfg(test)]
    fn holders(&self) -> usize {
        let holders = |shard: &Mutex<Held<H>>| shard.lock().map_or(0, |held| held.len());
        self.shards.iter().map(holders).sum()
    }
}

impl<H: Copy + Eq + Hash> Share<H> {
    /// Returns the amount of this share.
    #[must_use]
    pub fn amount(&self) -> usize {
        self.amount
    }

    /// Takes more, by the rules of [`Shares::try_take`], and returns whether it succeeded. If it failed, the
    /// share is unchanged.
    #[must_use]
    pub fn try_grow(&mut self, more: usize) -> bool {
        let shares = &self.shares;
        if more == 0 {
            return true;
        }
        if !shares.reserve(more, shares.limit / COMMON) {
            if !shares.reserve_counted(&self.holder, self.counted, more) {
                return false;
            }
            self.counted += more;
        }
        self.amount += more;
        true
    }

    /// Returns a part of the share to the budget, at most all of it.
    pub fn shrink(&mut self, less: usize) {
        let less = less.min(self.amount);
        let counted = less.min(self.counted);
        self.amount -= less;
        self.counted -= counted;
        self.shares.give_back(&self.holder, less, counted);
    }
}

impl<H: Copy + Eq + Hash> Drop for Share<H> {
    fn drop(&mut self) {
        let (amount, counted) = (self.amount, self.counted);
        self.shares.give_back(&self.holder, amount, counted);
    }
}

impl<H> fmt::Debug for Shares<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shares")
            .field("limit", &self.limit)
            .field("used", &self.used)
            .finish_non_exhaustive()
    }
}

impl<H: Copy + Eq + Hash> fmt::Debug for Share<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Share").field(&self.amount).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_lent_share_is_available_to_others_until_it_is_returned() {
        let budget = Arc::new(Shares::new(1));
        let first = budget.try_take(&"a", 1).expect("free");
        assert!(budget.try_take(&"b", 1).is_none());
        let loan = budget.lend(1);
        let second = budget.try_take(&"b", 1).expect("free");
        drop(loan);
        assert_eq!(budget.used(), 2);
        drop((first, second));
        assert_eq!(budget.used(), 0);
    }

    #[test]
    fn only_a_share_in_use_can_be_lent() {
        let budget: Arc<Shares<&str>> = Arc::new(Shares::new(4));
        let loan = budget.lend(1);
        assert_eq!(budget.used(), 0);
        drop(loan);
        assert_eq!(budget.used(), 0);
    }

    fn all<'a>(budget: &Arc<Shares<&'a str>>, holder: &'a str) -> Vec<Share<&'a str>> {
        std::iter::from_fn(|| budget.try_take(&holder, 1)).collect()
    }

    #[test]
    fn a_single_holder_gets_three_quarters_and_the_rest_is_left_for_others() {
        let budget = Arc::new(Shares::new(512));
        let greedy = all(&budget, "a");
        assert_eq!(greedy.len(), 384);
        // Each holder takes as much as it can get.
        let others = ["b", "c", "d", "e"].map(|holder| all(&budget, holder));
        let counts = others.each_ref().map(Vec::len);
        assert!(counts.iter().all(|count| *count >= 1), "{counts:?}");
        assert!(budget.used() < 512);
    }

    #[test]
    fn holders_that_take_as_much_as_they_can_end_with_similar_shares() {
        let budget = Arc::new(Shares::new(512));
        let mut held: Vec<Vec<_>> = vec![all(&budget, "a"), Vec::new(), Vec::new()];
        // Shares are returned one by one, and every holder tries to take the free amount.
        for _ in 0..2000 {
            for (holder, own) in ["a", "b", "c"].into_iter().zip(&mut held) {
                if own.len() > 1 {
                    own.remove(0);
                }
                own.extend(all(&budget, holder));
            }
        }
        let counts: Vec<usize> = held.iter().map(Vec::len).collect();
        assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
    }

    #[test]
    fn a_single_holder_can_use_most_of_a_small_budget() {
        for (limit, alone) in [(0, 0), (1, 1), (2, 2), (3, 2), (4, 3), (16, 12)] {
            let budget = Arc::new(Shares::new(limit));
            assert_eq!(all(&budget, "a").len(), alone, "{limit}");
            assert_eq!(budget.used(), 0);
        }
    }

    #[test]
    fn the_only_share_can_grow_to_the_whole_budget() {
        let budget = Arc::new(Shares::new(100));
        let mut only = budget.try_take(&"a", 0).expect("it is nothing");
        for _ in 0..10 {
            assert!(only.try_grow(10));
        }
        assert!(!only.try_grow(1));
        assert_eq!(only.amount(), 100);
        drop(only);
        assert!(budget.try_take(&"a", 100).is_some());
        assert!(budget.try_take(&"a", 101).is_none());
        assert!(budget.try_take(&"a", usize::MAX).is_none());
        assert_eq!((budget.used(), budget.holders()), (0, 0));
    }

    #[test]
    fn dropped_shares_are_returned_and_their_holders_are_removed() {
        let budget = Arc::new(Shares::new(100));
        let mut first = budget.try_take(&1, 25).expect("the common part");
        assert_eq!(budget.holders(), 0);
        assert!(first.try_grow(20));
        assert_eq!((budget.used(), budget.holders()), (45, 1));
        first.shrink(20);
        assert_eq!((budget.used(), budget.holders()), (25, 0));
        let second = budget.try_take(&2, 30).expect("fits");
        assert!(budget.try_take(&3, 0).is_some());
        assert_eq!(budget.holders(), 1);
        drop((first, second));
        assert_eq!((budget.used(), budget.holders()), (0, 0));
    }

    #[test]
    fn the_sum_of_all_shares_never_exceeds_the_budget() {
        let budget = Arc::new(Shares::new(97));
        thread::scope(|scope| {
            for holder in 0..4 {
                let budget = Arc::clone(&budget);
                scope.spawn(move || {
                    let mut held = Vec::new();
                    for round in 0..20_000_usize {
                        let amount = (round * 7 + holder) % 11;
                        held.extend(budget.try_take(&(round % 3 + holder), amount));
                        assert!(budget.used() <= 97);
                        if held.len() > round % 20 {
                            held.clear();
                        }
                    }
                });
            }
        });
        assert_eq!((budget.used(), budget.holders()), (0, 0));
    }
}
