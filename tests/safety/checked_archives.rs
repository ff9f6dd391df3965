use std::path::Path;

use kaldi_any::{Detector, ValueType};
use kaldi_inspect::{Checks, Named, check};
use kaldi_table::{RawEntries, Reader};
use kaldi_value::{Format, Value};

use super::scanned_archives::scanned_type;
use super::values::{ForEachType, archive, for_each_type, rewrite};
use crate::support::Scratch;

/// The faults of an archive, each in a line.
pub(super) fn faults(path: &Path, known: Option<ValueType>, quick: bool) -> Vec<String> {
    let named = Named::find(format!("ark:{}", path.display()).as_str().into()).unwrap();
    let checks = Checks { quick, value_type: known, ..Checks::default() };
    let mut faults = Vec::new();
    check("cut.ark", named, checks, &mut |fault| faults.push(fault.to_string())).unwrap();
    faults
}

/// Whether what is left is a whole archive, of other types than this one: `\0BF`, the start of a matrix, is a truth value.
fn is_of_another_type(path: &Path, value_type: ValueType) -> bool {
    let mut scanner = RawEntries::archive(path.to_str().unwrap(), Detector::new(None)).unwrap();
    while scanner.next().unwrap().is_some() {}
    !scanner.framing().candidates().contains(&value_type)
}

/// Checks archives cut at every byte.
struct CheckEverywhere {
    format: Format,
    scratch: Scratch,
}

impl ForEachType for CheckEverywhere {
    fn call<T: Value + std::fmt::Debug>(&mut self, samples: [T; 4]) {
        let (bytes, ends) = archive(&samples, self.format);
        let path = self.scratch.path("cut.ark");
        for known in [None, Some(scanned_type::<T>())] {
            for cut in 0..bytes.len() {
                // What nobody can know: whole entries are missing, or the blank lines after the last one.
                let whole = ends.iter().filter(|&&end| end <= cut).count();
                if cut == 0 || ends.contains(&cut) {
                    continue;
                }
                rewrite(&path, &bytes[..cut]);
                let is_blank = bytes[cut..ends[whole]].trim_ascii().is_empty();
                for quick in [true, false] {
                    let found = faults(&path, known, quick);
                    let what = format!("{} {:?}, known: {known:?}, cut at {cut}: {found:?}", T::NAME, self.format);
                    let is_seen = !found.is_empty() && found.iter().all(|fault| fault.starts_with("cut.ark: "));
                    let is_other = || known.is_none() && is_of_another_type(&path, scanned_type::<T>());
                    assert!(is_seen || is_blank || is_other(), "{what}");
                    assert!(found.iter().all(|fault| !fault.contains('\n')), "{what}");
                }
            }
        }
    }
}

#[test]
fn every_cut_is_a_fault() {
    for format in [Format::Binary, Format::Text] {
        for_each_type(&mut CheckEverywhere { format, scratch: Scratch::new() });
    }
}
