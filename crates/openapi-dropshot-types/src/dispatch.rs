//! The building blocks of generated `dispatch` methods: they read the parameters
//! and the body of a request, and turn the result of a handler into a response.

use crate::{Condition, Contract, Operation, Rejection};
use async_trait::async_trait;
use dropshot::{
    ApiEndpointBodyContentType, Body, ExclusiveExtractor, ExtractorMetadata, Header, HttpError,
    HttpResponse, Path, Query, RequestContext, ServerContext, SharedExtractor,
};
use http::{Request, Response};
use hyper::body::Body as _;
use percent_encoding::percent_decode_str;
use schemars::JsonSchema;
use serde::{
    Deserializer,
    de::{
        DeserializeOwned, IntoDeserializer, Visitor,
        value::{MapDeserializer, SeqDeserializer},
    },
};

/// Reads the parameters of the path of an operation. Commas separate the values of a list; an
/// encoded comma is a part of a value.
///
/// # Errors
///
/// [`Condition::InvalidRequest`] if a parameter breaks a rule of the document.
pub fn read_path<C: Contract, T>(
    rqctx: &RequestContext<C::Context>,
    operation: &Operation,
) -> Result<Path<T>, Rejection>
where
    T: DeserializeOwned + JsonSchema + Send + Sync,
{
    let path = rqctx.request.uri().path();
    let path = path.strip_prefix(C::BASE_PATH).unwrap_or(path);
    // As in dropshot's router, empty segments do not count.
    let segments = path.split('/').filter(|segment| !segment.is_empty());
    let parts = operation.path.split('/').filter(|part| !part.is_empty());
    let variables = parts.zip(segments).filter_map(|(part, segment)| {
        let name = part.strip_prefix('{')?.strip_suffix('}')?;
        Some((name, Segment(segment)))
    });
    T::deserialize(MapDeserializer::<_, serde::de::value::Error>::new(
        variables,
    ))
    .map(Path::from)
    .map_err(|error| {
        let message = format!("bad parameter in URL path: {error}");
        rejection::<C>(HttpError::for_bad_request(None, message))
    })
}

/// Reads the parameters of a path or a query.
///
/// # Errors
///
/// [`Condition::InvalidRequest`] if a parameter breaks a rule of the document.
pub async fn read<C: Contract, E: SharedExtractor>(
    rqctx: &RequestContext<C::Context>,
) -> Result<E, Rejection> {
    E::from_request(rqctx).await.map_err(rejection::<C>)
}

/// Reads the parameters of a query of which some have several values: the names of these,
/// and whether each value has a name of its own (`explode`). If not, commas separate the
/// values.
///
/// # Errors
///
/// [`Condition::InvalidRequest`] if a parameter breaks a rule of the document.
pub fn read_query<C: Contract, T>(
    rqctx: &RequestContext<C::Context>,
    several: &[(&'static str, bool)],
) -> Result<Query<T>, Rejection>
where
    T: DeserializeOwned + JsonSchema + Send + Sync,
{
    let query = rqctx.request.uri().query().unwrap_or_default();
    let mut values: Vec<(String, Values)> = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, text) = pair.split_once('=').unwrap_or((pair, ""));
        let name = form_text(name);
        let Some((_, is_exploded)) = several.iter().find(|(several, _)| *several == name) else {
            values.push((name, Values::One(form_text(text))));
            continue;
        };
        let texts: Vec<String> = match is_exploded {
            true => vec![form_text(text)],
            false => text.split(',').map(form_text).collect(),
        };
        match values.iter_mut().find(|(known, _)| *known == name) {
            Some((_, Values::Several(known))) => known.extend(texts),
            _ => values.push((name, Values::Several(texts))),
        }
    }
    T::deserialize(MapDeserializer::<_, serde::de::value::Error>::new(
        values.into_iter(),
    ))
    .map(Query::from)
    .map_err(|error| {
        let message = format!("unable to parse query string: {error}");
        rejection::<C>(HttpError::for_bad_request(None, message))
    })
}

/// Decodes a part of a query, in which a plus sign stands for a space.
fn form_text(text: &str) -> String {
    let text = text.replace('+', " ");
    percent_decode_str(&text).decode_utf8_lossy().into_owned()
}

/// A segment of a path: one text, or a list.
struct Segment<'r>(&'r str);

impl<'de> IntoDeserializer<'de, serde::de::value::Error> for Segment<'_> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Segment<'_> {
    type Error = serde::de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_string(percent_decode_str(self.0).decode_utf8_lossy().into_owned())
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        let texts = self.0.split(',');
        let texts = texts.map(|text| percent_decode_str(text).decode_utf8_lossy().into_owned());
        SeqDeserializer::new(texts).deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// The values of one parameter.
enum Values {
    One(String),
    Several(Vec<String>),
}

impl<'de> IntoDeserializer<'de, serde::de::value::Error> for Values {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Values {
    type Error = serde::de::value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self {
            Values::One(text) => visitor.visit_string(text),
            Values::Several(texts) => {
                SeqDeserializer::new(texts.into_iter()).deserialize_any(visitor)
            }
        }
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// Reads the body of a request, or accepts the upgrade to a websocket.
///
/// # Errors
///
/// [`Condition::InvalidRequest`] if the body breaks a rule of the document.
pub async fn read_body<C: Contract, E: ExclusiveExtractor>(
    rqctx: &RequestContext<C::Context>,
    request: Request<Body>,
) -> Result<E, Rejection> {
    E::from_request(rqctx, request)
        .await
        .map_err(rejection::<C>)
}

/// Reads the header parameters of these names. Several lines of one name are one
/// value (RFC 9110, section 5.3).
///
/// dropshot's own extractor copies all headers, rejects a request for any of
/// them that is not ASCII, and takes the last of several lines. This function
/// looks at no other header.
///
/// # Errors
///
/// [`Condition::InvalidRequest`] if a header breaks a rule of the document.
pub fn read_headers<C: Contract, T>(
    rqctx: &RequestContext<C::Context>,
    names: &[&'static str],
) -> Result<Header<T>, Rejection>
where
    T: DeserializeOwned + JsonSchema + Send + Sync,
{
    let invalid = |message: String| rejection::<C>(HttpError::for_bad_request(None, message));
    let mut values = Vec::new();
    for &name in names {
        let lines = rqctx
            .request
            .headers()
            .get_all(name)
            .iter()
            .map(|line| {
                line.to_str()
                    .map_err(|_| invalid(format!("`{name}` must be ASCII")))
            })
            .collect::<Result<Vec<_>, _>>()?;
        if !lines.is_empty() {
            values.push((name, lines.join(", ")));
        }
    }
    T::deserialize(MapDeserializer::<_, serde::de::value::Error>::new(
        values.into_iter(),
    ))
    .map(Header::from)
    .map_err(|error| invalid(error.to_string()))
}

/// Makes the response of what a handler returned.
///
/// # Errors
///
/// The error of the handler, or a value that cannot be written.
pub fn respond<C: Contract, R: HttpResponse, E: Into<Rejection>>(
    result: Result<R, E>,
) -> Result<Response<Body>, Rejection> {
    result
        .map_err(Into::into)?
        .to_result()
        .map_err(rejection::<C>)
}

/// The rejection for an error of dropshot's extractors and responses. Where the
/// document has a catalogue, it is `invalid_request` or `internal_error`;
/// otherwise the status is that of the error.
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
    /// The rejection has the status and the message of the error, with a
    /// built-in entry of that status.
    fn from(error: &HttpError) -> Self {
        let message = error.external_message.clone();
        let code = error.error_code.as_ref();
        Rejection {
            error: crate::ErrorEntry::of_status(error.status_code.as_u16()),
            detail: (error.internal_message != message).then(|| error.internal_message.clone()),
            body: code.map(|code| serde_json::json!({ "error_code": code, "message": message })),
            message: message.into(),
            media_type: None,
        }
    }
}

/// A request body that may be absent, for which dropshot has no extractor. A body that is
/// present is valid.
#[derive(Debug)]
pub struct OptionalBody<E>(Option<E>);

impl<E> OptionalBody<E> {
    /// Returns the body, if the request has one. A body of zero bytes counts as
    /// absent.
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
    use super::Segment;
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
    fn a_list_in_a_path_is_split_before_it_is_decoded() {
        let variables = [
            ("names", Segment("a%2Cb,%20c,d")),
            ("text", Segment("a%2Cb,c")),
        ];
        let variables = MapDeserializer::<_, serde::de::value::Error>::new(variables.into_iter());
        let parameters = Parameters::deserialize(variables).expect("they are texts");
        assert_eq!(parameters.names, ["a,b", " c", "d"]);
        assert_eq!(parameters.text, "a,b,c");
    }
}
