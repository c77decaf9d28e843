//! Runs the commands of `pets`.

use super::{
    creation_failed,
    walk::{self, Walk},
};
use crate::{
    cli::{AddOptions, ExportOptions, ListOptions, PageOptions, PetsCommand},
    exit::Exit,
    import,
    output::{Form, Writer, print_one},
    settings::Service,
};
use anyhow::{Context as _, Result};
use petstore_client::{Client, NewPet, Pet, PetStatus};

pub(super) async fn run(service: &Service, command: PetsCommand, form: Form) -> Result<Exit> {
    if let PetsCommand::Import(options) = command {
        return import::run(service, &options, form).await;
    }
    let client = service.client()?;
    match command {
        PetsCommand::List(options) => list(&client, options, form).await?,
        PetsCommand::Add(options) => add(&client, options, form).await?,
        PetsCommand::Get { id } => get(&client, id, form).await?,
        PetsCommand::Export(options) => export(&client, options).await?,
        PetsCommand::Import(_) => {}
    }
    Ok(Exit::Done)
}

async fn list(client: &Client, options: ListOptions, form: Form) -> Result<()> {
    let ListOptions { status, page } = options;
    walk::say_next(write_pages(client, status, page, Writer::list(form)).await?);
    Ok(())
}

async fn export(client: &Client, options: ExportOptions) -> Result<()> {
    let page = PageOptions {
        limit: None,
        cursor: options.cursor,
        all: true,
    };
    let file = Writer::file(options.format);
    write_pages(client, options.status, page, file).await?;
    Ok(())
}

/// Writes the pages that `page` selects, and returns the cursor of the next page.
async fn write_pages(
    client: &Client,
    status: Option<PetStatus>,
    page: PageOptions,
    writer: Writer<Pet>,
) -> Result<Option<String>> {
    let walk = Walk { what: "pets", page };
    let mut request = client.list_pets();
    if let Some(limit) = walk.page_size() {
        request = request.limit(limit);
    }
    if let Some(status) = status {
        request = request.status(status);
    }
    if let Some(cursor) = &walk.page.cursor {
        request = request.cursor(cursor.as_str());
    }
    walk.write(request.pages(), writer).await
}

async fn add(client: &Client, options: AddOptions, form: Form) -> Result<()> {
    let mut pet = NewPet::builder()
        .name(options.name)
        .category_id(options.category_id);
    if let Some(status) = options.status {
        pet = pet.status(status);
    }
    let mut request = client.create_pet().body(pet);
    if let Some(key) = options.idempotency_key {
        request = request.idempotency_key(key);
    }
    let response = request.send().await;
    let added = response.map_err(|error| creation_failed(error, "pet", "added"))?;
    print_one(form, added.into_inner())
}

/// Fetches a pet. The deprecation of this operation is printed on stderr by the
/// callback that every client of this program has.
async fn get(client: &Client, id: i64, form: Form) -> Result<()> {
    #[expect(deprecated, reason = "offered until it is removed, with a warning")]
    let response = client.get_pet().pet_id(id).send().await;
    let pet = response.with_context(|| format!("cannot fetch the pet {id}"))?;
    print_one(form, pet.into_inner())
}
