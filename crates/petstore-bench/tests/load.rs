//! Tests the program `load` against the baseline, and against services whose responses
//! are wrong or late.

use serde_json::Value;
use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    process::{Child, Command, Output, Stdio},
    thread,
    time::Duration,
};

const PETS: &str = "1000";

/// A running baseline, which ends when this is dropped.
struct Baseline {
    process: Child,
    address: String,
}

impl Baseline {
    fn start() -> Self {
        let process = Command::new(env!("CARGO_BIN_EXE_baseline"))
            .arg(PETS)
            .stdout(Stdio::piped())
            .spawn();
        let mut process = process.expect("the baseline starts");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("piped");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("listening on http://");
        let address = address.and_then(|rest| rest.strip_suffix("/v1"));
        Self {
            process,
            address: address.expect("an address").to_owned(),
        }
    }
}

impl Drop for Baseline {
    fn drop(&mut self) {
        let _ended = self.process.kill().and_then(|()| self.process.wait());
    }
}

fn load(address: &str, options: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_load"))
        .arg("run")
        .args(["--address", address, "--key", "none", "--pets", PETS])
        .args(["--warm-up-seconds", "0", "--members", "as-declared"])
        .args(options.split(' '))
        .output()
        .expect("the load runs")
}

fn report(output: &Output) -> Value {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).expect("the load prints JSON")
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
    use petstore_bench::pets::{Filter, Members, PAGE, page};
    page(0, Filter::Available, PAGE, 1000, Members::AsDeclared)
}

#[test]
fn every_kind_of_load_can_be_measured_on_the_baseline() {
    let baseline = Baseline::start();
    for load_name in ["list", "get", "create", "mix"] {
        let options = format!("--load {load_name} --fixed --connections 3 --seconds 0.2");
        let report = report(&load(&baseline.address, &options));
        let rate = report["requests_per_second"].as_f64();
        assert!(rate > Some(0.0), "{load_name}: {report}");
        assert!(report["p50_us"].as_f64() <= report["p999_us"].as_f64());
    }
}

#[test]
fn a_wrong_response_ends_the_run() {
    let baseline = Baseline::start();
    // The baseline sends a different pet than the requested one.
    let options = "--load get --connections 2 --seconds 30";
    let output = load(&baseline.address, options);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(errors.contains("wrong response: 200"), "{errors}");
    assert!(errors.contains("expected: 200"), "{errors}");
}

#[test]
fn every_response_is_checked_and_not_only_the_first() {
    let address = service(|number| match number {
        1..=5 => first_page(),
        _ => "[]".to_owned(),
    });
    let options = "--load list --connections 1 --seconds 30";
    let output = load(&address.to_string(), options);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(errors.contains("wrong response: 200 []"), "{errors}");
}

#[test]
fn a_pause_of_the_service_is_measured_as_a_delay_of_all_requests_that_were_due_during_the_pause() {
    let address = service(|number| {
        if number == 50 {
            thread::sleep(Duration::from_millis(500));
        }
        first_page()
    });
    let options = "--load list --connections 1 --seconds 1 --rate 200";
    let report = report(&load(&address.to_string(), options));
    // A tenth of the requests was due in the first 100 ms of the pause.
    assert!(report["p99_us"].as_f64() >= Some(400_000.0), "{report}");
    assert_eq!(report["requests_per_second"], 200.0);
}
