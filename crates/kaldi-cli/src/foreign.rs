//! Advice for streams of another format than the expected one, from their first bytes.
//!
//! This code runs only after an error.

use bstr::ByteSlice;
use kaldi_io::{Advice, ExpectedStream, Lack, Moved, ParseError, is_script_line, is_space, split_key_off};

/// A foreign format.
struct Format {
    /// The bytes that identify it, and their offset.
    magic: &'static [u8],
    at: usize,
    what: &'static str,
    help: Help,
}

/// What to do with it.
#[derive(Clone, Copy)]
enum Help {
    /// This command writes the data to its standard output. `FILE` is replaced by the name.
    Command(&'static str),
    /// A waveform that audio tools read.
    Wave,
    /// A waveform that they do not read. The command makes one that they do.
    OtherWave(&'static str),
    /// A tool makes a table of its values.
    Import,
    /// Columns, which are a table or a corpus: a tool says which.
    Columns,
    /// Arrays, which a Python package makes a table of.
    Arrays,
    /// Samples in a tar file.
    Shard,
    /// Lines of which a tool makes a data directory.
    Manifest,
    /// A sentence.
    Text(&'static str),
}

const FFMPEG: Help = Help::OtherWave("ffmpeg -i FILE -f wav -");

const FORMATS: &[Format] = &[
    format(b"\x1f\x8b", "gzip-compressed data", Help::Command("gunzip -c FILE")),
    format(b"\x28\xb5\x2f\xfd", "zstd-compressed data", Help::Command("zstd -dc FILE")),
    format(b"BZh", "bzip2-compressed data", Help::Command("bunzip2 -c FILE")),
    format(b"\xfd7zXZ\0", "xz-compressed data", Help::Command("xz -dc FILE")),
    format(b"RIFF", "a WAV file", Help::Wave),
    format(b"RIFX", "a WAV file", Help::Wave),
    format(b"fLaC", "a FLAC file", Help::Wave),
    format(b"OggS", "an Ogg file", Help::Wave),
    format(b"ID3", "an MP3 file", Help::Wave),
    format(b"\xff\xfb", "an MP3 file", Help::Wave),
    format(b"\xff\xf3", "an MP3 file", Help::Wave),
    format(b"\xff\xf2", "an MP3 file", Help::Wave),
    format(b"\xff\xfa", "an MP3 file", Help::Wave),
    format(b"\xff\xf1", "an AAC file", Help::Wave),
    format(b"\xff\xf9", "an AAC file", Help::Wave),
    Format { at: 4, ..format(b"ftyp", "an MP4 or M4A file", Help::Wave) },
    format(b"\x1a\x45\xdf\xa3", "a WebM or Matroska file", Help::Wave),
    format(b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "a WMA file", FFMPEG),
    format(b"FORM", "an AIFF file", Help::Wave),
    format(b".snd", "an AU file", Help::Wave),
    format(b"#!AMR", "an AMR file", FFMPEG),
    format(b"caff", "a CAF file", Help::Wave),
    format(b"NIST_1A", "a NIST SPHERE file", Help::Wave),
    format(b"\x93NUMPY", "a NumPy array (.npy)", Help::Import),
    format(b"PK\x03\x04", "a zip file, such as .npz", Help::Import),
    format(b"\x89HDF\r", "an HDF5 file", Help::Arrays),
    format(b"PAR1", "a Parquet file", Help::Columns),
    format(b"ARROW1", "an Arrow file", Help::Columns),
    // The start of the metadata of a stream; what is before it has no fixed bytes but four ff.
    Format { at: 8, ..format(b"\x10\0\0\0\0\0\x0a\0", "a stream of Arrow", Help::Columns) },
    Format { at: 5, ..format(b"\0\0\0{\"", "a safetensors file", Help::Import) },
    format(b"\x80\x02", "a Python pickle", Help::Arrays),
    format(b"\x80\x03", "a Python pickle", Help::Arrays),
    format(b"\x80\x04\x95", "a Python pickle", Help::Arrays),
    format(b"\x80\x05\x95", "a Python pickle", Help::Arrays),
    format(b"\x89PNG", "a PNG picture", Help::Text("no tool here reads pictures")),
    Format { at: 257, ..format(b"ustar", "a tar file", Help::Shard) },
];

const fn format(magic: &'static [u8], what: &'static str, help: Help) -> Format {
    Format { magic, at: 0, what, help }
}

/// What the tools know about errors of the libraries. The function knows values: what they are instead, and which tool reads them.
pub struct ToolAdvice(pub fn(&ParseError) -> Option<String>);

impl Advice for ToolAdvice {
    fn on_stream(&self, head: &[u8], wanted: ExpectedStream, name: &str, fault: usize) -> Option<String> {
        recognize(head, wanted, name, fault)
    }

    fn on_value(&self, error: &ParseError) -> Option<String> {
        (self.0)(error)
    }

    fn on_moved(&self, moved: &Moved) -> String {
        advise_on_moved(moved)
    }

    fn on_lack(&self, lack: Lack) -> Option<String> {
        Some(match lack {
            Lack::WritingShards => "make-shard-list and copy-shards write them".to_owned(),
            Lack::KeysOfShards => "shards-to-scp writes a script file (scp:)".to_owned(),
            Lack::CopiesOfShards => "copy-shards copies shards".to_owned(),
            Lack::AnyOrder => "ark-to-scp makes a script file of it".to_owned(),
            Lack::TextOfBytes => "copy-feats and its like write text".to_owned(),
            Lack::Feature(feature) => build_with(feature),
            _ => return None,
        })
    }
}

/// Returns what a stream is and how it can be read, if its first bytes show that it is not what was expected.
///
/// `head` is the start of the stream, `fault` the offset at which it could not be read, and `name` its printable name.
fn recognize(head: &[u8], wanted: ExpectedStream, name: &str, fault: usize) -> Option<String> {
    match format_of(head) {
        // A tool that reads waveforms found one. Something is wrong after the magic bytes.
        Some(Format { help: Help::Wave, .. }) if wanted == ExpectedStream::Value && fault >= 4 => None,
        Some(format) => Some(format!("this is {}; {}", format.what, format.help.to_text(name))),
        None => kaldi_advice(head, wanted, name).or_else(|| {
            let what = if is_named(name, ".csv") { "a CSV file" } else { "a TSV file" };
            (is_named(name, ".csv") || is_named(name, ".tsv"))
                .then(|| format!("this is {what}; {}", Help::Import.to_text(name)))
        }),
    }
}

/// What a file in a foreign format is called, if it starts with these bytes.
pub(crate) fn foreign(head: &[u8]) -> Option<&'static str> {
    format_of(head).map(|format| format.what)
}

/// How a build gets a feature.
pub(crate) fn build_with(feature: &str) -> String {
    format!("cargo build --release --features={feature} makes one with it")
}

/// What to do if the file of an entry is not where the script file says.
fn advise_on_moved(moved: &Moved) -> String {
    let found = moved.found.display();
    let again =
        if moved.is_archive { format!("make a new script file: ark-to-scp {found} new.scp") } else { String::new() };
    match &moved.folder {
        Some(folder) => {
            let or = if again.is_empty() { "" } else { ", or " };
            format!(
                "{found} is there, since names count from where the tool runs: cd {} first{or}{again}",
                folder.display()
            )
        }
        None if again.is_empty() => format!("{found} is beside the script file"),
        None => format!("{found} is beside the script file; {again}"),
    }
}

/// The foreign format that starts with these bytes.
fn format_of(head: &[u8]) -> Option<&'static Format> {
    static LINES: Format = format(b"", "JSON text in lines", Help::Import);
    static MANIFEST: Format = format(b"", "a manifest of NeMo", Help::Manifest);
    static JSON: Format = format(b"", "JSON text", Help::Text("no tool here reads it"));
    let begins = |format: &&Format| head.get(format.at..).is_some_and(|rest| rest.starts_with(format.magic));
    let json = || {
        is_json(head).then(|| match head.split(|&byte| byte == b'\n').next().unwrap_or_default() {
            _ if is_json_line(head) => &LINES,
            line if line.contains_str("\"audio_filepath\"") => &MANIFEST,
            _ => &JSON,
        })
    };
    FORMATS.iter().find(begins).or_else(json)
}

/// Whether the name, which may be quoted, has this ending.
fn is_named(name: &str, extension: &str) -> bool {
    name.trim_end_matches(['\'', '"']).to_ascii_lowercase().ends_with(extension)
}

impl Help {
    fn to_text(self, name: &str) -> String {
        match self {
            Self::Command(command) => format!("read it through a command: '{} |'", on_file(command, name)),
            Self::Wave => {
                let tools = "tools such as compute-mfcc-feats and wav-copy read it";
                let file = name.rsplit('/').next().unwrap_or_default();
                let key = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
                let is_plain = !key.is_empty() && !name.contains(['\'', '"', ' ', '|']) && name != "standard input";
                match is_plain {
                    true => format!("{tools}, as a table 'scp:echo {key} {name} |'"),
                    false => {
                        format!("{tools}, tables of them by a script file with lines of a key and a file name (scp:)")
                    }
                }
            }
            Self::OtherWave(command) => {
                format!("tools for audio read it through a command: '{} |'", on_file(command, name))
            }
            Self::Columns if name == "standard input" || name.contains('|') => {
                "table-info says the command that reads it, if it is a file".to_owned()
            }
            Self::Columns => format!("table-info says the command that reads it: table-info {name}"),
            Self::Import if name == "standard input" || name.contains('|') => {
                "table-import makes a table of it, if it is a file".to_owned()
            }
            Self::Import => format!("table-import makes a table of it: table-import {name} ark:-"),
            Self::Shard if name == "standard input" => {
                "if it is a shard, write shard:- for its sound, or extract-shards takes it apart".to_owned()
            }
            Self::Shard => format!(
                "if it is a shard, write shard:{name} for its sound, or take it apart: extract-shards {name} data"
            ),
            Self::Manifest => format!("make-data-dir makes a data directory of it: make-data-dir {name} data"),
            Self::Arrays => "in Python, kaldiio.save_ark makes an archive of its arrays".to_owned(),
            Self::Text(text) => text.to_owned(),
        }
    }
}

/// Puts the name into a command. Standard input has no name there, and a quoted name could not be quoted again.
fn on_file(command: &str, name: &str) -> String {
    match name {
        "standard input" => command.replace(" FILE", ""),
        _ if name.contains(['\'', '"', ' ']) => command.to_owned(),
        _ => command.replace("FILE", name),
    }
}

/// Advice for Kaldi's own kinds of files, used in place of each other.
fn kaldi_advice(head: &[u8], wanted: ExpectedStream, name: &str) -> Option<String> {
    let name = if name == "standard input" { "-" } else { name };
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let entry = split_key_off(line).filter(|_| wanted != ExpectedStream::Archive);
    if let Some((key, value)) = entry {
        // Text of several integers has another form in a file, so an offset would not help.
        let is_same_in_files = value.starts_with(b"\0B") || is_bracket(value);
        if is_same_in_files && wanted == ExpectedStream::Value && name != "-" && !name.contains('|') {
            let offset = key.len() + 1;
            return Some(format!("{IS_ARCHIVE}: write ark:{name}, or {name}:{offset} for its first value"));
        }
        if is_same_in_files || is_numbers(value) {
            return Some(format!("{IS_ARCHIVE}: write ark:{name}"));
        }
    }
    if wanted != ExpectedStream::Lines && is_script_line(line) {
        return Some(format!("this is a script file (keys and file names): write scp:{name}"));
    }
    if wanted != ExpectedStream::Value && (head.starts_with(b"\0B") || is_bracket(head)) {
        return Some(format!("this is one value without a key, and no table: write {name} without ark: or scp:"));
    }
    None
}

const IS_ARCHIVE: &str = "this is an archive (keys before the values)";

/// Whether a matrix or a vector may start like this in text.
fn is_bracket(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    text.starts_with(b"[") && text.get(1).is_none_or(|&byte| is_space(byte))
}

fn is_numbers(text: &[u8]) -> bool {
    let mut words = text.split(|&byte| is_space(byte)).filter(|word| !word.is_empty()).peekable();
    words.peek().is_some() && words.all(is_number)
}

fn is_number(word: &[u8]) -> bool {
    std::str::from_utf8(word).is_ok_and(|word| word.parse::<f64>().is_ok())
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

/// Whether the text starts with a line that is an object with the entries `key` and `value`, as table-export writes them.
fn is_json_line(head: &[u8]) -> bool {
    let line = head.split(|&byte| byte == b'\n').next().unwrap_or_default().trim_ascii();
    line.starts_with(b"{") && line.contains_str("\"key\"") && line.contains_str("\"value\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The advice for a stream that starts with these bytes.
    fn said(head: &[u8], wanted: ExpectedStream, name: &str) -> String {
        recognize(head, wanted, name, 0).unwrap_or_else(|| "no idea".to_owned())
    }

    #[test]
    fn formats_of_others_are_told_by_their_first_bytes() {
        let mut tar = b"./feats.ark".to_vec();
        tar.resize(257, 0);
        tar.extend(b"ustar  ");
        for (head, expected) in [
            (&b"\x1f\x8b\x08\0\0\0"[..], "this is gzip-compressed data; read it through a command: 'gunzip -c x |'"),
            (b"\x28\xb5\x2f\xfd\0", "this is zstd-compressed data; read it through a command: 'zstd -dc x |'"),
            (b"BZh91AY", "this is bzip2-compressed data; read it through a command: 'bunzip2 -c x |'"),
            (b"\xfd7zXZ\0\0", "this is xz-compressed data; read it through a command: 'xz -dc x |'"),
            (
                b"RIFF\x24\0\0\0WAVEfmt ",
                "this is a WAV file; tools such as compute-mfcc-feats and wav-copy read it, as a table 'scp:echo x x |'",
            ),
            (b"fLaC\0\0\0\x22", "this is a FLAC file; tools such as compute-mfcc-feats"),
            (b"OggS\0\x02", "this is an Ogg file; tools such as compute-mfcc-feats and wav-copy read it, as a table"),
            (b"ID3\x04", "this is an MP3 file; tools such as compute-mfcc-feats"),
            (b"NIST_1A\n   1024\n", "this is a NIST SPHERE file; tools such as compute-mfcc-feats"),
            (b"#!AMR\n", "this is an AMR file; tools for audio read it through a command: 'ffmpeg -i x -f wav - |'"),
            (
                b"\x93NUMPY\x01\0",
                "this is a NumPy array (.npy); table-import makes a table of it: table-import x ark:-",
            ),
            (b"PK\x03\x04\x14", "this is a zip file, such as .npz; table-import makes"),
            (b"\x89HDF\r\n\x1a\n", "this is an HDF5 file; in Python"),
            (b"PAR1\x15", "this is a Parquet file; table-info says the command that reads it: table-info x"),
            (b"ARROW1\0\0", "this is an Arrow file; table-info says the command that reads it: table-info x"),
            (
                b"\xff\xff\xff\xff\x98\x02\0\0\x10\0\0\0\0\0\x0a\0\x0e\0",
                "this is a stream of Arrow; table-info says the command that reads it: table-info x",
            ),
            (b"\x40\0\0\0\0\0\0\0{\"a\":", "this is a safetensors file; table-import makes"),
            (b"{\"key\": \"a\", \"value\": [1]}\n", "this is JSON text in lines; table-import makes"),
            (b"\x80\x04\x95\x0b\0", "this is a Python pickle; in Python"),
            (b"\x80\x02}q\0", "this is a Python pickle; in Python"),
            (
                &tar,
                "this is a tar file; if it is a shard, write shard:x for its sound, or take it apart: extract-shards x data",
            ),
            (
                b"{\"audio_filepath\": \"a.wav\"}\n",
                "this is a manifest of NeMo; make-data-dir makes a data directory of it",
            ),
            (b"{\n  \"utts\": {", "this is JSON text; "),
            (b"{", "this is JSON text; "),
            (b"[[1, 2], [3, 4]]", "this is JSON text; "),
        ] {
            for wanted in [ExpectedStream::Archive, ExpectedStream::Lines, ExpectedStream::Value] {
                let said = said(head, wanted, "x");
                assert!(said.starts_with(expected), "{said}");
            }
        }
    }

    #[test]
    fn kaldis_files_in_the_place_of_others_are_told_by_their_first_line() {
        let archive = "this is an archive (keys before the values): write ark:x";
        let script = "this is a script file (keys and file names): write scp:x";
        let value = "this is one value without a key, and no table: write x without ark: or scp:";
        let first = |offset: usize| format!("{archive}, or x:{offset} for its first value");
        let nothing = "no idea".to_owned();
        for (head, for_archive, for_lines, for_value) in [
            (&b"utt1 \0BFM \x04"[..], nothing.clone(), archive.to_owned(), first(5)),
            (b"utt1  [\n  1 2\n", nothing.clone(), archive.to_owned(), first(5)),
            (b"u [ 1 2 ]\n", nothing.clone(), archive.to_owned(), first(2)),
            (b"utt1 3 4 5\nutt2 6\n", nothing.clone(), archive.to_owned(), archive.to_owned()),
            (b"utt1 raw.ark:5\nutt2 raw.ark:9\n", script.to_owned(), nothing.clone(), script.to_owned()),
            (b"utt1 /data/raw\n", script.to_owned(), nothing.clone(), script.to_owned()),
            (b"utt1 sox a.wav -t wav - |\n", script.to_owned(), nothing.clone(), script.to_owned()),
            (b"utt1 raw.ark:5[0:3]", script.to_owned(), nothing.clone(), script.to_owned()),
            (b"\0BFM \x04", value.to_owned(), value.to_owned(), nothing.clone()),
            (b" [\n 1 2 ]\n", value.to_owned(), value.to_owned(), nothing.clone()),
            (b"utt1 word word.\n", nothing.clone(), nothing.clone(), nothing.clone()),
            (b"utt1 word\n", nothing.clone(), nothing.clone(), nothing.clone()),
            (b"utt1 10:5\n", nothing.clone(), nothing.clone(), nothing.clone()),
            (b"1 2\n3 4\n", nothing.clone(), nothing.clone(), nothing.clone()),
            (b"<Plda>  [ 1 2 ]", nothing.clone(), nothing.clone(), nothing.clone()),
            (b"", nothing.clone(), nothing.clone(), nothing.clone()),
        ] {
            assert_eq!(said(head, ExpectedStream::Archive, "x"), for_archive, "{}", head.escape_ascii());
            assert_eq!(said(head, ExpectedStream::Lines, "x"), for_lines, "{}", head.escape_ascii());
            assert_eq!(said(head, ExpectedStream::Value, "x"), for_value, "{}", head.escape_ascii());
        }
    }

    #[test]
    fn a_waveform_is_no_foreigner_to_its_reader() {
        assert_eq!(recognize(b"RIFF\x24\0\0\0WAVEfmt ", ExpectedStream::Value, "x", 20), None);
    }

    #[test]
    fn advice_can_be_pasted_whatever_the_name_is() {
        let gzip = b"\x1f\x8b\x08";
        assert!(
            said(b"PAR1", ExpectedStream::Archive, "standard input")
                .ends_with("table-info says the command that reads it, if it is a file")
        );
        assert_eq!(
            said(b"a,1,2\n", ExpectedStream::Archive, "'\u{e4}.csv'"),
            "this is a CSV file; table-import makes a table of it: table-import '\u{e4}.csv' ark:-"
        );
        assert_eq!(said(b"a,1,2\n", ExpectedStream::Archive, "x"), "no idea");
        let wave = |name: &str| said(b"RIFF\x24\0\0\0WAVE", ExpectedStream::Archive, name);
        assert!(wave("d/anna.wav").ends_with("as a table 'scp:echo anna d/anna.wav |'"));
        assert!(wave("standard input").ends_with("a key and a file name (scp:)"));
        assert!(wave("'a b.wav'").ends_with("a key and a file name (scp:)"));
        assert!(said(gzip, ExpectedStream::Archive, "standard input").ends_with("'gunzip -c |'"));
        assert!(said(gzip, ExpectedStream::Archive, "'cat x |'").ends_with("'gunzip -c FILE |'"));
        assert!(said(b"a \0B", ExpectedStream::Value, "standard input").ends_with("write ark:-"));
        assert!(said(b"a \0B", ExpectedStream::Value, "'cat x |'").ends_with("write ark:'cat x |'"));
    }
}
