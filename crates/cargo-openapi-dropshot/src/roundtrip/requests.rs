//! Sends requests through the generated router, table and dispatch, for everything
//! that the emitted document cannot show: required credentials, the defaults of
//! absent parameters, the rejection of invalid parameters and bodies, and every
//! error that the document lists.

mod bodies;
mod errors;
mod texts;

use super::{
    program::{Exchange, Program},
    tally::Tally,
    validators::Validators,
};
use anyhow::Result;
use bodies::Form;
use openapi_dropshot_contract::{
    Document,
    meaning::Difference,
    model::{Location, Operation, Parameter, ParameterIn},
};
use serde_json::{Value, json};

/// The requests of one operation.
struct Requests<'a> {
    operation: &'a Operation,
    validators: &'a Validators,
    program: &'a mut Program,
    /// A valid text for each parameter that has one.
    base: Vec<(&'a Parameter, Option<String>)>,
    /// A valid body, where the operation takes one.
    body: Option<Value>,
    /// How a body is sent.
    form: Form,
    tally: &'a mut Tally,
    differences: &'a mut Vec<Difference>,
}

/// Sends requests to all operations.
pub(super) fn try_all(
    document: &Document,
    validators: &Validators,
    program: &mut Program,
) -> Result<(Tally, Vec<Difference>)> {
    let (mut tally, mut differences) = (Tally::default(), Vec::new());
    for operation in &document.operations {
        // A connection that is upgraded is none of this.
        if operation.extensions.contains_key("x-dropshot-websocket") {
            continue;
        }
        let form = Form::of(operation);
        let body = bodies::valid(operation, validators, form);
        if operation.request_body.is_some() && body.is_none() {
            differences.push(Difference {
                rule: "body-without-example",
                at: operation.at.clone(),
                part: format!("{} {}", operation.method, operation.path.value),
                message: "no valid body was found, so that no request was tried".to_owned(),
            });
            continue;
        }
        let base = operation
            .parameters
            .iter()
            .map(|parameter| (parameter, texts::valid(validators, parameter)))
            .collect();
        let mut requests = Requests {
            operation,
            validators,
            program,
            base,
            body,
            form,
            tally: &mut tally,
            differences: &mut differences,
        };
        requests.all(document)?;
    }
    Ok((tally, differences))
}

impl<'a> Requests<'a> {
    fn all(&mut self, document: &Document) -> Result<()> {
        let exchange = self.send(None, true, self.body.clone(), None)?;
        self.tally.count(true);
        if exchange.seen.is_none() {
            let message = format!(
                "a valid request got the response {}: {}",
                exchange.status,
                exchange.body.trim()
            );
            let at = self.operation.at.clone();
            self.differ("request-refused", &at, message);
            return Ok(());
        }
        self.security()?;
        self.parameters()?;
        bodies::try_all(self)?;
        errors::try_all(self, document)
    }

    /// Sends a request that differs from the valid one in one parameter.
    fn send(
        &mut self,
        changed: Option<(&Parameter, Option<&str>)>,
        with_key: bool,
        body: Option<Value>,
        error: Option<Value>,
    ) -> Result<Exchange> {
        let mut path = self.operation.path.value.clone();
        let (mut query, mut headers) = (Vec::new(), Vec::new());
        for (parameter, text) in &self.base {
            let text = match changed {
                Some((other, text)) if std::ptr::eq(other, *parameter) => text.map(str::to_owned),
                // What is optional is absent unless it is what is tried.
                _ => text.clone().filter(|_| parameter.required),
            };
            let Some(text) = text else {
                continue;
            };
            let name = &parameter.name.value;
            match parameter.location {
                ParameterIn::Path => {
                    path = path.replace(&format!("{{{name}}}"), &texts::escaped(&text))
                }
                ParameterIn::Query => query.push(format!(
                    "{}={}",
                    texts::escaped(name),
                    texts::escaped(&text)
                )),
                ParameterIn::Header => headers.push(json!([name, text])),
                ParameterIn::Cookie => {}
            }
        }
        if !query.is_empty() {
            path = format!("{path}?{}", query.join("&"));
        }
        if with_key {
            headers.push(json!(["authorization", "Bearer key"]));
        }
        let mut request = json!({ "method": self.operation.method.to_string(), "path": path, "headers": headers });
        if let Some((media_type, text)) = body.and_then(|body| self.form.text(&body)) {
            if let Some(headers) = request["headers"].as_array_mut() {
                headers.push(json!(["content-type", media_type]));
            }
            request["body"] = json!(text);
        }
        if let Some(error) = error {
            request["error"] = error;
        }
        self.program.request(request)
    }

    /// A request without a credential is rejected, where the document requires one.
    fn security(&mut self) -> Result<()> {
        let security = &self.operation.security;
        if security.is_empty() || security.iter().any(indexmap_is_empty) {
            return Ok(());
        }
        let exchange = self.send(None, false, self.body.clone(), None)?;
        self.tally.count(false);
        if exchange.status != 401 || exchange.seen.is_some() {
            let (at, message) = (
                self.operation.at.clone(),
                format!("without a credential the exchange is {}", exchange.status),
            );
            self.differ("security-open", &at, message);
        }
        Ok(())
    }

    fn parameters(&mut self) -> Result<()> {
        for (parameter, valid) in self.base.clone() {
            if parameter.location != ParameterIn::Path {
                self.absent(parameter)?;
            }
            if valid.is_none() {
                continue;
            }
            for (text, is_valid) in texts::of(self.validators, parameter)? {
                if !texts::can_be_sent(parameter.location, &text) {
                    continue;
                }
                let body = self.body.clone();
                let exchange = self.send(Some((parameter, Some(&text))), true, body, None)?;
                self.tally.count(is_valid);
                let name = &parameter.name.value;
                if exchange.seen.is_some() && !is_valid {
                    self.differ(
                        "parameter-accepted",
                        &parameter.at,
                        format!("`{name}` may be {text:?}, which is not valid"),
                    );
                } else if exchange.seen.is_none() && is_valid {
                    let message = format!(
                        "`{name}` may not be {text:?}, which is valid: {}",
                        exchange.body.trim()
                    );
                    self.differ("parameter-refused", &parameter.at, message);
                }
            }
        }
        Ok(())
    }

    /// A parameter that is absent is rejected, or has its default.
    fn absent(&mut self, parameter: &Parameter) -> Result<()> {
        let body = self.body.clone();
        let exchange = self.send(Some((parameter, None)), true, body.clone(), None)?;
        self.tally.count(!parameter.required);
        let name = &parameter.name.value;
        if exchange.seen.is_some() == parameter.required {
            let found = if parameter.required { "may" } else { "may not" };
            self.differ(
                "parameter-absent",
                &parameter.at,
                format!("`{name}` {found} be absent"),
            );
            return Ok(());
        }
        let Some(default) =
            texts::default(self.validators, parameter).filter(|_| !parameter.required)
        else {
            return Ok(());
        };
        let explicit = self.send(Some((parameter, Some(&default))), true, body, None)?;
        if explicit.seen != exchange.seen {
            let seen = exchange.seen.unwrap_or_default();
            self.differ(
                "parameter-default-lost",
                &parameter.at,
                format!("without `{name}` the handler sees {seen}, not {default:?}"),
            );
        }
        Ok(())
    }

    fn differ(&mut self, rule: &'static str, at: &Location, message: String) {
        let part = format!("{} {}", self.operation.method, self.operation.path.value);
        self.differences.push(Difference {
            rule,
            at: at.clone(),
            part,
            message,
        });
    }
}

/// One alternative of `security` that asks for nothing.
fn indexmap_is_empty<M>(alternative: &M) -> bool
where
    for<'m> &'m M: IntoIterator,
{
    alternative.into_iter().next().is_none()
}
