//! Writes what a new service begins with: handlers that do not decide anything yet, and a call of each operation
//! with the generated client. Both are made only from the text that the generator wrote.

use crate::{
    File, Options,
    probe::{ProbeError, operation_id, parse, text},
};
use proc_macro2::{Spacing, TokenStream, TokenTree};
use quote::{ToTokens as _, quote};
use std::collections::{BTreeMap, BTreeSet};
use syn::{
    Expr, FnArg, GenericParam, Ident, ImplItem, Item, ItemStatic, ItemTrait, Lit, Pat, TraitItem,
    Type, TypeParamBound, WherePredicate,
};

/// The names that handlers import from dropshot. Other names of a signature are those of the generated API.
const DROPSHOT: &[&str] = &[
    "Body",
    "ErrorStatusCode",
    "FreeformBody",
    "Header",
    "HttpError",
    "HttpResponseAccepted",
    "HttpResponseCreated",
    "HttpResponseDeleted",
    "HttpResponseHeaders",
    "HttpResponseOk",
    "HttpResponseUpdatedNoContent",
    "MultipartBody",
    "Path",
    "Query",
    "RequestContext",
    "TypedBody",
    "UntypedBody",
    "WebsocketChannelResult",
    "WebsocketConnection",
];

/// The names that need no import.
const PRELUDE: &[&str] = &["Box", "Option", "Result", "Self", "String", "Vec"];

/// The handlers of a new service.
#[derive(Clone, Debug)]
pub struct Handlers {
    /// The name of the trait that they implement.
    pub trait_name: String,
    /// The whole file: `Handlers`, which implements the trait.
    pub text: String,
    /// The handlers that end with a response of their own, by `operationId`; the value is the name of the method.
    /// The others are those of websockets.
    pub methods: BTreeMap<String, String>,
}

/// Writes the handlers of generated files. Each is ended by `mock::respond` of `openapi-dropshot-server` with the
/// response in the file `../mock/METHOD.json`; one of a websocket closes the connection.
///
/// `api_crate` is the crate of the API as Rust writes it, and `context` the type of the context.
///
/// # Errors
///
/// The files are not those that [`generate_service`](crate::generate_service) wrote with these options.
pub fn handlers(
    files: &[File],
    options: &Options,
    api_crate: &str,
    context: &str,
) -> Result<Handlers, ProbeError> {
    let contract = parse(files, &Options::path(&options.api, "contract.rs"))?;
    let api = contract.items.iter().find_map(|item| match item {
        Item::Trait(item) => Some(item),
        _ => None,
    });
    let api = api.ok_or(ProbeError::NoTrait)?;
    let (mut names, mut methods) = (Signature::default(), BTreeMap::new());
    let handlers = handlers_of(api, &mut names, &mut methods);
    let (name, path) = (&api.ident, "handlers.rs".to_owned());
    let imports = names.imports(name, api_crate, &options.models_crate, !methods.is_empty());
    let no_rust = |source| ProbeError::NoRust {
        path: path.clone(),
        source,
    };
    let imports: TokenStream = syn::parse_str(&imports).map_err(no_rust)?;
    let context: Type = syn::parse_str(context).map_err(no_rust)?;
    let code = quote! {
        #imports

        /// The handlers.
        #[derive(Debug)]
        pub enum Handlers {}

        impl #name for Handlers {
            type Context = #context;

            #handlers
        }
    };
    let file = syn::parse2(code).map_err(no_rust)?;
    let about = "//! The handlers: one method for each operation of the document.\n\n";
    Ok(Handlers {
        trait_name: name.to_string(),
        text: format!("{about}{}", spaced(&prettyplease::unparse(&file))),
        methods,
    })
}

/// Separates items and methods by empty lines.
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

fn handlers_of(
    api: &ItemTrait,
    names: &mut Signature,
    mocks: &mut BTreeMap<String, String>,
) -> TokenStream {
    let methods = api.items.iter().filter_map(|item| match item {
        TraitItem::Fn(method) => Some(method),
        _ => None,
    });
    let handlers = methods.map(|method| {
        let signature = &method.sig;
        names.add(signature.to_token_stream());
        let arguments = signature.inputs.iter().filter_map(|input| match input {
            FnArg::Typed(argument) => match &*argument.pat {
                Pat::Ident(name) => Some(&name.ident),
                _ => None,
            },
            FnArg::Receiver(_) => None,
        });
        let arguments: Vec<&Ident> = arguments.collect();
        let arguments = match arguments.as_slice() {
            [only] => quote!(#only),
            several => quote!((#(#several),*)),
        };
        let is_websocket = text(&signature.output).contains("WebsocketChannelResult");
        let body = if is_websocket {
            quote!(drop(#arguments); Ok(()))
        } else {
            let name = signature.ident.to_string();
            let name = name.trim_start_matches("r#");
            let file = format!("../mock/{name}.json");
            let id = operation_id(method).unwrap_or_else(|| name.to_owned());
            mocks.insert(id, name.to_owned());
            quote!(mock::respond(include_str!(#file), #arguments))
        };
        quote!(#signature { #body })
    });
    let handlers: Vec<TokenStream> = handlers.collect();
    quote!(#(#handlers)*)
}

/// The names in the signatures of handlers.
#[derive(Default)]
struct Signature {
    single: BTreeSet<String>,
    has_models: bool,
}

impl Signature {
    /// Collects the names of a signature that stand without a path.
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

    fn imports(&self, name: &Ident, api: &str, models: &str, has_mocks: bool) -> String {
        let is_primitive = |name: &str| name.chars().next().is_some_and(char::is_lowercase);
        let (mut own, mut dropshot) = (vec![name.to_string()], Vec::new());
        let mut others = Vec::new();
        for name in &self.single {
            match name.as_str() {
                "OptionalBody" => {
                    others.push("use openapi_dropshot_types::OptionalBody;".to_owned())
                }
                "Response" => others.push("use http::Response;".to_owned()),
                "BTreeMap" => others.push("use std::collections::BTreeMap;".to_owned()),
                known if DROPSHOT.contains(&known) => dropshot.push(known),
                known if PRELUDE.contains(&known) || is_primitive(known) => {}
                known => own.push(known.to_owned()),
            }
        }
        let mut lines = vec![
            format!("use {api}::{{{}}};", own.join(", ")),
            format!("use dropshot::{{{}}};", dropshot.join(", ")),
        ];
        lines.extend(self.has_models.then(|| format!("use {models} as models;")));
        lines.extend(has_mocks.then(|| "use openapi_dropshot_server::mock;".to_owned()));
        lines.append(&mut others);
        lines.sort();
        lines.join("\n")
    }
}

/// Returns the path that precedes the paths of all operations, such as `/v1`, as the generated files have it.
#[must_use]
pub fn base_path<'f>(files: &'f [File], options: &Options) -> Option<&'f str> {
    let path = Options::path(&options.api, "dispatch.rs");
    let file = files.iter().find(|file| file.path == path)?;
    let (_, rest) = file.text.split_once("const BASE_PATH: &'static str = \"")?;
    Some(rest.split_once('"')?.0)
}

/// An operation of the generated client.
#[derive(Clone, Debug, Default)]
pub struct ClientCall {
    /// The method of the client.
    pub method: String,
    /// The setters of its parameters, by the names of the parameters in the document: the name of the setter, and the
    /// type that it takes.
    pub parameters: BTreeMap<String, (String, String)>,
    /// The type that `body` takes, if the operation has a body.
    pub body: Option<String>,
}

/// Returns the operations of the generated client, by `operationId`.
///
/// # Errors
///
/// The files are not those that [`generate`](crate::generate) wrote with these options.
pub fn client_calls(
    files: &[File],
    options: &Options,
) -> Result<BTreeMap<String, ClientCall>, ProbeError> {
    let builders = parse(files, &Options::path(&options.client, "builder.rs"))?;
    let client = parse(files, &Options::path(&options.client, "client.rs"))?;
    let methods = methods_of(&client);
    let mut calls = BTreeMap::new();
    let mut operation = None;
    // Each static with an operation is followed by its builder and the setters.
    for item in &builders.items {
        match item {
            Item::Static(item) => operation = operation_of(item),
            Item::Impl(block) => {
                let Some((id, parameters)) = &operation else {
                    continue;
                };
                let Some(method) = methods.get(&base_name(&block.self_ty)) else {
                    continue;
                };
                let setters: BTreeMap<String, String> =
                    block.items.iter().filter_map(setter).collect();
                let parameters = parameters.iter().filter_map(|(name, setter)| {
                    let target = setters.get(setter)?;
                    Some((name.clone(), (setter.clone(), target.clone())))
                });
                let call = ClientCall {
                    method: method.clone(),
                    parameters: parameters.collect(),
                    body: setters.get("body").cloned(),
                };
                calls.entry(id.clone()).or_insert(call);
            }
            _ => {}
        }
    }
    Ok(calls)
}

/// Returns the methods of the client that return a builder, by the name of the builder.
fn methods_of(client: &syn::File) -> BTreeMap<String, String> {
    let blocks = client.items.iter().filter_map(|item| match item {
        Item::Impl(block) if block.trait_.is_none() => Some(block),
        _ => None,
    });
    let methods = blocks.flat_map(|block| &block.items).filter_map(|item| {
        let ImplItem::Fn(method) = item else {
            return None;
        };
        let syn::ReturnType::Type(_, output) = &method.sig.output else {
            return None;
        };
        text(output)
            .starts_with("builder::")
            .then(|| (base_name(output), method.sig.ident.to_string()))
    });
    methods.collect()
}

/// Returns the last name of a type's path.
fn base_name(ty: &Type) -> String {
    match ty {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .map(|segment| segment.ident.to_string())
            .unwrap_or_default(),
        _ => String::new(),
    }
}

/// Returns the id of the operation that a static describes, and the names and setters of its parameters.
fn operation_of(item: &ItemStatic) -> Option<(String, Vec<(String, String)>)> {
    let Expr::Struct(operation) = &*item.expr else {
        return None;
    };
    let field = |name: &str| {
        let mut fields = operation.fields.iter();
        let found =
            fields.find(|field| matches!(&field.member, syn::Member::Named(own) if own == name));
        found.map(|field| &field.expr)
    };
    let id = string(field("id")?)?;
    let Expr::Reference(parameters) = field("parameters")? else {
        return None;
    };
    let Expr::Array(parameters) = &*parameters.expr else {
        return None;
    };
    let parameters = parameters.elems.iter().filter_map(|parameter| {
        let Expr::Call(call) = parameter else {
            return None;
        };
        Some((string(call.args.get(1)?)?, string(call.args.get(2)?)?))
    });
    Some((id, parameters.collect()))
}

fn string(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the name of a setter, and the type that it takes: `T` of `V: TryInto<T>` or, for a body, `V: IntoBody<T>`.
fn setter(item: &ImplItem) -> Option<(String, String)> {
    let ImplItem::Fn(method) = item else {
        return None;
    };
    let has_value = method.sig.generics.params.iter().any(
        |parameter| matches!(parameter, GenericParam::Type(parameter) if parameter.ident == "V"),
    );
    let clause = method.sig.generics.where_clause.as_ref()?;
    let target = clause.predicates.iter().find_map(|predicate| {
        let WherePredicate::Type(predicate) = predicate else {
            return None;
        };
        predicate.bounds.iter().find_map(|bound| {
            let TypeParamBound::Trait(bound) = bound else {
                return None;
            };
            let text = text(bound);
            let mut traits = ["::std::convert::TryInto<", "toolkit::IntoBody<"].into_iter();
            let target = traits.find_map(|name| text.strip_prefix(name))?;
            Some(target.strip_suffix('>')?.to_owned())
        })
    })?;
    has_value.then(|| (method.sig.ident.to_string(), target))
}
