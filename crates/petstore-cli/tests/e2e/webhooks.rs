//! Tests the commands of `webhooks`.

use crate::{
    program::User,
    receivers::{LOCAL, Receiver},
    service::Service,
};
use std::fs;
use tempfile::TempDir;

/// A service that sends webhooks to this machine, and a user whose key can have webhooks.
fn start() -> (TempDir, Service, User) {
    let folder = TempDir::new().expect("a folder");
    let key = folder.path().join("webhooks.key");
    fs::write(&key, "k".repeat(48)).expect("a key file");
    let key = ["--webhook-key-file", key.to_str().expect("text")];
    let service = Service::start_with(&[&key[..], &LOCAL[2..]].concat());
    let mut user = User::of(&service);
    let key = service.command(&["key", "create", "shop", "--scope", "read,write,webhooks"]);
    key.trim().clone_into(&mut user.key);
    (folder, service, user)
}

fn add(user: &User) {
    let add = ["pets", "add", "--name", "Rex", "--category-id", "7"];
    user.run(&add).stdout_of(0);
}

#[test]
fn a_webhook_is_created_verified_changed_and_deleted() {
    let (_folder, _service, user) = start();
    let receiver = Receiver::open();
    let create = [
        "webhooks",
        "create",
        &receiver.url("/events"),
        "--type",
        "pet.created",
    ];
    let created = user
        .run(&[&create[..], &["--description", "tests"]].concat())
        .json(0);
    let (id, secret) = (created["id"].as_str().expect("an id"), &created["secret"]);
    assert_eq!(
        (&created["status"], &created["description"]),
        (&"pending".into(), &"tests".into())
    );
    assert_eq!(
        user.run(&["webhooks", "verify", id]).json(0)["status"],
        "enabled"
    );
    add(&user);
    assert!(receiver.event().verify(secret.as_str().expect("a secret")));
    let test = user.run(&["webhooks", "test", id]).json(0);
    assert_eq!(receiver.event().json()["type"], "webhook.test");
    let again = [
        "webhooks",
        "redeliver",
        id,
        "--delivery",
        &test["id"].to_string(),
    ];
    assert_eq!(user.run(&again).json(0)["count"], 1);
    assert_eq!(receiver.event().json()["type"], "webhook.test");
    let since = [
        "webhooks",
        "redeliver",
        id,
        "--since",
        "2026-01-01T00:00:00Z",
        "--until",
        "2027-01-01T00:00:00Z",
    ];
    assert_eq!(user.run(&since).json(0)["count"], 0);
    let deliveries = ["webhooks", "deliveries", id, "--limit", "1"];
    let page = user.run(&[&deliveries[..], &["--status", "delivered"]].concat());
    assert_eq!(page.json(0).as_array().expect("a list").len(), 1);
    let table = user.run(&[&deliveries[..], &["--all", "--output", "table"]].concat());
    assert!(table.stdout_of(0).contains("pet.created"), "{table:?}");

    let update = [
        "webhooks",
        "update",
        id,
        "--type",
        "order.placed",
        "--status",
        "disabled",
    ];
    let updated = user.run(&update).json(0);
    assert_eq!(
        (&updated["disabledReason"], &updated["types"][0]),
        (&"owner".into(), &"order.placed".into())
    );
    let all = user
        .run(&[
            "webhooks",
            "update",
            id,
            "--all-types",
            "--status",
            "enabled",
        ])
        .json(0);
    assert_eq!(
        (&all["status"], all.get("types")),
        (&"enabled".into(), None)
    );
    let moved = ["webhooks", "update", id, "--address", &receiver.url("/1")];
    assert_eq!(user.run(&moved).json(0)["status"], "pending");
    assert_ne!(
        &user.run(&["webhooks", "rotate", id]).json(0)["secret"],
        secret
    );
    assert_eq!(user.run(&["webhooks", "get", id]).json(0)["id"], id);
    let list = user.run(&["webhooks", "list", "--output", "table"]);
    assert!(list.stdout_of(0).contains(id), "{list:?}");
    user.run(&["webhooks", "delete", id]).stdout_of(0);
    let gone = user.run(&["webhooks", "get", id]);
    gone.reports(&[id, "no webhook"]);
    assert_eq!(user.run(&["webhooks", "list"]).stdout_of(0), "");
}

#[test]
fn listen_sends_signed_events_to_a_receiver_on_this_machine() {
    let service = Service::start();
    let user = User::of(&service);
    let receiver = Receiver::open();
    let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    user.write("secret", secret);
    add(&user);
    let listen = [
        "webhooks",
        "listen",
        "--forward-to",
        &receiver.url("/503"),
        "--from",
        "start",
    ];
    let mut running = user.start(&[&listen[..], &["--secret-file", "secret"]].concat());
    let got = receiver.event();
    assert!(got.verify(secret));
    assert_eq!(got.json()["data"]["name"], "Rex");
    running.wait_for("the receiver did not accept the event");
    drop(running);
    let mut running = user.start(&[
        "webhooks",
        "listen",
        "--forward-to",
        &receiver.url("/events"),
    ]);
    running.wait_for("events are signed with the secret whsec_");
    drop(running);
    let wrong = user.run(&["webhooks", "listen", "--forward-to", "localhost"]);
    wrong.stdout_of(2);
    wrong.reports(&["--forward-to"]);
}
