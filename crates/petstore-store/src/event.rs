//! The feed of events, for both databases: the data that is written with each change, and the
//! statement that reads a page of the feed.

use crate::{
    StoreError,
    record::{PAGE_BYTES, pet_with_id, split_page, stored_limit, time},
    row::{AnyRow, FromRow, OwnedValue, Unreadable},
    webhook::Database,
};
use openapi_dropshot_types::feed::FeedCursor;
use petstore_models::{
    Event, EventType, NewPet, Order, OrderPlaced, OrderPlacedType, OrderStatus, OrderUpdated,
    OrderUpdatedType, Pet, PetCreated, PetCreatedType, PetStatus, PetStatusChange,
    PetStatusChanged, PetStatusChangedType,
};
use serde::{Deserialize, Serialize};
use std::sync::{
    LazyLock,
    atomic::{AtomicBool, Ordering::Relaxed},
};

/// The greatest number of events that a page searches. It bounds the cost of a page if few events
/// match its types.
const WINDOW: i64 = 5_000;

/// The event after which a page begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventsAfter {
    /// The page is empty, and the next page begins after the newest event.
    Newest,
    /// The page begins after this event.
    Event(FeedCursor),
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
    pub next: FeedCursor,
    /// Whether there may be events after `next`.
    pub more: bool,
}

/// An event of the feed. It is stored in the transaction of the change that it describes.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredEvent {
    /// The position.
    pub position: FeedCursor,
    /// The unique id, random.
    pub id: String,
    /// What happened.
    pub kind: EventType,
    /// The event in the form of the contract.
    pub event: Event,
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
/// is none). `$3` has the [`bit`] of each requested type; a negative value requests all types. SQLite numbers parameters by
/// their first appearance.
static PAGE: LazyLock<String> = LazyLock::new(|| {
    let types = EventType::ALL.iter();
    let bits = types.map(|kind| format!(" WHEN '{kind}' THEN {}", bit(*kind)));
    let bits: String = bits.collect();
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

/// The bit of a type in a parameter of [`PAGE`].
fn bit(kind: EventType) -> i64 {
    1 << kind as u32
}

/// Replaces the incarnation with this one, so that earlier cursors become invalid.
pub(crate) const RESET: &str = "UPDATE event_feed SET incarnation = $1";
/// Whether the feed has all events since its incarnation began: 1, or 0 if changes were made without events.
const IS_COMPLETE: &str = "SELECT is_complete FROM event_feed";
/// Begins a new incarnation if the feed lacks changes.
const COMPLETE: &str =
    "UPDATE event_feed SET incarnation = $1, is_complete = 1 WHERE is_complete <> 1";
/// Records that changes may be made without events from now on.
const INCOMPLETE: &str = "UPDATE event_feed SET is_complete = 0";

/// Implements [`Store::record_events`](crate::Store::record_events) for a store that has the setting in `records_events`.
pub(crate) async fn record_changes(
    db: &impl Database,
    records_events: &AtomicBool,
    is_on: bool,
) -> Result<(), StoreError> {
    // Until the setting is stored, changes write no events: a feed must not look complete if it lacks changes.
    records_events.store(false, Relaxed);
    let stored: Vec<i64> = db.rows(IS_COMPLETE, Vec::new()).await?;
    let is_complete = stored.first().is_some_and(|stored| *stored == 1);
    let (statement, values) = match is_on {
        true => (COMPLETE, vec![random_number().into()]),
        false => (INCOMPLETE, Vec::new()),
    };
    if is_complete != is_on {
        db.change::<i64>(statement, values).await?;
    }
    records_events.store(is_on, Relaxed);
    Ok(())
}

/// A random number, for a new incarnation or for the ids of events.
pub(crate) fn random_number() -> i64 {
    let (number, _) = uuid::Uuid::new_v4().as_u64_pair();
    number.cast_signed()
}

/// A row of [`PAGE`].
struct FeedRow {
    /// The position of the last deleted event.
    pruned: FeedCursor,
    newest: Option<i64>,
    /// The check value of the event at the position of the query.
    here: Option<u64>,
    /// The last event of the window.
    edge: Option<FeedCursor>,
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
        let cursor = |row: &R, column: usize| {
            Ok(FeedCursor {
                incarnation,
                position: row.integer(column)?,
                check: check(row, column + 1)?,
            })
        };
        let data = row.optional(13, R::text)?.unwrap_or_default();
        Ok(FeedRow {
            pruned: cursor(row, 1)?,
            newest: row.optional(3, R::integer)?,
            here: row.optional(4, check)?,
            edge: row.optional(5, cursor)?,
            event: row
                .optional(7, cursor)?
                .map(|position| event(row, position, &data))
                .transpose()?,
            data,
        })
    }

    fn text(&self) -> &str {
        &self.data
    }
}

fn event<R: AnyRow>(row: &R, position: FeedCursor, data: &str) -> Result<StoredEvent, Unreadable> {
    let id = row.bytes(8)?.iter().map(|byte| format!("{byte:02x}"));
    let id = format!("evt_{}", id.collect::<String>());
    let (kind, at, cursor) = (row.parsed(9)?, row.time(10)?, position.encode());
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
    let event = match kind {
        EventType::PetCreated => {
            let new: NewPet = serde_json::from_str(data).map_err(Unreadable::column)?;
            let pet = Pet {
                version: Some(version),
                ..pet_with_id(entity_id, &new)
            };
            let kind = PetCreatedType::PetCreated;
            Event::PetCreated(PetCreated::new(&id, at, version, cursor, kind, pet))
        }
        EventType::PetStatusChanged => {
            let stored: StatusData = serde_json::from_str(data).map_err(Unreadable::column)?;
            let change = PetStatusChange::new(entity_id, stored.status);
            let kind = PetStatusChangedType::PetStatusChanged;
            let changed = PetStatusChanged::new(&id, at, version, cursor, kind, change);
            Event::PetStatusChanged(changed)
        }
        EventType::OrderPlaced => {
            let kind = OrderPlacedType::OrderPlaced;
            Event::OrderPlaced(OrderPlaced::new(&id, at, version, cursor, kind, order()?))
        }
        EventType::OrderUpdated => {
            let kind = OrderUpdatedType::OrderUpdated;
            Event::OrderUpdated(OrderUpdated::new(&id, at, version, cursor, kind, order()?))
        }
    };
    Ok(StoredEvent {
        position,
        id,
        kind,
        event,
    })
}

/// Implements [`Store::list_events`](crate::Store::list_events).
pub(crate) async fn read_page(
    db: &impl Database,
    query: &EventQuery,
) -> Result<Result<EventPage, CursorLost>, StoreError> {
    let types = match query.types.is_empty() {
        true => -1,
        false => query.types.iter().fold(0, |bits, kind| bits | bit(*kind)),
    };
    // One row more than the page needs shows whether more events follow.
    let rows = stored_limit(query.limit).saturating_add(1);
    let mut after = match query.after {
        EventsAfter::Newest => i64::MAX - WINDOW,
        // No event has a negative position.
        EventsAfter::Event(FeedCursor { position, .. }) | EventsAfter::Number(position) => {
            position.clamp(0, i64::MAX - WINDOW)
        }
    };
    loop {
        let parameters = [after, after + WINDOW, types, rows].map(OwnedValue::from);
        let found: Vec<FeedRow> = db.rows(&PAGE, parameters.to_vec()).await?;
        let pruned = found.first().map_or(0, |row| row.pruned.position);
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
    let pruned = feed.pruned;
    let newest = feed.newest.unwrap_or(pruned.position);
    let check = match after == pruned.position {
        true => pruned.check,
        false => feed.here.unwrap_or_default(),
    };
    if let EventsAfter::Event(event) = query.after {
        if event.incarnation != pruned.incarnation || !(0..=newest).contains(&event.position) {
            return Ok(Err(CursorLost::Reset));
        }
        if event.position < pruned.position {
            return Ok(Err(CursorLost::Expired));
        }
        if event.check != check {
            return Ok(Err(CursorLost::Reset));
        }
    }
    let edge = match (query.after, feed.edge) {
        // The last event of the window: at `after`, or after it.
        (_, Some(edge)) => edge,
        (EventsAfter::Newest, None) => pruned,
        (_, None) => FeedCursor {
            position: after,
            check,
            ..pruned
        },
    };
    let (rows, is_cut) = split_page(found, query.limit);
    let events: Vec<_> = rows.into_iter().filter_map(|row| row.event).collect();
    let next = match events.last() {
        Some(last) if is_cut => last.position,
        _ => edge,
    };
    let more = next.position < newest;
    Ok(Ok(EventPage { events, next, more }))
}
