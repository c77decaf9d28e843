//! Command `usage`: prints which keys still call a deprecated operation, from the
//! usage counters in the store. A running service writes its counters every few
//! seconds, so the newest calls may be missing.

use super::{print, time, with_store};
use chrono::DateTime;
use openapi_dropshot_server::Deprecation;
use petstore_server::{OPERATIONS, config::CommandSettings};
use petstore_store::{Store, UsageRecord};

const HEADER: &str =
    "key\tname\toperation\tcalls\tfirst seen\tlast seen\tremoved on\twhat to do instead\n";

pub(crate) async fn run(settings: CommandSettings) -> anyhow::Result<()> {
    with_store(&settings, show).await
}

async fn show(store: &dyn Store) -> anyhow::Result<()> {
    let lines: String = store.usage().await?.iter().map(line).collect();
    print(&format!("{HEADER}{lines}"))
}

/// Columns with tabs between them, since a name may have spaces.
fn line(row: &UsageRecord) -> String {
    let UsageRecord {
        key,
        key_name,
        operation,
        calls,
        first_seen,
        last_seen,
    } = row;
    let (first, last) = (time(*first_seen), time(*last_seen));
    let (removed, instead) = end_of(operation);
    format!("{key}\t{key_name}\t{operation}\t{calls}\t{first}\t{last}\t{removed}\t{instead}\n")
}

/// The removal date of an operation and its replacement; `-` where the contract has no such
/// operation any more.
fn end_of(operation: &str) -> (String, &'static str) {
    let known = OPERATIONS.iter().find(|known| known.name == operation);
    match known.and_then(|known| known.deprecation) {
        None => ("-".to_owned(), "-"),
        Some(Deprecation { sunset, note, .. }) => {
            let day = DateTime::from_timestamp(sunset, 0).map(|day| day.format("%Y-%m-%d"));
            (
                day.map_or_else(|| "-".to_owned(), |day| day.to_string()),
                note,
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_the_columns_of_the_header() {
        let row = |operation: &str| UsageRecord {
            key: "k_000000000000".parse().expect("an id"),
            key_name: "the shop's tablet".to_owned(),
            operation: operation.to_owned(),
            calls: 3,
            first_seen: DateTime::UNIX_EPOCH,
            last_seen: DateTime::UNIX_EPOCH,
        };
        for operation in OPERATIONS.iter().map(|known| known.name).chain(["gone"]) {
            let columns = line(&row(operation)).split('\t').count();
            assert_eq!(columns, HEADER.split('\t').count());
        }
        assert!(line(&row("gone")).ends_with("\t-\t-\n"));
    }
}
