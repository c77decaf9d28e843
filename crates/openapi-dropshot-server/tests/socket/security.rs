//! Tests that the server requires the credentials that the document requires.

use crate::{INFO, send};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use dropshot::{
    ApiDescription, ApiDescriptionBuildErrors, ApiEndpoint, ApiEndpointVersions, Body,
    CONTENT_TYPE_JSON, HttpError, HttpResponseOk, RequestContext,
};
use http::{Method, Request, Response};
use openapi_dropshot_server::{
    Bound, Context, Server, Setup, State,
    state::{AuthenticationError, Credential, StateError},
};
use openapi_dropshot_types::{
    Contract, ErrorEntry, ErrorMember, Operation, Rejection, RequiredScheme, Router, SchemeKind,
    Security, SecurityScheme, Stability,
};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::Notify,
    task::yield_now,
};

const fn scheme(name: &'static str, kind: SchemeKind<'static>) -> SecurityScheme {
    SecurityScheme { name, kind }
}

static ONE: SecurityScheme = scheme("one", SchemeKind::Header("X-One"));
static TWO: SecurityScheme = scheme("two", SchemeKind::Header("X-Two"));
static BEARER: SecurityScheme = scheme("bearer", SchemeKind::Bearer);
static BASIC: SecurityScheme = scheme("basic", SchemeKind::Basic);
static QUERY: SecurityScheme = scheme("query", SchemeKind::Query("key"));
static COOKIE: SecurityScheme = scheme("cookie", SchemeKind::Cookie("session"));
static TOKEN: SecurityScheme = scheme("token", SchemeKind::Token);
static SIGNATURE: SecurityScheme = scheme("signature", SchemeKind::Header("X-Signature"));

const fn need(scheme: &'static SecurityScheme) -> RequiredScheme {
    RequiredScheme {
        scheme,
        scopes: &[],
    }
}

const fn read(scopes: &'static [&'static str]) -> RequiredScheme {
    RequiredScheme {
        scheme: &TOKEN,
        scopes,
    }
}

const fn get(
    index: usize,
    path: &'static str,
    is_open: bool,
    alternatives: &'static [&'static [RequiredScheme]],
) -> Operation {
    Operation {
        index,
        name: path,
        method: "GET",
        path,
        stability: Stability::Stable,
        security: Security {
            is_open,
            alternatives,
        },
        request_body: None,
        success: 200,
        errors: &[],
        deprecation: None,
    }
}

static OPERATIONS: [Operation; 17] = [
    get(0, "/both", false, &[&[need(&ONE), need(&TWO)]]),
    get(1, "/optional", true, &[&[need(&ONE)]]),
    get(2, "/two", false, &[&[need(&TWO)]]),
    get(3, "/either", false, &[&[need(&ONE)], &[need(&BEARER)]]),
    get(4, "/bearer", false, &[&[need(&BEARER)]]),
    get(5, "/basic", false, &[&[need(&BASIC)]]),
    get(6, "/query", false, &[&[need(&QUERY)]]),
    get(7, "/cookie", false, &[&[need(&COOKIE)]]),
    get(
        8,
        "/scopes",
        false,
        &[&[read(&["read", "write"])], &[need(&ONE)]],
    ),
    get(9, "/open", true, &[]),
    get(10, "/no-alternative", false, &[]),
    get(11, "/no-scheme", false, &[&[]]),
    get(
        12,
        "/optional-bearer",
        true,
        &[&[need(&BEARER)], &[need(&BASIC)]],
    ),
    get(13, "/optional-both", true, &[&[need(&ONE), need(&TWO)]]),
    get(14, "/down", false, &[&[need(&ONE)]]),
    Operation {
        method: "POST",
        request_body: Some("application/json"),
        ..get(15, "/signed", false, &[&[need(&ONE), need(&SIGNATURE)]])
    },
    Operation {
        method: "POST",
        request_body: Some("application/json"),
        ..get(16, "/later", false, &[&[read(&["write"])]])
    },
];

/// A service that accepts the name of each scheme as its API key.
#[derive(Default)]
struct Guard {
    /// The authenticated requests for `/later`; each one is a part of its principal.
    later: AtomicUsize,
    /// Notified of these requests.
    authenticated: Arc<Notify>,
}

impl State for Guard {
    /// The credentials of the request.
    type Principal = Arc<Vec<String>>;

    fn principal_id(principal: &Self::Principal) -> &str {
        &principal[0]
    }

    async fn authenticate(
        &self,
        credential: Credential<'_, Self::Principal>,
    ) -> Result<Self::Principal, AuthenticationError> {
        if credential.head.uri.path() == "/down" {
            return Err(StateError::unavailable("no database", "").into());
        }
        if credential.scheme == &TWO {
            yield_now().await;
        }
        let own = match credential.scheme.kind {
            SchemeKind::Token => credential.text.starts_with("scopes:"),
            SchemeKind::Basic => credential.user() == Some("änn") && credential.secret() == "a:b",
            _ if credential.scheme == &SIGNATURE => {
                let body = credential.body.ok_or(AuthenticationError::Malformed)?;
                *credential.text == *format!("{}", body.len())
            }
            _ if credential.scheme == &QUERY => credential.text == "ä key&",
            _ => credential.text == credential.scheme.name,
        };
        let mut text = credential.text.to_string();
        if credential.head.uri.path() == "/later" {
            let number = self.later.fetch_add(1, Ordering::Relaxed);
            self.authenticated.notify_one();
            // The second time, the token has the scope `write` only if its text says so.
            if number == 1 && text == "scopes:once" {
                text = "scopes:read".to_owned();
            }
            text = text.replace("once", "write") + &format!("+{number}");
        }
        let earlier = credential.earlier.map(|earlier| earlier.to_vec());
        let mut all = earlier.unwrap_or_default();
        all.push(format!("{}={text}", credential.scheme.name));
        own.then(|| Arc::new(all))
            .ok_or(AuthenticationError::Unknown)
    }

    fn has_scope(principal: &Self::Principal, scheme: &SecurityScheme, scope: &str) -> bool {
        let granted = principal[0].strip_prefix(&format!("{}=scopes:", scheme.name));
        granted.is_some_and(|granted| granted.split('+').any(|one| one == scope))
    }

    fn reads_body(scheme: &SecurityScheme) -> bool {
        scheme == &SIGNATURE
    }
}

enum GuardContract {}

async fn handler(_: RequestContext<Context<Guard>>) -> Result<HttpResponseOk<()>, HttpError> {
    Ok(HttpResponseOk(()))
}

impl Contract for GuardContract {
    type Context = Context<Guard>;

    const TITLE: &'static str = "Guard";
    const VERSION: &'static str = "1.0.0";
    const BASE_PATH: &'static str = "";
    const OPERATIONS: &'static [Operation] = &OPERATIONS;
    const ERRORS: &'static [ErrorEntry] = &[];
    const ERROR_BODY: &'static [(&'static str, ErrorMember)] = &[("message", ErrorMember::Message)];
    const DOCUMENT_JSON: &'static str =
        r##"{"info":{"title":"Guard","version":"1.0.0"},"openapi":"3.0.3","paths":{}}"##;
    const DOCUMENT_YAML: &'static str = "openapi: 3.0.3\n";

    fn router() -> Result<Router, ApiDescriptionBuildErrors> {
        let mut api = ApiDescription::new();
        for operation in &OPERATIONS {
            let name = operation.name.to_owned();
            let method = Method::from_bytes(operation.method.as_bytes()).expect("a method");
            let (path, all) = (operation.path, ApiEndpointVersions::All);
            let endpoint = ApiEndpoint::new(name, handler, method, CONTENT_TYPE_JSON, path, all);
            api.register(endpoint).expect("the paths differ");
        }
        Ok(Router::new(api, &OPERATIONS))
    }

    async fn dispatch(
        _: &'static Operation,
        rqctx: RequestContext<Self::Context>,
        request: Request<Body>,
    ) -> Result<Response<Body>, Rejection> {
        drop(request);
        // A handler that waits does the same.
        yield_now().await;
        let principal = rqctx.context().principal(&rqctx);
        let text = principal.map_or("nobody".to_owned(), |all| all.join(" "));
        Ok(Response::new(Body::from(text)))
    }
}

fn start() -> Server<Guard> {
    start_with(Guard::default())
}

fn start_with(guard: Guard) -> Server<Guard> {
    let bound = Bound::bind::<GuardContract>(Setup::new(&INFO, guard));
    bound.expect("the routes can be served").start()
}

/// Sends a request with these headers. Returns the status, and the body, or the challenges if it is rejected.
async fn call(server: &Server<Guard>, path: &str, headers: &[&str]) -> (u16, String) {
    let line = format!("GET {path}");
    let lines = [&[line.as_str()], headers].concat();
    let (status, response) = send(server, &lines, b"").await;
    let (head, body) = response.split_once("\r\n\r\n").expect("a head and a body");
    if status == 200 {
        return (status, body.to_owned());
    }
    let challenges = head
        .lines()
        .filter_map(|line| line.strip_prefix("www-authenticate: "));
    (status, challenges.collect::<Vec<_>>().join(" | "))
}

/// Checks that the request is accepted with these credentials.
async fn accepted(server: &Server<Guard>, path: &str, headers: &[&str], principal: &str) {
    let found = call(server, path, headers).await;
    assert_eq!(found, (200, principal.to_owned()), "{path} {headers:?}");
}

async fn rejected(server: &Server<Guard>, path: &str, headers: &[&str]) -> String {
    let (status, challenges) = call(server, path, headers).await;
    assert_eq!(status, 401, "{path} {headers:?}");
    challenges
}

fn basic(text: &[u8]) -> String {
    format!("Authorization: Basic {}", BASE64_STANDARD.encode(text))
}

#[tokio::test]
async fn schemes_that_are_required_together_are_all_required() {
    let server = start();
    accepted(
        &server,
        "/both",
        &["X-One: one", "X-Two: two"],
        "one=one two=two",
    )
    .await;
    for headers in [
        &[][..],
        &["X-One: one"],
        &["X-Two: two"],
        &["X-One: one", "X-Two: one"],
        &["X-One: two", "X-Two: two"],
        &["X-One: one", "Authorization: Bearer two"],
        &["X-One: one", "X-One: one", "X-Two: two"],
        &["X-One: one", "X-Two: two", "X-Two: other"],
        &["X-One: one", "X-Two:"],
    ] {
        let challenges = rejected(&server, "/both", headers).await;
        assert_eq!(
            challenges,
            "ApiKey realm=\"desk\", in=\"header\", name=\"X-One\" | ApiKey realm=\"desk\", in=\"header\", name=\"X-Two\""
        );
    }
}

#[tokio::test]
async fn the_credential_of_another_scheme_is_rejected() {
    let server = start();
    accepted(&server, "/two", &["x-two: two"], "two=two").await;
    for headers in [
        &["X-One: two"][..],
        &["X-One: one"],
        &["Authorization: Bearer two"],
        &["Authorization: two"],
        &["Cookie: X-Two=two"],
        &["X-Two: TWO"],
        &["X-Two: tw\u{f6}"],
    ] {
        rejected(&server, "/two", headers).await;
    }
    rejected(&server, "/two?X-Two=two", &[]).await;
}

#[tokio::test]
async fn a_credential_that_is_optional_is_not_needed_but_a_wrong_one_is_rejected() {
    let server = start();
    accepted(&server, "/optional", &["X-One: one"], "one=one").await;
    accepted(&server, "/optional", &[], "nobody").await;
    // The operation does not use these schemes.
    accepted(&server, "/optional", &["X-Two: wrong"], "nobody").await;
    accepted(&server, "/optional", &["Authorization: Bearer x"], "nobody").await;
    for headers in [
        &["X-One: wrong"][..],
        &["X-One:"],
        &["X-One: \u{e9}"],
        &["X-One: one", "X-One: one"],
    ] {
        rejected(&server, "/optional", headers).await;
    }
    accepted(&server, "/optional-bearer", &[], "nobody").await;
    accepted(
        &server,
        "/optional-bearer",
        &["Authorization: bearer bearer"],
        "bearer=bearer",
    )
    .await;
    for value in [
        "Bearer x",
        "Bearer",
        "Basic eDp5",
        "Digest a=b",
        "bearer",
        "",
    ] {
        let header = format!("Authorization: {value}");
        let challenges = rejected(&server, "/optional-bearer", &[&header]).await;
        assert!(
            challenges.starts_with("Bearer realm=\"desk\""),
            "{challenges}"
        );
        let other = " | Basic realm=\"desk\", charset=\"UTF-8\"";
        assert!(challenges.ends_with(other), "{challenges}");
    }
    // A request with only a part of the required credentials does not count as one without credentials.
    accepted(&server, "/optional-both", &[], "nobody").await;
    for header in ["X-One: one", "X-Two: two", "X-Two: wrong"] {
        rejected(&server, "/optional-both", &[header]).await;
    }
    accepted(
        &server,
        "/open",
        &["Authorization: Bearer x", "X-One: x"],
        "nobody",
    )
    .await;
}

#[tokio::test]
async fn the_credentials_of_one_security_alternative_suffice() {
    let server = start();
    accepted(&server, "/either", &["X-One: one"], "one=one").await;
    accepted(
        &server,
        "/either",
        &["Authorization: Bearer bearer"],
        "bearer=bearer",
    )
    .await;
    let wrong_and_right = ["X-One: wrong", "Authorization: Bearer bearer"];
    accepted(&server, "/either", &wrong_and_right, "bearer=bearer").await;
    for headers in [
        &[][..],
        &["X-One: bearer"],
        &["X-Two: two"],
        &["Authorization: Bearer one"],
        &["X-One: wrong", "Authorization: Bearer wrong"],
    ] {
        let challenges = rejected(&server, "/either", headers).await;
        assert!(
            challenges.contains("name=\"X-One\" | Bearer realm"),
            "{challenges}"
        );
    }
}

#[tokio::test]
async fn a_bearer_credential_is_parsed_as_rfc_9110_specifies() {
    let server = start();
    for scheme in ["Bearer", "bearer", "BEARER", "Bearer  "] {
        let header = format!("Authorization: {scheme} bearer");
        accepted(&server, "/bearer", &[&header], "bearer=bearer").await;
    }
    for headers in [
        &[][..],
        &["Authorization: bearer"],
        &["Authorization: Bearer"],
        &["Authorization: Bearerbearer"],
        &["Authorization: Bearer Bearer"],
        &["Authorization: Bearer \u{e9}"],
        &["Authorization: Basic YmVhcmVyOmJlYXJlcg=="],
        &[
            "Authorization: Bearer bearer",
            "Authorization: Bearer bearer",
        ],
        &["Authorization: Bearer bearer", "Authorization: Basic eDp5"],
    ] {
        rejected(&server, "/bearer", headers).await;
    }
}

#[tokio::test]
async fn a_user_and_a_password_are_parsed_as_rfc_7617_specifies() {
    let server = start();
    let right = basic("änn:a:b".as_bytes());
    accepted(&server, "/basic", &[&right], "basic=änn:a:b").await;
    let lower = right.replace("Basic", "bASIC");
    accepted(&server, "/basic", &[&lower], "basic=änn:a:b").await;
    for wrong in [
        basic(b"ann:a:b"),
        basic("änn:".as_bytes()),
        basic(b":a:b"),
        basic("änn".as_bytes()),
        basic(b""),
        basic(b":"),
        basic(b"\xe4nn:a:b"),
        "Authorization: Basic".to_owned(),
        "Authorization: Basic änn:a:b".to_owned(),
        "Authorization: Basic !!!!".to_owned(),
        right.replace("Basic", "Bearer"),
    ] {
        let challenges = rejected(&server, "/basic", &[&wrong]).await;
        assert_eq!(challenges, "Basic realm=\"desk\", charset=\"UTF-8\"");
    }
    rejected(&server, "/basic", &[&right, &right]).await;
}

#[tokio::test]
async fn an_api_key_in_the_query_is_decoded_and_is_rejected_if_it_occurs_twice() {
    let server = start();
    for query in [
        "key=%C3%A4+key%26",
        "a=b&key=%c3%a4%20key%26&c",
        "%6Bey=%C3%A4%20key%26",
    ] {
        let path = format!("/query?{query}");
        accepted(&server, &path, &[], "query=ä key&").await;
    }
    for query in [
        "",
        "key",
        "key=",
        "key=x",
        "KEY=%C3%A4+key%26",
        "key=%FF",
        "key=%C3%A4+key%26&key=%C3%A4+key%26",
        "key=%C3%A4+key%26&%6Bey=x",
    ] {
        rejected(&server, &format!("/query?{query}"), &["key: ä key&"]).await;
    }
    let challenges = rejected(&server, "/query", &[]).await;
    assert_eq!(
        challenges,
        "ApiKey realm=\"desk\", in=\"query\", name=\"key\""
    );
}

#[tokio::test]
async fn an_api_key_in_a_cookie_is_rejected_if_the_cookie_occurs_twice() {
    let server = start();
    for headers in [
        &["Cookie: session=cookie"][..],
        &["Cookie: a=b; session=cookie;c=d"],
        &["Cookie: a=b;session=cookie"],
        &["Cookie: a=\u{e9}", "Cookie: session=cookie"],
        &["Cookie: Session=x; session=cookie; sessions=x"],
    ] {
        accepted(&server, "/cookie", headers, "cookie=cookie").await;
    }
    for headers in [
        &[][..],
        &["Cookie: session"],
        &["Cookie: session="],
        &["Cookie: session=x"],
        &["Cookie: SESSION=cookie"],
        &["Cookie: session=cookie; session=cookie"],
        &["Cookie: session=cookie", "Cookie: session=x"],
        &["session: cookie"],
    ] {
        rejected(&server, "/cookie", headers).await;
    }
}

#[tokio::test]
async fn a_principal_without_a_scope_is_rejected_with_403() {
    let server = start();
    let both = "Authorization: Bearer scopes:write+read";
    accepted(&server, "/scopes", &[both], "token=scopes:write+read").await;
    for scopes in ["", "read", "write", "READ+write", "admin"] {
        let header = format!("Authorization: Bearer scopes:{scopes}");
        let (status, challenges) = call(&server, "/scopes", &[&header]).await;
        assert_eq!(status, 403, "{scopes}");
        assert!(
            challenges.contains("error=\"insufficient_scope\", scope=\""),
            "{challenges}"
        );
        // Another alternative requires no scope.
        accepted(&server, "/scopes", &[&header, "X-One: one"], "one=one").await;
    }
    rejected(&server, "/scopes", &["Authorization: Bearer x"]).await;
}

#[tokio::test]
async fn operations_without_declared_security_reject_every_request() {
    let server = start();
    let all = ["X-One: one", "X-Two: two", "Authorization: Bearer bearer"];
    for path in ["/no-alternative", "/no-scheme"] {
        rejected(&server, path, &all).await;
        rejected(&server, path, &[]).await;
    }
    assert_eq!(call(&server, "/down", &["X-One: one"]).await.0, 503);
}

#[tokio::test]
async fn the_signature_of_a_request_is_verified_against_its_body() {
    let server = start();
    let json = "Content-Type: application/json";
    for (headers, body, status) in [
        (&["X-One: one", "X-Signature: 2"][..], "{}", 200),
        (&["X-One: one", "X-Signature: 3"], "{}", 401),
        (&["X-One: one"], "{}", 401),
        (&["X-Signature: 2"], "{}", 401),
        // The request is authenticated before it is validated.
        (&["X-One: one", "X-Signature: 3"], "{", 401),
        (&["X-One: one", "X-Signature: 1"], "{", 400),
    ] {
        let length = format!("Content-Length: {}", body.len());
        let lines = [&["POST /signed", json, &length], headers].concat();
        let (found, response) = send(&server, &lines, body.as_bytes()).await;
        assert_eq!(found, status, "{headers:?} {body}: {response}");
    }
}

#[tokio::test]
async fn a_principal_that_loses_a_scope_while_the_body_arrives_is_rejected_with_403() {
    for (token, status, principal) in [
        ("scopes:once", 403, None),
        // The handler gets the principal of the second authentication.
        ("scopes:write", 200, Some("token=scopes:write+1")),
    ] {
        let authenticated = Arc::new(Notify::new());
        let server = start_with(Guard {
            authenticated: Arc::clone(&authenticated),
            ..Guard::default()
        });
        let mut stream = TcpStream::connect(server.address())
            .await
            .expect("it listens");
        let head = format!(
            "POST /later HTTP/1.1\r\nHost: desk\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: 2\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.expect("it is read");
        authenticated.notified().await;
        stream.write_all(b"{}").await.expect("it is read");
        let mut response = String::new();
        let read = stream.read_to_string(&mut response).await;
        read.expect("the response is text");
        assert!(
            response.starts_with(&format!("HTTP/1.1 {status} ")),
            "{token}: {response}"
        );
        if let Some(principal) = principal {
            assert!(response.ends_with(principal), "{token}: {response}");
        }
    }
}
