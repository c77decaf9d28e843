//! Tests the engine, with a receiver on this machine.

use super::*;
use crate::{
    EgressRules, MasterKey,
    test_receiver::{Request, receiver, status},
};
use bytes::Bytes;
use http::{HeaderValue, Response};
use http_body_util::Full;
use standardwebhooks::Webhook;
use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    net::SocketAddr,
    sync::Mutex,
};
use tokio::{
    sync::{Semaphore, oneshot, watch},
    task::JoinHandle,
};

/// Deliveries in memory, which record what the engine does with them.
#[derive(Default)]
struct State {
    rows: Vec<Row>,
    disabled: BTreeSet<String>,
    finished: Vec<Finished>,
    claims: usize,
    /// How many of the next calls of `claim` fail.
    claim_errors: usize,
    finish_errors: usize,
    finish_panics: usize,
}

struct Row {
    due: Due,
    at: DateTime<Utc>,
    is_open: bool,
}

struct Memory(watch::Sender<State>);

/// Waits until a value fulfils a condition. A test that would wait forever fails after a minute.
async fn until<T>(value: &mut watch::Receiver<T>, condition: impl FnMut(&T) -> bool) {
    let waiting = value.wait_for(condition);
    let waited = timeout(Duration::from_secs(60), waiting).await;
    waited
        .expect("the condition is fulfilled")
        .expect("the sender exists");
}

impl Memory {
    /// Waits until the state fulfils a condition.
    async fn until(&self, condition: impl FnMut(&State) -> bool) {
        until(&mut self.0.subscribe(), condition).await;
    }

    async fn until_finished(&self, count: usize) -> Vec<Finished> {
        self.until(|state| state.finished.len() >= count).await;
        self.0.borrow().finished.clone()
    }
}

impl State {
    fn claim(&mut self, claim: &Claim) -> Vec<Due> {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut claimed = Vec::new();
        for row in &mut self.rows {
            let endpoint = &row.due.endpoint;
            let count = counts.entry(endpoint.clone()).or_default();
            let is_due = row.is_open && row.at <= claim.now && !self.disabled.contains(endpoint);
            if !is_due
                || row.due.failing_since.is_some() != claim.failing
                || claim.busy.contains(endpoint)
                || *count == claim.per_endpoint
                || claimed.len() == claim.limit
            {
                continue;
            }
            *count += 1;
            row.at = claim.lease_until;
            claimed.push(row.due.clone());
        }
        claimed
    }

    fn finish(&mut self, finished: Finished) {
        let row = self.rows.iter_mut().find(|row| row.due.id == finished.id);
        let row = row.expect("the delivery exists");
        assert_eq!(row.at, finished.lease_until);
        row.due.tries += 1;
        match finished.next {
            Next::RetryAt(at) => row.at = at,
            Next::Delivered | Next::GivenUp => row.is_open = false,
        }
        let failing_since = row.due.failing_since.unwrap_or(finished.at);
        let failing_since = finished.sent.failure.map(|_| failing_since);
        let others = self
            .rows
            .iter_mut()
            .filter(|row| row.due.endpoint == finished.endpoint);
        for row in others {
            row.due.failing_since = failing_since;
        }
        if finished.disable.is_some() {
            self.disabled.insert(finished.endpoint.clone());
        }
        self.finished.push(finished);
    }
}

impl Deliveries for Arc<Memory> {
    async fn claim(&self, claim: Claim) -> Result<Vec<Due>, BoxError> {
        let mut claimed = Ok(Vec::new());
        self.0.send_modify(|state| {
            state.claims += 1;
            claimed = if state.claim_errors > 0 {
                state.claim_errors -= 1;
                Err("the database is away".into())
            } else {
                Ok(state.claim(&claim))
            };
        });
        claimed
    }

    async fn finish(&self, finished: Finished) -> Result<(), BoxError> {
        let mut result = Ok(());
        let mut panics = false;
        self.0.send_modify(|state| {
            if state.finish_panics > 0 {
                state.finish_panics -= 1;
                panics = true;
            } else if state.finish_errors > 0 {
                state.finish_errors -= 1;
                result = Err("the database is away".into());
            } else {
                state.finish(finished);
            }
        });
        assert!(!panics, "a panic of the service");
        result
    }
}

fn secret(endpoint: &str) -> crate::Secret {
    MasterKey::from_bytes(&[1; 32])
        .expect("long enough")
        .secret(endpoint, 1)
}

fn start() -> DateTime<Utc> {
    "2026-11-27T08:00:00Z".parse().expect("a time")
}

fn retry_at(finished: &Finished) -> DateTime<Utc> {
    match finished.next {
        Next::RetryAt(at) => at,
        _ => panic!("it is not tried again: {finished:?}"),
    }
}

/// A running engine whose clock only the test changes.
struct Run {
    memory: Arc<Memory>,
    now: Arc<Mutex<DateTime<Utc>>>,
    handle: Arc<Handle>,
    shutdown: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Run {
    /// Begins to deliver one message to each of these endpoints. The URL of an endpoint has its name as the path.
    fn new(
        receiver: SocketAddr,
        endpoints: impl IntoIterator<Item = impl ToString>,
        change: impl FnOnce(&mut State),
    ) -> Self {
        Self::with_grace(receiver, endpoints, change, Duration::from_secs(60))
    }

    fn with_grace(
        receiver: SocketAddr,
        endpoints: impl IntoIterator<Item = impl ToString>,
        change: impl FnOnce(&mut State),
        grace: Duration,
    ) -> Self {
        let rows = endpoints.into_iter().zip(1..).map(|(endpoint, id)| Row {
            due: Due {
                id,
                endpoint: endpoint.to_string(),
                url: format!("http://{receiver}/{}", endpoint.to_string()),
                message_id: format!("evt_{id}"),
                payload: format!(r#"{{"id":{id}}}"#).into(),
                secrets: vec![secret(&endpoint.to_string())],
                tries: 0,
                failing_since: None,
            },
            at: start(),
            is_open: true,
        });
        let mut state = State {
            rows: rows.collect(),
            ..State::default()
        };
        change(&mut state);
        let memory = Arc::new(Memory(watch::Sender::new(state)));
        let rules = EgressRules {
            allow_http: true,
            allowed_networks: vec!["127.0.0.0/8".parse().expect("a network")],
            proxy: None,
        };
        let sender = Sender::new(rules, Duration::from_secs(120), "tests").expect("a sender");
        let now = Arc::new(Mutex::new(start()));
        let clock = Arc::clone(&now);
        let mut engine = Engine::new(Arc::clone(&memory), sender)
            .clock(move || *clock.lock().expect("no panic"));
        // The engine claims only when it is woken or a delivery ends, and not after a time.
        engine.period = Duration::from_secs(3600);
        engine.claim_pause = Duration::ZERO;
        engine.finish_pause = Duration::ZERO;
        let (shutdown, ended) = oneshot::channel::<()>();
        let handle = engine.handle();
        let ended = async {
            let _ = ended.await;
        };
        let task = tokio::spawn(engine.run(ended, grace));
        Run {
            memory,
            now,
            handle,
            shutdown,
            task,
        }
    }

    /// Moves the clock forward, and wakes the engine.
    fn advance(&self, time: Duration) {
        let now = *self.now.lock().expect("no panic");
        self.set_clock(now + time);
    }

    /// Sets the clock, and wakes the engine.
    fn set_clock(&self, now: DateTime<Utc>) {
        *self.now.lock().expect("no panic") = now;
        self.handle.wake();
    }

    async fn end(self) {
        let _ = self.shutdown.send(());
        self.task.await.expect("the engine did not panic");
    }
}

fn failed(finished: &Finished) -> (Option<u16>, Option<Failure>) {
    (finished.sent.status, finished.sent.failure)
}

#[tokio::test]
async fn a_message_is_signed_delivered_and_finished() {
    let address = receiver(async |request: Request| {
        let receiver = Webhook::new(&secret("we_1").reveal()).expect("a secret");
        // `Webhook::verify` uses the real clock, so the test compares the signature.
        let expected = receiver
            .sign("evt_1", start().timestamp(), &request.body)
            .expect("UTF-8");
        assert_eq!(request.headers["webhook-signature"], expected);
        assert_eq!(&request.body[..], br#"{"id":1}"#);
        status(204)
    })
    .await;
    let run = Run::new(address, ["we_1"], |_| ());
    let finished = run.memory.until_finished(1).await;
    let Finished {
        id,
        endpoint,
        lease_until,
        at,
        next,
        disable,
        ..
    } = &finished[0];
    assert_eq!((*id, endpoint.as_str()), (1, "we_1"));
    assert_eq!(*lease_until, start() + Duration::from_secs(180));
    assert_eq!((*at, failed(&finished[0])), (start(), (Some(204), None)));
    assert_eq!((*next, *disable), (Next::Delivered, None));
    assert_eq!((run.handle.delivered(), run.handle.failed()), (1, 0));
    run.end().await;
}

#[tokio::test]
async fn a_failed_delivery_is_tried_again_with_the_same_id_and_given_up_after_the_last_try() {
    let ids = Arc::new(Mutex::new(BTreeMap::<String, usize>::new()));
    let stored = Arc::clone(&ids);
    let address = receiver(move |request: Request| {
        let id = request.headers["webhook-id"]
            .to_str()
            .expect("ASCII")
            .to_owned();
        *stored.lock().expect("no panic").entry(id).or_default() += 1;
        async { status(500) }
    })
    .await;
    let run = Run::new(address, ["we_1"], |_| ());
    let first = run.memory.until_finished(1).await;
    assert_eq!(failed(&first[0]), (Some(500), Some(Failure::Status)));
    let pause = (retry_at(&first[0]) - start()).num_milliseconds();
    assert!((4_500..=5_500).contains(&pause), "{pause}");
    for count in 2..=10 {
        let last = run.memory.until_finished(count - 1).await;
        run.set_clock(retry_at(&last[count - 2]));
        run.memory.until_finished(count).await;
    }
    let all = run.memory.until_finished(10).await;
    assert_eq!((all[9].next, all[9].disable), (Next::GivenUp, None));
    assert_eq!(
        *ids.lock().expect("no panic"),
        BTreeMap::from([("evt_1".to_owned(), 10)])
    );
    assert_eq!((run.handle.delivered(), run.handle.failed()), (0, 10));
    run.end().await;
}

#[tokio::test]
async fn the_status_decides_what_happens_to_a_delivery_and_its_endpoint() {
    let address = receiver(async |request: Request| {
        let mut response = status(request.path[1..].parse().expect("a status"));
        let headers = response.headers_mut();
        headers.insert("retry-after", HeaderValue::from_static("3600"));
        headers.insert("location", HeaderValue::from_static("/200"));
        response
    })
    .await;
    let run = Run::new(address, [410, 503, 500, 307], |_| ());
    let finished = run.memory.until_finished(4).await;
    let of = |endpoint: &str| {
        let mut finished = finished.iter();
        finished
            .find(|finished| finished.endpoint == endpoint)
            .expect("it was tried")
    };
    assert_eq!(failed(of("410")), (Some(410), Some(Failure::Status)));
    assert_eq!(
        (of("410").next, of("410").disable),
        (Next::GivenUp, Some(Disable::Gone))
    );
    let hour = Next::RetryAt(start() + Duration::from_secs(3600));
    assert_eq!((of("503").next, of("503").disable), (hour, None));
    assert!(retry_at(of("500")) < start() + Duration::from_secs(6));
    assert_eq!(failed(of("307")), (Some(307), Some(Failure::Redirect)));
    assert_eq!(run.handle.failed(), 4);
    run.end().await;
}

#[tokio::test]
async fn an_endpoint_that_fails_for_five_days_is_disabled() {
    let address = receiver(async |_| status(500)).await;
    let days = TimeDelta::days(5);
    let run = Run::new(address, ["short", "long"], |state| {
        state.rows[0].due.failing_since = Some(start() - days + TimeDelta::seconds(1));
        state.rows[1].due.failing_since = Some(start() - days);
    });
    let finished = run.memory.until_finished(2).await;
    for finished in finished {
        let expected = (finished.endpoint == "long").then_some(Disable::Failing);
        assert_eq!(finished.disable, expected);
    }
    run.end().await;
}

#[tokio::test]
async fn a_message_that_cannot_be_signed_is_not_sent_and_does_not_disable_its_endpoint() {
    let address = receiver(async |_| panic!("nothing is sent")).await;
    let run = Run::new(address, ["we_1", "we_2"], |state| {
        state.rows[0].due.secrets.clear();
        state.rows[0].due.failing_since = Some(start() - TimeDelta::days(9));
        state.rows[1].due.payload = Bytes::from_static(b"\xff");
    });
    for finished in run.memory.until_finished(2).await {
        assert_eq!(failed(&finished), (None, Some(Failure::Signature)));
        assert_eq!(finished.disable, None);
        retry_at(&finished);
    }
    run.end().await;
}

/// A receiver. A request whose path begins with `slow` gets a response only when the semaphore has a permit. The receiver counts
/// these requests.
async fn slow_receiver() -> (
    SocketAddr,
    Arc<Semaphore>,
    watch::Receiver<BTreeMap<String, usize>>,
) {
    let permits = Arc::new(Semaphore::new(0));
    let counts = watch::Sender::new(BTreeMap::new());
    let counted = counts.subscribe();
    let gate = Arc::clone(&permits);
    let address = receiver(move |request: Request| {
        let permits = Arc::clone(&gate);
        let is_slow = request.path.starts_with("/slow");
        if is_slow {
            counts.send_modify(|counts| *counts.entry(request.path).or_default() += 1);
        }
        async move {
            if is_slow {
                permits.acquire().await.expect("it is not closed").forget();
            }
            Response::new(Full::<Bytes>::default())
        }
    })
    .await;
    (address, permits, counted)
}

#[tokio::test]
async fn a_slow_endpoint_gets_four_messages_at_once_and_delays_no_other() {
    let (address, permits, mut counts) = slow_receiver().await;
    let endpoints = ["slow"; 12].into_iter().chain(["quick"; 100]);
    let run = Run::new(address, endpoints, |_| ());
    let finished = run.memory.until_finished(100).await;
    assert!(finished.iter().all(|finished| finished.endpoint == "quick"));
    until(&mut counts, |counts| counts["/slow"] == 4).await;
    assert_eq!(*counts.borrow(), BTreeMap::from([("/slow".to_owned(), 4)]));
    // The other messages are sent after the first four have ended.
    permits.add_permits(12);
    run.memory.until_finished(112).await;
    run.end().await;
}

#[tokio::test]
async fn failing_endpoints_get_one_message_at_a_time_and_a_part_of_the_capacity() {
    let (address, permits, mut counts) = slow_receiver().await;
    // Two messages for each of 30 endpoints that are failing.
    let slow = (0..60).map(|index| format!("slow{}", index % 30));
    let quick = (0..50).map(|index| format!("quick{index}"));
    let run = Run::new(address, slow.chain(quick), |state| {
        for row in &mut state.rows[..60] {
            row.due.failing_since = Some(start());
        }
    });
    run.memory.until_finished(50).await;
    until(&mut counts, |counts| counts.len() == MOST_FAILING).await;
    assert!(counts.borrow().values().all(|count| *count == 1));
    permits.add_permits(60);
    run.memory.until_finished(110).await;
    run.end().await;
}

#[tokio::test]
async fn at_most_64_messages_are_sent_at_once() {
    let (address, permits, mut counts) = slow_receiver().await;
    let run = Run::new(
        address,
        (0..100).map(|index| format!("slow{index}")),
        |_| (),
    );
    until(&mut counts, |counts| counts.len() == MOST).await;
    let claims = run.memory.0.borrow().claims;
    // The engine is woken, but has no capacity to claim more.
    run.handle.wake();
    permits.add_permits(1);
    run.memory.until_finished(1).await;
    until(&mut counts, |counts| counts.len() == MOST + 1).await;
    let leased = |state: &State| {
        let rows = state
            .rows
            .iter()
            .filter(|row| row.is_open && row.at != start());
        rows.count()
    };
    assert_eq!(leased(&run.memory.0.borrow()), MOST);
    assert_eq!(run.memory.0.borrow().claims, claims + 1);
    permits.add_permits(99);
    run.memory.until_finished(100).await;
    run.end().await;
}

#[tokio::test]
async fn shutdown_waits_for_messages_that_are_being_sent_and_claims_nothing_more() {
    let (address, permits, mut counts) = slow_receiver().await;
    let run = Run::new(address, ["slow"; 5], |_| ());
    until(&mut counts, |counts| counts.get("/slow") == Some(&4)).await;
    let _ = run.shutdown.send(());
    run.handle.wake();
    permits.add_permits(5);
    run.task.await.expect("the engine did not panic");
    let state = run.memory.0.borrow();
    assert_eq!(state.finished.len(), 4);
    assert_eq!(state.rows[4].at, start());
}

#[tokio::test]
async fn messages_that_are_still_being_sent_after_the_grace_period_keep_their_leases() {
    let (address, _permits, mut counts) = slow_receiver().await;
    let run = Run::with_grace(address, ["slow"], |_| (), Duration::ZERO);
    until(&mut counts, |counts| counts.get("/slow") == Some(&1)).await;
    let memory = Arc::clone(&run.memory);
    run.end().await;
    let state = memory.0.borrow();
    assert!(state.finished.is_empty() && state.rows[0].is_open);
    assert_eq!(state.rows[0].at, start() + Duration::from_secs(180));
}

/// Collects the log of the test's thread while the guard of `capture` exists.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Log {
    fn capture(&self) -> tracing::subscriber::DefaultGuard {
        let log = self.clone();
        let subscriber = tracing_subscriber::fmt()
            .with_ansi(false)
            .with_writer(move || log.clone());
        tracing::subscriber::set_default(subscriber.finish())
    }

    fn count(&self, text: &str) -> usize {
        let log = self.0.lock().expect("no panic");
        String::from_utf8_lossy(&log).matches(text).count()
    }
}

#[tokio::test]
async fn claims_that_fail_are_tried_again_and_logged_once() {
    let log = Log::default();
    let _guard = log.capture();
    let address = receiver(async |_| status(200)).await;
    let run = Run::new(address, ["we_1"], |state| state.claim_errors = 5);
    run.memory.until_finished(1).await;
    assert_eq!(log.count("cannot be claimed"), 1);
    assert_eq!(log.count("the database is away"), 1);
    assert_eq!(log.count("are claimed again"), 1);
    run.end().await;
}

#[tokio::test]
async fn storing_a_result_is_retried_and_after_the_last_try_the_lease_expires() {
    let log = Log::default();
    let _guard = log.capture();
    let address = receiver(async |_| status(200)).await;
    // The last try stores the result of the first delivery.
    let errors = FINISH_TRIES as usize - 1;
    let run = Run::new(address, ["we_1"], |state| state.finish_errors = errors);
    run.memory.until_finished(1).await;
    assert_eq!(run.handle.delivered(), 1);
    run.end().await;
    // For the second delivery, all tries fail.
    let run = Run::new(address, ["we_1"], |state| state.finish_errors = errors + 1);
    run.memory.until(|state| state.finish_errors == 0).await;
    assert!(run.memory.0.borrow().finished.is_empty());
    run.advance(Duration::from_secs(180));
    let finished = run.memory.until_finished(1).await;
    assert_eq!(finished[0].next, Next::Delivered);
    assert_eq!(run.handle.delivered(), 2);
    assert_eq!(log.count("cannot be finished"), 2);
    run.end().await;
}

#[tokio::test]
async fn a_panic_while_a_result_is_stored_fails_only_that_try_and_the_delivery_is_repeated() {
    let address = receiver(async |_| status(200)).await;
    let run = Run::new(address, ["we_1"], |state| state.finish_panics = 1);
    run.memory.until(|state| state.finish_panics == 0).await;
    run.advance(Duration::from_secs(180));
    run.memory.until_finished(1).await;
    run.end().await;
}

#[test]
fn debug_of_a_delivery_shows_no_secret() {
    let secret = secret("we_1");
    let text = secret.reveal();
    let due = Due {
        id: 1,
        endpoint: "we_1".to_owned(),
        url: "https://hooks.example/".to_owned(),
        message_id: "evt_1".to_owned(),
        payload: Bytes::new(),
        secrets: vec![secret],
        tries: 0,
        failing_since: None,
    };
    assert!(!format!("{due:?}").contains(&text[6..]));
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_took_long_is_not_claimed_as_a_quick_one_for_three_times_as_long() {
    let mut running = Running::default();
    for (endpoint, time) in [("slow", Duration::from_secs(14)), ("quick", SLOW / 2)] {
        let task = running.tasks.spawn(sleep(time));
        let sending = Sending {
            endpoint: endpoint.to_owned(),
            failing: false,
            begun: Instant::now(),
        };
        running.endpoints.insert(task.id(), sending);
    }
    assert_eq!(running.busy(true), ["quick", "slow"]);
    while let Some(task) = running.tasks.join_next_with_id().await {
        assert!(running.remove(task));
    }
    assert_eq!(running.busy(false), ["slow"]);
    assert_eq!(running.busy(true), [""; 0]);
    sleep(Duration::from_secs(41)).await;
    assert_eq!(running.busy(false), ["slow"]);
    sleep(Duration::from_secs(2)).await;
    assert_eq!(running.busy(false), [""; 0]);
}
