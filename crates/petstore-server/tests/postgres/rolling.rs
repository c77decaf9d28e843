//! Tests a rolling upgrade: two servers share a database under load, and one after the other is
//! replaced by the current version. `PETSTORE_TEST_OLD_PROGRAM` names the program of an earlier
//! version, which `.ci/rolling` builds; without it, both servers are only restarted.

use crate::{
    postgres::{Database, shared},
    process::{Service, program},
    raw::Request,
};
use rustix::process::Signal;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    env,
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    process::Command,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

const OLD_PROGRAM: &str = "PETSTORE_TEST_OLD_PROGRAM";
const CLIENTS: usize = 4;
/// If a test waits longer than this, it has failed.
const PATIENCE: Duration = Duration::from_secs(60);
/// The number of creations before, between and after the replacements.
const CREATIONS: usize = 100;

/// Returns the program that the variable names, if it is set.
pub(crate) fn old_program() -> Option<Command> {
    let mut command = Command::new(env::var_os(OLD_PROGRAM)?);
    command.env_clear().env("PETSTORE_ADMIN_LISTEN", "off");
    Some(command)
}

/// Starts a server. An old server uses the program that the variable names, if it is set.
pub(crate) fn serve(is_old: bool, url: &str) -> Service {
    let folder = Arc::new(TempDir::new().expect("a folder can be made"));
    let mut command = match old_program().filter(|_| is_old) {
        Some(mut old) => {
            old.current_dir(folder.path());
            old
        }
        None => program(folder.path()),
    };
    command.args(["serve", "--listen", "127.0.0.1:0", "--database", url]);
    Service::start_by(command, folder)
}

/// Why a stopping server did not serve a request.
#[derive(Clone, Copy, Debug)]
enum Unserved {
    /// The connection could not be opened.
    Refused,
    /// The connection ended before the response.
    Cut,
    /// The response was 503.
    Unavailable,
}

/// Sends a request on a separate connection, and returns the status and the body.
fn send(address: SocketAddr, request: &Request) -> Result<(u16, Value), Unserved> {
    let mut socket = TcpStream::connect(address).map_err(|_| Unserved::Refused)?;
    socket.set_read_timeout(Some(PATIENCE)).expect("not none");
    let mut response = Vec::new();
    socket
        .write_all(&request.bytes())
        .and_then(|()| socket.read_to_end(&mut response))
        .map_err(|_| Unserved::Cut)?;
    let parsed = || {
        let text = String::from_utf8(response).ok()?;
        let status = text.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()?;
        let (_, body) = text.split_once("\r\n\r\n")?;
        Some((status, serde_json::from_str(body).ok()?))
    };
    match parsed() {
        None => Err(Unserved::Cut),
        Some((503, _)) => Err(Unserved::Unavailable),
        Some(response) => Ok(response),
    }
}

/// The clients. A load balancer sends their requests to the servers alternately.
#[derive(Default)]
struct Load {
    servers: Mutex<Vec<SocketAddr>>,
    is_over: AtomicBool,
    created: AtomicUsize,
    /// How often a request was sent again, by the reason ([`Unserved`]).
    sent_again: [AtomicUsize; 3],
}

impl Load {
    /// Sends a request until a server serves it, starting with the server with this number.
    fn send(&self, first: usize, request: &Request) -> (u16, Value) {
        let begin = Instant::now();
        for number in first.. {
            let address = {
                let servers = self.servers.lock().expect("no panic");
                servers[number % servers.len()]
            };
            match send(address, request) {
                Ok((status, mut pet)) => {
                    // A server of an earlier release has no versions.
                    pet.as_object_mut().map(|pet| pet.remove("version"));
                    return (status, pet);
                }
                Err(why) => self.sent_again[why as usize].fetch_add(1, Ordering::Relaxed),
            };
            assert!(begin.elapsed() < PATIENCE, "nobody serves {request:?}");
        }
        unreachable!("the numbers have no end")
    }

    /// Creates pets with different names until the test is over, and returns their names by id.
    /// Each creation is repeated at the other server, which must return the same pet, and each pet
    /// is read there.
    fn run(&self, client: usize, key: &str) -> BTreeMap<i64, String> {
        let mut pets = BTreeMap::new();
        while !self.is_over.load(Ordering::Relaxed) {
            let number = pets.len();
            let name = format!("{client}-{number}");
            let body = format!(r#"{{"name":"{name}","categoryId":1}}"#);
            let create = Request::post("/v1/pets", body)
                .key(key)
                .header("Idempotency-Key", &format!("\"{name}\""))
                .header("Connection", "close");
            let (status, pet) = self.send(number, &create);
            assert_eq!((status, pet["name"].as_str()), (201, Some(name.as_str())));
            assert_eq!(self.send(number + 1, &create), (201, pet.clone()));
            let id = pet["id"].as_i64().expect("an id");
            let get = Request::get(&format!("/v1/pets/{id}"))
                .key(key)
                .header("User-Agent", "rolling/1")
                .header("Connection", "close");
            assert_eq!(self.send(number + 1, &get), (200, pet));
            assert_eq!(pets.insert(id, name), None, "an id was used twice");
            self.created.fetch_add(1, Ordering::Relaxed);
        }
        pets
    }

    /// Waits for this many further creations.
    fn go_on(&self) {
        let (begin, created) = (Instant::now(), self.created.load(Ordering::Relaxed));
        while self.created.load(Ordering::Relaxed) < created + CREATIONS {
            // A failed client also ends the test.
            assert!(begin.elapsed() < PATIENCE, "the load stands still");
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn set_servers(&self, servers: &[&Service]) {
        let addresses = servers.iter().map(|server| server.address).collect();
        *self.servers.lock().expect("no panic") = addresses;
    }
}

/// Ends the load even if the test fails; otherwise it would wait for the clients forever.
struct EndOfLoad<'l>(&'l Load);

impl Drop for EndOfLoad<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
    }
}

pub(crate) fn stop(server: &mut Service) {
    server.signal(Signal::TERM);
    let (status, _) = server.ended();
    assert_eq!(status.code(), Some(0), "{}", server.log.text());
}

async fn number(database: &Database<'_>, sql: &str) -> i64 {
    let row = database.client().await.query_one(sql, &[]).await;
    row.expect("a row").get(0)
}

/// Returns the version of a database's schema.
pub(crate) async fn schema(database: &Database<'_>) -> i64 {
    number(database, "SELECT version FROM petstore_schema").await
}

/// Returns the pets by id, and the counted calls of `getPet`, in total and by day.
async fn stored(database: &Database<'_>) -> (BTreeMap<i64, String>, i64, i64) {
    let db = database.client().await;
    let rows = db.query("SELECT id, name FROM pets", &[]).await;
    let rows = rows.expect("the pets");
    let name = |bytes| String::from_utf8(bytes).expect("text");
    (
        rows.iter()
            .map(|row| (row.get(0), name(row.get(1))))
            .collect(),
        number(database, "SELECT sum(calls)::bigint FROM deprecated_calls").await,
        number(
            database,
            "SELECT sum(calls)::bigint FROM deprecated_calls_by_day",
        )
        .await,
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_request_is_lost_while_the_servers_are_upgraded_one_after_the_other() {
    let Some(cluster) = shared().await else {
        return;
    };
    let database = cluster.database().await;
    let url = database.url().to_string();
    let first = serve(true, &url);
    let key = first.shown_key();
    let old_schema = schema(&database).await;
    let mut old = vec![first, serve(true, &url)];
    let load = Load::default();
    load.set_servers(&[&old[0], &old[1]]);

    let (pets, mut new) = thread::scope(|scope| {
        let load = &load;
        let end = EndOfLoad(load);
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let key = key.as_str();
                scope.spawn(move || load.run(client, key))
            })
            .collect();
        load.go_on();
        let mut new: Vec<Service> = Vec::new();
        while let Some(mut leaving) = old.pop() {
            // The first new server upgrades the database while the old servers serve requests.
            new.push(serve(false, &url));
            let all: Vec<&Service> = new.iter().chain(&old).chain([&leaving]).collect();
            load.set_servers(&all);
            load.go_on();
            // The old server stops before the load balancer has noticed it.
            stop(&mut leaving);
            load.go_on();
            let staying: Vec<&Service> = new.iter().chain(&old).collect();
            load.set_servers(&staying);
            load.go_on();
        }
        drop(end);
        let mut pets = BTreeMap::new();
        for client in clients {
            for (id, name) in client.join().expect("no panic") {
                assert_eq!(pets.insert(id, name), None, "an id was used twice");
            }
        }
        (pets, new)
    });
    // When a server ends, it writes its remaining counts.
    for server in &mut new {
        stop(server);
        assert!(
            !server.log.text().contains("ERROR"),
            "{}",
            server.log.text()
        );
    }

    let new_schema = schema(&database).await;
    let (stored, calls, calls_by_day) = stored(&database).await;
    assert_eq!(stored, pets);
    assert!(pets.len() >= 7 * CREATIONS, "{}", pets.len());
    let called = i64::try_from(pets.len()).expect("a number");
    assert!(calls >= called, "{calls} calls of {called} are counted");
    assert!(calls_by_day <= calls, "{calls_by_day}");
    assert!(old_schema <= new_schema, "{old_schema} > {new_schema}");
    if old_schema == new_schema {
        assert_eq!(calls_by_day, calls);
    }
    let [refused, cut, unavailable] = load.sent_again.map(AtomicUsize::into_inner);
    println!(
        "schema {old_schema} to {new_schema}: {} pets created twice and read; sent again: {refused} connections refused, \
         {cut} cut, {unavailable} responses 503; {calls} calls counted, {calls_by_day} of them by day",
        pets.len()
    );
}
