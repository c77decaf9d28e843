//! What orders are asked for and answered with. How they are kept is left to
//! the backends, which steps they can take to `transitions`.

use crate::{StoreError, transitions::PLACED};
use chrono::{DateTime, Utc};
use petstore_models::{NewOrder, Order, OrderStatus, PetStatus};
use std::sync::Arc;

/// Which orders to list.
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

/// Why an order was not placed; nothing was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotOrdered {
    /// There is no pet with this id.
    NoPet,
    /// The pet has this status instead of the one in which it can be ordered
    /// ([`ORDERED`](crate::transitions::ORDERED)).
    NotAvailable(Option<PetStatus>),
}

/// Why an order was not changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotUpdated {
    /// There is no order with this id.
    NoOrder,
    /// No step leads from this status, which the order has, to the one that
    /// was asked for ([`order_step`](crate::transitions::order_step)).
    NoStep {
        /// The status that the order has.
        from: OrderStatus,
    },
}

/// A time that an order cannot have: RFC 3339 ends with the year 9999.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("an order has the time {0} µs, which is out of range")]
pub(crate) struct InvalidTime(pub(crate) i64);

/// An order with times in microseconds since 1970-01-01T00:00:00Z.
pub(crate) fn order_of(
    id: i64,
    pet_id: i64,
    status: OrderStatus,
    placed_at: i64,
    updated_at: i64,
) -> Result<Order, InvalidTime> {
    Ok(Order {
        id,
        pet_id,
        status,
        placed_at: shown(placed_at)?,
        updated_at: shown(updated_at)?,
    })
}

/// An order as it is when it was placed.
pub(crate) fn placed(id: i64, order: &NewOrder, at: i64) -> Result<Order, InvalidTime> {
    order_of(id, order.pet_id, PLACED, at, at)
}

fn shown(micros: i64) -> Result<petstore_models::DateTime, InvalidTime> {
    DateTime::from_timestamp_micros(micros)
        .and_then(|time| time.try_into().ok())
        .ok_or(InvalidTime(micros))
}

/// A time as it is kept, in microseconds since 1970-01-01T00:00:00Z.
///
/// # Errors
///
/// [`StoreError::Internal`]: no order could be shown with it. To be asked before
/// anything is written.
pub(crate) fn kept(at: DateTime<Utc>) -> Result<i64, StoreError> {
    let micros = at.timestamp_micros();
    match shown(micros) {
        Ok(_) => Ok(micros),
        Err(error) => Err(StoreError::Internal {
            source: Arc::new(error),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_cannot_be_shown_is_refused_before_anything_is_written() {
        assert!(kept(DateTime::UNIX_EPOCH).is_ok());
        assert!(matches!(
            kept(DateTime::<Utc>::MAX_UTC),
            Err(StoreError::Internal { .. })
        ));
    }
}
