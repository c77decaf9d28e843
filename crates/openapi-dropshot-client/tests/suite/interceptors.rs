//! Tests the hooks around each try, headers of a client and of a call, and the name of the application.

use crate::clock::Passing;
use crate::generated::{
    BoxError, BuildError, CallOptions, Client, ErrorKind, Interceptor, TryOutcome, TryRequest,
};
use crate::service::{KEY, Service, json, response};
use std::sync::{Arc, Mutex};

/// Records its calls. Two of them share the record, which shows their order.
#[derive(Clone)]
struct Recorder {
    name: &'static str,
    seen: Arc<Mutex<Vec<String>>>,
}

impl Recorder {
    fn seen(&self, what: String) {
        let line = format!("{} {what}", self.name);
        self.seen.lock().expect("no test panics with it").push(line);
    }
}

impl Interceptor for Recorder {
    fn before_try(&self, request: &mut TryRequest<'_>) -> Result<(), BoxError> {
        let number = request.number();
        assert!(
            !request.headers().contains_key(self.name),
            "the try begins anew"
        );
        request.headers_mut().insert(self.name, number.into());
        self.seen(format!(
            "{} {} {number}",
            request.operation(),
            request.path_template()
        ));
        Ok(())
    }

    fn after_try(&self, outcome: &TryOutcome<'_>) {
        let status = outcome.status_code().map(|status| status.as_u16());
        let kind = outcome.error().map(|error| error.kind());
        let id = outcome
            .headers()
            .and_then(|headers| headers.get("x-request-id"));
        self.seen(format!(
            "{} {status:?} {kind:?} {}",
            outcome.number(),
            id.is_some()
        ));
    }
}

#[tokio::test]
async fn at_each_try_the_hooks_of_the_client_are_called_before_and_after_the_hooks_of_the_call() {
    let service = Service::responding([
        String::new(),
        response("502 Bad Gateway", &["x-request-id: r"], ""),
        json("200 OK", &["x-request-id: r"], "[]"),
    ])
    .await;
    let seen = Arc::default();
    let recorder = |name| Recorder {
        name,
        seen: Arc::clone(&seen),
    };
    let client = Client::builder(service.base_url())
        .clock(Passing::new())
        .interceptor(recorder("outer"))
        .build()
        .expect("it is valid");
    let options = CallOptions::new().interceptor(recorder("inner"));
    let call = client.list_books().with(options).send();
    assert_eq!(call.await.expect("the third succeeds").retries(), 2);
    let seen = seen.lock().expect("no test panics with it").join("\n");
    assert_eq!(
        seen,
        "outer listBooks /books 1\ninner listBooks /books 1\n\
         inner 1 None Some(Interrupted) false\nouter 1 None Some(Interrupted) false\n\
         outer listBooks /books 2\ninner listBooks /books 2\n\
         inner 2 Some(502) Some(Answer) true\nouter 2 Some(502) Some(Answer) true\n\
         outer listBooks /books 3\ninner listBooks /books 3\n\
         inner 3 Some(200) None true\nouter 3 Some(200) None true"
    );
    let third = &service.requests()[2];
    assert!(
        third.contains("outer: 3\r\n") && third.contains("inner: 3\r\n"),
        "{third}"
    );
}

#[tokio::test]
async fn a_hook_can_read_the_body_and_the_api_key_to_sign_the_request() {
    let service = Service::responding([json("201 Created", &[], crate::service::REX)]).await;
    let client = Client::builder(service.base_url())
        .api_key(KEY)
        .interceptor(|request: &mut TryRequest<'_>| {
            let length = request.body().map_or(0, <[u8]>::len);
            assert!(request.headers().contains_key("authorization"));
            request.headers_mut().insert("signature", length.into());
            assert!(!format!("{request:?}").contains(KEY));
            Ok(())
        })
        .build()
        .expect("it is valid");
    let call = client
        .create_book()
        .body_map(|book| book.name("Emma").category_id(7));
    call.send().await.expect("it is added");
    let request = &service.requests()[0];
    let (head, body) = request.split_once("\r\n\r\n").expect("it has a body");
    assert!(
        head.contains(&format!("signature: {}\r\n", body.len())),
        "{request}"
    );
}

#[tokio::test]
async fn a_hook_that_fails_ends_the_call_before_anything_is_sent() {
    let service = Service::responding([]).await;
    let client = Client::builder(service.base_url())
        .interceptor(|_: &mut TryRequest<'_>| Err("no signature today".into()))
        .build()
        .expect("it is valid");
    let error = client.list_books().send().await.expect_err("no signature");
    assert_eq!(error.kind(), ErrorKind::Request);
    assert!(!error.was_sent() && !error.is_retryable());
    assert_eq!(
        error.message(),
        "an interceptor of the application rejected `listBooks` (no signature today)"
    );
    assert_eq!(service.requests().len(), 0);
}

#[tokio::test]
async fn a_header_of_a_call_replaces_the_same_header_of_the_client() {
    let responses = (0..2).map(|_| json("200 OK", &[], "[]"));
    let service = Service::responding(responses).await;
    let client = Client::builder(service.base_url())
        .api_key(KEY)
        .header("x-tenant", "north")
        .app_name("library/1.2")
        .build()
        .expect("it is valid");
    client.list_books().send().await.expect("it is a success");
    let options = CallOptions::new()
        .header("x-tenant", "south")
        .header("authorization", "Bearer another")
        .header("accept", "application/vnd.books+json");
    client
        .list_books()
        .with(options)
        .send()
        .await
        .expect("a success");
    let requests = service.requests();
    assert!(
        requests[0].contains("x-tenant: north\r\n"),
        "{}",
        requests[0]
    );
    assert!(requests[0].contains(KEY), "{}", requests[0]);
    assert!(
        requests[1].contains("x-tenant: south\r\n"),
        "{}",
        requests[1]
    );
    assert!(
        requests[1].contains("authorization: Bearer another\r\n"),
        "{}",
        requests[1]
    );
    assert!(!requests[1].contains("north") && !requests[1].contains(KEY));
    for (request, accept) in requests
        .iter()
        .zip(["application/json", "application/vnd.books+json"])
    {
        let accept = format!("accept: {accept}\r\n");
        assert!(request.contains(&accept), "{request}");
        assert_eq!(request.matches("accept: ").count(), 1, "{request}");
    }
    let agent = format!(
        "user-agent: openapi-dropshot-client/{} library/1.2\r\n",
        env!("CARGO_PKG_VERSION")
    );
    assert!(requests[1].contains(&agent), "{}", requests[1]);
}

#[tokio::test]
async fn a_custom_http_client_keeps_its_user_agent_unless_an_application_name_is_set() {
    let responses = (0..2).map(|_| json("200 OK", &[], "[]"));
    let service = Service::responding(responses).await;
    let http = crate::generated::reqwest::Client::builder()
        .user_agent("mine")
        .build()
        .expect("it is valid");
    let builder = Client::builder(service.base_url()).http_client(http);
    let own = builder.clone().build().expect("it is valid");
    own.list_books().send().await.expect("a success");
    let named = builder
        .app_name("library/1.2")
        .build()
        .expect("it is valid");
    named.list_books().send().await.expect("a success");
    let requests = service.requests();
    assert!(
        requests[0].contains("user-agent: mine\r\n"),
        "{}",
        requests[0]
    );
    assert!(requests[1].contains(" library/1.2\r\n"), "{}", requests[1]);
}

#[tokio::test]
async fn a_header_that_cannot_be_sent_is_an_error_that_does_not_show_its_value() {
    let service = Service::responding([]).await;
    let builder = Client::builder(service.base_url());
    let built = builder.clone().header("x-secret", "hush\n").build();
    let error = built.expect_err("no header has line breaks");
    assert!(matches!(error, BuildError::InvalidHeader { .. }));
    assert_eq!(
        error.to_string(),
        "`x-secret` cannot be sent in a header; use visible ASCII characters"
    );
    let client = builder.build().expect("it is valid");
    let options = CallOptions::new().header("x secret", "hush");
    assert!(!format!("{options:?}").contains("hush"));
    let error = client.list_books().with(options).send().await;
    let error = error.expect_err("no name has spaces");
    assert_eq!(error.message(), "the name of an added header is not valid");
    assert_eq!(service.requests().len(), 0);
}
