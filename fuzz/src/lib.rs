//! What every parser has to keep to, whatever bytes it is given: no panic, no endless loop, no memory because a header says
//! so, and the promises that are checked here.
//!
//! Each function takes bytes. `cargo fuzz` runs them on bytes of its own making; the tests of the properties run them on
//! damaged samples.

mod columns;
mod command_line;
mod manifest;

use std::cell::OnceCell;
use std::fs;
use std::path::Path;

use bstr::{BStr, ByteSlice};
use indexed_dataset::{IndexedDataset, Prefix, check, merge};
use kaldi_any::{Detector, TypeVisitor, ValueType};
use kaldi_corpus::RawUtterance;
use kaldi_corpus::shard::{Field, FieldPath, Grouping, Members, ShardChecks, ShardName, TarSamples, Wanted};
use kaldi_feed::{Chain, Description, LabelSource, standard_stages};
use kaldi_gmm::transform::{BasisFmllr, BasisFmllrStats, Fmpe, FmpeStats, LdaStats, LinearVtln, MlltStats};
use kaldi_gmm::{AccumDiagGmm, AccumFullGmm, AcousticModel, AcousticStats, DiagGmm, FullGmm, PdfStats};
use kaldi_hmm::{ContextDependency, HmmTopology, Questions, TransitionModel, TreeStats};
use kaldi_io::{
    Rspecifier, RspecifierKind, Rxfilename, Wspecifier, Wxfilename, is_specifier, printable_rxfilename,
    printable_wxfilename, specifier_advice,
};
use kaldi_ivector::{IvectorExtractor, IvectorExtractorStats, LogisticRegression, Plda};
use kaldi_matrix::{CompressedMatrix, Matrix, MatrixOrVector, MatrixRange, SparseMatrix, Vector, VectorRange};
use kaldi_table::{RawEntries, Reader, ReaderExt, SequentialReader, parse_script_line, read_script};
use kaldi_value::{Cursor, Format, Frame, IntVectorFile, Value};
use kaldi_wave::{Wave, WaveInfo, sound_suffix};

pub use columns::columns;
pub use command_line::command_line;
pub use manifest::manifest;

/// A value of any type, chosen by the first byte: see [`check_promises`].
pub fn value(bytes: &[u8]) {
    let Some((&kind, bytes)) = bytes.split_first() else { return };
    let kind = usize::from(kind) % usize::from(NUM_VALUES);
    match ValueType::ALL.get(kind) {
        Some(&value_type) => {
            value_type.visit(KeepsPromises { value_type, bytes });
        }
        None => OTHERS[kind - ValueType::ALL.len()](bytes),
    }
}

/// The number of types that the first byte of a [`value`] chooses from.
pub const NUM_VALUES: u8 = (ValueType::ALL.len() + OTHERS.len()) as u8;

/// A value of a type of tables.
struct KeepsPromises<'a> {
    value_type: ValueType,
    bytes: &'a [u8],
}

impl TypeVisitor for KeepsPromises<'_> {
    type Output = ();

    fn visit<T: Value>(self) {
        match self.value_type.is_example() || self.value_type.graph_form().is_some() {
            true => keeps_promises_but_for_text::<T>(self.bytes),
            false => keeps_promises::<T>(self.bytes),
        }
    }
}

/// Values that are of no type of their own in tables, and models.
const OTHERS: [fn(&[u8]); 30] = [
    keeps_promises::<Matrix<f32>>,
    keeps_promises::<Matrix<f64>>,
    keeps_promises::<Vector<f64>>,
    keeps_promises_but_for_text::<CompressedMatrix>,
    keeps_promises::<SparseMatrix<f32>>,
    keeps_promises::<MatrixOrVector>,
    keeps_promises::<IntVectorFile>,
    keeps_promises::<Plda>,
    keeps_promises::<LogisticRegression>,
    keeps_promises::<IvectorExtractor>,
    keeps_promises_but_for_text::<IvectorExtractorStats>,
    keeps_promises::<DiagGmm>,
    keeps_promises::<FullGmm>,
    keeps_promises::<AccumDiagGmm>,
    keeps_promises::<AccumFullGmm>,
    keeps_promises::<AcousticStats>,
    keeps_promises::<PdfStats>,
    keeps_promises::<HmmTopology>,
    keeps_promises::<TransitionModel>,
    keeps_promises::<ContextDependency>,
    keeps_promises_but_for_text::<TreeStats>,
    keeps_promises::<Questions>,
    keeps_promises::<AcousticModel>,
    keeps_promises_but_for_text::<LdaStats>,
    keeps_promises::<MlltStats>,
    keeps_promises::<Fmpe>,
    keeps_promises::<FmpeStats>,
    keeps_promises::<LinearVtln>,
    keeps_promises::<BasisFmllr>,
    keeps_promises_but_for_text::<BasisFmllrStats>,
];

/// What is read is as long as was told before; what is written can be read and is written alike; what is called canonical
/// is what is written.
fn keeps_promises<V: Value>(bytes: &[u8]) {
    check_promises::<V>(bytes, &[Format::Binary, Format::Text]);
}

/// The same of what loses something with each text.
fn keeps_promises_but_for_text<V: Value>(bytes: &[u8]) {
    check_promises::<V>(bytes, &[Format::Binary]);
}

fn check_promises<V: Value>(bytes: &[u8], formats: &[Format]) {
    let told = V::frame(bytes, true);
    if let Ok(Frame::Whole(length)) = V::frame(bytes, false) {
        assert!(length <= bytes.len(), "{} bytes of {}", length, bytes.len());
        // At the end of all, some types are parsed to be framed, and faults show.
        let same = told.as_ref().is_ok_and(|told| *told == Frame::Whole(length)) || told.is_err();
        assert!(same, "{length} bytes of {}, and {told:?} at the end", V::NAME);
    }
    let _ = V::read_range(&mut Cursor::new(bytes), b"0:1");
    let _ = V::part(&mut Cursor::new(bytes), b"0:1");
    let mut cursor = Cursor::new(bytes);
    let Ok(first) = V::read(&mut cursor) else { return };
    assert_eq!(told, Ok(Frame::Whole(cursor.offset())), "{} bytes were read of {}", cursor.offset(), V::NAME);
    for &format in formats {
        let written = first.to_bytes(format);
        if format == Format::Binary && V::is_canonical_binary(&bytes[..cursor.offset()]) {
            assert_eq!(
                written.as_bstr(),
                bytes[..cursor.offset()].as_bstr(),
                "canonical bytes are not what is written"
            );
        }
        let mut again = Cursor::new(&written);
        match V::read(&mut again) {
            Ok(second) => {
                // White space may be left over after what has an end of its own.
                let rest = again.rest().trim_ascii();
                assert!(rest.is_empty(), "not all that is written is read: {}: {:?}", V::NAME, written.as_bstr());
                assert_eq!(second.to_bytes(format).as_bstr(), written.as_bstr(), "{} is written differently", V::NAME);
            }
            Err(error) => panic!("what is written cannot be read: {}: {error}: {:?}", V::NAME, written.as_bstr()),
        }
    }
}

/// An archive of a type that the first byte chooses: values that are skipped until they are wanted are those that are read
/// at once, and permissive mode delivers no less.
pub fn archive(bytes: &[u8]) {
    let Some((&kind, bytes)) = bytes.split_first() else { return };
    let value_type = ValueType::ALL[usize::from(kind % NUM_ARCHIVES)];
    with_file(bytes, |name| {
        value_type.visit(ReadsAlike { name });
    });
}

/// The number of types that the first byte of an [`archive`] chooses from.
pub const NUM_ARCHIVES: u8 = ValueType::ALL.len() as u8;

/// An archive of values of a type.
struct ReadsAlike<'a> {
    name: &'a str,
}

impl TypeVisitor for ReadsAlike<'_> {
    type Output = ();

    fn visit<T: Value>(self) {
        reads_alike::<T>(self.name);
    }
}

fn reads_alike<V: Value>(name: &str) {
    let read = |options: &str, skims: bool| {
        let reader = SequentialReader::<V>::open(format!("ark{options}:{name}"))?;
        let mut reader = if skims { reader.skim() } else { reader };
        let entries: Vec<_> = reader.iter().map_while(Result::ok).map(|(key, value)| (key, binary(&value))).collect();
        Ok::<_, kaldi_table::Error>(entries)
    };
    let (whole, _) = kaldi_io::log::capture(|| read("", false).unwrap_or_default());
    let (skimmed, _) = kaldi_io::log::capture(|| read("", true).unwrap_or_default());
    assert_eq!(whole, skimmed);
    let (permitted, _) = kaldi_io::log::capture(|| read(",p", false).unwrap_or_default());
    assert!(permitted.starts_with(&whole), "permissive mode delivers {} of {}", permitted.len(), whole.len());
}

fn binary<V: Value>(value: &V) -> Vec<u8> {
    value.to_bytes(Format::Binary)
}

/// A script file: lines are those that are read one by one, and names are classified. Nothing is opened or run.
pub fn script_file(bytes: &[u8]) {
    for line in bytes.split(|&byte| byte == b'\n') {
        let Ok(parsed) = parse_script_line(line) else { continue };
        assert!(!parsed.key.is_empty() && !parsed.xfilename.is_empty());
        let again = [parsed.key.as_slice(), b" ", &parsed.xfilename].concat();
        assert_eq!(parse_script_line(&again), Ok(parsed), "{}", again.as_bstr());
    }
    with_file(bytes, |name| {
        let (read, _) = kaldi_io::log::capture(|| read_script(name, false));
        if let Ok(lines) = read {
            let text = bytes.strip_suffix(b"\n").unwrap_or(bytes);
            let expected: Vec<_> = text.split(|&byte| byte == b'\n').map(parse_script_line).collect();
            let expected = if bytes.is_empty() { Ok(Vec::new()) } else { expected.into_iter().collect() };
            assert_eq!(Ok(lines), expected);
        }
    });
    for line in bytes.split(|&byte| byte == b'\n') {
        let _ = (Rxfilename::parse(line.into()), Wxfilename::parse(line.into()));
    }
}

/// Names of tables and of streams.
pub fn specifier(bytes: &[u8]) {
    let text = BStr::new(bytes);
    let (reads, writes) = (Rspecifier::parse(text), Wspecifier::parse(text));
    assert!(is_specifier(text) || (reads.is_none() && writes.is_none()), "{text:?}");
    if let Some(Rspecifier { kind, rxfilename, .. }) = &reads {
        // Whatever the options are, the name is what follows the colon.
        assert!(bytes.ends_with(rxfilename), "{text:?}");
        let word = match kind {
            RspecifierKind::Archive => "ark:",
            RspecifierKind::Script => "scp:",
            RspecifierKind::Shards => "shard:",
            RspecifierKind::Shar => "shar:",
        };
        let plain = [word.as_bytes(), rxfilename].concat();
        let again = Rspecifier::parse(plain.as_bstr());
        assert!(again.is_none_or(|again| again.kind == *kind && again.rxfilename == *rxfilename), "{text:?}");
    }
    for role in ["rspecifier", "wspecifier"] {
        assert!(!specifier_advice(text, role).contains('\n'), "{text:?}");
    }
    for printable in [printable_rxfilename(text), printable_wxfilename(text)] {
        assert!(!printable.contains(['\n', '\0', '\r', '\x1b']), "a message would not stay one line: {printable:?}");
    }
    for error in [Rxfilename::parse(text).err(), Wxfilename::parse(text).err()].into_iter().flatten() {
        assert!(!error.to_string().contains(['\n', '\0', '\r', '\x1b']), "{error}");
    }
}

/// Ranges of rows, columns and elements; the first two bytes say the size.
pub fn range(bytes: &[u8]) {
    let [rows, cols, text @ ..] = bytes else { return };
    let (num_rows, num_cols) = (usize::from(*rows), usize::from(*cols));
    match MatrixRange::parse(text, num_rows, num_cols) {
        Ok(MatrixRange { rows, cols, .. }) => {
            assert!(rows.start < rows.end && rows.end <= num_rows, "{rows:?} of {num_rows}");
            assert!(cols.start < cols.end && cols.end <= num_cols, "{cols:?} of {num_cols}");
        }
        Err(error) => assert!(!error.to_string().contains(['\n', '\0']), "{error}"),
    }
    if let Ok(VectorRange { elements, .. }) = VectorRange::parse(text, num_rows) {
        assert!(elements.start <= elements.end && elements.end <= num_rows, "{elements:?} of {num_rows}");
    }
}

/// Wave files: their head says what is read.
pub fn wave(bytes: &[u8]) {
    let told = Wave::frame(bytes, true);
    let mut cursor = Cursor::new(bytes);
    let read = Wave::read(&mut cursor);
    let info = WaveInfo::read(&mut Cursor::new(bytes), None);
    if let Ok(wave) = &read {
        assert_eq!(told, Ok(Frame::Whole(cursor.offset())));
        let info = info.unwrap_or_else(|error| panic!("the head of a wave that can be read: {error}"));
        assert_eq!((wave.num_channels(), wave.sample_rate()), (info.num_channels(), info.sample_rate()));
        for format in [Format::Binary, Format::Text] {
            let written = wave.to_bytes(format);
            assert!(Wave::read(&mut Cursor::new(&written)).is_ok(), "what is written cannot be read");
        }
    }
}

/// Files of sound of the kind with this suffix: their head says what is decoded.
pub fn sound(suffix: &str, bytes: &[u8]) {
    if sound_suffix(bytes) == Some(suffix) {
        wave(bytes);
    }
}

/// Shards: members follow each other and within the file, and what a strict reader refuses has a fault.
pub fn shard(bytes: &[u8]) {
    with_file(bytes, |name| {
        let mut end = 0;
        let mut read = || -> kaldi_corpus::shard::Result<()> {
            let mut samples = TarSamples::new(Members::open(name.into(), Wanted::Contents)?, Grouping::Wenet);
            while let Some(sample) = samples.next_sample(|_, _, payload| payload.read())? {
                for Field { member, value, .. } in &sample.fields {
                    assert!(end <= member.header && member.header + 512 <= member.offset, "{member:?} behind {end}");
                    assert_eq!(value.len() as u64, member.size);
                    end = member.offset + member.size;
                }
            }
            samples.finish()
        };
        let refused = read().err();
        let path = FieldPath::new("json.text");
        let checks = ShardChecks {
            grouping: Grouping::Wenet,
            both: true,
            fields: vec![FieldPath::new("txt")],
            quick: true,
            members: true,
        };
        let findings = checks.run(ShardName::new(name.into(), Wanted::Headers));
        if let Some(error) = refused {
            assert!(!findings.faults.is_empty(), "{error}");
            assert!(!error.to_string().contains(['\n', '\0']), "{error}");
        }
        for fault in &findings.faults {
            assert!(!fault.to_string().contains(['\n', '\0']), "{fault}");
        }
        if let Err(error) = path.text(bytes, "text".into()) {
            assert!(!error.message.contains(['\n', '\0']), "{error}");
        }
    });
}

/// A chain of stages, or WeNet's configuration: whatever it is, it is read or refused, and what is printed of it means the
/// same. A line of a raw list is read or refused.
pub fn configuration(bytes: &[u8]) {
    let _ = RawUtterance::parse(bytes, kaldi_io::Commands::Refuse);
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    for description in [Description::parse("c", text), Description::from_wenet("c", text, LabelSource::None)] {
        let Ok(description) = description else { continue };
        let printed = description.to_string();
        let again = Description::parse("c", &printed).expect("what was printed is read");
        assert_eq!(again.to_string(), printed);
        // Symbol tables would be read from files.
        if printed.contains("tokenize") {
            continue;
        }
        if let Ok(chain) = Chain::build(&description, &standard_stages()) {
            let meant = chain.description().to_string();
            let again = Description::parse("c", &meant).expect("what is meant is read");
            let again = Chain::build(&again, &standard_stages()).expect("what is meant is built");
            assert_eq!(again.description().to_string(), meant);
        }
    }
}

/// Archives of any type, the first byte choosing one or none: entries follow each other and within the file.
pub fn scan(bytes: &[u8]) {
    let Some((&kind, bytes)) = bytes.split_first() else { return };
    let value_type = ValueType::ALL.get(kind as usize % (ValueType::ALL.len() + 1)).copied();
    with_file(bytes, |name| {
        let Ok(mut scanner) = RawEntries::archive(name, Detector::new(value_type)) else { return };
        let mut end = 0;
        while let Ok(Some(entry)) = scanner.next() {
            assert!(
                end <= entry.start() && entry.start() < entry.offset() && entry.offset() <= entry.end(),
                "{entry:?} behind {end}"
            );
            assert!(entry.end() <= bytes.len() as u64, "{entry:?} of {} bytes", bytes.len());
            end = entry.end();
        }
    });
}

/// A dataset of tokens: two bytes say how long the index is, which the `.bin` follows.
///
/// What is called sound can be read whole, nothing beyond a sequence is read, and a mended index is sound.
pub fn indexed(bytes: &[u8]) {
    let Some((&[low, high], rest)) = bytes.split_first_chunk() else { return };
    let (index, bin) = rest.split_at(rest.len().min(u16::from_le_bytes([low, high]).into()));
    with_file(index, |name| {
        let prefix = Prefix::new(name);
        fs::write(prefix.idx(), index).expect("a file can be written");
        fs::write(prefix.bin(), bin).expect("a file can be written");
        let checked = check(&prefix, None, Some(100)).expect("files can be read");
        if checked.is_repairable() {
            let new = Prefix::new(format!("{name}-new"));
            checked.repair(&new).expect("what can be mended is mended");
            assert!(check(&new, None, None).expect("files can be read").is_sound());
        }
        let Ok(dataset) = IndexedDataset::open(&prefix) else { return };
        let mut tokens = 0;
        for number in 0..dataset.len() {
            match dataset.sequence(number) {
                Ok(sequence) => {
                    assert!(dataset.slice(number, 0, Some(sequence.len() + 1)).is_err());
                    tokens += sequence.len();
                }
                Err(_) => assert!(!checked.is_sound()),
            }
        }
        for number in 0..dataset.num_documents() {
            assert!(dataset.document(number).is_ok() || !checked.is_sound());
        }
        if checked.is_sound() {
            assert_eq!(dataset.summary().expect("it is sound").tokens, tokens);
            let out = Prefix::new(format!("{name}-merged"));
            let is_merged = merge(&out, &[dataset], None, None).is_ok();
            assert!(is_merged);
        }
    });
}

thread_local! {
    static FOLDER: OnceCell<tempfile::TempDir> = const { OnceCell::new() };
}

/// Calls `work` with a folder, the same one each time.
fn with_folder(work: impl FnOnce(&Path)) {
    FOLDER.with(|folder| {
        work(folder.get_or_init(|| tempfile::tempdir().expect("a temporary folder can be made")).path());
    });
}

/// Calls `work` with the name of a file that holds `bytes`.
fn with_file(bytes: &[u8], work: impl FnOnce(&str)) {
    with_folder(|folder| {
        let path = folder.join("data");
        fs::write(&path, bytes).expect("a file can be written");
        work(path.to_str().expect("temporary folders have names in UTF-8"));
    });
}
