//! Follows the `Link` headers of a list, checks every page, and prints the positions of the pages,
//! because cursors are opaque.

use crate::{
    Service,
    connection::Connection,
    requests::{self, Place},
    runtime,
};
use anyhow::Context as _;
use petstore_bench::pets::{self, Filter, PAGE};
use std::collections::VecDeque;

#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    service: Service,
    #[arg(long, default_value = "available")]
    filter: Filter,
    /// Number of pets on a page
    #[arg(long, default_value_t = PAGE)]
    limit: usize,
    /// Maximum number of pages to follow
    #[arg(long)]
    most: Option<usize>,
    /// Number of pages to print; the last pages are printed
    #[arg(long)]
    keep: Option<usize>,
}

pub(crate) fn walk(options: &Options) -> anyhow::Result<()> {
    let places = runtime()?.block_on(places(options))?;
    println!("{}", serde_json::to_string(&places)?);
    Ok(())
}

async fn places(options: &Options) -> anyhow::Result<VecDeque<Place>> {
    let (filter, limit) = (options.filter, options.limit);
    let Service {
        address,
        key,
        pets,
        members,
    } = &options.service;
    let mut connection = Connection::open(*address).await?;
    let mut places = VecDeque::new();
    let (mut target, mut after) = (filter.target(limit), 0);
    for walked in 1.. {
        let request = format!(
            "GET {target} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\n\r\n"
        );
        let response = connection.exchange(request.as_bytes()).await?;
        let page = pets::page(after, filter, limit, *pets, *members);
        requests::expect(&response, 200, &page)?;
        // The measured pages have the usual size.
        let target_of_page = target.replace(&format!("limit={limit}&"), &format!("limit={PAGE}&"));
        places.push_back(Place {
            target: target_of_page,
            after,
        });
        if options.keep.is_some_and(|keep| places.len() > keep) {
            places.pop_front();
        }
        let Some(link) = response.link else { break };
        let last = requests::last_id(response.body);
        after = last.context("an empty page has a link to a next page")?;
        target = next(link)?;
        if options.most.is_some_and(|most| walked >= most) {
            break;
        }
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
