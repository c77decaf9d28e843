//! Enums of the error codes of one operation.

/// An enum of the error codes that the document lists for an operation; [`Error::code_of`](crate::Error::code_of) reads it.
pub trait ListedCode: Copy + 'static {
    /// The codes as the service sends them.
    const LISTED: &'static [(&'static str, Self)];
}
