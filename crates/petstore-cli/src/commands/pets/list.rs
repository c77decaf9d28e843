//! Commands `pets list` and `pets export`: print one page of pets, or all
//! pages.

use crate::{
    cli::{ExportOptions, ListOptions},
    commands::walk::{self, LARGEST_PAGE, Walk},
    exit::Exit,
    output::{Form, Writer},
};
use anyhow::Result;
use petstore_client::{Client, Pages, PetStatus, Pets};

/// `pets list`
pub(super) async fn run(client: &Client, options: ListOptions, form: Form) -> Result<Exit> {
    let walk = Walk {
        what: "pets",
        cursor: options.cursor,
        all: options.all,
    };
    let limit = walk.page_size(options.limit);
    let pages = pages(client, options.status, limit, walk.cursor.as_deref());
    let next = walk.write(pages, Writer::list(form)).await?;
    walk::say_next(next);
    Ok(Exit::Done)
}

/// `pets export`
pub(super) async fn export(client: &Client, options: ExportOptions) -> Result<Exit> {
    let walk = Walk {
        what: "pets",
        cursor: options.cursor,
        all: true,
    };
    let limit = Some(LARGEST_PAGE);
    let pages = pages(client, options.status, limit, walk.cursor.as_deref());
    walk.write(pages, Writer::file(options.format)).await?;
    Ok(Exit::Done)
}

fn pages(
    client: &Client,
    status: Option<PetStatus>,
    limit: Option<u64>,
    cursor: Option<&str>,
) -> Pages<Pets> {
    let mut request = client.list_pets();
    if let Some(limit) = limit {
        request = request.limit(limit);
    }
    if let Some(status) = status {
        request = request.status(status);
    }
    if let Some(cursor) = cursor {
        request = request.cursor(cursor);
    }
    request.pages()
}
