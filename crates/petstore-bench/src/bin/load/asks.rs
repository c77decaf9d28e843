//! What is asked for, another thing each time, and what each answer has to be.

use crate::{
    Asked, Service,
    connection::{Answer, Connection},
};
use anyhow::{Context as _, bail, ensure};
use petstore_bench::pets::{self, PAGE};
use serde::{Deserialize, Serialize};
use std::{fs, net::SocketAddr};

#[derive(Clone, Copy, Debug, Eq, PartialEq, clap::ValueEnum)]
pub(crate) enum Load {
    /// A page of 20.
    List,
    /// A pet.
    Get,
    /// A new pet.
    Create,
    /// Of a hundred requests 90 for a page, 9 for a pet, 1 for a new pet.
    Mix,
}

/// Where a page is.
#[derive(Deserialize, Serialize)]
pub(crate) struct Place {
    pub(crate) target: String,
    /// The number of the last pet before it.
    pub(crate) after: i64,
}

/// All that can be asked for; the same for every connection.
pub(crate) struct Asks {
    load: Load,
    address: SocketAddr,
    /// The lines of every request that follow the first.
    headers: String,
    pets: i64,
    fixed: bool,
    pages: Vec<Page>,
}

struct Page {
    request: Vec<u8>,
    body: String,
}

/// A pet that was created.
#[derive(Clone, Copy)]
pub(crate) struct Created {
    connection: usize,
    number: u64,
    pub(crate) id: i64,
}

/// One connection and what it asks for.
pub(crate) struct Asker<'asks> {
    asks: &'asks Asks,
    connection: Connection,
    index: usize,
    /// Requests so far.
    number: u64,
}

impl Asks {
    pub(crate) fn read(service: &Service, asked: &Asked) -> anyhow::Result<Self> {
        let Service { address, key, pets } = service;
        let first = Place {
            target: asked.filter.target(PAGE),
            after: 0,
        };
        let places = match &asked.pages {
            None => vec![first],
            Some(path) => {
                let text = fs::read_to_string(path);
                let text = text.with_context(|| format!("cannot read {}", path.display()))?;
                serde_json::from_str(&text)?
            }
        };
        let mut asks = Self {
            load: asked.load,
            address: *address,
            headers: format!("Host: {address}\r\nAuthorization: Bearer {key}\r\n"),
            pets: *pets,
            fixed: asked.fixed,
            pages: Vec::new(),
        };
        let first = pets::page(0, asked.filter, PAGE, *pets);
        asks.pages = places
            .iter()
            .map(|place| Page {
                request: asks.get(&place.target),
                body: match asked.fixed {
                    true => first.clone(),
                    false => pets::page(place.after, asked.filter, PAGE, *pets),
                },
            })
            .collect();
        ensure!(!asks.pages.is_empty(), "there is no page to ask for");
        Ok(asks)
    }

    /// A connection that asks for other things than those of another index.
    pub(crate) async fn asker(&self, index: usize) -> anyhow::Result<Asker<'_>> {
        Ok(Asker {
            asks: self,
            connection: Connection::open(self.address).await?,
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

    /// Fails unless some of the pets can be read again, as they were sent.
    pub(crate) async fn confirm(&self, created: &[Created]) -> anyhow::Result<()> {
        if self.fixed {
            return Ok(());
        }
        let mut connection = Connection::open(self.address).await?;
        for created in created.iter().step_by((created.len() / 100).max(1)) {
            let request = self.get(&format!("/v1/pets/{}", created.id));
            let answer = connection.exchange(&request).await?;
            let mut expected = new_pet(created.connection, created.number);
            with_id(&mut expected, created.id);
            expect(&answer, 200, &expected).context("a pet that was created")?;
        }
        Ok(())
    }
}

impl Asker<'_> {
    /// Asks for the next thing.
    pub(crate) async fn ask(&mut self) -> anyhow::Result<Option<Created>> {
        self.number += 1;
        let load = match (self.asks.load, self.number % 100) {
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
        let page = &self.asks.pages[self.place(self.asks.pages.len())];
        let answer = self.connection.exchange(&page.request).await?;
        expect(&answer, 200, &page.body)
    }

    async fn get(&mut self) -> anyhow::Result<()> {
        let pets = usize::try_from(self.asks.pets)?;
        let id = i64::try_from(self.place(pets))? + 1;
        let request = self.asks.get(&format!("/v1/pets/{id}"));
        let answer = self.connection.exchange(&request).await?;
        let given = if self.asks.fixed { 1 } else { id };
        expect(&answer, 200, &pets::pet(given, self.asks.pets))
    }

    async fn create(&mut self) -> anyhow::Result<Created> {
        let mut pet = new_pet(self.index, self.number);
        let request = self.asks.post(&pet);
        let answer = self.connection.exchange(&request).await?;
        let id = id_of(answer.body).context("a created pet has no `id` at its end")?;
        ensure!(id > self.asks.pets, "the id {id} was taken already");
        with_id(&mut pet, id);
        expect(&answer, 201, &pet)?;
        Ok(Created {
            connection: self.index,
            number: self.number,
            id,
        })
    }

    /// One of so many places, another each time and all over them: the golden
    /// ratio spreads them, the connections begin apart.
    fn place(&self, places: usize) -> usize {
        let number = self.number as f64 + self.index as f64 * 1013.0;
        let place = (number * 0.618_033_988_749_895).fract() * places as f64;
        (place as usize).min(places - 1)
    }
}

/// What is sent for a new pet. It has a status that no list of the bench asks
/// for, so that the pages stay what they are.
fn new_pet(connection: usize, number: u64) -> String {
    format!(
        "{{\"name\":\"new pet {connection}-{number}\",\"categoryId\":{number},\"status\":\"pending\"}}"
    )
}

/// Puts the id at the end, where the contract has it.
fn with_id(pet: &mut String, id: i64) {
    pet.truncate(pet.len() - 1);
    pet.push_str(&format!(",\"id\":{id}}}"));
}

fn id_of(body: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(body).ok()?.strip_suffix('}')?;
    text.rsplit_once("\"id\":")?.1.parse().ok()
}

pub(crate) fn expect(answer: &Answer<'_>, status: u16, body: &str) -> anyhow::Result<()> {
    if answer.status == status && answer.body == body.as_bytes() {
        return Ok(());
    }
    bail!(
        "a wrong answer: {} {}\nexpected: {status} {body}",
        answer.status,
        String::from_utf8_lossy(answer.body)
    )
}
