//! Tests of what a build script writes and prints.

use super::*;

const DOCUMENT: &str = "openapi: 3.0.3\ninfo: {title: Shop, version: 1.0.0}\npaths:\n  /things:\n    get:\n      operationId: listThings\n      responses:\n        '204': {description: Nothing.}\n";

fn written(name: &str, text: &str, generate: Generate) -> (PathBuf, Result<(), String>) {
    let out = env::temp_dir().join(format!("openapi-dropshot-{}-{name}", std::process::id()));
    fs::create_dir_all(&out).expect("the folder can be made");
    let source = out.join("openapi.yaml");
    fs::write(&source, text).expect("the file can be written");
    let source = source.to_str().expect("UTF-8");
    let result = write(source, &out, generate).map_err(|error| error.to_string());
    (out, result)
}

#[test]
fn the_modules_are_written_beside_the_files_that_include_them() {
    for (name, generate, has_service, has_client) in [
        ("service", generate_service as Generate, true, false),
        ("both", generate as Generate, true, true),
        ("client", generate_client as Generate, false, true),
    ] {
        let (out, result) = written(name, DOCUMENT, generate);
        assert_eq!(result, Ok(()));
        let included = fs::read_to_string(out.join("service.rs")).unwrap_or_default();
        let has_modules = included.contains("pub mod models;") && included.contains("pub mod api;");
        assert_eq!(has_modules, has_service, "{name}");
        assert_eq!(out.join("api/mod.rs").exists(), has_service, "{name}");
        assert_eq!(out.join("client.rs").exists(), has_client, "{name}");
        fs::remove_dir_all(out).expect("the folder is there");
    }
}

#[test]
fn an_error_of_the_document_is_shown_with_its_place() {
    let text = DOCUMENT.replace("operationId", "operationIdd");
    let (out, result) = written("error", &text, generate_service);
    let error = result.expect_err("the document has an error");
    let place = format!("--> {}:6:7", out.join("openapi.yaml").display());
    assert!(error.contains(&place), "{error}");
    assert!(error.lines().count() > 5, "{error}");
    fs::remove_dir_all(out).expect("the folder is there");
    let missing = write("no/such.yaml", Path::new("no"), generate_service);
    let missing = missing.expect_err("there is no document").to_string();
    assert!(missing.starts_with("cannot read no/such.yaml"), "{missing}");
}
