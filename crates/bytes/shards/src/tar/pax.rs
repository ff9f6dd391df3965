//! The records of PAX headers: `LENGTH NAME=VALUE` and a newline. The length in bytes counts the whole record.

use bstr::ByteSlice;

/// What the PAX header of a member says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pax {
    pub(crate) path: Option<Vec<u8>>,
    pub(crate) size: Option<u64>,
    /// The content is that of a sparse file, without its holes.
    pub(crate) is_sparse: bool,
}

impl Pax {
    /// Adds the records of a header. Later records replace earlier ones.
    ///
    /// # Errors
    /// What makes no sense, and the offset.
    pub(crate) fn update(&mut self, records: &[u8]) -> Result<(), (usize, String)> {
        let mut at = 0;
        while at < records.len() {
            let bad = || (at, format!("expected a PAX record, got \"{}\"", start_of(&records[at..]).escape_ascii()));
            let rest = &records[at..];
            let blank = rest.find_byte(b' ').filter(|&blank| blank <= 10).ok_or_else(bad)?;
            let length = std::str::from_utf8(&rest[..blank]).ok().and_then(|digits| digits.parse::<usize>().ok());
            let length = length.filter(|&length| length > blank + 1 && length <= rest.len()).ok_or_else(bad)?;
            let record = rest[blank + 1..length].strip_suffix(b"\n").ok_or_else(bad)?;
            let (name, value) = record.split_once_str(b"=").ok_or_else(bad)?;
            match name {
                b"path" => self.path = Some(value.to_vec()),
                b"size" => {
                    let size = std::str::from_utf8(value).ok().and_then(|digits| digits.parse::<u64>().ok());
                    self.size = Some(size.filter(|&size| i64::try_from(size).is_ok()).ok_or_else(bad)?);
                }
                _ if name.starts_with(b"GNU.sparse.") => self.is_sparse = true,
                _ => {}
            }
            at += length;
        }
        Ok(())
    }

    /// Appends a record.
    pub(crate) fn write(out: &mut Vec<u8>, name: &str, value: &[u8]) {
        let bare = name.len() + value.len() + 3;
        // The digits of the length count, too.
        let mut length = bare;
        while bare + length.to_string().len() != length {
            length = bare + length.to_string().len();
        }
        out.extend_from_slice(format!("{length} {name}=").as_bytes());
        out.extend_from_slice(value);
        out.push(b'\n');
    }
}

fn start_of(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len().min(20)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(records: &[u8]) -> Result<Pax, usize> {
        let mut pax = Pax::default();
        pax.update(records).map(|()| pax).map_err(|(at, _)| at)
    }

    #[test]
    fn the_length_of_a_record_counts_its_own_digits() {
        for length in [1, 80, 90, 91, 92, 93, 94, 95, 989, 990, 991, 992, 5000] {
            let path = vec![b'x'; length];
            let mut records = Vec::new();
            Pax::write(&mut records, "path", &path);
            assert!(records.starts_with(format!("{} path=", records.len()).as_bytes()));
            Pax::write(&mut records, "size", b"12");
            assert_eq!(read(&records), Ok(Pax { path: Some(path), size: Some(12), is_sparse: false }));
        }
    }

    #[test]
    fn other_records_are_passed_over() {
        assert_eq!(read(b"30 mtime=1441974501.7033613420\n"), Err(0));
        assert_eq!(read(b"20 mtime=1441974501\n12 comment=\n"), Ok(Pax::default()));
        assert!(read(b"22 GNU.sparse.major=1\n").unwrap().is_sparse);
    }

    #[test]
    fn what_is_no_record_is_refused_with_its_place() {
        for records in [
            b"".as_slice(),
            b"x",
            b"5",
            b"99 path=a\n",
            b"10 path=ab",
            b"0 path=a\n",
            b"10 size=-1\n",
            b"9 size=x\n",
            b"8 pathab\n",
        ] {
            let damaged = [b"9 path=a\n", records].concat();
            assert_eq!(read(&damaged).err(), (!records.is_empty()).then_some(9), "{}", records.escape_ascii());
        }
    }
}
