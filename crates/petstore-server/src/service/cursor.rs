//! Encodes and decodes the cursors of lists. A cursor contains the filter of the list and the id
//! after which the next page begins. Clients pass it back without interpreting it. It contains no
//! secret, and the server keeps no state for it.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use petstore_models::{DeliveryStatus, OrderStatus, PetStatus};

/// The filter of a list.
pub(super) trait Filter: Copy + Eq {
    /// Identifies the list and the layout of its cursors, so that cursors of other
    /// lists and of other layouts are rejected.
    const LAYOUT: &'static str;
    /// The parameters that a client must repeat together with the cursor, as error messages name
    /// them.
    const PARAMETERS: &'static str;

    /// Returns a short text for the filter, without `:`. It is short because the URL of every
    /// further page contains the cursor.
    fn name(self) -> String;

    /// Parses the result of [`name`](Self::name).
    fn from_name(name: &str) -> Option<Self>;

    /// Returns the query parameters of this filter, each with `&` before it.
    fn query(self) -> String;
}

/// The position at which a page begins.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Position<F> {
    /// The id of the last item of the previous page.
    pub(super) last: i64,
    /// The filter of the list.
    pub(super) filter: F,
}

/// Why a cursor is rejected. The text follows "`cursor` ".
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub(super) enum CursorError {
    #[error(
        "was not created by this service for this list; follow the `Link` header of an earlier response"
    )]
    Foreign,
    #[error("was created with another {0} filter; pass the same one, or begin without a cursor")]
    OtherFilter(&'static str),
}

impl<F: Filter> Position<F> {
    /// Returns the id after which the page of a cursor begins.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not exactly what this module writes, or if it belongs to
    /// another filter.
    pub(super) fn read(text: &str, filter: F) -> Result<i64, CursorError> {
        let position = Self::decode(text)
            // Each position must have exactly one valid cursor; otherwise caches and logs would not
            // recognise the same page.
            .filter(|position| position.encode() == text)
            .ok_or(CursorError::Foreign)?;
        if position.filter == filter {
            Ok(position.last)
        } else {
            Err(CursorError::OtherFilter(F::PARAMETERS))
        }
    }

    /// Returns the value of `Link` (RFC 8288) for the page that begins here. The
    /// link is relative, so it is also valid behind a proxy.
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

/// The filter of `GET /v1/pets`. Pages are ordered by ascending id, and new pets get greater ids,
/// so a client that follows the pages gets each pet exactly once.
impl Filter for Option<PetStatus> {
    const LAYOUT: &'static str = "1";
    const PARAMETERS: &'static str = "`status`";

    fn name(self) -> String {
        pet_letter(self).to_owned()
    }

    fn from_name(name: &str) -> Option<Self> {
        std::iter::once(None)
            .chain(PetStatus::ALL.iter().copied().map(Some))
            .find(|&status| pet_letter(status) == name)
    }

    fn query(self) -> String {
        self.map_or_else(String::new, |status| format!("&status={status}"))
    }
}

const fn pet_letter(status: Option<PetStatus>) -> &'static str {
    match status {
        None => "*",
        Some(PetStatus::Available) => "a",
        Some(PetStatus::Pending) => "p",
        Some(PetStatus::Sold) => "s",
    }
}

/// The filter of `GET /v1/store/orders`. Pages are ordered by descending id, and new orders get
/// greater ids, so a client that follows the pages gets each order exactly once.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct OrderFilter {
    pub(super) status: Option<OrderStatus>,
    pub(super) pet_id: Option<i64>,
}

impl Filter for OrderFilter {
    const LAYOUT: &'static str = "o";
    const PARAMETERS: &'static str = "`status` or `petId`";

    fn name(self) -> String {
        let pet = self
            .pet_id
            .map_or_else(|| "*".to_owned(), |id| id.to_string());
        format!("{},{pet}", order_letter(self.status))
    }

    fn from_name(name: &str) -> Option<Self> {
        let (status, pet) = name.split_once(',')?;
        let status = std::iter::once(None)
            .chain(OrderStatus::ALL.iter().copied().map(Some))
            .find(|&other| order_letter(other) == status)?;
        let pet_id = match pet {
            "*" => None,
            id => Some(id.parse().ok()?),
        };
        Some(OrderFilter { status, pet_id })
    }

    fn query(self) -> String {
        let status = self.status.map(|status| format!("&status={status}"));
        let pet = self.pet_id.map(|id| format!("&petId={id}"));
        status.into_iter().chain(pet).collect()
    }
}

const fn order_letter(status: Option<OrderStatus>) -> &'static str {
    match status {
        None => "*",
        Some(OrderStatus::Placed) => "p",
        Some(OrderStatus::Approved) => "a",
        Some(OrderStatus::Delivered) => "d",
        Some(OrderStatus::Cancelled) => "c",
    }
}

/// The filter of `GET /v1/webhooks/{webhookId}/deliveries`, whose pages are ordered by descending id.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct DeliveryFilter(pub(super) Option<DeliveryStatus>);

impl Filter for DeliveryFilter {
    const LAYOUT: &'static str = "d";
    const PARAMETERS: &'static str = "`status`";

    fn name(self) -> String {
        self.0.map_or("*", DeliveryStatus::as_str).to_owned()
    }

    fn from_name(name: &str) -> Option<Self> {
        match name {
            "*" => Some(DeliveryFilter(None)),
            name => name.parse().ok().map(|status| DeliveryFilter(Some(status))),
        }
    }

    fn query(self) -> String {
        self.0
            .map_or_else(String::new, |status| format!("&status={status}"))
    }
}

#[cfg(test)]
mod tests;
