//! The queries and pages of orders, and the reasons why an order is not placed or
//! not changed.

use crate::{StoreError, record};
use chrono::{DateTime, Utc};
use petstore_models::{Order, OrderStatus, PetStatus};

/// A query for a page of orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderQuery {
    /// Only orders whose id is less than this one.
    pub before: Option<i64>,
    /// Only orders of this status.
    pub status: Option<OrderStatus>,
    /// Only orders of the pet with this id.
    pub pet_id: Option<i64>,
    /// The greatest number of orders to return.
    pub limit: usize,
}

/// A page of orders.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderPage {
    /// At most [`OrderQuery::limit`] orders, in descending order of their ids.
    pub orders: Vec<Order>,
    /// Whether more orders match beyond the last one of this page.
    pub more: bool,
}

/// The reason why an order was not placed; nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotOrdered {
    /// The pet with this id does not exist.
    NoPet,
    /// The pet has this status, but can be ordered only in another status
    /// ([`ORDERED`](crate::transitions::ORDERED)).
    NotAvailable(Option<PetStatus>),
}

/// The reason why an order was not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotUpdated {
    /// The order with this id does not exist.
    NoOrder,
    /// No transition leads from the status of the order to the requested one ([`order_step`](crate::transitions::order_step)).
    NoStep {
        /// The current status of the order.
        from: OrderStatus,
    },
}

/// The stored form of a time: microseconds since 1970-01-01T00:00:00Z. Call this
/// before anything is written.
///
/// # Errors
///
/// [`StoreError::Internal`]: an order with this time could not be read again, since
/// RFC 3339 ends with the year 9999.
pub(crate) fn stored_time(at: DateTime<Utc>) -> Result<i64, StoreError> {
    let micros = at.timestamp_micros();
    record::time(micros).map_err(StoreError::internal)?;
    Ok(micros)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_after_the_year_9999_is_rejected_before_anything_is_written() {
        assert!(stored_time(DateTime::UNIX_EPOCH).is_ok());
        assert!(matches!(
            stored_time(DateTime::<Utc>::MAX_UTC),
            Err(StoreError::Internal { .. })
        ));
    }
}
