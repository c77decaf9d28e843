//! Tests the real `petstore` program against the real service.
//!
//! | variable | for |
//! |---|---|
//! | `PETSTORE_IMPORT_LINES` | how long the file is whose import is interrupted; 3,000 lines by default |

mod commands;
mod exchange;
mod import;
mod interrupted;
mod journal;
mod manual;
mod members;
mod orders;
mod program;
mod relay;
#[path = "../../../petstore-store/tests/support/samples.rs"]
mod samples;
mod service;
mod settings;
mod terminal;
