//! Tests of the retry policy.

use super::*;

#[test]
fn the_maximum_pause_doubles_up_to_the_longest_pause() {
    let policy = RetryPolicy::new();
    let ceilings: Vec<u128> = (0..8)
        .map(|retries| policy.ceiling(retries).as_millis())
        .collect();
    assert_eq!(
        ceilings,
        [200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]
    );
    assert_eq!(policy.ceiling(u32::MAX), Duration::from_secs(10));
}

#[test]
fn the_maximum_number_of_tries_includes_the_first_try() {
    let policy = RetryPolicy::new().max_tries(3);
    assert!(policy.allows_another(1));
    assert!(!policy.allows_another(2));
    assert!(!RetryPolicy::never().allows_another(0));
    assert_eq!(policy.max_tries(0), RetryPolicy::never());
}
