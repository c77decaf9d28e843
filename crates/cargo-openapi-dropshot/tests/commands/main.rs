//! Tests `cargo openapi-dropshot` as a program, in repositories made for the tests.

mod bad_input;
mod changelog;
mod code_first;
mod fix;
mod generated_code;
mod in_ci;
mod output;
mod printing;
mod repository;
mod rules;
mod several_files;
mod versions;
