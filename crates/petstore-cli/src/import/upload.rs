//! Sends lines as one stream, and receives their results as another stream.

use futures::{SinkExt as _, channel::mpsc};
use petstore_client::{
    Client, Error, ErrorCode, ImportResult, Lines, NewPet, PetToImport, Streamed,
};
use std::collections::VecDeque;

/// How many lines an upload may have. Even if each line has the maximum length, they are fewer bytes
/// than an upload may have.
const LINES: i64 = 10_000;
/// How many lines may wait to be sent.
const WAITING: usize = 64;

/// A line that was sent or will be sent.
pub(super) struct Sent {
    pub(super) line: u64,
    pub(super) pet: NewPet,
    /// Whether an earlier run may also have sent the line.
    pub(super) is_again: bool,
}

/// The result of a line.
pub(super) enum Result {
    Added(i64),
    /// The service rejected the line permanently, for this reason.
    Refused(String),
    /// Any other result: the service may add the line when it is sent again.
    Unknown,
}

/// A running upload.
pub(super) struct Upload {
    /// `None` if all lines of the upload were sent.
    lines: Option<mpsc::Sender<PetToImport>>,
    results: Streamed<ImportResult>,
    sent: i64,
    received: i64,
    /// The lines that have no result yet.
    pending: VecDeque<Sent>,
}

impl Upload {
    pub(super) async fn begin(client: &Client) -> std::result::Result<Self, Error> {
        let (lines, receiver) = mpsc::channel(WAITING);
        let request = client.import_pets().body(Lines::new(receiver));
        Ok(Upload {
            lines: Some(lines),
            results: request.send().await?.into_inner(),
            sent: 0,
            received: 0,
            pending: VecDeque::new(),
        })
    }

    /// Whether the upload accepts more lines.
    pub(super) fn is_open(&self) -> bool {
        self.lines.is_some()
    }

    /// Returns how many lines have no result yet.
    pub(super) fn pending(&self) -> usize {
        self.pending.len()
    }

    pub(super) async fn send(&mut self, line: Sent, key: String) {
        let pet = with_key(&line.pet, key);
        self.pending.push_back(line);
        self.sent += 1;
        if let Some(lines) = &mut self.lines {
            // If the line cannot be sent, the upload and its results have ended.
            if lines.send(pet).await.is_err() || self.sent == LINES {
                self.end();
            }
        }
    }

    /// Ends the upload after the lines that were sent.
    pub(super) fn end(&mut self) {
        self.lines = None;
    }

    /// Waits for the result of the next line. Returns `None` if there are no more results; the results
    /// of all pending lines are then unknown.
    pub(super) async fn next(&mut self) -> Option<(Sent, Result)> {
        let result = self.results.next().await?.ok()?;
        self.received += 1;
        if result.line != self.received {
            return None;
        }
        let sent = self.pending.pop_front()?;
        let result = match (result.pet, result.error) {
            (Some(pet), _) => Result::Added(pet.id),
            (None, Some(error)) if matches!(error.status, 400 | 413 | 422) => {
                Result::Refused(error.message)
            }
            (None, _) => Result::Unknown,
        };
        Some((sent, result))
    }

    /// Returns the lines without a result, after the last result was received.
    pub(super) fn left(self) -> VecDeque<Sent> {
        self.pending
    }
}

/// Returns the pet with all of its properties and its idempotency key.
fn with_key(pet: &NewPet, key: String) -> PetToImport {
    let members = serde_json::to_value(pet).map(|mut members| {
        members["idempotencyKey"] = key.into();
        members
    });
    let pet = members.and_then(serde_json::from_value);
    pet.expect("a pet to import has the members of a new pet")
}

/// Whether the service does not support uploads, like version 1.2.0, or like a service that serves
/// stable operations only.
pub(super) fn is_missing(error: &Error) -> bool {
    matches!(
        error.code(),
        Some(ErrorCode::NotFound | ErrorCode::MethodNotAllowed)
    )
}
