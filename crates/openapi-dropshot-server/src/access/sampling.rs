//! Limits the access log lines of rejected requests, so that a flood of them does not fill the
//! disk: in each second, each status and error code has a number of lines, and one more line
//! with the number of requests that have none.

use crate::{config::Rate, logging::SAMPLED};
use std::{
    array,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// The time for which the number of lines is limited.
const PERIOD: Duration = Duration::from_secs(1);
/// The number of pairs of a status and a code that are counted separately. An API has fewer.
const KINDS: usize = 64;

/// Decides which rejected requests have a line in the access log.
#[derive(Debug)]
pub(crate) struct RejectedLines {
    /// Lines of one kind in a period; `None` where there is no limit.
    most: Option<u64>,
    /// The kinds that have occurred, followed by free slots.
    kinds: [Kind; KINDS],
    others: AtomicU64,
}

/// The requests of a period that were rejected with the same status and code.
#[derive(Debug, Default)]
struct Kind {
    rejection: OnceLock<Rejection>,
    requests: AtomicU64,
}

/// The status, which is missing if the client disconnected, and the code of the error.
type Rejection = (Option<u16>, Option<&'static str>);

impl RejectedLines {
    /// Begins to count. Must be called inside a tokio runtime.
    pub(crate) fn start(most: Rate) -> Arc<Self> {
        let lines = Arc::new(Self::new(most));
        if lines.most.is_some() {
            let counted = Arc::downgrade(&lines);
            tokio::spawn(async move {
                loop {
                    tokio::time::sleep(PERIOD).await;
                    match counted.upgrade() {
                        Some(lines) => lines.begin_period(),
                        None => break,
                    }
                }
            });
        }
        lines
    }

    fn new(most: Rate) -> Self {
        RejectedLines {
            most: match most {
                Rate::Off => None,
                Rate::PerSecond(lines) => Some(u64::from(lines.get())),
            },
            kinds: array::from_fn(|_| Kind::default()),
            others: AtomicU64::new(0),
        }
    }

    /// Whether a request has a line of its own. Counts it if it was rejected. This takes no lock
    /// and reads no clock.
    pub(crate) fn has_line_for(&self, status: Option<u16>, code: Option<&'static str>) -> bool {
        match self.most {
            Some(most) if is_rejection(status) => {
                let counter = self.counter((status, code));
                counter.fetch_add(1, Ordering::Relaxed) < most
            }
            _ => true,
        }
    }

    fn counter(&self, rejection: Rejection) -> &AtomicU64 {
        let is_same = |kind: &&Kind| *kind.rejection.get_or_init(|| rejection) == rejection;
        let kind = self.kinds.iter().find(is_same);
        kind.map_or(&self.others, |kind| &kind.requests)
    }

    /// Logs how many requests of the period had no line, and begins a new period.
    fn begin_period(&self) {
        let Some(most) = self.most else { return };
        let known = self.kinds.iter().map_while(|kind| {
            let (status, code) = kind.rejection.get()?;
            Some((&kind.requests, *status, *code))
        });
        for (requests, status, code) in known.chain([(&self.others, None, None)]) {
            let left_out = requests.swap(0, Ordering::Relaxed).saturating_sub(most);
            if left_out > 0 {
                tracing::info!(
                    target: SAMPLED,
                    message = "some requests that were rejected in this second have no line in the access log",
                    status,
                    code,
                    left_out,
                );
            }
        }
    }
}

/// The requests of the last period are counted too.
impl Drop for RejectedLines {
    fn drop(&mut self) {
        self.begin_period();
    }
}

/// Whether a request ended without success for a reason that clients can cause as often as they
/// want: an error of their own, overload, or their disconnection.
fn is_rejection(status: Option<u16>) -> bool {
    matches!(status, None | Some(400..=499 | 503))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::num::NonZeroU32;

    fn lines(most: u32) -> RejectedLines {
        RejectedLines::new(Rate::PerSecond(
            NonZeroU32::new(most).expect("more than none"),
        ))
    }

    /// The number of lines that a hundred such requests have.
    fn of_hundred(lines: &RejectedLines, status: Option<u16>, code: Option<&'static str>) -> usize {
        let requests = std::iter::repeat_with(|| lines.has_line_for(status, code));
        requests.take(100).filter(|has_line| *has_line).count()
    }

    #[test]
    fn each_kind_of_rejection_has_its_own_lines_in_each_period() {
        let lines = lines(3);
        for _ in 0..2 {
            for kind in [
                (Some(401), Some("unauthorized")),
                (Some(404), Some("not_found")),
                (Some(404), None),
                (Some(503), Some("overloaded")),
                (None, None),
            ] {
                assert_eq!(of_hundred(&lines, kind.0, kind.1), 3, "{kind:?}");
            }
            lines.begin_period();
        }
    }

    #[test]
    fn successful_requests_and_server_errors_other_than_503_always_have_a_line() {
        let lines = lines(3);
        for status in [200, 201, 204, 304, 500, 502, 504] {
            assert_eq!(of_hundred(&lines, Some(status), None), 100, "{status}");
        }
    }

    #[test]
    fn without_a_limit_each_rejection_has_a_line() {
        let lines = RejectedLines::new(Rate::Off);
        assert_eq!(of_hundred(&lines, Some(401), None), 100);
    }

    #[test]
    fn rejections_beyond_the_tracked_kinds_share_one_limit() {
        let lines = lines(1);
        let logged = (400..500).filter(|status| lines.has_line_for(Some(*status), None));
        assert_eq!(logged.count(), KINDS + 1);
    }
}
