//! An API key in a file, which is read regularly.

use super::{ApiKey, Credentials};
use crate::BoxError;
use std::{future::Future, path::PathBuf, pin::Pin, time::Duration};

/// How long the key of a file is used before the file is read again.
const FILE_INTERVAL: Duration = Duration::from_secs(10);

/// The API key in a file, such as a mounted secret. The file is read again every 10 seconds and as soon as the service rejects
/// the key, so a new key is used without a restart. White space around the key is ignored. While the file is missing, empty or
/// not valid, calls continue with the last valid key; see [`Credentials`].
///
/// When you replace a key, keep the old key valid for another minute: a creation whose response was lost is not repeated with
/// the new key, because it could be carried out twice; see [`Credentials`].
///
/// ```
/// # use openapi_dropshot_client::{ApiKeyFile, Client};
///
/// let client = Client::builder("https://books.example/v1")
///     .credentials(ApiKeyFile::new("/run/secrets/books-key"))
///     .build()?;
/// # Ok::<(), openapi_dropshot_client::BuildError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ApiKeyFile {
    path: PathBuf,
    interval: Duration,
}

impl ApiKeyFile {
    /// Uses the key in the file with this path.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        ApiKeyFile {
            path: path.into(),
            interval: FILE_INTERVAL,
        }
    }

    /// Sets the time after which the file is read again, instead of 10 seconds.
    #[must_use]
    pub fn interval(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }
}

impl Credentials for ApiKeyFile {
    fn load(&self) -> Pin<Box<dyn Future<Output = Result<ApiKey, BoxError>> + Send + '_>> {
        let path = self.path.clone();
        Box::pin(async move {
            // The file is read on a separate thread, because it may be on a network.
            let shown = path.display().to_string();
            let text = tokio::task::spawn_blocking(move || std::fs::read_to_string(path)).await?;
            let text = text.map_err(|error| format!("the file {shown} cannot be read: {error}"))?;
            if text.trim().is_empty() {
                return Err(format!("the file {shown} is empty; write the API key into it").into());
            }
            let key = ApiKey::new(text.trim()).valid_for(self.interval);
            Ok(key.of_origin(format!("the file {shown}")))
        })
    }
}
