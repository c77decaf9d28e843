//! Where pets and keys are kept. What a database may be called is left to
//! `petstore-store`, which reads the text.

use petstore_store::DatabaseUrl;

settings! {
    /// Where pets and keys are kept.
    StoreSettings / StoreOptions {
        /// `sqlite:PATH`, `postgres://…`, or `sqlite::memory:` for a store that is gone when the service stops
        database: String = "sqlite:petstore.db", "PETSTORE_DATABASE";
    }
}

impl StoreSettings {
    /// The same, to be shown. Nothing is shown of what cannot be understood: it
    /// may hold a password anywhere.
    pub(super) fn without_password(&self) -> Self {
        let database = match self.database.parse::<DatabaseUrl>() {
            Ok(url) => url.to_string(),
            Err(_) => "***".to_owned(),
        };
        Self { database }
    }
}
