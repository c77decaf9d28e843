//! The functions that generated `dispatch` methods call: they read the parameters and the body of a
//! request, and convert the result of a handler to a response.

use crate::{Condition, Contract, Operation, Rejection, is_json};
use async_trait::async_trait;
use dropshot::{
    ApiEndpointBodyContentType, Body, ExclusiveExtractor, ExtractorMetadata, Header, HttpError,
    HttpResponse, Path, Query, RequestContext, ServerContext, SharedExtractor,
};
use http::{HeaderValue, Request, Response, header::CONTENT_TYPE};
use hyper::body::Body as _;
use percent_encoding::percent_decode_str;
use schemars::JsonSchema;
use serde::{
    Deserializer,
    de::{
        DeserializeOwned, IntoDeserializer, Visitor,
        value::{Error as ValueError, MapDeserializer, SeqDeserializer},
    },
};

const JSON: &str = "application/json";

/// Reads the path parameters of an operation. Commas separate the values of a list; an encoded
/// comma is part of a value.
///
/// # Errors
///
/// Returns [`Condition::InvalidRequest`] if a parameter breaks a rule of the document.
pub fn read_path<C: Contract, T>(
    rqctx: &RequestContext<C::Context>,
    operation: &Operation,
) -> Result<Path<T>, Rejection>
where
    T: DeserializeOwned + JsonSchema + Send + Sync,
{
    let path = rqctx.request.uri().path();
    let path = path.strip_prefix(C::BASE_PATH).unwrap_or(path);
    let parts = operation.path.split('/').zip(path.split('/'));
    let variables = parts.filter_map(|(part, segment)| {
        if !part.as_bytes().contains(&b'{') {
            return None;
        }
        let (before, rest) = part.split_once('{')?;
        let (name, after) = rest.split_once('}')?;
        let value = segment.strip_prefix(before)?.strip_suffix(after)?;
        Some((name, Values::Segment(value)))
    });
    parameters::<C, T, _, _>(variables, "bad parameter in URL path: ").map(Path::from)
}

/// Reads parameters from their names and values. The message of an error begins with `context`.
fn parameters<'de, C, T, N, V>(
    parameters: impl Iterator<Item = (N, V)>,
    context: &str,
) -> Result<T, Rejection>
where
    C: Contract,
    T: DeserializeOwned,
    N: IntoDeserializer<'de, ValueError>,
    V: IntoDeserializer<'de, ValueError>,
{
    let read: Result<T, ValueError> = T::deserialize(MapDeserializer::new(parameters));
    read.map_err(|error| invalid::<C>(format!("{context}{error}")))
}

/// Returns the rejection of a request that breaks a rule of the document.
fn invalid<C: Contract>(message: String) -> Rejection {
    rejection::<C>(HttpError::for_bad_request(None, message))
}

/// Reads the parameters of a path or a query.
///
/// # Errors
///
/// Returns [`Condition::InvalidRequest`] if a parameter breaks a rule of the document.
pub async fn read<C: Contract, E: SharedExtractor>(
    rqctx: &RequestContext<C::Context>,
) -> Result<E, Rejection> {
    E::from_request(rqctx).await.map_err(rejection::<C>)
}

/// Reads the query parameters of an operation, some of which have several values. `several` lists the names of
/// these, each with the separator of its values, or `None` if the name is repeated for each value (`explode`).
///
/// # Errors
///
/// Returns [`Condition::InvalidRequest`] if a parameter breaks a rule of the document.
pub fn read_query<C: Contract, T>(
    rqctx: &RequestContext<C::Context>,
    several: &[(&'static str, Option<char>)],
) -> Result<Query<T>, Rejection>
where
    T: DeserializeOwned + JsonSchema + Send + Sync,
{
    let query = rqctx.request.uri().query().unwrap_or_default();
    let mut values: Vec<(String, Values<'_>)> = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, text) = pair.split_once('=').unwrap_or((pair, ""));
        let name = form_text(name);
        let Some((_, separator)) = several.iter().find(|(several, _)| *several == name) else {
            values.push((name, Values::One(form_text(text))));
            continue;
        };
        let texts: Vec<String> = match separator {
            None => vec![form_text(text)],
            // An encoded comma is part of a value.
            Some(',') => text.split(',').map(form_text).collect(),
            // Other separators are themselves encoded.
            Some(separator) => form_text(text)
                .split(*separator)
                .map(str::to_owned)
                .collect(),
        };
        match values.iter_mut().find(|(known, _)| *known == name) {
            Some((_, Values::Several(known))) => known.extend(texts),
            _ => values.push((name, Values::Several(texts))),
        }
    }
    parameters::<C, T, _, _>(values.into_iter(), "unable to parse query string: ").map(Query::from)
}

/// Decodes a part of a query, in which a plus sign means a space.
fn form_text(text: &str) -> String {
    let text = text.replace('+', " ");
    percent_decode_str(&text).decode_utf8_lossy().into_owned()
}

/// Decodes a part of a path.
fn path_text(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// The text of a parameter, or its texts if it can have several.
enum Values<'r> {
    /// A segment of a path: one text or a list.
    Segment(&'r str),
    One(String),
    Several(Vec<String>),
}

impl<'de> IntoDeserializer<'de, ValueError> for Values<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Values<'_> {
    type Error = ValueError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self {
            Values::Segment(segment) => visitor.visit_string(path_text(segment)),
            Values::One(text) => visitor.visit_string(text),
            Values::Several(texts) => {
                SeqDeserializer::new(texts.into_iter()).deserialize_any(visitor)
            }
        }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, ValueError> {
        match self {
            Values::Segment(segment) => {
                SeqDeserializer::new(segment.split(',').map(path_text)).deserialize_any(visitor)
            }
            values => values.deserialize_any(visitor),
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Reads the body of a request, or accepts the upgrade to a websocket.
///
/// # Errors
///
/// Returns [`Condition::InvalidRequest`] if the body breaks a rule of the document.
pub async fn read_body<C: Contract, E: ExclusiveExtractor>(
    rqctx: &RequestContext<C::Context>,
    mut request: Request<Body>,
) -> Result<E, Rejection> {
    // dropshot accepts only one media type for JSON.
    if let Some(media_type) = request.headers_mut().get_mut(CONTENT_TYPE)
        && media_type != JSON
        && media_type.to_str().is_ok_and(is_json)
    {
        *media_type = HeaderValue::from_static(JSON);
    }
    E::from_request(rqctx, request)
        .await
        .map_err(rejection::<C>)
}

/// Reads the header parameters with these names. Several header lines with the same name form one
/// value (RFC 9110, section 5.3).
///
/// dropshot's own extractor copies all headers, rejects a request if any of them is not ASCII, and
/// uses only the last of several lines. This function ignores all other headers.
///
/// # Errors
///
/// Returns [`Condition::InvalidRequest`] if a header breaks a rule of the document.
pub fn read_headers<C: Contract, T>(
    rqctx: &RequestContext<C::Context>,
    names: &[&'static str],
) -> Result<Header<T>, Rejection>
where
    T: DeserializeOwned + JsonSchema + Send + Sync,
{
    let mut values = Vec::new();
    for &name in names {
        let lines = rqctx
            .request
            .headers()
            .get_all(name)
            .iter()
            .map(|line| {
                line.to_str()
                    .map_err(|_| invalid::<C>(format!("`{name}` must be ASCII")))
            })
            .collect::<Result<Vec<_>, _>>()?;
        if !lines.is_empty() {
            values.push((name, lines.join(", ")));
        }
    }
    parameters::<C, T, _, _>(values.into_iter(), "").map(Header::from)
}

/// Creates the response from the result of a handler.
///
/// # Errors
///
/// Returns the error of the handler, or an error if the value cannot be written.
pub fn respond<C: Contract, R: HttpResponse, E: Into<Rejection>>(
    result: Result<R, E>,
) -> Result<Response<Body>, Rejection> {
    result
        .map_err(Into::into)?
        .to_result()
        .map_err(rejection::<C>)
}

/// Returns the rejection for an error of dropshot's extractors and responses. If the document has a
/// catalogue, it is `invalid_request` or `internal_error`; otherwise the status is that of the
/// error.
pub fn rejection<C: Contract>(error: HttpError) -> Rejection {
    if C::ERRORS.is_empty() {
        Rejection::from(error)
    } else if error.status_code.is_client_error() {
        C::reject(Condition::InvalidRequest, error.external_message)
    } else {
        C::internal(error.internal_message)
    }
}

impl From<HttpError> for Rejection {
    fn from(error: HttpError) -> Self {
        Rejection::from(&error)
    }
}

impl From<&HttpError> for Rejection {
    /// The rejection has the status and the message of the error, and a built-in entry for that
    /// status.
    fn from(error: &HttpError) -> Self {
        let message = error.external_message.clone();
        let code = error.error_code.as_ref();
        Rejection {
            error: crate::ErrorEntry::of_status(error.status_code.as_u16()),
            detail: (error.internal_message != message).then(|| error.internal_message.clone()),
            body: code.map(|code| serde_json::json!({ "error_code": code, "message": message })),
            message: message.into(),
            media_type: None,
            headers: error.headers.clone(),
        }
    }
}

/// An optional request body; dropshot has no extractor for it. A body that is present is valid.
#[derive(Debug)]
pub struct OptionalBody<E>(Option<E>);

impl<E> OptionalBody<E> {
    /// Returns the body, if the request has one. A body of zero bytes counts as absent.
    pub fn into_inner(self) -> Option<E> {
        self.0
    }
}

#[async_trait]
impl<E: ExclusiveExtractor> ExclusiveExtractor for OptionalBody<E> {
    async fn from_request<C: ServerContext>(
        rqctx: &RequestContext<C>,
        request: Request<Body>,
    ) -> Result<Self, HttpError> {
        if request.body().is_end_stream() {
            return Ok(OptionalBody(None));
        }
        let body = E::from_request(rqctx, request).await?;
        Ok(OptionalBody(Some(body)))
    }

    fn metadata(content_type: ApiEndpointBodyContentType) -> ExtractorMetadata {
        E::metadata(content_type)
    }
}

#[cfg(test)]
mod tests {
    use super::{ValueError, Values};
    use crate::members;
    use serde::{Deserialize, de::value::MapDeserializer};

    #[derive(Deserialize)]
    struct Parameters {
        #[serde(deserialize_with = "names")]
        names: Vec<String>,
        #[serde(deserialize_with = "text")]
        text: String,
    }

    fn names<'de, D: serde::Deserializer<'de>>(values: D) -> Result<Vec<String>, D::Error> {
        members::parameters("names", values)
    }

    fn text<'de, D: serde::Deserializer<'de>>(value: D) -> Result<String, D::Error> {
        members::parameter("text", value)
    }

    #[test]
    fn a_list_in_a_path_is_split_at_commas_before_percent_decoding() {
        let variables = [
            ("names", Values::Segment("a%2Cb,%20c,d")),
            ("text", Values::Segment("a%2Cb,c")),
        ];
        let variables = MapDeserializer::<_, ValueError>::new(variables.into_iter());
        let parameters = Parameters::deserialize(variables).expect("they are texts");
        assert_eq!(parameters.names, ["a,b", " c", "d"]);
        assert_eq!(parameters.text, "a,b,c");
    }
}
