//! Lists the operations of a document whose sunset is near or past. The current date is an
//! argument.

use crate::model::{Document, Location};
use chrono::NaiveDate;

/// How many days before a sunset the warnings begin.
pub const WARNING_DAYS: i64 = 180;

/// A sunset that is near or already past.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Due {
    /// The operation, such as `GET /books/{bookId}`.
    pub operation: String,
    /// Its id, if it has one.
    pub id: Option<String>,
    /// The day from which the operation may be removed.
    pub sunset: NaiveDate,
    /// How many days are left until the sunset; zero or less on and after that day.
    pub days_left: i64,
    /// The place of the sunset.
    pub at: Location,
    /// What to do, as a lower-case fragment.
    pub text: String,
}

impl Due {
    /// Whether the sunset has been reached. An overdue sunset is a failure; a sunset that is only
    /// near is a warning.
    pub fn is_overdue(&self) -> bool {
        self.days_left <= 0
    }
}

/// Returns the sunsets that are due on a day, the earliest first. A sunset is due from
/// [`WARNING_DAYS`] before its day until the operation is removed from the document.
pub fn due(document: &Document, today: NaiveDate) -> Vec<Due> {
    let mut due: Vec<Due> = (document.operations.iter())
        .filter_map(|operation| {
            let sunset = operation.lifecycle.sunset.as_ref()?;
            let days_left = (sunset.value - today).num_days();
            let (name, label) = (operation.request(), operation.label());
            let text = if days_left <= 0 {
                format!(
                    "the sunset of {label} was on {}: remove `{name}`, the code that implements it, and \
                     everything that only this operation uses",
                    sunset.value
                )
            } else {
                format!(
                    "the sunset of {label} is on {}, in {days_left} days: make sure that clients \
                     no longer call it",
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
