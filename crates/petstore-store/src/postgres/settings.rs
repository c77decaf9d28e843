//! Sets the settings of a connection, and checks those of the server that decide whether a
//! commit is durable.

use super::error::Fault;
use tokio_postgres::{Client, Error, SimpleQueryMessage, SimpleQueryRow};

/// The process of the server that serves a connection, with its start: another server, after a
/// failover, may use the same number.
#[derive(Default)]
pub(super) struct Backend {
    pub(super) id: String,
    pub(super) started: String,
}

/// Settings of the role or the database could make a wrong result out of a right one: without
/// warnings nobody would learn that a commit was cancelled. Returns the process that serves
/// the connection, and the setting that makes the server unsuitable.
pub(super) async fn set_up(db: &Client, limits: &str) -> Result<(Backend, Option<Fault>), Error> {
    let sql = format!(
        "SET client_min_messages = warning;
         SET default_transaction_isolation = 'read committed';
         {limits}
         SELECT current_setting('fsync'), set_config('synchronous_commit', current_setting('synchronous_commit'), false),
             pid, {STARTED} FROM pg_stat_activity WHERE pid = pg_backend_pid()"
    );
    // The present values are set for the session, so that a server that is
    // reloaded with less does not lessen it for connections that are open.
    let found = db.simple_query(&sql).await?;
    let row = row_of(&found);
    let text = |column| row.and_then(|row| row.get(column)).unwrap_or_default();
    let backend = Backend {
        id: text(2).to_owned(),
        started: text(3).to_owned(),
    };
    Ok((backend, lacking(row)))
}

/// When a process of the server began, as a text that does not depend on the settings.
pub(super) const STARTED: &str = "extract(epoch FROM backend_start)::text";

/// Checks again the settings that [`set_up`] has checked, as the server has them now.
pub(super) async fn check(db: &Client) -> Result<Option<Fault>, Error> {
    let sql = "SELECT (SELECT reset_val FROM pg_settings WHERE name = 'fsync'),
         (SELECT reset_val FROM pg_settings WHERE name = 'synchronous_commit')";
    let found = db.simple_query(sql).await?;
    Ok(lacking(row_of(&found)))
}

/// The last row of the result.
pub(super) fn row_of(found: &[SimpleQueryMessage]) -> Option<&SimpleQueryRow> {
    found.iter().rev().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => Some(row),
        _ => None,
    })
}

/// Returns the setting that allows lost writes, if there is one; the first two columns of the
/// row are the two settings. `remote_write` and `local` are weaker than `on`: if the server has
/// a standby, a write that was completed could be missing on it.
fn lacking(row: Option<&SimpleQueryRow>) -> Option<Fault> {
    let enough: [(&'static str, &[&str]); 2] = [
        ("fsync", &["on"]),
        ("synchronous_commit", &["on", "remote_apply"]),
    ];
    enough
        .into_iter()
        .enumerate()
        .find_map(|(column, (setting, enough))| {
            let value = row.and_then(|row| row.get(column)).unwrap_or_default();
            (!enough.contains(&value)).then(|| Fault::NotDurable {
                setting,
                value: value.to_owned(),
            })
        })
}
