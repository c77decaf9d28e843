//! Sends lines as one stream, whose results arrive as another one.

use futures::{SinkExt as _, channel::mpsc};
use petstore_client::{
    Client, Error, ErrorCode, ImportResult, Lines, NewPet, PetToImport, Streamed,
};
use std::collections::VecDeque;

/// The lines of one upload: fewer bytes than one may have, also if each line is as long as it can be.
const LINES: i64 = 10_000;
/// The lines that wait to be sent.
const WAITING: usize = 64;

/// A line that was sent, or has to be.
pub(super) struct Sent {
    pub(super) line: u64,
    pub(super) pet: NewPet,
    /// Whether an earlier run may have sent it, too.
    pub(super) is_again: bool,
}

/// What became of a line.
pub(super) enum Result {
    Added(i64),
    /// The service rejected it permanently, for this reason.
    Refused(String),
    /// The service may add it when it is sent again.
    Unknown,
}

/// An upload that runs.
pub(super) struct Upload {
    /// `None` when all of its lines were sent.
    lines: Option<mpsc::Sender<PetToImport>>,
    results: Streamed<ImportResult>,
    sent: i64,
    received: i64,
    /// The lines without a result.
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

    /// Whether it takes more lines.
    pub(super) fn is_open(&self) -> bool {
        self.lines.is_some()
    }

    /// The number of lines without a result.
    pub(super) fn pending(&self) -> usize {
        self.pending.len()
    }

    pub(super) async fn send(&mut self, line: Sent, key: String) {
        let pet = with_key(&line.pet, key);
        self.pending.push_back(line);
        self.sent += 1;
        if let Some(lines) = &mut self.lines {
            // If nobody takes it, the upload has ended, and so have its results.
            if lines.send(pet).await.is_err() || self.sent == LINES {
                self.end();
            }
        }
    }

    /// Ends it after the lines that were sent.
    pub(super) fn end(&mut self) {
        self.lines = None;
    }

    /// Waits for the result of the next line. `None` if there is none any more: what it returns then is
    /// unknown for all pending lines.
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

    /// The lines without a result, when there are no more.
    pub(super) fn left(self) -> VecDeque<Sent> {
        self.pending
    }
}

/// The pet with all of its members, and its key.
fn with_key(pet: &NewPet, key: String) -> PetToImport {
    let members = serde_json::to_value(pet).map(|mut members| {
        members["idempotencyKey"] = key.into();
        members
    });
    let pet = members.and_then(serde_json::from_value);
    pet.expect("a pet to import has the members of a new pet")
}

/// Whether the service has no uploads, as 1.2.0 and a service of stable operations only.
pub(super) fn is_missing(error: &Error) -> bool {
    matches!(
        error.code(),
        Some(ErrorCode::NotFound | ErrorCode::MethodNotAllowed)
    )
}
