//! Where pets and keys are kept. What a database may be called is left to
//! `petstore-store`, which reads the text.

settings! {
    /// Where pets and keys are kept.
    StoreSettings / StoreOptions {
        /// `sqlite:PATH`, or `sqlite::memory:` for a store that is gone when the service stops
        database: String = "sqlite:petstore.db", "PETSTORE_DATABASE";
    }
}
