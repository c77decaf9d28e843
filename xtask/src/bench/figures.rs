//! What is made of several rounds: the median, and how far they lie apart.

use super::load::Measured;
use serde::Serialize;

/// The middle one, or the mean of the two in the middle; `None` of nothing.
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

/// The medians over the rounds, each by itself.
#[derive(Clone, Serialize)]
pub(super) struct Medians {
    #[serde(flatten)]
    pub(super) of: Measured,
    /// Half of what lies between the least and the most requests a second, as a
    /// share of the median.
    pub(super) spread: f64,
    pub(super) rounds: usize,
}

impl Medians {
    /// `None` without a round.
    pub(super) fn of<'a>(rounds: impl Iterator<Item = &'a Measured> + Clone) -> Option<Self> {
        let middle = |field: fn(&Measured) -> f64| median(rounds.clone().map(field));
        let rates = || rounds.clone().map(|round| round.requests_per_second);
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
            rounds: rounds.clone().count(),
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
    fn the_median_is_the_one_in_the_middle() {
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([4.0, 1.0]), Some(2.5));
        assert_eq!(median([]), None);
    }

    #[test]
    fn the_spread_is_half_of_what_lies_between_the_rounds() {
        let rounds = [90.0, 100.0, 130.0].map(measured);
        let medians = Medians::of(rounds.iter()).expect("three rounds");
        assert_eq!(medians.of.requests_per_second, 100.0);
        assert_eq!(medians.spread, 0.2);
        assert!(Medians::of([].iter()).is_none());
    }
}
