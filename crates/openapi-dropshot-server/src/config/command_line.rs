//! Reads the command line of a service, and adds its environment variable to each setting.

use crate::ServiceInfo;
use clap::{Arg, Command, CommandFactory, Parser};

/// The placeholder for the crate of the service in the help texts of settings.
const PLACEHOLDER: &str = "SERVICE";

/// The arguments of this process. Where they cannot be used, and for `--help` and
/// `--version`, the process ends.
#[must_use]
pub fn parse<T: Parser>(info: &ServiceInfo) -> T {
    let mut matches = command::<T>(info).get_matches();
    T::from_arg_matches_mut(&mut matches)
        .unwrap_or_else(|error| error.format(&mut command::<T>(info)).exit())
}

/// The command line that `T` describes, with the variables of the settings.
#[must_use]
pub fn command<T: CommandFactory>(info: &ServiceInfo) -> Command {
    with_variables(T::command(), info)
}

fn with_variables(command: Command, info: &ServiceInfo) -> Command {
    command
        .mut_args(|arg| with_variable(arg, info))
        .mut_subcommands(|command| with_variables(command, info))
}

/// A setting hides the value of its variable, and by that is told from other arguments.
fn with_variable(arg: Arg, info: &ServiceInfo) -> Arg {
    let Some(flag) = arg.get_long().filter(|_| arg.is_hide_env_values_set()) else {
        return arg;
    };
    let variable = info.variable(flag);
    let help = arg.get_help().map(ToString::to_string);
    let arg = match help.filter(|help| help.contains(PLACEHOLDER)) {
        Some(help) => arg.help(help.replace(PLACEHOLDER, info.crate_name)),
        None => arg,
    };
    arg.env(variable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        config::{NoOptions, ServeOptions},
        info::TEST,
    };
    use clap::FromArgMatches as _;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        options: ServeOptions<NoOptions>,
        /// Not a setting
        #[arg(long)]
        plain: Option<String>,
    }

    #[test]
    fn settings_have_variables_and_help_texts_name_the_service() {
        let command = command::<Cli>(&TEST);
        let argument = |id: &str| {
            let found = command.get_arguments().find(|arg| arg.get_id() == id);
            found.expect("it is declared").clone()
        };
        let variable = |id: &str| argument(id).get_env().map(|name| name.to_owned());
        assert_eq!(variable("config"), Some("SHOP_CONFIG".into()));
        assert_eq!(variable("tls_cert"), Some("SHOP_TLS_CERT".into()));
        assert_eq!(
            variable("rate_limit_burst"),
            Some("SHOP_RATE_LIMIT_BURST".into())
        );
        assert_eq!(variable("plain"), None);
        let help = argument("log").get_help().map(ToString::to_string);
        assert!(help.is_some_and(|help| help.contains("shop_server::access")));
        let cli = Cli::from_arg_matches(&command.get_matches_from(["shop", "--log=warn"]));
        assert!(cli.is_ok_and(|cli| cli.options.log.log.is_some() && cli.plain.is_none()));
    }
}
