//! Measures the cost of the client compared with bare reqwest: for one call, and for following the
//! pages of a list. The program `client` makes the measurements.

use super::{Bench, table};
use anyhow::Result;
use petstore_bench::{ClientReport, process::output};
use procfs::process::Process;
use std::process::Command;

pub(crate) fn measure(bench: &Bench) -> Result<ClientReport> {
    // With two processors, half of the time of a call is spent on waking the other processor.
    let allowed = Process::myself()?.status()?.cpus_allowed_list;
    let first = allowed.and_then(|ranges| Some(ranges.first()?.0));
    let mut program = Command::new("taskset");
    program.args(["--cpu-list", &first.unwrap_or_default().to_string()]);
    program.arg(bench.programs.join("client"));
    if bench.options.quick {
        program.args(["--pages", "20", "--calls", "20", "--rounds", "1"]);
    }
    let report: ClientReport = serde_json::from_str(&output(&mut program)?)?;
    let walk = format!("a walk over {} pets", report.walk_pets);
    let measured = [("a call", &report.call), (&walk, &report.walk)];
    let rows = measured.into_iter().flat_map(|(name, [client, bare])| {
        let row = |what, client: f64, bare: f64| {
            let ratio = format!("{:.3}", client / bare);
            let [client, bare] = [client, bare].map(table::latency);
            vec![format!("{name}: {what}"), client, bare, ratio]
        };
        [
            row("time", client.elapsed_us, bare.elapsed_us),
            row("processor time", client.processor_us, bare.processor_us),
        ]
    });
    table::print(&["", "client", "bare reqwest", "ratio"], rows);
    let [first, second] = report.memory_halves;
    let [first, second] = [first, second].map(|bytes| table::mebibytes(bytes as f64));
    println!("memory: {first} at most in the first half of all walks, {second} in the second");
    Ok(report)
}
