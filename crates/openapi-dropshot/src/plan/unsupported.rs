//! Rejects the parts of a document that describe requests and responses, but that
//! neither service nor client implements, so that none is dropped silently. Schemas,
//! parameters and bodies are checked where they are planned.

use super::Planner;
use crate::rules;
use openapi_dropshot_contract::model::Location;

impl Planner<'_> {
    /// Checks the parts of the document that are not planned.
    pub(super) fn check_unsupported(&mut self) {
        let document = self.document;
        let node = |at: &Location| document.root.pointer(&at.pointer);
        let operations = || document.operations.iter();
        let parameters = operations().flat_map(|operation| &operation.parameters);
        for parameter in parameters.chain(document.parameters.values()) {
            let reserved = node(&parameter.at).and_then(|node| node.get("allowReserved"));
            if let Some(reserved) = reserved.filter(|value| value.as_bool() == Some(true)) {
                let message = "`allowReserved: true` is not supported: the client encodes reserved characters";
                let help = "remove `allowReserved`";
                self.reject(
                    &rules::UNSUPPORTED_ALLOW_RESERVED,
                    &reserved.at,
                    message,
                    help,
                );
            }
        }
    }
}
