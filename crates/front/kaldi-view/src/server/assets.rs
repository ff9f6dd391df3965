//! The files of the page, compiled in.

/// The name of a file under the token, its type, and its bytes.
type Asset = (&'static str, &'static str, &'static [u8]);

const SCRIPT: &str = "text/javascript; charset=utf-8";

const ASSETS: [Asset; 9] = [
    ("", "text/html; charset=utf-8", include_bytes!("../../assets/index.html")),
    ("app.js", SCRIPT, include_bytes!("../../assets/app.js")),
    ("api.js", SCRIPT, include_bytes!("../../assets/api.js")),
    ("list.js", SCRIPT, include_bytes!("../../assets/list.js")),
    ("paint.js", SCRIPT, include_bytes!("../../assets/paint.js")),
    ("timeline.js", SCRIPT, include_bytes!("../../assets/timeline.js")),
    ("lit-html.js", SCRIPT, include_bytes!("../../assets/lit-html.js")),
    ("style.css", "text/css; charset=utf-8", include_bytes!("../../assets/style.css")),
    ("icon.svg", "image/svg+xml", include_bytes!("../../assets/icon.svg")),
];

/// The type and the bytes of a file of the page.
pub(crate) fn find(name: &str) -> Option<(&'static str, &'static [u8])> {
    ASSETS.iter().find(|(other, ..)| *other == name).map(|&(_, content_type, bytes)| (content_type, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_small() {
        let total: usize = ASSETS.iter().map(|(_, _, bytes)| bytes.len()).sum();
        assert!(total <= 120_000, "{total}");
    }
}
