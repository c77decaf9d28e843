//! Encodes and decodes the cursors of lists. A cursor contains the id at which
//! the next page begins and the filter of the list; clients pass it back without
//! reading it. It contains no secret, and the server keeps no state for it.

mod orders;
mod pets;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

pub(super) use orders::OrderFilter;

/// The filter of a list.
pub(super) trait Filter: Copy + Eq {
    /// Names the list and the layout of its cursors, so that those of another
    /// list, and of a later layout, can be told apart.
    const LAYOUT: &'static str;
    /// What a client is told to pass again, as parameters are written in
    /// messages.
    const PARAMETERS: &'static str;

    /// The filter in a few letters, without `:`, since a cursor goes into every
    /// address of a walk.
    fn name(self) -> String;

    /// The filter of that name.
    fn from_name(name: &str) -> Option<Self>;

    /// The parameters of a request with this filter, each with `&` before it.
    fn query(self) -> String;
}

/// The position at which a page begins.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Position<F> {
    /// The id of the last item before it.
    pub(super) last: i64,
    /// The filter of the walk.
    pub(super) filter: F,
}

/// Why a cursor is rejected; the text continues "`cursor` …".
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub(super) enum CursorError {
    #[error(
        "was not made by this service for this list; follow the `Link` header of an earlier response"
    )]
    Foreign,
    #[error("was made with another {0} filter; pass the same one, or begin without a cursor")]
    OtherFilter(&'static str),
}

impl<F: Filter> Position<F> {
    /// The id after which the page of a cursor begins.
    ///
    /// # Errors
    ///
    /// The text is not exactly what this module writes, or belongs to another
    /// filter.
    pub(super) fn read(text: &str, filter: F) -> Result<i64, CursorError> {
        let position = Self::decode(text)
            // A cursor has one spelling; with two, caches and logs would take
            // one page for two.
            .filter(|position| position.encode() == text)
            .ok_or(CursorError::Foreign)?;
        if position.filter == filter {
            Ok(position.last)
        } else {
            Err(CursorError::OtherFilter(F::PARAMETERS))
        }
    }

    /// The value of `Link` (RFC 8288) to the page that begins here. It is
    /// relative, so that it is right behind any proxy.
    pub(super) fn next_link(self, limit: i64) -> String {
        let (query, cursor) = (self.filter.query(), self.encode());
        format!("<?limit={limit}{query}&cursor={cursor}>; rel=\"next\"")
    }

    fn encode(self) -> String {
        let (layout, filter) = (F::LAYOUT, self.filter.name());
        URL_SAFE_NO_PAD.encode(format!("{layout}:{filter}:{}", self.last))
    }

    fn decode(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        let mut parts = std::str::from_utf8(&bytes).ok()?.splitn(3, ':');
        if parts.next()? != F::LAYOUT {
            return None;
        }
        let filter = F::from_name(parts.next()?)?;
        let last = parts.next()?.parse().ok()?;
        Some(Position { last, filter })
    }
}
