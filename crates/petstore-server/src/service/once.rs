//! Runs a creation that has an `Idempotency-Key` only once, even if it is requested several times.

use super::RequestContext;
use crate::state::state_error;
use futures::future::BoxFuture;
use openapi_dropshot_server::{
    IdempotencyFailure,
    idempotency::{Attempt, IdempotencyKey},
};
use petstore_store::{Creation, Once, Store, StoreError};
use std::{fmt::Display, sync::Arc};

type Created<T, R> = BoxFuture<'static, Result<Creation<T, R>, StoreError>>;

/// Creates an object by calling `ask`, or returns the object that was created with the same key
/// before. `R` is the type of the reason for which the store rejects a creation.
pub(super) async fn create<T, R, E>(
    rqctx: &RequestContext,
    header: &petstore_models::IdempotencyKey,
    ask: impl Fn(Arc<dyn Store>, Once) -> Created<T, R>,
) -> Result<Result<T, R>, E>
where
    T: Send + 'static,
    R: Send + 'static,
    E: IdempotencyFailure,
{
    let context = rqctx.context();
    let invalid =
        |error: &dyn Display| E::invalid_request(format!("`Idempotency-Key` {error}").into());
    let key = IdempotencyKey::from_header(header.as_str()).map_err(|error| invalid(&error))?;
    let name = petstore_store::IdempotencyKey::try_from(key.as_str().to_owned());
    let caller = context.principal(rqctx).ok_or_else(|| {
        E::internal_error("a creation without an API key reached the handler".into())
    })?;
    let once = Once {
        key_id: caller.id(),
        key: name.map_err(|error| invalid(&error))?,
        at: context.now(),
    };
    let attempt = || {
        let created = ask(context.state().share(), once.clone());
        let attempt = async { created.await.map(attempt_of).map_err(state_error) };
        Box::pin(attempt) as _
    };
    context
        .attempt_once(&rqctx.request_id, &caller, key, attempt)
        .await
}

fn attempt_of<T, R>(creation: Creation<T, R>) -> Attempt<T, R> {
    match creation {
        Creation::Added(made) | Creation::Repeated(made) => Attempt::Done(made),
        Creation::Refused(reason) => Attempt::Rejected(reason),
        Creation::KeyReused => Attempt::KeyReused,
        Creation::InFlight => Attempt::InFlight,
    }
}

#[cfg(test)]
mod tests;
