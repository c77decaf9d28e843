//! The parts of multipart request bodies (`multipart/form-data`, RFC 7578) that are read as a stream. Each part is checked as
//! it arrives.

use crate::{Condition, ItemRules, items};
use async_trait::async_trait;
use bytes::Bytes;
use dropshot::{
    ApiEndpointBodyContentType, Body, ClientErrorStatusCode, ExclusiveExtractor, ExtractorMetadata,
    HttpError, MultipartBody, RequestContext, ServerContext,
};
use futures::{Stream, future, stream};
use http::{Request, header::CONTENT_TYPE};
use hyper::body::Body as _;
use multer::{Field, Multipart};
use serde::de::{
    DeserializeOwned,
    value::{Error as ValueError, StrDeserializer},
};
use std::{
    fmt, mem,
    pin::Pin,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
    task::{Context, Poll},
};

/// The highest number of bytes of a form that are in memory at the same time, except for values.
const PIECE: usize = 64 << 10;

/// The highest number of bytes before the content of a part: its head, and the text before the first boundary.
const HEAD: usize = 4 * PIECE;

/// The parts of a form, with a variant for each property of its schema. The generator implements this trait.
pub trait FormPart: Sized + Send + 'static {
    /// The parts that a form may have.
    const RULES: &'static [PartRules<Self>];
    /// Whether other parts are rejected (`additionalProperties: false`). Otherwise they are skipped.
    const IS_CLOSED: bool;
}

/// The rules of the document for the parts with a certain name.
#[derive(Debug)]
pub struct PartRules<P> {
    /// The name.
    pub name: &'static str,
    /// Whether the part is required.
    pub is_required: bool,
    /// The lowest number of parts, if there is any part (`minItems`).
    pub min: u64,
    /// The highest number of parts: 1, or `maxItems` of an array.
    pub max: u64,
    /// The highest number of bytes of each part. `None` means the limit for values in memory, and no limit for a file.
    pub max_bytes: Option<u64>,
    /// The media types, separated by commas (`contentType` of its `encoding`). Empty if any type is allowed.
    pub media_types: &'static str,
    /// How the part is read.
    pub read: ReadPart<P>,
}

/// How a part is read.
#[derive(Debug)]
pub enum ReadPart<P> {
    /// The handler reads the part.
    File(fn(FilePart) -> P),
    /// The part is a value, which is read into memory.
    Value(fn(&PartValue) -> Result<P, String>),
}

/// The content of a part that is a value.
#[derive(Debug)]
pub struct PartValue {
    bytes: Vec<u8>,
    has_fractions: bool,
}

impl PartValue {
    /// Reads a text.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not UTF-8, or not a valid value.
    pub fn text<T: DeserializeOwned>(&self) -> Result<T, String> {
        let text = std::str::from_utf8(&self.bytes).map_err(|_| "the text is not UTF-8")?;
        let text: StrDeserializer<'_, ValueError> = StrDeserializer::new(text);
        T::deserialize(text).map_err(|error| error.to_string())
    }

    /// Parses JSON, including numbers and booleans.
    ///
    /// # Errors
    ///
    /// Returns an error if the text is not JSON, or not a valid value.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, String> {
        items::read("the value", &self.bytes, self.has_fractions)
    }
}

/// The first problem of a body that its handler reads. A server stores this in the extensions of a request, and afterwards
/// responds with the problem.
#[derive(Clone, Debug, Default)]
pub struct BodyFault(Arc<OnceLock<(Condition, String)>>);

impl BodyFault {
    /// Returns the condition and the message if there is a problem.
    pub fn get(&self) -> Option<&(Condition, String)> {
        self.0.get()
    }

    /// Records a problem, unless there already is one, and returns the error for the handler.
    fn set(&self, condition: Condition, message: impl Into<String>) -> HttpError {
        let (condition, message) = self.0.get_or_init(|| (condition, message.into()));
        let status = ClientErrorStatusCode::from_u16(condition.built_in().status);
        let status = status.unwrap_or(ClientErrorStatusCode::BAD_REQUEST);
        HttpError::for_client_error(None, status, message.clone())
    }

    fn invalid(&self, message: impl Into<String>) -> HttpError {
        self.set(Condition::InvalidRequest, message)
    }

    fn broken(&self, error: multer::Error) -> HttpError {
        let message = match error {
            // The server, or the stream that this one reads from, has recorded the reason.
            multer::Error::StreamReadFailed(error) => match self.get() {
                Some((condition, message)) => return self.set(*condition, message.as_str()),
                None => return HttpError::for_bad_request(None, error.to_string()),
            },
            multer::Error::IncompleteStream => "the form has no end: each part must begin with `--` and the `boundary` of `Content-Type`, and \
                 the form must end with `--`, the boundary and `--`"
                .to_owned(),
            multer::Error::IncompleteFieldData { field_name } => format!(
                "the part `{}` has no end: send `--`, the `boundary` of `Content-Type` and `--` after the last part",
                field_name.unwrap_or_default()
            ),
            error => format!("the form is not valid: {error}"),
        };
        self.invalid(message)
    }
}

/// The parts of a form, which are read as they arrive.
pub struct FormParts<P: FormPart> {
    form: Multipart<'static>,
    head: Arc<AtomicUsize>,
    /// The part that the handler may still be reading.
    current: Slot,
    /// For each rule, how many parts have arrived.
    counts: Vec<u64>,
    rules: ItemRules,
    fault: BodyFault,
    parts: std::marker::PhantomData<fn() -> P>,
}

impl<P: FormPart> FormParts<P> {
    /// Returns the next part, in the order in which parts arrive. The unread rest of the previous part is skipped.
    ///
    /// # Errors
    ///
    /// Returns an error if the form or the part does not match the document, or if the body was interrupted, is too large or
    /// too slow. The server responds with the cause.
    pub async fn next(&mut self) -> Result<Option<P>, HttpError> {
        if let Some((condition, message)) = self.fault.get() {
            return Err(self.fault.set(*condition, message.as_str()));
        }
        loop {
            let rest = lock(&self.current).take();
            if let Some(mut rest) = rest {
                while rest.chunk().await?.is_some() {}
            }
            self.head.store(HEAD, Relaxed);
            let field = self.form.next_field().await;
            self.head.store(usize::MAX, Relaxed);
            let Some(field) = field.map_err(|error| self.fault.broken(error))? else {
                self.check_end()?;
                return Ok(None);
            };
            if let Some(part) = self.read(field).await? {
                return Ok(Some(part));
            }
        }
    }

    /// Reads a part, or prepares to skip it.
    async fn read(&mut self, field: Field<'static>) -> Result<Option<P>, HttpError> {
        let fault = &self.fault;
        let Some(name) = field.name().map(str::to_owned) else {
            let message =
                "a part has no name: send `Content-Disposition: form-data; name=\"NAME\"`";
            return Err(fault.invalid(message));
        };
        let mut content = Content {
            left: u64::MAX,
            limit: u64::MAX,
            fault: fault.clone(),
            name,
            field,
        };
        let name = &content.name;
        let mut known = P::RULES.iter().zip(&mut self.counts);
        let Some((rules, count)) = known.find(|(rules, _)| rules.name == name) else {
            if P::IS_CLOSED {
                let names: Vec<_> = P::RULES.iter().map(|rules| rules.name).collect();
                let names = names.join("`, `");
                let message = format!("the form may not have a part `{name}`, only `{names}`");
                return Err(fault.invalid(message));
            }
            *lock(&self.current) = Some(content);
            return Ok(None);
        };
        *count += 1;
        if *count > rules.max {
            let max = rules.max;
            let message = format!("the form has more than {max} of the part `{name}`");
            return Err(fault.invalid(message));
        }
        let media_type = content.field.content_type().map(|own| own.essence_str());
        let is_file = matches!(rules.read, ReadPart::File(_));
        if !accepts(rules.media_types, media_type, is_file) {
            let (own, wanted) = (media_type.unwrap_or("without a type"), rules.media_types);
            let message = format!(
                "the part `{name}` is {own}; send it with `Content-Type`, one of: {wanted}"
            );
            return Err(fault.set(Condition::UnsupportedMediaType, message));
        }
        if let Some(limit) = rules.max_bytes {
            (content.limit, content.left) = (limit, limit);
        }
        match rules.read {
            ReadPart::File(read) => {
                let file = FilePart {
                    file_name: content.field.file_name().map(str::to_owned),
                    media_type: media_type.map(str::to_owned),
                    content: Arc::new(Mutex::new(Some(content))),
                };
                self.current = Arc::clone(&file.content);
                Ok(Some(read(file)))
            }
            ReadPart::Value(read) => {
                content.limit = content.limit.min(self.rules.max_bytes as u64);
                content.left = content.limit;
                let mut bytes = Vec::new();
                while let Some(part) = content.chunk().await? {
                    bytes.extend_from_slice(&part);
                }
                let value = PartValue {
                    bytes,
                    has_fractions: self.rules.has_fractions,
                };
                let part = read(&value).map_err(|problem| {
                    fault.invalid(format!("the part `{}`: {problem}", content.name))
                })?;
                Ok(Some(part))
            }
        }
    }

    /// Checks the rules that can only be checked after the last part.
    fn check_end(&self) -> Result<(), HttpError> {
        for (rules, &count) in P::RULES.iter().zip(&self.counts) {
            let name = rules.name;
            if rules.is_required && count == 0 {
                return Err(self.fault.invalid(format!("the part `{name}` is missing")));
            }
            if count > 0 && count < rules.min {
                let min = rules.min;
                let message = format!("the form must have the part `{name}` at least {min} times");
                return Err(self.fault.invalid(message));
            }
        }
        Ok(())
    }
}

/// A file part, which is read as it arrives, until the next part is requested.
pub struct FilePart {
    file_name: Option<String>,
    media_type: Option<String>,
    content: Slot,
}

impl FilePart {
    /// Returns the name that the client gave to the file. Do not use it as a path, because it can contain anything.
    pub fn file_name(&self) -> Option<&str> {
        self.file_name.as_deref()
    }

    /// Returns the media type, without parameters.
    pub fn media_type(&self) -> Option<&str> {
        self.media_type.as_deref()
    }

    /// Returns the next bytes; `None` at the end.
    ///
    /// # Errors
    ///
    /// Returns an error if the file is too large, or if the body was interrupted or is too slow.
    pub async fn chunk(&mut self) -> Result<Option<Bytes>, HttpError> {
        future::poll_fn(|task| match &mut *lock(&self.content) {
            Some(content) => content.poll_chunk(task),
            None => {
                let message = "a file was read after the next part was requested".to_owned();
                Poll::Ready(Err(HttpError::for_internal_error(message)))
            }
        })
        .await
    }

    /// Returns the bytes as a stream, with the errors of [`chunk`](Self::chunk).
    pub fn into_stream(self) -> impl Stream<Item = Result<Bytes, HttpError>> + Send + 'static {
        stream::try_unfold(self, |mut file| async {
            let part = file.chunk().await?;
            Ok(part.map(|part| (part, file)))
        })
    }
}

/// The content of a part. The form takes it back before the next part.
type Slot = Arc<Mutex<Option<Content>>>;

fn lock(slot: &Slot) -> std::sync::MutexGuard<'_, Option<Content>> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The content of a part.
struct Content {
    field: Field<'static>,
    name: String,
    limit: u64,
    left: u64,
    fault: BodyFault,
}

impl Content {
    async fn chunk(&mut self) -> Result<Option<Bytes>, HttpError> {
        future::poll_fn(|task| self.poll_chunk(task)).await
    }

    fn poll_chunk(&mut self, task: &mut Context<'_>) -> Poll<Result<Option<Bytes>, HttpError>> {
        let part = std::task::ready!(Pin::new(&mut self.field).poll_next(task)).transpose();
        let part = part.map_err(|error| self.fault.broken(error))?;
        let size = part.as_ref().map_or(0, Bytes::len) as u64;
        let Some(left) = self.left.checked_sub(size) else {
            let (name, limit) = (&self.name, self.limit);
            let message = format!("the part `{name}` is larger than {limit} bytes");
            return Poll::Ready(Err(self.fault.set(Condition::PayloadTooLarge, message)));
        };
        self.left = left;
        Poll::Ready(Ok(part))
    }
}

/// Whether a part may have this media type. A value needs no media type.
fn accepts(wanted: &str, media_type: Option<&str>, is_file: bool) -> bool {
    let Some(media_type) = media_type.map(str::to_ascii_lowercase) else {
        return wanted.is_empty() || !is_file;
    };
    let mut wanted_types = wanted.split(',').map(|wanted| {
        let essence = wanted.split(';').next().unwrap_or_default();
        essence.trim().to_ascii_lowercase()
    });
    wanted.is_empty()
        || wanted_types.any(|wanted| match wanted.strip_suffix('*') {
            Some("*/") => true,
            Some(start) => media_type.starts_with(start),
            None => media_type == wanted,
        })
}

/// Passes on a body in pieces, and pauses after each of them: multer would otherwise take all data that is ready into memory.
struct Pieces {
    body: Body,
    rest: Bytes,
    is_next: bool,
    /// How many bytes may still arrive before the content of a part.
    head: Arc<AtomicUsize>,
    fault: BodyFault,
}

impl Stream for Pieces {
    type Item = Result<Bytes, Box<dyn std::error::Error + Send + Sync>>;

    fn poll_next(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if mem::take(&mut self.is_next) {
            task.waker().wake_by_ref();
            return Poll::Pending;
        }
        while self.rest.is_empty() {
            match std::task::ready!(Pin::new(&mut self.body).poll_frame(task)) {
                Some(frame) => self.rest = frame?.into_data().unwrap_or_default(),
                None => return Poll::Ready(None),
            }
        }
        let size = self.rest.len().min(PIECE);
        let left = self.head.load(Relaxed);
        let Some(left) = left.checked_sub(size) else {
            let message = format!(
                "the head of a part, or what precedes the first part, is larger than {HEAD} bytes: each part must begin with `--` and \
                 the `boundary` of `Content-Type`"
            );
            return Poll::Ready(Some(Err(self.fault.invalid(message).into())));
        };
        if left < HEAD {
            self.head.store(left, Relaxed);
        }
        self.is_next = true;
        Poll::Ready(Some(Ok(self.rest.split_to(size))))
    }
}

#[async_trait]
impl<P: FormPart> ExclusiveExtractor for FormParts<P> {
    async fn from_request<C: ServerContext>(
        rqctx: &RequestContext<C>,
        request: Request<Body>,
    ) -> Result<Self, HttpError> {
        let rules = ItemRules::of(rqctx, &request);
        let fault = request.extensions().get::<BodyFault>().cloned();
        let fault = fault.unwrap_or_default();
        let media_type = request.headers().get(CONTENT_TYPE);
        let media_type = media_type.and_then(|value| value.to_str().ok());
        let boundary = multer::parse_boundary(media_type.unwrap_or_default());
        let boundary = boundary.map_err(|_| {
            fault.invalid("`Content-Type` must be `multipart/form-data; boundary=BOUNDARY`")
        })?;
        let head = Arc::new(AtomicUsize::new(usize::MAX));
        let pieces = Pieces {
            body: request.into_body(),
            rest: Bytes::new(),
            is_next: false,
            head: Arc::clone(&head),
            fault: fault.clone(),
        };
        Ok(FormParts {
            form: Multipart::new(pieces, boundary),
            head,
            current: Slot::default(),
            counts: vec![0; P::RULES.len()],
            rules,
            fault,
            parts: std::marker::PhantomData,
        })
    }

    fn metadata(content_type: ApiEndpointBodyContentType) -> ExtractorMetadata {
        MultipartBody::metadata(content_type)
    }
}

impl<P: FormPart> fmt::Debug for FormParts<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FormParts(..)")
    }
}

impl fmt::Debug for FilePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut file = f.debug_struct("FilePart");
        let file = file.field("file_name", &self.file_name);
        file.field("media_type", &self.media_type)
            .finish_non_exhaustive()
    }
}
