//! The load generator of the benchmark: reads a [`Job`] as JSON, sends requests to a service over many
//! connections, compares every response with the expected one, and prints the result as JSON. `cargo
//! xtask bench` decides which service it measures, and how often. The book says why the benchmark does
//! not use an existing tool.

mod connection;
mod open_loop;
mod processor;
mod requests;
mod run;

use anyhow::Context as _;
use connection::Connection;
use petstore_bench::{
    Job, Load, Place, Service, Work,
    pets::{self, PAGE},
    process::memory,
};
use requests::Requests;
use rustix::process::{Resource, getrlimit, setrlimit};
use serde_json::{Value, to_value};
use std::{collections::VecDeque, io, process::ExitCode};
use tokio::runtime::{Builder, Runtime};

fn main() -> ExitCode {
    match result() {
        Ok(result) => {
            println!("{result}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

fn result() -> anyhow::Result<Value> {
    let Job { service, work } = serde_json::from_reader(io::stdin())?;
    // Each connection is an open file.
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit)?;
    Ok(match work {
        Work::Walk { limit, most, keep } => {
            let places = walk(&service, limit, most, keep);
            to_value(runtime()?.block_on(places)?)?
        }
        Work::Run(options) => to_value(run::run(&service, &options)?)?,
        Work::Idle {
            connections,
            process,
        } => runtime()?
            .block_on(idle(&service, connections, process))?
            .into(),
    })
}

/// Opens many connections, sends one request on each, and returns the memory of the service while they
/// are idle.
async fn idle(service: &Service, connections: usize, process: u32) -> anyhow::Result<u64> {
    let requests = Requests::new(service, Load::List);
    let mut requesters = Vec::new();
    for index in 0..connections {
        let mut requester = requests.requester(index).await?;
        requester.send_next().await?;
        requesters.push(requester);
    }
    Ok(memory(process)?.0)
}

/// Follows the `Link` headers of a list, checks every page, and returns the positions of the last
/// pages, because cursors are opaque.
async fn walk(
    service: &Service,
    limit: usize,
    most: usize,
    keep: usize,
) -> anyhow::Result<VecDeque<Place>> {
    let requests = Requests::new(service, Load::List);
    let mut connection = Connection::open(service.address).await?;
    let mut places = VecDeque::new();
    let (mut next_target, mut after) = (service.filter.target(limit), 0);
    for _ in 0..most {
        let response = connection.exchange(&requests.get(&next_target)).await?;
        let page = pets::page(after, service.filter, limit, service.pets, service.members);
        requests::expect(&response, 200, &page)?;
        // The measured pages have the usual size.
        let target = next_target.replace(&format!("limit={limit}&"), &format!("limit={PAGE}&"));
        places.push_back(Place { target, after });
        if places.len() > keep {
            places.pop_front();
        }
        let Some(link) = response.link else { break };
        let last = requests::last_id(response.body);
        after = last.context("an empty page has a link to a next page")?;
        next_target = next(link)?;
    }
    Ok(places)
}

/// Returns the target of `<?…>; rel="next"`.
fn next(link: &[u8]) -> anyhow::Result<String> {
    let text = std::str::from_utf8(link)?;
    let query = text.strip_prefix('<').and_then(|rest| rest.split_once('>'));
    let (query, _) = query.with_context(|| format!("no link to a next page: {text}"))?;
    Ok(format!("/v1/pets{query}"))
}

/// Returns a runtime with one thread.
fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}
