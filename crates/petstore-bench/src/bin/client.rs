//! Measures the cost of the client compared with a plain loop of reqwest: for one call, and for following the pages of a
//! list. The service has its responses in memory, so the caller needs almost all of the time. The tests of
//! `petstore-client` check the client's results; this program checks that both receive the same pets.

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

/// The maximum number of pets on a page.
const PAGE: usize = 100;
const KEY: &str = "the-key";
/// The calls of a round alternate, because the processor caches contain less useful data after a list was read.
const SLICES: usize = 10;

/// What to measure.
#[derive(Parser)]
struct Arguments {
    /// Number of pets in the list, in hundreds
    #[arg(long, default_value_t = 1_000)]
    pages: usize,
    /// Number of consecutive calls for a page of one pet
    #[arg(long, default_value_t = 2_000)]
    calls: usize,
    /// Number of alternating repetitions, whose median is reported
    #[arg(long, default_value_t = 11)]
    rounds: usize,
    /// Only make the calls and read the list once, with one of the two, and measure nothing; this is for counting
    /// instructions with callgrind
    #[arg(long)]
    alone: Option<Alone>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Alone {
    Client,
    Bare,
}

#[derive(Serialize)]
struct Report {
    call: Compared,
    walk: Compared,
    walk_pets: usize,
    /// The maximum memory in bytes while lists were read, in the first half of all rounds and in the second half. Both
    /// are equal if no memory is retained.
    memory_first_half: u64,
    memory_second_half: u64,
}

/// The medians in microseconds of the client and of the loop, for one call or one list.
#[derive(Serialize)]
struct Compared {
    client: Took,
    bare: Took,
}

/// If a machine is slow to wake a thread, most of the time of a single call is waiting time. Only the processor time of
/// the caller is caused by the caller.
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
    if let Some(one) = arguments.alone {
        return alone(one, &base_url, &arguments).await;
    }
    let report = compare(&base_url, &arguments).await?;
    println!("{}", serde_json::to_string(&report)?);
    Ok(())
}

/// The time is not measured here, because callgrind cannot run the clock that `used` reads.
async fn alone(one: Alone, base_url: &str, arguments: &Arguments) -> anyhow::Result<()> {
    let (client, http) = clients(base_url)?;
    for _ in 0..arguments.calls {
        match one {
            Alone::Client => call(&client).await?,
            Alone::Bare => bare_call(&http, base_url).await?,
        }
    }
    if arguments.pages > 0 {
        match one {
            Alone::Client => walk(&client, &mut Vec::new()).await?,
            Alone::Bare => bare_walk(&http, base_url, &mut Vec::new()).await?,
        };
    }
    Ok(())
}

fn clients(base_url: &str) -> anyhow::Result<(Client, reqwest::Client)> {
    let client = Client::builder(base_url).api_key(KEY).no_proxy().build()?;
    let http = reqwest::Client::builder().no_proxy().build()?;
    Ok((client, http))
}

async fn call(client: &Client) -> anyhow::Result<()> {
    let page = client.list_pets().limit(1_u64).send().await?;
    ensure!(page.len() == 1, "the page must hold one pet");
    Ok(())
}

async fn bare_call(http: &reqwest::Client, base_url: &str) -> anyhow::Result<()> {
    let url = format!("{base_url}/pets?limit=1");
    let (rows, _) = bare_page(http, url.parse()?).await?;
    ensure!(rows.len() == 1, "the page must hold one pet");
    Ok(())
}

async fn compare(base_url: &str, arguments: &Arguments) -> anyhow::Result<Report> {
    let (client, http) = clients(base_url)?;
    let [mut calls, mut bare_calls, mut walks, mut bare_walks] = [const { Vec::new() }; 4];
    let mut memory = Vec::new();
    // The first round is a warm-up.
    for round in 0..=arguments.rounds.max(1) {
        let (mut called, mut bare_called) = (Took::default(), Took::default());
        let slice = arguments.calls.div_ceil(SLICES);
        for _ in 0..SLICES {
            let clock = Clock::start();
            for _ in 0..slice {
                call(&client).await?;
            }
            called.add(clock.took(slice * SLICES));
            let clock = Clock::start();
            for _ in 0..slice {
                bare_call(&http, base_url).await?;
            }
            bare_called.add(clock.took(slice * SLICES));
        }
        let clock = Clock::start();
        let met = walk(&client, &mut memory).await?;
        let walked = clock.took(1);
        let clock = Clock::start();
        let expected = bare_walk(&http, base_url, &mut Vec::new()).await?;
        let bare_walked = clock.took(1);
        ensure!(met == expected, "both must read the same pets");
        if round > 0 {
            calls.push(called);
            bare_calls.push(bare_called);
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

/// The runtime has one thread, so that all processor time of that thread belongs to the
/// caller.
struct Clock {
    begun: Instant,
    used: Duration,
}

impl Clock {
    fn start() -> Self {
        let (begun, used) = (Instant::now(), used());
        Self { begun, used }
    }

    /// Divides the times by a number of calls.
    fn took(&self, number: usize) -> Took {
        let share = 1e6 / number.max(1) as f64;
        Took {
            elapsed_us: self.begun.elapsed().as_secs_f64() * share,
            processor_us: used().saturating_sub(self.used).as_secs_f64() * share,
        }
    }
}

/// Returns the processor time of this thread so far.
fn used() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.try_into().unwrap_or_default()
}

/// Returns the median of each field.
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

/// Adds the ids of all pets, read with the client. Records the memory after every 10,000
/// pets and at the end.
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

/// A pet as the plain loop reads it, with the same properties as the client's type.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    id: i64,
    #[expect(dead_code, reason = "the client reads this member as well")]
    name: String,
    #[expect(dead_code, reason = "the client reads this member as well")]
    category_id: i64,
    #[expect(dead_code, reason = "the client reads this member as well")]
    status: Option<String>,
}

/// Adds the ids of all pets, read with as little code as possible. Records the memory as `walk` does, so that both take
/// the same time for it.
async fn bare_walk(
    http: &reqwest::Client,
    base_url: &str,
    memory: &mut Vec<u64>,
) -> anyhow::Result<i64> {
    let (mut sum, mut count) = (0, 0);
    let mut next = Some(reqwest::Url::parse(&format!(
        "{base_url}/pets?limit={PAGE}"
    ))?);
    while let Some(url) = next {
        let (rows, following) = bare_page(http, url).await?;
        sum += rows.iter().map(|row| row.id).sum::<i64>();
        count += rows.len();
        if count % 10_000 == 0 {
            memory.push(resident());
        }
        next = following;
    }
    memory.push(resident());
    Ok(sum)
}

/// Returns a page and the link to the next one.
async fn bare_page(
    http: &reqwest::Client,
    url: reqwest::Url,
) -> anyhow::Result<(Vec<Row>, Option<reqwest::Url>)> {
    let response = http.get(url.clone()).bearer_auth(KEY).send().await?;
    let response = response.error_for_status()?;
    let link = response.headers().get("link").cloned();
    let rows = serde_json::from_slice(&response.bytes().await?)?;
    let Some(link) = link else {
        return Ok((rows, None));
    };
    let target = link.to_str()?.trim_start_matches('<');
    let next = url.join(target.split('>').next().unwrap_or_default())?;
    Ok((rows, Some(next)))
}

/// Returns the resident memory of this process in bytes; 0 if the system does not report
/// it.
fn resident() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes: Option<u64> = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    kibibytes.unwrap_or_default() * 1024
}

/// Starts a service on separate threads that has its responses in memory: first the page of one pet, then the pages of
/// the list.
fn serve(pages: usize) -> std::io::Result<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = listener.local_addr()?;
    let walk = (0..pages).map(|number| page(number * PAGE, PAGE, number + 1, pages));
    let pages: Arc<Vec<Vec<u8>>> = Arc::new([page(0, 1, 1, 1)].into_iter().chain(walk).collect());
    thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            let pages = Arc::clone(&pages);
            thread::spawn(move || respond(connection, &pages));
        }
    });
    Ok(address)
}

/// Returns the response with `pets` pets, whose ids start with `first`.
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

/// Responds to the requests of one connection until it is closed.
fn respond(connection: TcpStream, pages: &[Vec<u8>]) -> Option<()> {
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
