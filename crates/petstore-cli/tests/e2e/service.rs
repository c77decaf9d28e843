//! Runs the real service on a free port with a separate store. It is stopped and removed at the end
//! of the test.

use petstore_client::{Client, Pet};
use serde_json::Value;
use std::{
    env,
    fs::{self, File},
    io::{BufRead, BufReader, Read as _, Seek as _, Write as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::OnceLock,
    thread,
};
use tempfile::TempDir;

/// Returns the program of the service. It belongs to another crate, so cargo builds it here if it
/// is not up to date: once for each process, or once for each run of `cargo nextest`, which runs
/// each test in a separate process.
fn server() -> &'static Path {
    static SERVER: OnceLock<PathBuf> = OnceLock::new();
    SERVER.get_or_init(|| {
        let Ok(run) = env::var("NEXTEST_RUN_ID") else {
            return build();
        };
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("petstore-server-of-the-run");
        let mut file = File::options();
        file.read(true).write(true).create(true).truncate(false);
        let mut file = file.open(path).expect("a file for all tests of the run");
        file.lock().expect("one build at a time");
        let mut text = String::new();
        file.read_to_string(&mut text).expect("text");
        if let Some(server) = text.strip_prefix(&format!("{run} ")) {
            return server.into();
        }
        let server = build();
        file.rewind().expect("a file");
        file.set_len(0).expect("a file");
        write!(file, "{run} {}", server.display()).expect("it can be written");
        server
    })
}

fn build() -> PathBuf {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["build", "--locked", "--bin", "petstore-server"])
        .args(["--message-format", "json-render-diagnostics"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo is there");
    assert!(output.status.success(), "the service cannot be built");
    let messages = serde_json::Deserializer::from_slice(&output.stdout).into_iter::<Value>();
    let mut programs = messages
        .map_while(Result::ok)
        .filter(|message| message["target"]["name"] == "petstore-server")
        .filter_map(|message| message["executable"].as_str().map(PathBuf::from));
    programs.next().expect("cargo names the program")
}

#[test]
fn the_service_that_tests_start_is_not_older_than_its_sources() {
    let modified = |path: &Path| {
        let metadata = path.metadata().expect("a file");
        metadata.modified().expect("a time")
    };
    // Cargo lists the sources of the program.
    let list = fs::read_to_string(server().with_extension("d")).expect("a list");
    let (_, sources) = list.split_once(": ").expect("the sources of a program");
    let sources: Vec<_> = sources.split_ascii_whitespace().map(Path::new).collect();
    assert!(sources.len() > 100, "{sources:?}");
    let built = modified(server());
    let changed: Vec<_> = sources
        .iter()
        .filter(|path| modified(path) > built)
        .collect();
    assert!(changed.is_empty(), "changed after the build: {changed:?}");
}

/// A running service.
pub(crate) struct Service {
    process: Child,
    folder: TempDir,
    pub(crate) url: String,
    pub(crate) key: String,
}

impl Service {
    /// Starts the service on a new store.
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    pub(crate) fn start_with(arguments: &[&str]) -> Self {
        let folder = TempDir::new().expect("a folder can be made");
        let mut process = program(folder.path())
            .args(["serve", "--listen", "127.0.0.1:0", "--access-log", "off"])
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the service can be run");
        let errors = process.stderr.take().expect("piped");
        let mut lines = BufReader::new(errors).lines().map_while(Result::ok);
        let key = lines
            .find_map(|line| {
                let word = line.trim();
                (word.starts_with("petstore_") && !word.contains(' ')).then(|| word.to_owned())
            })
            .expect("the first start shows a key");
        // The remaining log is read, so that the service never waits for the test.
        thread::spawn(move || lines.for_each(drop));
        let mut line = String::new();
        let mut finished = BufReader::new(process.stdout.take().expect("piped"));
        finished.read_line(&mut line).expect("text");
        let url = line.trim().strip_prefix("listening on ");
        Service {
            process,
            folder,
            url: url.expect("it listens").to_owned(),
            key,
        }
    }

    /// Runs another command of the service on its store; returns its output.
    pub(crate) fn command(&self, arguments: &[&str]) -> String {
        let output = program(self.folder.path()).args(arguments).output();
        let output = output.expect("the service can be run");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    }

    /// Ends the service at once.
    pub(crate) fn kill(&mut self) {
        self.process.kill().expect("it runs");
        self.process.wait().expect("it ends");
    }

    /// Returns all pets, read with the client.
    pub(crate) fn pets(&self) -> Vec<Pet> {
        let client = Client::builder(&self.url).api_key(&self.key).build();
        let client = client.expect("a URL and a key");
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            let mut walk = client.list_pets().limit(100).stream();
            let mut pets = Vec::new();
            while let Some(pet) = walk.next().await {
                pets.push(pet.expect("answered"));
            }
            pets
        })
    }
}

fn program(folder: &Path) -> Command {
    let mut command = Command::new(server());
    command.env_clear().current_dir(folder);
    command.env("PETSTORE_ADMIN_LISTEN", "off");
    command
}

impl Drop for Service {
    fn drop(&mut self) {
        // The service may already have ended, which is not an error here.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
