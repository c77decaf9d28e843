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
    /// The command that messages and the first line of each generated file name.
    #[serde(default = "default_command")]
    pub(crate) command: String,
    /// The documents of the repository.
    #[schemars(length(min = 1))]
    pub(crate) document: Vec<Document>,
}

fn default_command() -> String {
    "cargo openapi-dropshot".to_owned()
}

/// A document, and what belongs to it.
#[derive(Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    rename_all = "kebab-case",
    expecting = "a table with the key `path`"
)]
pub(crate) struct Document {
    /// The name of the document for `--document NAME` and in messages. Without it, the name
    /// is the file name of `path` without its extension.
    #[schemars(with = "Option<String>")]
    pub(crate) name: Option<Spanned<String>>,
    /// The OpenAPI document, in YAML or JSON.
    #[schemars(with = "String")]
    pub(crate) path: Spanned<String>,
    /// The folder of the released documents. Without it, the folder is `released`, beside
    /// the document.
    #[schemars(with = "Option<String>")]
    pub(crate) releases: Option<Spanned<String>>,
    /// The file of the accepted breaking changes, which need not exist. Without it, the
    /// file is `accepted-breaks.toml` beside the document, or `NAME-accepted-breaks.toml` with the
    /// name of the document if there are several. Two documents cannot have the same file.
    #[schemars(with = "Option<String>")]
    pub(crate) accepted_breaks: Option<Spanned<String>>,
    /// The changelog. Without it, the file is `CHANGELOG.md` beside this file. Two documents
    /// cannot have the same changelog.
    #[schemars(with = "Option<String>")]
    pub(crate) changelog: Option<Spanned<String>>,
    /// Whether the version of the root `Cargo.toml` is the version of the document: `check`
    /// compares the two, and `release` sets both. Without it, this is the case if the
    /// repository has one document, and a `Cargo.toml` beside this file.
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
    /// Where the generated code is. Without this table, no code is generated, and the gates
    /// `generated` and `roundtrip` do not run.
    pub(crate) generate: Option<Generate>,
    /// What the service and the client leave out, because the generator does not support it, each with the reason. The keys are the
    /// ids of operations or, without one, `POST /files`; a component that no operation needs is `#/components/schemas/A`.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, String>")]
    pub(crate) skip: BTreeMap<Spanned<String>, Spanned<String>>,
    /// Names of the types of inline schemas: the name that the generator gives, and the name
    /// that the type gets instead.
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, String>")]
    pub(crate) rename: BTreeMap<Spanned<String>, Spanned<String>>,
    /// Severities of rules of the linter that differ from those that `explain` names. The
    /// keys are the ids of the rules.
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
    /// The rules of OpenAPI only.
    General,
}

/// Days between a deprecation and a sunset.
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
            // The period in which clients are warned of a sunset.
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
    /// The operations that the client leaves out, because it does not support them: each by its id or, without one, as
    /// `POST /files`. The service has them.
    #[serde(default)]
    #[schemars(with = "Vec<String>")]
    pub(crate) skip_in_client: Vec<Spanned<String>>,
    /// The name of the trait. Without it, the name is derived from the title of the document.
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
    /// The folder, which contains generated code and nothing else.
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
    /// It is not reported.
    Off,
    /// It is reported, and nothing fails.
    Warn,
    /// It is reported, and the gate fails.
    Error,
}

/// Returns the JSON Schema of the file, for editors.
pub fn json_schema() -> String {
    let schema = schemars::schema_for!(Settings);
    let text = serde_json::to_string_pretty(&schema).expect("a schema is JSON");
    text + "\n"
}
