//! Runs example programs against the service in memory.

use petstore_testing::Server;
use std::{
    io::{self, Write},
    process::Output,
    sync::{Arc, Mutex},
};
use tracing_subscriber::fmt::MakeWriter;

/// The log of this process, in which the service runs.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        let bytes = self.0.lock().expect("no test panics with the lock");
        String::from_utf8_lossy(&bytes).into_owned()
    }
}

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut log = self.0.lock().expect("no test panics with the lock");
        log.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Log;

    fn make_writer(&self) -> Log {
        self.clone()
    }
}

async fn run(program: &str, server: &Server) -> Output {
    tokio::process::Command::new(program)
        .env("PETSTORE_URL", server.url())
        .env("PETSTORE_API_KEY", server.key())
        .output()
        .await
        .expect("the program was built with this test")
}

#[tokio::test]
async fn the_log_of_the_service_shows_the_trace_of_the_application() {
    let log = Log::default();
    tracing_subscriber::fmt()
        .json()
        .with_writer(log.clone())
        .init();
    let server = Server::start().await.expect("a port is free");
    let output = run(env!("CARGO_BIN_EXE_propagate_trace"), &server).await;
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let (_, trace) = text
        .trim()
        .split_once("trace ")
        .expect("it prints the trace");
    assert_eq!(trace.len(), 32, "{text}");
    let log = log.text();
    let line = log.lines().find(|line| line.contains("listPets"));
    let line = line.unwrap_or_else(|| panic!("no request in: {log}"));
    assert!(
        line.contains(&format!("\"trace_id\":\"{trace}\"")),
        "{line}"
    );
}
