//! API keys: their format, their hash, their names and their expiry. A service stores only the hash.

mod expiry;
mod format;
mod hashes;
mod name;

pub use expiry::{Expiry, InvalidExpiry, UnusableExpiry};
pub use format::{ApiKey, KeyFormat, MalformedKey};
pub use hashes::{InvalidKeyHashes, KeyHashes};
pub use name::{InvalidKeyName, KeyName};
