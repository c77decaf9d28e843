//! The error response of every failure.

use axum::{
    Json,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use serde::Serialize;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error("send a valid API key as `Authorization: Bearer <API_KEY>`")]
    Unauthorized,
    #[error("there is no such pet")]
    NotFound,
    #[error("`limit` is a number from 1 to 100")]
    Limit,
    #[error("the service has a fault of its own")]
    Store(#[from] sqlx::Error),
}

#[derive(Serialize)]
struct Body {
    code: &'static str,
    message: String,
    status: u16,
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let (status, code) = match self {
            Failure::Unauthorized => (StatusCode::UNAUTHORIZED, "unauthorized"),
            Failure::NotFound => (StatusCode::NOT_FOUND, "not_found"),
            Failure::Limit => (StatusCode::BAD_REQUEST, "invalid_request"),
            Failure::Store(_) => (StatusCode::INTERNAL_SERVER_ERROR, "internal_error"),
        };
        let body = Body {
            code,
            message: self.to_string(),
            status: status.as_u16(),
        };
        (status, Json(body)).into_response()
    }
}
