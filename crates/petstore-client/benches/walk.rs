//! What the stream of pets costs beside a bare loop of reqwest over the same
//! pages: 100,000 pets from a service that answers from memory, so that nearly
//! all of the time is the client's. Run it with
//! `cargo bench -p petstore-client --bench walk`; absolute figures move from run
//! to run, the ratio holds.

use petstore_client::{Client, Pet};
use serde::Deserialize;
use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

const PETS: usize = 100_000;
const PAGE: usize = 100;
const ROUNDS: usize = 9;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let address = serve()?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(compare(&format!("http://{address}/v1")))
}

async fn compare(base_url: &str) -> Result<(), Box<dyn std::error::Error>> {
    let client = Client::builder(base_url)
        .api_key("the-key")
        .no_proxy()
        .build()?;
    let http = reqwest::Client::builder().no_proxy().build()?;
    let (mut streams, mut loops) = (Vec::new(), Vec::new());
    let mut memory = Vec::new();
    for round in 0..=ROUNDS {
        let begun = Instant::now();
        let met = stream(&client, &mut memory).await?;
        let streamed = begun.elapsed();
        let begun = Instant::now();
        let expected = bare_loop(&http, base_url).await?;
        let looped = begun.elapsed();
        assert_eq!(met, expected, "both meet the same pets");
        // The first round warms up.
        if round > 0 {
            streams.push(streamed);
            loops.push(looped);
        }
    }
    let (stream, bare) = (median(&mut streams), median(&mut loops));
    println!("walk over {PETS} pets, {PAGE} a page, median of {ROUNDS} rounds");
    println!("stream of petstore-client {stream:>10.1?}");
    println!("bare loop of reqwest      {bare:>10.1?}");
    println!(
        "ratio                     {:>10.2}",
        stream.as_secs_f64() / bare.as_secs_f64()
    );
    let half = memory.len() / 2;
    let most = |part: &[u64]| part.iter().max().copied().unwrap_or_default();
    println!(
        "memory of the process     {:>7} KiB at most in the first half of all walks, {} KiB in the second",
        most(&memory[..half]),
        most(&memory[half..]),
    );
    Ok(())
}

/// The sum of all ids, by the client. Notes the memory each 10,000 pets.
async fn stream(client: &Client, memory: &mut Vec<u64>) -> Result<i64, petstore_client::Error> {
    let mut pets = client.list_pets().limit(PAGE as u64).stream();
    let (mut sum, mut count) = (0, 0);
    while let Some(pet) = pets.next().await {
        let pet: Pet = pet?;
        sum += pet.id;
        count += 1;
        if count % 10_000 == 0 {
            memory.push(resident());
        }
    }
    assert_eq!(count, PETS, "none is missed");
    Ok(sum)
}

/// What a pet is to the bare loop: as much as it is to the client.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    id: i64,
    #[expect(dead_code, reason = "read, as the client reads it")]
    name: String,
    #[expect(dead_code, reason = "read, as the client reads it")]
    category_id: i64,
    #[expect(dead_code, reason = "read, as the client reads it")]
    status: Option<String>,
}

/// The sum of all ids, by as little code as follows the links.
async fn bare_loop(
    http: &reqwest::Client,
    base_url: &str,
) -> Result<i64, Box<dyn std::error::Error>> {
    let mut sum = 0;
    let mut url = reqwest::Url::parse(&format!("{base_url}/pets?limit={PAGE}"))?;
    loop {
        let answer = http.get(url.clone()).bearer_auth("the-key").send().await?;
        let answer = answer.error_for_status()?;
        let next = answer.headers().get("link").cloned();
        let rows: Vec<Row> = serde_json::from_slice(&answer.bytes().await?)?;
        sum += rows.iter().map(|row| row.id).sum::<i64>();
        let Some(next) = next else { return Ok(sum) };
        let target = next.to_str()?.trim_start_matches('<');
        url = url.join(target.split('>').next().unwrap_or_default())?;
    }
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// The resident memory of this process in KiB; 0 where the system does not tell.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|rest| rest.split_whitespace().next()?.parse().ok())
        .unwrap_or_default()
}

/// A service that has its answers in memory, in threads of its own.
fn serve() -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let pages: Arc<Vec<Vec<u8>>> = Arc::new((0..PETS / PAGE).map(page).collect());
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let pages = Arc::clone(&pages);
            thread::spawn(move || answer(connection, &pages));
        }
    });
    Ok(address)
}

/// The answer with the page of this number.
fn page(number: usize) -> Vec<u8> {
    let pets: Vec<String> = (number * PAGE..(number + 1) * PAGE)
        .map(|id| {
            format!("{{\"id\":{id},\"name\":\"pet number {id}\",\"categoryId\":{},\"status\":\"available\"}}", id % 50)
        })
        .collect();
    let body = format!("[{}]", pets.join(","));
    let next = number + 1;
    let link = if next < PETS / PAGE {
        format!("link: <?limit={PAGE}&cursor={next}>; rel=\"next\"\r\n")
    } else {
        String::new()
    };
    let length = body.len();
    format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n{link}\r\n{body}")
        .into_bytes()
}

/// The requests of one connection, until it is closed.
fn answer(connection: TcpStream, pages: &[Vec<u8>]) -> Option<()> {
    connection.set_nodelay(true).ok()?;
    let mut writer = connection.try_clone().ok()?;
    let mut lines = BufReader::new(connection).lines();
    loop {
        let first = lines.next()?.ok()?;
        while !lines.next()?.ok()?.is_empty() {}
        let cursor = first.split("cursor=").nth(1);
        let number = cursor.and_then(|rest| rest.split([' ', '&']).next()?.parse().ok());
        writer.write_all(pages.get(number.unwrap_or(0))?).ok()?;
    }
}
