//! Declares the command line and its help. There is no option for the API key, because other users of the machine can see
//! command lines.

use crate::{exit::MEANINGS, output::Form, settings::ServiceOptions};
use chrono::{DateTime, Utc};
use clap::{
    Args, Parser, Subcommand, ValueEnum,
    builder::{PossibleValuesParser, TypedValueParser},
    value_parser,
};
use clap_complete::Shell;
use petstore_client::{DeliveryStatus, EventType, OrderStatus, PetStatus, WebhookUpdateStatus};
use std::{path::PathBuf, sync::LazyLock};

/// The version of this build. A build between two releases can contain the commit.
const VERSION: &str = match option_env!("PETSTORE_BUILD_VERSION") {
    Some(version) => version,
    None => env!("CARGO_PKG_VERSION"),
};

/// A command-line client for the pet store service: list, add, import and export pets, and place orders
#[derive(Debug, Parser)]
#[command(name = "petstore", version = VERSION, max_term_width = 100, after_long_help = AFTER_HELP.as_str())]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) service: ServiceOptions,
    /// The output format [default: a table on a terminal, JSON otherwise]
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "FORM",
        help_heading = "Global options"
    )]
    pub(crate) output: Option<Form>,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The environment variables of the program, except those that belong to a flag.
pub(crate) const ENVIRONMENT: [(&str, &str); 4] = [
    (
        "PETSTORE_API_KEY",
        "the API key; it can be set in the configuration file instead, but nowhere else",
    ),
    ("PETSTORE_URL", "the same as --url"),
    ("PETSTORE_CLI_CONFIG", "the same as --config"),
    ("NO_COLOR", "if set, the output has no colours"),
];

/// The content of the configuration file.
pub(crate) const FILE: &str = "a TOML file with `url` and `api-key`; if it contains a key, \
    only its owner may read it (chmod 600)";

static AFTER_HELP: LazyLock<String> = LazyLock::new(|| {
    let mut text = String::from("Environment:\n");
    for (name, meaning) in ENVIRONMENT {
        text += &format!("  {name:<20} {meaning}\n");
    }
    text += &format!("\nConfiguration file:\n  {FILE}\n\nExit codes:\n");
    for (exit, meaning) in MEANINGS {
        text += &format!("  {:>3}  {meaning}\n", exit.code());
    }
    text
});

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List, add, fetch, import and export pets
    Pets {
        #[command(subcommand)]
        command: Box<PetsCommand>,
    },
    /// List, place, fetch and update orders (beta: may change)
    ///
    /// These commands are beta, like the operations that they call: a later version may change both and announces such
    /// changes in its changelog. A service that runs with `--min-stability stable` does not have these operations.
    Orders {
        #[command(subcommand)]
        command: OrdersCommand,
    },
    /// Follow events of the store (experimental: may change or be removed)
    ///
    /// A service that runs with `--min-stability beta` or `stable` does not have this operation.
    Events {
        #[command(subcommand)]
        command: EventsCommand,
    },
    /// Create, verify and watch webhooks, or receive events on this machine (experimental: may change or be removed)
    ///
    /// These commands need an API key with the scope `read,write,webhooks`, except for `listen`, which needs any key.
    Webhooks {
        #[command(subcommand)]
        command: Box<WebhooksCommand>,
    },
    /// Print the shell completions of this program
    Completions {
        /// The shell for which completions are printed
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Show the manual page, or write one page for each command into a folder
    Man {
        /// An existing folder for the manual pages: `petstore.1` and a page for each command
        #[arg(long, value_name = "FOLDER")]
        to: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum PetsCommand {
    /// List pets: one page, or all pages
    ///
    /// If there are more pets, the command prints on stderr the cursor to continue from.
    List(ListOptions),
    /// Add a pet and print it with the id that the service assigned
    Add(AddOptions),
    /// Fetch one pet by its id (deprecated by the service; the removal date is printed on stderr)
    Get {
        /// The id of the pet
        #[arg(allow_negative_numbers = true)]
        id: i64,
    },
    /// Add the pets of a file, each exactly once, even if the import is interrupted and repeated
    ///
    /// A line of an `.ndjson` file has the form `{"name": "Rex", "categoryId": 7, "status": "available"}`. The first line
    /// of a `.csv` file must contain these names as columns. `status` is optional. `id` is ignored, because the service
    /// assigns a new one. A line with any other property is rejected. Pets are added in the order of the file only with
    /// `--concurrency 1`.
    ///
    /// A journal beside the file records what was sent and what the service returned. After an interruption (Ctrl-C, a
    /// kill or a power failure), run the same command again to continue. Each line has its own Idempotency-Key, so a line
    /// whose response was lost can be sent again without adding a second pet. The service keeps these keys for 24 hours,
    /// and they are valid for one API key only. After that time, or with another API key, such a line is not sent but
    /// listed (see `--unknown`). The import fails if the file has changed or if the service is a different one.
    Import(ImportOptions),
    /// Write all pets to stdout, in a format that `import` accepts
    Export(ExportOptions),
}

#[derive(Debug, Subcommand)]
pub(crate) enum OrdersCommand {
    /// List orders, the newest first: one page, or all pages (beta: may change)
    ///
    /// If there are more orders, the command prints on stderr the cursor to continue from.
    List(OrderListOptions),
    /// Order a pet that is available and print the order (beta: may change)
    ///
    /// The status of the pet becomes `pending`. An order for a pet that is not available is rejected, and the exit code is
    /// 3.
    Place(PlaceOptions),
    /// Fetch one order by its id (beta: may change)
    Get {
        /// The id of the order
        #[arg(allow_negative_numbers = true)]
        id: i64,
    },
    /// Change the status of an order and of its pet, and print the order (beta: may change)
    ///
    /// A placed order can be approved, and an approved order can be delivered, which makes the pet sold. An order can be
    /// cancelled until it is delivered, which makes the pet available again. Any other transition is rejected and changes
    /// nothing; the exit code is then 3.
    Update {
        /// The id of the order
        #[arg(allow_negative_numbers = true)]
        id: i64,
        /// The new status of the order
        #[arg(long, value_parser = order_status())]
        status: OrderStatus,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum EventsCommand {
    /// Print each change of a pet or an order when it happens, until the command is interrupted (experimental)
    ///
    /// With `--output json`, each event is one line. To continue after an event, pass its `cursor` to `--from`. While the
    /// network or the service fails, the command keeps trying.
    Follow(FollowOptions),
}

#[derive(Debug, Args)]
pub(crate) struct FollowOptions {
    /// Print only events of this type, such as `order.placed`; may be repeated
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) types: Vec<String>,
    /// Where to start: `now`, `start` for the oldest event, or the cursor of an event
    #[arg(long, value_name = "CURSOR", default_value = "now")]
    pub(crate) from: String,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WebhooksCommand {
    /// List the webhooks of the API key (experimental)
    List,
    /// Create a webhook, and print it with its secret, which is not shown again (experimental)
    ///
    /// The webhook is pending until `verify` has shown that its receiver returns the challenge.
    Create {
        /// The address of the receiver, which begins with `https://`
        #[arg(value_name = "URL")]
        address: String,
        #[command(flatten)]
        what: WebhookOptions,
    },
    /// Print a webhook (experimental)
    Get {
        /// The id of the webhook
        id: String,
    },
    /// Change a webhook, or switch it off or on (experimental)
    Update {
        /// The id of the webhook
        id: String,
        /// The new address of the receiver, which must be verified again
        #[arg(long, value_name = "URL")]
        address: Option<String>,
        #[command(flatten)]
        what: WebhookOptions,
        /// Send events of all types
        #[arg(long, conflicts_with = "types")]
        all_types: bool,
        /// `enabled` to send events, `disabled` to send none
        #[arg(long, value_parser = webhook_status())]
        status: Option<WebhookUpdateStatus>,
    },
    /// Delete a webhook (experimental)
    Delete {
        /// The id of the webhook
        id: String,
    },
    /// Ask the receiver to return a challenge, and enable the webhook (experimental)
    Verify {
        /// The id of the webhook
        id: String,
    },
    /// Replace the secret of a webhook, and print the new one (experimental)
    ///
    /// For 24 hours events are signed with both secrets.
    Rotate {
        /// The id of the webhook
        id: String,
    },
    /// Send a test event to a webhook (experimental)
    Test {
        /// The id of the webhook
        id: String,
    },
    /// List the deliveries of a webhook, the newest first: one page, or all (experimental)
    Deliveries {
        /// The id of the webhook
        id: String,
        /// Only deliveries with this status
        #[arg(long, value_parser = delivery_status())]
        status: Option<DeliveryStatus>,
        #[command(flatten)]
        page: PageOptions,
    },
    /// Send deliveries again: one, those of a period that were given up, or those that the webhook missed (experimental)
    Redeliver {
        /// The id of the webhook
        id: String,
        /// The id of one delivery
        #[arg(long, value_name = "ID", required_unless_present_any = ["since", "missed"], conflicts_with_all = ["since", "until", "missed"])]
        delivery: Option<i64>,
        /// The beginning of the period, as in `2027-01-31T12:00:00Z`
        #[arg(long, value_name = "TIME")]
        since: Option<DateTime<Utc>>,
        /// The end of the period; now if it is not given
        #[arg(long, value_name = "TIME", requires = "since")]
        until: Option<DateTime<Utc>>,
        /// The events that happened while the webhook was not enabled (its `missedSince`)
        #[arg(long, conflicts_with = "since")]
        missed: bool,
    },
    /// Send the events of the service to a receiver on this machine, signed like webhooks, until interrupted (experimental)
    ///
    /// For development: it follows the events and needs no webhook. A receiver that does not accept an event is reported on
    /// stderr, and the event is not sent again.
    Listen(ListenOptions),
}

/// What a webhook sends.
#[derive(Debug, Args)]
pub(crate) struct WebhookOptions {
    /// Only events of this type, such as `order.placed`; may be repeated
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) types: Vec<EventType>,
    /// What the webhook is for
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ListenOptions {
    /// The address of the receiver, as in `http://localhost:3000/events`
    #[arg(long, value_name = "URL")]
    pub(crate) forward_to: String,
    /// The file with the secret that the receiver verifies signatures with; by default stderr shows a new one
    #[arg(long, value_name = "FILE")]
    pub(crate) secret_file: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) follow: FollowOptions,
}

/// Selects the part of a list that is printed.
#[derive(Debug, Args)]
pub(crate) struct PageOptions {
    /// The number of entries per page, from 1 to 100 [default: 20, or 100 with `--all`]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) limit: Option<u64>,
    /// The cursor to continue from, as an earlier list with the same filters printed it
    #[arg(long)]
    pub(crate) cursor: Option<String>,
    /// Print this page and all following pages
    #[arg(long)]
    pub(crate) all: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ListOptions {
    /// Only pets with this status
    #[arg(long, value_parser = status())]
    pub(crate) status: Option<PetStatus>,
    #[command(flatten)]
    pub(crate) page: PageOptions,
}

#[derive(Debug, Args)]
pub(crate) struct AddOptions {
    /// The name of the pet, which must not be empty
    #[arg(long, allow_hyphen_values = true, value_parser = name)]
    pub(crate) name: String,
    /// The id of the category of the pet
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub(crate) category_id: i64,
    /// The status of the pet
    #[arg(long, value_parser = status())]
    pub(crate) status: Option<PetStatus>,
    /// The idempotency key of an earlier attempt whose response was lost; the earlier attempt printed it on stderr
    #[arg(long, value_name = "KEY")]
    pub(crate) idempotency_key: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct OrderListOptions {
    /// Only orders with this status
    #[arg(long, value_parser = order_status())]
    pub(crate) status: Option<OrderStatus>,
    /// Only orders for the pet with this id
    #[arg(long, value_name = "ID", allow_negative_numbers = true)]
    pub(crate) pet: Option<i64>,
    #[command(flatten)]
    pub(crate) page: PageOptions,
}

#[derive(Debug, Args)]
pub(crate) struct PlaceOptions {
    /// The id of the pet to order
    #[arg(allow_negative_numbers = true)]
    pub(crate) pet_id: i64,
    /// The idempotency key of an earlier attempt whose response was lost; the earlier attempt printed it on stderr
    #[arg(long, value_name = "KEY")]
    pub(crate) idempotency_key: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ImportOptions {
    /// The file with the pets
    pub(crate) file: PathBuf,
    /// The format of the file; required if its name does not end with .ndjson, .jsonl or .csv
    #[arg(long, value_enum)]
    pub(crate) format: Option<Format>,
    /// Send each line in its own request, with NUMBER requests at the same time (1 to 256). By default, all lines are sent
    /// as one stream, or in 16 requests at the same time if the service does not support streams
    #[arg(long, value_name = "NUMBER", value_parser = value_parser!(u32).range(1..=256))]
    pub(crate) concurrency: Option<u32>,
    /// The journal file, instead of FILE.journal
    #[arg(long, value_name = "FILE")]
    pub(crate) journal: Option<PathBuf>,
    /// Write the lines that were rejected in this and earlier runs to this file, each as {"line": …, "reason": …}
    // Up to version 1.2.0, the name of this option was `--refused`.
    #[arg(long, alias = "refused", value_name = "FILE")]
    pub(crate) rejected: Option<PathBuf>,
    /// What to do with lines that an earlier run may have added, if the service can no longer tell
    #[arg(long, value_enum, value_name = "WHAT", default_value = "hold")]
    pub(crate) unknown: Unknown,
}

#[derive(Debug, Args)]
pub(crate) struct ExportOptions {
    /// The output format
    #[arg(long, value_enum, default_value = "ndjson")]
    pub(crate) format: Format,
    /// Only pets with this status
    #[arg(long, value_parser = status())]
    pub(crate) status: Option<PetStatus>,
    /// Only pets with an id greater than ID; an interrupted export prints the ID to continue from
    #[arg(long, value_name = "ID", value_parser = value_parser!(i64).range(1..), conflicts_with = "cursor")]
    pub(crate) after: Option<i64>,
    /// The cursor to continue from, as `pets list` prints it
    #[arg(long)]
    pub(crate) cursor: Option<String>,
}

/// What to do with lines that may have been added, and whose idempotency keys the service no longer has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Unknown {
    /// List these lines, but do not send them
    Hold,
    /// Send these lines; a pet that was already added is then added twice
    Send,
    /// Count these lines as done; a pet that was not added is then missing
    Skip,
}

/// The format of a file with pets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// One JSON object per line
    Ndjson,
    /// Comma-separated values (RFC 4180); the first line contains the names of the columns
    Csv,
}

impl Format {
    /// The value of `--format`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Format::Ndjson => "ndjson",
            Format::Csv => "csv",
        }
    }
}

/// Parses a name that is not empty. The service accepts an empty name, but on a command line it usually comes from a
/// variable that is not set.
fn name(text: &str) -> Result<String, &'static str> {
    if text.trim().is_empty() {
        return Err("the name is empty");
    }
    Ok(text.to_owned())
}

/// Parses a status of a pet that the service knows. Shells complete it.
fn status() -> impl TypedValueParser<Value = PetStatus> {
    PossibleValuesParser::new(["available", "pending", "sold"])
        .try_map(|text| text.parse::<PetStatus>())
}

/// Parses a status of an order. The service decides which transitions are allowed.
fn order_status() -> impl TypedValueParser<Value = OrderStatus> {
    PossibleValuesParser::new(["placed", "approved", "delivered", "cancelled"])
        .try_map(|text| text.parse::<OrderStatus>())
}

fn webhook_status() -> impl TypedValueParser<Value = WebhookUpdateStatus> {
    PossibleValuesParser::new(["enabled", "disabled"])
        .try_map(|text| text.parse::<WebhookUpdateStatus>())
}

fn delivery_status() -> impl TypedValueParser<Value = DeliveryStatus> {
    PossibleValuesParser::new(["waiting", "delivered", "given_up"])
        .try_map(|text| text.parse::<DeliveryStatus>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_definition_passes_the_checks_of_clap() {
        Cli::command().debug_assert();
    }
}
