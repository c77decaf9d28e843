//! Authenticates a request. Reads the credentials of the security schemes that the document requires for the operation,
//! and passes each one to the state of the service, which returns the principal. Then decides whether the credentials
//! are sufficient, and checks that the principal has the required scopes.

use super::{
    context::Context,
    credentials::{self, Found},
    deadline,
    error_response::ErrorResponse,
    requests::Cost,
};
use crate::{
    connections::Activity,
    permissions::Permissions,
    state::{AuthenticationError, Credential, State},
};
use chrono::{DateTime, SecondsFormat, Utc};
use dropshot_request_context::RequestContexts;
use http::{HeaderValue, header::WWW_AUTHENTICATE, request::Parts};
use openapi_dropshot_types::{Condition, Operation, RequiredScheme, SchemeKind, Security};
use std::{borrow::Cow, pin::pin, sync::Arc, task::Poll, time::Duration};

/// How often the credential of an open stream is checked again.
const NEXT_LOOK: Duration = Duration::from_secs(5);

/// The principal of a request.
pub(super) struct Authenticated<P> {
    pub(super) principal: P,
    pub(super) permissions: Permissions,
    /// A scope that the operation requires and the principal does not have.
    missing_scope: Option<&'static str>,
}

/// Why the credential of a request is not valid.
enum Invalid {
    Malformed,
    Unknown,
    Rejected(Cow<'static, str>),
    Expired(DateTime<Utc>),
}

/// Whether the state of the service needs the body of the request to authenticate it.
pub(super) fn needs_body<S: State>(security: &Security, head: &Parts) -> bool {
    let mut schemes = security.schemes();
    schemes.any(|scheme| {
        S::reads_body(scheme) && credentials::find(scheme.kind, head) != Found::Nothing
    })
}

/// Returns the principal of a request and its limits, which must be found within the time that a request may take;
/// `None` if the request has no credential and needs none. While the principal is unknown, the request counts as a
/// request without a principal. Even if there are too many such requests, they are not rejected, because they may have a
/// valid key; other connections are closed instead.
pub(super) async fn principal<S: State>(
    context: &Context<S>,
    security: &Security,
    (head, body, cost): (&Parts, Option<&[u8]>, &Cost),
    activity: &Activity,
    request_id: &str,
) -> Result<Option<Authenticated<S::Principal>>, ErrorResponse> {
    let mut invalid = None;
    let mut without_scope = None;
    'alternatives: for alternative in security.alternatives {
        let mut principal = None;
        for &RequiredScheme { scheme, scopes } in *alternative {
            let Found::Text(text) = credentials::find(scheme.kind, head) else {
                continue 'alternatives;
            };
            let found = {
                let mut lookup = pin!(context.state.authenticate(Credential {
                    scheme,
                    scopes,
                    text,
                    head,
                    body,
                    earlier: principal.as_ref(),
                }));
                match futures::poll!(lookup.as_mut()) {
                    Poll::Ready(found) => found,
                    Poll::Pending => {
                        let share = cost.take(&context.request_budget, None);
                        if share.is_err() {
                            activity.close_stranger();
                        }
                        deadline::within(&context.limits, lookup).await?
                    }
                }
            };
            let reason = match found {
                Ok(found) => {
                    principal = Some(found);
                    continue;
                }
                Err(AuthenticationError::Malformed) => Invalid::Malformed,
                Err(AuthenticationError::Unknown) => Invalid::Unknown,
                Err(AuthenticationError::Rejected(message)) => Invalid::Rejected(message),
                Err(AuthenticationError::Failed(error)) => {
                    return Err(ErrorResponse::of_state(error, request_id));
                }
            };
            invalid.get_or_insert((scheme.kind, reason));
            continue 'alternatives;
        }
        // An alternative that lists no scheme is not fulfilled.
        let Some(principal) = principal else { continue };
        let permissions = S::permissions(&principal);
        if let Some(at) = permissions.expires_at.filter(|at| *at <= context.now()) {
            let kind = alternative.last().map(|required| required.scheme.kind);
            invalid = invalid.or(kind.map(|kind| (kind, Invalid::Expired(at))));
            continue;
        }
        let missing_scope = alternative.iter().find_map(|required| {
            let mut scopes = required.scopes.iter().copied();
            scopes.find(|scope| !S::has_scope(&principal, required.scheme, scope))
        });
        let found = Authenticated {
            principal,
            permissions,
            missing_scope,
        };
        match missing_scope {
            None => return Ok(Some(found)),
            Some(_) => without_scope = without_scope.or(Some(found)),
        }
    }
    if without_scope.is_some() {
        return Ok(without_scope);
    }
    let Some((kind, reason)) = invalid else {
        if security.is_open && !credentials::has_any(security, head) {
            return Ok(None);
        }
        let message = match alternatives(security) {
            all if all.is_empty() => "no request is accepted here, because the service has no security scheme for this operation".to_owned(),
            all => format!("send {all}"),
        };
        return Err(rejected(
            context,
            security,
            Condition::Unauthorized,
            message,
            "",
        ));
    };
    // The key may have been valid before and then been revoked.
    activity.distrust();
    let name = name_of(kind);
    let message = match reason {
        Invalid::Malformed => {
            let place = place_of(kind);
            format!("the {name} is mistyped, truncated or from another service; send it {place}")
        }
        Invalid::Unknown if kind == SchemeKind::Basic => {
            "the user name or the password is wrong; send valid ones".to_owned()
        }
        Invalid::Unknown => format!("the {name} is unknown or revoked; send a valid one"),
        Invalid::Rejected(message) => message.into_owned(),
        Invalid::Expired(at) => {
            let at = at.to_rfc3339_opts(SecondsFormat::Secs, true);
            format!("the {name} expired at {at}; send a valid one")
        }
    };
    let parameters = ", error=\"invalid_token\"";
    Err(rejected(
        context,
        security,
        Condition::Unauthorized,
        message,
        parameters,
    ))
}

/// Returns when the credential of a request is no longer valid, or may no longer call the operation. If the service
/// cannot check this, the credential stays valid.
pub(super) async fn revoked<S: State>(
    contexts: Arc<RequestContexts<Context<S>>>,
    operation: &'static Operation,
    (head, cost): (Parts, Cost),
    activity: Activity,
    request_id: String,
) {
    let context = contexts.context();
    loop {
        tokio::time::sleep(NEXT_LOOK).await;
        let parts = (&head, None, &cost);
        let found = principal(context, &operation.security, parts, &activity, &request_id).await;
        let checked = found.and_then(|found| {
            found.map_or(Ok(()), |found| check_scope(context, &found, operation))
        });
        if checked.is_err_and(|error| error.is_denial()) {
            return;
        }
    }
}

/// Responds with 403 if the principal does not have a scope that the operation requires, or if its own limits do not
/// allow the operation.
pub(super) fn check_scope<S: State>(
    context: &Context<S>,
    found: &Authenticated<S::Principal>,
    operation: &Operation,
) -> Result<(), ErrorResponse> {
    let own = found.permissions.scope;
    let missing = found.missing_scope;
    let missing = missing.or_else(|| S::missing_scope(&found.principal, operation));
    let (message, scope) = match missing {
        Some(scope) => {
            let message = format!(
                "this credential does not have the scope `{scope}`, which this operation requires; use one that has it"
            );
            (message, scope)
        }
        None if own.allows(operation.method) => return Ok(()),
        None => {
            let message = format!(
                "this API key has the scope `{own}`, and this operation requires `write`; use a key with the scope `read,write`"
            );
            (message, "write")
        }
    };
    let parameters = format!(", error=\"insufficient_scope\", scope=\"{scope}\"");
    let (security, condition) = (&operation.security, Condition::InsufficientScope);
    Err(rejected(context, security, condition, message, &parameters))
}

/// Rejects a request with a challenge for each scheme that the operation accepts (RFC 9110, section 11.6.1). The
/// parameters are those of `Bearer` errors (RFC 6750). There is no registered scheme for API keys.
fn rejected<S: State>(
    context: &Context<S>,
    security: &Security,
    condition: Condition,
    message: String,
    parameters: &str,
) -> ErrorResponse {
    let realm = context.info.name;
    let mut challenges: Vec<String> = Vec::new();
    for scheme in security.schemes() {
        let in_request =
            |place, name| format!("ApiKey realm=\"{realm}\", in=\"{place}\", name=\"{name}\"");
        let challenge = match scheme.kind {
            SchemeKind::Bearer | SchemeKind::Token => {
                format!("Bearer realm=\"{realm}\"{parameters}")
            }
            SchemeKind::Basic => format!("Basic realm=\"{realm}\", charset=\"UTF-8\""),
            SchemeKind::Header(name) => in_request("header", name),
            SchemeKind::Query(name) => in_request("query", name),
            SchemeKind::Cookie(name) => in_request("cookie", name),
        };
        if !challenges.contains(&challenge) {
            challenges.push(challenge);
        }
    }
    let response = ErrorResponse::new(condition, message);
    challenges
        .into_iter()
        .fold(response, |response, challenge| {
            match HeaderValue::try_from(challenge) {
                Ok(challenge) => response.with(WWW_AUTHENTICATE, challenge),
                // The name in the document has characters that a header cannot contain.
                Err(_) => response,
            }
        })
}

/// Describes the credentials that a client has to send, for each alternative.
fn alternatives(security: &Security) -> String {
    let credential = |required: &RequiredScheme| {
        let kind = required.scheme.kind;
        let name = name_of(kind);
        let article = if name.starts_with("user") { "a" } else { "an" };
        format!("{article} {name} {}", place_of(kind))
    };
    let together = |schemes: &&[RequiredScheme]| {
        let all: Vec<String> = schemes.iter().map(credential).collect();
        all.join(" and ")
    };
    let all: Vec<String> = security.alternatives.iter().map(together).collect();
    all.join(", or ")
}

fn name_of(kind: SchemeKind<'_>) -> &'static str {
    match kind {
        SchemeKind::Token => "access token",
        SchemeKind::Basic => "user name and password",
        _ => "API key",
    }
}

fn place_of(kind: SchemeKind<'_>) -> String {
    match kind {
        SchemeKind::Bearer => "as `Authorization: Bearer <API_KEY>`".to_owned(),
        SchemeKind::Token => "as `Authorization: Bearer <TOKEN>`".to_owned(),
        SchemeKind::Basic => "as `Authorization: Basic <USER:PASSWORD in Base64>`".to_owned(),
        SchemeKind::Header(name) => format!("in the header `{name}`"),
        SchemeKind::Query(name) => format!("in the query parameter `{name}`"),
        SchemeKind::Cookie(name) => format!("in the cookie `{name}`"),
    }
}
