//! The SQL of webhooks for both databases, and the types of its rows. The parameters are numbered in the
//! order in which they appear.

use super::{
    COUNTED_PER_ENDPOINT, Endpoint, EndpointId, EndpointSecret, Missed, REDELIVERED_AT_ONCE,
    WebhookStats,
};
use crate::{
    record::{Column, Record, Statements, column, time},
    row::{AnyRow, FromRow, Unreadable, Value},
};
use openapi_dropshot_webhooks::Due;
use petstore_models::{
    DeliveryStatus, DeliveryTry, EventType, Webhook, WebhookDelivery, WebhookStatus,
};
use std::{convert::Infallible, sync::LazyLock};

/// The greatest number of deliveries that one transaction deletes when their endpoint is deleted.
pub(super) const DELETED_AT_ONCE: usize = 5_000;

/// The locking clause; the index is the value of [`LOCKS_ROWS`](super::Database::LOCKS_ROWS). A statement that has locked deliveries
/// never waits for another locked delivery, so that two statements cannot deadlock.
const LOCKS: [&str; 2] = ["", "FOR UPDATE SKIP LOCKED"];

/// The columns of an [`Endpoint`].
const COLUMNS: &str = "id, key_id, url, types, description, status, reason, generation, previous_until, master_id, created_at, updated_at, failing_since, missed_since, missed_position, from_position";

/// The columns of a [`Due`] with its [`EndpointSecret`], from both tables.
pub(crate) const DUE_COLUMNS: &str = "webhook_deliveries.id, webhook_endpoints.id, url, message_id, payload, tries, failing_since, generation, previous_until, master_id";

/// The condition that an endpoint gets deliveries at the time of this parameter.
pub(crate) fn is_live(now: &str) -> String {
    format!(
        "webhook_endpoints.status = 'enabled' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > {now})"
    )
}

/// The statement that inserts the deliveries of the messages in the table expression `message`, at the time `$1`.
pub(crate) fn fan_out_sql(message: &str, lock: &str) -> String {
    let is_live = is_live("$1");
    format!(
        "INSERT INTO webhook_deliveries (created_at, due_at, endpoint_id, message_id, type, payload, status, tries)
         SELECT $1, $1, webhook_endpoints.id, message.message_id, message.type, message.payload, 'waiting', 0
         FROM {message}
         JOIN webhook_endpoints ON from_position < message.position
             AND (types = '' OR types <> replace(types, ',' || message.type || ',', ''))
         JOIN api_keys ON api_keys.id = webhook_endpoints.key_id
         WHERE {is_live} ORDER BY message.position {lock}"
    )
}

/// The number of the parameters of [`notify_sql`] that [`finish_delivery_sql`] uses: the first ones.
pub(crate) const FINISH_DELIVERY_VALUES: usize = 10;
/// The number of these parameters that [`finish_endpoint_sql`] uses: the first ones.
pub(crate) const FINISH_ENDPOINT_VALUES: usize = 11;

/// The statement that stores the result of sending a delivery. `p` is the character before the number of a parameter.
pub(crate) fn finish_delivery_sql(p: char) -> String {
    format!(
        "UPDATE webhook_deliveries SET status = {p}5, tries = tries + 1, due_at = {p}6,
             last_at = {p}7, last_status = {p}8, last_failure = {p}9, last_millis = {p}10
         WHERE id = {p}3 AND endpoint_id = {p}1 AND status = 'waiting' AND due_at = {p}4"
    )
}

/// The condition under which the result of sending a delivery changes its endpoint.
pub(crate) fn finish_endpoint_condition(p: char) -> String {
    format!(
        "id = {p}1 AND status = 'enabled' AND CASE CAST({p}2 AS bigint)
             WHEN 1 THEN failing_since IS NULL OR CAST({p}11 AS text) IS NOT NULL
             ELSE failing_since IS NOT NULL END"
    )
}

/// The beginning of the statement that stores the result of sending a delivery in its endpoint.
pub(crate) fn finish_endpoint_sql(p: char) -> String {
    let is_kept = format!("CAST({p}11 AS text) IS NULL");
    let missed = missed(&format!("NOT ({is_kept})"), &format!("{p}7"));
    format!(
        "UPDATE webhook_endpoints SET
             failing_since = CASE CAST({p}2 AS bigint) WHEN 1 THEN coalesce(failing_since, {p}7) END,
             status = CASE WHEN {is_kept} THEN status ELSE 'disabled' END,
             reason = coalesce({p}11, reason), {missed},
             updated_at = CASE WHEN {is_kept} THEN updated_at ELSE {p}7 END"
    )
}

/// The statement that, if an endpoint was disabled, adds a delivery for each other endpoint of its key. `changed` is the table expression
/// `changed`, which contains the endpoint.
pub(crate) fn notify_sql(p: char, changed: &str) -> String {
    format!(
        "INSERT INTO webhook_deliveries (endpoint_id, message_id, type, payload, created_at, status, tries, due_at)
         SELECT other.id, {p}12, {p}13, {p}14, {p}7, 'waiting', 0, {p}7
         FROM {changed} JOIN webhook_endpoints AS other
             ON other.key_id = changed.key_id AND other.id <> changed.id AND other.status = 'enabled'
         WHERE changed.id = {p}1 AND CAST({p}11 AS text) IS NOT NULL"
    )
}

/// The assignments that store from where an endpoint misses events, if it is enabled and no longer will be.
fn missed(stops: &str, now: &str) -> String {
    format!(
        "missed_position = CASE WHEN {stops} THEN coalesce(missed_position, (SELECT position FROM webhook_feed)) ELSE missed_position END,
             missed_since = CASE WHEN {stops} THEN coalesce(missed_since, {now}) ELSE missed_since END"
    )
}

/// The statements that change the selected deliveries, and return their ids. Their index is that of [`LOCKS`].
fn change_chosen(change: &str, selection: &str) -> [String; 2] {
    LOCKS.map(|lock| {
        format!(
            "WITH chosen AS MATERIALIZED (SELECT id FROM webhook_deliveries {selection} {lock})
             {change} WHERE id IN (SELECT id FROM chosen) RETURNING id"
        )
    })
}

/// The newest position of the feed, even if all its events were deleted.
const NEWEST: &str =
    "coalesce((SELECT max(position) FROM events), (SELECT pruned FROM event_feed))";

pub(super) static CREATE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "INSERT INTO webhook_endpoints (id, key_id, slot, url, types, description, status, generation, master_id, created_at, updated_at, from_position)
         SELECT $1, $2, slot, $3, $4, $5, 'pending', 1, $6, $7, $7, 0
         FROM (
             SELECT min(slot) + 1 AS slot FROM (
                 SELECT 0 AS slot UNION ALL SELECT slot FROM webhook_endpoints WHERE key_id = $2
             ) AS used
             WHERE slot + 1 NOT IN (SELECT slot FROM webhook_endpoints WHERE key_id = $2)
         ) AS free
         WHERE (SELECT count(*) FROM webhook_endpoints WHERE key_id = $2) < $8
         ON CONFLICT (key_id, slot) DO NOTHING RETURNING {COLUMNS}"
    )
});
pub(super) const COUNT: &str = "SELECT count(*) FROM webhook_endpoints WHERE key_id = $1";
pub(super) static ALL: LazyLock<String> =
    LazyLock::new(|| format!("SELECT {COLUMNS} FROM webhook_endpoints ORDER BY created_at, id"));
pub(super) static OF_KEY: LazyLock<String> = LazyLock::new(|| {
    format!("SELECT {COLUMNS} FROM webhook_endpoints WHERE key_id = $1 ORDER BY created_at, id")
});
pub(super) static GET: LazyLock<String> = LazyLock::new(|| {
    format!("SELECT {COLUMNS} FROM webhook_endpoints WHERE id = $1 AND key_id = $2")
});
pub(super) static UPDATE: LazyLock<String> = LazyLock::new(|| {
    let missed = missed("$1 <> url AND status = 'enabled'", "$4");
    format!(
        "UPDATE webhook_endpoints SET
             status = CASE WHEN $1 <> url THEN 'pending' ELSE status END,
             reason = CASE WHEN $1 <> url THEN NULL ELSE reason END,
             failing_since = CASE WHEN $1 <> url THEN NULL ELSE failing_since END,
             url = coalesce($1, url), types = coalesce($2, types), description = coalesce($3, description),
             {missed}, updated_at = $4
         WHERE id = $5 AND key_id = $6 RETURNING {COLUMNS}"
    )
});
pub(super) static ENABLE: LazyLock<String> = LazyLock::new(|| {
    let is_as_seen = "url = $1 AND updated_at = $2";
    format!(
        "UPDATE webhook_endpoints SET
             status = CASE WHEN {is_as_seen} THEN 'enabled' ELSE status END,
             reason = CASE WHEN {is_as_seen} THEN NULL ELSE reason END,
             updated_at = CASE WHEN {is_as_seen} THEN $3 ELSE updated_at END,
             failing_since = CASE WHEN {is_as_seen} AND status <> 'enabled' THEN NULL ELSE failing_since END,
             from_position = CASE WHEN {is_as_seen} AND status <> 'enabled' THEN {NEWEST} ELSE from_position END
         WHERE id = $4 AND key_id = $5 RETURNING {COLUMNS}"
    )
});
pub(super) static DISABLE: LazyLock<String> = LazyLock::new(|| {
    let missed = missed("status = 'enabled'", "$1");
    format!(
        "UPDATE webhook_endpoints SET
             status = CASE WHEN status = 'enabled' THEN 'disabled' ELSE status END,
             reason = CASE WHEN status = 'enabled' THEN 'owner' ELSE reason END, {missed},
             updated_at = CASE WHEN status = 'enabled' THEN $1 ELSE updated_at END
         WHERE id = $2 AND key_id = $3 RETURNING {COLUMNS}"
    )
});
pub(super) static CATCH_UP: LazyLock<String> = LazyLock::new(|| {
    let is_over = "missed_position IS NULL OR $1 >= from_position";
    format!(
        "UPDATE webhook_endpoints SET
             missed_position = CASE WHEN {is_over} THEN NULL WHEN missed_position > $1 THEN missed_position ELSE $1 END,
             missed_since = CASE WHEN {is_over} THEN NULL ELSE missed_since END, updated_at = $2
         WHERE id = $3 AND key_id = $4 RETURNING {COLUMNS}"
    )
});
pub(super) static ROTATE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "UPDATE webhook_endpoints SET generation = generation + 1, previous_until = $1, master_id = $2, updated_at = $3
         WHERE id = $4 AND key_id = $5 RETURNING {COLUMNS}"
    )
});
/// Disables an endpoint before it is deleted, so that it gets no further deliveries.
pub(super) const STOP: &str = "UPDATE webhook_endpoints SET status = 'disabled', reason = 'owner' WHERE id = $1 AND key_id = $2 RETURNING generation";
pub(super) static DELETE_DELIVERIES: LazyLock<[String; 2]> = LazyLock::new(|| {
    let selection = format!("WHERE endpoint_id = $1 LIMIT {DELETED_AT_ONCE}");
    change_chosen("DELETE FROM webhook_deliveries", &selection)
});
/// The database also deletes the remaining deliveries of the endpoint.
pub(super) const DELETE: &str =
    "DELETE FROM webhook_endpoints WHERE id = $1 AND key_id = $2 RETURNING generation";
pub(super) const REDELIVER_ONE: &str =
    "UPDATE webhook_deliveries SET status = 'waiting', tries = 0, due_at = $1
    WHERE id = $2 AND endpoint_id = $3 RETURNING id";
pub(super) static REDELIVER_SINCE: LazyLock<[String; 2]> = LazyLock::new(|| {
    let selection = format!(
        "WHERE endpoint_id = $1 AND status = 'given_up' AND created_at >= $2 AND created_at < $3
         ORDER BY id LIMIT {REDELIVERED_AT_ONCE}"
    );
    let change = "UPDATE webhook_deliveries SET status = 'waiting', tries = 0, due_at = $4";
    change_chosen(change, &selection)
});
pub(super) const POSITION: &str = "SELECT position FROM webhook_feed";
pub(super) const ADD_ONE: &str =
    "INSERT INTO webhook_deliveries (endpoint_id, message_id, type, payload, created_at, status, tries, due_at)
    SELECT id, $1, $2, $3, $4, 'waiting', 0, $4 FROM webhook_endpoints WHERE id = $5 RETURNING id";
pub(super) static FORGET: LazyLock<[String; 2]> = LazyLock::new(|| {
    let selection = "WHERE due_at < $1 ORDER BY due_at LIMIT $2";
    change_chosen("DELETE FROM webhook_deliveries", selection)
});
/// Has a subquery for each endpoint, so that only entries of an index are read.
pub(super) static STATS: LazyLock<String> = LazyLock::new(|| {
    let waiting = format!(
        "(SELECT count(*) FROM (
             SELECT 1 FROM webhook_deliveries
             WHERE endpoint_id = webhook_endpoints.id AND webhook_deliveries.status = 'waiting' LIMIT {COUNTED_PER_ENDPOINT}
         ) AS counted)"
    );
    let is_live = "webhook_endpoints.status = 'enabled' AND revoked_at IS NULL";
    format!(
        "SELECT CAST(coalesce(sum(CASE WHEN {is_live} THEN {waiting} END), 0) AS bigint),
             min(CASE WHEN {is_live} THEN (
                 SELECT min(due_at) FROM webhook_deliveries
                 WHERE endpoint_id = webhook_endpoints.id AND webhook_deliveries.status = 'waiting'
             ) END),
             count(CASE WHEN status = 'disabled' AND reason <> 'owner' THEN 1 END)
         FROM webhook_endpoints LEFT JOIN api_keys ON api_keys.id = webhook_endpoints.key_id"
    )
});

/// Reads a number in the range of this type.
fn number<R: AnyRow, T: TryFrom<i64>>(row: &R, column: usize) -> Result<T, Unreadable> {
    let stored = row.integer(column)?;
    let too_large = |_| Unreadable::Type(stored.to_string(), "a smaller number");
    stored.try_into().map_err(too_large)
}

/// A row with one number.
impl FromRow for i64 {
    fn from_row<R: AnyRow>(row: &R) -> Result<Self, Unreadable> {
        row.integer(0)
    }
}

/// A row with one text.
impl FromRow for String {
    fn from_row<R: AnyRow>(row: &R) -> Result<Self, Unreadable> {
        row.text(0)
    }
}

impl EndpointSecret {
    fn from_columns<R: AnyRow>(row: &R, first: usize) -> Result<Self, Unreadable> {
        Ok(EndpointSecret {
            generation: number(row, first)?,
            previous_until: row.optional(first + 1, R::time)?,
            master_id: row.text(first + 2)?,
        })
    }
}

impl FromRow for Endpoint {
    fn from_row<R: AnyRow>(row: &R) -> Result<Self, Unreadable> {
        let names = row.str(3)?.split(',').filter(|name| !name.is_empty());
        let kind = |name: &str| name.parse().map_err(|_| Unreadable::Word(name.to_owned()));
        let types: Vec<EventType> = names.map(kind).collect::<Result<_, _>>()?;
        let types = Some(types).filter(|types| !types.is_empty());
        let time = |row: &R, column: usize| time(row.integer(column)?);
        let (id, status): (EndpointId, _) = (row.parsed(0)?, row.parsed(5)?);
        let (since, to) = (row.optional(13, time)?, row.integer(15)?);
        let missed = row.optional(14, R::integer)?;
        let missed = missed.map(|after| Missed { after, to });
        let missed = missed.filter(|missed| status != WebhookStatus::Enabled || missed.after < to);
        Ok(Endpoint {
            id,
            key: row.parsed(1)?,
            webhook: Webhook {
                url: row.parsed(2)?,
                types: types
                    .map(TryInto::try_into)
                    .transpose()
                    .map_err(Unreadable::column)?,
                description: row.optional_parsed(4)?,
                id: id.to_string(),
                status,
                disabled_reason: row.optional(6, R::text)?,
                created_at: time(row, 10)?,
                updated_at: time(row, 11)?,
                failing_since: row.optional(12, time)?,
                missed_since: since.filter(|_| missed.is_some()),
            },
            secret: EndpointSecret::from_columns(row, 7)?,
            missed,
        })
    }
}

/// Used only for the statements of pages: other statements insert deliveries.
impl Record for WebhookDelivery {
    const TABLE: &'static str = "webhook_deliveries";
    const COLUMNS: &'static [Column] = &[
        column("message_id", "text"),
        column("type", "text"),
        column("created_at", "bigint"),
        column("status", "text"),
        column("tries", "bigint"),
        column("due_at", "bigint"),
        column("last_at", "bigint"),
        column("last_status", "bigint"),
        column("last_failure", "text"),
        column("last_millis", "bigint"),
    ];
    const NEWEST_FIRST: bool = true;
    const FILTERS: &'static [&'static [&'static str]] =
        &[&["endpoint_id ="], &["endpoint_id =", "status ="]];

    type New = Infallible;

    fn values(new: &Infallible) -> Vec<Value<'_>> {
        match *new {}
    }

    fn statements() -> &'static Statements {
        static STATEMENTS: LazyLock<Statements> = LazyLock::new(Statements::new::<WebhookDelivery>);
        &STATEMENTS
    }
}

impl FromRow for WebhookDelivery {
    fn from_row<R: AnyRow>(row: &R) -> Result<Self, Unreadable> {
        let (status, tries) = (row.parsed(4)?, number(row, 5)?);
        let is_tried_again = status == DeliveryStatus::Waiting && tries > 0;
        let attempt = |row: &R, column| {
            Ok(DeliveryTry {
                at: time(row.integer(column)?)?,
                http_status: row.optional(column + 1, number)?,
                failure: row.optional(column + 2, R::text)?,
                milliseconds: row.integer(column + 3)?,
            })
        };
        Ok(WebhookDelivery {
            id: row.integer(0)?,
            message_id: row.text(1)?,
            type_: row.text(2)?,
            created_at: time(row.integer(3)?)?,
            status,
            tries,
            next_try_at: is_tried_again.then(|| time(row.integer(6)?)).transpose()?,
            last_try: row.optional(7, attempt)?,
        })
    }
}

/// A row of [`DUE_COLUMNS`].
impl FromRow for (Due, EndpointSecret) {
    fn from_row<R: AnyRow>(row: &R) -> Result<Self, Unreadable> {
        let due = Due {
            id: row.integer(0)?,
            endpoint: row.text(1)?,
            url: row.text(2)?,
            message_id: row.text(3)?,
            payload: row.bytes(4)?.to_owned().into(),
            secrets: Vec::new(),
            tries: number(row, 5)?,
            failing_since: row.optional(6, R::time)?,
        };
        Ok((due, EndpointSecret::from_columns(row, 7)?))
    }
}

impl FromRow for WebhookStats {
    fn from_row<R: AnyRow>(row: &R) -> Result<Self, Unreadable> {
        Ok(WebhookStats {
            waiting: row.integer(0)?,
            oldest_due: row.optional(1, R::time)?,
            disabled: row.integer(2)?,
        })
    }
}
