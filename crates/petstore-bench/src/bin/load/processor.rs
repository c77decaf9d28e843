//! The processor times that Linux reports: of processes, and of the whole machine.

use procfs::{
    CurrentSI as _, KernelStats,
    process::{Stat, all_processes},
    ticks_per_second,
};
use std::{collections::HashMap, iter};

/// Returns the processor time in microseconds that each group of processes and their child processes
/// have used so far. A process that has ended counts as 0.
pub(crate) fn used_us<const N: usize>(groups: [&[u32]; N]) -> anyhow::Result<[f64; N]> {
    let all = all_processes()?.filter_map(|process| process.ok()?.stat().ok());
    let all: HashMap<i32, Stat> = all.map(|stat| (stat.pid, stat)).collect();
    Ok(groups.map(|group| {
        let descends = |stat: &&Stat| {
            let mut line = iter::successors(Some(*stat), |stat| all.get(&stat.ppid));
            line.any(|stat| group.contains(&stat.pid.cast_unsigned()))
        };
        let ticks = all.values().filter(descends);
        let ticks: u64 = ticks.map(|stat| stat.utime + stat.stime).sum();
        ticks as f64 * 1e6 / ticks_per_second() as f64
    }))
}

/// The time of all processors so far, in ticks.
pub(crate) struct Machine {
    all: u64,
    /// Time in which the hypervisor ran other machines although a process of this machine was ready
    /// to run; 0 if Linux does not report it.
    stolen: u64,
}

impl Machine {
    pub(crate) fn now() -> anyhow::Result<Self> {
        // The times of guests are already part of `user` and `nice`.
        let time = KernelStats::current()?.total;
        let others = [time.iowait, time.irq, time.softirq, time.steal];
        let others: u64 = others.into_iter().flatten().sum();
        Ok(Self {
            all: time.user + time.nice + time.system + time.idle + others,
            stolen: time.steal.unwrap_or_default(),
        })
    }

    /// Returns the share of the time since `before` that was stolen, from 0 to 1.
    pub(crate) fn stolen_since(&self, before: &Self) -> f64 {
        let all = self.all.saturating_sub(before.all).max(1);
        self.stolen.saturating_sub(before.stolen) as f64 / all as f64
    }
}
