//! Tests that the probe is always the same. The round trip compiles and runs it.

use openapi_dropshot::{Options, generate_service};

#[test]
fn the_generated_probe_is_always_the_same_and_has_a_handler_for_each_operation() {
    let text = include_str!("golden/ledger.yaml");
    let document =
        openapi_dropshot_contract::read("ledger.yaml", text).expect("the document is valid");
    let options = Options {
        command: "test".to_owned(),
        source: "ledger.yaml".to_owned(),
        models: "models".to_owned(),
        api: "api".to_owned(),
        client: "client".to_owned(),
        models_crate: "crate::models".to_owned(),
        client_crate: "client".to_owned(),
        trait_name: None,
        renames: Default::default(),
    };
    let probe = || {
        let generated = generate_service(&document, &options).expect("the document is supported");
        let api = generated.api.expect("a service has an API");
        api.probe("Ledger").expect("it is valid Rust")
    };
    let text = probe();
    assert_eq!(probe(), text);
    assert_eq!(text.matches("async fn ").count(), 3, "{text}");
}
