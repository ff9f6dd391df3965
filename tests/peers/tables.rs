//! Tables of `kaldiio` and of `kaldi_native_io`, which wraps Kaldi's own way of reading and writing in C++.

use crate::Trials;
use crate::python::Python;
use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive, ints};

pub const TRIALS: &Trials = &[
    ("kaldiio_copies_our_tables", |python| copies(python, "kaldiio")),
    ("kaldi_native_io_copies_our_tables", |python| copies(python, "kaldi_native_io")),
];

/// Matrices of one to three rows, alignments of up to 600 numbers.
fn write_tables(scratch: &Scratch) {
    let matrix = |num_rows: usize| {
        let row = |row: usize| (0..5).map(|column| (row * 7 + column) as f32 / 8.0 - 3.1).collect();
        Sample::Matrix((0..num_rows).map(row).collect())
    };
    scratch.write("f.ark", binary_archive(&[("one", matrix(1)), ("two", matrix(2)), ("three", matrix(3))]));
    let extremes = Sample::Ints(vec![i32::MIN, -1, 0, 1, i32::MAX]);
    scratch.write("i.ark", binary_archive(&[("a", ints(1, 600)), ("b", extremes), ("c", ints(2, 1))]));
}

/// A table goes through our tool, then through the peer with the help of our script file, and ours reads what the peer
/// writes: the bytes of the archive are those of the first one.
fn copies(python: &Python, peer: &str) {
    let scratch = Scratch::new();
    write_tables(&scratch);
    scratch.sh("copy-feats ark:f.ark ark,scp:g.ark,g.scp && cmp f.ark g.ark").succeeds();
    scratch.sh("copy-int-vector ark:i.ark ark,scp:j.ark,j.scp && cmp i.ark j.ark").succeeds();
    python.run(&scratch, "copy_tables", &format!("{peer} g.scp h.ark j.ark k.ark"));
    scratch.sh("copy-feats ark:h.ark ark:- | cmp - f.ark").succeeds();
    scratch.sh("copy-int-vector ark:k.ark ark:- | cmp - i.ark").succeeds();
    // A difference would be seen.
    scratch.sh("copy-feats --compress=true ark:h.ark ark:- | cmp -s - f.ark").fails_with(1);
}
