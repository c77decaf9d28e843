//! Writes the JavaScript for a compiled WebAssembly module, like the command `wasm-bindgen --target web`:
//! `bindgen MODULE FOLDER`.

use anyhow::{Context as _, Result};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let module = arguments.next().context("pass the compiled module")?;
    let folder = arguments.next().context("pass the folder to write to")?;
    Bindgen::new()
        .input_path(module)
        .web(true)?
        // The JavaScript loads the module from its own folder.
        .omit_default_module_path(false)
        .generate(folder)
}
