//! The values of entries.

use kaldi_any::{Content, Frames, Header, ValueType};
use kaldi_table::RawEntry;
use kaldi_value::{Cursor, Format};

use crate::Result;

/// Reads the header of an entry's value, or of the part of it that its range names. If the value is binary and in a
/// file, the rest is not read.
///
/// # Errors
/// If it cannot be read, or is no value of the type.
pub fn read_header(entry: &RawEntry, value_type: ValueType) -> Result<Header> {
    let (head, range) = (entry.head(), entry.range().map(|range| range.as_ref()));
    let beyond = entry.size() - head.len() as u64;
    let mut header = Ok(None);
    if beyond == 0 || !entry.is_text() || !value_type.has_content() {
        header = Header::in_head(value_type, head, beyond, range);
    }
    if beyond > 0 && header.as_ref().is_err_and(|error| error.at_end) {
        header = Header::in_head(value_type, &entry.bytes()?, 0, range);
    }
    match header.map_err(|error| entry.error(error))? {
        Some(header) => Ok(header),
        None => Ok(Header::of_content(&read_content(entry, value_type)?)),
    }
}

/// Reads the value of an entry, or the part of it that its range names. Doubles keep their precision.
///
/// # Errors
/// If it cannot be read, or is no value of the type.
pub fn read_content(entry: &RawEntry, value_type: ValueType) -> Result<Content> {
    let bytes = entry.bytes()?;
    let range = entry.range().map(|range| range.as_ref());
    Content::parse(value_type, &mut Cursor::new(&bytes), range).map_err(|error| entry.error(error).into())
}

/// Reads what the value of an entry, or the part of it that its range names, has over time. `None` if values of this
/// type have no frames.
///
/// # Errors
/// If it cannot be read, or is no value of the type.
pub fn read_frames(entry: &RawEntry, value_type: ValueType) -> Result<Option<Frames>> {
    let bytes = entry.bytes()?;
    let range = entry.range().map(|range| range.as_ref());
    Frames::parse(value_type, &mut Cursor::new(&bytes), range).map_err(|error| entry.error(error).into())
}

/// As [`read_frames`], but takes no more memory than this besides the value and what it says: for the words of a lattice.
///
/// # Errors
/// As [`read_frames`], and if more would be needed.
pub fn read_frames_within(most_memory: usize, entry: &RawEntry, value_type: ValueType) -> Result<Option<Frames>> {
    let bytes = entry.bytes()?;
    let range = entry.range().map(|range| range.as_ref());
    let frames = Frames::parse_within(most_memory, value_type, &mut Cursor::new(&bytes), range);
    frames.map_err(|error| entry.error(error).into())
}

/// Appends the value of an entry to `out` in the given form; see [`kaldi_any::write_value`].
///
/// # Errors
/// If it cannot be read, or is no value of the type.
pub fn write_value(entry: &RawEntry, value_type: ValueType, format: Format, out: &mut Vec<u8>) -> Result<()> {
    let bytes = entry.bytes()?;
    let range = entry.range().map(|range| range.as_ref());
    kaldi_any::write_value(value_type, &mut Cursor::new(&bytes), range, format, out)
        .map_err(|error| entry.error(error).into())
}

#[cfg(test)]
mod tests {
    use kaldi_matrix::Matrix;
    use kaldi_reader::Reader;
    use kaldi_value::GaussPost;

    use super::*;
    use crate::Entries;

    /// The frames of the first entry of a table in text form. The type is detected.
    fn frames(text: &str) -> Option<Frames> {
        let mut entries = Entries::open(format!("ark:printf '{text}' |").as_str().into(), None).unwrap();
        let entry = entries.next().unwrap().unwrap();
        read_frames(&entry, entries.value_type()).unwrap()
    }

    fn rows(num_rows: usize, values: &[f32]) -> Option<Frames> {
        Some(Frames::Rows(Matrix::from_vec(num_rows, values.len() / num_rows, values.to_vec())))
    }

    #[test]
    fn values_have_what_is_over_time() {
        assert_eq!(frames("a [\\n 1 2\\n 3 4\\n 5 6 ]\\n"), rows(3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        assert_eq!(frames("a [ 1 2.5 ]\\n"), rows(2, &[1.0, 2.5]));
        assert_eq!(frames("a 1 1 7\\n"), Some(Frames::Labels(vec![1, 1, 7])));
        let lists = vec![vec![(4, 0.25), (5, 0.75)], vec![]];
        assert_eq!(frames("a [ 4 0.25 5 0.75 ] [ ]\\n"), Some(Frames::Lists(lists)));
        assert_eq!(frames("a 4 5 ; 6 7 8 ;\\n").map(|it| it.len()), Some(2));
    }

    #[test]
    fn other_values_have_no_frames() {
        for text in ["a 1\\n", "a hello world\\n", "a 1.5\\n", "a 1 2 ; 3 4\\n"] {
            assert_eq!(frames(text), None, "{text}");
        }
    }

    #[test]
    fn weights_of_gaussians_are_added_up() {
        let gauss_post = ValueType::GaussPost;
        let mut bytes = b"a ".to_vec();
        let value = GaussPost(vec![vec![(3, vec![0.25, 0.5]), (4, vec![])], vec![]]);
        kaldi_value::Value::write(&value, &mut bytes, kaldi_value::Format::Binary);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.ark"), bytes).unwrap();
        let name = format!("ark:{}/a.ark", folder.path().display());
        let entry = Entries::open(name.as_str().into(), Some(gauss_post)).unwrap().next().unwrap().unwrap();
        let frames = read_frames(&entry, gauss_post).unwrap();
        assert_eq!(frames, Some(Frames::Lists(vec![vec![(3, 0.75), (4, 0.0)], vec![]])));
    }
}
