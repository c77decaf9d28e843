//! The permits of the requests that run at the same time.

use fair_shares::{Share, Shares};
use openapi_dropshot_types::Operation;
use std::{hash::Hash, sync::Arc};

/// The permits to run. Reads and writes have their own ones, so that a disk that stalls for the
/// one does not stop the other. Requests without a principal share as one holder.
pub(crate) struct Permits<P> {
    pub(crate) reads: Arc<Shares<Option<P>>>,
    pub(crate) writes: Arc<Shares<Option<P>>>,
}

impl<P: Copy + Eq + Hash> Permits<P> {
    /// So many for reads, and as many for writes.
    pub(crate) fn new(each: usize) -> Self {
        Permits {
            reads: Arc::new(Shares::new(each)),
            writes: Arc::new(Shares::new(each)),
        }
    }

    /// Takes a permit, which is held while the request runs. Returns `None` if there is none, or if
    /// the principal has its share of them.
    pub(crate) fn take(
        &self,
        operation: &Operation,
        principal: Option<P>,
    ) -> Option<Share<Option<P>>> {
        let permits = if is_read(operation) {
            &self.reads
        } else {
            &self.writes
        };
        permits.try_take(&principal, 1)
    }
}

/// Whether the method is safe (RFC 9110, section 9.2.1).
fn is_read(operation: &Operation) -> bool {
    ["GET", "HEAD", "OPTIONS", "TRACE"].contains(&operation.method)
}
