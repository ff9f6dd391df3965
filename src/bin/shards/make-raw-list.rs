//! Makes a raw list of a data directory.
//!
//! Writes the same bytes as WeNet's `make_raw_list.py`, except that names with blanks and commands are written with a
//! warning (the script refuses them), that a missing or repeated key is an error with its name, and that a segment to the end of its
//! recording has that end (the script writes -1, which nothing reads).

use std::collections::{HashMap, HashSet};

use anyhow::{Context, Result, bail};
use bstr::{BStr, BString, ByteSlice};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_corpus::shard::Stored;
use kaldi_corpus::{
    ExportAudio, RecordingPart, Segments, SoundFiles, SoundPlaceKind, SoundSize, WantedFile, are_recordings,
    read_recordings, read_text, write_raw_line,
};
use kaldi_io::log::{log, warning};
use kaldi_io::{Output, printable_rxfilename};
use kaldi_reader::{ReaderExt, from_fn, par_map};

const USAGE: &str = "\
Makes a raw list, an utterance per line as an object in JSON, in the order of the text.

Usage: make-raw-list [options] <wav-scp-rxfilename> <text-rxfilename> <list-wxfilename>
 e.g.: make-raw-list data/train/wav.scp data/train/text data/train/data.list
       make-raw-list --segments=data/train/segments data/train/wav.scp data/train/text data.list
       make-raw-list --audio=copy data/train/wav.scp data/train/text data.list
A line: {\"key\": \"utt1\", \"wav\": \"wav/utt1.wav\", \"txt\": \"hello\"}, with \"start\" and \"end\" in seconds for a segment.
See also: make-shard-list
";

/// Bytes of recordings whose headers are read at the same time.
const IN_FLIGHT: usize = 16 << 20;

#[derive(clap::Args)]
struct Options {
    /// File of segments: the text has their keys, and they are parts of the recordings
    #[arg(long)]
    segments: Option<InputName>,
    /// Make files of sound that a list cannot name, in archives, outputs of commands and single channels, in a folder beside the list:
    /// copy keeps their bytes, wav makes WAV of 16 bits
    #[arg(long, value_parser = kaldi_cli::one_of(&ExportAudio::NAMES))]
    audio: Option<ExportAudio>,
    recordings: InputName,
    text: InputName,
    list: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(make_raw_list)).writing_lists().in_pieces(&[
        (kaldi_cli::PiecesIf::Given("audio"), kaldi_cli::Pieces::Whole("files of sound are beside the list")),
        (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Lines(1)),
    ]);

/// An utterance of the list.
struct Line<'a> {
    key: String,
    text: String,
    recording: String,
    segment: Option<&'a RecordingPart>,
}

fn make_raw_list(opts: Options) -> Result<Tally> {
    let (name, text) = (&opts.text, read_text(&opts.text)?);
    if are_recordings(&text) {
        bail!("{name}: expected text, got names of recordings: were {} and {name} swapped?", opts.recordings);
    }
    let mut recordings = read_recordings(&opts.recordings)?;
    let segments = opts.segments.as_deref().map(Segments::read_spans).transpose()?;
    let mut lines = Vec::with_capacity(text.len());
    for (key, text) in text {
        let segment = match &segments {
            Some(segments) => {
                Some(segments.get(&key).with_context(|| missing(&key, "segment", opts.segments.as_ref()))?)
            }
            None => None,
        };
        let recording = segment.map_or_else(|| key.clone(), |segment| segment.recording.to_str_lossy().into_owned());
        if !recordings.contains_key(&recording) {
            bail!(missing(&recording, "recording", Some(&opts.recordings)));
        }
        lines.push(Line { key, text, recording, segment });
    }
    let sizes = sizes(&lines, &recordings)?;
    let mut list = Output::create(&opts.list, false)?;
    let wanted = wanted(&lines, &recordings, &sizes)?;
    let mut channels = HashMap::new();
    match opts.audio {
        Some(audio) => {
            let mut files = SoundFiles::beside(&opts.list)?;
            for (file, name) in wanted.iter().zip(files.make(wanted.clone(), audio, kaldi_cli::num_threads)?) {
                match file.channel {
                    Some(channel) => drop(channels.insert((file.key.as_str(), channel), name)),
                    None => drop(recordings.insert(file.key.clone(), name)),
                }
            }
            files.finish()?;
        }
        None => tell(&lines, &wanted, &recordings)?,
    }
    let (mut line, done) = (Vec::new(), lines.len() as u64);
    for Line { key, text, recording, segment } in &lines {
        let own = segment.and_then(|segment| channels.get(&(recording.as_str(), segment.channel?)));
        let sound = own.or_else(|| recordings.get(recording)).map_or("", String::as_str);
        let whole = || sizes.get(recording.as_str()).map_or(0.0, SoundSize::seconds);
        let times = segment.map(|it| (it.span.start, it.span.end.unwrap_or_else(whole)));
        line.clear();
        write_raw_line(&mut line, key, sound, text, times);
        list.write_all(&line)?;
    }
    log!("Wrote {done} utterances.");
    list.finish()?;
    Ok(Tally::new(done, 0))
}

/// The sizes of the recordings that are needed: of those with segments that name channels, or that have no end.
fn sizes<'a>(lines: &'a [Line<'_>], recordings: &HashMap<String, String>) -> Result<HashMap<&'a str, SoundSize>> {
    let is_needed = |segment: &RecordingPart| segment.channel.is_some() || segment.span.end.is_none();
    let mut seen = HashSet::new();
    let needed = lines.iter().filter(|line| line.segment.is_some_and(is_needed)).map(|line| line.recording.as_str());
    let needed: Vec<&str> = needed.filter(|recording| seen.insert(*recording)).collect();
    let mut stored: std::vec::IntoIter<_> = needed
        .iter()
        .map(|key| ((*key).to_owned(), Stored::Named(BString::from(recordings[*key].as_str()))))
        .collect::<Vec<_>>()
        .into_iter();
    let jobs = from_fn(move |_| anyhow::Ok(stored.next()));
    let size =
        |(key, stored): (String, Stored)| SoundSize::of(&stored).map_err(|message| anyhow::anyhow!("{key}: {message}"));
    let mut sizes = HashMap::new();
    let mut found = par_map(jobs, kaldi_cli::num_threads, size).in_flight(IN_FLIGHT, |_| 1 << 16);
    for (key, size) in needed.into_iter().zip(found.iter()) {
        sizes.insert(key, size?);
    }
    Ok(sizes)
}

/// The sound that a list cannot name: single channels, and what is in archives or an output of a command.
fn wanted(
    lines: &[Line<'_>],
    recordings: &HashMap<String, String>,
    sizes: &HashMap<&str, SoundSize>,
) -> Result<Vec<WantedFile>> {
    let (mut wanted, mut seen) = (Vec::new(), HashSet::new());
    for Line { key, recording, segment, .. } in lines {
        let named = segment.and_then(|segment| segment.channel);
        let count = sizes.get(recording.as_str()).map_or(0, |size| size.num_channels);
        if let Some(channel) = named.filter(|channel| *channel >= count) {
            bail!("{key}: expected a channel below {count} of {recording}, got {channel}");
        }
        let (channel, audio) = (named.filter(|_| count > 1), &recordings[recording]);
        let is_named = channel.is_none() && SoundPlaceKind::of(audio) == SoundPlaceKind::File;
        if !is_named && seen.insert((recording, channel)) {
            wanted.push(WantedFile { key: recording.clone(), audio: audio.clone(), channel });
        }
    }
    Ok(wanted)
}

/// Warns of names that other programs do not read; an error if channels would be lost.
fn tell(lines: &[Line<'_>], wanted: &[WantedFile], recordings: &HashMap<String, String>) -> Result<()> {
    if let Some((file, channel)) = wanted.iter().find_map(|file| Some((file, file.channel?))) {
        bail!(
            "expected segments without channels, which a raw list does not have, got channel {channel} of {}: --audio=copy makes a file \
             of it; make-shard-list, make-shar and export-data-dir --format=parquet have channels",
            file.key
        );
    }
    let is_odd = |line: &&Line<'_>| {
        let sound = &recordings[&line.recording];
        sound.contains(char::is_whitespace) || sound.ends_with('|')
    };
    let mut odd = lines.iter().filter(is_odd);
    if let Some(Line { recording, .. }) = odd.next() {
        let name = printable_rxfilename(BStr::new(&recordings[recording]));
        warning!("{recording}: {name} is a command or has blanks, which WeNet's scripts refuse");
        let more = odd.count();
        if more > 0 {
            warning!("{} utterances have such names", more + 1);
        }
    }
    let mut inside = wanted.iter().filter(|file| SoundPlaceKind::of(&file.audio) == SoundPlaceKind::Inside);
    if let Some(WantedFile { key, audio, .. }) = inside.next() {
        warning!(
            "{} recordings are inside of archives, which other programs do not read there, such as {key} in {audio}; --audio=copy makes \
             files of them",
            inside.count() + 1
        );
    }
    Ok(())
}

fn missing(key: &str, what: &str, file: Option<&InputName>) -> String {
    let file = file.map_or_else(String::new, |file| printable_rxfilename(file).into_owned());
    format!("{key}: expected a {what} of this key in {file}, got none")
}
