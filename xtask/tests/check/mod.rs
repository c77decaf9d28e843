//! Tests `cargo xtask check` and `cargo xtask release` as programs on copies of this workspace. The
//! gate `roundtrip` compiles code, so it does not run here; its errors are tested in
//! `cargo-openapi-dropshot`.

mod accepted;
mod formats;
mod mutations;
mod release;
mod sunsets;
mod table;
mod tree;
mod usage;
