//! Verifies the new service: runs its tests and all gates. If one of them fails, the service is removed
//! again.

use super::{Options, Plan};
use crate::{Configuration, FILE, check, files, roundtrip::offline_first};
use anyhow::{Context, Result, bail};
use std::{fs, path::Path};

/// How much of the output of a failed command is printed.
const MOST_LINES: usize = 80;

/// Runs the tests and the gates on the new service, and removes the service if one of them fails.
pub(super) fn remove_unless_green(
    options: &Options,
    plan: &Plan,
    written: &[String],
    has_folder: bool,
) -> Result<()> {
    let folder = fs::canonicalize(&options.folder)?;
    // The files that `cargo` creates.
    let made = ["Cargo.lock", "target"].map(|name| folder.join(name));
    let made: Vec<_> = made.into_iter().filter(|path| !path.exists()).collect();
    let Err(reason) = findings(options, plan, &folder) else {
        return Ok(());
    };
    let removed = written.iter().map(|path| (path.clone(), None));
    files::change_all(&options.folder, removed.collect())?;
    for path in made {
        fs::remove_file(&path)
            .or_else(|_| fs::remove_dir_all(&path))
            .ok();
    }
    for path in written {
        let folders = Path::new(path).ancestors().skip(1);
        for folder in folders.filter(|folder| !folder.as_os_str().is_empty()) {
            // Folders that contain other files are kept.
            fs::remove_dir(options.folder.join(folder)).ok();
        }
    }
    if !has_folder {
        fs::remove_dir(&options.folder).ok();
    }
    bail!("nothing was written: {reason:#}")
}

fn findings(options: &Options, plan: &Plan, folder: &Path) -> Result<()> {
    let projects = Configuration::read(&folder.join(FILE))?.projects;
    gates(&projects, false)?;
    if options.no_verify && !options.verify {
        return Ok(());
    }
    eprintln!(
        "Compiling the service and running its tests. The first time, this takes minutes; `--no-verify` skips it …"
    );
    test(folder, &plan.crates())?;
    eprintln!("Running `check`, which compiles the models and the API again …\n");
    gates(&projects, true)
}

fn test(folder: &Path, crates: &[String]) -> Result<()> {
    let mut arguments = vec!["test", "--quiet"];
    arguments.extend(crates.iter().flat_map(|name| ["-p", name]));
    let output = offline_first(folder, &arguments, &[])?;
    if output.succeeded {
        return Ok(());
    }
    let lines: Vec<&str> = output.text.trim_end().lines().collect();
    let last = lines[lines.len().saturating_sub(MOST_LINES)..].join("\n");
    if output.is_unresolved {
        bail!(
            "cargo does not find the crates that the service needs: pass the folder or the Git repository of the toolkit with `--toolkit`, \
             and make sure that cargo can reach the registry; `--no-verify` writes the service without compiling it:\n\n{last}"
        );
    }
    bail!(
        "the service does not compile, or its tests fail. Please report this together with the document; `--no-verify` writes the service \
         anyway:\n\n{last}"
    )
}

/// Fails with the findings of the gates. `compiles` tells whether the gate that compiles code runs, too.
fn gates(projects: &[crate::Project], compiles: bool) -> Result<()> {
    let findings = check::findings_of_new(projects, compiles).context("`check` cannot run")?;
    let Some(findings) = findings else {
        return Ok(());
    };
    let remedy = match compiles {
        true => "; `--no-verify` writes the service anyway",
        false => "",
    };
    bail!(
        "the gates of `check` fail for the new service. Please report this together with the document{remedy}:\n\n{findings}"
    )
}
