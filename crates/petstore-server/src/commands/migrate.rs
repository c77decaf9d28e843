//! Command `migrate`: upgrades a store to the schema of this version without starting the service, or
//! prints what the upgrade would do. `serve` does the same upgrade at its start.

use super::{begin, open_existing, open_store, print};
use anyhow::{Context as _, bail};
use openapi_dropshot_server::program;
use petstore_server::config::CommandSettings;
use petstore_store::{
    DatabaseUrl, MigrationPlan, OpenError, OpenProblem, migration_plan, schema_version,
};
use std::time::Duration;

/// How long the upgrade is retried while other transactions use the tables. `serve` has the same
/// default.
const PATIENCE: Duration = Duration::from_mins(5);

pub(crate) async fn run(settings: CommandSettings, create: bool) -> anyhow::Result<()> {
    let url = database(&settings)?;
    let from = schema_version(&url).await?;
    let open = async || match create {
        true => open_store(&url).await,
        false => open_existing(&url).await,
    };
    let store = program::retry(open, is_busy, PATIENCE).await?;
    let closed = store.close().await;
    closed.context("the store was not closed correctly")?;
    let to = schema_version(&url).await?;
    print(&match from {
        0 => format!("`{url}` is a new store, of schema version {to}\n"),
        _ if from == to => format!("`{url}` already has schema version {to}\n"),
        _ => format!("`{url}` was upgraded from schema version {from} to {to}\n"),
    })
}

/// Whether the PostgreSQL server was busy or ended the connection. Other errors, such as a wrong
/// address, are reported at once.
fn is_busy(error: &anyhow::Error) -> bool {
    let error = error.downcast_ref::<OpenError>();
    error.is_some_and(|error| matches!(error.problem, OpenProblem::Interrupted(_)))
}

/// Prints the steps of the upgrade without changing anything.
pub(crate) async fn plan(settings: CommandSettings) -> anyhow::Result<()> {
    let url = database(&settings)?;
    let plan = migration_plan(&url).await?;
    print(&text(&url, &plan))
}

fn database(settings: &CommandSettings) -> anyhow::Result<DatabaseUrl> {
    let url = begin(settings)?;
    if url == DatabaseUrl::SqliteMemory {
        bail!("`{url}` is a new store in each process; name a database with `--database`");
    }
    Ok(url)
}

fn text(url: &DatabaseUrl, plan: &MigrationPlan) -> String {
    let MigrationPlan {
        from,
        to,
        steps,
        estimate,
    } = plan;
    if steps.is_empty() {
        return format!("`{url}` has schema version {to}; there is nothing to upgrade\n");
    }
    if *from == 0 {
        return format!("`{url}` has no store; `serve` would create one, of schema version {to}\n");
    }
    let lines: String = (1..)
        .zip(steps)
        .map(|(number, step)| format!("  step {number} of {}: {step}\n", steps.len()))
        .collect();
    let takes = match estimate.as_secs() {
        0 => "less than a second".to_owned(),
        seconds @ 1..120 => format!("about {seconds} s"),
        seconds => format!("about {} min", seconds.div_ceil(60)),
    };
    let wait = match url {
        DatabaseUrl::Postgres(_) => {
            "\nThe upgrade waits for other transactions that use the tables, such as that of `pg_dump`: it tries for one second, then lets the requests of running servers continue for two seconds, and repeats this for up to 5 minutes."
        }
        _ => "\nDuring the upgrade, writes wait, and a running service rejects them with 503.",
    };
    format!(
        "`{url}` would be upgraded from schema version {from} to {to}:\n{lines}It would take {takes}, and earlier versions of the service reject the store afterwards; make a backup first.{wait}\nNothing was changed.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_estimate_of_a_long_upgrade_is_in_minutes() {
        let url = "sqlite:a.db".parse().expect("a file");
        let plan = |seconds| MigrationPlan {
            from: 4,
            to: 6,
            steps: vec!["one thing", "another"],
            estimate: Duration::from_secs(seconds),
        };
        assert!(text(&url, &plan(0)).contains("take less than a second,"));
        assert!(text(&url, &plan(90)).contains("take about 90 s,"));
        let long = text(&url, &plan(601));
        assert!(long.contains("take about 11 min,"), "{long}");
        assert!(long.contains("  step 2 of 2: another\n"), "{long}");
    }
}
