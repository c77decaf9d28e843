//! The statuses of an order and of its pet, and the allowed transitions: the table that
//! `spec/README.md` shows. Both backends check each transition against it inside their transactions.

use petstore_models::{OrderStatus, PetStatus};

/// The status in which an order begins.
pub const PLACED: OrderStatus = OrderStatus::Placed;

/// The status that a pet must have to be ordered, and the status that it gets then.
pub const ORDERED: (PetStatus, PetStatus) = (PetStatus::Available, PetStatus::Pending);

/// An allowed transition of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderStep {
    /// The old status of the order.
    pub from: OrderStatus,
    /// The new status of the order.
    pub to: OrderStatus,
    /// The new status of its pet, if the transition changes it.
    pub pet: Option<PetStatus>,
}

/// All allowed transitions.
pub const ORDER_STEPS: [OrderStep; 4] = {
    use OrderStatus::{Approved, Cancelled, Delivered, Placed};
    [
        step(Placed, Approved, None),
        step(Approved, Delivered, Some(PetStatus::Sold)),
        step(Placed, Cancelled, Some(PetStatus::Available)),
        step(Approved, Cancelled, Some(PetStatus::Available)),
    ]
};

const fn step(from: OrderStatus, to: OrderStatus, pet: Option<PetStatus>) -> OrderStep {
    OrderStep { from, to, pet }
}

/// The transition from one status to another, if it is allowed.
#[must_use]
pub fn order_step(from: OrderStatus, to: OrderStatus) -> Option<OrderStep> {
    ORDER_STEPS
        .into_iter()
        .find(|step| (step.from, step.to) == (from, to))
}

/// The statuses to which an order can change from this status; none from a final status.
pub fn next_of(from: OrderStatus) -> impl Iterator<Item = OrderStatus> {
    ORDER_STEPS
        .into_iter()
        .filter(move |step| step.from == from)
        .map(|step| step.to)
}

/// The transitions that lead to a status.
pub(crate) fn steps_to(to: OrderStatus) -> impl Iterator<Item = OrderStep> {
    ORDER_STEPS.into_iter().filter(move |step| step.to == to)
}

#[cfg(test)]
mod tests;
