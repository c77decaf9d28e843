//! Adds the header `Date` (RFC 9110, section 6.6.1). hyper would add its own, but updates it only when the clock has
//! passed the next second. After the clock was set back, hyper's header would stay in the future.

use chrono::{DateTime, Utc};
use http::HeaderValue;
use std::cell::RefCell;

thread_local! {
    /// The last second for which this thread created the header, and the header.
    static LAST: RefCell<Option<(i64, HeaderValue)>> = const { RefCell::new(None) };
}

/// Returns the header for a response that is created now.
pub(super) fn header(now: DateTime<Utc>) -> HeaderValue {
    LAST.with_borrow_mut(|last| match last {
        Some((second, header)) if *second == now.timestamp() => header.clone(),
        last => {
            let text = now.format("%a, %d %b %Y %H:%M:%S GMT").to_string();
            let header = HeaderValue::try_from(text).expect("it is visible ASCII");
            *last = Some((now.timestamp(), header.clone()));
            header
        }
    })
}
