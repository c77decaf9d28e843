//! Tests that each pet is created and listed exactly once if a faulty network is between the client
//! and the real program. The tests of `petstore-client` check in detail which requests the client
//! repeats, and when.
//!
//! | variable | for |
//! |---|---|
//! | `PETSTORE_CHAOS_PETS` | how many pets are added; 2,000 by default, 10,000 in CI; a fifth of them for the events |
//! | `PETSTORE_CHAOS_SEED` | another choice of faults; the seed is printed |

mod clock;
mod network;

use crate::{clock::Fast, network::Network};
use futures::{StreamExt as _, TryStreamExt as _, stream};
use petstore_client::{Client, ClientBuilder, NewPet, Pet, PetStatus, RetryBudget, RetryPolicy};
use petstore_test_support::{
    ledger::Ledger,
    load::{Faults, Target},
    process::Service,
    subscribers::{Subscribers, is_consumer},
    webhooks::{Receiver, serve},
};
use std::{collections::BTreeMap, env, sync::Arc, time::Duration};

/// How many creations run at the same time.
const AT_ONCE: usize = 32;
/// The pages are small, so that the list has many pages.
const PAGE: u64 = 10;

/// The size of the retry budget, and how many successful calls earn one retry: the defaults of a
/// client.
const STOCK: u32 = 100;
const CALLS_PER_RETRY: u32 = 5;

fn number(variable: &str, default: u64) -> u64 {
    env::var(variable).map_or(default, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{variable} is not a number: {text}"))
    })
}

fn client_at(address: std::net::SocketAddr, key: &str) -> ClientBuilder {
    Client::builder(format!("http://{address}/v1"))
        .api_key(key)
        .no_proxy()
        // The time limit is long because the machine may be slow; the test does not measure time.
        .timeout(Duration::from_secs(3_600))
}

fn names(pets: &[Pet]) -> BTreeMap<&str, Vec<i64>> {
    let mut names: BTreeMap<&str, Vec<i64>> = BTreeMap::new();
    for pet in pets {
        names.entry(&pet.name).or_default().push(pet.id);
    }
    names
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_pet_is_created_once_and_retries_stay_within_the_budget() {
    let count = number("PETSTORE_CHAOS_PETS", 2_000);
    let seed = number("PETSTORE_CHAOS_SEED", u64::from(std::process::id()));
    println!("PETSTORE_CHAOS_SEED={seed}");
    let service = Service::start_with(&["--access-log", "off"]);
    let network = Network::before(service.address, seed).await;
    let budget = RetryBudget::new(STOCK, CALLS_PER_RETRY);
    let client = client_at(network.address, &service.key)
        .try_timeout(Duration::from_secs(2))
        // One try in eight fails, so no call fails in all its tries.
        .retry(RetryPolicy::new().max_tries(20))
        .retry_budget(budget.clone())
        .clock(Fast::new())
        .build()
        .expect("address and key are valid");

    let added: Vec<Pet> = stream::iter(0..count)
        .map(|number| {
            let pet = NewPet::builder()
                .name(format!("pet {number}"))
                .category_id(7)
                .status(PetStatus::Available);
            let call = client.create_pet().body(pet);
            async move { call.send().await.map(|pet| pet.into_inner()) }
        })
        .buffer_unordered(AT_ONCE)
        .try_collect()
        .await
        .unwrap_or_else(|error| panic!("{error:?}\n{network}"));
    let walk = client
        .list_pets()
        .status(PetStatus::Available)
        .limit(PAGE)
        .stream();
    let walked: Vec<Pet> = walk
        .try_collect()
        .await
        .unwrap_or_else(|error| panic!("{error:?}\n{network}"));
    let direct = client_at(service.address, &service.key)
        .build()
        .expect("address and key are valid");
    let there: Vec<Pet> = direct
        .list_pets()
        .limit(100)
        .stream()
        .try_collect()
        .await
        .expect("nothing is between");

    println!("{network}, {} repetitions left", budget.left());
    let answered = names(&added);
    assert_eq!(answered.len() as u64, count);
    assert_eq!(names(&there), answered, "in the store, each once");
    assert_eq!(names(&walked), answered, "in the walk, each once");
    assert!(
        walked.is_sorted_by(|one, next| one.id < next.id),
        "in the order of their ids"
    );

    let calls = count + count.div_ceil(PAGE) + 1;
    let most = calls + u64::from(STOCK) + calls / u64::from(CALLS_PER_RETRY);
    assert!(
        network.tries() <= most,
        "{} tries for {calls} calls are more than {most}: {network}",
        network.tries()
    );
    // With few requests, the rarest fault may not occur.
    assert!(
        count < 10_000 || network.did_everything_wrong(),
        "{network}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn retries_to_a_service_that_is_down_stay_within_the_budget() {
    const CALLS: u64 = 200;
    const STOCK: u32 = 30;
    let service = Service::start();
    let network = Network::without_responses(service.address).await;
    let client = client_at(network.address, &service.key)
        .retry_budget(RetryBudget::new(STOCK, CALLS_PER_RETRY))
        .clock(Fast::new())
        .build()
        .expect("address and key are valid");
    let outcomes: Vec<bool> = stream::iter(0..CALLS)
        .map(|_| {
            let call = client.list_pets();
            async move { call.send().await.is_err() }
        })
        .buffer_unordered(AT_ONCE)
        .collect()
        .await;
    assert!(outcomes.iter().all(|failed| *failed));
    assert_eq!(network.tries(), CALLS + u64::from(STOCK), "{network}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_event_is_consumed_once_and_delivered_through_a_faulty_network() {
    if is_consumer().await {
        return;
    }
    let test = "each_event_is_consumed_once_and_delivered_through_a_faulty_network";
    let count = usize::try_from(number("PETSTORE_CHAOS_PETS", 2_000) / 5).expect("few");
    let seed = number("PETSTORE_CHAOS_SEED", u64::from(std::process::id()));
    println!("PETSTORE_CHAOS_SEED={seed}");
    let service = serve(&[]);
    let receiver = Receiver::open();
    let feed = Network::before(service.address, seed).await;
    let hook = Network::before_receiver(receiver.address, seed).await;
    let (key, types) = (&service.key, &["pet.created"]);
    let url = format!("http://{}/events", hook.address);
    let mut subscribers =
        Subscribers::start_with(test, service.address, key, types, receiver, &url);
    subscribers.consume_through(feed.address);

    let target = Target::new(service.address, key);
    let mut load = target.load("pet", Faults::None, &Arc::<Ledger>::default());
    for _ in 0..4 {
        load.answered(count / 4).await;
        subscribers.kill_consumer();
    }
    load.end(|| ()).await;
    let pets = target.walk().await;
    subscribers
        .check("a faulty network", 0, || hook.repeated(), &[&pets])
        .await;
    println!("feed: {feed}\nwebhook: {hook}");
}
