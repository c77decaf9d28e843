//! Measures the cost of the client compared with a plain loop of reqwest: for one call, and for following the pages of a
//! list. The service has its responses in memory, so the caller needs almost all of the time. The tests of
//! `petstore-client` check the client's results; this program checks that both receive the same pets.

use anyhow::ensure;
use clap::Parser;
use petstore_bench::{
    ClientReport, Took, median,
    pets::{self, Filter, Members},
};
use petstore_client::Client;
use procfs::process::Process;
use rustix::time::{ClockId, clock_gettime};
use serde::Deserialize;
use std::{
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

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    let base_url = format!("http://{}/v1", serve(arguments.pages)?);
    let callers = [
        Caller::Client(Client::builder(&base_url).api_key(KEY).no_proxy().build()?),
        Caller::Bare(reqwest::Client::builder().no_proxy().build()?, base_url),
    ];
    let Some(alone) = arguments.alone else {
        let report = compare(&callers, &arguments).await?;
        println!("{}", serde_json::to_string(&report)?);
        return Ok(());
    };
    // The time is not measured here, because callgrind cannot run the clock that `used` reads.
    let caller = &callers[alone as usize];
    for _ in 0..arguments.calls {
        caller.call().await?;
    }
    if arguments.pages > 0 {
        caller.walk(&mut Vec::new()).await?;
    }
    Ok(())
}

/// The client and the plain loop, which calls the service with this URL.
enum Caller {
    Client(Client),
    Bare(reqwest::Client, String),
}

impl Caller {
    /// Requests a page of one pet.
    async fn call(&self) -> anyhow::Result<()> {
        let pets = match self {
            Caller::Client(client) => client.list_pets().limit(1_u64).send().await?.len(),
            Caller::Bare(http, base_url) => {
                let url = format!("{base_url}/pets?limit=1");
                bare_page(http, url.parse()?).await?.0.len()
            }
        };
        ensure!(pets == 1, "the page must hold one pet");
        Ok(())
    }

    /// Adds the ids of all pets. The loop does this with as little code as possible. Records the
    /// memory after every 10,000 pets and at the end.
    async fn walk(&self, memory: &mut Vec<u64>) -> anyhow::Result<i64> {
        let (mut sum, mut count) = (0, 0);
        let mut add = |ids: i64, pets: usize| {
            sum += ids;
            count += pets;
            if count % 10_000 == 0 {
                memory.extend(resident());
            }
        };
        match self {
            Caller::Client(client) => {
                let mut pets = client.list_pets().limit(PAGE as u64).stream();
                while let Some(pet) = pets.next().await {
                    add(pet?.id, 1);
                }
            }
            Caller::Bare(http, base_url) => {
                let mut next = Some(format!("{base_url}/pets?limit={PAGE}").parse()?);
                while let Some(url) = next {
                    let (rows, following) = bare_page(http, url).await?;
                    add(rows.iter().map(|row| row.id).sum(), rows.len());
                    next = following;
                }
            }
        }
        memory.push(resident()?);
        Ok(sum)
    }
}

/// Measures both in turn.
async fn compare(callers: &[Caller; 2], arguments: &Arguments) -> anyhow::Result<ClientReport> {
    let (mut calls, mut walks) = (Vec::new(), Vec::new());
    let [mut memory, mut unused] = [const { Vec::new() }; 2];
    let slice = arguments.calls.div_ceil(SLICES);
    for _ in 0..=arguments.rounds.max(1) {
        let mut called = [Took::default(); 2];
        for _ in 0..SLICES {
            for (caller, called) in callers.iter().zip(&mut called) {
                let calls = async {
                    for _ in 0..slice {
                        caller.call().await?;
                    }
                    Ok(())
                };
                timed(calls, called, slice * SLICES).await?;
            }
        }
        calls.push(called);
        let [mut client, mut bare] = [Took::default(); 2];
        let sum = timed(callers[0].walk(&mut memory), &mut client, 1).await?;
        let same = timed(callers[1].walk(&mut unused), &mut bare, 1).await?;
        ensure!(sum == same, "both must read the same pets");
        walks.push([client, bare]);
    }
    let (first, second) = memory.split_at(memory.len() / 2);
    let most = |part: &[u64]| part.iter().max().copied().unwrap_or_default();
    Ok(ClientReport {
        call: medians(&calls),
        walk: medians(&walks),
        walk_pets: arguments.pages * PAGE,
        memory_halves: [most(first), most(second)],
    })
}

/// Adds the times of the work, divided by a number of calls. The runtime has one thread, so that all
/// processor time of that thread belongs to the caller.
async fn timed<T>(
    work: impl Future<Output = anyhow::Result<T>>,
    took: &mut Took,
    number: usize,
) -> anyhow::Result<T> {
    let (begun, before) = (Instant::now(), used());
    let result = work.await?;
    let share = 1e6 / number.max(1) as f64;
    took.elapsed_us += begun.elapsed().as_secs_f64() * share;
    took.processor_us += used().saturating_sub(before).as_secs_f64() * share;
    Ok(result)
}

/// Returns the processor time of this thread so far.
fn used() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.try_into().unwrap_or_default()
}

/// Returns the medians of the client and of the plain loop. The first round is a warm-up.
fn medians(rounds: &[[Took; 2]]) -> [Took; 2] {
    [0, 1].map(|caller| {
        let rounds = rounds.iter().skip(1).map(|round| round[caller]);
        let middle = |field: fn(Took) -> f64| median(rounds.clone().map(field)).unwrap_or_default();
        Took {
            elapsed_us: middle(|took| took.elapsed_us),
            processor_us: middle(|took| took.processor_us),
        }
    })
}

/// A pet as the plain loop reads it, with the same properties as the client's type.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "the client reads these members as well")]
struct Row {
    id: i64,
    name: String,
    category_id: i64,
    status: Option<String>,
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

/// Returns the resident memory of this process in bytes.
fn resident() -> anyhow::Result<u64> {
    Ok(Process::myself()?.statm()?.resident * procfs::page_size())
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

/// Returns the response with `pets` pets, which follow the first `before` pets. All have a status.
fn page(before: usize, pets: usize, next: usize, pages: usize) -> Vec<u8> {
    let (after, of) = (before as i64 * 4, i64::MAX);
    let body = pets::page(after, Filter::Available, pets, of, Members::AsDeclared);
    let link = match next < pages {
        true => format!("link: <?limit={PAGE}&cursor={next}>; rel=\"next\"\r\n"),
        false => String::new(),
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
