//! Tests of the random pauses.

use super::*;

#[test]
fn jitter_is_between_zero_and_the_given_time() {
    let most = Duration::from_secs(1);
    let drawn: Vec<Duration> = (0..200).map(|_| RealClock.jitter(most)).collect();
    assert!(drawn.iter().all(|pause| *pause <= most));
    // The probability that all random times are on the same side is 2^-200.
    assert!(drawn.iter().any(|pause| *pause < most / 2));
    assert!(drawn.iter().any(|pause| *pause > most / 2));
    assert_eq!(RealClock.jitter(Duration::ZERO), Duration::ZERO);
}

#[test]
fn jitter_accepts_the_longest_duration() {
    assert_eq!(part(Duration::MAX, u32::MAX), Duration::MAX);
    assert!(part(Duration::MAX, u32::MAX / 2) < Duration::MAX / 2);
}
