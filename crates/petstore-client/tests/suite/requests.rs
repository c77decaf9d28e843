//! Tests how requests are sent, when they are rejected before they are sent, and how responses are read.

use crate::service::{KEY, REX, Service, client, json};
use petstore_client::{BuildError, Client, ErrorKind, NewPet, PetStatus, types};

#[tokio::test]
async fn a_list_is_requested_with_key_filter_and_limit() {
    let service =
        Service::responding([json("200 OK", &["x-request-id: r-1"], &format!("[{REX}]"))]).await;
    let response = client(&service)
        .list_pets()
        .status(PetStatus::Available)
        .limit(10)
        .send()
        .await
        .expect("the response is a success");
    assert_eq!((response.len(), response[0].name.as_str()), (1, "Rex"));
    assert_eq!(response.status(), 200);
    assert_eq!(response.request_id(), Some("r-1"));

    let requests = service.requests();
    let head = requests[0].to_ascii_lowercase();
    assert!(
        requests[0].starts_with("GET /v1/pets?limit=10&status=available HTTP/1.1\r\n"),
        "{head}"
    );
    assert!(
        requests[0].contains(&format!("authorization: Bearer {KEY}\r\n")),
        "{head}"
    );
    assert_eq!(head.matches("authorization:").count(), 1);
    assert!(head.contains("accept: application/json\r\n"), "{head}");
    assert!(
        head.contains(concat!(
            "user-agent: petstore-client/",
            env!("CARGO_PKG_VERSION"),
            "\r\n"
        )),
        "{head}"
    );
    assert!(
        !head.contains("api-version"),
        "the document names no such header: {head}"
    );
}

#[tokio::test]
async fn a_pet_is_added_from_its_builder() {
    let service = Service::responding([json("201 Created", &[], REX)]).await;
    let added = client(&service)
        .create_pet()
        .body(NewPet::builder().name("Rex \u{1F415}").category_id(7))
        .send()
        .await
        .expect("the response is a success");
    assert_eq!(added.id, 1);
    let request = &service.requests()[0];
    assert!(
        request.starts_with("POST /v1/pets HTTP/1.1\r\n"),
        "{request}"
    );
    assert!(
        request.ends_with("\r\n\r\n{\"categoryId\":7,\"name\":\"Rex \u{1F415}\"}"),
        "{request}"
    );
}

#[tokio::test]
#[expect(deprecated, reason = "it works until the day of its removal")]
async fn a_deprecated_operation_still_works() {
    let service = Service::responding([json("200 OK", &[], REX)]).await;
    let pet = client(&service)
        .get_pet()
        .pet_id(1)
        .send()
        .await
        .expect("the response is a success");
    assert_eq!(pet.into_inner().category_id, 7);
    assert!(service.requests()[0].starts_with("GET /v1/pets/1 HTTP/1.1\r\n"));
}

#[tokio::test]
async fn a_value_out_of_bounds_is_rejected_before_it_is_sent() {
    let service = Service::responding([]).await;
    let client = client(&service);
    let requests = [
        (
            client.list_pets().limit(0),
            "`limit` must be from 1 to 100, found 0",
        ),
        (
            client.list_pets().limit(101),
            "`limit` must be from 1 to 100, found 101",
        ),
        (
            client.list_pets().limit(-1),
            "`limit` must be from 1 to 100: ",
        ),
        (
            client.list_pets().cursor(""),
            "`cursor` is not valid: shorter than 1",
        ),
    ];
    for (request, words) in requests {
        let error = request.send().await.expect_err(words);
        assert_eq!(error.kind(), ErrorKind::Request);
        assert!(error.message().contains(words), "{error}");
        assert_eq!((error.status(), error.code()), (None, None));
    }
    let error = client
        .create_pet()
        .body_map(|pet| pet.name("Rex"))
        .send()
        .await
        .expect_err("a field is missing");
    assert_eq!(
        error.message(),
        "`categoryId` is required: set it with `category_id`"
    );
    assert_eq!(service.requests().len(), 0, "nothing was sent");
}

#[tokio::test]
async fn a_value_of_a_newer_service_is_kept_and_an_unknown_member_is_ignored() {
    let response =
        r#"[{"id":2,"name":"Tom","categoryId":3,"status":"reserved","bornOn":"2026-01-01"}]"#;
    let service = Service::responding([json("200 OK", &[], response)]).await;
    let pets = client(&service)
        .list_pets()
        .send()
        .await
        .expect("a newer service is not an error");
    assert_eq!(
        pets[0].status,
        Some(PetStatus::Unknown("reserved".to_owned()))
    );
    let again = serde_json::to_value(&pets[0]).expect("a pet is JSON");
    assert_eq!(
        again["status"], "reserved",
        "an unknown value is sent back unchanged"
    );
}

#[tokio::test]
async fn a_trailing_slash_of_the_address_is_ignored() {
    let service = Service::responding([json("200 OK", &[], "[]")]).await;
    let client = Client::builder(format!("{}/", service.base_url()))
        .api_key(KEY)
        .build()
        .expect("it is valid");
    assert_eq!(client.base_url(), service.base_url());
    client
        .list_pets()
        .send()
        .await
        .expect("the response is a success");
    assert!(service.requests()[0].starts_with("GET /v1/pets HTTP/1.1\r\n"));
}

#[test]
fn an_invalid_url_or_key_is_rejected_at_once() {
    let build = |url: &str, key: &str| Client::builder(url).api_key(key).build().expect_err(url);
    assert!(matches!(
        build("pets", KEY),
        BuildError::InvalidBaseUrl { .. }
    ));
    assert!(
        matches!(build("localhost:8080/v1", KEY), BuildError::UnsupportedScheme { scheme } if scheme == "localhost")
    );
    assert!(matches!(
        build("ftp://localhost/v1", KEY),
        BuildError::UnsupportedScheme { .. }
    ));
    assert!(matches!(
        build("http://me:secret@localhost/v1", KEY),
        BuildError::CredentialsInBaseUrl
    ));
    assert!(matches!(
        build("http://localhost/v1?x=1", KEY),
        BuildError::QueryInBaseUrl
    ));
    let good = "http://localhost/v1";
    assert!(matches!(build(good, ""), BuildError::MissingApiKey));
    assert!(matches!(
        build(good, "abc\n"),
        BuildError::InvalidApiKey { position: 4 }
    ));
    assert!(matches!(
        build(good, "Bearer abc"),
        BuildError::InvalidApiKey { position: 7 }
    ));
    assert!(matches!(
        build(good, "schlüssel"),
        BuildError::InvalidApiKey { position: 5 }
    ));
    assert!(matches!(
        Client::builder(good).build(),
        Err(BuildError::MissingApiKey)
    ));
}

#[test]
fn a_client_for_an_https_url_can_be_built_with_the_default_features() {
    Client::builder("https://pets.example/v1")
        .api_key(KEY)
        .build()
        .expect("TLS is part of the crate");
}

#[test]
fn a_client_and_its_calls_can_be_sent_between_threads() {
    fn between_threads<T: Send>(_: T) {}
    let client = Client::builder("http://localhost/v1")
        .api_key(KEY)
        .build()
        .expect("it is valid");
    between_threads(client.list_pets().send());
    between_threads(client.create_pet().body(types::NewPet::builder()).send());
    between_threads(client.clone());
}

#[tokio::test]
async fn an_idempotency_key_that_is_not_valid_is_described() {
    let service = Service::responding([]).await;
    let rex = NewPet::new(7, "Rex");
    let call = client(&service)
        .create_pet_with(rex)
        .idempotency_key("my key");
    let error = call.send().await.expect_err("it has a space");
    assert_eq!(
        error.message(),
        "`Idempotency-Key` is not valid: a valid value is either a quoted string (RFC 8941, section 3.3.3) of 1 to 255 characters, or 1 to \
         255 visible ASCII characters without quotes around them. The quotes are not part of the key: `\"a1\"` and `a1` are the \
         same key."
    );
}
