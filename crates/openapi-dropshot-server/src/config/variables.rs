//! Finds environment variables whose names are similar to those of settings, but differ from them. Such a
//! variable has no effect.

use super::parse::key;
use crate::ServiceInfo;
use clap::Command;
use std::fmt;

/// An environment variable that is not a setting, but whose name is similar to that of a setting.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct MistypedVariable {
    name: String,
    meant: String,
}

impl fmt::Display for MistypedVariable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, meant } = self;
        write!(
            f,
            "the variable `{name}` is not a setting and has no effect; write `{meant}` if you meant that setting"
        )
    }
}

/// Returns the variables whose names differ from a setting of the command only by a typing mistake. Other
/// variables with the same prefix may belong to other programs.
pub(super) fn mistyped(
    command: &Command,
    info: &ServiceInfo,
    names: impl IntoIterator<Item = String>,
) -> Vec<MistypedVariable> {
    let settings = command.get_arguments().filter_map(key);
    let settings: Vec<_> = settings.map(|key| info.variable(key)).collect();
    let prefix = info.variable("");
    let mut mistyped: Vec<_> = names
        .into_iter()
        .filter(|name| !settings.contains(name))
        .filter_map(|name| {
            let upper = name.to_uppercase();
            let rest = upper.strip_prefix(&prefix)?;
            if is_of_kubernetes(rest) {
                return None;
            }
            let meant = settings
                .iter()
                .filter_map(|setting| {
                    Some((distance(rest, setting.strip_prefix(&prefix)?)?, setting))
                })
                .min_by_key(|(distance, _)| *distance);
            let (_, meant) = meant?;
            Some(MistypedVariable {
                meant: meant.clone(),
                name,
            })
        })
        .collect();
    mistyped.sort_by(|a, b| a.name.cmp(&b.name));
    mistyped
}

/// The number of typing mistakes between two names; `None` if there are too many for a name of this
/// length.
fn distance(name: &str, setting: &str) -> Option<usize> {
    let (name, setting) = (name.replace('_', ""), setting.replace('_', ""));
    let distance = strsim::osa_distance(&name, &setting);
    (distance <= (setting.len() / 3).min(2)).then_some(distance)
}

/// Whether Kubernetes sets such a variable in each container, for a Service whose name starts with the
/// prefix: `…SERVICE_HOST`, `…SERVICE_PORT`, `…PORT`, `…PORT_8080_TCP_ADDR` and so on.
fn is_of_kubernetes(rest: &str) -> bool {
    let of_a_port = rest
        .split_once("PORT_")
        .is_some_and(|(_, port)| port.starts_with(|character: char| character.is_ascii_digit()));
    of_a_port
        || rest.ends_with("SERVICE_HOST")
        || rest.contains("SERVICE_PORT")
        || rest == "PORT"
        || rest.ends_with("_PORT")
}

#[cfg(test)]
mod tests;
