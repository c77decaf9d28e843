//! The SQL of webhooks that only PostgreSQL uses.
//!
//! # Several servers
//!
//! Each write is one statement and one transaction. A statement locks the endpoint first and then deliveries. It
//! skips deliveries that another transaction has locked, unless it changes only one delivery. So two
//! statements cannot deadlock. The statement that creates deliveries locks the position, so that only one
//! server creates them. It also locks the endpoints against deletion, and skips endpoints that are being deleted.

use super::{
    PostgresStore, error,
    records::{arrays, parameter},
    session::Session,
};
use crate::{
    StoreError,
    record::stored_limit,
    row::{FromRow, OwnedValue, Value},
    webhook::{
        DUE_COLUMNS, Database, EndpointSecret, NewMessage, fan_out_sql, finish_delivery_sql,
        finish_endpoint_condition, finish_endpoint_sql, is_live, notify_sql,
    },
};
use openapi_dropshot_webhooks::{Claim, Due};
use std::sync::{Arc, LazyLock};
use tokio_postgres::types::ToSql;

static FAN_OUT: LazyLock<String> = LazyLock::new(|| {
    let message = "feed CROSS JOIN unnest($2::bigint[], $3::text[], $4::text[], $5::bytea[])
             AS message (position, message_id, type, payload)";
    let insert = fan_out_sql(message, "FOR KEY SHARE OF webhook_endpoints SKIP LOCKED");
    format!(
        "WITH feed AS MATERIALIZED (
             SELECT FROM webhook_feed WHERE position = $6 FOR UPDATE SKIP LOCKED
         ), advanced AS (
             UPDATE webhook_feed SET position = $7 FROM feed
         ), added AS (
             {insert} RETURNING 1
         )
         SELECT count(*) FROM added"
    )
});

static CLAIM: LazyLock<String> = LazyLock::new(|| {
    let is_live = is_live("$1");
    format!(
        "WITH due AS MATERIALIZED (
             SELECT due.id FROM webhook_endpoints
             JOIN api_keys ON api_keys.id = webhook_endpoints.key_id
             CROSS JOIN LATERAL (
                 SELECT id, due_at FROM webhook_deliveries
                 WHERE endpoint_id = webhook_endpoints.id AND webhook_deliveries.status = 'waiting' AND due_at <= $1
                 ORDER BY due_at
                 LIMIT $2::bigint
                 FOR UPDATE SKIP LOCKED
             ) AS due
             WHERE {is_live} AND webhook_endpoints.id <> ALL (string_to_array($3, ',')) AND (failing_since IS NOT NULL) = ($6::bigint = 1)
             ORDER BY due.due_at LIMIT $4
         )
         UPDATE webhook_deliveries SET due_at = $5
         FROM due, webhook_endpoints
         WHERE webhook_deliveries.id = due.id AND webhook_endpoints.id = webhook_deliveries.endpoint_id
         RETURNING {DUE_COLUMNS}"
    )
});

/// Locks the endpoint before it changes the delivery.
static FINISH: LazyLock<String> = LazyLock::new(|| {
    let (finish, update) = (finish_delivery_sql('$'), finish_endpoint_sql('$'));
    let condition = finish_endpoint_condition('$');
    let notify = notify_sql('$', "changed");
    format!(
        "WITH endpoint AS MATERIALIZED (
             SELECT id FROM webhook_endpoints WHERE {condition} FOR NO KEY UPDATE
         ), finished AS (
             {finish} AND (SELECT count(*) FROM endpoint) >= 0 RETURNING 1
         ), changed AS (
             {update} FROM finished, endpoint WHERE webhook_endpoints.id = endpoint.id
             RETURNING webhook_endpoints.id, webhook_endpoints.key_id
         )
         {notify}"
    )
});

/// Runs a statement that writes, and returns its rows.
async fn run<T: FromRow>(
    db: &Session,
    sql: &'static str,
    parameters: &[&(dyn ToSql + Sync)],
) -> Result<Vec<T>, StoreError> {
    let rows = db.query(sql, parameters).await;
    let rows = rows.map_err(error::write_failed)?;
    let read = rows.iter().map(T::from_row).collect::<Result<_, _>>();
    read.map_err(StoreError::unknown)
}

impl Database for PostgresStore {
    const LOCKS_ROWS: bool = true;

    async fn rows<T: FromRow + Send + 'static>(
        &self,
        sql: &'static str,
        values: Vec<OwnedValue>,
    ) -> Result<Vec<T>, StoreError> {
        self.readers.query(sql, &OwnedValue::borrow(&values)).await
    }

    async fn change<T: FromRow + Send + 'static>(
        &self,
        sql: &'static str,
        values: Vec<OwnedValue>,
    ) -> Result<Vec<T>, StoreError> {
        let change = move |db: Arc<Session>| async move {
            let values = OwnedValue::borrow(&values);
            let parameters: Vec<_> = values.iter().map(parameter).collect();
            run(&db, sql, &parameters).await
        };
        self.writer.write(change).await
    }

    async fn fan_out(
        &self,
        from: i64,
        to: i64,
        messages: Vec<(i64, NewMessage)>,
        at: i64,
    ) -> Result<usize, StoreError> {
        let fan_out = move |db: Arc<Session>| async move {
            let values = messages
                .iter()
                .map(|(position, message)| -> [Value<'_>; 4] {
                    [
                        (*position).into(),
                        message.id.as_str().into(),
                        message.kind.as_str().into(),
                        message.payload.as_slice().into(),
                    ]
                });
            let arrays = arrays(4, values);
            let mut parameters: Vec<&(dyn ToSql + Sync)> = vec![&at];
            parameters.extend(arrays.iter().map(parameter));
            parameters.extend([parameter(&from), parameter(&to)]);
            run(&db, &FAN_OUT, &parameters).await
        };
        let added: Vec<i64> = self.writer.write(fan_out).await?;
        usize::try_from(added.into_iter().sum::<i64>()).map_err(StoreError::unknown)
    }

    async fn claim(&self, claim: Claim) -> Result<Vec<(Due, EndpointSecret)>, StoreError> {
        let values = vec![
            claim.now.into(),
            stored_limit(claim.per_endpoint).into(),
            claim.busy.join(",").into(),
            stored_limit(claim.limit).into(),
            claim.lease_until.into(),
            i64::from(claim.failing).into(),
        ];
        self.change(&CLAIM, values).await
    }

    async fn finish(&self, values: Vec<OwnedValue>) -> Result<(), StoreError> {
        self.change::<i64>(&FINISH, values).await.map(drop)
    }
}
