//! Measures the cost of the client compared with bare reqwest: for one call, and for following the
//! pages of a list. The program `client` in `crates/petstore-bench` makes the measurements.

use super::{
    Bench, Report, machine,
    programs::output,
    table::{self, Table},
};
use anyhow::Result;
use serde::{Deserialize, Serialize};
use std::process::Command;

#[derive(Deserialize, Serialize)]
pub(super) struct Client {
    call: Compared,
    walk: Compared,
    walk_pets: usize,
    memory_first_half: u64,
    memory_second_half: u64,
}

impl Client {
    /// The processor time of a call and of following the pages, as multiples of the processor time
    /// of bare reqwest.
    pub(super) fn processor_ratios(&self) -> [f64; 2] {
        [&self.call, &self.walk]
            .map(|compared| compared.client.processor_us / compared.bare.processor_us)
    }
}

#[derive(Deserialize, Serialize)]
struct Compared {
    client: Took,
    bare: Took,
}

/// Durations in microseconds.
#[derive(Deserialize, Serialize)]
struct Took {
    elapsed_us: f64,
    processor_us: f64,
}

pub(super) fn measure(bench: &Bench<'_>, report: &mut Report) -> Result<()> {
    // With two processors, half of the time of a call is spent on waking the other processor.
    let mut program = Command::new("taskset");
    program.args(["--cpu-list", &machine::first_processor()]);
    program.arg(&bench.programs.client);
    if report.quick {
        program.args(["--pages", "20", "--calls", "20", "--rounds", "1"]);
    }
    let client: Client = serde_json::from_str(&output(&mut program)?)?;
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
    println!(
        "memory: {} at most in the first half of all walks, {} in the second",
        table::mebibytes(client.memory_first_half as f64),
        table::mebibytes(client.memory_second_half as f64),
    );
    report.client = Some(client);
    Ok(())
}
