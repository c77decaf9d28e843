//! Adds the pets of an import, and sends the result of each line.

use super::{RequestContext, create_pet};
use futures::TryStreamExt as _;
use openapi_dropshot_types::{Item, Rejection, Streamed, StreamedItems};
use petstore_api::{CreatePetError, ImportPetsOk};
use petstore_models::{Error, IdempotencyKey, ImportResult, NewPet, Pet, PetToImport};
use std::{sync::Arc, time::Duration};

/// How many lines of one import the store processes at the same time: enough for large batches, but only a part of what a
/// single key may use.
const AT_ONCE: usize = 128;
/// If the store is busy, a line is tried again after this time.
const PAUSE: Duration = Duration::from_millis(50);

type BoxError = Box<dyn std::error::Error + Send + Sync>;

pub(super) fn pets(rqctx: RequestContext, body: StreamedItems<PetToImport>) -> ImportPetsOk {
    let rqctx = Arc::new(rqctx);
    let lines = body.into_stream().map_err(BoxError::from);
    let results = lines.map_ok(move |line| {
        let rqctx = Arc::clone(&rqctx);
        async move { result(&rqctx, line).await }
    });
    ImportPetsOk(Streamed::fallible(results.try_buffered(AT_ONCE)))
}

/// Adds the pet of a line.
///
/// # Errors
///
/// Returns an error if the store cannot be used; the pet may have been added nevertheless.
async fn result(rqctx: &RequestContext, line: Item<PetToImport>) -> Result<ImportResult, BoxError> {
    let mut result = ImportResult::new(line.line.try_into()?);
    let added = match line.value {
        Ok(pet) => add(rqctx, pet).await,
        Err(message) => Err(CreatePetError::InvalidRequest(message.into())),
    };
    match added {
        Ok(pet) => result.pet = Some(pet),
        Err(error) => {
            let Rejection { error, message, .. } = Rejection::from(error);
            if error.status >= 500 {
                return Err(format!("line {}: {message}", line.line).into());
            }
            result.error = Some(Error::new(error.code, message, error.status.into()));
        }
    }
    Ok(result)
}

async fn add(rqctx: &RequestContext, pet: PetToImport) -> Result<Pet, CreatePetError> {
    let PetToImport {
        name,
        category_id,
        status,
        idempotency_key: key,
    } = pet;
    let pet = NewPet {
        name,
        category_id,
        status,
    };
    let key = key.map(|key| IdempotencyKey::try_from(key.as_str().to_owned()));
    let key = key.transpose();
    let key = key.map_err(|error| CreatePetError::InvalidRequest(error.to_string().into()))?;
    loop {
        match create_pet(rqctx, key.clone(), pet.clone()).await {
            Err(CreatePetError::Overloaded(_)) => tokio::time::sleep(PAUSE).await,
            created => return created,
        }
    }
}
