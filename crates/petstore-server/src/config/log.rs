//! What is logged. Where the log goes, and how a line looks, is left to the
//! binary.

settings! {
    /// What is logged.
    Log / LogOptions {
        /// What to log to stderr: `error`, `warn`, `info`, `debug` or `trace`, also by module as in `info,petstore_server::access=off`
        log: tracing_subscriber::filter::Targets = "info", "PETSTORE_LOG";
    }
}
