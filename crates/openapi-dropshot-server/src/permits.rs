//! The permits of the requests that run at the same time.

use crate::lock::lock;
use fair_shares::{Loan, Share, Shares};
use openapi_dropshot_types::Operation;
use std::{
    collections::HashMap,
    hash::Hash,
    sync::{Arc, Mutex},
};

/// The permits to run. Reads and writes have separate permits, so that reads still run if the disk stalls for writes, and the other way
/// round. All requests without a principal share permits as a single holder.
pub(crate) struct Permits<P> {
    pub(crate) reads: Arc<Shares<Option<P>>>,
    pub(crate) writes: Arc<Shares<Option<P>>>,
}

impl<P: Copy + Eq + Hash> Permits<P> {
    /// Creates this many permits for reads, and as many for writes.
    pub(crate) fn new(each: usize) -> Self {
        Permits {
            reads: Arc::new(Shares::new(each)),
            writes: Arc::new(Shares::new(each)),
        }
    }

    /// Lends the permit of a request with this method to other requests until the result is dropped.
    pub(crate) fn lend(&self, method: &str) -> Loan<Option<P>> {
        self.of(method).lend(1)
    }

    /// Returns the permits of requests with this method.
    fn of(&self, method: &str) -> &Arc<Shares<Option<P>>> {
        match is_read(method) {
            true => &self.reads,
            false => &self.writes,
        }
    }

    /// Takes a permit, which is held while the request runs. Returns `None` if no permit is free, or if the principal already has its
    /// share of the permits.
    pub(crate) fn take(
        &self,
        operation: &Operation,
        principal: Option<P>,
    ) -> Option<Share<Option<P>>> {
        self.of(operation.method).try_take(&principal, 1)
    }
}

/// The limits of open streams: a total number, of which each principal may use a share, and a number for each principal.
pub(crate) struct StreamPlaces<P> {
    pub(crate) all: Arc<Shares<Option<P>>>,
    of_principals: Arc<Mutex<HashMap<Option<P>, usize>>>,
    most_of_principal: usize,
}

/// The permit for an open stream, returned when it is dropped.
pub(crate) struct StreamPlace<P: Copy + Eq + Hash> {
    of_principals: Arc<Mutex<HashMap<Option<P>, usize>>>,
    principal: Option<P>,
    _of_all: Share<Option<P>>,
}

impl<P: Copy + Eq + Hash> StreamPlaces<P> {
    pub(crate) fn new(all: usize, most_of_principal: usize) -> Self {
        StreamPlaces {
            all: Arc::new(Shares::new(all)),
            of_principals: Arc::default(),
            most_of_principal,
        }
    }

    /// Takes a permit, which is held while the stream is open. Returns `None` if no permit is free, or if the principal has reached its
    /// own limit.
    pub(crate) fn take(&self, principal: Option<P>) -> Option<StreamPlace<P>> {
        let _of_all = self.all.try_take(&principal, 1)?;
        let mut of_principals = lock(&self.of_principals);
        let count = of_principals.entry(principal).or_default();
        if *count >= self.most_of_principal {
            return None;
        }
        *count += 1;
        Some(StreamPlace {
            of_principals: Arc::clone(&self.of_principals),
            principal,
            _of_all,
        })
    }
}

impl<P: Copy + Eq + Hash> Drop for StreamPlace<P> {
    fn drop(&mut self) {
        let mut of_principals = lock(&self.of_principals);
        if let Some(count) = of_principals.get_mut(&self.principal) {
            *count -= 1;
            if *count == 0 {
                of_principals.remove(&self.principal);
            }
        }
    }
}

/// Whether the method is safe (RFC 9110, section 9.2.1).
fn is_read(method: &str) -> bool {
    ["GET", "HEAD", "OPTIONS", "TRACE"].contains(&method)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiting_request_lends_its_permit_to_others() {
        let permits = Permits::<u8>::new(4);
        let _write = permits.writes.try_take(&None, 1).expect("free");
        let loan = permits.lend("POST");
        assert_eq!((permits.reads.used(), permits.writes.used()), (0, 0));
        drop(loan);
        assert_eq!((permits.reads.used(), permits.writes.used()), (0, 1));
    }

    #[test]
    fn streams_beyond_the_limit_of_a_principal_are_rejected() {
        let places = StreamPlaces::new(100, 2);
        let first = places.take(Some(1)).expect("free");
        let _second = places.take(Some(1)).expect("free");
        assert!(places.take(Some(1)).is_none());
        let _other = places.take(Some(2)).expect("free");
        assert_eq!(places.all.used(), 3);
        drop(first);
        assert!(places.take(Some(1)).is_some());
        assert_eq!(places.all.used(), 2);
    }
}
