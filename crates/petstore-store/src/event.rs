//! The feed of events, for both databases: the data that is written with each change, and the
//! statement that reads a page of the feed.

use crate::{
    StoreError,
    record::{PAGE_BYTES, pet_with_id, split_page, time},
    row::{AnyRow, FromRow, Unreadable, Value},
};
use chrono::{DateTime, Utc};
use petstore_models::{EventType, NewPet, Order, OrderStatus, Pet, PetStatus};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// The greatest number of events that a page searches. It bounds the cost of a page if few events
/// match its types.
const WINDOW: i64 = 5_000;

/// The position of an event. A consumer stores it to continue after this event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventPosition {
    /// The store changes this number when earlier positions must no longer be used.
    pub incarnation: i64,
    /// The number of the event; 0 before the first event.
    pub position: i64,
    /// A part of the id of the event. It shows whether the position is from another history of the store.
    pub check: u64,
}

/// The event after which a page begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventsAfter {
    /// The page begins with the oldest event that the store has.
    Start,
    /// The page is empty, and the next page begins after the newest event.
    Newest,
    /// The page begins after this event.
    Event(EventPosition),
    /// The page begins after this position in the current history of the store. If events after it
    /// were deleted, the page begins with the oldest event that the store has.
    Number(i64),
}

/// The query of a page of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventQuery {
    /// Where the page begins.
    pub after: EventsAfter,
    /// The types of the events. If it is empty, the page contains events of all types.
    pub types: Vec<EventType>,
    /// The greatest number of events in the page; at least 1.
    pub limit: usize,
}

/// A page of events, in the order in which the changes took effect.
#[derive(Clone, Debug, PartialEq)]
pub struct EventPage {
    /// The events.
    pub events: Vec<StoredEvent>,
    /// The position after which the next page begins.
    pub next: EventPosition,
    /// Whether there may be events after `next`.
    pub more: bool,
}

/// An event of the feed. It is stored in the transaction of the change that it describes.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredEvent {
    /// The unique id, random.
    pub id: Vec<u8>,
    /// The position.
    pub position: EventPosition,
    /// The time of the change by the clock of the caller.
    pub at: DateTime<Utc>,
    /// The version of the pet or the order after the change.
    pub version: i64,
    /// What happened.
    pub data: EventData,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum EventData {
    /// A pet was added.
    PetCreated(Pet),
    /// The status of the pet with this id changed.
    PetStatusChanged(i64, PetStatus),
    /// An order was placed.
    OrderPlaced(Order),
    /// The status of an order changed.
    OrderUpdated(Order),
}

/// Why a feed cannot be continued at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CursorLost {
    /// It belongs to another history of the store, such as one before it was restored.
    Reset,
    /// Events after it were deleted.
    Expired,
}

/// An event to be written, for both databases.
#[derive(Clone, Debug)]
pub(crate) struct NewEvent {
    pub(crate) kind: EventType,
    pub(crate) at: i64,
    pub(crate) entity_id: i64,
    pub(crate) version: i64,
    pub(crate) data: String,
}

/// The stored data of an order; the other members are in other columns. A statement in
/// `postgres/orders.rs` also writes this format. Times are microseconds since 1970-01-01T00:00:00Z.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct OrderData {
    pet_id: i64,
    status: OrderStatus,
    placed_at: i64,
    updated_at: i64,
}

/// The stored data of a pet whose status changed.
#[derive(Serialize, Deserialize)]
struct StatusData {
    status: PetStatus,
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("texts and numbers can always be written")
}

/// The stored data of a new pet.
pub(crate) fn pet_data(pet: &NewPet) -> String {
    json(pet)
}

/// The stored data of the new status of a pet.
pub(crate) fn status_data(status: PetStatus) -> String {
    json(&StatusData { status })
}

/// The stored data of an order.
pub(crate) fn order_data(order: &Order) -> String {
    json(&OrderData {
        pet_id: order.pet_id,
        status: order.status,
        placed_at: order.placed_at.get().timestamp_micros(),
        updated_at: order.updated_at.get().timestamp_micros(),
    })
}

/// Reads a page of events on both databases. It is one statement, so that all its rows are from one snapshot.
/// Each row has the state of the feed, the event at `$1`, and one event after `$1` and up to `$2` (NULL if there
/// is none). `$3` has a bit for each requested type; a negative value requests all types. SQLite numbers
/// parameters by their first appearance.
pub(crate) static PAGE: LazyLock<String> = LazyLock::new(|| {
    let types = (0..).zip(EventType::ALL);
    let bits: String = types
        .map(|(bit, kind)| format!(" WHEN '{kind}' THEN {}", 1 << bit))
        .collect();
    format!(
        "SELECT feed.incarnation, feed.pruned, feed.pruned_id, newest.position, here.id, edge.position, edge.id,
             page.position, page.id, page.type, page.at, page.entity_id, page.version, page.data
         FROM event_feed AS feed
         LEFT JOIN (SELECT position FROM events WHERE position > 0 ORDER BY position DESC LIMIT 1) AS newest ON true
         LEFT JOIN (SELECT id FROM events WHERE position IN ($1)) AS here ON true
         LEFT JOIN (SELECT position, id FROM events WHERE position <= $2 ORDER BY position DESC LIMIT 1) AS edge ON true
         LEFT JOIN (
             SELECT * FROM (
                 SELECT *, sum(octet_length(data)) OVER (ORDER BY position ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING) AS bytes
                 FROM (
                     SELECT position, id, type, at, entity_id, version, data FROM events
                     WHERE position > $1 AND position <= $2 AND (CAST($3 AS bigint) < 0 OR (CAST(CASE type{bits} ELSE 0 END AS bigint) & CAST($3 AS bigint)) <> 0)
                     ORDER BY position LIMIT $4
                 ) AS page
             ) AS page WHERE bytes IS NULL OR bytes <= {PAGE_BYTES}
         ) AS page ON true
         ORDER BY page.position"
    )
});

/// Replaces the incarnation with this one, so that earlier cursors become invalid.
pub(crate) const RESET: &str = "UPDATE event_feed SET incarnation = $1";
/// Whether the feed has all events since its incarnation began: 1, or 0 if changes were made without events.
pub(crate) const IS_COMPLETE: &str = "SELECT is_complete FROM event_feed";
/// Begins a new incarnation if the feed lacks changes.
pub(crate) const COMPLETE: &str =
    "UPDATE event_feed SET incarnation = $1, is_complete = 1 WHERE is_complete <> 1";
/// Records that changes may be made without events from now on.
pub(crate) const INCOMPLETE: &str = "UPDATE event_feed SET is_complete = 0";

/// A random number, for a new incarnation or for the ids of events.
pub(crate) fn random_number() -> i64 {
    let (number, _) = uuid::Uuid::new_v4().as_u64_pair();
    number.cast_signed()
}

/// A row of [`PAGE`].
pub(crate) struct FeedRow {
    incarnation: i64,
    pruned: (i64, u64),
    newest: Option<i64>,
    /// The check value of the event at the position of the query.
    here: Option<u64>,
    /// The last event of the window.
    edge: Option<(i64, u64)>,
    event: Option<StoredEvent>,
    /// The length of the event's data in bytes.
    data: String,
}

/// The part of an event's id that its position contains.
fn check_of(id: &[u8]) -> u64 {
    let bytes = id.iter().take(8);
    bytes.fold(0, |check, byte| check << 8 | u64::from(*byte))
}

impl FromRow for FeedRow {
    fn from_row<R: AnyRow>(row: &R) -> Result<Self, Unreadable> {
        let check = |row: &R, column| row.bytes(column).map(check_of);
        let incarnation = row.integer(0)?;
        let edge = row.optional(5, R::integer)?;
        let data = row.optional(13, R::text)?;
        Ok(FeedRow {
            incarnation,
            pruned: (row.integer(1)?, check(row, 2)?),
            newest: row.optional(3, R::integer)?,
            here: row.optional(4, check)?,
            edge: edge.zip(row.optional(6, check)?),
            event: data
                .as_deref()
                .map(|data| event(row, incarnation, data))
                .transpose()?,
            data: data.unwrap_or_default(),
        })
    }

    fn text(&self) -> &str {
        &self.data
    }
}

fn event<R: AnyRow>(row: &R, incarnation: i64, data: &str) -> Result<StoredEvent, Unreadable> {
    let id = row.bytes(8)?.to_owned();
    let (entity_id, version) = (row.integer(11)?, row.integer(12)?);
    let order = || -> Result<Order, Unreadable> {
        let stored: OrderData = serde_json::from_str(data).map_err(Unreadable::column)?;
        Ok(Order {
            id: entity_id,
            pet_id: stored.pet_id,
            status: stored.status,
            placed_at: time(stored.placed_at)?,
            updated_at: time(stored.updated_at)?,
            version: Some(version),
        })
    };
    let data = match row.parsed(9)? {
        EventType::PetCreated => {
            let new: NewPet = serde_json::from_str(data).map_err(Unreadable::column)?;
            EventData::PetCreated(Pet {
                version: Some(version),
                ..pet_with_id(entity_id, &new)
            })
        }
        EventType::PetStatusChanged => {
            let stored: StatusData = serde_json::from_str(data).map_err(Unreadable::column)?;
            EventData::PetStatusChanged(entity_id, stored.status)
        }
        EventType::OrderPlaced => EventData::OrderPlaced(order()?),
        EventType::OrderUpdated => EventData::OrderUpdated(order()?),
    };
    Ok(StoredEvent {
        position: EventPosition {
            incarnation,
            position: row.integer(7)?,
            check: check_of(&id),
        },
        id,
        at: row.time(10)?,
        version,
        data,
    })
}

/// Reads a page with `read`, which runs [`PAGE`] with its parameters.
pub(crate) async fn read_page<F>(
    query: &EventQuery,
    read: impl Fn(Vec<Value<'static>>) -> F,
) -> Result<Result<EventPage, CursorLost>, StoreError>
where
    F: Future<Output = Result<Vec<FeedRow>, StoreError>>,
{
    let bit = |kind: &EventType| EventType::ALL.iter().position(|own| own == kind);
    let bits = query.types.iter().filter_map(bit);
    let types = match query.types.is_empty() {
        true => -1,
        false => bits.fold(0_i64, |bits, bit| bits | 1 << bit),
    };
    // One row more than the page needs shows whether more events follow.
    let rows = i64::try_from(query.limit)
        .unwrap_or(i64::MAX)
        .saturating_add(1);
    let mut after = match query.after {
        EventsAfter::Start => 0,
        EventsAfter::Newest => i64::MAX - WINDOW,
        // No event has a negative position.
        EventsAfter::Event(EventPosition { position, .. }) | EventsAfter::Number(position) => {
            position.clamp(0, i64::MAX - WINDOW)
        }
    };
    loop {
        let parameters = [after, after + WINDOW, types, rows].map(Value::from);
        let found = read(parameters.to_vec()).await?;
        let pruned = found.first().map_or(0, |row| row.pruned.0);
        let is_event = matches!(query.after, EventsAfter::Event(_));
        if !is_event && after < pruned {
            after = pruned;
        } else {
            return page_of(query, after, found);
        }
    }
}

/// Creates the page from the rows that were found after this position.
fn page_of(
    query: &EventQuery,
    after: i64,
    found: Vec<FeedRow>,
) -> Result<Result<EventPage, CursorLost>, StoreError> {
    let no_feed = || StoreError::corrupt(Unreadable::Type("no row".to_owned(), "the event feed"));
    let feed = found.first().ok_or_else(no_feed)?;
    let (incarnation, newest) = (feed.incarnation, feed.newest.unwrap_or(feed.pruned.0));
    let check = match after == feed.pruned.0 {
        true => feed.pruned.1,
        false => feed.here.unwrap_or_default(),
    };
    if let EventsAfter::Event(event) = query.after {
        if event.incarnation != incarnation || !(0..=newest).contains(&event.position) {
            return Ok(Err(CursorLost::Reset));
        }
        if event.position < feed.pruned.0 {
            return Ok(Err(CursorLost::Expired));
        }
        if event.check != check {
            return Ok(Err(CursorLost::Reset));
        }
    }
    let edge = match (query.after, feed.edge) {
        // The last event of the window: at `after`, or after it.
        (_, Some(edge)) => edge,
        (EventsAfter::Newest, None) => feed.pruned,
        (_, None) => (after, check),
    };
    let (rows, is_cut) = split_page(found, query.limit);
    let events: Vec<_> = rows.into_iter().filter_map(|row| row.event).collect();
    let next = match events.last() {
        Some(last) if is_cut => last.position,
        _ => EventPosition {
            incarnation,
            position: edge.0,
            check: edge.1,
        },
    };
    let more = next.position < newest;
    Ok(Ok(EventPage { events, next, more }))
}
