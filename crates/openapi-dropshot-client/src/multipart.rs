//! Forms in parts, with which files are sent.

use uuid::Uuid;

/// A form in parts (`multipart/form-data`, RFC 7578): the body of an operation that takes files.
///
/// ```
/// use openapi_dropshot_client::Multipart;
///
/// let form = Multipart::new()
///     .text("title", "Rex at the lake")
///     .file("photo", "rex.png", "image/png", vec![0x89, 0x50]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Multipart {
    boundary: String,
    /// The parts that were added, without the last boundary.
    bytes: Vec<u8>,
}

impl Multipart {
    /// A form without parts.
    pub fn new() -> Self {
        Multipart {
            // No content contains it.
            boundary: Uuid::new_v4().simple().to_string(),
            bytes: Vec::new(),
        }
    }

    /// Adds a part that is a text. A number or a boolean is sent as its text, a list as several parts of one name.
    #[must_use]
    pub fn text(self, name: &str, text: impl AsRef<str>) -> Self {
        self.part(name, "", text.as_ref().as_bytes())
    }

    /// Adds a part that is a file, with its name and its media type, such as `image/png`.
    #[must_use]
    pub fn file(
        self,
        name: &str,
        file_name: &str,
        media_type: &str,
        bytes: impl AsRef<[u8]>,
    ) -> Self {
        let media_type = media_type.replace(['\r', '\n'], " ");
        let about = format!(
            "; filename=\"{}\"\r\nContent-Type: {media_type}",
            quoted(file_name)
        );
        self.part(name, &about, bytes.as_ref())
    }

    fn part(mut self, name: &str, about: &str, bytes: &[u8]) -> Self {
        let name = quoted(name);
        let head = format!(
            "--{}\r\nContent-Disposition: form-data; name=\"{name}\"{about}\r\n\r\n",
            self.boundary
        );
        self.bytes.extend_from_slice(head.as_bytes());
        self.bytes.extend_from_slice(bytes);
        self.bytes.extend_from_slice(b"\r\n");
        self
    }

    /// Returns the media type with the boundary, and the body.
    pub(crate) fn into_parts(self) -> (String, Vec<u8>) {
        let media_type = format!("multipart/form-data; boundary={}", self.boundary);
        let mut bytes = self.bytes;
        bytes.extend_from_slice(format!("--{}--\r\n", self.boundary).as_bytes());
        (media_type, bytes)
    }
}

impl Default for Multipart {
    fn default() -> Self {
        Multipart::new()
    }
}

/// Writes a name so that it does not end early (RFC 7578, section 4.2).
fn quoted(name: &str) -> String {
    let name = name.replace('"', "%22");
    name.replace('\r', "%0D").replace('\n', "%0A")
}

#[cfg(test)]
mod tests {
    use super::Multipart;

    #[test]
    fn parts_are_written_between_boundaries() {
        let form =
            Multipart::new()
                .text("a \"b\"\r\n", "c")
                .file("f", "x.png", "image/png", [1, 2]);
        let (media_type, bytes) = form.into_parts();
        let (_, boundary) = media_type.split_once("boundary=").expect("a boundary");
        let expected = "--B\r\nContent-Disposition: form-data; name=\"a %22b%22%0D%0A\"\r\n\r\nc\r\n\
                        --B\r\nContent-Disposition: form-data; name=\"f\"; filename=\"x.png\"\r\nContent-Type: image/png\r\n\r\n\x01\x02\r\n\
                        --B--\r\n";
        let text = String::from_utf8(bytes).expect("UTF-8");
        assert_eq!(text.replace(boundary, "B"), expected);
    }
}
