//! Tests the rate limit of a key.

use super::*;

fn limiter(rate: &str, burst: &str) -> RateLimiter<u64> {
    RateLimiter::new(&RateLimit {
        rate_limit_per_second: rate.parse().expect("a rate"),
        rate_limit_burst: burst.parse().expect("a number"),
    })
}

impl RateLimiter<u64> {
    /// Counts a request of a key without a rate of its own.
    fn default_count(&self, key: u64, now: Duration) -> Quota {
        self.count(&key, None, 1, now).expect("a limit")
    }
}

fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

#[test]
fn without_a_rate_there_is_no_limit() {
    let unlimited = RateLimiter::<u64>::new(&RateLimit::default());
    assert_eq!(unlimited.count(&1, None, 1, ms(0)), None);
    assert_eq!(limiter("1", "1").count(&1, Some(Rate::Off), 1, ms(0)), None);
}

#[test]
fn the_rate_limit_of_a_key_replaces_the_rate_limit_of_the_settings() {
    let own = Some("2".parse().expect("a rate"));
    for settings in ["off", "1", "1000"] {
        let limiter = limiter(settings, "3");
        let passed = (0..10_000)
            .filter(|&now| limiter.count(&1, own, 1, ms(now)).expect("a limit").passed)
            .count();
        assert_eq!(passed, 3 + 19, "{settings}");
        let quota = limiter.count(&1, own, 1, ms(10_000)).expect("a limit");
        assert_eq!(quota.policy, (3, ms(1500)));
    }
}

#[test]
fn a_burst_passes_and_further_requests_are_rejected_until_the_interval_is_over() {
    let limiter = limiter("2", "3");
    for (remaining, reset) in [(2, 500), (1, 1000), (0, 1500)] {
        let quota = limiter.default_count(1, ms(0));
        assert_eq!(quota.policy, (3, ms(1500)));
        assert_eq!(
            (quota.passed, quota.remaining, quota.reset),
            (true, remaining, ms(reset))
        );
    }
    for (now, reset) in [(0, 500), (100, 400), (499, 1)] {
        let quota = limiter.default_count(1, ms(now));
        assert_eq!((quota.passed, quota.reset), (false, ms(reset)), "{now}");
    }
    assert!(limiter.default_count(1, ms(500)).passed);
    assert!(!limiter.default_count(1, ms(501)).passed);
    assert!(limiter.default_count(2, ms(501)).passed, "another key");
}

#[test]
fn a_quota_that_refills_within_a_second_is_reported_per_second() {
    for (rate, requests) in [("200", 200), ("20", 20)] {
        let quota = limiter(rate, "20").default_count(1, ms(0));
        assert_eq!(quota.policy, (requests, ms(1000)));
    }
}

#[test]
fn the_average_rate_matches_the_settings() {
    let limiter = limiter("10", "5");
    let passed = (0..10_000)
        .filter(|&now| limiter.default_count(1, ms(now)).passed)
        .count();
    assert_eq!(passed, 5 + 99);
    assert_eq!(limiter.default_count(1, ms(60_000)).remaining, 4);
}

#[test]
fn idle_keys_are_removed() {
    let limiter = limiter("1000", "1");
    for number in 0..100_000 {
        assert!(limiter.default_count(number, ms(number)).passed);
    }
    let bound = SHARDS * FIRST_SWEEP;
    assert!(limiter.remembered() <= bound, "{}", limiter.remembered());
}

#[test]
fn the_largest_settings_do_not_overflow() {
    let limiter = limiter("1", "4294967295");
    let quota = limiter.default_count(1, ms(0));
    assert_eq!((quota.passed, quota.remaining), (true, u32::MAX - 1));
}

#[test]
fn a_request_consumes_its_cost_from_the_rate_limit_but_never_more_than_the_burst() {
    let limiter = limiter("1", "10");
    let count = |cost, now| limiter.count(&1, None, cost, ms(now)).expect("a limit");
    let quota = count(7, 0);
    assert_eq!((quota.passed, quota.remaining), (true, 3));
    let quota = count(4, 0);
    assert_eq!((quota.passed, quota.reset), (false, ms(1000)));
    assert!(count(3, 0).passed);
    assert!(!count(99, 9_999).passed);
    assert!(count(99, 10_000).passed);
    assert!(!count(1, 10_000).passed);
}
