//! Limits the access log lines of rejected requests, so that many rejected requests do not fill the
//! disk. In each second, each pair of status and error code may have a limited number of lines. One
//! more line reports how many requests were not logged.

use crate::{config::Rate, logging::SAMPLED};
use std::{
    array,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// The period to which the limit of lines applies.
const PERIOD: Duration = Duration::from_secs(1);
/// The number of pairs of a status and a code that are counted separately. APIs have fewer pairs.
const KINDS: usize = 64;

/// Decides which rejected requests are logged in the access log.
#[derive(Debug)]
pub(crate) struct RejectedLines {
    /// The number of lines of one kind in a period; `None` means no limit.
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

/// The status (missing if the client disconnected) and the code of the error.
type Rejection = (Option<u16>, Option<&'static str>);

impl RejectedLines {
    /// Starts counting. Must be called inside a tokio runtime.
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

    /// Whether a request gets a line of its own. Counts the request if it was rejected. This takes
    /// no lock and reads no clock.
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

    /// Logs how many requests of the period were not logged, and begins a new period.
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
                    message = "some of the requests that were rejected in this second were not logged individually",
                    status,
                    code,
                    left_out,
                );
            }
        }
    }
}

/// Also reports the requests of the last period.
impl Drop for RejectedLines {
    fn drop(&mut self) {
        self.begin_period();
    }
}

/// Whether a request failed for a reason that clients can cause as often as they want: a client
/// error, overload, or a disconnection by the client.
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

    /// Returns how many lines one hundred such requests get.
    fn of_hundred(lines: &RejectedLines, status: Option<u16>, code: Option<&'static str>) -> usize {
        let requests = std::iter::repeat_with(|| lines.has_line_for(status, code));
        requests.take(100).filter(|has_line| *has_line).count()
    }

    #[test]
    fn each_kind_of_rejection_has_its_own_limit_of_log_lines_per_period() {
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
    fn successful_requests_and_server_errors_other_than_503_are_always_logged() {
        let lines = lines(3);
        for status in [200, 201, 204, 304, 500, 502, 504] {
            assert_eq!(of_hundred(&lines, Some(status), None), 100, "{status}");
        }
    }

    #[test]
    fn without_a_limit_every_rejection_is_logged() {
        let lines = RejectedLines::new(Rate::Off);
        assert_eq!(of_hundred(&lines, Some(401), None), 100);
    }

    #[test]
    fn if_too_many_kinds_of_rejections_occur_the_remaining_kinds_share_one_log_limit() {
        let lines = lines(1);
        let logged = (400..500).filter(|status| lines.has_line_for(Some(*status), None));
        assert_eq!(logged.count(), KINDS + 1);
    }
}
