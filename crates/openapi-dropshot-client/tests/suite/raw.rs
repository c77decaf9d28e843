//! Tests access to the parts of a response that its type does not contain.

use crate::service::{Service, client, json};
use serde_json::json;

#[tokio::test]
async fn unknown_members_of_a_response_are_listed_with_their_json_pointers() {
    let body = r#"[{"id":1,"name":"Rex","categoryId":7,"status":"available","a/b":{"x":1},"gone":null},
        {"id":2,"name":"Tom","categoryId":7,"shelf":"north"}]"#;
    let service = Service::responding([json("200 OK", &[], body)]).await;
    let books = client(&service)
        .list_books()
        .send()
        .await
        .expect("a success");
    assert_eq!(books.raw_body().as_ref(), body.as_bytes());
    assert_eq!(
        books.unknown_members(),
        [
            ("/0/a~1b".to_owned(), json!({"x": 1})),
            ("/1/shelf".to_owned(), json!("north")),
        ]
    );
}

#[tokio::test]
async fn a_response_without_a_body_has_no_unknown_members() {
    let service = Service::responding([crate::service::response("204 No Content", &[], "")]).await;
    let removed = client(&service).remove_shelf().shelf("a").send().await;
    let removed = removed.expect("a success");
    assert!(removed.raw_body().is_empty() && removed.unknown_members().is_empty());
}
