//! Tests a database whose encoding is not UTF-8.

use crate::{
    postgres::shared,
    process::{Service, run_ok},
    raw::Request,
};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Counts are written to the store within a few seconds.
const SOON: Duration = Duration::from_secs(10);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_agent_that_the_database_cannot_store_does_not_stop_the_usage_counters() {
    let Some(cluster) = shared().await else {
        return;
    };
    let name = format!("pets_latin1_{}", std::process::id());
    cluster
        .execute(&format!(
            "CREATE DATABASE {name} ENCODING 'LATIN1' TEMPLATE template0"
        ))
        .await;
    let socket = cluster.socket().display();
    let url = format!("postgres://postgres@/{name}?host={socket}");
    let service = Service::start_with(&["--database", &url]);
    let call = |program| {
        let request = Request::get("/v1/pets/1").header("user-agent", program);
        assert_eq!(service.send(&request.key(&service.key)).status, 404);
    };
    call("Ж/1.0");
    let folder = TempDir::new().expect("a folder can be made");
    let until = |command: &[&str], text: &str| {
        let begin = Instant::now();
        loop {
            let found = run_ok(folder.path(), &[command, &["--database", &url]].concat());
            if found.contains(text) {
                return;
            }
            let log = service.log.text();
            assert!(begin.elapsed() < SOON, "{found}{log}");
        }
    };
    until(&["usage"], "\tgetPet\t1\t");
    until(&["usage"], "\t??/1.0\t");
    until(&["key", "list"], "last used 20");
    call("curl/8.5");
    until(&["usage"], "\tgetPet\t2\t");
    until(&["usage"], "\tcurl/8.5\t");
}
