//! Reads the files of a repository that the gates and releases need: the released documents with their checksums, the changelog
//! and the versions. Also defines the findings about them.

pub(crate) mod changelog;
mod finding;
pub(crate) mod frozen;
pub(crate) mod released;
pub(crate) mod versions;

pub(crate) use finding::Finding;
