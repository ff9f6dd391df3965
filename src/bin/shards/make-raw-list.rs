//! Makes a raw list of a data directory.
//!
//! Writes the same bytes as WeNet's `make_raw_list.py`, except that names with blanks and commands are written with a
//! warning (the script refuses them), and that a missing or repeated key is an error with its name.

use anyhow::{Context, Result, bail};
use bstr::ByteSlice;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_corpus::{Segments, are_recordings, read_recordings, read_text, write_raw_line};
use kaldi_io::{Output, printable_rxfilename};
use kaldi_log::{log, warning};

const USAGE: &str = "\
Makes a raw list, an utterance per line as an object in JSON, in the order of the text.

Usage: make-raw-list [options] <wav-scp-rxfilename> <text-rxfilename> <list-wxfilename>
 e.g.: make-raw-list data/train/wav.scp data/train/text data/train/data.list
       make-raw-list --segments=data/train/segments data/train/wav.scp data/train/text data.list
A line: {\"key\": \"utt1\", \"wav\": \"wav/utt1.wav\", \"txt\": \"hello\"}, with \"start\" and \"end\" in seconds for a segment.
See also: make-shard-list
";

#[derive(option_table::Options)]
struct Options {
    /// File of segments: the text has their keys, and they are parts of the recordings
    #[option]
    segments: Option<InputName>,
    recordings: InputName,
    text: InputName,
    list: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(make_raw_list))
    .writing_lists()
    .in_pieces(&[(kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Lines(1))]);

fn make_raw_list(opts: Options) -> Result<Tally> {
    let (name, text) = (&opts.text, read_text(&opts.text)?);
    if are_recordings(&text) {
        bail!("{name}: expected text, got names of recordings: were {} and {name} swapped?", opts.recordings);
    }
    let recordings = read_recordings(&opts.recordings)?;
    let segments = opts.segments.as_deref().map(Segments::read_mono).transpose()?;
    let mut list = Output::create(&opts.list, false)?;

    let (mut done, mut num_odd) = (0, 0);
    let mut line = Vec::new();
    for (key, txt) in text {
        let segment = match &segments {
            Some(segments) => {
                Some(segments.get(&key).with_context(|| missing(&key, "segment", opts.segments.as_ref()))?)
            }
            None => None,
        };
        let recording = segment.map_or(key.as_str().into(), |segment| segment.recording.to_str_lossy());
        let wav = recordings.get(&*recording);
        let wav = wav.with_context(|| missing(&recording, "recording", Some(&opts.recordings)))?;
        if wav.contains(char::is_whitespace) || wav.ends_with('|') {
            if num_odd == 0 {
                let name = printable_rxfilename(wav.as_str().into());
                warning!("{recording}: {name} is a command or has blanks, which WeNet's scripts refuse");
            }
            num_odd += 1;
        }
        line.clear();
        write_raw_line(&mut line, &key, wav, &txt, segment.map(|segment| (segment.start, segment.end)));
        list.write_all(&line)?;
        done += 1;
    }
    if num_odd > 1 {
        warning!("{num_odd} utterances have such names");
    }
    log!("Wrote {done} utterances.");
    list.finish()?;
    Ok(Tally::new(done, 0))
}

fn missing(key: &str, what: &str, file: Option<&InputName>) -> String {
    let file = file.map_or_else(String::new, |file| printable_rxfilename(file).into_owned());
    format!("{key}: expected a {what} of this key in {file}, got none")
}
