//! The setting for the limits of single operations.

use super::values::{InvalidSetting, displayed_parts, parts};
use openapi_dropshot_types::OperationLimits;
use std::{fmt, str::FromStr};

/// Limits of single operations, each as in `createBook.body-bytes=1000`.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct OwnLimits(Vec<String>);

impl OwnLimits {
    /// The limits of one operation.
    pub(crate) fn of(&self, operation: &str) -> OperationLimits {
        let limits = self.0.iter().filter_map(|text| read(text));
        let own = limits.filter(|(name, _)| *name == operation);
        own.fold(OperationLimits::NONE, |all, (_, one)| all.and(one))
    }

    /// The names of the operations that have limits of their own.
    pub(crate) fn operations(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|text| Some(read(text)?.0))
    }
}

impl FromStr for OwnLimits {
    type Err = InvalidSetting;

    fn from_str(text: &str) -> Result<Self, InvalidSetting> {
        let checked = |text: &str| match read(text) {
            Some(_) => Ok(text.to_owned()),
            None => Err(InvalidSetting::new(format!(
                "`{text}` is not a limit of an operation; write the operation, a full stop, one of `body-bytes`, `deadline-seconds`, \
                 `concurrency` and `cost`, and a number from 1 on, as in `createBook.body-bytes=1000`"
            ))),
        };
        parts(text, checked).map(OwnLimits)
    }
}

impl fmt::Display for OwnLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&displayed_parts(&self.0))
    }
}

/// Returns the operation and its limit.
fn read(text: &str) -> Option<(&str, OperationLimits)> {
    let (place, number) = text.split_once('=')?;
    let (operation, limit) = place.rsplit_once('.')?;
    let number = number.parse().ok().filter(|number: &u32| *number > 0)?;
    let mut limits = OperationLimits::NONE;
    let value = match limit {
        "body-bytes" => &mut limits.body_bytes,
        "deadline-seconds" => &mut limits.deadline_seconds,
        "concurrency" => &mut limits.concurrency,
        "cost" => &mut limits.cost,
        _ => return None,
    };
    *value = Some(number);
    Some((operation, limits)).filter(|(operation, _)| !operation.is_empty())
}
