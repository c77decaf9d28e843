//! The requests of the load, each of which is different, and the expected response to each.

use crate::connection::{Connection, Response};
use anyhow::{Context as _, bail, ensure};
use petstore_bench::{
    Load, Place, Service,
    pets::{self, PAGE},
};

/// All requests that can be sent; shared by all connections.
pub(crate) struct Requests<'job> {
    service: &'job Service,
    load: Load,
    /// The header lines of every request.
    headers: String,
    pages: Vec<Page>,
}

struct Page {
    request: Vec<u8>,
    body: String,
}

/// A created pet and its JSON.
pub(crate) struct Created {
    pub(crate) id: i64,
    pet: String,
}

/// One connection, which sends requests one after the other.
pub(crate) struct Requester<'requests> {
    requests: &'requests Requests<'requests>,
    connection: Connection,
    index: usize,
    /// Number of requests so far.
    number: u64,
}

impl<'job> Requests<'job> {
    pub(crate) fn new(service: &'job Service, load: Load) -> Self {
        let Service {
            address,
            key,
            pets,
            members,
            fixed,
            filter,
            pages,
        } = service;
        let mut requests = Self {
            service,
            load,
            headers: format!("Host: {address}\r\nAuthorization: Bearer {key}\r\n"),
            pages: Vec::new(),
        };
        let first = Place {
            target: filter.target(PAGE),
            after: 0,
        };
        let places = if pages.is_empty() {
            &[first]
        } else {
            &pages[..]
        };
        let pages = places.iter().map(|place| {
            let after = if *fixed { 0 } else { place.after };
            Page {
                request: requests.get(&place.target),
                body: pets::page(after, *filter, PAGE, *pets, *members),
            }
        });
        requests.pages = pages.collect();
        requests
    }

    /// Opens a connection. Connections with different indexes send different requests.
    pub(crate) async fn requester(&self, index: usize) -> anyhow::Result<Requester<'_>> {
        Ok(Requester {
            requests: self,
            connection: Connection::open(self.service.address).await?,
            index,
            number: 0,
        })
    }

    pub(crate) fn get(&self, target: &str) -> Vec<u8> {
        format!("GET {target} HTTP/1.1\r\n{}\r\n", self.headers).into()
    }

    /// Checks that a sample of the created pets can be fetched and is unchanged.
    pub(crate) async fn confirm(&self, created: &[Created]) -> anyhow::Result<()> {
        if self.service.fixed {
            return Ok(());
        }
        let mut connection = Connection::open(self.service.address).await?;
        for created in created.iter().step_by((created.len() / 100).max(1)) {
            let request = self.get(&format!("/v1/pets/{}", created.id));
            let response = connection.exchange(&request).await?;
            expect(&response, 200, &created.pet).context("a pet that was created")?;
        }
        Ok(())
    }
}

impl Requester<'_> {
    /// Sends the next request and checks its response.
    pub(crate) async fn send_next(&mut self) -> anyhow::Result<Option<Created>> {
        self.number += 1;
        let load = match (self.requests.load, self.number % 100) {
            (Load::Mix, 0) => Load::Create,
            (Load::Mix, 1..=9) => Load::Get,
            (Load::Mix, _) => Load::List,
            (load, _) => load,
        };
        match load {
            Load::List | Load::Mix => self.list().await?,
            Load::Get => self.get().await?,
            Load::Create => return self.create().await.map(Some),
        }
        Ok(None)
    }

    async fn list(&mut self) -> anyhow::Result<()> {
        let page = &self.requests.pages[self.place(self.requests.pages.len())];
        let response = self.connection.exchange(&page.request).await?;
        expect(&response, 200, &page.body)
    }

    async fn get(&mut self) -> anyhow::Result<()> {
        let service = self.requests.service;
        let id = i64::try_from(self.place(usize::try_from(service.pets)?))? + 1;
        let request = self.requests.get(&format!("/v1/pets/{id}"));
        let response = self.connection.exchange(&request).await?;
        let given = if service.fixed { 1 } else { id };
        let pet = pets::pet(given, service.pets, service.members);
        expect(&response, 200, &pet)
    }

    async fn create(&mut self) -> anyhow::Result<Created> {
        let (requests, index, number) = (self.requests, self.index, self.number);
        // No list of the benchmark requests this status, so the pages do not change.
        let body = format!(
            "{{\"name\":\"new pet {index}-{number}\",\"categoryId\":{number},\"status\":\"pending\"}}"
        );
        let request = format!(
            "POST /v1/pets HTTP/1.1\r\n{}Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            requests.headers,
            body.len()
        );
        let response = self.connection.exchange(request.as_bytes()).await?;
        let id = last_id(response.body).context("a created pet has no `id`")?;
        let is_new = id > requests.service.pets;
        ensure!(is_new, "the id {id} of the created pet already exists");
        let (name, category) = (format_args!("new pet {index}-{number}"), number as i64);
        let members = requests.service.members;
        let pet = pets::json(name, category, ",\"status\":\"pending\"", id, members);
        expect(&response, 201, &pet)?;
        Ok(Created { id, pet })
    }

    /// Chooses one of `places`, a different one each time and spread over all of them. The golden
    /// ratio spreads the choices, and each connection starts at a different place.
    fn place(&self, places: usize) -> usize {
        let number = self.number as f64 + self.index as f64 * 1013.0;
        let place = (number * 0.618_033_988_749_895).fract() * places as f64;
        (place as usize).min(places - 1)
    }
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
