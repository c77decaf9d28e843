//! A page for each task.

/// # Add the first pet
///
/// You need the base URL of the service, which ends with the version of its API (`/v1`), and an API key. The command
/// `petstore-server key create NAME` prints a key. A server that starts with a new store also prints its first key.
///
/// In `Cargo.toml`, from a checkout of the repository:
///
/// ```toml
/// [dependencies]
/// petstore-client = { path = "../petstore/crates/petstore-client" }
/// tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
/// ```
///
/// Without a checkout, replace `path` with `git = "…"` and the URL of the repository. The crate is not in a registry yet. Once it
/// is, `petstore-client = "1"` will be sufficient.
///
/// ```no_run
/// use petstore_client::{Client, NewPet, PetStatus};
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), petstore_client::Error> {
/// let client = Client::builder("http://127.0.0.1:8080/v1")
///     .api_key("the-key")
///     .app_name("shelter/1.0")
///     .build()?;
///
/// let rex = NewPet::builder().name("Rex").category_id(7).status(PetStatus::Available);
/// let added = client.create_pet().body(rex).send().await?;
/// println!("{} has the id {}", added.name, added.id);
/// # Ok(())
/// # }
/// ```
///
/// A program needs only one client: it is cheap to clone and keeps its connections open.
pub mod quick_start {}

/// # Values of requests and responses
///
/// The types of bodies are structs with public fields. All of them have `Clone`, `Debug`, `PartialEq`, `Eq`, `Hash`, and
/// serde's `Serialize` and `Deserialize`. The JSON form is the one that the service sends, so values can be stored as JSON.
///
/// A `for` loop can iterate over a list, even if it is wrapped in a response: `for pet in &page` or `for pet in page`.
///
/// Times have types of the crate `chrono` and are in UTC. To use these types or to parse a time, add `chrono = "0.4"` to the
/// dependencies of your application.
///
/// There are three ways to create a value:
///
/// ```
/// use petstore_client::{Error, NewPet, PetStatus};
///
/// // The compiler checks that all required properties are passed. Optional properties are set afterwards.
/// let mut rex = NewPet::new(7, "Rex");
/// rex.status = Some(PetStatus::Available);
///
/// // A builder sets properties by name. `build` returns an error that names a property that is missing or not valid.
/// let built = NewPet::builder().name("Rex").category_id(7).status(PetStatus::Available).build()?;
/// assert_eq!(rex, built);
/// // The method of an optional property accepts the same values as that of a required one, and also an `Option`.
/// assert_eq!(built, NewPet::builder().name("Rex").category_id(7).status("available").build()?);
/// let error = NewPet::builder().name("Rex").build().unwrap_err();
/// assert_eq!(error.to_string(), "`categoryId` is required: set it with `category_id`");
///
/// // A value can also be parsed from JSON.
/// let read: NewPet = serde_json::from_str(r#"{"name":"Rex","categoryId":7,"status":"available"}"#)?;
/// assert_eq!(rex, read);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The method `body` of a request accepts a value or a builder. Only types that occur in requests have a function `new`, because later
/// versions add no required properties to them. Types that occur only in responses may get more properties, so they only have builders.
pub mod models {}

/// # Errors
///
/// All calls return the same error type, [`Error`](crate::Error). Handle errors by their [`code`](crate::Error::code). Later versions of
/// the service may send more codes. For an unknown code, use [`is_retryable`](crate::Error::is_retryable) and
/// [`status_code`](crate::Error::status_code). If there is no response, [`kind`](crate::Error::kind) says in which step the call failed,
/// and [`was_sent`](crate::Error::was_sent) says whether the service may have received the request. When you report an error, include the
/// [`request_id`](crate::Error::request_id).
///
/// ```no_run
/// # use petstore_client::{Client, ErrorCode, ErrorKind, NewPet};
/// # async fn add(client: &Client) {
/// match client.create_pet().body(NewPet::new(3, "Tom")).send().await {
///     Ok(added) => println!("added with the id {}", added.id),
///     Err(error) => match (error.code(), error.kind()) {
///         (Some(ErrorCode::InvalidRequest), _) => println!("not a pet: {}", error.message()),
///         (_, ErrorKind::Tls) => println!("check the certificate: {error}"),
///         _ if error.is_retryable() => println!("not now: {error}"),
///         _ => println!("not added: {error}"),
///     },
/// }
/// # }
/// ```
///
/// The module [`errors`](crate::errors) has an enum for each operation. It contains the codes that the document lists for the operation,
/// and the meaning of each code. The documentation of each method of [`Client`](crate::Client) lists them, too. These enums are
/// `#[non_exhaustive]`, because a later version may have more codes:
///
/// ```no_run
/// # use petstore_client::{Client, NewPet, errors::CreatePetError};
/// # async fn add(client: &Client) {
/// if let Err(error) = client.create_pet_with(NewPet::new(3, "Tom")).send().await {
///     match error.code_of::<CreatePetError>() {
///         Some(CreatePetError::InvalidRequest) => println!("not a pet: {}", error.message()),
///         Some(CreatePetError::Unauthorized) => println!("get another API key"),
///         Some(code) => println!("{code:?}: {error}"),
///         None => println!("another code, or no response: {error}"),
///     }
/// }
/// # }
/// ```
///
/// If a proxy responds instead of the service, the message of the error names the media type of the response, and
/// [`excerpt`](crate::Error::excerpt) returns the beginning of its text.
///
/// No `Display` or `Debug` output of this crate contains the API key, a header, or the text of a response that could not be read.
pub mod errors {}

/// # Retries and time limits
///
/// A failed request is sent again if this is safe and can succeed:
///
/// | failure | `GET`, and requests with an `Idempotency-Key` | other requests |
/// |---|---|---|
/// | no connection could be established | sent again | sent again |
/// | 429 `rate_limited`, 503 `overloaded`, 408 `request_timeout`, 409 `conflict` | sent again | sent again |
/// | the connection broke, or the response was interrupted or took too long | sent again | an error |
/// | 503 `unavailable`; 502, 503 or 504 of a proxy | sent again | an error |
/// | any other error, such as a certificate that is not trusted | an error | an error |
///
/// Each creation gets its own `Idempotency-Key`, which is the same in all its tries. Therefore a pet is added only once. (Version 1.0.0 of
/// the service does not support the key yet. With that version, a creation whose response was lost may be carried out twice, so use
/// [`RetryPolicy::never`](crate::RetryPolicy::never) for such calls.)
///
/// An `Idempotency-Key` is valid only together with the API key of its request. Assume that the response of a creation was lost, and the
/// API key is revoked before the next try. A try with the new API key could add a second pet, so the client does not repeat the creation:
/// the call fails with 401, and [`retry_stop`](crate::Error::retry_stop) is
/// [`RetryStop::ApiKeyRejected`](crate::RetryStop::ApiKeyRejected). In this case, check whether the pet exists before you add it again. To
/// avoid this failure, revoke an old key only a minute after you replaced it ([`Credentials`](crate::Credentials)).
///
/// The pause between two tries is random and grows with each try. It is never shorter than the time that the service requests in
/// `Retry-After` or `RateLimit`. [`RetryPolicy`](crate::RetryPolicy) limits the number of tries of a call (six by default), and
/// [`RetryBudget`](crate::RetryBudget) limits the retries of all calls of a client together. By default, a try may take 10 seconds, and a
/// call 30 seconds.
///
/// The rate limit applies to the API key. After a response with 429, and after the last response that the limit allows, all calls of the
/// client pause for as long as the service requests. If the time limit of a call would end during the pause, the call sends its request at
/// once, and the service decides. If this request succeeds, the pause ends for all calls.
///
/// ```
/// use petstore_client::{CallOptions, Client, RetryDecision, RetryPolicy};
/// use std::time::Duration;
///
/// let policy = RetryPolicy::new().max_tries(3).classify(|outcome| {
///     // This proxy responds with 500 while it restarts.
///     match outcome.status_code().map(|status| status.as_u16()) {
///         Some(500) if outcome.is_repeatable() => RetryDecision::Retry,
///         _ => RetryDecision::Default,
///     }
/// });
/// let client = Client::builder("http://127.0.0.1:8080/v1").api_key("the-key").retry(policy).build()?;
/// let request = client.list_pets().timeout(Duration::from_secs(1)).retry(RetryPolicy::never());
/// // The same, with settings that several calls can share.
/// let impatient = CallOptions::new().timeout(Duration::from_secs(1)).retry(RetryPolicy::never());
/// let request = client.list_pets().with(impatient);
/// # Ok::<(), petstore_client::BuildError>(())
/// ```
///
/// [`Error::retry_stop`](crate::Error::retry_stop) says why a request was not sent again.
pub mod retries {}

/// # Several pages, and several calls
///
/// The service returns lists in pages. `stream` follows the links between pages and yields one pet after the other; `pages` yields whole
/// pages. A page is fetched when it is needed. After an interruption, continue from [`Items::cursor`](crate::Items);
/// [`recovery`](crate::recovery) and `examples/resume_list.rs` show how.
///
/// ```no_run
/// # use petstore_client::{Client, Error, PetStatus};
/// # async fn walk(client: &Client) -> Result<(), Error> {
/// let mut pets = client.list_pets().status(PetStatus::Available).stream();
/// while let Some(pet) = pets.next().await {
///     println!("{}", pet?.name);
/// }
/// # Ok(())
/// # }
/// ```
///
/// [`Batch`](crate::Batch) makes a call for each of many inputs, with a limited number of calls at the same time. If an error stops the
/// batch, the report says which inputs are done:
///
/// ```no_run
/// # use petstore_client::{Batch, Client, NewPet};
/// # async fn add(client: &Client, names: Vec<String>) {
/// let report = Batch::new(names, |name| client.create_pet().body(NewPet::new(7, name)).send())
///     .concurrency(16)
///     .run()
///     .await;
/// println!("{} added, {} failed", report.done.len(), report.failed.len());
/// # }
/// ```
///
/// An error stops a batch if all other calls would fail in the same way: the service cannot be reached, it still responds with 401, 403,
/// 429, 502 or 503 after all tries, or the retry budget of the client is used up. Any other error affects only one input, for example a
/// connection that broke in all tries. The documentation of [`Batch`](crate::Batch) has the complete list.
///
/// With the feature `beta`, `wait_until_order_delivered` fetches an order repeatedly until it is delivered or cancelled; see
/// [`guide::orders`](crate::guide::orders).
pub mod pagination {}

/// # Orders
///
/// The operations on orders are `beta`: they may change after an announcement, and they need the feature `beta` of this crate. (To see
/// them in the documentation, build it with this feature: `cargo doc --open -p petstore-client --features beta`.)
///
/// ```no_run
/// # #[cfg(feature = "beta")]
/// # async fn example(client: &petstore_client::Client) -> Result<(), Box<dyn std::error::Error>> {
/// use petstore_client::{NewOrder, OrderStatus, OrderUpdate, WaitError};
/// use std::time::Duration;
///
/// // The status of the pet 1 becomes `pending`. The request has an `Idempotency-Key`, so only one order is placed.
/// let order = client.create_order().body(NewOrder::new(1)).send().await?;
/// println!("order {} is {}", order.id, order.status);
///
/// let approve = OrderUpdate::new(OrderStatus::Approved);
/// let result = client.update_order_with(order.id, approve).send().await;
/// if result.is_err_and(|error| error.was_sent()) {
///     // The response was lost, but the service may have changed the order.
///     let now = client.get_order().order_id(order.id).send().await?;
///     println!("order {} is {}", now.id, now.status);
/// }
///
/// let delivery = client.wait_until_order_delivered(order.id).timeout(Duration::from_secs(60));
/// match delivery.await {
///     Ok(order) => println!("order {} is {}", order.id, order.status),
///     Err(WaitError::Failed { state, .. }) => println!("it will never be delivered: {state}"),
///     Err(WaitError::Timeout { state, .. }) => println!("still {state:?}"),
///     Err(error) => println!("the status of the order is unknown: {error}"),
/// }
///
/// let mut placed = client.list_orders().status(OrderStatus::Placed).stream();
/// while let Some(order) = placed.next().await {
///     println!("order {}", order?.id);
/// }
/// # Ok(())
/// # }
/// ```
///
/// To place only one order even if the application crashes, store the `Idempotency-Key` before you send the request: see
/// [`recovery`](crate::recovery) and `examples/resume_order.rs`. The service keeps an `Idempotency-Key` for 24 hours, together with the API
/// key of the request. If the same request arrives again, the service returns the first response, which shows the order as it was placed.
///
/// `update_order` has no `Idempotency-Key`, so the client does not repeat a request that may have been carried out. If its response was
/// lost, call `get_order` and compare the status; do not rely on the message of an error.
///
/// [`Waiting`](crate::Waiting) fetches the order at once, and then again after growing pauses: 100 to 200 milliseconds at first, and 5 to
/// 10 seconds in the end. The [`RetryPolicy`](crate::RetryPolicy) of the client, or of a single call, sets these pauses:
///
/// ```no_run
/// # #[cfg(feature = "beta")]
/// # async fn example(client: &petstore_client::Client) -> Result<(), Box<dyn std::error::Error>> {
/// use petstore_client::{CallOptions, RetryPolicy};
/// use std::time::Duration;
///
/// let every_second = RetryPolicy::new().first_pause(Duration::from_secs(1)).longest_pause(Duration::from_secs(1));
/// let order = client.get_order().order_id(2)
///     .with(CallOptions::new().retry(every_second))
///     .wait_until_order_delivered()
///     .timeout(Duration::from_secs(60))
///     .await?;
/// # Ok(())
/// # }
/// ```
///
/// Each of these requests has the retries and time limits of a call. If a request fails in spite of its retries, the wait ends with
/// `WaitError::Call`. Otherwise it ends at the timeout (5 minutes by default), when the client fetches the order once more.
pub mod orders {}

/// # Interceptors, changing keys, transports, traces and metrics
///
/// ```
/// use petstore_client::{ApiKeyFile, Client, TryRequest};
///
/// let client = Client::builder("http://127.0.0.1:8080/v1")
///     // Read again every 10 seconds, and as soon as the service rejects the key.
///     .credentials(ApiKeyFile::new("/run/secrets/petstore-key"))
///     .header("x-tenant", "north")
///     .interceptor(|request: &mut TryRequest<'_>| {
///         println!("{} {}, try {}", request.method(), request.url(), request.number());
///         Ok(())
///     })
///     .build()?;
/// # Ok::<(), petstore_client::BuildError>(())
/// ```
///
/// - [`Interceptor`](crate::Interceptor) has hooks before and after each try, an asynchronous hook (for example to sign requests), and a
///   hook at the end of a call. The hooks of a call share a typed context.
/// - [`Credentials`](crate::Credentials) provides keys that change: from a file, or from a closure that queries a vault. If a key cannot be
///   loaded, the client logs the failure and calls `after_failed_load` of its interceptors.
/// - [`ClientBuilder`](crate::ClientBuilder): `transport` sets a `tower::Service` that replaces reqwest, and `wrap_transport` sets one that
///   wraps reqwest.
/// - [`Client::to_builder`](crate::Client::to_builder) creates a copy of a client with other settings.
/// - [`Client::request`](crate::Client::request) sends requests that the document does not describe.
/// - [`telemetry`](crate::telemetry) has `TracePropagation` and `HttpMetrics` (feature `opentelemetry`).
///   `examples/propagate_trace.rs` sends its trace id to the service, whose log then contains this id.
/// - `Response::raw_body` and `Response::unknown_members` return data of a newer service that this version does not know.
pub mod extending {}

/// # Testing an application
///
/// With [`MockTransport`](crate::mock::MockTransport), a client gets prepared responses from memory. It needs no other crate:
///
/// ```
/// use petstore_client::{Client, mock::{MockResponse, MockTransport}};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), petstore_client::Error> {
/// let service = MockTransport::new();
/// service.respond(MockResponse::no_connection());
/// service.respond(MockResponse::error(429, "rate_limited", "wait").header("retry-after", "0"));
/// service.respond(MockResponse::json(200, &["no pets"]));
/// let client = Client::builder("http://petstore.example/v1")
///     .api_key("the-key")
///     .transport(service.clone())
///     .build()?;
///
/// let error = client.list_pets().send().await.unwrap_err();
/// assert!(error.message().contains("is not what this version of the client expects"));
/// assert_eq!(service.requests().len(), 3);
/// # Ok(())
/// # }
/// ```
///
/// The crate `petstore-testing` starts the real service inside a test, with a store in memory and on a free port. The test can control the
/// clock and inject faults. Use this crate if the behaviour of the service matters.
///
/// A mock can also respond late ([`delay`](crate::mock::MockResponse::delay)), compute a response from the request
/// ([`respond_with`](crate::mock::MockTransport::respond_with)), and return the prepared responses that were not used
/// ([`unused`](crate::mock::MockTransport::unused)).
///
/// Pauses between tries make tests slow. With a mock, pause the clock of tokio: with `#[tokio::test(start_paused = true)]` (feature
/// `test-util` of tokio), pauses, time limits and delays pass at once, and `tokio::time::Instant` still measures them. A real server does
/// not use this clock. With a real server, use [`RetryPolicy::never`](crate::RetryPolicy::never), or give the client its own
/// [`Clock`](crate::Clock).
pub mod testing {}

/// # Upgrading
///
/// This crate has the same versions as the contract of the service. They follow semantic versioning: code for a version 1.x also compiles
/// with every later version 1.y.
///
/// - The compiler warns about each use of a deprecated operation. The warning contains the removal date and the replacement. If the service
///   deprecates an operation later, the client sees it in the responses: it logs the deprecation once per operation and process, passes it to
///   [`ClientBuilder::on_deprecation`](crate::ClientBuilder), and counts it in [`Client::deprecated_calls`](crate::Client::deprecated_calls).
/// - A newer service may send data that this version does not know. Unknown properties are ignored. Unknown values of enums are kept, as in
///   [`PetStatus::Unknown`](crate::PetStatus::Unknown), both from JSON and from text (`parse`). Types that may get more fields or variants are
///   `#[non_exhaustive]`.
/// - Operations of the features `beta` and `experimental` may change in any version.
/// - `CHANGELOG.md` of the repository lists every change.
pub mod upgrading {}
