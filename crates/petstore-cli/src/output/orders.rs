//! Formats orders as rows of a table.

use super::{printable, writer::Record};
use chrono::{DateTime, SecondsFormat, Utc};
use petstore_client::Order;

impl Record for Order {
    fn titles() -> String {
        format!("{:<9}  {:>8}  {:<20}  UPDATED", "STATUS", "PET", "PLACED")
    }

    fn id(&self) -> i64 {
        self.id
    }

    fn columns(&self) -> String {
        format!(
            "{:<9}  {:>8}  {}  {}",
            printable(self.status.as_str()),
            self.pet_id,
            to_the_second(self.placed_at),
            to_the_second(self.updated_at)
        )
    }
}

/// As in the contract, but no finer than people read it.
fn to_the_second(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use super::{super::writer::row, *};

    #[test]
    fn an_order_is_a_row_and_a_status_of_tomorrow_commands_no_terminal() {
        let order: Order = serde_json::from_str(
            r#"{"id": 2, "petId": 1, "status": "lost\u001b[2J",
                "placedAt": "2026-11-21T12:00:00.123456Z", "updatedAt": "2026-11-21T12:00:09Z"}"#,
        )
        .expect("an order");
        assert_eq!(
            row(&order, 2),
            " 2  lost\u{fffd}[2J          1  2026-11-21T12:00:00Z  2026-11-21T12:00:09Z\n"
        );
    }
}
