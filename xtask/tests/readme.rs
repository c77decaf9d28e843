//! Tests the commands of the README and of three pages of the book: each `sh` block is run, in
//! order, and its output is compared with the block after it. Only the ports, the database and the
//! key differ from the pages.

use std::{
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Child, Command, Output, Stdio},
};
use test_support::{Need, skip};

const SERVE: &str = "cargo run --bin petstore-server -- serve";
/// A command that runs this test, so this test cannot run it.
const TEST: &str = "cargo xtask test";
/// The commands of these pages are run one page after another, against one service.
const PAGES: [&str; 4] = [
    "README.md",
    "book/src/petstore/http-api.md",
    "book/src/petstore/keys.md",
    "crates/petstore-cli/README.md",
];

/// A command on a page, and the output printed below it.
struct Step {
    command: String,
    answer: Option<String>,
}

/// Returns the `sh` blocks, each with the plain block after it, if there is one.
fn steps(page: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut block: Option<(&str, String)> = None;
    for line in page.lines() {
        match (&mut block, line.strip_prefix("```")) {
            (None, Some(language)) => block = Some((language, String::new())),
            (None, None) => {}
            (Some((_, text)), None) => {
                text.push_str(line);
                text.push('\n');
            }
            (Some((language, text)), Some(_)) => {
                let text = std::mem::take(text);
                match (*language, steps.last_mut()) {
                    ("sh", _) => steps.push(Step {
                        command: text,
                        answer: None,
                    }),
                    ("", Some(step)) if step.answer.is_none() => step.answer = Some(text),
                    _ => {}
                }
                block = None;
            }
        }
    }
    steps
}

/// The service that the first command starts. It is stopped when this is dropped.
struct Service {
    process: Child,
    origin: String,
    key: String,
    database: String,
}

impl Service {
    fn start(command: &str, root: &Path, folder: &Path) -> Self {
        let database = format!("sqlite:{}", folder.join("petstore.db").display());
        let mut process = Command::new("bash")
            // `exec` replaces the shell, so that the process is the service.
            .args(["-c", &format!("exec {command}")])
            .current_dir(root)
            .env("PETSTORE_LISTEN", "127.0.0.1:0")
            .env("PETSTORE_ADMIN_LISTEN", "off")
            .env("PETSTORE_DATABASE", &database)
            .env_remove("JOURNAL_STREAM")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("bash runs");
        let errors = process.stderr.take().expect("piped");
        let mut lines = BufReader::new(errors).lines().map_while(Result::ok);
        let key = lines.find_map(|line| {
            let word = line.trim();
            (word.starts_with("petstore_") && !word.contains(' ')).then(|| word.to_owned())
        });
        let key = key.expect("the first start shows a key");
        // The rest of the log is read, so that the service is never blocked by a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let mut line = String::new();
        let mut answers = BufReader::new(process.stdout.take().expect("piped"));
        answers.read_line(&mut line).expect("readable");
        let origin = line
            .trim()
            .strip_prefix("listening on ")
            .and_then(|address| address.strip_suffix("/v1"))
            .unwrap_or_else(|| panic!("the service said `{line}`"))
            .to_owned();
        std::thread::spawn(move || answers.read_to_end(&mut Vec::new()));
        Service {
            process,
            origin,
            key,
            database,
        }
    }

    /// Runs a later command of the page against this service.
    fn run(&self, script: &str, root: &Path) -> Output {
        let script = script
            .replace("http://127.0.0.1:8080", &self.origin)
            .replace("petstore_…", &self.key);
        Command::new("bash")
            .args(["-euo", "pipefail", "-c", &script])
            .current_dir(root)
            .env("PETSTORE_URL", format!("{}/v1", self.origin))
            .env("PETSTORE_DATABASE", &self.database)
            .output()
            .expect("bash runs")
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // These fail only if the process has already ended.
        let _ended = self.process.kill();
        let _reaped = self.process.wait();
    }
}

/// Returns the first line, the names of headers and the body. Only these parts of the output are
/// the same as on the page, because the date and the request id differ.
fn shape(answer: &str) -> (String, Vec<String>, String) {
    let answer = answer.replace('\r', "");
    let Some((head, body)) = answer.split_once("\n\n") else {
        return (String::new(), Vec::new(), answer.trim().to_owned());
    };
    let mut lines = head.lines();
    let status = lines.next().unwrap_or_default().to_owned();
    let names = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, _)| name.to_lowercase())
        .collect();
    (status, names, body.trim().to_owned())
}

#[test]
fn every_command_in_the_documentation_prints_the_documented_output() {
    if Command::new("curl").arg("--version").output().is_err() {
        return skip(Need::Curl, "curl is not installed");
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask is in the workspace");
    let read = |page| std::fs::read_to_string(root.join(page)).expect("there is the page");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let steps: Vec<Step> = PAGES.iter().flat_map(|page| steps(&read(page))).collect();
    assert_eq!(
        steps[0].command.trim(),
        SERVE,
        "the first command starts the service"
    );
    assert_eq!(
        steps[1].command.trim(),
        TEST,
        "the second command runs the tests"
    );

    let service = Service::start(steps[0].command.trim(), root, folder.path());
    // Variables that a block exports are also set for the later blocks.
    let mut exports = String::new();
    for step in &steps[2..] {
        let output = service.run(&format!("{exports}{}", step.command), root);
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success(),
            "this command fails:\n{}{said}{}",
            step.command,
            String::from_utf8_lossy(&output.stderr)
        );
        if let Some(answer) = &step.answer {
            let (status, names, body) = shape(answer);
            let (found_status, found_names, found_body) = shape(&said);
            assert_eq!(
                (status, body),
                (found_status, found_body),
                "after:\n{}",
                step.command
            );
            for name in names {
                assert!(
                    found_names.contains(&name),
                    "no header `{name}` after:\n{}",
                    step.command
                );
            }
        }
        for line in step
            .command
            .lines()
            .filter(|line| line.starts_with("export "))
        {
            exports.push_str(line);
            exports.push('\n');
        }
    }
}
