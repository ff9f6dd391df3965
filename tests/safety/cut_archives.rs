use kaldi_value::{Format, Value};

use super::values::{ForEachType, archive, for_each_type, is_binary, read_all, rewrite};
use crate::support::Scratch;

/// Cuts an archive of four entries at every byte.
struct CutEverywhere {
    format: Format,
    scratch: Scratch,
}

impl ForEachType for CutEverywhere {
    fn call<T: Value + std::fmt::Debug>(&mut self, samples: [T; 4]) {
        let (bytes, ends) = archive(&samples, self.format);
        let path = self.scratch.path("cut.ark");
        // Types that are text in both forms (tokens) can only be judged as text.
        let binary = is_binary(&bytes);
        std::fs::write(&path, &bytes).unwrap();
        let (uncut, error) = read_all::<T>(&path, "");
        assert_eq!((uncut.len(), error), (samples.len(), None), "{}", T::NAME);
        for cut in 0..=bytes.len() {
            rewrite(&path, &bytes[..cut]);
            let whole = ends.iter().filter(|&&end| end <= cut).count();
            let at_boundary = cut == 0 || ends.contains(&cut);
            let what = format!("{} {:?}, cut at {cut} of {}", T::NAME, self.format, bytes.len());

            let (values, error) = kaldi_io::log::capture(|| read_all::<T>(&path, "")).0;
            if binary {
                assert_eq!(values.len(), whole, "{what}: {error:?}");
                assert_eq!(error.is_none(), at_boundary, "{what}: {error:?}");
            } else {
                // The last newline may be missing, and a line that is cut after a word is a shorter line.
                assert!(values.len() >= whole && values.len() <= whole + 1, "{what}: {} values", values.len());
                assert!(!at_boundary || error.is_none(), "{what}: {error:?}");
            }
            for (value, expected) in values.iter().take(whole).zip(&uncut) {
                assert_eq!(value.to_bytes(Format::Text), expected.to_bytes(Format::Text), "{what}");
            }
            if let Some(error) = error {
                assert!(error.contains("cut.ark:"), "{what}: the place is missing: {error}");
            }

            let (permitted, error) = kaldi_io::log::capture(|| read_all::<T>(&path, "p,")).0;
            if whole > 0 {
                assert!(error.is_none(), "{what}: permissive mode passes over the rest: {error:?}");
                assert_eq!(permitted.len(), values.len(), "{what}: all whole entries with p");
            }
        }
    }
}

#[test]
fn a_binary_archive_cut_anywhere_gives_its_whole_entries_and_an_error() {
    for_each_type(&mut CutEverywhere { format: Format::Binary, scratch: Scratch::new() });
}

#[test]
fn a_text_archive_cut_anywhere_gives_its_whole_entries() {
    for_each_type(&mut CutEverywhere { format: Format::Text, scratch: Scratch::new() });
}

#[test]
fn a_tool_given_a_cut_archive_leaves_no_output() {
    let scratch = Scratch::new();
    scratch.write("old", "old content");
    scratch.sh("copy-matrix ark,t:- ark:whole.ark <<< 'a [ 1 2 ]'; cat whole.ark whole.ark > two.ark").succeeds();
    let size = scratch.read("two.ark").len();
    for cut in size / 2 + 1..size {
        scratch
            .sh(&format!("head -c {cut} two.ark > cut.ark; cp old out.ark; copy-matrix ark:cut.ark ark:out.ark"))
            .fails_with(255);
        assert_eq!(scratch.read("out.ark"), b"old content", "cut at {cut}");
    }
    assert_eq!(scratch.list(), ["cut.ark", "old", "out.ark", "two.ark", "whole.ark"]);
}
