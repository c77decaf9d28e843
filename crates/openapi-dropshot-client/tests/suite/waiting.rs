//! Tests waiting for a state.

use crate::clock::Passing;
use crate::generated::RetryPolicy;
use crate::service::{Service, json};
use openapi_dropshot_client::{
    Client, WaitError, Waiting,
    generated::{Call, Method, Operation, Parameter, Place, Waiter},
};
use std::time::Duration;

static GET_LOAN: Operation = Operation {
    id: "getLoan",
    method: Method::GET,
    path: "/loans/{loanId}",
    parameters: &[Parameter::new(Place::Path, "loanId", "loan_id", true)],
    success: &[200],
};

static RETURNED: Waiter = Waiter {
    name: "loanReturned",
    path: "/loan/state",
    success: &["returned"],
    failure: &["lost"],
};

#[derive(Debug, serde::Deserialize)]
struct Loan {
    id: i64,
}

fn waiting(client: &Client) -> Waiting<Loan> {
    let mut call = Call::new(client, &GET_LOAN);
    call.set_text("loanId", Ok(7));
    call.request().wait(&RETURNED)
}

#[tokio::test]
async fn a_function_that_waits_can_also_return_the_errors_of_other_calls() {
    async fn read(client: &Client) -> Result<i64, WaitError<Loan>> {
        let mut call = Call::new(client, &GET_LOAN);
        call.set_text("loanId", Ok(7));
        let loan = call.request().json::<Loan, String>().await?;
        Ok(loan.id)
    }
    let service = Service::responding([json("404 Not Found", &[], "{}")]).await;
    let error = read(&client(&service, &Passing::new())).await;
    let WaitError::Call(error) = error.expect_err("it is not there") else {
        panic!("the call failed");
    };
    assert_eq!(error.status(), Some(404));
}

fn client(service: &Service, clock: &Passing) -> Client {
    Client::builder(service.base_url())
        .clock(clock.clone())
        .retry(RetryPolicy::new().longest_pause(Duration::from_secs(1)))
        .build()
        .expect("it is valid")
}

fn loan(state: &str) -> String {
    json(
        "200 OK",
        &[],
        &format!(r#"{{"id":7,"loan":{{"state":{state}}}}}"#),
    )
}

#[tokio::test]
async fn a_waiter_polls_with_growing_pauses_until_the_state_is_reached() {
    let states = [
        r#""out""#,
        "null",
        r#""a new state""#,
        r#""out""#,
        r#""returned""#,
    ];
    let service = Service::responding(states.map(loan)).await;
    let clock = Passing::new();
    let loan = waiting(&client(&service, &clock)).await.expect("at last");
    assert_eq!(loan.id, 7);
    assert_eq!(clock.pauses(), [200, 400, 800, 1_000]);
    let requests = service.requests();
    assert_eq!(requests.len(), 5);
    assert!(
        requests
            .iter()
            .all(|request| request.starts_with("GET /v1/loans/7 "))
    );
}

#[tokio::test]
async fn a_failure_state_ends_the_waiting_with_an_error() {
    let service = Service::responding([loan(r#""out""#), loan(r#""lost""#)]).await;
    let error = waiting(&client(&service, &Passing::new())).await;
    let error = error.expect_err("it is lost");
    assert_eq!(
        error.to_string(),
        "the state is `lost`, from which the expected state cannot be reached"
    );
    assert!(matches!(error, WaitError::Failed { response, .. } if response.id == 7));
}

#[tokio::test]
async fn a_waiter_ends_at_its_deadline_with_the_last_state() {
    let service = Service::responding((0..9).map(|_| loan(r#""out""#))).await;
    let clock = Passing::new();
    let waiting = waiting(&client(&service, &clock)).timeout(Duration::from_millis(1_500));
    let error = waiting.await.expect_err("it takes too long");
    assert_eq!(
        error.to_string(),
        "the time to wait is over, and the state is still `out`"
    );
    // The last pause ends at the deadline, and is followed by a last request.
    assert_eq!(clock.pauses(), [200, 400, 800, 100]);
    assert_eq!(service.requests().len(), 5);
}

#[tokio::test]
async fn a_state_that_is_reached_at_the_deadline_is_a_success() {
    let states = [r#""out""#, r#""out""#, r#""returned""#];
    let service = Service::responding(states.map(loan)).await;
    let clock = Passing::new();
    let waiting = waiting(&client(&service, &clock)).timeout(Duration::from_millis(500));
    let loan = waiting.await.expect("just in time");
    assert_eq!((loan.id, clock.pauses()), (7, vec![200, 300]));
}

#[tokio::test]
async fn a_waiter_with_a_timeout_of_zero_sends_exactly_one_request() {
    let service = Service::responding([loan(r#""out""#)]).await;
    let clock = Passing::new();
    let waiting = waiting(&client(&service, &clock)).timeout(Duration::ZERO);
    let error = waiting.await.expect_err("there is no time");
    assert!(matches!(error, WaitError::Timeout { .. }), "{error}");
    assert_eq!((clock.pauses().len(), service.requests().len()), (0, 1));
}

#[tokio::test]
async fn a_waiter_ends_with_the_error_of_a_request_that_fails() {
    let body = r#"{"code":"not_found","message":"no such loan"}"#;
    let service = Service::responding([loan(r#""out""#), json("404 Not Found", &[], body)]).await;
    let error = waiting(&client(&service, &Passing::new())).await;
    let WaitError::Call(error) = error.expect_err("it is not there") else {
        panic!("it is the error of the call");
    };
    assert_eq!(error.status(), Some(404));
}
