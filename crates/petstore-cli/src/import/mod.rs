//! Command `pets import`: adds each pet of a file exactly once, even if the
//! import is interrupted and repeated.

mod input;
mod journal;
mod parse;
mod report;
mod stop;
mod upload;

use crate::{
    cli::{Format, ImportOptions, Unknown},
    exit::{Exit, WrongUsage},
    output::{Form, printable_lines},
    settings::Service,
};
use anyhow::{Context as _, Result, anyhow};
use input::{Record, Records, Scan};
use journal::{Belongs, Entry, Journal};
use parse::Parser;
use petstore_client::{Client, Error, ErrorCode, RetryBudget, RetryPolicy};
use report::{Outcome, Progress};
use std::{
    collections::VecDeque,
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};
use stop::Stop;
use tokio::{
    task::JoinSet,
    time::{Instant, timeout_at},
};
use upload::{Sent, Upload};

/// How long the import waits for lines in flight after it was told to stop.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a line may take with all its attempts. It is long enough to wait for a service that
/// restarts or limits the rate.
const CALL_TIMEOUT: Duration = Duration::from_secs(60);
/// How many attempts a line gets. If each fails at once, they take about twelve seconds.
const TRIES: u32 = 8;
/// How many lines are sent in their own requests at the same time, unless `--concurrency` is set.
const AT_ONCE: u32 = 16;
/// How many lines of an upload may be waiting for a result.
const IN_UPLOAD: usize = 256;

/// Runs `pets import`. If it fails, the journal contains what was done before the failure.
pub(crate) async fn run(service: &Service, options: &ImportOptions, form: Form) -> Result<Exit> {
    let concurrency = options.concurrency.unwrap_or(AT_ONCE);
    let client = client(service, concurrency)?;
    let format = input::format_of(&options.file, options.format)?;
    let scan = input::scan(&options.file, format)?;
    let (parser, records) = begin(&options.file, format)?;
    let journal_path = options.journal.clone().unwrap_or_else(|| beside(options));
    let journal = Journal::open(
        journal_path.clone(),
        &Belongs {
            input: &options.file,
            fingerprint: scan.fingerprint.clone(),
            format,
            url: client.base_url(),
            api_key: service.api_key(),
        },
    )?;
    if let Some(rejected) = &options.rejected {
        report::check_rejected(rejected, &options.file, &journal_path)?;
    }
    let progress = Progress::begin(journal.state(), scan.records);
    let outcome = Outcome {
        records: scan.records,
        already: journal.state().settled(),
        ..Outcome::default()
    };
    let mut work = Work {
        client,
        journal,
        progress,
        stop: Stop::listen()?,
        in_flight: JoinSet::new(),
        again: VecDeque::new(),
        upload: None,
        uploads: options.concurrency.is_none(),
        concurrency: concurrency as usize,
        unknown: options.unknown,
        outcome,
    };
    work.go_through(&parser, records, &scan).await;
    work.wait_for_responses().await;
    work.progress.end();
    if let Some(failure) = &work.outcome.failure {
        let message = format!("error: {failure:#}");
        eprintln!("{}", printable_lines(&message));
    }
    let (mut outcome, state) = (work.outcome, work.journal.close()?);
    // A signal that arrives after the last line is ignored.
    let is_through = state.settled() + outcome.held.count() == scan.records;
    outcome.signal = work.stop.came().filter(|_| !is_through);
    let ended = outcome.tell(form, &options.file, &journal_path, &state)?;
    if let Some(rejected) = &options.rejected {
        report::write_rejected(rejected, &journal_path)?;
    }
    Ok(ended)
}

/// Creates a client that retries for long. The retry budget for all lines together is enough for a
/// restart of the service, but it is limited.
fn client(service: &Service, concurrency: u32) -> Result<Client> {
    service.client_with(|builder| {
        builder
            .timeout(CALL_TIMEOUT)
            .retry(RetryPolicy::new().max_tries(TRIES))
            .retry_budget(RetryBudget::new(2 * TRIES * concurrency, 5))
    })
}

/// Returns the parser of the file, and the records that contain pets.
fn begin(file: &Path, format: Format) -> Result<(Parser, Records)> {
    let mut records = Records::open(file, format)?;
    let header = match format {
        Format::Csv => records.next()?,
        Format::Ndjson => None,
    };
    let parser = Parser::new(format, header.as_ref())
        .map_err(|problem| WrongUsage(format!("`{}` {problem}", file.display())))?;
    Ok((parser, records))
}

/// Returns `pets.csv.journal` for `pets.csv`.
fn beside(options: &ImportOptions) -> PathBuf {
    let mut name = OsString::from(&options.file);
    name.push(".journal");
    PathBuf::from(name)
}

/// A running import.
struct Work {
    client: Client,
    journal: Journal,
    progress: Progress,
    stop: Stop,
    /// The requests that each send a single line.
    in_flight: JoinSet<Response>,
    /// The lines that will be sent in such requests next.
    again: VecDeque<Sent>,
    upload: Option<Upload>,
    /// Whether lines are sent in uploads, if the service supports uploads.
    uploads: bool,
    concurrency: usize,
    unknown: Unknown,
    outcome: Outcome,
}

/// The result of a line.
struct Response {
    line: u64,
    /// Whether an earlier run may also have sent the line.
    is_again: bool,
    result: Result<i64, Error>,
}

impl Work {
    /// Sends line after line, until the end of the file or until something stops the import.
    async fn go_through(&mut self, parser: &Parser, mut records: Records, scan: &Scan) {
        let mut next_line = 1;
        while self.goes_on() {
            match records.next() {
                Ok(Some(record)) => {
                    next_line = record.line + 1;
                    let taken = self.take(parser, &record).await;
                    self.keep(taken);
                }
                Ok(None) => {
                    if records.fingerprint() != scan.fingerprint {
                        self.fail(anyhow!(
                            "the file was changed while it was imported; restore its former content"
                        ));
                    }
                    break;
                }
                Err(error) => self.fail(error),
            }
        }
        let taken_back = self.journal.take_back_from(next_line);
        self.keep(taken_back);
    }

    fn goes_on(&self) -> bool {
        self.outcome.failure.is_none() && self.stop.came().is_none()
    }

    fn fail(&mut self, error: anyhow::Error) {
        self.outcome.failure.get_or_insert(error);
    }

    /// Stores the error, if there is one, so that the import stops.
    fn keep(&mut self, result: Result<()>) {
        if let Err(error) = result {
            self.fail(error);
        }
    }

    /// Processes a record. Afterwards the record is in flight, has a result, or is held back.
    async fn take(&mut self, parser: &Parser, record: &Record) -> Result<()> {
        let line = record.line;
        if self.journal.state().is_settled(line) {
            return Ok(());
        }
        let pet = match parser.parse(record) {
            Ok(pet) => pet,
            Err(reason) => return self.refuse(line, reason),
        };
        let is_again = self.journal.may_have_been_sent(line);
        if !is_again {
            self.journal.announce(line)?;
        } else if !self.journal.can_send_again(line) {
            match self.unknown {
                Unknown::Hold => {
                    self.outcome.held.push(line);
                    return Ok(());
                }
                Unknown::Skip => return self.journal.add(Entry::Skipped { line }),
                Unknown::Send => self.journal.announce_anew(line)?,
            }
        }
        let sent = Sent {
            line,
            pet,
            is_again,
        };
        let can_upload = self.can_upload().await;
        if !self.goes_on() {
            // No part of the line was sent.
            let (from, to) = (line, line);
            let unsent = Entry::Unsent { from, to };
            return if is_again {
                Ok(())
            } else {
                self.journal.add(unsent)
            };
        }
        if can_upload {
            let key = self.journal.idempotency_key(line);
            if let Some(upload) = &mut self.upload {
                upload.send(sent, key).await;
            }
        } else {
            self.again.push_back(sent);
            self.send();
        }
        while self.is_full() && self.goes_on() {
            self.take_response().await?;
        }
        Ok(())
    }

    /// Whether there is an upload that accepts lines. Starts an upload if none is running.
    async fn can_upload(&mut self) -> bool {
        if self.uploads && self.upload.is_none() && self.again.is_empty() {
            let mut stop = self.stop.clone();
            tokio::select! {
                begun = Upload::begin(&self.client) => match begun {
                    Ok(upload) => self.upload = Some(upload),
                    // A request that sends only this line returns the reason.
                    Err(error) => self.uploads = !upload::is_missing(&error),
                },
                () = stop.comes() => {}
            }
        }
        self.upload.as_ref().is_some_and(Upload::is_open)
    }

    /// Whether to wait for a response before the next line is sent.
    fn is_full(&self) -> bool {
        let is_full = |upload: &Upload| !upload.is_open() || upload.pending() >= IN_UPLOAD;
        self.upload.as_ref().is_some_and(is_full)
            || self.in_flight.len() + self.again.len() >= self.concurrency
    }

    /// Returns how many lines have no response yet.
    fn waiting(&self) -> usize {
        let pending = self.upload.as_ref().map_or(0, Upload::pending);
        self.in_flight.len() + self.again.len() + pending
    }

    /// Sends lines in their own requests, as many as may be in flight.
    fn send(&mut self) {
        while self.in_flight.len() < self.concurrency
            && let Some(sent) = self.again.pop_front()
        {
            self.request(sent);
        }
    }

    fn request(&mut self, sent: Sent) {
        let Sent {
            line,
            pet,
            is_again,
        } = sent;
        let client = self.client.clone();
        let key = self.journal.idempotency_key(line);
        self.in_flight.spawn(async move {
            let request = client.create_pet().idempotency_key(key).body(pet);
            let result = request.send().await.map(|added| added.id);
            Response {
                line,
                is_again,
                result,
            }
        });
    }

    fn refuse(&mut self, line: u64, reason: String) -> Result<()> {
        self.progress.refused(line, &reason);
        self.journal.add(Entry::Refused { line, reason })?;
        self.progress.show(self.journal.state());
        Ok(())
    }

    /// Waits for a response and records it in the journal, or waits for a signal.
    async fn take_response(&mut self) -> Result<()> {
        let mut stop = self.stop.clone();
        tokio::select! {
            taken = self.next_response() => taken,
            () = stop.comes() => Ok(()),
        }
    }

    async fn next_response(&mut self) -> Result<()> {
        self.send();
        let Work {
            in_flight, upload, ..
        } = self;
        let of_upload = async {
            match upload {
                Some(upload) => upload.next().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            Some(joined) = in_flight.join_next() => {
                self.take_in(joined.context("a request was broken off")?)
            }
            result = of_upload => self.take_result(result),
        }
    }

    /// Records the result of a line of the upload. If there is no result, the upload has ended.
    fn take_result(&mut self, result: Option<(Sent, upload::Result)>) -> Result<()> {
        let Some((sent, result)) = result else {
            let left = self.upload.take().map_or_else(VecDeque::new, Upload::left);
            self.again.extend(left.into_iter().map(|sent| Sent {
                is_again: true,
                ..sent
            }));
            return Ok(());
        };
        match result {
            upload::Result::Added(id) => {
                let line = sent.line;
                self.journal.add(Entry::Added { line, id })?;
                self.progress.show(self.journal.state());
            }
            upload::Result::Refused(reason) => self.refuse(sent.line, reason)?,
            upload::Result::Unknown => self.again.push_back(Sent {
                is_again: true,
                ..sent
            }),
        }
        Ok(())
    }

    fn take_in(&mut self, response: Response) -> Result<()> {
        let Response {
            line,
            is_again,
            result,
        } = response;
        match result {
            Ok(id) => self.journal.add(Entry::Added { line, id })?,
            Err(error) if is_refusal(&error) => {
                return self.refuse(line, error.message().to_owned());
            }
            Err(error) => {
                if was_not_done(&error) && !is_again {
                    let (from, to) = (line, line);
                    self.journal.add(Entry::Unsent { from, to })?;
                } else {
                    self.outcome.unanswered += 1;
                }
                // The errors after the first one have the same cause.
                self.fail(anyhow::Error::from(error).context(format!("line {line} was not added")));
            }
        }
        self.progress.show(self.journal.state());
        Ok(())
    }

    /// Waits for lines in flight. If the import was told to stop, waits only for a limited time.
    async fn wait_for_responses(&mut self) {
        if let Some(upload) = &mut self.upload {
            upload.end();
        }
        while self.waiting() > 0 && self.goes_on() {
            let taken = self.take_response().await;
            self.keep(taken);
        }
        // The results of these lines are unknown.
        self.outcome.unanswered += std::mem::take(&mut self.again).len() as u64;
        if self.waiting() == 0 {
            return;
        }
        self.progress.say(&format!(
            "stopping: waiting for {} lines in flight, at most {} seconds; press Ctrl-C to end at once",
            self.waiting(),
            PATIENCE.as_secs()
        ));
        let until = Instant::now() + PATIENCE;
        while self.waiting() > 0
            && let Ok(taken) = timeout_at(until, self.next_response()).await
        {
            self.keep(taken);
        }
        self.outcome.unanswered += u64::try_from(self.waiting()).unwrap_or(u64::MAX);
        self.in_flight.abort_all();
    }
}

/// Whether the service rejected the line permanently.
fn is_refusal(error: &Error) -> bool {
    error.code().is_some() && matches!(error.status(), Some(400 | 413 | 422))
}

/// Whether it is certain that this call did not add the line.
fn was_not_done(error: &Error) -> bool {
    let was_refused = matches!(
        error.code(),
        Some(
            ErrorCode::InsufficientScope
                | ErrorCode::MethodNotAllowed
                | ErrorCode::NotFound
                | ErrorCode::OperationRemoved
                | ErrorCode::Overloaded
                | ErrorCode::RateLimited
                | ErrorCode::RequestTimeout
                | ErrorCode::Unauthorized
                | ErrorCode::UnsupportedMediaType
        )
    );
    // If there were several attempts, only the result of the last one is known.
    !error.was_sent() || (was_refused && error.retries() == 0)
}
