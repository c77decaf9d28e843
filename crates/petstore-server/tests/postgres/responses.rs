//! Tests that a service on SQLite and a service on PostgreSQL send identical responses to the same
//! requests.

use crate::{
    postgres::shared,
    process::Service,
    raw::{RawResponse, Request},
    serve,
};
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use serde_json::json;

const SEED: u64 = 20_261_121;
/// Parts of a response that depend on the time and not on the store.
const OF_THE_MOMENT: [&str; 2] = ["date", "x-request-id"];

/// One service for each database.
struct Both {
    sqlite: Service,
    postgres: Service,
}

impl Both {
    /// Sends a request to both services, checks that the responses are the same, and returns one.
    #[track_caller]
    fn send(&self, request: &Request) -> RawResponse {
        let [sqlite, postgres] = [&self.sqlite, &self.postgres].map(|service| {
            let mut response = service.send(&request.clone().key(&service.key));
            let of_the_moment =
                |name: &String| OF_THE_MOMENT.contains(&name.to_lowercase().as_str());
            response.headers.retain(|(name, _)| !of_the_moment(name));
            response
        });
        assert_eq!(sqlite.status, postgres.status, "{request:?}");
        assert_eq!(sqlite.headers, postgres.headers, "{request:?}");
        let texts = [&sqlite, &postgres].map(|response| String::from_utf8_lossy(&response.body));
        assert_eq!(texts[0], texts[1], "{request:?}");
        assert_eq!(sqlite.body, postgres.body, "{request:?}");
        postgres
    }

    #[track_caller]
    fn get(&self, target: &str) -> RawResponse {
        self.send(&Request::get(target))
    }

    /// Creates a pet on both services, and fetches it.
    #[track_caller]
    fn create(&self, body: &str) -> RawResponse {
        let response = self.send(&Request::post("/v1/pets", body));
        if response.status == 201 {
            let id = &response.json()["id"];
            assert_eq!(self.get(&format!("/v1/pets/{id}")).body, response.body);
        }
        response
    }
}

async fn both() -> Option<Both> {
    let database = shared().await?.database().await;
    Some(Both {
        sqlite: Service::start(),
        postgres: serve(&database),
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn creates_gets_and_rejections_have_the_same_responses_on_both_databases() {
    let Some(both) = both().await else { return };
    let names = [
        "",
        " ",
        "a\0b",
        "\0",
        "🐕\u{200d}🦺",
        "\u{feff}",
        "\u{10ffff}",
        "\"\\\u{1}\u{7f}",
        "e\u{301}",
        "é",
        "ẞ",
        "\u{202e}xeR",
        "'; DROP TABLE pets; --",
        "$1",
        "\\x41",
    ];
    for name in names {
        for category in [i64::MIN, -1, 0, i64::MAX] {
            let pet = json!({"name": name, "categoryId": category}).to_string();
            assert_eq!(both.create(&pet).status, 201);
        }
    }
    for status in ["available", "pending", "sold"] {
        let pet = json!({"name": "x".repeat(60_000), "categoryId": 1, "status": status});
        assert_eq!(both.create(&pet.to_string()).status, 201);
    }
    for rejected in [
        r#"{"name": "a", "categoryId": 9223372036854775808}"#,
        r#"{"name": "a", "categoryId": -9223372036854775809}"#,
        r#"{"name": "a", "categoryId": 1.5}"#,
        r#"{"name": "a", "categoryId": 1, "status": "lost"}"#,
        r#"{"name": "a", "categoryId": 1, "status": null}"#,
        r#"{"name": "\ud800", "categoryId": 1}"#,
        r#"{"name": "a"}"#,
        "[]",
        "",
    ] {
        assert_eq!(both.create(rejected).status, 400, "{rejected}");
    }
    for id in [
        "1",
        "0",
        "-1",
        "9999",
        "9223372036854775807",
        "-9223372036854775808",
    ] {
        both.get(&format!("/v1/pets/{id}"));
    }
    for target in [
        "/v1/pets/9223372036854775808",
        "/v1/pets/+1",
        "/v1/pets?limit=0",
        "/v1/pets?cursor=x",
    ] {
        assert_eq!(both.get(target).status, 400, "{target}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn any_unicode_is_returned_the_same_on_both_databases() {
    let Some(both) = both().await else { return };
    let mut random = StdRng::seed_from_u64(SEED);
    for _ in 0..150 {
        let length = random.random_range(0..40);
        let name: String = (0..length).map(|_| random.random::<char>()).collect();
        let pet = json!({"name": name, "categoryId": random.random::<i64>()});
        let response = both.create(&pet.to_string());
        assert_eq!(
            (response.status, &response.json()["name"]),
            (201, &pet["name"]),
            "seed {SEED}"
        );
    }
    pages(&both, "?limit=100");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_and_their_links_are_the_same_on_both_databases() {
    let Some(both) = both().await else { return };
    let statuses = ["available", "pending", "sold"];
    for number in 0..70 {
        let mut pet = json!({"name": number.to_string(), "categoryId": number});
        if let Some(status) = statuses.get(number % 4) {
            pet["status"] = (*status).into();
        }
        both.create(&pet.to_string());
    }
    assert_eq!(pages(&both, ""), 4);
    assert_eq!(pages(&both, "?limit=1"), 70);
    assert_eq!(pages(&both, "?limit=70"), 1);
    for status in statuses {
        assert_eq!(pages(&both, &format!("?limit=6&status={status}")), 3);
    }
}

/// Follows the links, and counts the pages.
fn pages(both: &Both, query: &str) -> usize {
    let mut target = format!("/v1/pets{query}");
    for page in 1.. {
        let response = both.get(&target);
        assert_eq!(response.status, 200, "{response:?}");
        let Some(link) = response.header("link") else {
            return page;
        };
        let next = link.strip_prefix('<').and_then(|link| link.split_once('>'));
        target = format!("/v1/pets{}", next.expect("a target").0);
    }
    unreachable!("a walk ends")
}
