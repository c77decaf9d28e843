//! The items of request bodies that are streams of JSON lines.

use crate::json;
use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use dropshot::{
    ApiEndpointBodyContentType, Body, ExclusiveExtractor, ExtractorMetadata, HttpError,
    RequestContext, ServerContext, StreamingBody, TypedBody,
};
use futures::{
    Stream, StreamExt as _,
    stream::{self, BoxStream},
};
use http::Request;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use std::{
    fmt,
    marker::PhantomData,
    sync::{Mutex, PoisonError},
};
use tokio_util::codec::{AnyDelimiterCodec, Decoder as _};

type Bodies = BoxStream<'static, Result<Bytes, HttpError>>;

/// The limits for each item and for each value of a form. A server stores them in the extensions of a request.
#[derive(Clone, Copy, Debug)]
pub struct ItemRules {
    /// The highest number of bytes of a line or of a value.
    pub max_bytes: usize,
    /// Whether an integer may have a fraction of zero, as in `1.0`.
    pub has_fractions: bool,
}

impl ItemRules {
    pub(crate) fn of<C: ServerContext>(rqctx: &RequestContext<C>, request: &Request<Body>) -> Self {
        let rules = request.extensions().get().copied();
        rules.unwrap_or_else(|| ItemRules {
            max_bytes: rqctx.request_body_max_bytes(),
            has_fractions: true,
        })
    }
}

/// The items of a request body, which are read as they arrive.
pub struct StreamedItems<T> {
    body: Mutex<Bodies>,
    rules: ItemRules,
    items: PhantomData<fn() -> T>,
}

/// A line of a request body.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Item<T> {
    /// The number of the line in the body, counted from 1. Blank lines are counted, but are not items.
    pub line: u64,
    /// The item, or the reason why the line is not valid.
    pub value: Result<T, String>,
}

impl<T: DeserializeOwned + 'static> StreamedItems<T> {
    /// Returns the items. The next item is received when it is requested. An item that is not valid is also an [`Item`]. An
    /// error ends the stream: the body was interrupted, or it is too large or too slow.
    pub fn into_stream(self) -> impl Stream<Item = Result<Item<T>, HttpError>> + Send + 'static {
        let body = self.body.into_inner();
        let lines = Lines {
            body: Some(body.unwrap_or_else(PoisonError::into_inner)),
            decoder: AnyDelimiterCodec::new_with_max_length(
                b"\n".to_vec(),
                Vec::new(),
                self.rules.max_bytes,
            ),
            has_fractions: self.rules.has_fractions,
            received: BytesMut::new(),
            line: 0,
        };
        stream::try_unfold(lines, |mut lines| async {
            while let Some(text) = lines.next().await? {
                let value = match text {
                    Ok(text) if text.iter().all(u8::is_ascii_whitespace) => continue,
                    Ok(text) => read("the line", &text, lines.has_fractions),
                    Err(problem) => Err(problem),
                };
                let item = Item {
                    line: lines.line,
                    value,
                };
                return Ok(Some((item, lines)));
            }
            Ok(None)
        })
    }
}

/// The lines of a body.
struct Lines {
    /// `None` after the end of the body.
    body: Option<Bodies>,
    decoder: AnyDelimiterCodec,
    has_fractions: bool,
    /// The bytes of the next lines that have arrived.
    received: BytesMut,
    line: u64,
}

impl Lines {
    /// Returns the next line, or the reason why it is not valid.
    async fn next(&mut self) -> Result<Option<Result<Bytes, String>>, HttpError> {
        loop {
            let line = match self.body {
                Some(_) => self.decoder.decode(&mut self.received),
                None => self.decoder.decode_eof(&mut self.received),
            };
            match (line, &mut self.body) {
                (Ok(Some(line)), _) => {
                    self.line += 1;
                    return Ok(Some(Ok(line)));
                }
                (Err(_), _) => {
                    self.line += 1;
                    let max = self.decoder.max_length();
                    return Ok(Some(Err(format!("the line is longer than {max} bytes"))));
                }
                (Ok(None), None) => return Ok(None),
                (Ok(None), Some(body)) => match body.next().await.transpose()? {
                    Some(part) => self.received.extend_from_slice(&part),
                    None => self.body = None,
                },
            }
        }
    }
}

/// Parses JSON that is not a whole body. In messages it is called `what`.
pub(crate) fn read<T: DeserializeOwned>(
    what: &str,
    text: &[u8],
    has_fractions: bool,
) -> Result<T, String> {
    let respelled = json::checked(what, text, has_fractions)?;
    let text = respelled.as_deref().map_or(text, str::as_bytes);
    let mut json = serde_json::Deserializer::from_slice(text);
    serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let message = error.to_string();
        let message = json::in_json_terms(&message).unwrap_or(message);
        // The caller knows the number of the line.
        message.replacen(" at line 1 column ", " at column ", 1)
    })
}

#[async_trait]
impl<T: DeserializeOwned + JsonSchema + Send + Sync + 'static> ExclusiveExtractor
    for StreamedItems<T>
{
    async fn from_request<C: ServerContext>(
        rqctx: &RequestContext<C>,
        request: Request<Body>,
    ) -> Result<Self, HttpError> {
        let rules = ItemRules::of(rqctx, &request);
        let body = StreamingBody::from_request(rqctx, request).await?;
        Ok(StreamedItems {
            body: Mutex::new(body.into_stream().boxed()),
            rules,
            items: PhantomData,
        })
    }

    fn metadata(content_type: ApiEndpointBodyContentType) -> ExtractorMetadata {
        TypedBody::<T>::metadata(content_type)
    }
}

impl<T> fmt::Debug for StreamedItems<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StreamedItems(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::executor::block_on;

    /// Reads a body that arrives in these parts, with lines of at most 20 bytes.
    fn items(parts: &[&'static str]) -> Vec<(u64, Result<u32, String>)> {
        let parts: Vec<_> = parts.iter().map(|part| Ok((*part).into())).collect();
        let items = StreamedItems::<u32> {
            body: Mutex::new(stream::iter(parts).boxed()),
            rules: ItemRules {
                max_bytes: 20,
                has_fractions: true,
            },
            items: PhantomData,
        };
        let items: Vec<_> = block_on(items.into_stream().collect());
        let items = items
            .into_iter()
            .map(|item| item.expect("the body is whole"));
        items.map(|item| (item.line, item.value)).collect()
    }

    #[test]
    fn items_do_not_depend_on_how_the_body_is_split_into_chunks() {
        for parts in [
            &["1\n2\r\n\n \n3"][..],
            &["1", "\n2\r", "\n\n", " \n3"],
            &["1\n2\r\n\n \n3\n"],
        ] {
            assert_eq!(items(parts), [(1, Ok(1)), (2, Ok(2)), (5, Ok(3))]);
        }
        assert_eq!(items(&[]), []);
    }

    #[test]
    fn an_invalid_line_is_reported_and_the_next_line_is_read() {
        let long = "1111111111111111111111111111111111111111111111111\n7.0\n";
        let parts = ["\"a\"\n{\n{\"a\":1,\"a\":2}\n", long, "8"];
        let items = items(&parts);
        let (valid, problems): (Vec<_>, Vec<_>) =
            items.into_iter().partition(|(_, value)| value.is_ok());
        assert_eq!(valid, [(5, Ok(7)), (6, Ok(8))]);
        let problems: Vec<_> = problems
            .into_iter()
            .filter_map(|(_, value)| value.err())
            .collect();
        for (problem, expected) in problems.iter().zip([
            "expected an integer (uint32) at column 3",
            "not valid JSON",
            "occurs twice",
            "longer than 20 bytes",
        ]) {
            assert!(problem.contains(expected), "{problem}");
        }
        assert_eq!(problems.len(), 4);
    }
}
