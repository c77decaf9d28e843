//! `send`: progenitor's code up to the built request stays, in a method of its
//! own; what follows is the parent's, which sends it, and reads answer and error.

use super::{Surprise, calls, examples::Examples, set_docs};
use openapi_dropshot_contract::model::Operation;
use quote::ToTokens;
use syn::{
    Expr, ExprMethodCall, ImplItemFn, ItemFn, Local, Pat, PathArguments, Stmt, TypePath,
    parse_quote,
    visit_mut::{self, VisitMut},
};

/// What `send` falls into, beside itself.
pub(super) struct Parts {
    /// The field of the builder that holds the call.
    pub(super) client: syn::Ident,
    /// What the operation answers on success.
    pub(super) answer: syn::Type,
    /// Makes the request.
    pub(super) prepared: ImplItemFn,
    /// Sends as `send` does, and waits for it.
    pub(super) blocking: ImplItemFn,
    /// Sends a request and reads its answer. It stands alone, so that what it
    /// does may outlive the client that the builder borrows.
    pub(super) answered: ItemFn,
}

/// Rewrites the body of `send`.
pub(super) fn rewrite(
    method: &mut ImplItemFn,
    operation: &Operation,
    examples: &Examples<'_>,
) -> Result<Parts, Surprise> {
    let surprise = |what: &str| Surprise(format!("`send` of {} {what}", operation.label()));
    let statements = std::mem::take(&mut method.block.stmts);
    let sent_at = statements
        .iter()
        .position(|statement| bound(statement).is_some_and(|name| name == "info"))
        .ok_or_else(|| surprise("has no `info`"))?;
    let mut before: Vec<Stmt> = statements;
    let after = before.split_off(sent_at);
    // Information, hook, execution, hook, response, match.
    let [_, _, _, _, response, Stmt::Expr(Expr::Match(answers), _)] = after.as_slice() else {
        return Err(surprise("does not end with hooks and a match"));
    };
    let response = bound(response)
        .cloned()
        .ok_or_else(|| surprise("binds no response"))?;
    let request = before
        .last()
        .and_then(bound)
        .cloned()
        .ok_or_else(|| surprise("builds no request"))?;
    let client = client_of(&before).ok_or_else(|| surprise("takes no client"))?;

    let own_header = before
        .iter()
        .any(|statement| !is_version_header(statement) && appends_header(statement));
    before.retain(|statement| {
        let about_headers = bound(statement).is_some_and(|name| name == "header_map")
            || is_version_header(statement);
        own_header && !is_version_header(statement) || !about_headers
    });
    let mut requests = Requests {
        client: client.clone(),
        own_header,
    };
    for statement in &mut before {
        requests.visit_stmt_mut(statement);
    }
    if let Some(Stmt::Local(Local {
        attrs,
        pat: Pat::Ident(name),
        ..
    })) = before.last_mut()
    {
        attrs.clear();
        name.mutability = None;
    }

    let mut answers = answers.clone();
    answers.arms.retain(|arm| !matches!(arm.pat, Pat::Wild(_)));
    answers
        .arms
        .push(parse_quote!(_ => Err(crate::Error::from_response(#response).await),));
    let id = operation.id.as_ref().map_or("", |id| id.value.as_str());
    let keyed = calls::takes_idempotency_key(operation);
    let reader = crate::names::ident(&format!("read_{}", crate::names::snake(id)));
    let output = method.sig.output.clone();
    let answer = answer_of(&output).ok_or_else(|| surprise("does not say what it answers"))?;
    method.block = parse_quote!({ #reader(self.prepared()?).await });
    let mut paragraphs = vec![
        format!("Sends `{} {}`.", operation.method, operation.path.value),
        "# Errors".to_owned(),
        "A parameter is missing or refused, the service could not be reached, it answered with an error, \
         or its answer is not what the document says."
            .to_owned(),
    ];
    paragraphs.extend(examples.call(operation));
    set_docs(&mut method.attrs, &paragraphs);
    let mut blocking: ImplItemFn = parse_quote! {
        pub fn send_blocking(self) #output {
            crate::blocking::wait(#reader(self.prepared()?))
        }
    };
    let mut paragraphs = vec![
        "Sends as [`send`](Self::send) does, and waits for the answer: for code that is not async."
            .to_owned(),
        "# Errors".to_owned(),
        "As [`send`](Self::send).".to_owned(),
    ];
    paragraphs.extend(examples.blocking(operation));
    set_docs(&mut blocking.attrs, &paragraphs);
    blocking
        .attrs
        .push(parse_quote!(#[cfg(feature = "blocking")]));
    Ok(Parts {
        prepared: parse_quote! {
            fn prepared(self) -> Result<crate::Prepared, crate::Error> {
                #(#before)*
                Ok(#client.prepare(
                    #request,
                    crate::Operation { id: #id, takes_idempotency_key: #keyed },
                ))
            }
        },
        answered: parse_quote! {
            async fn #reader(request: crate::Prepared) #output {
                let #response = request.send().await?;
                #answers
            }
        },
        blocking,
        client,
        answer,
    })
}

/// The `T` of `-> Result<ResponseValue<T>, …>`.
fn answer_of(output: &syn::ReturnType) -> Option<syn::Type> {
    let syn::ReturnType::Type(_, result) = output else {
        return None;
    };
    first_argument(&first_argument(result)?)
}

fn first_argument(of: &syn::Type) -> Option<syn::Type> {
    let syn::Type::Path(path) = of else {
        return None;
    };
    match &path.path.segments.last()?.arguments {
        PathArguments::AngleBracketed(arguments) => match arguments.args.first()? {
            syn::GenericArgument::Type(first) => Some(first.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// The name that a statement binds.
fn bound(statement: &Stmt) -> Option<&syn::Ident> {
    match statement {
        Stmt::Local(Local {
            pat: Pat::Ident(name),
            ..
        }) => Some(&name.ident),
        _ => None,
    }
}

/// The name of the client: the first of what `let Self { … } = self` takes.
fn client_of(statements: &[Stmt]) -> Option<syn::Ident> {
    let Stmt::Local(Local {
        pat: Pat::Struct(fields),
        ..
    }) = statements.first()?
    else {
        return None;
    };
    match &fields.fields.first()?.member {
        syn::Member::Named(name) => Some(name.clone()),
        syn::Member::Unnamed(_) => None,
    }
}

fn appends_header(statement: &Stmt) -> bool {
    statement
        .to_token_stream()
        .to_string()
        .contains("header_map . append")
}

/// `header_map.append(HeaderName::from_static("api-version"), …)`, which
/// progenitor sends with every request and the document does not ask for.
fn is_version_header(statement: &Stmt) -> bool {
    appends_header(statement)
        && statement
            .to_token_stream()
            .to_string()
            .contains(":: api_version ()")
}

/// Makes requests by way of the parent, and errors of the one type there is.
struct Requests {
    client: syn::Ident,
    own_header: bool,
}

impl VisitMut for Requests {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        visit_mut::visit_expr_mut(self, expression);
        let client = &self.client;
        let replacement: Option<Expr> = match expression {
            Expr::Field(field)
                if field.to_token_stream().to_string() == format!("{client} . baseurl") =>
            {
                Some(parse_quote!(#client.base_url()))
            }
            Expr::MethodCall(call) if call.method == "headers" && !self.own_header => {
                Some((*call.receiver).clone())
            }
            Expr::MethodCall(call) => self.started(call),
            Expr::Try(attempt) => failed(&attempt.expr),
            _ => None,
        };
        if let Some(replacement) = replacement {
            *expression = replacement;
        }
    }

    fn visit_expr_call_mut(&mut self, call: &mut syn::ExprCall) {
        visit_mut::visit_expr_call_mut(self, call);
        // progenitor counts its own header.
        if call
            .func
            .to_token_stream()
            .to_string()
            .ends_with("HeaderMap :: with_capacity")
        {
            *call = parse_quote!(::reqwest::header::HeaderMap::new());
        }
    }

    fn visit_macro_mut(&mut self, code: &mut syn::Macro) {
        // The arguments of `format!` are tokens to syn.
        let client = self.client.to_string();
        let mut tokens = proc_macro2::TokenStream::new();
        let mut rest = std::mem::take(&mut code.tokens).into_iter().peekable();
        while let Some(token) = rest.next() {
            let dot = rest.peek().is_some_and(
                |next| matches!(next, proc_macro2::TokenTree::Punct(p) if p.as_char() == '.'),
            );
            let is_client =
                matches!(&token, proc_macro2::TokenTree::Ident(name) if *name == client);
            tokens.extend([token]);
            if is_client && dot {
                tokens.extend(rest.next());
                if rest
                    .peek()
                    .is_some_and(|next| next.to_string() == "baseurl")
                {
                    rest.next();
                    tokens.extend(quote::quote!(base_url()));
                }
            }
        }
        code.tokens = tokens;
    }
}

impl Requests {
    /// `client.client.get(url)` is `client.request(Method::GET, url)`: reqwest has
    /// no method of its own for `OPTIONS` and `TRACE`, and the parent adds what
    /// every request has.
    fn started(&self, call: &ExprMethodCall) -> Option<Expr> {
        let client = &self.client;
        let inner: Expr = parse_quote!(#client.client);
        (*call.receiver == inner).then(|| {
            let method =
                syn::Ident::new(&call.method.to_string().to_uppercase(), call.method.span());
            let arguments = &call.args;
            parse_quote!(#client.request(::reqwest::Method::#method, #arguments))
        })
    }
}

/// What is done with an error where a request is built.
fn failed(attempted: &Expr) -> Option<Expr> {
    let Expr::MethodCall(call) = attempted else {
        return None;
    };
    match call.method.to_string().as_str() {
        "build" => Some(parse_quote!(#call.map_err(crate::Error::not_built)?)),
        "try_into" => Some(parse_quote!(
            #call.map_err(|error: ::reqwest::header::InvalidHeaderValue| crate::Error::invalid_request(error.to_string()))?
        )),
        "form_urlencoded" => Some(parse_quote!(
            #call.map_err(|error: ::progenitor_client::Error| crate::Error::invalid_request(error.to_string()))?
        )),
        _ => None,
    }
}

/// Progenitor's types, which are the parent's here.
pub(super) struct Paths;

impl VisitMut for Paths {
    fn visit_type_path_mut(&mut self, path: &mut TypePath) {
        visit_mut::visit_type_path_mut(self, path);
        let text = path.to_token_stream().to_string();
        if text == "super :: Client" {
            *path = parse_quote!(crate::Client);
        } else if path.path.segments.len() == 1
            && let Some(segment) = path.path.segments.first()
        {
            let arguments = &segment.arguments;
            if segment.ident == "ResponseValue" {
                *path = parse_quote!(crate::Response #arguments);
            } else if segment.ident == "Error"
                && matches!(arguments, PathArguments::AngleBracketed(_))
            {
                *path = parse_quote!(crate::Error);
            } else if segment.ident == "ByteStream" {
                *path = parse_quote!(::progenitor_client::ByteStream);
            }
        }
    }

    fn visit_expr_path_mut(&mut self, path: &mut syn::ExprPath) {
        visit_mut::visit_expr_path_mut(self, path);
        match path.to_token_stream().to_string().as_str() {
            "Error :: InvalidRequest" => *path = parse_quote!(crate::Error::invalid_request),
            "ResponseValue :: from_response" => *path = parse_quote!(crate::Response::json),
            "ResponseValue :: empty" => *path = parse_quote!(crate::Response::empty),
            "ResponseValue :: stream" => *path = parse_quote!(crate::Response::stream),
            _ => {}
        }
    }
}
