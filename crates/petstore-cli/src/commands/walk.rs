//! Prints one page of a list, or all pages, to stdout.

use crate::{
    cli::PageOptions,
    exit::WrongUsage,
    output::{Record, Writer, grouped, printable},
};
use anyhow::Result;
use petstore_client::{Error, ErrorKind, Pages};
use serde::de::DeserializeOwned;
use std::ops::Deref;

const LARGEST_PAGE: u64 = 100;

/// Selects the pages to print.
pub(super) struct Walk {
    /// The name of the listed objects, in the plural.
    pub(super) what: &'static str,
    pub(super) page: PageOptions,
}

impl Walk {
    /// The number of records per page; if not set, the service decides.
    pub(super) fn page_size(&self) -> Option<u64> {
        self.page.limit.or(self.page.all.then_some(LARGEST_PAGE))
    }

    /// Writes the pages, and returns the cursor of the next page.
    pub(super) async fn write<P, T>(
        self,
        mut pages: Pages<P>,
        mut writer: Writer<T>,
    ) -> Result<Option<String>>
    where
        P: Deref<Target = Vec<T>> + DeserializeOwned + Send + 'static,
        T: Record,
    {
        let mut next = self.page.cursor;
        while let Some(page) = pages.next().await {
            let page = page.map_err(|error| {
                let how = next
                    .as_ref()
                    .map(|next| format!("continue with --cursor {next}"));
                broken_off(error, self.what, writer.count(), how)
            })?;
            writer.write(page.as_slice())?;
            next = page.next_cursor()?;
            if !self.page.all {
                break;
            }
        }
        writer.end()?;
        Ok(next)
    }
}

/// Prints on stderr how to get the following records, if there are any.
pub(super) fn say_next(cursor: Option<String>) {
    if let Some(cursor) = cursor {
        let cursor = printable(&cursor);
        eprintln!(
            "there are more entries: use --all to show all of them, or --cursor {cursor} to show the next page"
        );
    }
}

/// The error of a list that failed after `count` records were written. It says how to get the
/// remaining ones.
pub(super) fn broken_off(
    error: Error,
    what: &str,
    count: u64,
    how: Option<String>,
) -> anyhow::Error {
    if error.kind() == ErrorKind::Request {
        return WrongUsage(error.message().to_owned()).into();
    }
    let context = match how {
        Some(how) if count > 0 => {
            let count = grouped(count);
            format!("the list was interrupted after {count} {what}; {how}")
        }
        _ => format!("the {what} cannot be listed"),
    };
    anyhow::Error::new(error).context(context)
}
