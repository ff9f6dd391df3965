use bstr::BStr;
use kaldi_gmm::transform::{LdaStats, MlltStats};
use kaldi_gmm::{AccumDiagGmm, DiagGmm, FullGmm};
use kaldi_hmm::{ContextDependency, Questions, TransitionModel, TreeStats};
use kaldi_io::{Rspecifier, Rxfilename, Wspecifier, Wxfilename};
use kaldi_ivector::{IvectorExtractor, IvectorExtractorStats, LogisticRegression, Plda};
use kaldi_lattice::CompactLattice;
use kaldi_matrix::{CompressedMatrix, CompressionMethod, HtkFeatures, Matrix, SparseMatrix, SphinxFeatures, Vector};
use kaldi_table::{Reader, SequentialReader, TableWriter};
use kaldi_value::{Cursor, Format, Value};
use kaldi_value::{GaussPost, IntMatrix, IntVectorFile, Posterior, Token, Tokens};

use super::page::{Block, Page, code, without_trailing_space};
use crate::support::Scratch;

/// A dump, the text that belongs to it, and what was compressed to it.
struct Example {
    place: String,
    options: String,
    dump: Vec<u8>,
    text: String,
    source: Option<String>,
}

#[test]
fn every_dump_is_what_its_text_says() {
    let blocks = Page::read("docs/formats.md").blocks();
    let mut count = 0;
    for (index, block) in blocks.iter().enumerate() {
        if let Some(kind) = block.info.strip_prefix("hex ") {
            let (kind, options) = kind.split_once(' ').unwrap_or((kind, ""));
            check(kind, &Example::new(block, options, &blocks[index + 1..]));
            count += 1;
        }
    }
    assert!(count > 20, "only {count} dumps");
}

fn check(kind: &str, example: &Example) {
    match kind {
        "float-matrix" => example.is::<Matrix<f32>>(),
        "double-matrix" => example.is::<Matrix<f64>>(),
        "float-vector" => example.is::<Vector<f32>>(),
        "double-vector" => example.is::<Vector<f64>>(),
        "compressed-matrix" => example.is_compressed(),
        "sparse-matrix" => example.is::<SparseMatrix<f32>>(),
        "int32" => example.is::<i32>(),
        "float" => example.is::<f32>(),
        "double" => example.is::<f64>(),
        "bool" => example.is::<bool>(),
        "token" => example.is::<Token>(),
        "token-vector" => example.is::<Tokens>(),
        "int32-vector" => example.is::<Vec<i32>>(),
        "int32-vector-file" => example.is_file::<IntVectorFile>(),
        "int32-matrix" => example.is::<IntMatrix>(),
        "int32-vector-vector" => example.is::<Vec<Vec<i32>>>(),
        "int32-pairs" => example.is::<Vec<(i32, i32)>>(),
        "float-pairs" => example.is::<Vec<(f32, f32)>>(),
        "posterior" => example.is::<Posterior>(),
        "gauss-post" => example.is::<GaussPost>(),
        "compact-lattice" => example.is::<CompactLattice>(),
        "htk-features" => example.is_foreign(HtkFeatures::into_feats),
        "sphinx-features" => example.is_foreign(SphinxFeatures::into_feats),
        "plda" => example.is_file::<Plda>(),
        "logistic-regression" => example.is_file::<LogisticRegression>(),
        "ivector-extractor" => example.is_file::<IvectorExtractor>(),
        "ivector-extractor-stats" => example.is_file::<IvectorExtractorStats>(),
        "lda-stats" => example.is_file::<LdaStats>(),
        "mllt-stats" => example.is_file::<MlltStats>(),
        "transition-model" => example.is_file::<TransitionModel>(),
        "tree" => example.is_file::<ContextDependency>(),
        "tree-stats" => example.is_file::<TreeStats>(),
        "questions" => example.is_file::<Questions>(),
        "diag-gmm" => example.is_file::<DiagGmm>(),
        "diag-gmm-stats" => example.is_file::<AccumDiagGmm>(),
        "full-gmm" => example.is_file::<FullGmm>(),
        _ => panic!("{}: no type {kind:?}", example.place),
    }
}

impl Example {
    #[track_caller]
    fn new(block: &Block, options: &str, behind: &[Block]) -> Example {
        let text = behind.first().filter(|block| block.info == "text");
        let text = text.unwrap_or_else(|| panic!("{}: no text behind the dump", block.place));
        let source = behind.get(1).filter(|block| block.info == "text source").map(|block| block.text.clone());
        let dump = block.text.lines().flat_map(|line| bytes(line).unwrap_or_else(|| panic!("{}: {line}", block.place)));
        Example {
            place: block.place.clone(),
            options: options.to_owned(),
            dump: dump.collect(),
            text: text.text.clone(),
            source,
        }
    }

    /// Both forms are tables of the same values.
    fn is<T: Value>(&self) {
        assert_eq!(copy::<T, T>(&self.dump, Format::Binary, |value| value), self.dump, "{}", self.place);
        self.reads_as(&copy::<T, T>(&self.dump, Format::Text, |value| value));
        assert_eq!(copy::<T, T>(self.text.as_bytes(), Format::Binary, |value| value), self.dump, "{}", self.place);
    }

    /// Both forms are files of the same value.
    fn is_file<T: Value>(&self) {
        let read = |bytes: &[u8]| T::read(&mut Cursor::new(bytes)).unwrap();
        let write = |value: T, format| value.to_bytes(format);
        self.reads_as(&write(read(&self.dump), Format::Text));
        assert_eq!(write(read(self.text.as_bytes()), Format::Binary), self.dump, "{}", self.place);
    }

    fn is_compressed(&self) {
        assert_eq!(copy::<CompressedMatrix, _>(&self.dump, Format::Binary, |value| value), self.dump, "{}", self.place);
        self.reads_as(&copy::<Matrix<f32>, _>(&self.dump, Format::Text, |value| value));
        if let (Some(source), Some(method)) = (&self.source, self.options.strip_prefix("method=")) {
            let method = CompressionMethod::from_number(method.parse().unwrap()).unwrap();
            let compress = |matrix| CompressedMatrix::compress(&matrix, method).unwrap();
            assert_eq!(copy(source.as_bytes(), Format::Binary, compress), self.dump, "{}", self.place);
        }
    }

    /// The dump is in a format of another program's features.
    fn is_foreign<T: Value>(&self, feats: fn(T) -> Matrix<f32>) {
        assert_eq!(copy::<T, T>(&self.dump, Format::Binary, |value| value), self.dump, "{}", self.place);
        self.reads_as(&copy(&self.dump, Format::Text, feats));
    }

    #[track_caller]
    fn reads_as(&self, text: &[u8]) {
        let text = without_trailing_space(&String::from_utf8_lossy(text));
        assert_eq!(text, self.text, "{}", self.place);
    }
}

/// Reads a table of `T` and returns the archive of what `convert` makes of its values.
#[track_caller]
fn copy<T: Value, U: Value>(table: &[u8], format: Format, convert: impl Fn(T) -> U) -> Vec<u8> {
    let scratch = Scratch::new();
    scratch.write("in", table);
    let name = |prefix: &str, file| format!("{prefix}ark:{}", scratch.path(file).display());
    let options = if format == Format::Text { "t," } else { "" };
    let mut out = TableWriter::create(name(options, "out")).unwrap();
    let mut table = SequentialReader::<T>::open(name("", "in")).unwrap();
    while let Some((key, value)) = table.next().unwrap() {
        out.write(key, &convert(value)).unwrap();
    }
    out.finish().unwrap();
    scratch.read("out")
}

/// The bytes of a line of a dump; what follows three spaces is explanation.
fn bytes(line: &str) -> Option<Vec<u8>> {
    let dump = line.split("   ").next()?;
    dump.split_whitespace().map(|byte| u8::from_str_radix(byte, 16).ok()).collect()
}

#[test]
fn names_that_it_calls_refused_are_refused() {
    let page = Page::read("docs/formats.md");
    let check = |table: &str, is_refused: fn(&BStr) -> bool| {
        let rows = page.table(table);
        assert!(!rows.is_empty());
        for row in rows {
            assert!(is_refused(BStr::new(code(&row[0]))), "{table}: {}", row[0]);
        }
    };
    check("refused rxfilenames", |name| Rxfilename::parse(name).is_err());
    check("refused wxfilenames", |name| Wxfilename::parse(name).is_err());
    check("refused rspecifiers", |name| Rspecifier::parse(name).is_none());
    check("refused wspecifiers", |name| Wspecifier::parse(name).is_none());
}
