//! Checks the key in `Authorization: Bearer`: looks it up by its hash for every request.

use crate::{failure::Failure, store::Store};
use axum::{
    extract::{Request, State},
    http::header::AUTHORIZATION,
    middleware::Next,
    response::Response,
};

/// Accepts requests whose key is in the store and not revoked.
pub(crate) async fn check(
    State(store): State<Store>,
    request: Request,
    next: Next,
) -> Result<Response, Failure> {
    let value = request.headers().get(AUTHORIZATION);
    let key = value
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "))
        .ok_or(Failure::Unauthorized)?;
    if !store.knows(key).await? {
        return Err(Failure::Unauthorized);
    }
    Ok(next.run(request).await)
}
