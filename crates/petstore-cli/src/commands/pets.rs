//! Implements the commands of `pets`.

use super::{
    creation_failed,
    walk::{self, Walk, broken_off},
};
use crate::{
    cli::{AddOptions, ExportOptions, ListOptions, PageOptions, PetsCommand},
    exit::Exit,
    import,
    output::{Form, Writer, print_one},
    settings::Service,
};
use anyhow::{Context as _, Result, bail};
use petstore_client::{Client, Error, NewPet, Pet, PetStatus, Streamed};

/// The number of pets that are written at once.
const PAGE: usize = 100;

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
    let ExportOptions {
        format,
        status,
        after,
        cursor,
    } = options;
    let mut writer = Writer::file(format);
    if cursor.is_none() && stream(client, status.as_ref(), after, &mut writer).await? {
        return writer.end();
    }
    if after.is_some() {
        bail!("this service cannot begin an export after an id: use `--cursor`");
    }
    let page = PageOptions {
        limit: None,
        cursor,
        all: true,
    };
    write_pages(client, status, page, writer).await?;
    Ok(())
}

/// Writes all pets from a streamed response. If the stream breaks off after at least one pet, requests the
/// remaining ones. Returns false if the service only supports pages, as version 1.1.0 does.
async fn stream(
    client: &Client,
    status: Option<&PetStatus>,
    mut after: Option<i64>,
    writer: &mut Writer<Pet>,
) -> Result<bool> {
    loop {
        let mut request = client.export_pets();
        if let Some(status) = status {
            request = request.status(status.clone());
        }
        if let Some(after) = after {
            request = request.after(after);
        }
        let begun = writer.count();
        let error = match request.send().await {
            Ok(pets) => match write_stream(pets.into_inner(), writer, &mut after).await? {
                Ok(()) => return Ok(true),
                Err(error) => error,
            },
            Err(error) if matches!(error.status(), Some(400 | 404)) && begun == 0 => {
                return Ok(false);
            }
            Err(error) => error,
        };
        if writer.count() == begun || !error.is_retryable() {
            let how = after.map(|id| format!("continue with --after {id}"));
            return Err(broken_off(error, "pets", writer.count(), how));
        }
    }
}

/// Writes the pets as they arrive, and sets `last` to the id of the last pet that was written.
async fn write_stream(
    mut pets: Streamed<Pet>,
    writer: &mut Writer<Pet>,
    last: &mut Option<i64>,
) -> Result<Result<(), Error>> {
    let mut arrived = Vec::with_capacity(PAGE);
    loop {
        let next = pets.next().await;
        let end = match next {
            Some(Ok(pet)) => {
                *last = Some(pet.id);
                arrived.push(pet);
                None
            }
            Some(Err(error)) => Some(Err(error)),
            None => Some(Ok(())),
        };
        if end.is_some() || arrived.len() == PAGE {
            writer.write(&arrived)?;
            arrived.clear();
        }
        if let Some(end) = end {
            return Ok(end);
        }
    }
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

/// Fetches a pet. Every client of this program has a callback that prints the deprecation of this operation on stderr.
async fn get(client: &Client, id: i64, form: Form) -> Result<()> {
    #[expect(deprecated, reason = "offered until it is removed, with a warning")]
    let response = client.get_pet().pet_id(id).send().await;
    let pet = response.with_context(|| format!("cannot fetch the pet {id}"))?;
    print_one(form, pet.into_inner())
}
