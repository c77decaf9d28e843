//! Commands `completions` and `man`: print shell completions and manual pages, which are generated
//! from the definition of the command line.

use crate::{
    cli::{Cli, ENVIRONMENT, FILE},
    exit::MEANINGS,
    output::Out,
};
use anyhow::{Context as _, Result, bail};
use clap::CommandFactory as _;
use clap_complete::Shell;
use clap_mangen::Man;
use std::{
    fmt::Display,
    fs,
    io::{self, IsTerminal as _, Write as _},
    path::Path,
    process::{Command, Stdio},
};

pub(super) fn completions(shell: Shell) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "petstore", &mut script);
    print(&script)
}

pub(super) fn man(folder: Option<&Path>) -> Result<()> {
    let page = front_page().context("cannot create the manual page")?;
    let Some(folder) = folder else {
        return show(&page);
    };
    clap_mangen::generate_to(Cli::command(), folder)
        // Replaces the page of the whole program that clap_mangen has written, because that page has
        // fewer sections.
        .and_then(|()| fs::write(folder.join("petstore.1"), page))
        .with_context(|| {
            format!(
                "cannot write the manual pages into `{}`; it must be an existing folder",
                folder.display()
            )
        })
}

/// Returns the page of the program, with the sections that scripts and administrators look for
/// (man-pages(7)).
fn front_page() -> io::Result<Vec<u8>> {
    let man = Man::new(Cli::command());
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    man.render_subcommands_section(&mut page)?;
    let codes = MEANINGS.map(|(exit, meaning)| (exit.code().to_string(), meaning));
    section(&mut page, "EXIT STATUS", &codes)?;
    section(&mut page, "ENVIRONMENT", &ENVIRONMENT)?;
    section(&mut page, "FILES", &[("~/.config/petstore/cli.toml", FILE)])?;
    man.render_version_section(&mut page)?;
    Ok(page)
}

fn section(page: &mut Vec<u8>, title: &str, rows: &[(impl Display, &str)]) -> io::Result<()> {
    writeln!(page, ".SH {title}")?;
    for (name, meaning) in rows {
        writeln!(page, ".TP\n\\fB{name}\\fR\n{meaning}")?;
    }
    Ok(())
}

/// Shows a manual page in the pager of `man` on a terminal; otherwise prints its source.
fn show(page: &[u8]) -> Result<()> {
    if !io::stdout().is_terminal() {
        return print(page);
    }
    let pager = Command::new("man")
        .args(["--local-file", "-"])
        .stdin(Stdio::piped())
        .spawn();
    let Ok(mut pager) = pager else {
        bail!(
            "the program `man` cannot be run; `petstore man >petstore.1` writes the page to a file"
        );
    };
    if let Some(mut stdin) = pager.stdin.take() {
        // The user may quit the pager before the end of the page.
        let _ = stdin.write_all(page);
    }
    pager.wait().context("the program `man` cannot be run")?;
    Ok(())
}

fn print(bytes: &[u8]) -> Result<()> {
    let mut out = Out::new();
    out.write(bytes)?;
    Ok(out.flush()?)
}
