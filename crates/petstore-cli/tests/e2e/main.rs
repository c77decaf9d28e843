//! Tests the real `petstore` program against the real service.
//!
//! | variable | for |
//! |---|---|
//! | `PETSTORE_IMPORT_LINES` | the number of lines of the file whose import is interrupted; 3,000 by default |

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
mod service;
mod settings;
mod terminal;
mod webhooks;

use petstore_test_support::{samples, webhooks as receivers};
