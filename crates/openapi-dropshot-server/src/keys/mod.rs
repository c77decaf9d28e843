//! API keys: their format, their hash and their names. A service keeps the hash only.

mod format;
mod hashes;
mod name;

pub use format::{ApiKey, KeyFormat, MalformedKey};
pub use hashes::{InvalidKeyHashes, KeyHashes};
pub use name::{InvalidKeyName, KeyName};
