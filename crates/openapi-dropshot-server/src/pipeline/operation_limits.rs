//! The limits of each operation, which are combined from the service, the document and the settings.

use super::error_response::ErrorResponse;
use crate::config::{Limits, Seconds};
use fair_shares::{Share, Shares};
use openapi_dropshot_types::{Condition, Contract, OperationLimits};
use std::{hash::Hash, num::NonZeroUsize, sync::Arc};

/// The limits of one operation.
pub(super) struct Allowed<P> {
    /// The limits of the service, some of them replaced by those of the operation.
    pub(super) limits: Limits,
    /// How many requests one request counts as for the rate limit.
    pub(super) cost: u32,
    /// One permit for each request that may run; `None` if the operation has no concurrency limit.
    running: Option<Arc<Shares<Option<P>>>>,
}

impl<P: Copy + Eq + Hash> Allowed<P> {
    fn new(of_all: &Limits, own: OperationLimits) -> Self {
        let mut limits = of_all.clone();
        if let Some(bytes) = size(own.body_bytes) {
            limits.body_max_bytes = bytes;
        }
        if let Some(seconds) = own.deadline_seconds {
            limits.request_deadline_seconds = Seconds::whole(seconds);
        }
        let running = size(own.concurrency).map(|number| Arc::new(Shares::new(number.get())));
        Allowed {
            limits,
            cost: own.cost.unwrap_or(1),
            running,
        }
    }

    /// Takes a permit of the operation, if it has a concurrency limit.
    pub(super) fn begin(
        &self,
        principal: Option<P>,
    ) -> Result<Option<Share<Option<P>>>, ErrorResponse> {
        let Some(running) = &self.running else {
            return Ok(None);
        };
        running.try_take(&principal, 1).map(Some).ok_or_else(|| {
            let message = "too many requests of this key, or of all keys, are running this operation; nothing was started, try again in 1 second";
            ErrorResponse::new(Condition::Overloaded, message)
        })
    }
}

fn size(number: Option<u32>) -> Option<NonZeroUsize> {
    NonZeroUsize::new(usize::try_from(number?).unwrap_or(usize::MAX))
}

/// The limits of all operations of an API, in the order of the document.
pub(super) fn of_operations<C: Contract, P: Copy + Eq + Hash>(limits: &Limits) -> Vec<Allowed<P>> {
    let operations = C::OPERATIONS.iter();
    let own = operations.map(|operation| of_operation::<C>(limits, operation.name));
    own.map(|own| Allowed::new(limits, own)).collect()
}

fn of_operation<C: Contract>(limits: &Limits, name: &str) -> OperationLimits {
    let described = C::LIMITS.iter().find(|(described, _)| *described == name);
    let described = described.map_or(OperationLimits::NONE, |(_, limits)| *limits);
    described.and(limits.operation_limits.of(name))
}

/// Returns the largest body of any operation.
///
/// # Errors
///
/// Returns an error if a limit of an operation cannot be applied; the message says what to change.
pub(crate) fn largest_body<C: Contract>(limits: &Limits) -> Result<usize, String> {
    let known = |name: &str| C::OPERATIONS.iter().any(|operation| operation.name == name);
    let mut names = limits.operation_limits.operations();
    if let Some(unknown) = names.find(|name| !known(name)) {
        return Err(format!(
            "`operation-limits` names `{unknown}`, which is not an operation of the document; remove it"
        ));
    }
    let mut largest = limits.body_max_bytes;
    for operation in C::OPERATIONS {
        let own = size(of_operation::<C>(limits, operation.name).body_bytes);
        let is_in_memory = !C::STREAMED_BODIES.contains(&operation.name);
        if is_in_memory && own > Some(limits.body_budget_bytes) {
            return Err(format!(
                "`body-budget-bytes` is less than the largest body of the operation `{}`: it would never fit; increase \
                 `body-budget-bytes`, or set a lower limit with `operation-limits`",
                operation.name
            ));
        }
        largest = largest.max(own.unwrap_or(largest));
    }
    Ok(largest.get())
}
