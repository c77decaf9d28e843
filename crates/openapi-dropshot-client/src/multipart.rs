//! Multipart forms, which can contain files.

use crate::generated::IntoBody;
use reqwest::Body;
use serde::Serialize;
use serde_json::Value;
use std::mem;
use uuid::Uuid;
#[cfg(not(target_arch = "wasm32"))]
use {
    futures_util::{StreamExt as _, stream},
    http_body_util::BodyDataStream,
};

/// A multipart form (`multipart/form-data`, RFC 7578): the body of an operation that accepts files. The generated client also
/// has a type for the form of each operation, with a method for each part.
///
/// ```
/// use openapi_dropshot_client::{FilePart, Multipart};
///
/// let form = Multipart::new()
///     .text("title", "Rex at the lake")
///     .json("place", &[53.5, 10.0])
///     .attach("photo", FilePart::new("rex.png", "image/png", vec![0x89, 0x50]));
/// ```
///
/// A call whose form has all files in memory can be repeated; other calls with a form are not.
#[derive(Debug)]
pub struct Multipart {
    boundary: String,
    /// The content before `bytes`.
    before: Vec<Body>,
    /// The parts that were added after the last streamed file, without the last boundary.
    bytes: Vec<u8>,
    /// The first rejected part, and the reason.
    fault: Option<String>,
}

/// A file as a part of a form, with its name and its media type.
///
/// ```no_run
/// use openapi_dropshot_client::FilePart;
///
/// # async fn example() -> std::io::Result<()> {
/// // It is read while it is sent.
/// let photo = tokio::fs::File::open("rex.png").await?;
/// let photo = FilePart::new("rex.png", "image/png", photo);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct FilePart {
    about: String,
    content: Body,
}

impl FilePart {
    /// Creates a file part from its name, its media type, such as `image/png`, and its content, which may be a stream.
    pub fn new(file_name: &str, media_type: &str, content: impl Into<Body>) -> Self {
        let media_type = media_type.replace(['\r', '\n'], " ");
        let name = quoted(file_name);
        FilePart {
            about: format!("; filename=\"{name}\"\r\nContent-Type: {media_type}"),
            content: content.into(),
        }
    }
}

impl Multipart {
    /// Creates a form without parts.
    pub fn new() -> Self {
        Multipart {
            // The boundary is random, so no content contains it.
            boundary: Uuid::new_v4().simple().to_string(),
            before: Vec::new(),
            bytes: Vec::new(),
            fault: None,
        }
    }

    /// Adds a text part. A number or a boolean is sent as text, and a list as several parts with the same name.
    #[must_use]
    pub fn text(self, name: &str, text: impl AsRef<str>) -> Self {
        self.part(name, "", text.as_ref().as_bytes())
    }

    /// Adds a JSON part. If the value cannot be written as JSON, the request is not sent.
    #[must_use]
    pub fn json(self, name: &str, value: &(impl Serialize + ?Sized)) -> Self {
        match serde_json::to_vec(value) {
            Ok(json) => self.part(name, "\r\nContent-Type: application/json", &json),
            Err(error) => self.reject(name, &format!("cannot be written as JSON: {error}")),
        }
    }

    /// Adds a part with a value: a string as its text, and any other value as JSON.
    #[must_use]
    pub fn value(self, name: &str, value: &(impl Serialize + ?Sized)) -> Self {
        match serde_json::to_value(value) {
            Ok(Value::String(text)) => self.text(name, text),
            Ok(value) => self.text(name, value.to_string()),
            Err(error) => self.reject(name, &format!("cannot be written as JSON: {error}")),
        }
    }

    /// Adds a file that is in memory, with its name and its media type, such as `image/png`.
    #[must_use]
    pub fn file(
        self,
        name: &str,
        file_name: &str,
        media_type: &str,
        bytes: impl AsRef<[u8]>,
    ) -> Self {
        let file = FilePart::new(file_name, media_type, Body::from(""));
        self.part(name, &file.about, bytes.as_ref())
    }

    /// Adds a file.
    #[must_use]
    pub fn attach(mut self, name: &str, file: FilePart) -> Self {
        let FilePart { about, content } = file;
        if let Some(bytes) = content.as_bytes() {
            return self.part(name, &about, bytes);
        }
        if cfg!(target_arch = "wasm32") {
            return self.reject(name, "must be in memory in a browser");
        }
        self.begin(name, &about);
        let before = mem::take(&mut self.bytes);
        self.before.extend([Body::from(before), content]);
        self.bytes.extend_from_slice(b"\r\n");
        self
    }

    fn begin(&mut self, name: &str, about: &str) {
        let name = quoted(name);
        let head = format!(
            "--{}\r\nContent-Disposition: form-data; name=\"{name}\"{about}\r\n\r\n",
            self.boundary
        );
        self.bytes.extend_from_slice(head.as_bytes());
    }

    fn part(mut self, name: &str, about: &str, bytes: &[u8]) -> Self {
        self.begin(name, about);
        self.bytes.extend_from_slice(bytes);
        self.bytes.extend_from_slice(b"\r\n");
        self
    }

    fn reject(mut self, name: &str, reason: &str) -> Self {
        let fault = || format!("the part `{name}` {reason}");
        self.fault.get_or_insert_with(fault);
        self
    }

    /// Returns the media type with the boundary, and the body; or why a part was rejected.
    pub(crate) fn into_parts(mut self) -> Result<(String, Body), String> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let media_type = format!("multipart/form-data; boundary={}", self.boundary);
        self.bytes
            .extend_from_slice(format!("--{}--\r\n", self.boundary).as_bytes());
        let end = Body::from(self.bytes);
        #[cfg(not(target_arch = "wasm32"))]
        if !self.before.is_empty() {
            let bodies = self.before.into_iter().chain([end]);
            let chunks = stream::iter(bodies).flat_map(BodyDataStream::new);
            return Ok((media_type, Body::wrap_stream(chunks)));
        }
        Ok((media_type, end))
    }
}

/// Adds a part with a value that may be rejected, like [`Multipart::value`] or [`Multipart::json`].
pub fn part<T>(
    form: Multipart,
    name: &str,
    value: impl IntoBody<T>,
    add: impl FnOnce(Multipart, &str, &T) -> Multipart,
) -> Multipart {
    match value.into_body() {
        Ok(value) => add(form, name, &value),
        Err(reason) => form.reject(name, &format!("is not valid: {reason}")),
    }
}

impl Default for Multipart {
    fn default() -> Self {
        Multipart::new()
    }
}

/// Escapes a name, so that it does not end early (RFC 7578, section 4.2).
fn quoted(name: &str) -> String {
    let name = name.replace('"', "%22");
    name.replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests;
