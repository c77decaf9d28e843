//! A connection that writes, with its prepared statements.

use super::{idempotency, orders::OrderWrites, pets, session::Session};
use tokio_postgres::{Error, Statement};

pub(super) struct Writes {
    pub(super) session: Session,
    pub(super) insert: Statement,
    pub(super) insert_once: Statement,
    pub(super) orders: OrderWrites,
}

impl Writes {
    pub(super) async fn prepare(session: Session) -> Result<Self, Error> {
        let db = session.client();
        let (insert, insert_once, orders) = tokio::try_join!(
            pets::prepare_insert(db),
            idempotency::prepare_insert(db),
            OrderWrites::prepare(db)
        )?;
        Ok(Self {
            session,
            insert,
            insert_once,
            orders,
        })
    }
}
