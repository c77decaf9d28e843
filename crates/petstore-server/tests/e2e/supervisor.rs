//! What the service tells systemd, seen by a socket that stands in for it.

use crate::process::Service;
use rustix::process::Signal;
use std::{os::unix::net::UnixDatagram, sync::Arc, time::Duration};
use tempfile::TempDir;

/// A test that waits longer has failed.
const PATIENCE: Duration = Duration::from_secs(20);

/// The service under something like systemd, with more variables.
fn supervised(variables: &[(&str, &str)]) -> (Service, UnixDatagram) {
    let folder = Arc::new(TempDir::new().expect("a folder can be made"));
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
fn a_reload_begins_and_ends_also_without_tls() {
    let (service, socket) = supervised(&[]);
    assert_eq!(told(&socket), "READY=1\n");
    service.signal(Signal::HUP);
    let reloading = told(&socket);
    assert!(
        reloading.starts_with("RELOADING=1\nMONOTONIC_USEC="),
        "{reloading}"
    );
    assert_eq!(told(&socket), "READY=1\n");
    service.log.wait_for("there is nothing to reload");
    assert_eq!(service.get("/v1/pets").status, 401, "it responds");
}

#[test]
fn the_watchdog_hears_of_the_service() {
    let (_service, socket) = supervised(&[("WATCHDOG_USEC", "100000")]);
    let heard = [told(&socket), told(&socket), told(&socket)];
    assert_eq!(heard.iter().filter(|line| *line == "READY=1\n").count(), 1);
    assert_eq!(
        heard.iter().filter(|line| *line == "WATCHDOG=1\n").count(),
        2
    );
}
