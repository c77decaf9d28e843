//! The journal of an import: a file of JSON lines beside the input. Its header contains a random id
//! of the run, which is a part of the Idempotency-Key of each line, so the keys are fixed before any
//! line is sent. Afterwards the journal records the result of each line. `state` computes the state
//! of all lines from the journal.
//!
//! Before a line is sent, the id of the run and the number of the line must be on disk. Therefore
//! the journal announces lines with fsync, [`WINDOW`] lines at once. Responses are written without
//! fsync: if they are lost, the lines are sent again with the same keys, and the service returns
//! the same responses.

mod state;

pub(super) use state::{Entry, State};

use super::input::{Fingerprint, hexadecimal};
use crate::{cli::Format, exit::WrongUsage};
use anyhow::{Context as _, Result, bail};
use chrono::Utc;
use sha2::{Digest as _, Sha256};
use state::{Header, VERSION};
use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{self, BufRead, BufReader, Seek as _, SeekFrom, Write as _},
    ops::RangeInclusive,
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};
use uuid::Uuid;

/// How many lines are announced with one fsync. After a kill, at most this many lines are sent
/// again.
const WINDOW: u64 = 256;

/// The file and the service to which a journal belongs.
pub(super) struct Belongs<'a> {
    pub(super) input: &'a Path,
    pub(super) fingerprint: Fingerprint,
    pub(super) format: Format,
    pub(super) url: &'a str,
    pub(super) api_key: &'a str,
}

/// An open journal, which no other process writes to.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    header: Header,
    state: State,
    /// A hash that identifies the API key of this run in the journal.
    key_mark: String,
    /// The lines that this run announced last.
    announced: RangeInclusive<u64>,
    /// Whether the last written line may be incomplete; then nothing more can be added.
    is_torn: bool,
}

impl Journal {
    /// Opens the journal, or creates it. Rejects a journal of another import, and a journal to
    /// which another process is writing.
    pub(super) fn open(path: PathBuf, belongs: &Belongs<'_>) -> Result<Self> {
        let context = || format!("cannot open the journal `{}`", path.display());
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .mode(0o600)
            .open(&path)
            .with_context(context)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => bail!(
                "another import writes the journal `{}`: wait until that import ends, or stop it",
                path.display()
            ),
            Err(TryLockError::Error(error)) => return Err(error).with_context(context),
        }
        let is_new = file.metadata().with_context(context)?.len() == 0;
        let (header, state) = if is_new {
            (
                begin(&file, &path, belongs).with_context(context)?,
                State::new(&belongs.fingerprint),
            )
        } else {
            read(&file, &path, belongs)?
        };
        let key_mark = mark(&header, belongs.api_key);
        Ok(Journal {
            path,
            file,
            header,
            state,
            key_mark,
            announced: 0..=0,
            is_torn: false,
        })
    }

    pub(super) fn state(&self) -> &State {
        &self.state
    }

    /// Returns the Idempotency-Key of a line, which is the same in every run.
    pub(super) fn idempotency_key(&self, line: u64) -> String {
        format!("{}-{line}", self.header.run)
    }

    /// Whether an earlier run may have sent the line, and the response is unknown.
    pub(super) fn may_have_been_sent(&self, line: u64) -> bool {
        self.state.is_open(line) && !self.announced.contains(&line)
    }

    /// Whether the service still has the key of a line that may have been sent, so that the line
    /// can be sent again.
    pub(super) fn can_send_again(&self, line: u64) -> bool {
        self.state.can_send_again(line, Utc::now(), &self.key_mark)
    }

    /// Records on disk that this line may have been sent. Also announces some of the following
    /// lines, because the fsync takes time.
    pub(super) fn announce(&mut self, line: u64) -> Result<()> {
        if self.announced.contains(&line) {
            return Ok(());
        }
        let to = self.state.untouched_from(line, WINDOW);
        self.announce_all(line, to)?;
        self.announced = line..=to;
        Ok(())
    }

    /// Announces one line as if it had never been sent: the lifetime of its key starts now.
    pub(super) fn announce_anew(&mut self, line: u64) -> Result<()> {
        self.announce_all(line, line)
    }

    fn announce_all(&mut self, from: u64, to: u64) -> Result<()> {
        self.add(Entry::Sending {
            from,
            to,
            at: Utc::now(),
            key: self.key_mark.clone(),
        })?;
        self.file.sync_data().with_context(|| self.cannot_write())
    }

    /// Revokes the announcement of the lines from this one on that were not sent.
    pub(super) fn take_back_from(&mut self, line: u64) -> Result<()> {
        let (from, to) = (line.max(*self.announced.start()), *self.announced.end());
        if from <= to {
            self.add(Entry::Unsent { from, to })?;
        }
        Ok(())
    }

    /// Records the result of a line.
    pub(super) fn add(&mut self, entry: Entry) -> Result<()> {
        if self.is_torn {
            bail!("{}, as before", self.cannot_write());
        }
        let line = serde_json::to_string(&entry)? + "\n";
        if let Err(error) = self.file.write_all(line.as_bytes()) {
            self.is_torn = true;
            return Err(error).with_context(|| self.cannot_write());
        }
        self.state
            .apply(entry)
            .map_err(|problem| anyhow::anyhow!("{}: {problem}", self.cannot_write()))
    }

    /// Writes everything to disk.
    pub(super) fn close(self) -> Result<State> {
        self.file.sync_all().with_context(|| self.cannot_write())?;
        Ok(self.state)
    }

    fn cannot_write(&self) -> String {
        format!("cannot write the journal `{}`", self.path.display())
    }
}

/// Passes each rejected line of a journal, with the reason, to a function.
pub(super) fn refused(path: &Path, mut each: impl FnMut(u64, &str) -> Result<()>) -> Result<()> {
    let context = || format!("cannot read the journal `{}`", path.display());
    let file = BufReader::new(File::open(path).with_context(context)?);
    for line in file.lines().skip(1) {
        if let Ok(Entry::Refused { line, reason }) =
            serde_json::from_str(&line.with_context(context)?)
        {
            each(line, &reason)?;
        }
    }
    Ok(())
}

/// Writes the header, and makes the new file durable in its folder, before anything is sent.
fn begin(mut file: &File, path: &Path, belongs: &Belongs<'_>) -> io::Result<Header> {
    let header = Header {
        version: VERSION,
        run: Uuid::new_v4(),
        url: belongs.url.to_owned(),
        format: belongs.format.as_str().to_owned(),
        input: belongs.fingerprint.clone(),
        begun: Utc::now(),
    };
    file.write_all((serde_json::to_string(&header)? + "\n").as_bytes())?;
    file.sync_all()?;
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    File::open(folder)?.sync_all()?;
    Ok(header)
}

/// Reads what earlier runs wrote, and removes an incomplete last line.
fn read(mut file: &File, path: &Path, belongs: &Belongs<'_>) -> Result<(Header, State)> {
    let shown = path.display();
    let context = || format!("cannot read the journal `{shown}`");
    file.seek(SeekFrom::Start(0)).with_context(context)?;
    let mut reader = BufReader::new(file);
    let mut text = Vec::new();
    reader.read_until(b'\n', &mut text).with_context(context)?;
    let header: Header = serde_json::from_slice(&text).map_err(|_| {
        WrongUsage(format!(
            "`{shown}` is not the journal of an import: choose another file with --journal, or move this file away"
        ))
    })?;
    compare(&header, path, belongs)?;

    let mut state = State::new(&header.input);
    let mut whole = text.len() as u64;
    let mut torn = None;
    for number in 2_u64.. {
        text.clear();
        if reader.read_until(b'\n', &mut text).with_context(context)? == 0 {
            break;
        }
        let entry = text
            .ends_with(b"\n")
            .then(|| serde_json::from_slice::<Entry>(&text).ok())
            .flatten();
        match (entry, torn) {
            (Some(entry), None) => {
                state
                    .apply(entry)
                    .map_err(|problem| damaged(path, number, problem))?;
                whole += text.len() as u64;
            }
            // Only the part that was not yet on disk, which is at the end, can be incomplete.
            (Some(_), Some(number)) => return Err(damaged(path, number, "it cannot be read")),
            (None, _) => torn = torn.or(Some(number)),
        }
    }
    if torn.is_some() {
        file.set_len(whole).with_context(context)?;
    }
    Ok((header, state))
}

fn damaged(path: &Path, number: u64, problem: &str) -> anyhow::Error {
    anyhow::anyhow!(
        "line {number} of the journal `{}` is damaged: {problem}; without this line, it is unknown which lines were added: \
         restore a copy of the journal, or compare the file with `petstore pets export`",
        path.display()
    )
}

/// Checks that the journal belongs to this file and this service.
fn compare(header: &Header, path: &Path, belongs: &Belongs<'_>) -> Result<()> {
    let shown = path.display();
    let input = belongs.input.display();
    let problem = if header.version != VERSION {
        format!(
            "`{shown}` was written by another version of this program: continue with that version"
        )
    } else if header.input != belongs.fingerprint {
        format!(
            "`{input}` was changed after its import began on {}: restore its former content, and import new lines from a \
             separate file (`{shown}` contains its former length and SHA-256)",
            header.begun.format("%-d %B %Y at %H:%M UTC"),
        )
    } else if header.format != belongs.format.as_str() {
        format!(
            "the import of `{input}` was begun with the format {}: pass `--format {0}`",
            header.format
        )
    } else if header.url != belongs.url {
        format!(
            "the import of `{input}` was begun with the service {}, but this is {}: pass `--url {0}` to continue, or choose another file \
             with --journal to import the pets to this service, too",
            header.url, belongs.url
        )
    } else {
        return Ok(());
    };
    Err(WrongUsage(problem).into())
}

/// Returns a hash that identifies an API key. It is sufficient to recognise another key, but does
/// not help to find the key.
fn mark(header: &Header, api_key: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(header.run.as_bytes());
    hash.update(api_key.as_bytes());
    hexadecimal(&hash.finalize()[..8])
}
