//! Tests the program `load` against the baseline, and against services whose responses
//! are wrong or late.

use petstore_bench::{
    Job, Load, Measured, Run, Service, Work,
    pets::{Filter, Members, PAGE, page},
    process::{Running, output_with},
};
use std::{
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::Command,
    thread,
    time::Duration,
};

const PETS: i64 = 1000;

fn baseline() -> Running {
    let mut command = Command::new(env!("CARGO_BIN_EXE_baseline"));
    Running::start(command.arg(PETS.to_string()), Path::new("/dev/null"))
        .expect("the baseline starts")
}

/// Measures the lists of a service whose pets have no version, over one connection.
fn lists(address: SocketAddr, seconds: f64) -> (Service, Run) {
    let service = Service {
        address,
        key: "none".to_owned(),
        pets: PETS,
        members: Members::AsDeclared,
        fixed: false,
        filter: Filter::Available,
        pages: Vec::new(),
    };
    let run = Run {
        load: Load::List,
        connections: 1,
        seconds,
        warm_up_seconds: 0.0,
        rate: None,
        watch: Vec::new(),
    };
    (service, run)
}

fn measure(service: Service, run: Run) -> anyhow::Result<Measured> {
    let work = Work::Run(run);
    let job = serde_json::to_string(&Job { service, work })?;
    let mut load = Command::new(env!("CARGO_BIN_EXE_load"));
    Ok(serde_json::from_str(&output_with(&mut load, &job)?)?)
}

/// Returns the error of a load that would run for half a minute.
fn error(service: Service, run: Run) -> String {
    let measured = measure(service, run);
    format!("{:#}", measured.expect_err("a wrong response"))
}

/// Starts a service that responds with the text that `body` returns. Its argument is the number of
/// the request on its connection.
fn service(body: fn(u32) -> String) -> SocketAddr {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.expect("a connection");
            thread::spawn(move || serve(stream, body));
        }
    });
    address
}

fn serve(mut stream: TcpStream, body: fn(u32) -> String) {
    let mut request = [0; 4096];
    for number in 1.. {
        match stream.read(&mut request) {
            Ok(1..) => {}
            _ => break,
        }
        let body = body(number);
        let length = body.len();
        let text = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}");
        if stream.write_all(text.as_bytes()).is_err() {
            break;
        }
    }
}

fn first_page() -> String {
    page(0, Filter::Available, PAGE, PETS, Members::AsDeclared)
}

#[test]
fn every_kind_of_load_can_be_measured_on_the_baseline() {
    let baseline = baseline();
    for load in Load::ALL {
        let (mut service, mut run) = lists(baseline.address, 0.2);
        service.fixed = true;
        (run.load, run.connections) = (load, 3);
        let measured = measure(service, run).expect("only correct responses");
        assert!(measured.requests_per_second > 0.0, "{measured:?}");
        assert!(measured.p50_us <= measured.p999_us, "{measured:?}");
    }
}

#[test]
fn a_wrong_response_ends_the_run() {
    let baseline = baseline();
    let (service, mut run) = lists(baseline.address, 30.0);
    // The baseline sends a different pet than the requested one.
    (run.load, run.connections) = (Load::Get, 2);
    let error = error(service, run);
    assert!(error.contains("wrong response: 200"), "{error}");
    assert!(error.contains("expected: 200"), "{error}");
}

#[test]
fn every_response_is_checked_and_not_only_the_first() {
    let address = service(|number| match number {
        1..=5 => first_page(),
        _ => "[]".to_owned(),
    });
    let (service, run) = lists(address, 30.0);
    let error = error(service, run);
    assert!(error.contains("wrong response: 200 []"), "{error}");
}

#[test]
fn a_pause_of_the_service_is_measured_as_a_delay_of_all_requests_that_were_due_during_the_pause() {
    let address = service(|number| {
        if number == 50 {
            thread::sleep(Duration::from_millis(500));
        }
        first_page()
    });
    let (service, mut run) = lists(address, 1.0);
    run.rate = Some(200.0);
    let measured = measure(service, run).expect("only correct responses");
    // A tenth of the requests was due in the first 100 ms of the pause.
    assert!(measured.p99_us >= 400_000.0, "{measured:?}");
    assert_eq!(measured.requests_per_second, 200.0);
}
