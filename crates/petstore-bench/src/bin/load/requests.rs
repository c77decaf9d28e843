//! The requests of the load, each of which is different, and the expected response to each.

use crate::{
    LoadOptions,
    connection::{Connection, Response},
};
use anyhow::{Context as _, bail, ensure};
use petstore_bench::{
    Load,
    pets::{self, Members, PAGE},
};
use serde::{Deserialize, Serialize};
use std::fs;

/// The position of a page.
#[derive(Deserialize, Serialize)]
pub(crate) struct Place {
    pub(crate) target: String,
    /// The number of the last pet before the page.
    pub(crate) after: i64,
}

/// All requests that can be sent; shared by all connections.
pub(crate) struct Requests<'options> {
    options: &'options LoadOptions,
    /// The header lines of every request.
    headers: String,
    pages: Vec<Page>,
}

struct Page {
    request: Vec<u8>,
    body: String,
}

/// A created pet.
#[derive(Clone, Copy)]
pub(crate) struct Created {
    connection: usize,
    number: u64,
    pub(crate) id: i64,
}

/// One connection, which sends requests one after the other.
pub(crate) struct Requester<'requests> {
    requests: &'requests Requests<'requests>,
    connection: Connection,
    index: usize,
    /// Number of requests so far.
    number: u64,
}

impl<'options> Requests<'options> {
    pub(crate) fn read(options: &'options LoadOptions) -> anyhow::Result<Self> {
        let service = &options.service;
        let places = match &options.pages {
            None => vec![Place {
                target: options.filter.target(PAGE),
                after: 0,
            }],
            Some(path) => {
                let text = fs::read_to_string(path);
                let text = text.with_context(|| format!("cannot read {}", path.display()))?;
                serde_json::from_str(&text)?
            }
        };
        ensure!(!places.is_empty(), "there is no page to request");
        let mut requests = Self {
            options,
            headers: format!(
                "Host: {}\r\nAuthorization: Bearer {}\r\n",
                service.address, service.key
            ),
            pages: Vec::new(),
        };
        let pages = places.iter().map(|place| {
            let after = if options.fixed { 0 } else { place.after };
            Page {
                request: requests.get(&place.target),
                body: pets::page(after, options.filter, PAGE, service.pets, service.members),
            }
        });
        requests.pages = pages.collect();
        Ok(requests)
    }

    /// Opens a connection. Connections with different indexes send different requests.
    pub(crate) async fn requester(&self, index: usize) -> anyhow::Result<Requester<'_>> {
        Ok(Requester {
            requests: self,
            connection: Connection::open(self.options.service.address).await?,
            index,
            number: 0,
        })
    }

    pub(crate) fn get(&self, target: &str) -> Vec<u8> {
        format!("GET {target} HTTP/1.1\r\n{}\r\n", self.headers).into()
    }

    fn post(&self, body: &str) -> Vec<u8> {
        format!(
            "POST /v1/pets HTTP/1.1\r\n{}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.headers,
            body.len()
        )
        .into()
    }

    /// Checks that a sample of the created pets can be fetched and is unchanged.
    pub(crate) async fn confirm(&self, created: &[Created]) -> anyhow::Result<()> {
        if self.options.fixed {
            return Ok(());
        }
        let mut connection = Connection::open(self.options.service.address).await?;
        for created in created.iter().step_by((created.len() / 100).max(1)) {
            let request = self.get(&format!("/v1/pets/{}", created.id));
            let response = connection.exchange(&request).await?;
            let expected = created_pet(created, self.options.service.members);
            expect(&response, 200, &expected).context("a pet that was created")?;
        }
        Ok(())
    }
}

impl Requester<'_> {
    /// Sends the next request and checks its response.
    pub(crate) async fn send_next(&mut self) -> anyhow::Result<Option<Created>> {
        self.number += 1;
        let load = match (self.requests.options.load, self.number % 100) {
            (Load::Mix, 0) => Load::Create,
            (Load::Mix, 1..=9) => Load::Get,
            (Load::Mix, _) => Load::List,
            (load, _) => load,
        };
        match load {
            Load::List | Load::Mix => self.list().await.map(|()| None),
            Load::Get => self.get().await.map(|()| None),
            Load::Create => self.create().await.map(Some),
        }
    }

    async fn list(&mut self) -> anyhow::Result<()> {
        let page = &self.requests.pages[self.place(self.requests.pages.len())];
        let response = self.connection.exchange(&page.request).await?;
        expect(&response, 200, &page.body)
    }

    async fn get(&mut self) -> anyhow::Result<()> {
        let LoadOptions { service, fixed, .. } = self.requests.options;
        let id = i64::try_from(self.place(usize::try_from(service.pets)?))? + 1;
        let request = self.requests.get(&format!("/v1/pets/{id}"));
        let response = self.connection.exchange(&request).await?;
        let given = if *fixed { 1 } else { id };
        expect(
            &response,
            200,
            &pets::pet(given, service.pets, service.members),
        )
    }

    async fn create(&mut self) -> anyhow::Result<Created> {
        let service = &self.requests.options.service;
        let request = self.requests.post(&new_pet(self.index, self.number));
        let response = self.connection.exchange(&request).await?;
        let id = last_id(response.body).context("a created pet has no `id`")?;
        ensure!(
            id > service.pets,
            "the id {id} of the created pet already exists"
        );
        let created = Created {
            connection: self.index,
            number: self.number,
            id,
        };
        expect(&response, 201, &created_pet(&created, service.members))?;
        Ok(created)
    }

    /// Chooses one of `places`, a different one each time and spread over all of them. The golden
    /// ratio spreads the choices, and each connection starts at a different place.
    fn place(&self, places: usize) -> usize {
        let number = self.number as f64 + self.index as f64 * 1013.0;
        let place = (number * 0.618_033_988_749_895).fract() * places as f64;
        (place as usize).min(places - 1)
    }
}

/// Returns the body of a creation. No list of the benchmark requests its status, so the pages do
/// not change.
fn new_pet(connection: usize, number: u64) -> String {
    format!(
        "{{\"name\":\"new pet {connection}-{number}\",\"categoryId\":{number},\"status\":\"pending\"}}"
    )
}

/// Returns the same pet after it got an id.
fn created_pet(created: &Created, members: Members) -> String {
    let name = format_args!("new pet {}-{}", created.connection, created.number);
    let (category, status) = (created.number as i64, ",\"status\":\"pending\"");
    pets::json(name, category, status, created.id, members)
}

pub(crate) fn last_id(body: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(body).ok()?;
    let (_, id) = text.rsplit_once("\"id\":")?;
    id.split([',', '}']).next()?.parse().ok()
}

pub(crate) fn expect(response: &Response<'_>, status: u16, body: &str) -> anyhow::Result<()> {
    if response.status == status && response.body == body.as_bytes() {
        return Ok(());
    }
    bail!(
        "wrong response: {} {}\nexpected: {status} {body}",
        response.status,
        String::from_utf8_lossy(response.body)
    )
}
