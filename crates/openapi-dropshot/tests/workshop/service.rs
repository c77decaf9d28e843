//! Tests the generated trait in a dropshot server: extractors, responses and
//! errors over HTTP.

use crate::{
    workshop_api::{
        AddToolError, EverythingError, Generated, HasPartError, HasPartOk, Http2Error,
        HttpResponse2Error, HttpResponse2Ok, ListToolsError, MendPartError,
        MendPartNonAuthoritative, MoveError, OPERATIONS, OperationId, PartOptionsError,
        PartOptionsTemporaryRedirect, RemovePartError, ReplacePartCreated, ReplacePartError,
        WorkshopApi, workshop_api_mod,
    },
    workshop_models as models,
};
use dropshot::{
    ConfigDropshot, ErrorStatusCode, Header, HttpResponseAccepted, HttpResponseDeleted,
    HttpResponseHeaders, HttpResponseOk, Path, Query, RequestContext, ServerBuilder, TypedBody,
};
use openapi_dropshot_types::{Condition, Contract, ErrorEntry, Rejection, Security, Stability};
use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
};

/// Handlers that return what they received.
enum Echo {}

fn problem(message: String) -> models::Problem {
    models::Problem { message }
}

impl WorkshopApi for Echo {
    type Context = ();

    async fn list_tools(
        _: RequestContext<()>,
        query: Query<models::ListToolsQuery>,
        headers: Header<models::ListToolsHeaders>,
    ) -> Result<
        HttpResponseHeaders<HttpResponseOk<Vec<models::Tool>>, models::ListToolsOkHeaders>,
        ListToolsError,
    > {
        let (query, headers) = (query.into_inner(), headers.into_inner());
        let tenant = headers.x_tenant.as_str();
        match tenant {
            "nobody" => Err(ListToolsError::NotFound(problem(format!("no {tenant}")))),
            "teapot" => Err(ListToolsError::Other(
                ErrorStatusCode::IM_A_TEAPOT,
                problem(format!("{query:?}")),
            )),
            _ => {
                let total = i32::from(query.page_size.get()) + i32::from(query.heavy);
                let x_total =
                    models::ListToolsOkHeadersXTotal::try_from(total).map_err(|violation| {
                        ListToolsError::NotFound(problem(violation.to_string()))
                    })?;
                let headers = models::ListToolsOkHeaders {
                    x_total,
                    x_kind: query.kind,
                };
                Ok(HttpResponseHeaders::new(
                    HttpResponseOk(Vec::new()),
                    headers,
                ))
            }
        }
    }

    async fn add_tool(
        _: RequestContext<()>,
        _: TypedBody<models::AddToolBody>,
    ) -> Result<HttpResponseAccepted<models::Ticket>, AddToolError> {
        let id = models::Uuid::from(uuid::Uuid::nil());
        Ok(HttpResponseAccepted(models::Ticket {
            id,
            next: None,
            left: None,
        }))
    }

    async fn move_(
        _: RequestContext<()>,
        _: Path<models::MovePath>,
    ) -> Result<HttpResponseOk<models::Part>, MoveError> {
        Err(MoveError::InternalServerError)
    }

    async fn replace_part(
        _: RequestContext<()>,
        _: Path<models::ReplacePartPath>,
        _: TypedBody<models::Part>,
    ) -> Result<ReplacePartCreated, ReplacePartError> {
        Ok(ReplacePartCreated)
    }

    async fn mend_part(
        _: RequestContext<()>,
        path: Path<models::MendPartPath>,
        body: TypedBody<models::Settings>,
    ) -> Result<MendPartNonAuthoritative, MendPartError> {
        let (path, _) = (path.into_inner(), body.into_inner());
        let tool = serde_json::json!({
            "name": path.tool_id.to_string(), "kind": "saw", "owner": null, "size": { "width": 1 },
            "number": path.part_number, "nickname": null,
        });
        let part = serde_json::from_value(tool)
            .map_err(|error| dropshot::HttpError::for_internal_error(error.to_string()))?;
        Ok(MendPartNonAuthoritative(part))
    }

    async fn remove_part(
        _: RequestContext<()>,
        _: Path<models::RemovePartPath>,
    ) -> Result<HttpResponseDeleted, RemovePartError> {
        Ok(HttpResponseDeleted())
    }

    async fn has_part(
        _: RequestContext<()>,
        _: Path<models::HasPartPath>,
    ) -> Result<HasPartOk, HasPartError> {
        Ok(HasPartOk)
    }

    async fn part_options(
        _: RequestContext<()>,
        path: Path<models::PartOptionsPath>,
    ) -> Result<
        HttpResponseHeaders<
            PartOptionsTemporaryRedirect,
            models::PartOptionsTemporaryRedirectHeaders,
        >,
        PartOptionsError,
    > {
        let location = format!("/tools/{}", path.into_inner().tool_id);
        let headers = models::PartOptionsTemporaryRedirectHeaders { location };
        Ok(HttpResponseHeaders::new(
            PartOptionsTemporaryRedirect,
            headers,
        ))
    }

    async fn everything(
        _: RequestContext<()>,
    ) -> Result<HttpResponseOk<models::Everything>, EverythingError> {
        let nothing = serde_json::from_str("{}");
        Ok(HttpResponseOk(nothing.map_err(|error| {
            dropshot::HttpError::for_internal_error(error.to_string())
        })?))
    }

    async fn http(
        _: RequestContext<()>,
        query: Query<models::Http2Query>,
    ) -> Result<HttpResponseOk<models::User>, Http2Error> {
        let query = query.into_inner();
        let names = format!("{} and {}", query.x, query.default_x);
        let user = serde_json::json!({ "s": names, "settings": {} });
        let user = serde_json::from_value(user)
            .map_err(|error| dropshot::HttpError::for_internal_error(error.to_string()))?;
        Ok(HttpResponseOk(user))
    }

    async fn http_response(_: RequestContext<()>) -> Result<HttpResponse2Ok, HttpResponse2Error> {
        Ok(HttpResponse2Ok)
    }
}

/// One exchange, as bytes.
fn exchange(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    stream
        .write_all(request.as_bytes())
        .expect("the request can be sent");
    let mut response = String::new();
    stream
        .read_to_string(&mut response)
        .expect("the response can be read");
    response.to_ascii_lowercase()
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_checked_against_the_document() {
    let api = workshop_api_mod::api_description::<Echo>().expect("the routes are told apart");
    let log = slog::Logger::root(slog::Discard, slog::o!());
    let config = ConfigDropshot {
        bind_address: ([127, 0, 0, 1], 0).into(),
        ..Default::default()
    };
    let server = ServerBuilder::new(api, (), log)
        .config(config)
        .start()
        .expect("the server starts");
    let address = server.local_addr();
    let part = "/tools/67e55044-10b1-426f-9247-bb680e5fe0c8/parts/7";
    let table: &[(&str, &str, &str, &str, &[&str])] = &[
        (
            "GET",
            "/tools",
            "X-Tenant: abc\r\n",
            "",
            &["200 ok", "x-total: 10\r\n", "[]"],
        ),
        (
            "GET",
            "/tools?page_size=3&heavy=true&kind=drill-bit",
            "x-tenant: abc\r\n",
            "",
            &["x-total: 4", "x-kind: drill-bit"],
        ),
        (
            "GET",
            "/tools",
            "",
            "",
            &["400", "missing field `x-tenant`"],
        ),
        (
            "GET",
            "/tools",
            "X-Tenant: ABC\r\n",
            "",
            &["400", "`x-tenant` must match `^[a-z]{2,8}$`, found `abc`"],
        ),
        (
            "GET",
            "/tools",
            "X-Tenant: abc\r\nX-Request-Id: 7\r\n",
            "",
            &["400", "`x-request-id` must be a uuid"],
        ),
        (
            "GET",
            "/tools?page_size=0",
            "X-Tenant: abc\r\n",
            "",
            &["400", "`page_size` must be an integer from 1 to 50"],
        ),
        (
            "GET",
            "/tools?page_size=",
            "X-Tenant: abc\r\n",
            "",
            &["400", "`page_size` must be an integer from 1 to 50"],
        ),
        (
            "GET",
            "/names?d=here",
            "",
            "",
            &[
                "200 ok",
                r#""settings_theme":"a""#,
                r#""theme":"b""#,
                r#""s":"a and b""#,
            ],
        ),
        ("GET", "/names?d=elsewhere", "", "", &["400", "`d`"]),
        ("PUT", "/names", "", "", &["200 ok"]),
        (
            "GET",
            "/tools?page_size=1&page_size=2",
            "X-Tenant: abc\r\n",
            "",
            &["400", "duplicate field `page_size`"],
        ),
        (
            "GET",
            "/tools?heavy=yes",
            "X-Tenant: abc\r\n",
            "",
            &["400", "`heavy` must be `true` or `false`"],
        ),
        (
            "GET",
            "/tools?since=2024-1-1",
            "X-Tenant: abc\r\n",
            "",
            &["400", "`since` must be a date"],
        ),
        (
            "GET",
            "/tools?minimum-weight=1e3",
            "X-Tenant: abc\r\n",
            "",
            &["200 ok"],
        ),
        (
            "GET",
            "/tools",
            "X-Tenant: nobody\r\n",
            "",
            &["404", "{\"message\":\"no nobody\"}"],
        ),
        (
            "GET",
            "/tools?minimum-weight=1.5",
            "X-Tenant: teapot\r\n",
            "",
            &["418", "minimum_weight: some(1.5)"],
        ),
        ("POST", "/tools", "", "{}", &["400", "missing field `tool`"]),
        ("GET", part, "", "", &["500"]),
        (
            "PATCH",
            part,
            "",
            "{}",
            &[
                "203",
                "\"number\":7",
                "67e55044-10b1-426f-9247-bb680e5fe0c8",
            ],
        ),
        (
            "PATCH",
            "/tools/x/parts/7",
            "",
            "{}",
            &["400", "`toolid` must be a uuid"],
        ),
        (
            "PATCH",
            "/tools/67e55044-10b1-426f-9247-bb680e5fe0c8/parts/65536",
            "",
            "{}",
            &["400", "from 0 to 65535"],
        ),
        ("DELETE", part, "", "", &["204"]),
        (
            "GET",
            "/everything",
            "",
            "",
            &["200 ok", "{\"pagesize\":10}"],
        ),
        (
            "OPTIONS",
            part,
            "",
            "",
            &["307", "location: /tools/67e55044"],
        ),
    ];
    let table = table.to_vec();
    let part = part.to_owned();
    let done = tokio::task::spawn_blocking(move || {
        for (method, path, headers, body, expected) in table {
            let length = if body.is_empty() {
                String::new()
            } else {
                format!(
                    "content-type: application/json\r\ncontent-length: {}\r\n",
                    body.len()
                )
            };
            let request = format!(
                "{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{headers}{length}\r\n{body}"
            );
            let response = exchange(address, &request);
            for words in expected {
                assert!(response.contains(words), "{method} {path}: {response}");
            }
        }
        let head = format!("HEAD {part} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
        assert!(exchange(address, &head).starts_with("http/1.1 200 ok"));
    });
    done.await.expect("the exchanges are as expected");
    server.close().await.expect("the server stops");
}

#[test]
fn the_router_finds_operations_by_method_and_path() {
    let router = Generated::<Echo>::router().expect("the routes are told apart");
    let find = |method: http::Method, path: &str| {
        router
            .find(&method, path)
            .map(|(operation, _)| operation.name)
            .map_err(|error| error.status_code.as_u16())
    };
    assert_eq!(find(http::Method::GET, "/tools"), Ok("listTools"));
    assert_eq!(find(http::Method::HEAD, "/tools/a/parts/b"), Ok("hasPart"));
    assert_eq!(find(http::Method::PUT, "/tools"), Err(405));
    assert_eq!(find(http::Method::GET, "/nothing"), Err(404));
}

#[test]
fn the_table_has_a_row_for_each_operation() {
    let names: Vec<&str> = OPERATIONS.iter().map(|operation| operation.name).collect();
    assert_eq!(
        names,
        [
            "listTools",
            "addTool",
            "move",
            "replacePart",
            "mendPart",
            "removePart",
            "hasPart",
            "partOptions",
            "everything",
            "http",
            "httpResponse"
        ]
    );
    for (index, operation) in OPERATIONS.iter().enumerate() {
        assert_eq!(operation.index, index);
        let id = OperationId::ALL[index];
        assert_eq!(id.operation(), operation);
        assert_eq!(OperationId::from_name(operation.name), Some(id));
    }
    let row = OperationId::Move.operation();
    assert_eq!(
        (row.stability, row.success, row.security),
        (Stability::Beta, 200, Security::NONE)
    );
    assert_eq!(
        OperationId::ListTools.operation().errors,
        [ErrorEntry::of_status(404)]
    );
    assert_eq!(OperationId::RemovePart.operation().deprecation, None);
}

#[test]
fn an_error_has_the_body_that_the_document_declares_if_there_is_no_error_catalogue() {
    let rejection = Rejection::from(ListToolsError::NotFound(problem("no tools".to_owned())));
    assert_eq!(rejection.error.status, 404);
    let body = Generated::<Echo>::error_body(&rejection, "id");
    assert_eq!(body, br#"{"message":"no tools"}"#);
    let rejection = Rejection::from(ListToolsError::Other(
        ErrorStatusCode::IM_A_TEAPOT,
        problem("short and stout".to_owned()),
    ));
    assert_eq!(rejection.error.status, 418);
    let without_body = Rejection::from(MoveError::InternalServerError);
    assert!(Generated::<Echo>::error_body(&without_body, "id").is_empty());
    // The server's own errors have the same form.
    let own = Generated::<Echo>::internal("a secret");
    let body = Generated::<Echo>::error_body(&own, "id");
    let body: serde_json::Value = serde_json::from_slice(&body).expect("the body is JSON");
    assert_eq!(body, serde_json::json!({ "message": own.message }));
}

#[test]
fn an_error_from_the_server_has_the_body_that_the_document_declares_for_that_status() {
    let of = |operation: Option<OperationId>, condition: Condition| {
        let rejection = Generated::<Echo>::reject(condition, "why");
        let operation = operation.map(OperationId::operation);
        let (body, media_type) = Generated::<Echo>::error_content(operation, &rejection, "id");
        (String::from_utf8(body).expect("it is text"), media_type)
    };
    let (add, json) = (Some(OperationId::AddTool), "application/json");
    let message = (r#"{"message":"why"}"#.to_owned(), json);
    let problem = r#"{"title":"why","status":400}"#.to_owned();
    assert_eq!(
        of(add, Condition::InvalidRequest),
        (problem, "application/problem+json")
    );
    // The server cannot set `details`.
    assert_eq!(of(add, Condition::PayloadTooLarge), message);
    assert_eq!(
        of(add, Condition::UnsupportedMediaType),
        ("why".to_owned(), "text/plain")
    );
    assert_eq!(of(add, Condition::Overloaded), message);
    assert_eq!(of(None, Condition::InvalidRequest), message);
    let list = Some(OperationId::ListTools);
    assert_eq!(of(list, Condition::InvalidRequest), message);
    // A handler can return its own body.
    let own = Rejection::with_body(400, &serde_json::json!({ "title": "own" }))
        .with_media_type("application/problem+json");
    let operation = OperationId::AddTool.operation();
    let (body, media_type) = Generated::<Echo>::error_content(Some(operation), &own, "id");
    assert_eq!(body, br#"{"title":"own"}"#);
    assert_eq!(media_type, "application/problem+json");
}

#[test]
fn the_generator_warns_of_error_bodies_with_members_that_the_server_cannot_set() {
    let text = include_str!("../golden/workshop.yaml");
    let document = openapi_dropshot_contract::read("workshop.yaml", text).expect("it is valid");
    let warnings = openapi_dropshot::warnings(&document);
    let [warning] = warnings.as_slice() else {
        panic!("one warning: {warnings:#?}");
    };
    assert_eq!(
        warning.rule,
        openapi_dropshot::rules::UNFILLED_ERROR_BODY.id
    );
    assert!(!warning.is_error());
    assert!(
        warning.message.contains("413") && warning.message.contains("`details`"),
        "{}",
        warning.message
    );
    assert!(
        warning.at.pointer.ends_with("/responses/413"),
        "{}",
        warning.at.pointer
    );
}
