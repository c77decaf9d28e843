//! Sets the settings of a connection, and checks the settings of the server that determine whether a
//! commit is durable.

use super::error::Fault;
use tokio_postgres::{Client, Error, SimpleQueryMessage, SimpleQueryRow};

/// The server process of a connection, with its start time: after a failover, a process of another
/// server may have the same id.
#[derive(Default)]
pub(super) struct Backend {
    pub(super) id: String,
    pub(super) started: String,
}

/// Sets the settings that the store needs. Without this, settings of the role or the database could
/// make results wrong: for example, without warnings the store would not learn that a commit was
/// cancelled. Returns the server process of the connection, and the setting that makes the server
/// unsuitable, if there is one.
pub(super) async fn set_up(db: &Client, limits: &str) -> Result<(Backend, Option<Fault>), Error> {
    let sql = format!(
        "SET client_min_messages = warning;
         SET default_transaction_isolation = 'read committed';
         {limits}
         SELECT current_setting('fsync'), set_config('synchronous_commit', current_setting('synchronous_commit'), false),
             pid, {STARTED} FROM pg_stat_activity WHERE pid = pg_backend_pid()"
    );
    // The current value of `synchronous_commit` is set for the session, so that open connections
    // keep it if the server reloads a weaker value.
    let found = db.simple_query(&sql).await?;
    let row = row_of(&found);
    let text = |column| row.and_then(|row| row.get(column)).unwrap_or_default();
    let backend = Backend {
        id: text(2).to_owned(),
        started: text(3).to_owned(),
    };
    Ok((backend, lacking(row)))
}

/// The start time of a server process, as a text that does not depend on the settings.
pub(super) const STARTED: &str = "extract(epoch FROM backend_start)::text";

/// Checks the settings that [`set_up`] has checked again, with the current values of the server.
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

/// Returns the setting that allows completed writes to be lost, if there is one. The first two columns
/// of the row are the two settings. `remote_write` and `local` are weaker than `on`: if the server has
/// a standby, a completed write could be missing on the standby.
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
