//! Computes the median and the spread of several rounds.

use super::load::Measured;
use serde::Serialize;

/// Returns the middle value, or the mean of the two middle values; `None` if there are no values.
pub(super) fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    Some(match values.len() % 2 {
        0 => (values[middle - 1] + upper) / 2.0,
        _ => upper,
    })
}

/// Returns the median ratio of the pairs that count.
pub(super) fn ratio<'a>(
    pairs: impl Iterator<Item = (&'a Measured, &'a Measured)>,
    of: fn(&Measured) -> f64,
) -> Option<f64> {
    let pairs = counted(pairs.collect(), |(own, other)| {
        own.is_disturbed() || other.is_disturbed()
    });
    median(pairs.iter().map(|(own, other)| of(own) / of(other)))
}

/// Selects the measurements that count. If the hypervisor took little processor time during at
/// least a quarter of the measurements, only those count.
fn counted<T>(rounds: Vec<T>, is_disturbed: impl Fn(&T) -> bool) -> Vec<T> {
    let calm = rounds.iter().filter(|round| !is_disturbed(round)).count();
    let enough = calm > 0 && calm * 4 >= rounds.len();
    let counts = |round: &T| !enough || !is_disturbed(round);
    rounds.into_iter().filter(counts).collect()
}

/// The medians over the rounds that count. Each field is computed separately.
#[derive(Clone, Serialize)]
pub(super) struct Medians {
    #[serde(flatten)]
    pub(super) of: Measured,
    /// Half of the difference between the lowest and the highest throughput, as a share of the
    /// median.
    pub(super) spread: f64,
    /// The number of measurements that count, and the number of all measurements.
    pub(super) counted: usize,
    pub(super) rounds: usize,
}

impl Medians {
    /// Returns the medians; `None` if there are no measurements.
    pub(super) fn of<'a>(all: impl Iterator<Item = &'a Measured>) -> Option<Self> {
        let all: Vec<_> = all.collect();
        let total = all.len();
        let rounds = counted(all, |round| round.is_disturbed());
        let middle = |field: fn(&Measured) -> f64| median(rounds.iter().map(|round| field(round)));
        let rates = || rounds.iter().map(|round| round.requests_per_second);
        let requests_per_second = middle(|round| round.requests_per_second)?;
        let (least, most) = (
            rates().fold(f64::INFINITY, f64::min),
            rates().fold(0.0, f64::max),
        );
        Some(Self {
            of: Measured {
                requests_per_second,
                p50_us: middle(|round| round.p50_us)?,
                p99_us: middle(|round| round.p99_us)?,
                p999_us: middle(|round| round.p999_us)?,
                max_us: middle(|round| round.max_us)?,
                cpu_us: middle(|round| round.cpu_us)?,
                load_cpu_us: middle(|round| round.load_cpu_us)?,
                stolen: middle(|round| round.stolen)?,
            },
            spread: (most - least) / 2.0 / requests_per_second,
            counted: rounds.len(),
            rounds: total,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(requests_per_second: f64) -> Measured {
        Measured {
            requests_per_second,
            p50_us: 1.0,
            p99_us: 2.0,
            p999_us: 3.0,
            max_us: 4.0,
            cpu_us: 5.0,
            load_cpu_us: 6.0,
            stolen: 0.0,
        }
    }

    #[test]
    fn the_median_is_the_middle_value() {
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([4.0, 1.0]), Some(2.5));
        assert_eq!(median([]), None);
    }

    #[test]
    fn the_spread_is_half_the_range_of_the_rounds() {
        let rounds = [90.0, 100.0, 130.0].map(measured);
        let medians = Medians::of(rounds.iter()).expect("three rounds");
        assert_eq!(medians.of.requests_per_second, 100.0);
        assert_eq!(medians.spread, 0.2);
        assert!(Medians::of([].iter()).is_none());
    }

    #[test]
    fn rounds_with_stolen_cpu_time_are_ignored_unless_nearly_all_rounds_have_stolen_time() {
        let measured = |rates: [(f64, f64); 4]| {
            let rounds = rates.map(|(rate, stolen)| Measured {
                stolen,
                ..measured(rate)
            });
            let medians = Medians::of(rounds.iter()).expect("four rounds");
            let rate = medians.of.requests_per_second;
            (rate, medians.counted, medians.rounds)
        };
        let one_calm = measured([(10.0, 0.4), (20.0, 0.4), (90.0, 0.05), (30.0, 0.4)]);
        assert_eq!(one_calm, (90.0, 1, 4));
        let none = measured([(10.0, 0.4), (20.0, 0.4), (90.0, 0.06), (30.0, 0.4)]);
        assert_eq!(none, (25.0, 4, 4));
    }
}
