//! Processor time, as Linux counts it in `/proc/PID/stat`.

use std::{collections::HashMap, fs};

/// The unit of the times, in microseconds: `sysconf(_SC_CLK_TCK)` is 100 on
/// every Linux.
const TICK_US: f64 = 10_000.0;

struct Process {
    parent: u32,
    ticks: u64,
}

/// The processor time in microseconds that the processes and all they started
/// have taken so far. One that is gone counts nothing.
pub(crate) fn used_us(processes: &[u32]) -> f64 {
    let all = all();
    let ticks = all
        .iter()
        .filter(|(id, _)| descends(&all, **id, processes))
        .map(|(_, process)| process.ticks);
    ticks.sum::<u64>() as f64 * TICK_US
}

fn descends(all: &HashMap<u32, Process>, id: u32, from: &[u32]) -> bool {
    let mut next = Some(id);
    while let Some(id) = next {
        if from.contains(&id) {
            return true;
        }
        next = all.get(&id).map(|process| process.parent);
    }
    false
}

fn all() -> HashMap<u32, Process> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.filter_map(|id| Some((id, process(id)?))).collect()
}

fn process(id: u32) -> Option<Process> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // The second field is a name in parentheses that may hold anything; what
    // follows begins with the third.
    let (_, rest) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    let number = |field: usize| -> Option<u64> { fields.get(field - 3)?.parse().ok() };
    Some(Process {
        parent: u32::try_from(number(4)?).ok()?,
        ticks: number(14)? + number(15)?,
    })
}
