//! What is measured of tools on lattices, and their data.

use std::io::{Result, Write};
use std::path::Path;

use crate::corpus::{Corpus, create};
use crate::job::{Job, Rival};
use crate::measure::Size;

/// All jobs on lattices: on one thread, beside Kaldi.
pub fn jobs() -> Vec<Job> {
    let job =
        |name, tool, arguments, times| Job::new(Corpus::Lattices, name, tool, arguments).on_one_thread().faster(times);
    let align = &["word_boundary.int", "lats.mdl", "ark:lats.ark", "ark:/dev/null"];
    let score = &[
        "--inv-acwt=1:20",
        "--penalty=0,0.5,1",
        "--word-symbol-table=lats.words",
        "--text=ark:lats.ref",
        "ark:lats.ark",
    ];
    vec![
        job("copy of lattices, binary", "lattice-copy", &["ark:lats.ark", "ark:/dev/null"], 10.0),
        job("lattices to text", "lattice-copy", &["ark:lats.ark", "ark,t:/dev/null"], 20.0),
        job("text to lattices", "lattice-copy", &["ark:lats.txt", "ark:/dev/null"], 20.0),
        job("scaled lattices", "lattice-scale", &["--inv-acoustic-scale=12", "ark:lats.ark", "ark:/dev/null"], 8.0),
        job(
            "lattices with a penalty",
            "lattice-add-penalty",
            &["--word-ins-penalty=0.5", "ark:lats.ark", "ark:/dev/null"],
            8.0,
        ),
        job(
            "best paths of lattices",
            "lattice-best-path",
            &["--acoustic-scale=0.1", "ark:lats.ark", "ark:/dev/null"],
            5.0,
        ),
        job(
            "pruned lattices",
            "lattice-prune",
            &["--acoustic-scale=0.1", "--beam=4", "ark:lats.ark", "ark:/dev/null"],
            4.0,
        ),
        job("least Bayes risk", "lattice-mbr-decode", &["--acoustic-scale=0.1", "ark:lats.ark", "ark:/dev/null"], 3.0),
        job("lattices aligned with words", "lattice-align-words", align, 3.0),
        Job::new(Corpus::Lattices, "word errors of lattices at 60 settings", "lattice-score", score)
            .beside(Rival::Nobody),
    ]
}

/// The first bytes of a lattice in an archive.
const MAGIC: &[u8] = b"\xd6\xfd\xb2\x7e\x06\0\0\0vector";
/// The length of each key, with the space after it.
const KEY: usize = 14;

/// Writes the lattices of the recorded cases over and over.
pub fn write(dir: &Path, size: Size) -> Result<()> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/data/lattices");
    for (from, to) in
        [("final.mdl", "lats.mdl"), ("word_boundary.int", "word_boundary.int"), ("words.txt", "lats.words")]
    {
        std::fs::copy(data.join(from), dir.join(to))?;
    }
    let (archive, text) = (std::fs::read(data.join("real.ark"))?, std::fs::read_to_string(data.join("text"))?);
    let found = archive.windows(MAGIC.len()).enumerate().filter(|(_, bytes)| *bytes == MAGIC);
    let mut starts: Vec<usize> = found.map(|(at, _)| at - KEY).collect();
    starts.push(archive.len());
    let (mut lattices, mut references) = (create(dir, "lats.ark")?, create(dir, "lats.ref")?);
    for copy in 0..size.pick(200, 2) {
        for entry in starts.windows(2) {
            write!(lattices, "{copy:04}-")?;
            lattices.write_all(&archive[entry[0]..entry[1]])?;
        }
        text.lines().try_for_each(|line| writeln!(references, "{copy:04}-{line}"))?;
    }
    lattices.flush()?;
    references.flush()
}
