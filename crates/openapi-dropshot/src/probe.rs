//! Writes a service whose responses a test can choose, for tests of the generated code: the handlers, and the list of
//! the types.

use crate::{
    api::{contract::argument, errors, module},
    models::types::in_api,
    names::ident,
    plan::{
        Body, Errors, Fields, OperationPlan, Plan,
        ir::{Home, Kind, Scalar, Ty},
    },
    starter::{Api, ApiOperation},
};
use openapi_dropshot_contract::model::StatusCode;
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

/// The facts about all operations that the probe needs.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    /// The types of schemas, by their Rust names.
    types: Vec<String>,
    has_error_codes: bool,
}

/// The facts about one operation that the probe needs.
#[derive(Clone, Debug)]
pub(crate) struct OperationFacts {
    /// The arguments with a generated type, which implements `Debug`. Each has a flag that tells whether the argument
    /// may be missing.
    generated_arguments: Vec<(&'static str, bool)>,
    errors: RequestableErrors,
}

/// The errors that the handler of an operation can return.
#[derive(Clone, Debug)]
enum RequestableErrors {
    /// The handler returns no errors.
    None,
    /// The handler returns dropshot's own error, which can have any status.
    Dropshot,
    /// The errors of the document as expressions, in the order of the generated enum.
    Listed(Vec<String>),
}

impl Facts {
    pub(crate) fn of(plan: &Plan<'_>) -> Self {
        let is_type =
            |home: Home, kind: &Kind| home == Home::Schemas && !matches!(kind, Kind::Alias(_));
        let items = plan.items.iter();
        let types = items.filter(|item| is_type(item.home, &item.kind));
        Facts {
            types: types.map(|item| item.name.clone()).collect(),
            has_error_codes: plan.catalogue.is_some(),
        }
    }
}

impl OperationFacts {
    pub(crate) fn of(plan: &OperationPlan<'_>) -> Self {
        let in_models = |ty: &Ty| matches!(ty, Ty::Named(_) | Ty::Scalar(Scalar::Format(_)));
        let body = match &plan.body {
            Some(Body::Json(ty, _) | Body::Form(ty)) if !plan.websocket => in_models(ty),
            _ => false,
        };
        let parameters = plan.parameters.iter();
        let parameters = parameters.map(|(place, _)| (argument(*place), false));
        let body = body.then_some(("body", plan.optional_body));
        OperationFacts {
            generated_arguments: parameters.chain(body).collect(),
            errors: RequestableErrors::of(plan),
        }
    }
}

impl RequestableErrors {
    fn of(plan: &OperationPlan<'_>) -> Self {
        let error = ident(&errors::name(plan));
        let expressions: Vec<TokenStream> = match &plan.errors {
            _ if plan.websocket => return RequestableErrors::None,
            Errors::Dropshot(_) => return RequestableErrors::Dropshot,
            Errors::Codes(codes) => codes
                .iter()
                .map(|code| {
                    let name = ident(&code.variant);
                    let headers = code.headers.as_ref().map(headers);
                    let headers = headers.map(|headers| quote!(, #headers));
                    quote!(Err(#error::#name("requested".into() #headers)))
                })
                .collect(),
            Errors::Statuses(responses) => responses
                .iter()
                .map(|response| {
                    let name = ident(&response.variant);
                    let has_status = !matches!(response.status, StatusCode::Exact(_));
                    let status = has_status.then(|| quote! {
                        ErrorStatusCode::from_u16(wanted.as_ref().map_or(500, |wanted| wanted.status))
                            .unwrap_or(ErrorStatusCode::INTERNAL_SERVER_ERROR)
                    });
                    let body = response.body.as_ref().map(|body| {
                        let ty = in_api(&body.ty);
                        quote!(
                            match serde_json::from_str::<#ty>(wanted.as_ref().map_or("", |wanted| wanted.body.as_str())) {
                                Ok(body) => body,
                                Err(_) => return Err(server::no_response().into()),
                            }
                        )
                    });
                    let headers = response.headers.as_ref().map(headers);
                    let values: Vec<_> = status.into_iter().chain(body).chain(headers).collect();
                    match values.is_empty() {
                        true => quote!(Err(#error::#name)),
                        false => quote!(Err(#error::#name(#(#values),*))),
                    }
                })
                .collect(),
        };
        RequestableErrors::Listed(expressions.iter().map(ToString::to_string).collect())
    }

    /// The number of errors.
    fn count(&self) -> u64 {
        match self {
            RequestableErrors::None => 0,
            RequestableErrors::Dropshot => u64::MAX,
            RequestableErrors::Listed(expressions) => expressions.len() as u64,
        }
    }
}

/// Writes the struct of the headers of an error, with the requested values.
fn headers(set: &Fields) -> TokenStream {
    let name = ident(&set.name);
    let fields = set.fields.iter().map(|field| {
        let (name, wire) = (ident(&field.name), &field.wire);
        quote!(#name: match wanted.as_ref().and_then(|wanted| wanted.header(#wire)) {
            Some(value) => value,
            None => return Err(server::no_response().into()),
        })
    });
    quote!(models::#name { #(#fields),* })
}

impl Api {
    /// Writes the probe for the generated files. It is a module of a crate that also contains the generated files as
    /// its modules `models` and `api`, and a module `server`. `title` is the title of the document. The same API gives
    /// the same bytes.
    ///
    /// # Errors
    ///
    /// The probe is not valid Rust, which is a bug in the generator.
    pub fn probe(&self, title: &str) -> syn::Result<String> {
        let name = ident(&self.trait_name);
        let module = module(&name);
        let handlers = self.operations.iter().map(handler);
        let handlers: Vec<TokenStream> = handlers.collect::<syn::Result<_>>()?;
        let counts = self.operations.iter().map(|operation| {
            let (id, count) = (&operation.id, operation.probe.errors.count());
            quote!(#id => #count,)
        });
        let body = if self.probe.has_error_codes {
            quote!(
                serde_json::from_slice(&api::Generated::<Probe>::error_body(&rejection, ""))
                    .unwrap_or_default()
            )
        } else {
            quote!(rejection.body.unwrap_or_default())
        };
        let types: Vec<_> = self.probe.types.iter().map(|name| ident(name)).collect();
        let documented = types.iter().map(|ty| {
            let (name, path) = (ty.to_string(), format!("/{ty}"));
            quote! {
                api.register(dropshot::ApiEndpoint::new_for_types::<
                    (),
                    Result<dropshot::HttpResponseOk<models::#ty>, crate::server::HandlerError>,
                >(
                    #name.to_owned(),
                    http::Method::GET,
                    dropshot::CONTENT_TYPE_JSON,
                    #path,
                    dropshot::ApiEndpointVersions::All,
                ))?;
            }
        });
        let file = syn::parse2(quote! {
            use crate::{Attempt, api, attempt, models};
            use openapi_dropshot_types::Contract as _;
            use schemars::JsonSchema;
            use serde_json::{Value, json};
            use std::{collections::BTreeMap, error::Error};

            pub(crate) use handlers::Probe;

            const TITLE: &str = #title;

            pub(crate) fn document() -> Result<Value, Box<dyn Error>> {
                let api = api::#module::stub_api_description().map_err(|error| error.to_string())?;
                Ok(api.openapi(TITLE, dropshot::semver::Version::new(0, 0, 0)).json()?)
            }

            pub(crate) fn schemas() -> Result<Value, Box<dyn Error>> {
                let mut api = dropshot::ApiDescription::<dropshot::StubContext>::new();
                #(#documented)*
                Ok(api.openapi(TITLE, dropshot::semver::Version::new(0, 0, 0)).json()?)
            }

            pub(crate) fn types(types: &mut BTreeMap<String, Attempt>) {
                #(types.insert(<models::#types as JsonSchema>::schema_name(), attempt::<models::#types>);)*
            }

            pub(crate) fn errors(operation: &str) -> u64 {
                match operation {
                    #(#counts)*
                    _ => 0,
                }
            }

            pub(crate) fn rejection(rejection: openapi_dropshot_types::Rejection) -> (u16, Value) {
                (rejection.error.status, #body)
            }

            mod handlers {
                use crate::{api::*, models, server};
                use openapi_dropshot_types::prelude::api::*;

                pub(crate) enum Probe {}

                impl #name for Probe {
                    type Context = std::sync::Arc<server::Context>;

                    #(#handlers)*
                }
            }
        })?;
        let about = "//! Written by `openapi_dropshot` for the generated code beside it.\n\n";
        Ok(format!("{about}{}", prettyplease::unparse(&file)))
    }
}

/// Writes a handler, which records its arguments and returns the requested error.
fn handler(operation: &ApiOperation) -> syn::Result<TokenStream> {
    let (arguments, errors) = (
        &operation.probe.generated_arguments,
        &operation.probe.errors,
    );
    let signature: TokenStream = syn::parse_str(&operation.signature)?;
    let seen = arguments.iter().map(|(name, is_optional)| {
        let name = ident(name);
        match is_optional {
            true => quote! {
                let #name = #name.into_inner().map(TypedBody::into_inner);
                seen.push_str(&format!("{:?};", #name));
            },
            false => quote!(seen.push_str(&format!("{:?};", #name.into_inner()));),
        }
    });
    let end = match errors {
        RequestableErrors::None => quote!(Ok(())),
        RequestableErrors::Dropshot => quote! {
            Err(wanted.map_or_else(server::no_response, server::RequestedError::into_error))
        },
        RequestableErrors::Listed(expressions) => {
            let expressions = expressions.iter().map(|text| syn::parse_str(text));
            let expressions: Vec<TokenStream> = expressions.collect::<syn::Result<_>>()?;
            let arms = (0_u64..).zip(expressions);
            let arms = arms.map(|(index, expression)| quote!(#index => #expression,));
            quote! {
                match wanted.as_ref().map_or(u64::MAX, |wanted| wanted.index) {
                    #(#arms)*
                    _ => Err(server::no_response().into()),
                }
            }
        }
    };
    Ok(quote! {
        #signature {
            let mut seen = String::new();
            #(#seen)*
            let wanted = rqctx.context().saw(seen);
            #end
        }
    })
}

/// Returns the text of a type or other tokens, without white space.
pub(crate) fn text(tokens: &impl ToTokens) -> String {
    let text = tokens.to_token_stream().to_string();
    text.replace(char::is_whitespace, "")
}
