//! The keys of `openapi-dropshot.toml`, as serde and schemars see them. The module
//! [`configuration`](crate::configuration) reads the file and checks the values.

use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Spanned;

/// Configures `cargo openapi-dropshot` for a repository. All paths are relative to the
/// folder of this file, with `/` between the folders.
#[derive(Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table with the key `document`"
)]
#[schemars(title = "openapi-dropshot.toml")]
pub(crate) struct Settings {
    /// The command as it is written in messages and in the first line of each generated file.
    #[serde(default = "default_command")]
    pub(crate) command: String,
    /// The documents of the repository.
    #[schemars(length(min = 1))]
    pub(crate) document: Vec<Document>,
}

fn default_command() -> String {
    "cargo openapi-dropshot".to_owned()
}

/// A document and its settings.
#[derive(Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table with the key `path`"
)]
pub(crate) struct Document {
    /// The name of the document for `--document NAME` and in messages. The default is the file name of `path` without its
    /// extension.
    #[schemars(with = "Option<String>")]
    pub(crate) name: Option<Spanned<String>>,
    /// The OpenAPI document, in YAML or JSON.
    #[schemars(with = "String")]
    pub(crate) path: Spanned<String>,
    /// The folder of the released documents. The default is `released`, beside the document.
    #[schemars(with = "Option<String>")]
    pub(crate) releases: Option<Spanned<String>>,
    /// The file of the accepted breaking changes, which does not have to exist. The default is `accepted-breaks.toml` beside the
    /// document, or `NAME-accepted-breaks.toml` with the name of the document if there are several documents. Two documents cannot
    /// have the same file.
    #[schemars(with = "Option<String>")]
    pub(crate) accepted_breaks: Option<Spanned<String>>,
    /// The changelog. The default is `CHANGELOG.md` beside this file. Two documents cannot have the same changelog.
    #[schemars(with = "Option<String>")]
    pub(crate) changelog: Option<Spanned<String>>,
    /// Whether the version of the root `Cargo.toml` is the version of the document: `check` compares the two, and `release` sets
    /// both. The default is true if the repository has one document and a `Cargo.toml` beside this file.
    #[schemars(with = "Option<bool>")]
    pub(crate) cargo_version: Option<Spanned<bool>>,
    /// The command that lists the callers of deprecated operations, if the service has one.
    pub(crate) usage_command: Option<String>,
    /// The rules that the linter applies.
    #[serde(default)]
    pub(crate) profile: Profile,
    /// The minimum number of days between the deprecation and the sunset of an operation.
    #[serde(default)]
    pub(crate) deprecation_days: DeprecationDays,
    /// The folders of the generated code. Without this table, no code is generated, and the gates `generated` and `roundtrip` do
    /// not run.
    pub(crate) generate: Option<Generate>,
    /// The parts that the service and the client skip because the generator does not support them, each with the reason. A key is
    /// the id of an operation or, without an id, its method and path, such as `POST /files`; a component that no operation needs is
    /// written as `#/components/schemas/A`.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, String>")]
    pub(crate) skip: BTreeMap<Spanned<String>, Spanned<String>>,
    /// New names for the types of inline schemas: the name that the generator gives, and the name to use instead.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, String>")]
    pub(crate) rename: BTreeMap<Spanned<String>, Spanned<String>>,
    /// Severities of linter rules that differ from the severities that `explain` shows. The keys are the ids of the rules.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, RuleSetting>")]
    pub(crate) rules: BTreeMap<Spanned<String>, RuleSetting>,
}

/// Which rules the linter applies.
#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Profile {
    /// The rules of OpenAPI, and the project rules: an operation has an id, a summary and a
    /// security requirement, a body has an example, an error response lists its codes, and so on.
    #[default]
    Strict,
    /// Only the rules of OpenAPI.
    General,
}

/// The minimum number of days between a deprecation and a sunset.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    default,
    expecting = "a table with `beta` and `stable`"
)]
pub(crate) struct DeprecationDays {
    /// For an operation whose `x-stability-level` is `beta`.
    pub(crate) beta: u32,
    /// For a stable operation.
    pub(crate) stable: u32,
}

impl Default for DeprecationDays {
    fn default() -> Self {
        DeprecationDays {
            beta: 0,
            // The period in which clients are warned before a sunset.
            stable: openapi_dropshot_contract::lifecycle::WARNING_DAYS
                .try_into()
                .unwrap_or_default(),
        }
    }
}

/// The folders of the generated code.
#[derive(Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table with `models` and `api`"
)]
pub(crate) struct Generate {
    /// The types of schemas and parameters.
    pub(crate) models: Target,
    /// The trait of the service, its dispatch and its table of operations.
    pub(crate) api: Target,
    /// The client. Without it, no client is generated.
    pub(crate) client: Option<Target>,
    /// The operations that only the client skips because it does not support them: each by its id or, without an id, its method and
    /// path, such as `POST /files`. The service still has these operations.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub(crate) skip_in_client: Vec<Spanned<String>>,
    /// The name of the trait. The default is derived from the title of the document.
    #[serde(rename = "trait")]
    #[schemars(with = "Option<String>")]
    pub(crate) trait_name: Option<Spanned<String>>,
}

/// A folder of generated code.
#[derive(Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table with `folder`, such as `{ folder = \"src/generated\" }`"
)]
pub(crate) struct Target {
    /// The folder. It must contain only generated code.
    #[schemars(with = "String")]
    pub(crate) folder: Spanned<String>,
    /// The crate or module that contains the folder, such as `shop_models` or
    /// `crate::models`. The default is the package of the nearest `Cargo.toml` above the folder.
    #[serde(rename = "crate")]
    #[schemars(with = "Option<String>")]
    pub(crate) crate_name: Option<Spanned<String>>,
}

/// The severity of a rule.
#[derive(Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table with `level` and `reason`, such as `{ level = \"off\", reason = \"…\" }`"
)]
pub(crate) struct RuleSetting {
    /// The severity.
    #[schemars(with = "RuleLevel")]
    pub(crate) level: Spanned<RuleLevel>,
    /// Why the severity differs.
    #[schemars(with = "String")]
    pub(crate) reason: Spanned<String>,
}

/// How serious a violation of a rule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum RuleLevel {
    /// Violations are not reported.
    Off,
    /// Violations are reported, but nothing fails.
    Warn,
    /// Violations are reported, and the gate fails.
    Error,
}

/// Returns the JSON Schema of the file, for editors.
pub fn json_schema() -> String {
    let schema = schemars::schema_for!(Settings);
    let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    text + "\n"
}
