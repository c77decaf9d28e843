//! Converts events and their positions between the store and the contract.

use chrono::Utc;
use openapi_dropshot_server::feed::FeedCursor;
use petstore_models::{
    DateTime, Event, OrderPlaced, OrderPlacedType, OrderUpdated, OrderUpdatedType, PetCreated,
    PetCreatedType, PetStatusChange, PetStatusChanged, PetStatusChangedType, Violation,
};
use petstore_store::{EventData, EventPosition, StoredEvent};

/// Reads a cursor; `None` if this service did not create it.
pub(crate) fn position(cursor: &str) -> Option<EventPosition> {
    let FeedCursor {
        incarnation,
        position,
        check,
    } = FeedCursor::decode(cursor)?;
    Some(EventPosition {
        incarnation,
        position,
        check,
    })
}

/// Returns the cursor of a position.
pub(crate) fn cursor_of(at: EventPosition) -> String {
    let EventPosition {
        incarnation,
        position,
        check,
    } = at;
    FeedCursor {
        incarnation,
        position,
        check,
    }
    .encode()
}

/// Returns a time in the form of the contract.
pub(crate) fn time(at: chrono::DateTime<Utc>) -> Result<DateTime, Violation> {
    DateTime::new(at.fixed_offset())
}

/// Returns the event in the form of the contract.
pub(crate) fn event(stored: StoredEvent) -> Result<Event, String> {
    let id: String = stored.id.iter().map(|byte| format!("{byte:02x}")).collect();
    let (id, cursor) = (format!("evt_{id}"), cursor_of(stored.position));
    let timestamp = time(stored.at)
        .map_err(|problem| format!("the time of the event {id} cannot be sent: {problem}"))?;
    let version = stored.version;
    Ok(match stored.data {
        EventData::PetCreated(data) => Event::PetCreated(PetCreated {
            id,
            timestamp,
            version,
            cursor,
            type_: PetCreatedType::PetCreated,
            data,
        }),
        EventData::PetStatusChanged(pet, status) => Event::PetStatusChanged(PetStatusChanged {
            id,
            timestamp,
            version,
            cursor,
            type_: PetStatusChangedType::PetStatusChanged,
            data: PetStatusChange { id: pet, status },
        }),
        EventData::OrderPlaced(data) => Event::OrderPlaced(OrderPlaced {
            id,
            timestamp,
            version,
            cursor,
            type_: OrderPlacedType::OrderPlaced,
            data,
        }),
        EventData::OrderUpdated(data) => Event::OrderUpdated(OrderUpdated {
            id,
            timestamp,
            version,
            cursor,
            type_: OrderUpdatedType::OrderUpdated,
            data,
        }),
    })
}
