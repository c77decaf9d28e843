//! Checks bodies and responses: media types that the client can send.

use super::Check;
use crate::{client::statuses::sent, rules};

impl Check<'_, '_> {
    pub(super) fn body(&mut self) {
        let Some(body) = &self.operation.request_body else {
            return;
        };
        let Some((media, _)) = sent(&body.content) else {
            let names: Vec<String> = (body.content.iter())
                .map(|media| format!("`{}`", media.name.value))
                .collect();
            self.reject(
                &rules::CLIENT_REQUEST_MEDIA_TYPES,
                &body.at,
                format!("cannot send {}", names.join(" or ")),
                "use `application/json`, `application/x-www-form-urlencoded`, `application/octet-stream` or `text/plain`",
            );
            return;
        };
        let encoding = format!("{}/encoding", media.at.pointer);
        if let Some(encoding) = self.document.root.pointer(&encoding) {
            self.reject(
                &rules::CLIENT_ENCODING,
                &encoding.at,
                "ignores `encoding`",
                "remove it",
            );
        }
    }

    /// A websocket is no request with a response.
    pub(super) fn responses(&mut self) {
        let operation = self.operation;
        if operation.extensions.contains_key("x-dropshot-websocket") {
            self.reject(
                &rules::CLIENT_WEBSOCKET,
                &operation.at,
                "cannot upgrade to a websocket",
                "serve the channel outside of this document",
            );
        }
    }
}
