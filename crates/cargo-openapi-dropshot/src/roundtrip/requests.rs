//! Sends requests through the generated router, table and dispatch, to test everything that the emitted document
//! cannot show: required credentials, the defaults of absent parameters, the rejection of invalid parameters and
//! bodies, and every error that the document lists.

mod bodies;
mod errors;

use super::{
    Trials,
    program::{Exchange, Program},
    schemas::{Schema, Schemas},
};
use anyhow::Result;
use bodies::Form;
use openapi_dropshot_contract::{
    Document,
    model::{Location, Operation, Parameter, ParameterIn, RequestBody, Type},
    rules::{DifferenceRule, differences},
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// The maximum number of texts that are tested for one parameter.
const MOST_TEXTS: usize = 80;

/// Texts that look like numbers, booleans or `null`, but are often invalid.
const LOOKALIKES: &[&str] = &[
    "007", "+5", " 5", "5 ", "0x5", "5.0", "abc", "True", "1e3", "null", "NaN",
];

/// The requests of one operation.
struct Requests<'a> {
    operation: &'a Operation,
    /// The name of the operation in the generated code.
    name: String,
    schemas: &'a Schemas,
    program: &'a mut Program,
    trials: &'a mut Trials,
    /// The format of the body.
    form: Form,
    /// A valid request without optional parameters; all other requests are variations of it.
    valid: Request,
}

/// The parts of a request that are varied.
#[derive(Clone)]
struct Request {
    /// The text of each parameter of the operation; `None` if it is absent.
    parameters: Vec<Option<String>>,
    has_key: bool,
    body: Option<Value>,
    /// The error that the handler must return.
    error: Option<Value>,
}

/// Sends requests to all operations.
pub(super) fn try_all(
    document: &Document,
    schemas: &Schemas,
    program: &mut Program,
) -> Result<Trials> {
    let mut trials = Trials::default();
    let names = document.operation_names();
    for (operation, name) in document.operations.iter().zip(names) {
        // An upgraded connection has no response to compare.
        if operation.opens_websocket() {
            continue;
        }
        let body = operation.request_body.as_ref();
        let read = body.map_or(&[][..], RequestBody::read);
        let form = Form::of(read);
        let body = form.valid(read.first(), schemas)?;
        if operation.request_body.is_some() && body.is_none() {
            let message = "no valid body was found, so no request was tried";
            let (at, part) = (&operation.at, operation.request());
            trials.differ(&differences::BODY_WITHOUT_EXAMPLE, at, &part, message);
            continue;
        }
        let required = |parameter: &Parameter| {
            let schema = schemas.of(parameter.value())?;
            let schema = schema.filter(|_| parameter.required);
            Ok(schema.and_then(|schema| valid_text(parameter, &schema)))
        };
        let parameters = operation.parameters.iter().map(required);
        let valid = Request {
            parameters: parameters.collect::<Result<_>>()?,
            has_key: true,
            body,
            error: None,
        };
        let mut requests = Requests {
            operation,
            name,
            schemas,
            program,
            trials: &mut trials,
            form,
            valid,
        };
        requests.try_all(document)?;
    }
    Ok(trials)
}

impl Requests<'_> {
    fn try_all(&mut self, document: &Document) -> Result<()> {
        let exchange = self.send(&self.valid.clone(), true)?;
        if exchange.arguments.is_none() {
            let Exchange { status, body, .. } = exchange;
            let message = format!("a valid request got the response {status}: {}", body.trim());
            self.differ(&differences::REQUEST_REFUSED, &self.operation.at, message);
            return Ok(());
        }
        self.try_without_key()?;
        for (index, parameter) in self.operation.parameters.iter().enumerate() {
            self.try_parameter(index, parameter)?;
        }
        bodies::try_all(self)?;
        errors::try_all(self, document)
    }

    /// Sends a request, and counts it as a valid or an invalid request.
    fn send(&mut self, request: &Request, is_valid: bool) -> Result<Exchange> {
        self.trials.count(is_valid);
        let mut path = self.operation.path.value.clone();
        let (mut query, mut headers) = (Vec::new(), Vec::new());
        let (mut joined, mut cookies) = (Vec::new(), Vec::new());
        for (parameter, text) in self.operation.parameters.iter().zip(&request.parameters) {
            let Some(text) = text else {
                continue;
            };
            let name = parameter.name.value.as_str();
            match parameter.location {
                ParameterIn::Path => {
                    path = path.replace(&format!("{{{name}}}"), &encoded(parameter, text));
                }
                ParameterIn::Query if is_list(parameter) => match parameter.separator() {
                    None => query.extend(text.split(',').map(|text| (name, text))),
                    Some(_) => joined.push(format!("{name}={}", encoded(parameter, text))),
                },
                ParameterIn::Query => query.push((name, text.as_str())),
                ParameterIn::Header => headers.push([name, text]),
                ParameterIn::Cookie => cookies.push(format!("{name}={}", encoded(parameter, text))),
            }
        }
        joined.extend((!query.is_empty()).then_some(serde_urlencoded::to_string(query)?));
        if !joined.is_empty() {
            path = format!("{path}?{}", joined.join("&"));
        }
        let cookies = cookies.join("; ");
        headers.extend((!cookies.is_empty()).then_some(["cookie", &cookies]));
        if request.has_key {
            headers.push(["authorization", "Bearer key"]);
        }
        let body = request.body.as_ref().and_then(|body| self.form.text(body));
        let read = self.operation.request_body.as_ref().map(RequestBody::read);
        if let (Some((media_type, _)), Some([media, ..])) = (&body, read) {
            let own = media.name.value.as_str();
            let is_json = self.form == Form::Json;
            headers.push(["content-type", if is_json { own } else { media_type }]);
        }
        self.program.request(json!({
            "method": self.operation.method.to_string(),
            "path": path,
            "headers": headers,
            "body": body.map(|(_, text)| text),
            "error": request.error,
        }))
    }

    /// Checks that a request without a credential is rejected if the document requires one.
    fn try_without_key(&mut self) -> Result<()> {
        if self.operation.is_open() {
            return Ok(());
        }
        let mut request = self.valid.clone();
        request.has_key = false;
        let exchange = self.send(&request, false)?;
        if exchange.status != 401 || exchange.arguments.is_some() {
            let status = exchange.status;
            let message = format!("a request without a credential got the response {status}");
            self.differ(&differences::SECURITY_OPEN, &self.operation.at, message);
        }
        Ok(())
    }

    /// Checks that valid texts of a parameter are accepted and that all other texts are rejected.
    fn try_parameter(&mut self, index: usize, parameter: &Parameter) -> Result<()> {
        if parameter.location != ParameterIn::Path {
            self.try_absent(index, parameter)?;
        }
        let schema = self.schemas.of(parameter.value())?;
        let Some(schema) = schema.filter(|schema| valid_text(parameter, schema).is_some()) else {
            return Ok(());
        };
        let name = &parameter.name.value;
        let instances = schema.instances();
        let lookalikes = LOOKALIKES.iter().map(|text| (*text).to_owned());
        let mut distinct = BTreeSet::new();
        let texts = instances.iter().filter_map(|value| text(parameter, value));
        let texts = texts.chain(lookalikes);
        let texts = texts.filter(|text| distinct.insert(text.clone()));
        for text in texts.take(MOST_TEXTS) {
            if !can_be_sent(parameter, &text) {
                continue;
            }
            let readings = match (parameter.json(), is_list(parameter)) {
                (Some(_), _) => serde_json::from_str(&text).into_iter().collect(),
                (None, true) => list_readings(parameter, &text),
                (None, false) => readings(&text),
            };
            let is_valid = readings.iter().any(|value| schema.is_valid(value));
            let mut request = self.valid.clone();
            request.parameters[index] = Some(text.clone());
            let exchange = self.send(&request, is_valid)?;
            if exchange.arguments.is_some() && !is_valid {
                let message = format!("`{name}` may be {text:?}, which is not valid");
                self.differ(&differences::PARAMETER_ACCEPTED, &parameter.at, message);
            } else if exchange.arguments.is_none() && is_valid {
                let body = exchange.body.trim();
                let message = format!("`{name}` may not be {text:?}, which is valid: {body}");
                self.differ(&differences::PARAMETER_REFUSED, &parameter.at, message);
            }
        }
        Ok(())
    }

    /// Checks that an absent parameter is rejected or gets its default.
    fn try_absent(&mut self, index: usize, parameter: &Parameter) -> Result<()> {
        let (name, is_optional) = (&parameter.name.value, !parameter.required);
        let mut request = self.valid.clone();
        request.parameters[index] = None;
        let absent = self.send(&request, is_optional)?.arguments;
        if absent.is_some() != is_optional {
            let may = if is_optional { "may not" } else { "may" };
            let message = format!("`{name}` {may} be absent");
            self.differ(&differences::PARAMETER_ABSENT, &parameter.at, message);
            return Ok(());
        }
        let schema = self.schemas.of(parameter.value())?.filter(|_| is_optional);
        if let Some(default) = schema.and_then(|schema| text(parameter, schema.default()?)) {
            request.parameters[index] = Some(default.clone());
            if self.send(&request, true)?.arguments != absent {
                let absent = absent.unwrap_or_default();
                let message =
                    format!("without `{name}` the handler sees {absent}, not {default:?}");
                self.differ(&differences::PARAMETER_DEFAULT_LOST, &parameter.at, message);
            }
        }
        Ok(())
    }

    fn differ(&mut self, rule: &'static DifferenceRule, at: &Location, message: String) {
        let part = self.operation.request();
        self.trials.differ(rule, at, &part, message);
    }
}

/// Returns a text that is valid for a schema, if one was found.
fn valid_text(parameter: &Parameter, schema: &Schema) -> Option<String> {
    valid_value(parameter, schema).map(|(_, text)| text)
}

/// Returns a valid value that can be sent as text, and its text, if one was found.
fn valid_value(parameter: &Parameter, schema: &Schema) -> Option<(Value, String)> {
    let with_text = |value: Value| {
        let text = text(parameter, &value).filter(|text| can_be_sent(parameter, text))?;
        Some((value, text))
    };
    // An empty list cannot be sent as text.
    schema.smallest().and_then(with_text).or_else(|| {
        let instances = schema.instances().into_iter();
        let mut valid = instances.filter(|value| schema.is_valid(value));
        valid.find_map(with_text)
    })
}

/// Returns the text of a value in a request; `None` if the value cannot be sent as text.
fn text(parameter: &Parameter, value: &Value) -> Option<String> {
    match value {
        _ if parameter.json().is_some() => Some(value.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        // The values of a list. None of them may contain the separator.
        Value::Array(values) => {
            let separator = separator(parameter);
            let texts: Option<Vec<String>> =
                values.iter().map(|value| text(parameter, value)).collect();
            let texts = texts.filter(|texts| !texts.iter().any(|text| text.contains(separator)))?;
            (!texts.is_empty()).then(|| texts.join(&String::from(separator)))
        }
        Value::Null | Value::Object(_) => None,
    }
}

/// Returns the separator between the values of a list in this text. If each value is sent with its own name, the
/// text is split at commas.
fn separator(parameter: &Parameter) -> char {
    parameter.separator().unwrap_or(',')
}

/// Returns whether a parameter has several values.
fn is_list(parameter: &Parameter) -> bool {
    let schema = parameter.schema.as_ref();
    schema.and_then(|schema| schema.kind()) == Some(Type::Array)
}

/// Encodes a text, except the commas between the values of a list.
fn encoded(parameter: &Parameter, text: &str) -> String {
    let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    if !is_list(parameter) || separator(parameter) != ',' {
        return encoded(text);
    }
    let values: Vec<String> = text.split(',').map(encoded).collect();
    values.join(",")
}

/// Returns the lists that a text can represent: lists of strings, and lists of JSON scalars that are written like
/// this.
fn list_readings(parameter: &Parameter, text: &str) -> Vec<Value> {
    let texts: Vec<&str> = text.split(separator(parameter)).collect();
    let strings = texts.iter().map(|text| Value::from(*text)).collect();
    let others = texts.iter().map(|text| readings(text).pop());
    let others = others.map(Option::unwrap_or_default).collect();
    vec![Value::Array(strings), Value::Array(others)]
}

/// Returns the values that a text can represent: the string itself, and the number or boolean that JSON writes in
/// this way.
fn readings(text: &str) -> Vec<Value> {
    let json = serde_json::from_str::<Value>(text).ok();
    let json =
        json.filter(|value| (value.is_number() || value.is_boolean()) && text.trim() == text);
    [Value::from(text)].into_iter().chain(json).collect()
}

/// Returns whether a request can contain a text at this place, regardless of the document.
fn can_be_sent(parameter: &Parameter, text: &str) -> bool {
    match parameter.location {
        ParameterIn::Path => !text.is_empty() && text != "." && text != "..",
        ParameterIn::Query => true,
        ParameterIn::Cookie if !is_list(parameter) => true,
        // Spaces around the values of a list are ignored, and an empty text means no value.
        ParameterIn::Header | ParameterIn::Cookie => {
            !text.is_empty()
                && text.trim() == text
                && text.bytes().all(|byte| (0x20..0x7f).contains(&byte))
        }
    }
}
