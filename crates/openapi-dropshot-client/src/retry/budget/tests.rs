//! Tests of the retry budget.

use super::*;

#[test]
fn successful_calls_earn_retries() {
    let budget = RetryBudget::new(2, 3);
    assert!(budget.spend());
    assert!(budget.clone().spend(), "clones share one budget");
    assert!(!budget.spend(), "nothing is left");
    budget.earn();
    budget.earn();
    assert!(!budget.spend(), "two calls are not three");
    budget.earn();
    assert!(budget.spend());
}

#[test]
fn the_retry_budget_does_not_exceed_its_capacity() {
    let budget = RetryBudget::new(1, 1);
    (0..10).for_each(|_| budget.earn());
    assert_eq!(budget.left(), 1);
}

#[test]
fn an_empty_budget_allows_no_retry() {
    let budget = RetryBudget::new(0, 0);
    budget.earn();
    assert!(!budget.spend());
}
