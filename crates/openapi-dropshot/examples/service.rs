//! Generates the models and the API of any document into a folder:
//! `cargo run -p openapi-dropshot --example service -- openapi.yaml out`.

use openapi_dropshot::{Options, generate_service};
use openapi_dropshot_contract::Problems;
use std::{error::Error, fs, path::Path, process::ExitCode};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [source, folder] = arguments.as_slice() else {
        return Err("usage: service DOCUMENT FOLDER".into());
    };
    let text = fs::read_to_string(source)?;
    let document = openapi_dropshot_contract::read_with_files(source, &text, &mut |name| {
        fs::read_to_string(name).map_err(|error| error.to_string())
    })?;
    let options = Options {
        command: "service".to_owned(),
        source: source.clone(),
        models: "models".to_owned(),
        api: "api".to_owned(),
        client: "client".to_owned(),
        models_crate: "crate::models".to_owned(),
        client_crate: "client".to_owned(),
        trait_name: None,
        renames: Default::default(),
    };
    let generated = generate_service(&document, &options)
        .map_err(|problems| Problems::new(&document, problems))?;
    for file in &generated.files {
        let path = Path::new(folder).join(&file.path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, &file.text)?;
    }
    println!("{} files in {folder}", generated.files.len());
    Ok(())
}
