//! Command `usage`: prints which keys still call a deprecated operation, from the usage counters in
//! the store. A running service writes its counters every few seconds, so the output may not
//! contain the newest calls.

use super::{print, time, with_store};
use crate::cli::UsageFormat;
use chrono::{DateTime, NaiveDate, Utc};
use openapi_dropshot_server::usage_report::UsageReport;
use petstore_server::{OPERATIONS, config::CommandSettings, usage};
use petstore_store::{Store, UsageRecord};

const HEADER: &str = "key\tname\toperation\tcalls\tfirst seen\tlast seen\tremoved on\twhat to do instead\tlast user agent\tdays left\n";

pub(crate) async fn run(settings: CommandSettings, format: UsageFormat) -> anyhow::Result<()> {
    with_store(&settings, async |store| match format {
        UsageFormat::Text => show(store).await,
        UsageFormat::Csv => print(&report(store).await?.to_csv()),
        UsageFormat::Json => print(&report(store).await?.to_json()),
    })
    .await
}

async fn report(store: &dyn Store) -> anyhow::Result<UsageReport> {
    let stored = usage::stored(store, NaiveDate::MIN).await?;
    Ok(UsageReport::new(OPERATIONS, stored, Utc::now()))
}

async fn show(store: &dyn Store) -> anyhow::Result<()> {
    let lines: String = store.usage().await?.iter().map(line).collect();
    print(&format!("{HEADER}{lines}"))
}

/// Returns a line. The columns are separated by tabs, because a name may contain spaces.
fn line(row: &UsageRecord) -> String {
    let UsageRecord {
        key,
        key_name,
        operation,
        calls,
        first_seen,
        last_seen,
        last_user_agent,
    } = row;
    let (first, last) = (time(*first_seen), time(*last_seen));
    let known = OPERATIONS.iter().find(|known| known.name == operation);
    let deprecation = known.and_then(|known| known.deprecation);
    let day = deprecation.and_then(|known| DateTime::from_timestamp(known.sunset, 0));
    // `-` if the contract no longer has the operation.
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let removed = or_none(day.map(|day| day.date_naive().to_string()));
    let instead = deprecation.map_or("-", |known| known.note);
    let agent = last_user_agent.as_deref().unwrap_or("-");
    let left = or_none(day.map(|day| {
        let left = day.date_naive() - Utc::now().date_naive();
        left.num_days().to_string()
    }));
    // New columns are added at the end, so that scripts keep working.
    format!(
        "{key}\t{key_name}\t{operation}\t{calls}\t{first}\t{last}\t{removed}\t{instead}\t{agent}\t{left}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_of_the_usage_output_has_as_many_columns_as_the_header() {
        let row = |operation: &str| UsageRecord {
            key: "k_000000000000".parse().expect("an id"),
            key_name: "the shop's tablet".to_owned(),
            operation: operation.to_owned(),
            calls: 3,
            first_seen: DateTime::UNIX_EPOCH,
            last_seen: DateTime::UNIX_EPOCH,
            last_user_agent: None,
        };
        for operation in OPERATIONS.iter().map(|known| known.name).chain(["gone"]) {
            let columns = line(&row(operation)).split('\t').count();
            assert_eq!(columns, HEADER.split('\t').count());
        }
        assert!(line(&row("gone")).ends_with("\t-\t-\t-\t-\n"));
    }
}
