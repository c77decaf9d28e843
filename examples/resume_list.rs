//! Prints the names of all pets. If it is started again after an error, it continues after the last page that it printed:
//! `resume_list FILE`.

use anyhow::{Context, Result, bail};
use std::fs;

#[tokio::main]
async fn main() -> Result<()> {
    let Some(file) = std::env::args().nth(1) else {
        bail!("usage: resume_list FILE")
    };
    let mut request = petstore_examples::client()?.list_pets().limit(2);
    if let Ok(cursor) = fs::read_to_string(&file) {
        request = request.cursor(cursor);
    }
    let mut pages = request.pages();
    while let Some(page) = pages.next().await {
        let page = page.context("run the program again")?;
        for pet in &page {
            println!("{}", pet.name);
        }
        // The cursor is stored only after the page was printed: a crash can repeat a page, but skips no pet.
        match page.next_cursor()? {
            Some(cursor) => fs::write(&file, cursor).context("FILE cannot be written")?,
            None => fs::remove_file(&file).unwrap_or_default(),
        }
    }
    Ok(())
}
