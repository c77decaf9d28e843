//! Implements the commands of `events`.

use crate::{
    cli::{EventsCommand, FollowOptions},
    output::{Form, Out, printable},
    settings::Service,
};
use anyhow::{Context as _, Result};
use petstore_client::{Client, CursorLost, Event, EventType, Feed, FeedItem};
use serde_json::Value;

pub(super) async fn run(service: &Service, command: EventsCommand, form: Form) -> Result<()> {
    let EventsCommand::Follow(options) = command;
    let (mut events, mut out) = (feed(&service.client()?, options)?, Out::new());
    while let Some(event) = next(&mut events).await? {
        out.write(match form {
            Form::Json => format!("{event}\n"),
            Form::Table => row(&event),
        })?;
        out.flush()?;
    }
    Ok(())
}

/// The events that the options choose.
pub(super) fn feed(client: &Client, options: FollowOptions) -> Result<Feed<Event>> {
    let FollowOptions { types, from } = options;
    let mut request = client.list_events().wait(30);
    if !types.is_empty() {
        let types = types.iter().map(|kind| kind.parse::<EventType>());
        request = request.type_(types.collect::<Result<Vec<_>, _>>()?);
    }
    if from != "start" {
        request = request.cursor(from.as_str());
    }
    Ok(request.feed())
}

/// The next event, as the service sent it.
pub(super) async fn next(events: &mut Feed<Event>) -> Result<Option<Value>> {
    let Some(event) = events.next().await else {
        return Ok(None);
    };
    let event = event.map_err(|error| {
        let lost = error.cursor_lost();
        let failed = anyhow::Error::new(error).context("cannot follow the events");
        let advice = "events were missed: list all pets and orders, and follow with `--from now`";
        match lost {
            Some(CursorLost::Reset | CursorLost::Expired) => failed.context(advice),
            _ => failed,
        }
    })?;
    Ok(Some(match event {
        FeedItem::Known(event) => serde_json::to_value(event).context("cannot write an event")?,
        FeedItem::Unknown(event) => event,
    }))
}

/// Returns the value as text without control characters.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(text) => printable(text),
        other => printable(&other.to_string()),
    }
}

/// Returns the time, the type, the id and the version, and the status if the event has one.
fn row(event: &Value) -> String {
    let data = &event["data"];
    let columns = [
        &event["timestamp"],
        &event["type"],
        &data["id"],
        &event["version"],
        &data["status"],
    ];
    columns.map(text).join("  ") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_table_row_of_an_event_has_the_columns_common_to_all_types() {
        let event = json!({"timestamp": "2026-11-25T12:00:00Z", "type": "pet.sold", "version": 3,
            "data": {"id": 7, "status": "so\u{1b}ld"}});
        let row = row(&event);
        assert!(
            row.starts_with("2026-11-25T12:00:00Z  pet.sold  7  3  so"),
            "{row}"
        );
        assert!(!row.contains('\u{1b}'), "{row}");
        assert!(super::row(&json!({})).starts_with("-  -"));
        // JSON does not escape this control character.
        assert!(!text(&json!(["so\u{9b}ld"])).contains('\u{9b}'));
    }
}
