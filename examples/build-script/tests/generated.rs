//! The generated code of the build script: models with the rules of the document, the API, and a client.

include!(concat!(env!("OUT_DIR"), "/client.rs"));

use build_script::{api, models};
use client::{Client, mock::MockTransport};

#[test]
fn the_build_script_generates_models_and_an_api() {
    let thing: models::Thing = serde_json::from_str(r#"{"id":7}"#).expect("a thing");
    assert_eq!(thing, models::Thing::new(7));
    // A literal does not list the members that a later document adds.
    let noted = models::Thing {
        note: Some("old".to_owned()),
        ..models::Thing::new(7)
    };
    assert_eq!((noted.id, noted.note.as_deref()), (7, Some("old")));
    let option = models::Options::default();
    assert_eq!(option.limit, None);
    serde_json::from_str::<models::Thing>("{}").expect_err("`id` is required");
    let operations = api::OPERATIONS.iter().map(|operation| operation.name);
    assert_eq!(Vec::from_iter(operations), ["listThings"]);
}

#[tokio::test]
async fn the_build_script_generates_a_client() {
    let transport = MockTransport::new();
    let builder = Client::builder("http://things.example/v1").transport(transport.clone());
    let client = builder.build().expect("the settings are valid");
    let listed = client.list_things().send().await;
    listed.expect_err("the transport has no response");
    assert_eq!(transport.requests()[0].path, "/v1/things");
}
