//! What the client costs beside a bare loop of reqwest: for one call, and for a
//! walk over many pages. Asks a service that has its answers in memory, so that
//! nearly all of the time is the caller's. What comes back is held by the tests
//! of `petstore-client`; that both meet the same pets is held here.

use anyhow::ensure;
use clap::Parser;
use petstore_client::Client;
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// The most that a page can hold.
const PAGE: usize = 100;
const KEY: &str = "the-key";
/// The calls of a round are made in turns: who comes right after a walk finds a
/// colder processor.
const SLICES: usize = 10;

/// How much to ask.
#[derive(Parser)]
struct Arguments {
    /// Pets of a walk, in hundreds
    #[arg(long, default_value_t = 1_000)]
    pages: usize,
    /// Calls in a row, of a page of one pet
    #[arg(long, default_value_t = 2_000)]
    calls: usize,
    /// Each is done so often in turns, and the median counts
    #[arg(long, default_value_t = 11)]
    rounds: usize,
}

#[derive(Serialize)]
struct Report {
    call: Compared,
    walk: Compared,
    walk_pets: usize,
    /// The most memory in bytes during the walks of the first half of all
    /// rounds, and of the second: the same where nothing is kept.
    memory_first_half: u64,
    memory_second_half: u64,
}

/// The medians of both in microseconds, a call or a walk.
#[derive(Serialize)]
struct Compared {
    client: Took,
    bare: Took,
}

/// On a machine that is slow to wake a thread, most of a single call is waiting;
/// the processor time of the caller is what the caller is to blame for.
#[derive(Clone, Copy, Default, Serialize)]
struct Took {
    elapsed_us: f64,
    processor_us: f64,
}

impl Took {
    fn add(&mut self, more: Took) {
        self.elapsed_us += more.elapsed_us;
        self.processor_us += more.processor_us;
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let base_url = format!("http://{}/v1", serve(arguments.pages)?);
    let report = compare(&base_url, &arguments).await?;
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

async fn compare(base_url: &str, arguments: &Arguments) -> anyhow::Result<Report> {
    let client = Client::builder(base_url).api_key(KEY).no_proxy().build()?;
    let http = reqwest::Client::builder().no_proxy().build()?;
    let [mut calls, mut bare_calls, mut walks, mut bare_walks] = [const { Vec::new() }; 4];
    let mut memory = Vec::new();
    // The first round warms up.
    for round in 0..=arguments.rounds.max(1) {
        let (mut call, mut bare_call) = (Took::default(), Took::default());
        let slice = arguments.calls.div_ceil(SLICES);
        for _ in 0..SLICES {
            let clock = Clock::start();
            for _ in 0..slice {
                let page = client.list_pets().limit(1_u64).send().await?;
                ensure!(page.len() == 1, "one pet was asked for");
            }
            call.add(clock.took(slice * SLICES));
            let clock = Clock::start();
            for _ in 0..slice {
                let url = format!("{base_url}/pets?limit=1");
                ensure!(bare_page(&http, url.parse()?).await?.0.len() == 1);
            }
            bare_call.add(clock.took(slice * SLICES));
        }
        let clock = Clock::start();
        let met = walk(&client, &mut memory).await?;
        let walked = clock.took(1);
        let clock = Clock::start();
        let expected = bare_walk(&http, base_url).await?;
        let bare_walked = clock.took(1);
        ensure!(met == expected, "both meet the same pets");
        if round > 0 {
            calls.push(call);
            bare_calls.push(bare_call);
            walks.push(walked);
            bare_walks.push(bare_walked);
        }
    }
    let (first, second) = memory.split_at(memory.len() / 2);
    let most = |part: &[u64]| part.iter().max().copied().unwrap_or_default();
    Ok(Report {
        call: Compared {
            client: median(&calls),
            bare: median(&bare_calls),
        },
        walk: Compared {
            client: median(&walks),
            bare: median(&bare_walks),
        },
        walk_pets: arguments.pages * PAGE,
        memory_first_half: most(first),
        memory_second_half: most(second),
    })
}

/// The runtime has one thread, so that its time is all the caller's.
struct Clock {
    begun: Instant,
    used: Duration,
}

impl Clock {
    fn start() -> Self {
        let (begun, used) = (Instant::now(), used());
        Self { begun, used }
    }

    /// One of so many.
    fn took(&self, number: usize) -> Took {
        let share = 1e6 / number.max(1) as f64;
        Took {
            elapsed_us: self.begun.elapsed().as_secs_f64() * share,
            processor_us: used().saturating_sub(self.used).as_secs_f64() * share,
        }
    }
}

/// The processor time of this thread so far.
fn used() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.try_into().unwrap_or_default()
}

/// Each by itself.
fn median(rounds: &[Took]) -> Took {
    let middle = |field: fn(&Took) -> f64| {
        let mut values: Vec<f64> = rounds.iter().map(field).collect();
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    Took {
        elapsed_us: middle(|took| took.elapsed_us),
        processor_us: middle(|took| took.processor_us),
    }
}

/// The sum of all ids, by the client. Notes the memory each 10,000 pets, and at
/// the end.
async fn walk(client: &Client, memory: &mut Vec<u64>) -> anyhow::Result<i64> {
    let mut pets = client.list_pets().limit(PAGE as u64).stream();
    let (mut sum, mut count) = (0, 0_u64);
    while let Some(pet) = pets.next().await {
        sum += pet?.id;
        count += 1;
        if count % 10_000 == 0 {
            memory.push(resident());
        }
    }
    memory.push(resident());
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
async fn bare_walk(http: &reqwest::Client, base_url: &str) -> anyhow::Result<i64> {
    let mut sum = 0;
    let mut next = Some(reqwest::Url::parse(&format!(
        "{base_url}/pets?limit={PAGE}"
    ))?);
    while let Some(url) = next {
        let (rows, following) = bare_page(http, url).await?;
        sum += rows.iter().map(|row| row.id).sum::<i64>();
        next = following;
    }
    Ok(sum)
}

/// A page, and where the next one is.
async fn bare_page(
    http: &reqwest::Client,
    url: reqwest::Url,
) -> anyhow::Result<(Vec<Row>, Option<reqwest::Url>)> {
    let answer = http.get(url.clone()).bearer_auth(KEY).send().await?;
    let answer = answer.error_for_status()?;
    let link = answer.headers().get("link").cloned();
    let rows = serde_json::from_slice(&answer.bytes().await?)?;
    let Some(link) = link else {
        return Ok((rows, None));
    };
    let target = link.to_str()?.trim_start_matches('<');
    let next = url.join(target.split('>').next().unwrap_or_default())?;
    Ok((rows, Some(next)))
}

/// The resident memory of this process in bytes; 0 where the system does not tell.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes: Option<u64> = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    kibibytes.unwrap_or_default() * 1024
}

/// A service that has its answers in memory, in threads of its own: first the
/// page of one pet, then the pages of a walk.
fn serve(pages: usize) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let walk = (0..pages).map(|number| page(number * PAGE, PAGE, number + 1, pages));
    let pages: Arc<Vec<Vec<u8>>> = Arc::new([page(0, 1, 1, 1)].into_iter().chain(walk).collect());
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let pages = Arc::clone(&pages);
            thread::spawn(move || answer(connection, &pages));
        }
    });
    Ok(address)
}

/// The answer with so many pets from an id on.
fn page(first: usize, pets: usize, next: usize, pages: usize) -> Vec<u8> {
    let pets: Vec<String> = (first..first + pets)
        .map(|id| {
            let category = id % 50;
            format!("{{\"id\":{id},\"name\":\"pet number {id}\",\"categoryId\":{category},\"status\":\"available\"}}")
        })
        .collect();
    let body = format!("[{}]", pets.join(","));
    let link = if next < pages {
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
        let page = if first.contains("limit=1 ") {
            pages.first()
        } else {
            let cursor = first.split("cursor=").nth(1);
            let cursor = cursor.and_then(|rest| rest.split([' ', '&']).next()?.parse().ok());
            pages.get(1..)?.get(cursor.unwrap_or(0_usize))
        };
        writer.write_all(page?).ok()?;
    }
}
