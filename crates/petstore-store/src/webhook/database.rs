//! The part of a store for webhooks. It is the same for both databases, except for the methods of [`Database`].

use super::{
    DeliveryPage, DeliveryQuery, Endpoint, EndpointChange, EndpointId, EndpointSecret, NewEndpoint,
    NewMessage, Redeliver, WebhookStats, WebhookStore,
    sql::{self, DELETED_AT_ONCE},
};
use crate::{
    KeyId, StoreError,
    record::{Record as _, split_page, stored_limit},
    row::{FromRow, OwnedValue, Unreadable},
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use openapi_dropshot_webhooks::{Claim, Due, Finished, Next};
use petstore_models::{DeliveryStatus, EventType, WebhookDelivery};

/// The number of attempts to create an endpoint if other calls take its slot at the same time.
const SLOT_ATTEMPTS: usize = 100;

/// The parts that differ between the two databases.
pub(crate) trait Database: Send + Sync {
    /// Whether statements lock rows, and skip rows that another transaction has locked.
    const LOCKS_ROWS: bool;

    /// Returns the rows of a statement that only reads.
    fn rows<T: FromRow + Send + 'static>(
        &self,
        sql: &'static str,
        values: Vec<OwnedValue>,
    ) -> impl Future<Output = Result<Vec<T>, StoreError>> + Send;

    /// Runs a statement that writes in its own transaction, and returns its rows.
    fn change<T: FromRow + Send + 'static>(
        &self,
        sql: &'static str,
        values: Vec<OwnedValue>,
    ) -> impl Future<Output = Result<Vec<T>, StoreError>> + Send;

    /// Implements [`WebhookStore::add_deliveries`].
    fn fan_out(
        &self,
        from: i64,
        to: i64,
        messages: Vec<(i64, NewMessage)>,
        at: i64,
    ) -> impl Future<Output = Result<usize, StoreError>> + Send;

    /// Implements [`WebhookStore::claim_deliveries`]; the result may have any order.
    fn claim(
        &self,
        claim: Claim,
    ) -> impl Future<Output = Result<Vec<(Due, EndpointSecret)>, StoreError>> + Send;

    /// Runs [`finish_delivery_sql`](super::finish_delivery_sql) and, each only if the statement before it changed a row,
    /// [`finish_endpoint_sql`](super::finish_endpoint_sql) and [`notify_sql`](super::notify_sql), in one transaction.
    fn finish(
        &self,
        values: Vec<OwnedValue>,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;
}

#[async_trait]
impl<D: Database> WebhookStore for D {
    async fn create_endpoint(
        &self,
        endpoint: NewEndpoint,
        most: usize,
    ) -> Result<Option<Endpoint>, StoreError> {
        let (key, most) = (endpoint.key, stored_limit(most));
        let values = [
            endpoint.id.as_str().into(),
            key.as_str().into(),
            endpoint.url.into(),
            stored_types(&endpoint.types).into(),
            endpoint.description.into(),
            endpoint.master_id.into(),
            endpoint.at.into(),
            most.into(),
        ];
        for _ in 0..SLOT_ATTEMPTS {
            let created = self.change(&sql::CREATE, values.to_vec()).await?.pop();
            if created.is_some() {
                return Ok(created);
            }
            let count = self.rows(sql::COUNT, vec![key.as_str().into()]).await?;
            if count.first().is_none_or(|count: &i64| *count >= most) {
                return Ok(None);
            }
        }
        Err(StoreError::Overloaded)
    }

    async fn list_endpoints(&self, key: Option<KeyId>) -> Result<Vec<Endpoint>, StoreError> {
        match key {
            Some(key) => self.rows(&sql::OF_KEY, vec![key.as_str().into()]).await,
            None => self.rows(&sql::ALL, Vec::new()).await,
        }
    }

    async fn endpoint(&self, key: KeyId, id: EndpointId) -> Result<Option<Endpoint>, StoreError> {
        Ok(self.rows(&sql::GET, own(id, key)).await?.pop())
    }

    async fn change_endpoint(
        &self,
        key: KeyId,
        id: EndpointId,
        change: EndpointChange,
        at: DateTime<Utc>,
    ) -> Result<Option<Endpoint>, StoreError> {
        let (statement, mut values) = match change {
            EndpointChange::Update {
                url,
                types,
                description,
            } => {
                let types = types.map(|types| stored_types(&types));
                let values = vec![url.into(), types.into(), description.into()];
                (&sql::UPDATE, values)
            }
            EndpointChange::Enable { url, seen } => (&sql::ENABLE, vec![url.into(), seen.into()]),
            EndpointChange::Disable => (&sql::DISABLE, Vec::new()),
            EndpointChange::CatchUp(to) => (&sql::CATCH_UP, vec![to.into()]),
            EndpointChange::Rotate {
                previous_until,
                master_id,
            } => (&sql::ROTATE, vec![previous_until.into(), master_id.into()]),
        };
        values.push(at.into());
        values.extend(own(id, key));
        Ok(self.change(statement, values).await?.pop())
    }

    async fn delete_endpoint(&self, key: KeyId, id: EndpointId) -> Result<bool, StoreError> {
        if count(self, sql::STOP, own(id, key)).await? == 0 {
            return Ok(false);
        }
        let delete = &sql::DELETE_DELIVERIES[usize::from(D::LOCKS_ROWS)];
        while count(self, delete, vec![id.as_str().into()]).await? == DELETED_AT_ONCE {}
        Ok(count(self, sql::DELETE, own(id, key)).await? > 0)
    }

    async fn list_deliveries(&self, query: DeliveryQuery) -> Result<DeliveryPage, StoreError> {
        let statements = WebhookDelivery::statements();
        let pages = [&statements.pages, &statements.pages_on_postgres][usize::from(D::LOCKS_ROWS)];
        let statement = &pages[usize::from(query.status.is_some())];
        let mut values = vec![query.endpoint.as_str().into()];
        values.extend(query.status.map(|status| status.as_str().into()));
        // No delivery has the greatest possible id. One row more than the page needs shows whether more rows follow.
        values.push(query.before.unwrap_or(i64::MAX).into());
        values.push(stored_limit(query.limit).saturating_add(1).into());
        let (deliveries, more) = split_page(self.rows(statement, values).await?, query.limit);
        Ok(DeliveryPage { deliveries, more })
    }

    async fn redeliver(
        &self,
        endpoint: EndpointId,
        which: Redeliver,
        at: DateTime<Utc>,
    ) -> Result<usize, StoreError> {
        let endpoint = OwnedValue::from(endpoint.as_str());
        let (statement, values) = match which {
            Redeliver::One(id) => (sql::REDELIVER_ONE, vec![at.into(), id.into(), endpoint]),
            Redeliver::Since { since, until } => (
                sql::REDELIVER_SINCE[usize::from(D::LOCKS_ROWS)].as_str(),
                vec![endpoint, since.into(), until.into(), at.into()],
            ),
        };
        count(self, statement, values).await
    }

    async fn webhook_position(&self) -> Result<i64, StoreError> {
        let Some(position) = self.rows(sql::POSITION, Vec::new()).await?.pop() else {
            let no_feed = Unreadable::Type("no row".to_owned(), "the position of the webhooks");
            return Err(StoreError::corrupt(no_feed));
        };
        Ok(position)
    }

    async fn add_deliveries(
        &self,
        from: i64,
        to: i64,
        messages: Vec<(i64, NewMessage)>,
        at: DateTime<Utc>,
    ) -> Result<usize, StoreError> {
        self.fan_out(from, to, messages, at.timestamp_micros())
            .await
    }

    async fn add_delivery(
        &self,
        endpoint: EndpointId,
        message: NewMessage,
        at: DateTime<Utc>,
    ) -> Result<Option<i64>, StoreError> {
        let values = vec![
            message.id.into(),
            message.kind.into(),
            message.payload.into(),
            at.into(),
            endpoint.as_str().into(),
        ];
        Ok(self.change(sql::ADD_ONE, values).await?.pop())
    }

    async fn claim_deliveries(
        &self,
        claim: Claim,
    ) -> Result<Vec<(Due, EndpointSecret)>, StoreError> {
        let mut claimed = self.claim(claim).await?;
        claimed.sort_by_key(|(due, _)| due.id);
        Ok(claimed)
    }

    async fn finish_delivery(
        &self,
        finished: Finished,
        notice: Option<NewMessage>,
    ) -> Result<(), StoreError> {
        let (state, due_at) = match finished.next {
            Next::Delivered => (DeliveryStatus::Delivered, finished.at),
            Next::RetryAt(time) => (DeliveryStatus::Waiting, time),
            Next::GivenUp => (DeliveryStatus::GivenUp, finished.at),
        };
        let sent = finished.sent;
        let millis = u32::try_from(sent.duration.as_millis()).unwrap_or(u32::MAX);
        let mut values = vec![
            finished.endpoint.into(),
            i64::from(state != DeliveryStatus::Delivered).into(),
            finished.id.into(),
            finished.lease_until.into(),
            state.as_str().into(),
            due_at.into(),
            finished.at.into(),
            sent.status.map(i64::from).into(),
            sent.failure.map(|failure| failure.to_string()).into(),
            i64::from(millis).into(),
            finished.disable.map(|reason| reason.to_string()).into(),
        ];
        values.extend(match notice {
            Some(NewMessage { id, kind, payload }) => [id.into(), kind.into(), payload.into()],
            None => [const { OwnedValue::Null }; 3],
        });
        self.finish(values).await
    }

    async fn webhook_stats(&self) -> Result<WebhookStats, StoreError> {
        let found = self.rows(&sql::STATS, Vec::new()).await?.pop();
        Ok(found.unwrap_or_default())
    }

    async fn forget_deliveries(
        &self,
        before: DateTime<Utc>,
        limit: usize,
    ) -> Result<usize, StoreError> {
        let statement = &sql::FORGET[usize::from(D::LOCKS_ROWS)];
        let values = vec![before.into(), stored_limit(limit).into()];
        count(self, statement, values).await
    }
}

/// Runs a statement that writes, and returns the number of its rows.
async fn count<D: Database>(
    db: &D,
    sql: &'static str,
    values: Vec<OwnedValue>,
) -> Result<usize, StoreError> {
    Ok(db.change::<i64>(sql, values).await?.len())
}

/// The parameters of a statement for an endpoint of a key.
fn own(id: EndpointId, key: KeyId) -> Vec<OwnedValue> {
    vec![id.as_str().into(), key.as_str().into()]
}

/// The stored form of types: each type has a comma before and after it; an empty text means all types.
fn stored_types(types: &[EventType]) -> String {
    let names: String = types.iter().flat_map(|kind| [",", kind.as_str()]).collect();
    match names.is_empty() {
        true => names,
        false => names + ",",
    }
}
