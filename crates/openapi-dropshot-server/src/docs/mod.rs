//! Serves the page on which users can read and try the API: HTML and a script for Scalar's viewer,
//! all embedded in the binary.

use crate::ServiceInfo;
use bytes::Bytes;
use std::sync::LazyLock;

/// The Content-Security-Policy of the page. Scalar uses inline styles. A stricter policy breaks its
/// layout, and `require-trusted-types-for` breaks its code view.
pub(crate) const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Returns the page for an API with this title at this base path, and the script that prepares the
/// document for the viewer and starts the viewer.
pub(crate) fn page_and_script(info: &ServiceInfo, title: &str, base: &str) -> [Bytes; 2] {
    [include_str!("page.html"), include_str!("init.js")].map(|template| {
        let text = template
            .replace("{title}", title)
            .replace("{base}", base)
            .replace("{program}", info.program)
            .replace("{version}", info.version);
        Bytes::from(text)
    })
}

/// The viewer. It is cached, because each access to the embedded file copies megabytes.
pub(crate) static VIEWER: LazyLock<Bytes> = LazyLock::new(|| {
    scalar_api_reference::get_asset("scalar.js")
        .map(Bytes::from)
        .expect("the viewer is part of the binary, and a test looks for it")
});

// This dependency is only listed for its feature `debug-embed`. Without it, a debug build would
// read the viewer from the registry folder in which it was built.
use rust_embed as _;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documentation_viewer_is_embedded_in_the_binary() {
        assert!(VIEWER.len() > 1_000_000);
    }

    #[test]
    fn the_documentation_page_loads_nothing_from_another_origin() {
        for text in page_and_script(&crate::info::TEST, "Shop", "/v1") {
            let text = String::from_utf8_lossy(&text);
            assert!(
                !text.contains("//cdn") && !text.contains("https:") && !text.contains("src=\"//")
            );
        }
        assert!(
            !POLICY.contains("http") && !POLICY.contains('*'),
            "{POLICY}"
        );
    }
}
