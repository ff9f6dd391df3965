//! Damaged and huge lattices and FSTs.

use kaldi_any::ValueType;
use kaldi_inspect::{Checks, Named, check};
use kaldi_lattice::{Arc, Builder, CompactLattice, Cost, Fst, Lattice, Span};
use kaldi_value::{Format, Value};

use super::scanned_archives::scanned_type;
use super::values::{ForEachType, archive, for_each_type, rewrite};
use crate::support::Scratch;

/// Checks archives of graphs of which one byte is another.
struct CheckDamaged {
    format: Format,
    scratch: Scratch,
}

impl ForEachType for CheckDamaged {
    fn call<T: Value + std::fmt::Debug>(&mut self, samples: [T; 4]) {
        if ![Lattice::NAME, CompactLattice::NAME, Fst::NAME].contains(&T::NAME) {
            return;
        }
        let (bytes, _) = archive(&samples, self.format);
        let path = self.scratch.path("damaged.ark");
        let name = format!("ark:{}", path.display());
        let mut found = 0;
        for place in 0..bytes.len() {
            for byte in [0, 1, b'\n', b'-', b'9', 0x7f, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[place] = byte;
                rewrite(&path, &damaged);
                for value_type in [None, Some(scanned_type::<T>())] {
                    let checks = Checks { value_type, ..Checks::default() };
                    let mut look = |fault: kaldi_inspect::Fault| {
                        found += 1;
                        let fault = fault.to_string();
                        assert!(fault.starts_with("damaged.ark: ") && !fault.contains('\n'), "{fault}");
                    };
                    check("damaged.ark", Named::find(name.as_str().into()).unwrap(), checks, &mut look).unwrap();
                }
            }
        }
        assert!(found > bytes.len(), "{}: {found} faults", T::NAME);
    }
}

#[test]
fn damage_at_every_byte_is_a_fault_of_one_line_or_none() {
    for format in [Format::Binary, Format::Text] {
        for_each_type(&mut CheckDamaged { format, scratch: Scratch::new() });
    }
}

/// A compact lattice in binary form: the sizes of its parts are at the places that follow.
fn small() -> Vec<u8> {
    let mut builder = Builder::default();
    builder.add_states_to(2);
    builder.set_start(0);
    let string = builder.add_string(&[3, 4]);
    builder.add_arc(0, Arc::word(8, Cost::new(1.0, 2.0), string, 1));
    builder.set_final(1, Cost::ONE, Span::EMPTY);
    let mut bytes = b"utt1 ".to_vec();
    CompactLattice(builder.finish()).write(&mut bytes, Format::Binary);
    bytes
}

/// Runs tools on `lie.ark` in little memory: each ends with one line that names the place.
#[track_caller]
fn is_refused(scratch: &Scratch, what: &str) {
    for command in [
        "lattice-copy ark:lie.ark ark:/dev/null",
        "lattice-copy 'ark:cat lie.ark |' ark:/dev/null",
        "concat-ark lie.ark ark:/dev/null",
        "table-head lie.ark",
        "copy-feats ark:lie.ark ark:/dev/null",
    ] {
        let script = format!(
            "(ulimit -v $((120000 + PROGRAM_KB)); exec {command} > /dev/null 2> log); status=$?; cat log >&2
             [ $status = 255 ] && [ $(grep -c ^ERROR log) = 1 ] && grep -q 'lie.ark\\|utt1' log"
        );
        scratch.sh(&format!("# {what}\n{script}")).succeeds();
    }
}

#[test]
fn sizes_that_lie_take_no_memory() {
    let scratch = Scratch::new();
    let bytes = small();
    let places = [
        ("the name of the type", 5 + 4, 4),
        ("the name of the arcs", 5 + 14, 4),
        ("states", 5 + 58, 8),
        ("a final string", 5 + 74 + 8, 4),
        ("arcs", 5 + 74 + 12, 8),
        ("a string", 5 + 74 + 20 + 16, 4),
    ];
    for (what, at, width) in places {
        for claim in [1_i64 << 20, i64::from(i32::MAX), 1 << 40, i64::MAX, -5] {
            let mut lie = bytes.clone();
            lie[at..at + width].copy_from_slice(&claim.to_le_bytes()[..width]);
            if lie == bytes || (width == 4 && claim == 1 << 40) {
                continue;
            }
            scratch.write("lie.ark", &lie);
            is_refused(&scratch, &format!("{what}: {claim}"));
        }
    }
    // Symbol tables that the flags promise.
    let mut lie = bytes.clone();
    lie[5 + 38] = 1;
    scratch.write("lie.ark", &lie);
    is_refused(&scratch, "symbols");
}

#[test]
fn a_lattice_of_a_million_arcs_is_carried_and_told() {
    let scratch = Scratch::new();
    let mut builder = Builder::default();
    let states = 200_001;
    builder.add_states_to(states);
    builder.set_start(0);
    let string = builder.add_string(&[3, 4]);
    for state in 0..states as u32 - 1 {
        for word in 1..=5 {
            builder.add_arc(state, Arc::word(word, Cost::new(word as f32, 1.0), string, state + 1));
        }
    }
    builder.set_final(states as u32 - 1, Cost::ONE, Span::EMPTY);
    let mut bytes = b"utt1 ".to_vec();
    CompactLattice(builder.finish()).write(&mut bytes, Format::Binary);
    scratch.write("million.ark", &bytes);
    let limit = "ulimit -v $((600000 + PROGRAM_KB));";
    let ran = scratch.sh(&format!("{limit} table-info million.ark")).succeeds();
    ran.stdout_has("arcs         1000000\n").stdout_has("words        200000\n").stdout_has("depth        5");
    scratch
        .sh(&format!("{limit} table-check million.ark && table-sort ark:million.ark ark:- | cmp - million.ark"))
        .succeeds();
    let ran = scratch.sh(&format!("{limit} cat million.ark | table-info --type={} -", ValueType::CompactLattice));
    ran.succeeds().stdout_has("states       200001\n");
    scratch.sh(&format!("{limit} lattice-best-path ark:million.ark ark,t:- | wc -w")).succeeds().stdout_is("200001\n");
}

/// A chain of states with two arcs from each to the next; `word` is the first of the two words of each.
fn chain(states: u32, strings: [&[i32]; 2], word: impl Fn(u32) -> i32) -> CompactLattice {
    let mut builder = Builder::default();
    builder.add_states_to(states as usize);
    builder.set_start(0);
    let strings = strings.map(|string| builder.add_string(string));
    for state in 0..states - 1 {
        for (arc, string) in (0..).zip(strings) {
            let word = if word(state) == 0 { 0 } else { word(state) + arc };
            builder.add_arc(state, Arc::word(word, Cost::new(arc as f32, 1.0), string, state + 1));
        }
    }
    builder.set_final(states - 1, Cost::ONE, Span::EMPTY);
    CompactLattice(builder.finish())
}

/// A tool that called itself for each state, or kept something of all states for each, would end in a signal or in want of memory.
#[test]
fn long_chains_pass_through_all_tools_of_lattices() {
    let scratch = Scratch::new();
    // One word behind the other, and a word after each five thousand frames.
    let words = chain(2_000, [&[1218, 1236, 1254, 1253, 1054, 1072, 1090]; 2], |_| 8);
    let silent = chain(20_000, [&[2], &[4]], |state| if state % 5_000 == 2_500 { 8 } else { 0 });
    for (name, lattice) in [("words.ark", &words), ("silent.ark", &silent)] {
        let mut bytes = b"utt1 ".to_vec();
        lattice.write(&mut bytes, Format::Binary);
        scratch.write(name, &bytes);
    }
    scratch.write("ref", "utt1 8 8 8\n");
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/data/lattices");
    let (boundary, model) = (format!("{data}/word_boundary.int"), format!("{data}/final.mdl"));
    let limit = "ulimit -v $((400000 + PROGRAM_KB));";
    for command in [
        "lattice-copy ark:silent.ark ark,t:text && lattice-copy ark:text ark:- | lattice-equivalent --num-paths=1 ark:- ark:silent.ark",
        "lattice-copy --write-compact=false ark:silent.ark ark:plain && lattice-copy ark:plain ark:- | lattice-rmali ark:- ark:x",
        "lattice-1best ark:silent.ark ark:one && nbest-to-linear ark:one ark:x && nbest-to-ctm ark:one x",
        "lattice-scale --lm-scale=2 ark:silent.ark ark:- | lattice-prune --beam=1 ark:- ark:x",
        "lattice-mbr-decode ark:silent.ark ark:x && lattice-to-ctm-conf ark:silent.ark x",
        "lattice-oracle ark:silent.ark ark:ref ark:x && lattice-combine ark:silent.ark ark:silent.ark ark:x",
        "lattice-to-post ark:silent.ark ark:x && lattice-arc-post ark:silent.ark x",
        "lattice-depth-per-frame ark:silent.ark ark:x && lattice-limit-depth ark:silent.ark ark:x",
        "lattice-push ark:silent.ark ark:- | lattice-reverse ark:- ark:x",
        "lattice-to-nbest --n=3 ark:silent.ark ark:- | nbest-to-lattice ark:- ark:x",
        "lattice-project ark:silent.ark ark:x && lattice-to-fst ark:silent.ark ark:x",
        "lattice-union ark:silent.ark ark:words.ark ark:x && lattice-interp ark:silent.ark ark:silent.ark ark:x",
        "lattice-align-words $boundary $model ark:words.ark ark:x && lattice-align-phones $model ark:words.ark ark:x",
        "lattice-to-phone-lattice $model ark:words.ark ark:x && lattice-add-trans-probs $model ark:words.ark ark:x",
        "lattice-1best ark:words.ark ark:- | nbest-to-prons $model ark:- x",
    ] {
        scratch.sh(&format!("set -o pipefail; boundary={boundary} model={model}; {limit} {command}")).succeeds();
    }
}

/// Kaldi needs a third of a second.
#[test]
fn chains_of_100_000_states_with_one_word_are_joined_and_interpolated_in_little_memory_and_time() {
    let scratch = Scratch::new();
    let one = chain(100_000, [&[2], &[4]], |state| if state == 50_000 { 8 } else { 0 });
    let mut bytes = b"utt1 ".to_vec();
    one.write(&mut bytes, Format::Binary);
    scratch.write("one.ark", &bytes);
    let limits = "ulimit -v $((400000 + PROGRAM_KB)); ulimit -t 60;";
    let (union, interp) =
        ("lattice-union ark:one.ark ark:one.ark ark:-", "lattice-interp ark:one.ark ark:one.ark ark:-");
    for command in [union, interp] {
        let ran = scratch.sh(&format!("set -o pipefail; {limits} {command} | lattice-best-path ark:- ark,t:- | wc -w"));
        ran.succeeds().stdout_is("2\n");
    }
}
