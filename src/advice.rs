//! Advice for streams of another format than the expected one, from their first bytes.
//!
//! This code runs only after an error.

use kaldi_any::{FileKind, TypeAdvice};
use kaldi_cli::MissingFeature;
use kaldi_io::{Advice, ExpectedStream, Lack, Moved, ParseError, is_script_line, is_space, split_key_off};

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

const NOTHING: Help = Help::Text("no tool here reads it");

/// What to do with a file of this kind.
fn help(kind: FileKind) -> Help {
    match kind {
        FileKind::Gzip | FileKind::Zstd | FileKind::Bzip2 | FileKind::Xz => {
            kind.command().map_or(NOTHING, Help::Command)
        }
        sound if sound.is_sound() => Help::Wave,
        FileKind::Wma | FileKind::Amr => kind.command().map_or(NOTHING, Help::OtherWave),
        FileKind::Npy | FileKind::Npz | FileKind::Safetensors | FileKind::JsonLines | FileKind::Csv | FileKind::Tsv => {
            Help::Import
        }
        FileKind::Parquet | FileKind::Arrow | FileKind::ArrowStream => Help::Columns,
        FileKind::Hdf5 | FileKind::Pickle | FileKind::PyTorch => Help::Arrays,
        FileKind::Tar => Help::Shard,
        FileKind::NemoManifest => Help::Manifest,
        FileKind::TokenIndex => Help::Text("indexed-info describes it"),
        FileKind::Htk => Help::Text("copy-feats --htk-in reads such files by a script file (scp:)"),
        FileKind::Fst => Help::Text("table-head prints it, as a file without ark: or scp:"),
        FileKind::Ctm | FileKind::Rttm | FileKind::Stm => Help::Text("table-check and table-stats read it"),
        FileKind::LfsPointer => Help::Text("git lfs pull fetches the file"),
        FileKind::Png | FileKind::Jpeg | FileKind::Gif | FileKind::Svg => Help::Text("no tool here reads pictures"),
        FileKind::Zip => Help::Text("unzip takes it apart"),
        _ => NOTHING,
    }
}

/// What the tools know about errors of the libraries.
pub struct ToolAdvice;

impl Advice for ToolAdvice {
    fn on_stream(&self, head: &[u8], wanted: ExpectedStream, name: &str, fault: usize) -> Option<String> {
        recognize(head, wanted, name, fault)
    }

    fn on_value(&self, error: &ParseError) -> Option<String> {
        Some(TypeAdvice::on(error)?.to_string())
    }

    fn on_moved(&self, moved: &Moved) -> String {
        advise_on_moved(moved)
    }

    fn on_lack(&self, lack: Lack) -> Option<String> {
        let advice = match lack {
            Lack::WritingShards => "make-shard-list and copy-shards write them",
            Lack::KeysOfShards => "shards-to-scp writes a script file (scp:)",
            Lack::CopiesOfShards => "copy-shards copies shards",
            Lack::AnyOrder => "ark-to-scp makes a script file of it",
            Lack::TextOfBytes => "copy-feats and its like write text",
            Lack::BytesOnTerminal => {
                "ark,t:- writes text, and table-head shows what is in a table; | and > take binary data"
            }
            Lack::Feature(feature) => return Some(MissingFeature(feature).advice()),
            _ => return None,
        };
        Some(advice.to_owned())
    }

    fn file_kind(&self, head: &[u8]) -> Option<&'static str> {
        FileKind::of(head).filter(|kind| !kind.is_plain_text()).map(FileKind::phrase)
    }
}

/// Returns what a stream is and how it can be read, if its first bytes show that it is not what was expected.
///
/// `head` is the start of the stream, `fault` the offset at which it could not be read, and `name` its printable name.
fn recognize(head: &[u8], wanted: ExpectedStream, name: &str, fault: usize) -> Option<String> {
    match FileKind::of(head) {
        // A tool that reads such values found one. Something is wrong after the magic bytes.
        Some(kind) if kind.is_value() && wanted == ExpectedStream::Value && fault >= 4 => None,
        Some(kind) => Some(advise(kind, name)),
        None => kaldi_advice(head, wanted, name)
            .or_else(|| FileKind::of_name(name.as_bytes()).map(|kind| advise(kind, name))),
    }
}

/// Says what a file is, and what to do with it.
fn advise(kind: FileKind, name: &str) -> String {
    format!("this is {}; {}", kind.phrase(), help(kind).to_text(name))
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
            Self::Import => {
                let command = kaldi_cli::for_terminal(&format!("table-import {name} ark:-"));
                format!("table-import makes a table of it: {command}")
            }
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
        let is_sound = FileKind::of(value).is_some_and(FileKind::is_value);
        let is_same_in_files = value.starts_with(b"\0B") || is_bracket(value) || is_sound;
        if is_same_in_files && wanted == ExpectedStream::Value && name != "-" && !name.contains('|') {
            let offset = key.len() + 1;
            return Some(format!("{IS_ARCHIVE}: write ark:{name}, or {name}:{offset} for its first value"));
        }
        if is_same_in_files || is_numbers(value) {
            return Some(format!("{IS_ARCHIVE}: write ark:{name}"));
        }
    }
    if !matches!(wanted, ExpectedStream::Lines | ExpectedStream::Script) && is_script_line(line) {
        return Some(format!("this is a script file (keys and file names): write scp:{name}"));
    }
    if matches!(wanted, ExpectedStream::Archive | ExpectedStream::Script)
        && (head.starts_with(b"\0B") || is_bracket(head))
    {
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
            (b"PK\x03\x04\x14", "this is a zip file of NumPy arrays (.npz); table-import makes"),
            (b"MMIDIDX\0\0\x01", "this is the index of a token dataset; indexed-info describes it"),
            (b"#!/bin/sh\n", "this is a program in text form; no tool here reads it"),
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
            for wanted in
                [ExpectedStream::Archive, ExpectedStream::Script, ExpectedStream::Lines, ExpectedStream::Value]
            {
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
        for (head, for_archive, for_script, for_value) in [
            (&b"utt1 \0BFM \x04"[..], nothing.clone(), archive.to_owned(), first(5)),
            (b"utt1  [\n  1 2\n", nothing.clone(), archive.to_owned(), first(5)),
            (b"u [ 1 2 ]\n", nothing.clone(), archive.to_owned(), first(2)),
            (b"utt1 RIFF\x24\0\0\0WAVEfmt ", nothing.clone(), archive.to_owned(), first(5)),
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
            assert_eq!(said(head, ExpectedStream::Script, "x"), for_script, "{}", head.escape_ascii());
            let for_lines = if for_script == value { &nothing } else { &for_script };
            assert_eq!(said(head, ExpectedStream::Lines, "x"), *for_lines, "{}", head.escape_ascii());
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
