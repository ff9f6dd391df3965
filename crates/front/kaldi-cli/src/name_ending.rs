//! The endings of names of outputs, which say what is in them.

use anyhow::{Result, ensure};
use bstr::{BStr, ByteSlice};
use kaldi_io::Wxfilename;

/// Endings that name a format, so that nothing else should be in such a file, and no folder should have such a name.
const FORMATS: [&str; 47] = [
    "aac",
    "ark",
    "arrow",
    "avif",
    "bmp",
    "bz2",
    "csv",
    "doc",
    "docx",
    "eps",
    "feather",
    "flac",
    "gif",
    "gz",
    "h5",
    "hdf5",
    "htm",
    "html",
    "jpeg",
    "jpg",
    "json",
    "jsonl",
    "m4a",
    "md",
    "mp3",
    "mp4",
    "npy",
    "npz",
    "ogg",
    "opus",
    "parquet",
    "pdf",
    "pickle",
    "pkl",
    "png",
    "ps",
    "pt",
    "safetensors",
    "scp",
    "svg",
    "tar",
    "tiff",
    "tsv",
    "txt",
    "wav",
    "xlsx",
    "zip",
];

/// The ending of the name of a file that names a format.
fn format_of(name: &BStr) -> Option<String> {
    let Ok(Wxfilename::File(path)) = Wxfilename::parse(name) else { return None };
    let ending = path.extension()?.to_str()?.to_ascii_lowercase();
    FORMATS.contains(&ending.as_str()).then_some(ending)
}

/// Refuses an output whose name ends as those of another format do. A name may have no ending, or one that names no format.
///
/// # Errors
/// Says which endings are expected.
pub fn expect_ending(name: &BStr, expected: &[&str]) -> Result<()> {
    let is_right = format_of(name).is_none_or(|ending| expected.contains(&ending.as_str()));
    let endings: Vec<String> = expected.iter().map(|ending| format!(".{ending}")).collect();
    ensure!(is_right, "expected a name that ends in {}, got {name}", endings.join(" or "));
    Ok(())
}

/// Refuses a folder to be made whose name is that of a file of some format; one that is there is fine. `files` says which endings
/// the tool takes for files, if any.
///
/// # Errors
/// Says what is expected.
pub fn expect_folder(name: &BStr, files: &[&str]) -> Result<()> {
    let is_there = name.to_path().is_ok_and(std::path::Path::is_dir);
    let Some(ending) = format_of(name).filter(|_| !is_there) else { return Ok(()) };
    let files: Vec<String> = files.iter().map(|ending| format!(".{ending}")).collect();
    let or =
        if files.is_empty() { String::new() } else { format!(", or of a file that ends in {}", files.join(" or ")) };
    anyhow::bail!("expected the name of a folder{or}, got {name}, which ends in .{ending}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ending_of_a_name_must_not_say_something_else() {
        let is_fine = |name: &str| expect_ending(name.into(), &["html", "htm"]).is_ok();
        for name in ["page.html", "d.d/PAGE.HTM", "page", "-", "| cat > x.pdf", "page.v2", "page.new"] {
            assert!(is_fine(name), "{name}");
        }
        for name in ["page.pdf", "page.JSON", "x/feats.ark"] {
            assert!(!is_fine(name), "{name}");
        }
        let message = expect_ending("page.pdf".into(), &["html", "htm"]).unwrap_err().to_string();
        assert_eq!(message, "expected a name that ends in .html or .htm, got page.pdf");
        let folder = tempfile::tempdir().unwrap();
        let named = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        assert!(expect_folder(named("x.jpg").as_str().into(), &["png"]).is_err());
        assert!(expect_folder(named("pictures.v1").as_str().into(), &["png"]).is_ok());
        std::fs::create_dir(folder.path().join("x.jpg")).unwrap();
        assert!(expect_folder(named("x.jpg").as_str().into(), &["png"]).is_ok());
    }

    #[test]
    fn the_formats_are_sorted() {
        assert!(FORMATS.is_sorted());
    }
}
