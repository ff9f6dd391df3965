use std::path::Path;

use regex::Regex;

use super::sources;

/// The documents of the repository, by their paths.
fn pages() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut pages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "samples/README.md"].map(str::to_owned).to_vec();
    for folder in ["docs", "docs/decisions"] {
        let files = std::fs::read_dir(root.join(folder)).unwrap().map(|file| file.unwrap().file_name());
        let files = files.map(|file| format!("{folder}/{}", file.into_string().unwrap()));
        pages.extend(files.filter(|path| path.ends_with(".md")));
    }
    pages
}

/// The name by which a link finds a heading: lower case, blanks as dashes, without punctuation.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().replace(' ', "-");
    kept.chars().filter(|letter| letter.is_alphanumeric() || "-_".contains(*letter)).collect()
}

/// Whether a page has a heading with this anchor.
fn has_heading(page: &str, wanted: &str) -> bool {
    let text = sources::read(page);
    let mut headings = text.lines().filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#'));
    headings.any(|heading| anchor(heading.trim()) == wanted)
}

#[test]
fn links_lead_to_files_and_headings() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let link = Regex::new(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)").unwrap();
    let mut count = 0;
    for page in pages() {
        let folder = Path::new(&page).parent().unwrap().to_owned();
        for found in link.captures_iter(&sources::read(&page)) {
            let (file, heading) = (&found[1], found.get(2).map(|heading| heading.as_str()));
            if file.starts_with("https://") || file.starts_with("http://") {
                continue;
            }
            let target = if file.is_empty() { Path::new(&page).to_owned() } else { folder.join(file) };
            assert!(root.join(&target).exists(), "{page}: {}", &found[0]);
            if let Some(heading) = heading {
                assert!(has_heading(target.to_str().unwrap(), heading), "{page}: no heading for {}", &found[0]);
            }
            count += 1;
        }
    }
    assert!(count > 50, "only {count} links");
}
