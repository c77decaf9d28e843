//! Computes when a failed delivery is tried again.

use std::time::Duration;

const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: Duration = Duration::from_secs(24 * HOUR);

/// The pause after each try, in seconds. Together they are about three days.
const PAUSES: [u64; 9] = [
    5,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
];

/// Returns how long to wait before a failed delivery is tried again, or `None` if it must be given up. The pauses are 5 s, 5 min,
/// 30 min, and 2, 5, 10, 14, 20 and 24 hours. Each is longer or shorter by up to a tenth, so that deliveries that failed at the same
/// time are not tried again at the same time.
///
/// `tries` is the number of tries before the failed try. `retry_after` is the pause that the endpoint asked for: the returned pause is
/// at least that long, but `retry_after` counts for at most one day. `random` is between 0 and 1.
///
/// ```
/// use openapi_dropshot_webhooks::next_try;
/// use std::time::Duration;
///
/// assert_eq!(next_try(0, None, 0.5), Some(Duration::from_secs(5)));
/// assert_eq!(next_try(0, Some(Duration::from_secs(90)), 0.5), Some(Duration::from_secs(90)));
/// assert_eq!(next_try(9, None, 0.5), None);
/// ```
#[must_use]
pub fn next_try(tries: u32, retry_after: Option<Duration>, random: f64) -> Option<Duration> {
    let pause = PAUSES.get(usize::try_from(tries).ok()?)?;
    let pause = Duration::from_secs(*pause).mul_f64(0.9 + 0.2 * random.clamp(0.0, 1.0));
    Some(pause.max(retry_after.unwrap_or_default().min(DAY)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_between_tries_grow_and_a_delivery_is_given_up_after_the_tenth_failure() {
        let pauses: Vec<Duration> = (0..)
            .map_while(|tries| next_try(tries, None, 0.5))
            .collect();
        assert_eq!(pauses.len(), 9);
        assert!(pauses.is_sorted());
        let total: Duration = pauses.iter().sum();
        assert!(total > 3 * DAY && total < 4 * DAY, "{total:?}");
        assert_eq!(next_try(u32::MAX, None, 0.5), None);
    }

    #[test]
    fn a_random_number_changes_a_pause_by_up_to_a_tenth() {
        let pause = |random| next_try(1, None, random).expect("a pause").as_secs_f64();
        assert!((pause(0.0) - 270.0).abs() < 0.001);
        assert!((pause(1.0) - 330.0).abs() < 0.001);
        assert!((pause(f64::INFINITY) - 330.0).abs() < 0.001);
    }

    #[test]
    fn retry_after_lengthens_a_pause_up_to_a_day_and_never_shortens_it() {
        let pause = |tries, seconds| next_try(tries, Some(Duration::from_secs(seconds)), 0.0);
        assert_eq!(pause(0, 600), Some(Duration::from_secs(600)));
        assert_eq!(pause(0, u64::MAX), Some(DAY));
        assert_eq!(pause(1, 1), Some(Duration::from_secs(270)));
        assert_eq!(pause(9, 600), None);
    }
}
