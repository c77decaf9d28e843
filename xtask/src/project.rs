//! Tells `cargo-openapi-dropshot` the paths of the files of this repository.

use cargo_openapi_dropshot::{Output, Project};
use std::path::Path;

/// This repository, checked out at `root`.
pub(crate) fn at(root: &Path) -> Project {
    Project {
        root: root.to_path_buf(),
        command: "cargo xtask".to_owned(),
        document: "spec/openapi.yaml".to_owned(),
        releases: "spec/released".to_owned(),
        accepted_breaks: "spec/accepted-breaks.toml".to_owned(),
        changelog: "CHANGELOG.md".to_owned(),
        output: Output {
            models: "crates/petstore-models/src/generated".to_owned(),
            api: "crates/petstore-api/src/generated".to_owned(),
            client: "crates/petstore-client/src/generated".to_owned(),
            models_crate: "petstore_models".to_owned(),
            client_crate: "petstore_client".to_owned(),
            trait_name: None,
        },
        types_crate: Some(crate::workspace_root().join("crates/openapi-dropshot-types")),
        usage_command: Some("petstore-server usage".to_owned()),
    }
}
