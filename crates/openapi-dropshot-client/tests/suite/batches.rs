//! Tests many calls at the same time.

use crate::clock::Passing;
use crate::generated::{
    Batch, BoxError, Client, ClientBuilder, RequestBody, RetryBudget, RetryPolicy, TransportError,
};
use futures::StreamExt as _;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};

/// Creates a client whose service adds books, rejects those named `bad`, and responds with 401 to those named `stop`. For a
/// book named `broken`, the connection breaks; for `unreachable`, no connection is established. If the name is a status, the
/// service responds with this status. Each request takes as many turns of the runtime as its name has characters.
fn client(most: &Arc<AtomicUsize>) -> Client {
    builder(most).build().expect("it is valid")
}

fn builder(most: &Arc<AtomicUsize>) -> ClientBuilder {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::clone(most));
    let service = tower::service_fn(move |request: Request<RequestBody>| {
        let (running, most) = (Arc::clone(&running), Arc::clone(&most));
        async move {
            let now = running.fetch_add(1, Ordering::Relaxed) + 1;
            most.fetch_max(now, Ordering::Relaxed);
            let body = request.into_body().collect().await?.to_bytes();
            let body: serde_json::Value = serde_json::from_slice(&body)?;
            let name = body["name"].as_str().unwrap_or_default();
            for _ in 0..name.len() {
                tokio::task::yield_now().await;
            }
            running.fetch_sub(1, Ordering::Relaxed);
            let (status, body) = match name {
                "409" => (409, r#"{"code":"conflict"}"#.to_owned()),
                "broken" => return Err("the connection broke".into()),
                "unreachable" => return Err(TransportError::connect("nobody listens").into()),
                "403" | "429" | "500" | "502" | "503" | "504" => (name.parse()?, String::new()),
                "bad" => (400, r#"{"code":"invalid"}"#.to_owned()),
                "stop" => (401, r#"{"code":"unauthorized"}"#.to_owned()),
                name => (
                    201,
                    format!(r#"{{"id":1,"name":"{name}","categoryId":7,"status":"available"}}"#),
                ),
            };
            let response = Response::builder().status(status);
            let response = response.header("content-type", "application/json");
            Ok::<_, BoxError>(response.body(Full::from(body))?)
        }
    });
    Client::builder("http://books.example/v1")
        .clock(Passing::new())
        .retry(RetryPolicy::never())
        .transport(service)
}

/// A call for one name.
macro_rules! create {
    ($client:expr) => {
        |name: &'static str| {
            let body = crate::generated::types::NewBook::builder()
                .name(name)
                .category_id(7);
            $client.create_book().body(body).send()
        }
    };
}

#[tokio::test]
async fn results_keep_the_order_of_the_inputs_and_few_calls_run_at_a_time() {
    let most = Arc::default();
    let client = client(&most);
    let names = ["a longer name", "b", "bad", "c", "another long name", "d"];
    let seen = Arc::new(Mutex::new(Vec::new()));
    let progress = Arc::clone(&seen);
    let report = Batch::new(names, create!(client))
        .concurrency(3)
        .on_progress(move |now| {
            let mut seen = progress.lock().expect("no test panics with it");
            seen.push((now.done, now.failed));
        })
        .run()
        .await;
    let done: Vec<_> = report
        .done
        .iter()
        .map(|(index, book)| (*index, book.name.as_str()))
        .collect();
    assert_eq!(
        done,
        [(0, names[0]), (1, "b"), (3, "c"), (4, names[4]), (5, "d")]
    );
    assert_eq!(
        (report.failed.len(), report.failed[0].0, report.stopped),
        (1, 2, false)
    );
    assert_eq!(most.load(Ordering::Relaxed), 3);
    let seen = seen.lock().expect("no test panics with it");
    assert_eq!(*seen, [(1, 0), (2, 0), (2, 1), (3, 1), (4, 1), (5, 1)]);
    let error = report.into_result().expect_err("one failed");
    assert_eq!(
        (error.index, error.done.as_slice()),
        (2, &[0, 1, 3, 4, 5][..])
    );
    assert!(
        error
            .to_string()
            .starts_with("the call for the input at position 2 failed, and 5 calls succeeded: 400"),
        "{error}"
    );
}

#[tokio::test]
async fn an_unordered_batch_yields_each_result_as_soon_as_it_arrives() {
    let client = client(&Arc::default());
    let results = Batch::new(["a much longer name", "b"], create!(client))
        .unordered()
        .stream();
    let order: Vec<usize> = results.map(|(index, _)| index).collect().await;
    assert_eq!(order, [1, 0]);
}

#[tokio::test]
async fn an_error_that_would_affect_every_call_stops_the_batch_after_the_running_calls_have_ended()
{
    let client = client(&Arc::default());
    let taken = AtomicUsize::new(0);
    let names = ["a", "stop", "a longer name", "d", "e", "f", "g"];
    let inputs = names.into_iter().inspect(|_| {
        taken.fetch_add(1, Ordering::Relaxed);
    });
    let report = Batch::new(inputs, create!(client))
        .concurrency(2)
        .run()
        .await;
    assert!(report.stopped);
    let done: Vec<usize> = report.done.iter().map(|(index, _)| *index).collect();
    assert_eq!(done, [0, 2], "{report:?}");
    assert_eq!(report.failed[0].0, 1);
    let taken = taken.load(Ordering::Relaxed);
    assert!(taken <= 4, "{taken} of 7 inputs were read");
}

#[tokio::test]
async fn only_an_error_that_would_affect_every_input_stops_the_batch() {
    let client = client(&Arc::default());
    let cases = [
        ("bad", false),
        ("broken", false),
        ("409", false),
        ("500", false),
        ("504", false),
        ("unreachable", true),
        ("403", true),
        ("429", true),
        ("502", true),
        ("503", true),
    ];
    let mut stopped = Vec::new();
    for (name, _) in cases {
        let batch = Batch::new([name, "b"], create!(client)).concurrency(1);
        let report = batch.run().await;
        assert_eq!((report.failed.len(), report.failed[0].0), (1, 0), "{name}");
        assert_eq!(report.done.len(), usize::from(!report.stopped), "{name}");
        stopped.push((name, report.stopped));
    }
    assert_eq!(stopped, cases);
}

#[tokio::test]
async fn a_broken_connection_stops_the_batch_once_the_retry_budget_is_used_up() {
    let client = builder(&Arc::default())
        .retry(RetryPolicy::new().max_tries(2))
        .retry_budget(RetryBudget::new(1, 100))
        .build()
        .expect("it is valid");
    let batch = Batch::new(["broken", "broken", "b"], create!(client)).concurrency(1);
    let report = batch.run().await;
    let failed: Vec<usize> = report.failed.iter().map(|(index, _)| *index).collect();
    assert_eq!((failed, report.stopped), (vec![0, 1], true));
    assert!(report.done.is_empty());
}

#[tokio::test]
async fn the_application_can_choose_which_errors_stop_the_batch() {
    let client = client(&Arc::default());
    let report = Batch::new(["bad", "b"], create!(client))
        .concurrency(0)
        .stop_if(|error| error.status() == Some(400))
        .run()
        .await;
    assert!(report.stopped && report.done.is_empty());
    let report = Batch::from_stream(futures::stream::iter(["stop", "b"]), create!(client))
        .stop_if(|_| false)
        .run()
        .await;
    assert_eq!((report.stopped, report.done.len()), (false, 1));
    let all = Batch::new(["a", "b"], create!(client))
        .run()
        .await
        .into_result();
    assert_eq!(all.expect("all are added").len(), 2);
}
