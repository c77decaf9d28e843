//! The SQL of webhooks that only SQLite uses. Each batch holds the write lock, so no statement locks rows.

use super::{
    SqliteStore,
    records::{all, execute},
};
use crate::{
    StoreError,
    record::stored_limit,
    row::{FromRow, OwnedValue},
    webhook::{
        DUE_COLUMNS, Database, EndpointSecret, FINISH_DELIVERY_VALUES, FINISH_ENDPOINT_VALUES,
        NewMessage, fan_out_sql, finish_delivery_sql, finish_endpoint_condition,
        finish_endpoint_sql, is_live, notify_sql,
    },
};
use openapi_dropshot_webhooks::{Claim, Due};
use rusqlite::Connection;
use std::sync::LazyLock;

const ADVANCE: &str = "UPDATE webhook_feed SET position = $1 WHERE position = $2";
static FAN_OUT: LazyLock<String> = LazyLock::new(|| {
    let message = "(SELECT $2 AS position, $3 AS message_id, $4 AS type, $5 AS payload) AS message";
    fan_out_sql(message, "")
});
/// The endpoints with due deliveries that are failing, or are not. The endpoint with the oldest due delivery comes first.
static DUE_ENDPOINTS: LazyLock<String> = LazyLock::new(|| {
    let is_live = is_live("$1");
    format!(
        "SELECT webhook_endpoints.id, (
             SELECT min(due_at) FROM webhook_deliveries
             WHERE endpoint_id = webhook_endpoints.id AND webhook_deliveries.status = 'waiting'
         ) AS first_due
         FROM webhook_endpoints JOIN api_keys ON api_keys.id = webhook_endpoints.key_id
         WHERE {is_live} AND first_due <= $1 AND (failing_since IS NOT NULL) = $2 ORDER BY first_due"
    )
});
static DUE_OF_ENDPOINT: LazyLock<String> = LazyLock::new(|| {
    format!(
        "SELECT {DUE_COLUMNS}
         FROM webhook_deliveries JOIN webhook_endpoints ON webhook_endpoints.id = endpoint_id
         WHERE endpoint_id = $1 AND webhook_deliveries.status = 'waiting' AND due_at <= $2
         ORDER BY due_at LIMIT $3"
    )
});
const LEASE: &str = "UPDATE webhook_deliveries SET due_at = $1 WHERE id = $2";
static FINISH_DELIVERY: LazyLock<String> = LazyLock::new(|| finish_delivery_sql('?'));
static FINISH_ENDPOINT: LazyLock<String> = LazyLock::new(|| {
    let (update, condition) = (finish_endpoint_sql('?'), finish_endpoint_condition('?'));
    format!("{update} WHERE {condition}")
});
static NOTIFY: LazyLock<String> = LazyLock::new(|| notify_sql('?', "webhook_endpoints AS changed"));

impl Database for SqliteStore {
    const LOCKS_ROWS: bool = false;

    async fn rows<T: FromRow + Send + 'static>(
        &self,
        sql: &'static str,
        values: Vec<OwnedValue>,
    ) -> Result<Vec<T>, StoreError> {
        let read = move |db: &_| all(db, sql, &OwnedValue::borrow(&values));
        self.readers.read(read).await
    }

    async fn change<T: FromRow + Send + 'static>(
        &self,
        sql: &'static str,
        values: Vec<OwnedValue>,
    ) -> Result<Vec<T>, StoreError> {
        let change = move |db: &_| all(db, sql, &OwnedValue::borrow(&values));
        self.writer.write(change).await
    }

    async fn fan_out(
        &self,
        from: i64,
        to: i64,
        messages: Vec<(i64, NewMessage)>,
        at: i64,
    ) -> Result<usize, StoreError> {
        let fan_out = move |db: &_| {
            if execute(db, ADVANCE, &[to.into(), from.into()])? == 0 {
                return Ok(0);
            }
            let mut added = 0;
            for (position, message) in &messages {
                let values = [
                    at.into(),
                    (*position).into(),
                    message.id.as_str().into(),
                    message.kind.as_str().into(),
                    message.payload.as_slice().into(),
                ];
                added += execute(db, &FAN_OUT, &values)?;
            }
            Ok(added)
        };
        self.writer.write(fan_out).await
    }

    async fn claim(&self, claim: Claim) -> Result<Vec<(Due, EndpointSecret)>, StoreError> {
        // Checks with a read first: usually nothing is due, and a write needs the lock of the file.
        let asked = claim.clone();
        let due = self.readers.read(move |db| due_endpoints(db, &asked));
        if due.await?.is_empty() {
            return Ok(Vec::new());
        }
        self.writer.write(move |db| self::claim(db, &claim)).await
    }

    async fn finish(&self, values: Vec<OwnedValue>) -> Result<(), StoreError> {
        let finish = move |db: &_| {
            let values = OwnedValue::borrow(&values);
            let finished = execute(db, &FINISH_DELIVERY, &values[..FINISH_DELIVERY_VALUES])?;
            if finished > 0 && execute(db, &FINISH_ENDPOINT, &values[..FINISH_ENDPOINT_VALUES])? > 0
            {
                execute(db, &NOTIFY, &values)?;
            }
            Ok(())
        };
        self.writer.write(finish).await
    }
}

/// The endpoints whose deliveries are claimed.
fn due_endpoints(db: &Connection, claim: &Claim) -> rusqlite::Result<Vec<String>> {
    let (now, failing) = (claim.now.timestamp_micros(), i64::from(claim.failing));
    let mut due: Vec<String> = all(db, &DUE_ENDPOINTS, &[now.into(), failing.into()])?;
    due.retain(|endpoint| !claim.busy.contains(endpoint));
    Ok(due)
}

fn claim(db: &Connection, claim: &Claim) -> rusqlite::Result<Vec<(Due, EndpointSecret)>> {
    let now = claim.now.timestamp_micros();
    let lease = claim.lease_until.timestamp_micros();
    let mut claimed: Vec<(Due, _)> = Vec::new();
    for id in due_endpoints(db, claim)? {
        let most = claim.per_endpoint.min(claim.limit - claimed.len());
        if most == 0 {
            break;
        }
        let values = [id.as_str().into(), now.into(), stored_limit(most).into()];
        claimed.extend(all(db, &DUE_OF_ENDPOINT, &values)?);
    }
    for (due, _) in &claimed {
        execute(db, LEASE, &[lease.into(), due.id.into()])?;
    }
    Ok(claimed)
}
