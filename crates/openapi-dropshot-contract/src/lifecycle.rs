//! Lists the sunsets of a document that are near on a day, or past. The day is an
//! argument.

use crate::model::{Document, Location};
use chrono::NaiveDate;

/// How many days before a sunset a warning begins.
pub const WARNING_DAYS: i64 = 180;

/// A sunset that is near or past.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// The operation, such as `GET /books/{bookId}`.
    pub operation: String,
    /// Its id, if it has one.
    pub id: Option<String>,
    /// The day from which the operation may be removed.
    pub sunset: NaiveDate,
    /// How many days are left; zero or less from that day on.
    pub days_left: i64,
    /// The place of the sunset.
    pub at: Location,
    /// What to do, as a lower-case fragment.
    pub text: String,
}

impl Due {
    /// Whether the day has come, which is a failure; before it, it is a warning.
    pub fn is_overdue(&self) -> bool {
        self.days_left <= 0
    }
}

/// The sunsets that are due on a day, the earliest first: from
/// [`WARNING_DAYS`] before, and for as long as the operation is described.
pub fn due(document: &Document, today: NaiveDate) -> Vec<Due> {
    let mut due: Vec<Due> = (document.operations.iter())
        .filter_map(|operation| {
            let sunset = operation.lifecycle.sunset.as_ref()?;
            let days_left = (sunset.value - today).num_days();
            let name = format!("{} {}", operation.method, operation.path.value);
            let label = operation.label();
            let text = if days_left <= 0 {
                format!(
                    "the sunset of {label} was on {}: remove `{name}`, what implements it, and \
                     whatever only it refers to",
                    sunset.value
                )
            } else {
                format!(
                    "the sunset of {label} is on {}, in {days_left} days: make sure that nobody \
                     calls it any longer",
                    sunset.value
                )
            };
            (days_left <= WARNING_DAYS).then(|| Due {
                operation: name,
                id: operation.id.as_ref().map(|id| id.value.clone()),
                sunset: sunset.value,
                days_left,
                at: sunset.at.clone(),
                text,
            })
        })
        .collect();
    due.sort_by_key(|due| due.days_left);
    due
}
