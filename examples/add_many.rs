//! Adds a pet for each line of standard input, eight at the same time. It stops after an error that would also occur for every other
//! line, such as an invalid API key. Then it prints how many lines are left.

use anyhow::{Context, Result};
use petstore_client::{Batch, NewPet};
use std::io::{self, IsTerminal as _};

#[tokio::main]
async fn main() -> Result<()> {
    let client = petstore_examples::client()?;
    let names: Vec<String> = io::stdin()
        .lines()
        .collect::<io::Result<_>>()
        .context("standard input cannot be read")?;
    let report = Batch::new(&names, |name| {
        client.create_pet().body(NewPet::new(7, name)).send()
    })
    .concurrency(8)
    .on_progress(|progress| {
        if io::stderr().is_terminal() {
            eprintln!("{} added, {} failed", progress.done, progress.failed);
        }
    })
    .run()
    .await;

    println!("{} of {} added", report.done.len(), names.len());
    for (line, error) in &report.failed {
        println!("line {}: {error}", line + 1);
    }
    if report.stopped {
        let ended = |line| {
            let failed = report.failed.iter().any(|(failed, _)| *failed == line);
            failed || report.done.iter().any(|(done, _)| *done == line)
        };
        let left = (0..names.len()).filter(|line| !ended(*line));
        println!("{} lines were not begun", left.count());
    }
    Ok(())
}
