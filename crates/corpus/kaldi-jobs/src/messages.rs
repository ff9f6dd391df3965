//! Messages of pieces, with the names of lists that the user knows.
//!
//! A piece reads a list of its own, in a temporary folder. What its command says of that is said of the list that was cut:
//! `wav.scp:9` for the second line of a piece that starts at line 8.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

use bstr::{ByteSlice, ByteVec};

use crate::plan::PlannedPiece;
use crate::{Error, Plan, Result};

/// Bytes of a line that are looked at together. A longer line is taken for several.
const LONGEST: u64 = 1 << 16;

/// The names of the lists of a piece.
pub(crate) struct RealNames(Vec<RealName>);

struct RealName {
    /// The file of the piece.
    file: Vec<u8>,
    /// What stands before the file in the command of the piece, and the name of the list in that of the user.
    prefix: Vec<u8>,
    name: Vec<u8>,
    /// The file that was cut.
    origin: Vec<u8>,
    /// What is to be added to a number after the name; `None` if it is not one of the origin.
    shift: Option<u64>,
}

impl RealNames {
    pub(crate) fn of(plan: &Plan, piece: &PlannedPiece, temporary: &Path) -> Self {
        let lists = plan.lists.iter().zip(&piece.line_ranges).enumerate();
        let names = lists.map(|(position, (list, line_range))| {
            // The place of an error is a line of a list, and a byte of an archive.
            let is_archive = list.prefix.trim_end_matches(':').split(',').any(|word| word == "ark");
            let shift = if is_archive { line_range.range.start } else { line_range.lines_before };
            RealName {
                file: Vec::from_path_lossy(&plan.list_path(position, temporary)).into_owned(),
                prefix: list.prefix.clone().into(),
                name: list.name.clone().into(),
                origin: Vec::from_path_lossy(list.origin.path()).into_owned(),
                shift: (!list.is_of_archive).then_some(shift),
            }
        });
        Self(names.collect())
    }

    /// The line with real names; `None` if it has none of the piece.
    fn put_back(&self, line: &[u8]) -> Option<Vec<u8>> {
        let mut changed: Option<Vec<u8>> = None;
        for name in &self.0 {
            let text = changed.as_deref().unwrap_or(line);
            changed = name.put_back(text).or(changed);
        }
        changed
    }

    /// Puts real names into what a log has from an offset on.
    pub(crate) fn put_into(&self, log: &Path, from: u64, temporary: &Path) -> Result<()> {
        let mut source = File::open(log).map_err(Error::read(log))?;
        source.seek(SeekFrom::Start(from)).map_err(Error::read(log))?;
        let path = temporary.join("log");
        let mut target = BufWriter::new(File::create(&path).map_err(Error::write(&path))?);
        let (mut reader, mut line, mut has_changed) = (BufReader::new(source), Vec::new(), false);
        loop {
            line.clear();
            if reader.by_ref().take(LONGEST).read_until(b'\n', &mut line).map_err(Error::read(log))? == 0 {
                break;
            }
            let real = self.put_back(&line);
            has_changed |= real.is_some();
            target.write_all(real.as_deref().unwrap_or(&line)).map_err(Error::write(&path))?;
        }
        target.flush().map_err(Error::write(&path))?;
        if !has_changed {
            return Ok(());
        }
        let replace = || {
            let mut log = OpenOptions::new().write(true).open(log)?;
            log.set_len(from)?;
            log.seek(SeekFrom::End(0))?;
            io::copy(&mut File::open(&path)?, &mut log)
        };
        replace().map(drop).map_err(Error::write(log))
    }
}

impl RealName {
    fn put_back(&self, line: &[u8]) -> Option<Vec<u8>> {
        let mut rest = line;
        let mut real = Vec::new();
        while let Some(at) = rest.find(&self.file) {
            let (before, after) = (&rest[..at], &rest[at + self.file.len()..]);
            if after.first().is_some_and(u8::is_ascii_digit) {
                // Another list: `list1` is in `list10`.
                real.push_str(&rest[..at + self.file.len()]);
                rest = after;
                continue;
            }
            let digits = after.strip_prefix(b":").unwrap_or_default();
            let digits = &digits[..digits.iter().take_while(|byte| byte.is_ascii_digit()).count()];
            let number = digits.to_str().ok().and_then(|digits| digits.parse::<u64>().ok());
            match before.strip_suffix(self.prefix.as_slice()) {
                Some(before) if number.is_none() && !self.prefix.is_empty() => {
                    real.push_str(before);
                    real.push_str(&self.name);
                }
                _ => {
                    real.push_str(before);
                    real.push_str(&self.origin);
                }
            }
            rest = after;
            if let Some(number) = number {
                rest = &rest[1 + digits.len()..];
                if let Some(shift) = self.shift {
                    real.push_str(format!(":{}", number + shift));
                }
            }
        }
        (rest.len() < line.len()).then(|| {
            real.push_str(rest);
            real
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(prefix: &str, name: &str, shift: Option<u64>) -> RealNames {
        let origin = name.rsplit(':').next().unwrap();
        RealNames(vec![RealName {
            file: b"/tmp/p/list0".to_vec(),
            prefix: prefix.into(),
            name: name.into(),
            origin: origin.into(),
            shift,
        }])
    }

    #[test]
    fn lines_of_a_piece_are_those_of_the_list() {
        let t = |names: &RealNames, line: &str, expected: &str| {
            let real = names.put_back(line.as_bytes()).unwrap_or_else(|| line.into());
            assert_eq!(real.as_bstr(), expected);
        };
        let script = names("scp,p:", "scp,p:bad.scp", Some(7));
        t(&script, "/tmp/p/list0:2: utt9: cannot open", "bad.scp:9: utt9: cannot open");
        t(&script, "copy-feats scp,p:/tmp/p/list0 ark:o", "copy-feats scp,p:bad.scp ark:o");
        t(&script, "scp,p:/tmp/p/list0:2: no", "scp,p:bad.scp:9: no");
        t(&script, "/tmp/p/list0: /tmp/p/list0:1", "bad.scp: bad.scp:8");
        t(&script, "/tmp/p/list01:2 is another one", "/tmp/p/list01:2 is another one");
        t(&script, "nothing", "nothing");
        t(&names("", "segments", Some(7)), "'/tmp/p/list0':1", "'segments':1");
        t(&names("scp:", "ark:x.ark", None), "/tmp/p/list0:2: x.ark:17: cut", "x.ark: x.ark:17: cut");
        t(&names("scp:", "ark:x.ark", None), "copy-feats scp:/tmp/p/list0", "copy-feats ark:x.ark");
    }
}
