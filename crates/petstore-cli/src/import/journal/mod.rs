//! The journal of an import: a file of JSON lines beside the input. It fixes
//! the Idempotency-Key of each line before it is sent, with a random id of the
//! run, and records the result of the line. `state` computes the state of all
//! lines at the end of a journal.
//!
//! The id of the run, and the numbers of the lines that are about to be sent, must
//! be on disk before a line is sent. Therefore they are written with fsync, for
//! [`WINDOW`] lines at once. Responses are written without fsync: if they are lost,
//! the lines are sent again with the same keys, and the service returns the same
//! responses.

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

/// How many lines are announced with one fsync. After a kill, so many at most
/// are sent again.
const WINDOW: u64 = 256;

/// The file and the service that a journal belongs to.
pub(super) struct Belongs<'a> {
    pub(super) input: &'a Path,
    pub(super) fingerprint: Fingerprint,
    pub(super) format: Format,
    pub(super) url: &'a str,
    pub(super) api_key: &'a str,
}

/// An open journal, which no other process writes.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    header: Header,
    state: State,
    /// A hash that identifies the API key of this run in the journal.
    key_mark: String,
    /// The last lines that this run announced.
    announced: RangeInclusive<u64>,
    /// Whether a line of it may be torn: nothing more can be added.
    is_torn: bool,
}

impl Journal {
    /// Opens the journal, or creates it. Rejects a journal of another import, and one
    /// that another process is writing.
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
                "another import writes the journal `{}`: wait until it ends, or stop it",
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

    /// The Idempotency-Key of a line: the same in every run.
    pub(super) fn idempotency_key(&self, line: u64) -> String {
        format!("{}-{line}", self.header.run)
    }

    /// Whether an earlier run may have sent the line, and its response is unknown.
    pub(super) fn may_have_been_sent(&self, line: u64) -> bool {
        self.state.is_open(line) && !self.announced.contains(&line)
    }

    /// Whether the service still knows the key of a line that may have been
    /// sent, so that it can be sent again.
    pub(super) fn can_send_again(&self, line: u64) -> bool {
        self.state.can_send_again(line, Utc::now(), &self.key_mark)
    }

    /// Makes sure that the journal says, on disk, that this line may have been
    /// sent, and, since that takes an fsync, some lines after it.
    pub(super) fn announce(&mut self, line: u64) -> Result<()> {
        if self.announced.contains(&line) {
            return Ok(());
        }
        let to = self.state.untouched_from(line, WINDOW);
        self.announce_all(line, to)?;
        self.announced = line..=to;
        Ok(())
    }

    /// The same for one line, as if it had never been sent: its key counts from
    /// now on.
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

    /// Takes back what was announced from this line on, and not sent.
    pub(super) fn take_back_from(&mut self, line: u64) -> Result<()> {
        let (from, to) = (line.max(*self.announced.start()), *self.announced.end());
        if from <= to {
            self.add(Entry::Unsent { from, to })?;
        }
        Ok(())
    }

    /// Adds what became of a line.
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

    /// Has everything on disk.
    pub(super) fn close(self) -> Result<State> {
        self.file.sync_all().with_context(|| self.cannot_write())?;
        Ok(self.state)
    }

    fn cannot_write(&self) -> String {
        format!("cannot write the journal `{}`", self.path.display())
    }
}

/// Passes each rejected line of a journal, with its reason, to a function.
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

/// Writes the header, and its name into the folder, before anything is sent.
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

/// Reads what earlier runs wrote, and cuts off a last line that is torn.
fn read(mut file: &File, path: &Path, belongs: &Belongs<'_>) -> Result<(Header, State)> {
    let shown = path.display();
    let context = || format!("cannot read the journal `{shown}`");
    file.seek(SeekFrom::Start(0)).with_context(context)?;
    let mut reader = BufReader::new(file);
    let mut text = Vec::new();
    reader.read_until(b'\n', &mut text).with_context(context)?;
    let header: Header = serde_json::from_slice(&text).map_err(|_| {
        WrongUsage(format!(
            "`{shown}` is not the journal of an import: name another file with --journal, or move this one away"
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
            // Only the end of what was not yet on disk can be torn.
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
        "line {number} of the journal `{}` is damaged: {problem}; without it, it is unknown which lines were added: \
         put back a copy of it, or compare the file with `petstore pets export`",
        path.display()
    )
}

/// Whether the journal is that of this file and this service.
fn compare(header: &Header, path: &Path, belongs: &Belongs<'_>) -> Result<()> {
    let shown = path.display();
    let input = belongs.input.display();
    let problem = if header.version != VERSION {
        format!(
            "`{shown}` was written by another version of this program: continue with that version"
        )
    } else if header.input != belongs.fingerprint {
        format!(
            "`{input}` was changed after its import began on {}: put it back as it was, and import new lines from a \
             file of their own (`{shown}` has the length and the SHA-256 that it had)",
            header.begun.format("%-d %B %Y at %H:%M UTC"),
        )
    } else if header.format != belongs.format.as_str() {
        format!(
            "`{input}` was begun as {}: pass `--format {0}`",
            header.format
        )
    } else if header.url != belongs.url {
        format!(
            "the import of `{input}` was begun at {}, and this is {}: pass `--url {0}` to continue, or name another file \
             with --journal to import it here as well",
            header.url, belongs.url
        )
    } else {
        return Ok(());
    };
    Err(WrongUsage(problem).into())
}

/// A hash that identifies an API key: enough to tell that it is another one,
/// and nothing that helps to find it.
fn mark(header: &Header, api_key: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(header.run.as_bytes());
    hash.update(api_key.as_bytes());
    hexadecimal(&hash.finalize()[..8])
}
