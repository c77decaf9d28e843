//! A page for each task.

/// # From zero to the first pet
///
/// You need the address of the service, which ends with the version of its interface (`/v1`), and an API key. The command
/// `petstore-server key create NAME` prints a key; a server that starts on a new store shows its first key.
///
/// In `Cargo.toml`, from a checkout of the repository:
///
/// ```toml
/// [dependencies]
/// petstore-client = { path = "../petstore/crates/petstore-client" }
/// tokio = { version = "1", features = ["macros", "rt-multi-thread"] }
/// ```
///
/// Without a checkout, cargo takes the URL that you clone the repository from: write `git = "…"` in place of `path`. Once the
/// crate is in a registry, `petstore-client = "1"` will do; today no registry has it.
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
/// One client serves a whole program: it is cheap to clone and keeps its connections open.
pub mod quick_start {}

/// # Values of requests and responses
///
/// The types of bodies are structs with public fields. All of them have `Clone`, `Debug`, `PartialEq`, `Eq`, `Hash`, and
/// serde's `Serialize` and `Deserialize` in the form that the service sends, so that they can be stored as JSON.
///
/// Lists are taken by `for`, also inside of a response: `for pet in &page` and `for pet in page`.
///
/// Times are those of the crate `chrono`, in UTC. To name their type or to parse one, add `chrono = "0.4"` to the dependencies of your
/// application.
///
/// There are three ways to make one:
///
/// ```
/// use petstore_client::{Error, NewPet, PetStatus};
///
/// // The required members, checked by the compiler; then the optional ones.
/// let mut rex = NewPet::new(7, "Rex");
/// rex.status = Some(PetStatus::Available);
///
/// // By name. `build` returns an error that names a member which is missing or not valid.
/// let built = NewPet::builder().name("Rex").category_id(7).status(PetStatus::Available).build()?;
/// assert_eq!(rex, built);
/// // An optional member takes what a required one takes, and an `Option`.
/// assert_eq!(built, NewPet::builder().name("Rex").category_id(7).status("available").build()?);
/// let error = NewPet::builder().name("Rex").build().unwrap_err();
/// assert_eq!(error.to_string(), "`categoryId` is required: set it with `category_id`");
///
/// // From JSON.
/// let read: NewPet = serde_json::from_str(r#"{"name":"Rex","categoryId":7,"status":"available"}"#)?;
/// assert_eq!(rex, read);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The method `body` of a request takes a value or a builder. `new` exists for types that requests contain: a later version
/// adds no required member to them. Types of responses may grow, so only their builders make them.
pub mod models {}

/// # Errors
///
/// Every call returns one error type, [`Error`](crate::Error). Decide by [`code`](crate::Error::code); the list of codes is
/// open, so decide by [`is_retryable`](crate::Error::is_retryable) and [`status_code`](crate::Error::status_code) if you do not
/// know a code. Without a response, [`kind`](crate::Error::kind) says at which point the call failed, and
/// [`was_sent`](crate::Error::was_sent) whether the service may have seen the request. Quote
/// [`request_id`](crate::Error::request_id) when you report an error.
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
/// [`errors`](crate::errors) has an enum for each operation, with the codes that the document lists for it and what each of
/// them means; the method of [`Client`](crate::Client) lists them as well. It is `#[non_exhaustive]`, because a later version may list
/// more:
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
/// If a proxy responds in place of the service, the message names the media type of its page, and
/// [`excerpt`](crate::Error::excerpt) has the beginning of its text.
///
/// Neither `Display` nor `Debug` of any type shows the API key, a header, or the text of a response that could not be read.
pub mod errors {}

/// # Retries and time limits
///
/// A request is sent again if that is safe and may help:
///
/// | what happened | `GET`, and requests with an `Idempotency-Key` | other requests |
/// |---|---|---|
/// | no connection was made | again | again |
/// | 429 `rate_limited`, 503 `overloaded`, 408 `request_timeout`, 409 `conflict` | again | again |
/// | the connection broke, the response was interrupted, or it took too long | again | an error |
/// | 503 `unavailable`; 502, 503 or 504 of a proxy | again | an error |
/// | any other error, such as a certificate that is not trusted | an error | an error |
///
/// Each creation gets an `Idempotency-Key` of its own and keeps it for all its tries, so that a pet is added once. (A
/// service of the version 1.0.0 does not know the key yet; there, a creation whose response was lost may be carried out
/// twice. Give such calls [`RetryPolicy::never`](crate::RetryPolicy::never).)
///
/// An `Idempotency-Key` is valid only together with the API key of its request. If the response of a creation was lost and the
/// API key is revoked before the next try, the creation is not repeated with the new key, which could add a second pet: the call
/// fails with 401, and [`retry_stop`](crate::Error::retry_stop) is
/// [`RetryStop::ApiKeyRejected`](crate::RetryStop::ApiKeyRejected). Look for the pet before you add it again. It does not happen
/// if the old key is valid for a minute after it was replaced ([`Credentials`](crate::Credentials)).
///
/// The pause between two tries is random, grows, and is never shorter than the service asks for in `Retry-After` or
/// `RateLimit`. The number of tries is limited ([`RetryPolicy`](crate::RetryPolicy), six), and so are the retries of all calls
/// of a client together ([`RetryBudget`](crate::RetryBudget)) and the time: 10 seconds for a try and 30 seconds for a call.
///
/// A rate limit belongs to the API key. After a 429, and after the last response that the limit allows, all calls of the client
/// pause as long as the service asks. A call whose time limit would end during the pause sends its request at once instead, and
/// the service decides; if it succeeds, the pause ends for all calls.
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
/// // The same, for settings that several calls share.
/// let impatient = CallOptions::new().timeout(Duration::from_secs(1)).retry(RetryPolicy::never());
/// let request = client.list_pets().with(impatient);
/// # Ok::<(), petstore_client::BuildError>(())
/// ```
///
/// [`Error::retry_stop`](crate::Error::retry_stop) says why a request was not sent again.
pub mod retries {}

/// # More than a page, and more than a call
///
/// The service returns lists in pages. `stream` follows their links and yields one pet after the other; `pages` yields the
/// pages. Each page is fetched when it is needed. After an interruption, begin again from
/// [`Items::cursor`](crate::Items); [`recovery`](crate::recovery) and `examples/resume_list.rs` show it.
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
/// [`Batch`](crate::Batch) makes a call for each of many inputs, with a limited number at the same time, and says which of
/// them are done if an error stops it:
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
/// An error that every other call would meet as well stops a batch: the service cannot be reached, responds with 401, 403, 429, 502
/// or 503 after all tries, or the retry budget of the client is used up. Anything else is an error of one input, also a connection that
/// broke in all tries; [`Batch`](crate::Batch) has the whole list.
///
/// With the feature `beta`, `wait_until_order_delivered` asks for an order until it is delivered or cancelled; see
/// [`guide::orders`](crate::guide::orders).
pub mod pagination {}

/// # Orders
///
/// The operations on orders are `beta`: they may change, with a warning, and need the feature `beta` of this crate. (The documentation of
/// this crate has them if it is made with that feature: `cargo doc --open -p petstore-client --features beta`.)
///
/// ```no_run
/// # #[cfg(feature = "beta")]
/// # async fn example(client: &petstore_client::Client) -> Result<(), Box<dyn std::error::Error>> {
/// use petstore_client::{NewOrder, OrderStatus, OrderUpdate, WaitError};
/// use std::time::Duration;
///
/// // The pet 1 becomes `pending`. The request has an `Idempotency-Key`, so that one order is placed.
/// let order = client.create_order().body(NewOrder::new(1)).send().await?;
/// println!("order {} is {}", order.id, order.status);
///
/// let approve = OrderUpdate::new(OrderStatus::Approved);
/// let result = client.update_order_with(order.id, approve).send().await;
/// if result.is_err_and(|error| error.was_sent()) {
///     // The change may have been made although the response was lost.
///     let now = client.get_order().order_id(order.id).send().await?;
///     println!("order {} is {}", now.id, now.status);
/// }
///
/// let delivery = client.wait_until_order_delivered(order.id).timeout(Duration::from_secs(60));
/// match delivery.await {
///     Ok(order) => println!("order {} is {}", order.id, order.status),
///     Err(WaitError::Failed { state, .. }) => println!("it will never be delivered: {state}"),
///     Err(WaitError::Timeout { state, .. }) => println!("still {state:?}"),
///     Err(error) => println!("it is not known: {error}"),
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
/// To place one order even if the application crashes, store the `Idempotency-Key` before you send the request: see
/// [`recovery`](crate::recovery) and `examples/resume_order.rs`. The service keeps a key for 24 hours, for the API key of the
/// request, and returns the first response again, which shows the order as it was placed.
///
/// `update_order` has no `Idempotency-Key`, and the client does not repeat it if it may have been carried out. If its response was
/// lost, call `get_order` and compare the status; do not judge by the message of an error.
///
/// [`Waiting`](crate::Waiting) asks at once, and then after pauses that grow: 100 to 200 milliseconds at first, 5 to 10 seconds
/// at last. The [`RetryPolicy`](crate::RetryPolicy) sets them, for one call as well:
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
/// Each request has the retries and time limits of a call. If it fails nevertheless, the wait ends with `WaitError::Call`. Otherwise it
/// lasts until the timeout (5 minutes if not set), at which the client asks once more.
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
/// - [`Interceptor`](crate::Interceptor) has hooks before and after each try, one that can wait (to sign), and one at the end of a
///   call. The hooks of a call share a typed context.
/// - [`Credentials`](crate::Credentials) provides keys that change: a file, or a closure that asks a vault. If one cannot be
///   loaded, the client logs it, and calls `after_failed_load` of its interceptors.
/// - [`ClientBuilder`](crate::ClientBuilder): `transport` takes a `tower::Service` in place of reqwest, and `wrap_transport` puts
///   reqwest into one.
/// - [`Client::to_builder`](crate::Client::to_builder) makes a changed copy of a client.
/// - [`Client::request`](crate::Client::request) sends what the document lacks.
/// - [`telemetry`](crate::telemetry) has `TracePropagation` and `HttpMetrics` (feature `opentelemetry`).
///   `examples/propagate_trace.rs` sends its trace to the service, whose log then shows it.
/// - `Response::raw_body` and `Response::unknown_members` show what a newer service sent.
pub mod extending {}

/// # Testing an application
///
/// [`MockTransport`](crate::mock::MockTransport) gives a client responses from memory. It needs no further crate:
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
/// The crate `petstore-testing` starts the real service inside a test: in memory and on a free port, with a clock that the
/// test controls and with faults that it can inject. Use it where the behaviour of the service matters.
///
/// A mock can also respond late ([`delay`](crate::mock::MockResponse::delay)), compute a response from the request
/// ([`respond_with`](crate::mock::MockTransport::respond_with)), and tell what was not used
/// ([`unused`](crate::mock::MockTransport::unused)).
///
/// Pauses between tries take time in tests. With a mock, let tokio's clock stand still: with
/// `#[tokio::test(start_paused = true)]` (feature `test-util` of tokio) pauses, time limits and delays pass at once, and
/// `tokio::time::Instant` shows how long they are. With a real server, which does not know that clock, give the client
/// [`RetryPolicy::never`](crate::RetryPolicy::never) or a [`Clock`](crate::Clock) of its own.
pub mod testing {}

/// # Upgrading
///
/// The versions of this crate follow the contract of the service, and semantic versioning: code for 1.x compiles with each
/// later 1.y.
///
/// - The compiler warns of each use of a deprecated operation, with the day of its removal and its replacement.
///   Deprecations that only the service knows are read from its responses: each is logged once per operation and process,
///   passed to [`ClientBuilder::on_deprecation`](crate::ClientBuilder), and counted in
///   [`Client::deprecated_calls`](crate::Client::deprecated_calls).
/// - A newer service may send more than this version knows: unknown members are ignored, unknown values are kept, as in
///   [`PetStatus::Unknown`](crate::PetStatus::Unknown), from JSON and from text (`parse`), and types that may grow are `#[non_exhaustive]`.
/// - Operations of the features `beta` and `experimental` may change in any version.
/// - `CHANGELOG.md` of the repository lists every change.
pub mod upgrading {}
