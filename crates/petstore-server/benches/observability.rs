//! Measures the cost of logging and metrics: compares the program with its access log (JSON, into a
//! file) and its metrics to the same program without both.
//!
//! `cargo bench -p petstore-server --bench observability`
//!
//! Both programs run at the same time on this machine and are loaded alternately, so that other
//! work of the machine affects both. The ratio of a round compares two neighbouring measurements,
//! and the median over all rounds is printed. Absolute numbers depend on this machine, whose
//! processors are shared by the load and the service. Therefore the processor time that the service
//! itself used per request is printed as well; it shows differences that the throughput hides.

use std::{
    fs::{self, File},
    io::{self, BufRead as _, BufReader, Write as _},
    net::SocketAddr,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

const CONNECTIONS: usize = 64;
/// There are many short rounds, so that other work of the machine affects both equally.
const ROUNDS: usize = 41;
const ROUND: Duration = Duration::from_millis(500);
/// On a shared machine, the hypervisor sometimes gives the processors to others. Therefore more
/// rounds are run than needed, and only the rounds with the least stolen time count.
const DONE: usize = 2 * ROUNDS;
/// The clock ticks per second in `/proc/PID/stat`.
const TICKS: f64 = 100.0;
/// The largest part of the throughput that logging and metrics may cost.
const ALLOWED: f64 = 0.10;

fn main() -> io::Result<()> {
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("to measure: cargo bench -p petstore-server --bench observability");
        return Ok(());
    }
    let plain = Service::start("off")?;
    let watched = Service::start("on")?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        for service in [&plain, &watched] {
            service.fill().await?;
        }
        let mut worst: f64 = 0.0;
        for (name, target) in [
            ("one pet", "/v1/pets/7"),
            ("a page of 20", "/v1/pets?limit=20"),
        ] {
            worst = worst.max(compare(name, target, &plain, &watched).await?);
        }
        println!(
            "\naccess log and metrics cost {:.1} % of throughput at most (allowed: {:.0} %): {}",
            worst * 100.0,
            ALLOWED * 100.0,
            if worst <= ALLOWED { "passed" } else { "failed" }
        );
        if worst > ALLOWED {
            return Err(io::Error::other("logging and metrics cost too much"));
        }
        Ok(())
    })
}

/// The program, with its logging and metrics on or off.
struct Service {
    process: Child,
    address: SocketAddr,
    key: String,
    _folder: TempDir,
}

impl Service {
    fn start(watch: &str) -> io::Result<Self> {
        let folder = TempDir::new()?;
        let program = || {
            let mut command = Command::new(env!("CARGO_BIN_EXE_petstore-server"));
            command.env_clear().current_dir(folder.path());
            command
        };
        program().args(["migrate", "--create"]).output()?;
        let key = program().args(["key", "create", "bench"]).output()?.stdout;
        let mut process = program()
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--admin-listen",
                "127.0.0.1:0",
            ])
            .args([
                "--access-log",
                watch,
                "--metrics",
                watch,
                "--log-format",
                "json",
            ])
            .stdout(Stdio::piped())
            .stderr(File::create(folder.path().join("log.json"))?)
            .spawn()?;
        let mut line = String::new();
        if let Some(stdout) = process.stdout.take() {
            BufReader::new(stdout).read_line(&mut line)?;
        }
        let address = line.trim().strip_prefix("listening on http://");
        let address = address.and_then(|rest| rest.strip_suffix("/v1"));
        Ok(Service {
            address: address
                .and_then(|text| text.parse().ok())
                .ok_or_else(|| io::Error::other(format!("the service did not start: {line}")))?,
            key: String::from_utf8_lossy(&key).trim().to_owned(),
            process,
            _folder: folder,
        })
    }

    fn request(&self, target: &str) -> Vec<u8> {
        let key = &self.key;
        format!("GET {target} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {key}\r\n\r\n")
            .into()
    }

    async fn fill(&self) -> io::Result<()> {
        let body = r#"{"name":"Rex","categoryId":7,"status":"available"}"#;
        let mut request = self.request("/v1/pets").split_off(3);
        request.truncate(request.len() - 2);
        let rest = format!(
            "Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let request = [b"POST", &*request, rest.as_bytes()].concat();
        let mut stream = TcpStream::connect(self.address).await?;
        for _ in 0..100 {
            exchange(&mut stream, &request, b"HTTP/1.1 201", &mut Vec::new()).await?;
        }
        Ok(())
    }

    /// Returns the processor time so far.
    fn processor(&self) -> io::Result<f64> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.process.id()))?;
        let (_, rest) = stat.rsplit_once(") ").unwrap_or_default();
        let times = rest.split(' ').skip(11).take(2);
        Ok(times
            .filter_map(|time| time.parse::<f64>().ok())
            .sum::<f64>()
            / TICKS)
    }

    /// Requests per second, and seconds of processor time per request.
    async fn load(&self, target: &str, time: Duration) -> io::Result<(f64, f64)> {
        let request = self.request(target);
        let (began, before) = (Instant::now(), self.processor()?);
        let connections = (0..CONNECTIONS).map(|_| async {
            let mut stream = TcpStream::connect(self.address).await?;
            stream.set_nodelay(true)?;
            let mut buffer = Vec::with_capacity(16 * 1024);
            let mut done = 0_u32;
            while began.elapsed() < time {
                exchange(&mut stream, &request, b"HTTP/1.1 200", &mut buffer).await?;
                done += 1;
            }
            Ok::<u32, io::Error>(done)
        });
        let done: u32 = futures::future::try_join_all(connections)
            .await?
            .into_iter()
            .sum();
        let took = began.elapsed().as_secs_f64();
        Ok((
            f64::from(done) / took,
            (self.processor()? - before) / f64::from(done),
        ))
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        // If these calls fail, the process has already ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Sends one request and reads its whole response, which must begin as expected.
async fn exchange(
    stream: &mut TcpStream,
    request: &[u8],
    expected: &[u8],
    buffer: &mut Vec<u8>,
) -> io::Result<()> {
    stream.write_all(request).await?;
    buffer.clear();
    loop {
        if stream.read_buf(buffer).await? == 0 {
            return Err(io::Error::from(io::ErrorKind::UnexpectedEof));
        }
        if let Some(end) = buffer.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&buffer[..end]);
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "));
            let length: usize = length.and_then(|length| length.parse().ok()).unwrap_or(0);
            if buffer.len() >= end + 4 + length {
                break;
            }
        }
    }
    if buffer.starts_with(expected) {
        Ok(())
    } else {
        Err(io::Error::other(
            String::from_utf8_lossy(buffer).into_owned(),
        ))
    }
}

/// Returns the part of the throughput that logging and metrics cost for this request.
async fn compare(name: &str, target: &str, plain: &Service, watched: &Service) -> io::Result<f64> {
    for service in [plain, watched] {
        service.load(target, 2 * ROUND).await?;
    }
    let (mut costs, mut plains, mut watcheds) = (Vec::new(), Vec::new(), Vec::new());
    let (mut plain_cpu, mut watched_cpu) = (Vec::new(), Vec::new());
    let mut rounds = Vec::new();
    for round in 0..DONE {
        let before = machine()?;
        // Each of the two goes first in every other round.
        let order = if round % 2 == 0 {
            [plain, watched]
        } else {
            [watched, plain]
        };
        let first = order[0].load(target, ROUND).await?;
        let second = order[1].load(target, ROUND).await?;
        let (without, with) = if round % 2 == 0 {
            (first, second)
        } else {
            (second, first)
        };
        let after = machine()?;
        let stolen = (after.1 - before.1) / (after.0 - before.0).max(1.0);
        rounds.push((stolen, without, with));
    }
    rounds.sort_by(|one, other| one.0.total_cmp(&other.0));
    rounds.truncate(ROUNDS);
    let most_stolen = rounds.last().map_or(0.0, |round| round.0);
    for (_, without, with) in rounds {
        costs.push(1.0 - with.0 / without.0);
        plains.push(without.0);
        watcheds.push(with.0);
        plain_cpu.push(without.1 * 1e6);
        watched_cpu.push(with.1 * 1e6);
    }
    let cost = median(&mut costs);
    writeln!(
        io::stdout(),
        "{name}: {:.0} requests/s without, {:.0} with; {:.1} and {:.1} us of processor a request; \
         {:.1} % of throughput (half of the rounds: {:.1} to {:.1} %; stolen: {:.1} % at most)",
        median(&mut plains),
        median(&mut watcheds),
        median(&mut plain_cpu),
        median(&mut watched_cpu),
        cost * 100.0,
        costs[costs.len() / 4] * 100.0,
        costs[costs.len() * 3 / 4] * 100.0,
        most_stolen * 100.0,
    )?;
    Ok(cost)
}

/// Returns the time of all processors so far, and the part that the hypervisor gave to others, in
/// ticks.
fn machine() -> io::Result<(f64, f64)> {
    let stat = fs::read_to_string("/proc/stat")?;
    let line = stat.lines().next().unwrap_or_default();
    // user, nice, system, idle, iowait, irq, softirq, steal
    let ticks = line.split_whitespace().skip(1).take(8);
    let ticks: Vec<f64> = ticks.map_while(|field| field.parse().ok()).collect();
    Ok((ticks.iter().sum(), ticks.get(7).copied().unwrap_or(0.0)))
}

/// Returns the median; sorts the values.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
