//! Reads one document for the round trip, and generates the supported part of it, with a probe.

use crate::{
    Project, files,
    supported::{Generate, Supported},
};
use anyhow::{Context, Result, anyhow};
use openapi_dropshot::File;
use std::{fs, path::Path};

/// A document, and the code generated from it.
pub(super) type Source = Supported;

impl Supported {
    /// Reads a document, and generates the models and the API of the supported part.
    pub(super) fn read(project: &Project, path: &Path) -> Result<Self> {
        Self::generated(project, path, openapi_dropshot::generate_service)
    }

    /// Reads a document, and generates the part that both the service and the client support.
    pub(super) fn with_client(project: &Project, path: &Path) -> Result<Self> {
        Self::generated(project, path, openapi_dropshot::generate)
    }

    fn generated(project: &Project, path: &Path, generate: Generate) -> Result<Self> {
        let file = path.to_string_lossy();
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {file}"))?;
        let mut load = files::loader(Path::new(""));
        let is_own =
            fs::canonicalize(path).ok() == fs::canonicalize(project.path(&project.document)).ok();
        let skip = if is_own { project.skip() } else { &[] };
        let usable = Supported::of_text(&file, &text, &mut load, skip, |_| Vec::new())
            .map_err(|problems| anyhow!("{file} is not a usable document:\n{problems}"))?;
        let options = openapi_dropshot::Options {
            command: project.task("roundtrip"),
            source: file.into_owned(),
            models: "models".to_owned(),
            api: "api".to_owned(),
            client: "client".to_owned(),
            models_crate: "crate::models".to_owned(),
            client_crate: "client".to_owned(),
            trait_name: None,
            renames: Default::default(),
        };
        let mut source = usable.generate(generate, &options);
        if let Some(api) = &source.generated.api {
            source.generated.files.push(File {
                path: "probe.rs".to_owned(),
                text: api.probe(&source.document.info.title)?,
            });
        }
        Ok(source)
    }
}
