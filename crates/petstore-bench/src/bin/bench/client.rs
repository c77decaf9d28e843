//! Measures the cost of the client compared with bare reqwest: for one call, and for following the
//! pages of a list. The program `client` makes the measurements.

use super::{
    Bench, Report,
    process::output,
    table::{self, Table},
};
use anyhow::Result;
use petstore_bench::{ClientReport, Took, field};
use std::process::Command;

pub(crate) fn measure(bench: &Bench, report: &mut Report) -> Result<()> {
    // With two processors, half of the time of a call is spent on waking the other processor.
    let allowed = field("/proc/self/status", "Cpus_allowed_list").unwrap_or_default();
    let first = allowed.split([',', '-']).next().unwrap_or_default();
    let mut program = Command::new("taskset");
    program.args(["--cpu-list", first]);
    program.arg(bench.programs.join("client"));
    if report.quick {
        program.args(["--pages", "20", "--calls", "20", "--rounds", "1"]);
    }
    let client: ClientReport = serde_json::from_str(&output(&mut program)?)?;
    let mut table = Table::new(&["", "client", "bare reqwest", "ratio"]);
    let walk = format!("a walk over {} pets", client.walk_pets);
    for (name, compared) in [("a call", &client.call), (&walk, &client.walk)] {
        let mut row = |what: &str, field: fn(&Took) -> f64| {
            let (client, bare) = (field(&compared.client), field(&compared.bare));
            table.row([
                format!("{name}: {what}"),
                table::latency(client),
                table::latency(bare),
                format!("{:.3}", client / bare),
            ]);
        };
        row("time", |took| took.elapsed_us);
        row("processor time", |took| took.processor_us);
    }
    println!("\n{table}");
    let [first, second] = client
        .memory_halves
        .map(|bytes| table::mebibytes(bytes as f64));
    println!("memory: {first} at most in the first half of all walks, {second} in the second");
    report.client = Some(client);
    Ok(())
}
