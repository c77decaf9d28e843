//! Generates the start of a new service: facts about the API and the client, and handlers that return fixed responses.

use crate::{
    Options,
    api::{
        contract::{Signature, signature},
        trait_name,
    },
    plan::{OperationPlan, Plan},
    probe,
};
use openapi_dropshot_contract::model::Document;
use proc_macro2::{Ident, Spacing, TokenStream, TokenTree};
use quote::{ToTokens as _, quote};
use std::collections::{BTreeMap, BTreeSet};

/// The crates from which handlers import the names in a signature. Other names are in the prelude of the toolkit.
const CRATES: &[(&str, &str)] = &[
    (
        "dropshot",
        "Body FreeformBody Header HttpError HttpResponseAccepted HttpResponseCreated HttpResponseDeleted HttpResponseHeaders \
         HttpResponseOk HttpResponseUpdatedNoContent MultipartBody Path Query RequestContext StreamingBody TypedBody UntypedBody \
         WebsocketChannelResult WebsocketConnection",
    ),
    ("http", "Response"),
    (
        "openapi_dropshot_types",
        "Cookies FormParts OptionalBody StreamedItems",
    ),
    ("serde_json", "Map Value"),
    ("std::collections", "BTreeMap"),
];

/// The names that need no import.
const PRELUDE: &[&str] = &["Box", "Option", "Result", "Self", "String", "Vec"];

/// The API that a service implements.
#[derive(Clone, Debug)]
pub struct Api {
    /// The name of the trait.
    pub trait_name: String,
    /// The path that precedes the paths of all operations, such as `/v1`.
    pub base_path: String,
    /// The operations, in the order of the document.
    pub operations: Vec<ApiOperation>,
    pub(crate) probe: probe::Facts,
}

/// An operation of the API, as a method of the trait.
#[derive(Clone, Debug)]
pub struct ApiOperation {
    /// Its `operationId` or, without one, the name that the generator chooses.
    pub id: String,
    /// The name of the method, without the `r#` of a keyword.
    pub method: String,
    /// Whether it opens a websocket.
    pub is_websocket: bool,
    /// The signature of the method, without its body.
    pub(crate) signature: String,
    /// The names of its arguments.
    arguments: Vec<String>,
    /// The names in the signature that are written without a path, each with the crate or module from which it is imported.
    /// `None` is the crate of the API.
    imports: BTreeSet<(Option<&'static str>, String)>,
    /// Whether the signature contains types from the models crate.
    has_models: bool,
    pub(crate) probe: probe::OperationFacts,
}

impl Api {
    pub(crate) fn of(document: &Document, plan: &Plan<'_>, options: &Options) -> Self {
        Api {
            trait_name: trait_name(document, options),
            base_path: document.base_path().to_owned(),
            operations: plan.operations.iter().map(ApiOperation::of).collect(),
            probe: probe::Facts::of(plan),
        }
    }

    /// Returns the crates or modules from which the handlers import names.
    pub fn imported_crates(&self) -> BTreeSet<&'static str> {
        let imports = self.operations.iter().flat_map(|own| &own.imports);
        imports.filter_map(|(from, _)| *from).collect()
    }

    /// Writes the file of the handlers: `Handlers`, which implements the trait. Each handler calls `mock::respond` of
    /// `openapi-dropshot-server`, which returns the response in the file `../mock/METHOD.json`. The handler of a websocket
    /// closes the connection.
    ///
    /// `api_crate` and `models_crate` are the names of the crates in Rust code, and `context` is the type of the context.
    ///
    /// # Errors
    ///
    /// The names of the crates or the type of the context are not valid Rust.
    pub fn handlers(
        &self,
        api_crate: &str,
        models_crate: &str,
        context: &str,
    ) -> syn::Result<String> {
        let name = &self.trait_name;
        let imports = self.imports(api_crate, models_crate);
        let methods = self.operations.iter().map(ApiOperation::handler);
        let code = format!(
            "{imports}\n/// The handlers.\n#[derive(Debug)]\npub enum Handlers {{}}\nimpl {name} for Handlers {{\ntype Context = \
             {context};\n{}}}\n",
            methods.collect::<String>()
        );
        let about = "//! The handlers: one method for each operation of the document.\n\n";
        let file = syn::parse_file(&code)?;
        Ok(format!("{about}{}", spaced(&prettyplease::unparse(&file))))
    }

    fn imports(&self, api_crate: &str, models_crate: &str) -> String {
        let mut names = BTreeMap::from([(api_crate, BTreeSet::from([self.trait_name.as_str()]))]);
        for (from, name) in self.operations.iter().flat_map(|own| &own.imports) {
            let from = from.unwrap_or(api_crate);
            names.entry(from).or_default().insert(name);
        }
        let names = names.into_iter().map(|(from, names)| {
            let names: Vec<&str> = names.into_iter().collect();
            match names.as_slice() {
                [only] => format!("use {from}::{only};"),
                several => format!("use {from}::{{{}}};", several.join(", ")),
            }
        });
        let mut lines: Vec<String> = names.collect();
        let has = |is_used: fn(&ApiOperation) -> bool| self.operations.iter().any(is_used);
        if has(|own| own.has_models) {
            lines.push(format!("use {models_crate} as models;"));
        }
        if has(|own| !own.is_websocket) {
            lines.push("use openapi_dropshot_server::mock;".to_owned());
        }
        lines.sort();
        lines.join("\n")
    }
}

impl ApiOperation {
    fn of(plan: &OperationPlan<'_>) -> Self {
        let signature = signature(plan);
        let mut names = Names::default();
        names.add(signature.to_token_stream());
        let is_primitive = |name: &str| name.starts_with(char::is_lowercase);
        let single = names.single.iter().map(String::as_str);
        let imported = single.filter(|name| !is_primitive(name) && !PRELUDE.contains(name));
        let import = |name: &str| (crate_of(name, &signature), name.to_owned());
        let text = |name: &Ident| name.to_string().trim_start_matches("r#").to_owned();
        ApiOperation {
            id: plan.id.clone(),
            method: text(&signature.function),
            is_websocket: plan.websocket,
            arguments: signature
                .arguments
                .iter()
                .map(|(name, _)| text(name))
                .collect(),
            imports: imported.map(import).collect(),
            has_models: names.has_models,
            probe: probe::OperationFacts::of(plan),
            signature: quote!(#signature).to_string(),
        }
    }

    fn handler(&self) -> String {
        let arguments = match self.arguments.as_slice() {
            [only] => only.clone(),
            several => format!("({})", several.join(", ")),
        };
        let (signature, method) = (&self.signature, &self.method);
        match self.is_websocket {
            true => format!("{signature} {{ drop({arguments}); Ok(()) }}\n"),
            false => format!(
                "{signature} {{ mock::respond(include_str!(\"../mock/{method}.json\"), {arguments}) }}\n"
            ),
        }
    }
}

/// Returns the crate or module that contains a name of a signature; `None` is the crate of the API.
fn crate_of(name: &str, signature: &Signature) -> Option<&'static str> {
    if signature.own_types.iter().any(|own| own == name) {
        return None;
    }
    let mut known = CRATES.iter();
    let known = known.find(|(_, names)| names.split(' ').any(|known| known == name));
    Some(known.map_or("openapi_dropshot_types::prelude::api", |(from, _)| *from))
}

/// Adds empty lines between items and methods.
fn spaced(text: &str) -> String {
    let mut spaced = String::new();
    for line in text.lines() {
        let starts = ["/// The handlers.", "impl ", "    async fn "];
        if starts.iter().any(|start| line.starts_with(start)) {
            spaced.push('\n');
        }
        spaced.push_str(line);
        spaced.push('\n');
    }
    spaced
}

/// The names of types in a signature.
#[derive(Default)]
struct Names {
    /// The names without a path.
    single: BTreeSet<String>,
    has_models: bool,
}

impl Names {
    /// Adds the names in a signature that have no path.
    fn add(&mut self, tokens: TokenStream) {
        let mut is_in_path = false;
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            let is_before_path = matches!(tokens.peek(), Some(TokenTree::Punct(sign)) if sign.as_char() == ':' && sign.spacing() == Spacing::Joint);
            match token {
                TokenTree::Ident(name) if !is_in_path && is_before_path => {
                    self.has_models |= name == "models";
                }
                TokenTree::Ident(name) if !is_in_path => drop(self.single.insert(name.to_string())),
                TokenTree::Group(group) => self.add(group.stream()),
                TokenTree::Punct(sign) if sign.as_char() == ':' => {
                    is_in_path |= sign.spacing() == Spacing::Joint;
                    continue;
                }
                _ => {}
            }
            is_in_path = false;
        }
    }
}

/// An operation of the generated client.
#[derive(Clone, Debug, Default)]
pub struct ClientCall {
    /// The method of the client.
    pub method: String,
    /// The setters for its parameters, by the names of the parameters in the document: the name of the setter, and the type of
    /// its argument.
    pub parameters: BTreeMap<String, (String, String)>,
    /// The type of the argument of `body`, if the operation has a body. If `sends_lines` is true, the type of one line.
    pub body: Option<String>,
    /// Whether `body` takes a list of lines.
    pub sends_lines: bool,
}
