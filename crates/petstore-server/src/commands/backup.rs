//! Commands `backup` and `restore`: copy an SQLite store, verify a copy, and replace a store with a
//! copy.

use super::{begin, print};
use chrono::Utc;
use openapi_dropshot_server::logging;
use petstore_server::{INFO, config::CommandSettings};
use std::path::Path;

/// Copies the store, even while a service uses it.
pub(crate) async fn run(file: &Path, settings: CommandSettings) -> anyhow::Result<()> {
    let (url, begun) = (begin(&settings)?, Utc::now());
    petstore_store::backup(&url, file).await?;
    if let Err(error) = petstore_store::record_backup(&url, begun) {
        tracing::warn!(
            "the backup was created, but the metric of the last backup does not change: {error}; give this user write permission for the folder of the store"
        );
    }
    print(&format!("copied `{url}` to `{}`\n", file.display()))
}

/// Reads a backup completely and verifies it.
pub(crate) async fn verify(file: &Path, settings: &CommandSettings) -> anyhow::Result<()> {
    logging::init(&INFO, &settings.log);
    let found = petstore_store::verify_backup(file).await?;
    print(&format!(
        "`{}` is a valid store of schema version {}; it has {} pets and {} API keys\n{}",
        file.display(),
        found.schema,
        found.pets,
        found.keys,
        note(file, found.has_checksum)
    ))
}

/// Describes the checks that are impossible for a backup without a checksum.
fn note(file: &Path, has_checksum: bool) -> String {
    if has_checksum {
        return String::new();
    }
    format!(
        "`{}` has no checksum, because an earlier version created it or because it was used as a store afterwards: a changed bit in a value cannot be detected\n",
        file.display()
    )
}

/// Replaces the store with a verified copy of a backup.
pub(crate) async fn restore(file: &Path, settings: &CommandSettings) -> anyhow::Result<()> {
    let url = begin(settings)?;
    let restored = petstore_store::restore(file, &url).await?;
    let former = restored.former.map(|former| {
        format!(
            "; the former store is `{}`, delete it when you no longer need it",
            former.display()
        )
    });
    print(&format!(
        "restored `{url}` from `{}`{}\n{}the API keys are those of the backup: see `key list`, and revoke the keys again that were revoked since the backup\n",
        file.display(),
        former.unwrap_or_default(),
        note(file, restored.has_checksum)
    ))
}
