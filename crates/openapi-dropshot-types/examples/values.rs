//! Parses dates and times as generated models do: `cargo run --example values -- 2030-12-05T00:00:00Z tomorrow`.

use openapi_dropshot_types::{FromText as _, formats::DateTime};

fn main() {
    for text in std::env::args().skip(1) {
        match DateTime::from_text(&text) {
            Ok(value) => println!("{text}: {} seconds after 1970", value.get().timestamp()),
            Err(violation) => println!("{text}: {violation}"),
        }
    }
}
