//! Reads processor times from Linux: of processes in `/proc/PID/stat`, and of the machine in
//! `/proc/stat`.

use std::{collections::HashMap, fs};

/// The unit of the times, in microseconds: `sysconf(_SC_CLK_TCK)` is 100 on
/// every Linux.
const TICK_US: f64 = 10_000.0;

struct Process {
    parent: u32,
    ticks: u64,
}

/// Returns the processor time in microseconds that the processes and their child
/// processes have used so far. A process that has ended counts as 0.
pub(crate) fn used_us(processes: &[u32]) -> f64 {
    let all = all();
    let ticks = all
        .iter()
        .filter(|(id, _)| descends(&all, **id, processes))
        .map(|(_, process)| process.ticks);
    ticks.sum::<u64>() as f64 * TICK_US
}

/// The time of all processors so far, in ticks.
#[derive(Clone, Copy, Default)]
pub(crate) struct Machine {
    all: u64,
    /// Time in which the hypervisor ran other machines although a process of this machine
    /// was ready to run.
    stolen: u64,
}

impl Machine {
    /// Reads the times; the stolen time is 0 if Linux does not report it.
    pub(crate) fn now() -> Self {
        let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
        let line = stat.lines().next().unwrap_or_default();
        // user, nice, system, idle, iowait, irq, softirq, steal. The times of guests
        // follow; they are already part of user and nice.
        let ticks = line.split_whitespace().skip(1).take(8);
        let ticks: Vec<u64> = ticks.map_while(|field| field.parse().ok()).collect();
        Self {
            all: ticks.iter().sum(),
            stolen: ticks.get(7).copied().unwrap_or_default(),
        }
    }

    /// Returns the share of the time since `earlier` that was stolen, from 0 to 1.
    pub(crate) fn stolen_since(self, before: Self) -> f64 {
        let all = self.all.saturating_sub(before.all).max(1);
        self.stolen.saturating_sub(before.stolen) as f64 / all as f64
    }
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
    // The second field is a name in parentheses that may contain any character; the third
    // field comes after it.
    let (_, rest) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    let number = |field: usize| -> Option<u64> { fields.get(field - 3)?.parse().ok() };
    Some(Process {
        parent: u32::try_from(number(4)?).ok()?,
        ticks: number(14)? + number(15)?,
    })
}
