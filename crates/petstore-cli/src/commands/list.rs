//! `pets list` and `pets export`: pages of pets, one or all, to stdout.

use crate::{
    cli::{ExportOptions, ListOptions},
    exit::{Exit, WrongUsage},
    output::{Form, PetWriter, grouped},
};
use anyhow::{Context as _, Result};
use petstore_client::{Client, Error, ErrorKind, PetStatus};

/// The most that a page may have, for those who want all.
const LARGEST_PAGE: u64 = 100;

/// Which pages.
struct Walk {
    status: Option<PetStatus>,
    limit: Option<u64>,
    cursor: Option<String>,
    all: bool,
}

/// `pets list`
pub(super) async fn run(client: &Client, options: ListOptions, form: Form) -> Result<Exit> {
    let all_at_once = options.all.then_some(LARGEST_PAGE);
    let walk = Walk {
        status: options.status,
        limit: options.limit.or(all_at_once),
        cursor: options.cursor,
        all: options.all,
    };
    let next = write(client, walk, PetWriter::list(form)).await?;
    if let Some(cursor) = next {
        eprintln!("more follow: --all shows all, and --cursor {cursor} the next page");
    }
    Ok(Exit::Done)
}

/// `pets export`
pub(super) async fn export(client: &Client, options: ExportOptions) -> Result<Exit> {
    let walk = Walk {
        status: options.status,
        limit: Some(LARGEST_PAGE),
        cursor: options.cursor,
        all: true,
    };
    write(client, walk, PetWriter::file(options.format)).await?;
    Ok(Exit::Done)
}

/// Writes the pages, and says where the page begins that comes next.
async fn write(client: &Client, walk: Walk, mut writer: PetWriter) -> Result<Option<String>> {
    let mut request = client.list_pets();
    if let Some(limit) = walk.limit {
        request = request.limit(limit);
    }
    if let Some(status) = walk.status {
        request = request.status(status);
    }
    if let Some(cursor) = &walk.cursor {
        request = request.cursor(cursor.as_str());
    }
    let mut pages = request.pages();
    let mut next = walk.cursor;
    while let Some(page) = pages.next().await {
        let page = page.map_err(|error| broken_off(error, writer.count(), next.as_deref()))?;
        writer.write(&page)?;
        next = page.next_cursor()?;
        if !walk.all {
            break;
        }
    }
    writer.end()?;
    Ok(next)
}

fn broken_off(error: Error, count: u64, cursor: Option<&str>) -> anyhow::Error {
    if error.kind() == ErrorKind::Request {
        return WrongUsage(error.message().to_owned()).into();
    }
    let said = match cursor {
        Some(cursor) if count > 0 => format!(
            "the list breaks off after {} pets; --cursor {cursor} goes on from there",
            grouped(count)
        ),
        _ => "the pets cannot be listed".to_owned(),
    };
    Err::<(), _>(error).context(said).expect_err("it is one")
}
