//! What a file is that has no value of Kaldi's tables, by its first bytes (magic bytes) or its first lines.
//!
//! This is the one list of such kinds. Messages, outputs that must not replace other files, and the tools that describe files ask it.

use std::collections::HashSet;

use bstr::ByteSlice;
use kaldi_io::is_space;

/// Lines that are looked at.
const LINES: usize = 20;

/// Bytes that are enough to tell a kind.
pub const FILE_HEAD: usize = 1 << 12;

/// A kind of files. [`FileKind::phrase`] says what each of them is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum FileKind {
    Gzip,
    Zstd,
    Bzip2,
    Xz,
    Wav,
    Flac,
    Ogg,
    Mp3,
    Aac,
    Mp4,
    Matroska,
    Aiff,
    Au,
    Caf,
    Sphere,
    Wma,
    Amr,
    Npy,
    Npz,
    Safetensors,
    Parquet,
    Arrow,
    ArrowStream,
    Tar,
    Hdf5,
    Pickle,
    PyTorch,
    Zip,
    /// The index of a token dataset.
    TokenIndex,
    /// The index of an older kind of token dataset, which is not read.
    OldTokenIndex,
    Htk,
    /// A graph of OpenFst.
    Fst,
    /// Lines of JSON with keys and values, as `table-export` writes them.
    JsonLines,
    /// A manifest of NeMo.
    NemoManifest,
    /// Another array or object in JSON.
    Json,
    Csv,
    Tsv,
    /// Times of words.
    Ctm,
    /// Times of speakers.
    Rttm,
    /// Times of segments with their words.
    Stm,
    Arpa,
    TextGrid,
    Png,
    Jpeg,
    Gif,
    Svg,
    Pdf,
    Html,
    Xml,
    Script,
    Elf,
    Sqlite,
    /// What Git has in place of a file that was not fetched.
    LfsPointer,
}

/// The facts of a kind.
struct Row {
    kind: FileKind,
    name: &'static str,
    phrase: &'static str,
    /// Bytes at offsets, each of which identifies the kind.
    magic: &'static [(usize, &'static [u8])],
}

const fn row(
    kind: FileKind,
    name: &'static str,
    phrase: &'static str,
    magic: &'static [(usize, &'static [u8])],
) -> Row {
    Row { kind, name, phrase, magic }
}

/// A row for each kind, in the order of [`FileKind`].
const ROWS: &[Row] = &[
    row(FileKind::Gzip, "gzip", "gzip-compressed data", &[(0, b"\x1f\x8b")]),
    row(FileKind::Zstd, "zstd", "zstd-compressed data", &[(0, b"\x28\xb5\x2f\xfd")]),
    row(FileKind::Bzip2, "bzip2", "bzip2-compressed data", &[(0, b"BZh")]),
    row(FileKind::Xz, "xz", "xz-compressed data", &[(0, b"\xfd7zXZ\0")]),
    row(FileKind::Wav, "wav", "a WAV file", &[(0, b"RIFF"), (0, b"RIFX"), (0, b"RF64"), (0, b"BW64")]),
    row(FileKind::Flac, "flac", "a FLAC file", &[(0, b"fLaC")]),
    row(FileKind::Ogg, "ogg", "an Ogg file", &[(0, b"OggS")]),
    row(
        FileKind::Mp3,
        "mp3",
        "an MP3 file",
        &[(0, b"ID3"), (0, b"\xff\xfb"), (0, b"\xff\xf3"), (0, b"\xff\xf2"), (0, b"\xff\xfa")],
    ),
    row(FileKind::Aac, "aac", "an AAC file", &[(0, b"\xff\xf1"), (0, b"\xff\xf9")]),
    row(FileKind::Mp4, "mp4", "an MP4 or M4A file", &[(4, b"ftyp")]),
    row(FileKind::Matroska, "matroska", "a WebM or Matroska file", &[(0, b"\x1a\x45\xdf\xa3")]),
    row(FileKind::Aiff, "aiff", "an AIFF file", &[(0, b"FORM")]),
    row(FileKind::Au, "au", "an AU file", &[(0, b".snd")]),
    row(FileKind::Caf, "caf", "a CAF file", &[(0, b"caff")]),
    row(FileKind::Sphere, "sphere", "a NIST SPHERE file", &[(0, b"NIST_1A")]),
    row(FileKind::Wma, "wma", "a WMA file", &[(0, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11")]),
    row(FileKind::Amr, "amr", "an AMR file", &[(0, b"#!AMR")]),
    row(FileKind::Npy, "npy", "a NumPy array (.npy)", &[(0, array_files::npy::MAGIC)]),
    row(FileKind::Npz, "npz", "a zip file of NumPy arrays (.npz)", &[]),
    row(FileKind::Safetensors, "safetensors", "a safetensors file", &[(5, b"\0\0\0{\""), (5, b"\0\0\0{}")]),
    row(FileKind::Parquet, "parquet", "a Parquet file", &[(0, b"PAR1")]),
    row(FileKind::Arrow, "arrow", "an Arrow file", &[(0, b"ARROW1")]),
    // The start of the metadata; what is before it has no fixed bytes but four ff.
    row(FileKind::ArrowStream, "arrow", "a stream of Arrow", &[(8, b"\x10\0\0\0\0\0\x0a\0")]),
    row(FileKind::Tar, "tar", "a tar file", &[(257, b"ustar")]),
    row(FileKind::Hdf5, "hdf5", "an HDF5 file", &[(0, b"\x89HDF\r")]),
    row(
        FileKind::Pickle,
        "pickle",
        "a Python pickle",
        &[(0, b"\x80\x02"), (0, b"\x80\x03"), (0, b"\x80\x04\x95"), (0, b"\x80\x05\x95")],
    ),
    row(FileKind::PyTorch, "pytorch", "a PyTorch file", &[]),
    row(FileKind::Zip, "zip", "a zip file", &[(0, b"PK\x03\x04"), (0, b"PK\x05\x06")]),
    row(FileKind::TokenIndex, "token index", "the index of a token dataset", &[(0, b"MMIDIDX\0\0")]),
    row(
        FileKind::OldTokenIndex,
        "old token index",
        "the index of a token dataset of an older kind",
        &[(0, b"TNTIDX\0\0"), (0, b"HUFFIDX\0\0")],
    ),
    row(FileKind::Htk, "htk", "an HTK parameter file", &[]),
    row(FileKind::Fst, "fst", "an FST of OpenFst", &[(0, b"\xd6\xfd\xb2\x7e")]),
    row(FileKind::JsonLines, "json lines", "JSON text in lines", &[]),
    row(FileKind::NemoManifest, "manifest of NeMo", "a manifest of NeMo", &[]),
    row(FileKind::Json, "json", "JSON text", &[]),
    row(FileKind::Csv, "csv", "a CSV file", &[]),
    row(FileKind::Tsv, "tsv", "a TSV file", &[]),
    row(FileKind::Ctm, "ctm", "a CTM file", &[]),
    row(FileKind::Rttm, "rttm", "an RTTM file", &[]),
    row(FileKind::Stm, "stm", "an STM file", &[]),
    row(FileKind::Arpa, "arpa", "a language model in ARPA format", &[]),
    row(FileKind::TextGrid, "textgrid", "a TextGrid of Praat", &[(0, b"File type = \"ooTextFile")]),
    row(FileKind::Png, "png", "a PNG picture", &[(0, b"\x89PNG")]),
    row(FileKind::Jpeg, "jpeg", "a JPEG picture", &[(0, b"\xff\xd8\xff")]),
    row(FileKind::Gif, "gif", "a GIF picture", &[(0, b"GIF87a"), (0, b"GIF89a")]),
    row(FileKind::Svg, "svg", "an SVG picture", &[(0, b"<svg")]),
    row(FileKind::Pdf, "pdf", "a PDF file", &[(0, b"%PDF-")]),
    row(FileKind::Html, "html", "an HTML page", &[]),
    row(FileKind::Xml, "xml", "an XML file", &[(0, b"<?xml")]),
    row(FileKind::Script, "program", "a program in text form", &[(0, b"#!")]),
    row(FileKind::Elf, "program", "a program", &[(0, b"\x7fELF")]),
    row(FileKind::Sqlite, "sqlite", "an SQLite database", &[(0, b"SQLite format 3\0")]),
    row(
        FileKind::LfsPointer,
        "pointer of Git LFS",
        "a pointer of Git LFS, whose file was not fetched",
        &[(0, b"version https://git-lfs.")],
    ),
];

impl FileKind {
    /// The kind of a file that starts with these bytes; `None` for everything that may be Kaldi's, and for what is not known.
    pub fn of(head: &[u8]) -> Option<Self> {
        let has = |row: &&Row| {
            row.magic.iter().any(|(at, magic)| head.get(*at..).is_some_and(|rest| rest.starts_with(magic)))
        };
        match ROWS.iter().find(has).map(|row| row.kind) {
            Some(Self::Zip) => Some(Self::of_member(head)),
            Some(kind) => Some(kind),
            None => Self::of_text(head),
        }
    }

    /// As [`FileKind::of`], of a file with this name and length, which tell a few kinds more.
    pub fn of_file(name: &[u8], head: &[u8], length: u64) -> Option<Self> {
        Self::of(head).or_else(|| Self::of_name(name).filter(|_| !head.contains(&0))).or_else(|| {
            if is_htk(head, length) {
                Some(Self::Htk)
            } else if head.contains(&0) {
                None
            } else {
                Self::of_lines(head)
            }
        })
    }

    /// The kind of a text by the ending of its name, where its lines may be anything.
    pub fn of_name(name: &[u8]) -> Option<Self> {
        let name = name.trim_end_with(|c| matches!(c, '\'' | '"')).to_ascii_lowercase();
        let file = name.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
        let is = |suffix: &str| {
            file.strip_suffix(suffix.as_bytes()).is_some_and(|stem| stem.is_empty() || stem.ends_with(b"."))
        };
        let known =
            [("csv", Self::Csv), ("tsv", Self::Tsv), ("ctm", Self::Ctm), ("rttm", Self::Rttm), ("stm", Self::Stm)];
        known
            .into_iter()
            .find(|(suffix, kind)| is(suffix) && (file.len() > suffix.len() || !matches!(kind, Self::Csv | Self::Tsv)))
            .map(|(_, kind)| kind)
    }

    /// The name of the kind: `npy`, `ctm`, `html`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Its name in a sentence: `a NumPy array (.npy)`.
    pub fn phrase(self) -> &'static str {
        self.row().phrase
    }

    /// The command that reads a file, which is `FILE` in it; `None` if there is none, or the kind has more to say.
    pub fn command(self) -> Option<&'static str> {
        Some(match self {
            Self::Gzip => "gunzip -c FILE",
            Self::Zstd => "zstd -dc FILE",
            Self::Bzip2 => "bunzip2 -c FILE",
            Self::Xz => "xz -dc FILE",
            Self::Wma | Self::Amr => "ffmpeg -i FILE -f wav -",
            Self::Npy | Self::Npz | Self::Safetensors | Self::JsonLines | Self::Csv | Self::Tsv => {
                "table-import FILE ark:-"
            }
            Self::TokenIndex => "indexed-info FILE",
            Self::Ctm | Self::Rttm | Self::Stm => "table-stats FILE",
            Self::NemoManifest => "make-data-dir FILE data",
            Self::Zip | Self::PyTorch => "unzip -l FILE",
            Self::LfsPointer => "git lfs pull",
            _ => return None,
        })
    }

    /// Whether it is sound that tools for audio read.
    pub fn is_sound(self) -> bool {
        use FileKind::{Aac, Aiff, Au, Caf, Flac, Matroska, Mp3, Mp4, Ogg, Sphere, Wav};
        matches!(self, Wav | Flac | Ogg | Mp3 | Aac | Mp4 | Matroska | Aiff | Au | Caf | Sphere)
    }

    /// Whether it is text that may be written and replaced as any other text.
    pub fn is_plain_text(self) -> bool {
        use FileKind::{Arpa, Html, LfsPointer, Script, Svg, TextGrid, Xml};
        matches!(self, Arpa | Html | LfsPointer | Script | Svg | TextGrid | Xml)
    }

    /// Whether tools read it as a value of a table: sound, features of HTK, a graph.
    pub fn is_value(self) -> bool {
        self.is_sound() || matches!(self, Self::Htk | Self::Fst)
    }

    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// The kind of a zip file, by the name of its first member.
    fn of_member(head: &[u8]) -> Self {
        let length = head.get(26..28).map_or(0, |bytes| usize::from(bytes[0]) | usize::from(bytes[1]) << 8);
        match head.get(30..30 + length) {
            // If no member is in sight, arrays are what tools here make of such a file.
            None => Self::Npz,
            Some(name) if name.ends_with(b".npy") => Self::Npz,
            Some(name) if name.ends_with(b"/data.pkl") => Self::PyTorch,
            _ => Self::Zip,
        }
    }

    fn of_text(head: &[u8]) -> Option<Self> {
        let text = head.trim_ascii_start();
        let begins = |word: &[u8]| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        if is_json(head) {
            let line = text.lines().next().unwrap_or_default();
            return Some(if is_json_line(line) {
                Self::JsonLines
            } else if line.contains_str("\"audio_filepath\"") {
                Self::NemoManifest
            } else {
                Self::Json
            });
        }
        if begins(b"<!doctype html") || begins(b"<html") {
            return Some(Self::Html);
        }
        (text.starts_with(b"\\data\\") && text.contains_str("ngram 1")).then_some(Self::Arpa)
    }

    /// The kind of a text by all of its first lines, which have to be of one form.
    fn of_lines(head: &[u8]) -> Option<Self> {
        // The last line may be cut.
        let whole = if head.len() < FILE_HEAD { head } else { &head[..head.rfind_byte(b'\n').unwrap_or(head.len())] };
        let is_there = |line: &&[u8]| !line.is_empty() && !line.starts_with(b";;");
        let lines: Vec<&[u8]> = whole.lines().map(<[u8]>::trim_ascii).filter(is_there).take(LINES).collect();
        let all = |is: fn(&[u8]) -> bool| !lines.is_empty() && lines.iter().all(|line| is(line));
        if all(is_speaker_line) {
            return Some(Self::Rttm);
        }
        if all(is_word_line) && !are_segments(&lines) {
            return Some(Self::Ctm);
        }
        if all(is_segment_line) {
            return Some(Self::Stm);
        }
        let commas = |line: &[u8]| line.iter().filter(|&&byte| byte == b',').count();
        let fields = lines.first().map_or(0, |line| commas(line));
        // The key of an entry has a blank after it.
        let is_csv = |line: &&[u8]| commas(line) == fields && !line.iter().any(u8::is_ascii_whitespace);
        (fields > 0 && lines.iter().all(is_csv)).then_some(Self::Csv)
    }
}

fn words(line: &[u8]) -> Vec<&[u8]> {
    line.split(|&byte| is_space(byte)).filter(|word| !word.is_empty()).collect()
}

/// Whether it is a number of seconds, with a point, as programs write times.
fn is_time(word: &[u8]) -> bool {
    word.contains(&b'.') && is_number(word)
}

fn is_number(word: &[u8]) -> bool {
    std::str::from_utf8(word).is_ok_and(|word| word.parse::<f64>().is_ok_and(f64::is_finite))
}

/// Types of the lines of an RTTM file.
const RTTM_TYPES: [&[u8]; 12] = [
    b"SPEAKER",
    b"SPKR-INFO",
    b"SEGMENT",
    b"NOSCORE",
    b"NO_RT_METADATA",
    b"LEXEME",
    b"NON-LEX",
    b"NON-SPEECH",
    b"FILLER",
    b"EDIT",
    b"SU",
    b"A/P",
];

fn is_speaker_line(line: &[u8]) -> bool {
    let words = words(line);
    (8..=10).contains(&words.len()) && RTTM_TYPES.contains(&words[0])
}

/// Recording, channel, start, duration, word, and perhaps confidence, type and speaker.
fn is_word_line(line: &[u8]) -> bool {
    let words = words(line);
    (5..=8).contains(&words.len()) && is_channel(words[1]) && is_time(words[2]) && is_time(words[3])
}

/// Whether lines that look like CTM are those of `segments`, whose recordings have short names: utterance, recording, start, end and
/// the number of a channel. No utterance comes twice.
fn are_segments(lines: &[&[u8]]) -> bool {
    let number = |word: &[u8]| std::str::from_utf8(word).ok()?.parse::<f64>().ok();
    let mut keys = HashSet::new();
    lines.iter().all(|line| {
        let words = words(line);
        words.len() == 5
            && matches!(words[4], b"0" | b"1")
            && number(words[2]) < number(words[3])
            && keys.insert(words[0])
    })
}

/// Recording, channel, speaker, start, end, and perhaps a label and words.
fn is_segment_line(line: &[u8]) -> bool {
    let words = words(line);
    words.len() >= 5 && is_channel(words[1]) && is_time(words[3]) && is_time(words[4])
}

/// `1`, `A`: a channel. Longer names are those of recordings in `segments`; a bracket is that of a vector.
fn is_channel(word: &[u8]) -> bool {
    word.len() <= 2 && word.iter().all(u8::is_ascii_alphanumeric)
}

/// Whether the file has as many bytes as the header of HTK says, twelve bytes in big-endian order: vectors, their period, their
/// size, and their kind.
fn is_htk(head: &[u8], length: u64) -> bool {
    let Some(header) = head.first_chunk::<12>() else { return false };
    let [a, b, c, d, e, f, g, h, size @ .., kind, _] = *header;
    let (count, period) = (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h]));
    let [high, low] = size;
    let bytes = u64::from(count) * u64::from(u16::from_be_bytes([high, low]));
    // A checksum of two bytes may follow.
    let is_all = length == 12 + bytes || length == 14 + bytes;
    bytes > 0 && period > 0 && kind < 0x80 && is_all
}

/// Whether the text starts as JSON does and a matrix does not: with a brace and a name, or two brackets.
fn is_json(head: &[u8]) -> bool {
    let mut bytes = head.iter().copied().filter(|&byte| !is_space(byte));
    match (bytes.next(), bytes.next()) {
        (Some(b'{'), second) => matches!(second, None | Some(b'"' | b'}')),
        (Some(b'['), Some(second)) => matches!(second, b'{' | b'"' | b'['),
        _ => false,
    }
}

/// Whether the line is an object with the entries `key` and `value`, as table-export writes them.
fn is_json_line(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    line.starts_with(b"{") && line.contains_str("\"key\"") && line.contains_str("\"value\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_row_in_its_place() {
        for (at, row) in ROWS.iter().enumerate() {
            assert_eq!(row.kind as usize, at, "{}", row.name);
            assert!(row.magic.iter().all(|(_, magic)| magic.len() >= 2));
        }
        assert_eq!(ROWS.len(), FileKind::LfsPointer as usize + 1);
    }

    #[test]
    fn lines_of_one_form_make_a_kind_whatever_the_name_is() {
        let kind = |text: &str| FileKind::of_file(b"x", text.as_bytes(), text.len() as u64).map(FileKind::name);
        for (text, expected) in [
            ("a 1 0.00 0.5 hello\na 1 0.50 0.2 you 0.9\n", Some("ctm")),
            (";; made by sclite\na A 0.00 0.5 hello 0.8 lex s1\n", Some("ctm")),
            ("SPEAKER a 1 0 5.5 <NA> <NA> s1 <NA> <NA>\n", Some("rttm")),
            ("a 1 s1 0.00 5.50 <o,f0> hello you\na 1 s1 5.50 6.00\n", Some("stm")),
            ("a  [ 1.5 2.5 ]\nb  [ 1.5 2.5 ]\n", None),
            ("a  [ 1.5 2.5 3.5 4.5 ]\n", None),
            ("a,1.0,2.0\nb,1.0,2.0\n", Some("csv")),
            ("{\"key\": \"a\", \"value\": [1]}\n", Some("json lines")),
            ("[\n {\"id\": \"a\"}\n]\n", Some("json")),
            ("<!DOCTYPE HTML>\n<html>", Some("html")),
            ("#!/bin/sh\n", Some("program")),
            ("\n\\data\\\nngram 1=3\n", Some("arpa")),
            // Entries of tables.
            ("a 1 2 3 4\n", None),
            ("u1 rec1 0.00 1.50 1\n", None),
            ("a hello, you\nb world, and, more\n", None),
            ("a 1 0.5 0.5 litres\nb no more words\n", None),
            ("[ 1 2 ]\n", None),
            (" [\n 1 2 ]\n", None),
            ("a [ 1 2 ]\n", None),
            ("u1\nu2\n", None),
            ("", None),
        ] {
            assert_eq!(kind(text), expected, "{text}");
        }
        let named = |name: &str, text: &str| FileKind::of_file(name.as_bytes(), text.as_bytes(), 0).map(FileKind::name);
        assert_eq!(named("d/ctm", "a 1 0 1 hello\n"), Some("ctm"));
        assert_eq!(named("x.stm", "a 1 2 3 4 hello\n"), Some("stm"));
        assert_eq!(named("t.csv", "a,\"b c\"\n"), Some("csv"));
        assert_eq!(named("csv", "a b\n"), None);
    }

    #[test]
    fn a_header_of_htk_has_to_fit_the_file() {
        let head = [0, 0, 0, 2, 0, 1, 0x86, 0xa0, 0, 8, 0, 9];
        assert_eq!(FileKind::of_file(b"x", &head, 28), Some(FileKind::Htk));
        assert_eq!(FileKind::of_file(b"x", &head, 30), Some(FileKind::Htk));
        assert_eq!(FileKind::of_file(b"x", &head, 29), None);
        assert_eq!(FileKind::of_file(b"x", &[0; 12], 12), None);
    }

    #[test]
    fn zip_files_are_told_apart_by_their_first_member() {
        let zip = |name: &str| {
            let mut head = b"PK\x03\x04".to_vec();
            head.resize(26, 0);
            head.extend([name.len() as u8, 0, 0, 0]);
            head.extend(name.bytes());
            FileKind::of(&head).map(FileKind::name)
        };
        assert_eq!([zip("a.npy"), zip("model/data.pkl"), zip("a.txt")], [Some("npz"), Some("pytorch"), Some("zip")]);
    }
}
