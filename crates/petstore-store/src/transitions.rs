//! The statuses of an order and of its pet, and the allowed transitions: the table that
//! `spec/README.md` shows. Both backends check each transition against it inside their transactions.

use petstore_models::{OrderStatus, PetStatus};

/// The status in which an order begins.
pub const PLACED: OrderStatus = OrderStatus::Placed;

/// The one status in which a pet can be ordered, and the one that it gets then.
pub const ORDERED: (PetStatus, PetStatus) = (PetStatus::Available, PetStatus::Pending);

/// A step that an order can take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderStep {
    /// The status that the order has.
    pub from: OrderStatus,
    /// The new status of the order.
    pub to: OrderStatus,
    /// The new status of its pet, if the transition changes it.
    pub pet: Option<PetStatus>,
}

/// Every step there is.
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

/// The step from one status to another, if there is one.
#[must_use]
pub fn order_step(from: OrderStatus, to: OrderStatus) -> Option<OrderStep> {
    ORDER_STEPS
        .into_iter()
        .find(|step| (step.from, step.to) == (from, to))
}

/// The statuses to which an order can go from this one; none from its end.
pub fn next_of(from: OrderStatus) -> impl Iterator<Item = OrderStatus> {
    ORDER_STEPS
        .into_iter()
        .filter(move |step| step.from == from)
        .map(|step| step.to)
}

/// The steps that lead to a status.
pub(crate) fn steps_to(to: OrderStatus) -> impl Iterator<Item = OrderStep> {
    ORDER_STEPS.into_iter().filter(move |step| step.to == to)
}

#[cfg(test)]
mod tests;
