//! Reads the cookies of a request, and cookies that are parameters of an operation.

use async_trait::async_trait;
use dropshot::{
    ApiEndpointBodyContentType, ExtractorMetadata, Header, HttpError, RequestContext,
    ServerContext, SharedExtractor,
};
use http::{HeaderMap, header::COOKIE};
use percent_encoding::percent_decode;
use schemars::JsonSchema;
use serde::de::{
    DeserializeOwned,
    value::{Error as ValueError, MapDeserializer},
};
use std::collections::HashMap;

/// Returns the cookies of a request, each as its name and its value as it was sent (RFC 6265, section 4.2.1).
pub fn cookies(headers: &HeaderMap) -> impl Iterator<Item = (&[u8], &[u8])> {
    let lines = headers.get_all(COOKIE).iter();
    let pairs = lines.flat_map(|line| line.as_bytes().split(|&byte| byte == b';'));
    pairs.filter_map(|pair| {
        let pair = pair.trim_ascii();
        let end = pair.iter().position(|&byte| byte == b'=')?;
        Some((&pair[..end], &pair[end + 1..]))
    })
}

/// The cookies that are parameters of an operation; dropshot has no extractor for them. The values are percent-decoded. If
/// several cookies have the same name, the first one is used, because it belongs to the longest path (RFC 6265, section
/// 5.4).
#[derive(Debug)]
pub struct Cookies<T>(T);

impl<T> Cookies<T> {
    /// Returns the values.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> From<T> for Cookies<T> {
    fn from(values: T) -> Self {
        Cookies(values)
    }
}

#[async_trait]
impl<T> SharedExtractor for Cookies<T>
where
    T: DeserializeOwned + JsonSchema + Send + Sync + 'static,
{
    async fn from_request<C: ServerContext>(rqctx: &RequestContext<C>) -> Result<Self, HttpError> {
        let mut values = HashMap::new();
        for (name, value) in cookies(rqctx.request.headers()) {
            let name = String::from_utf8_lossy(name).into_owned();
            let value = percent_decode(value).decode_utf8_lossy();
            values.entry(name).or_insert_with(|| value.into_owned());
        }
        let read: Result<T, ValueError> = T::deserialize(MapDeserializer::new(values.into_iter()));
        read.map(Cookies).map_err(|error| {
            HttpError::for_bad_request(None, format!("unable to read the cookies: {error}"))
        })
    }

    /// dropshot describes them as headers; the schema of each one says that it is a cookie.
    fn metadata(content_type: ApiEndpointBodyContentType) -> ExtractorMetadata {
        Header::<T>::metadata(content_type)
    }
}
