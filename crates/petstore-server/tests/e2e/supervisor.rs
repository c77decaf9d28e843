//! Tests the notifications to systemd with a socket that replaces systemd.

use crate::process::Service;
use rustix::process::Signal;
use std::{os::unix::net::UnixDatagram, sync::Arc, time::Duration};
use tempfile::TempDir;

/// If a test waits longer than this, it has failed.
const PATIENCE: Duration = Duration::from_secs(20);

/// Starts the service in an environment like that of systemd, with additional variables.
fn supervised(variables: &[(&str, &str)]) -> (Service, UnixDatagram) {
    let folder = Arc::new(TempDir::new().expect("a folder can be made"));
    supervised_in(folder, variables)
}

fn supervised_in(folder: Arc<TempDir>, variables: &[(&str, &str)]) -> (Service, UnixDatagram) {
    let path = folder.path().join("notify");
    let socket = UnixDatagram::bind(&path).expect("a socket can be made");
    socket.set_read_timeout(Some(PATIENCE)).expect("not none");
    let notify = ("NOTIFY_SOCKET", path.to_str().expect("text"));
    let variables = [&[notify], variables].concat();
    (Service::start_in(folder, &[], &variables), socket)
}

fn told(socket: &UnixDatagram) -> String {
    let mut buffer = [0; 1024];
    let length = socket.recv(&mut buffer).expect("something is told");
    String::from_utf8_lossy(&buffer[..length]).into_owned()
}

#[test]
fn systemd_is_notified_that_the_service_responds_and_that_it_stops() {
    let (mut service, socket) = supervised(&[]);
    assert_eq!(told(&socket), "READY=1\n");
    assert_eq!(service.get("/v1/pets").status, 401, "it responds");

    service.signal(Signal::TERM);
    assert_eq!(told(&socket), "STOPPING=1\n");
    assert_eq!(service.ended().0.code(), Some(0));
}

#[test]
fn systemd_is_notified_of_a_reload_even_without_tls() {
    let (service, socket) = supervised(&[]);
    assert_eq!(told(&socket), "READY=1\n");
    service.signal(Signal::HUP);
    let reloading = told(&socket);
    assert!(
        reloading.starts_with("RELOADING=1\nMONOTONIC_USEC="),
        "{reloading}"
    );
    assert_eq!(told(&socket), "READY=1\n");
    service.log.wait_for("there is no certificate to reload");
    assert_eq!(service.get("/v1/pets").status, 401, "it responds");
}

#[test]
fn the_service_notifies_the_watchdog_of_systemd() {
    let (_service, socket) = supervised(&[("WATCHDOG_USEC", "100000")]);
    let heard = [told(&socket), told(&socket), told(&socket)];
    assert_eq!(heard.iter().filter(|line| *line == "READY=1\n").count(), 1);
    assert_eq!(
        heard.iter().filter(|line| *line == "WATCHDOG=1\n").count(),
        2
    );
}

#[test]
fn an_upgrade_of_the_store_extends_the_time_to_start_and_is_logged() {
    let folder = Arc::new(TempDir::new().expect("a folder can be made"));
    crate::migrate::oldest(&folder.path().join("petstore.db"));
    let (service, socket) = supervised_in(folder, &[]);
    let extended = (1..)
        .map(|_| told(&socket))
        .take_while(|line| line != "READY=1\n")
        .inspect(|line| assert_eq!(line, "EXTEND_TIMEOUT_USEC=120000000\n"));
    let extended = extended.count();
    let log = service.log.text();
    let steps = log
        .matches("upgrading the store from schema version 1 to ")
        .count();
    // One notification at the beginning of each step, and one at the end.
    assert!(steps >= 6 && extended == steps + 1, "{extended}: {log}");
    assert_eq!(log.matches("the store was upgraded").count(), 1, "{log}");
}
