//! Writes the JavaScript beside a compiled WebAssembly module, as the command `wasm-bindgen --target web` does:
//! `bindgen MODULE FOLDER`.

use anyhow::{Context as _, Result};
use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1);
    let module = arguments.next().context("name the compiled module")?;
    let folder = arguments.next().context("name the folder to write to")?;
    Bindgen::new()
        .input_path(module)
        .web(true)?
        // The JavaScript finds the module beside itself.
        .omit_default_module_path(false)
        .generate(folder)
}
