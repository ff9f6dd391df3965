//! Cuts segments out of recordings.
//!
//! Matches Kaldi's `extract-segments`, except that a segment without samples, which `--min-segment-length=0` permits,
//! is an error with its name (Kaldi aborts).

use std::ops::Range;

use anyhow::bail;
use bstr::{BStr, ByteSlice};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_corpus::Segment;
use kaldi_feat::{NoSamples, SampleGrid};
use kaldi_io::Lines;
use kaldi_io::log::{log, warning};
use kaldi_table::{RandomAccessReader, RawEntry, Record, TableWriter};
use kaldi_value::Format;
use kaldi_wave::{Recording, Wave, WaveFile};

const USAGE: &str = "\
Cuts segments out of recordings.

Usage: extract-segments [options] <wav-rspecifier> <segments-file> <wav-wspecifier>
 e.g.: extract-segments scp:wav.scp segments ark:- | <some-other-program>
A line of the segments file: <segment-id> <recording-id> <start> <end> [<channel>], in seconds; an end of -1 is the end
of the recording. If a recording has several channels, the channel is needed, counted from 0:
       call-861225-A-0050-0065 call-861225-A 5.0 6.5
       call-861225-A-0050-0065 call-861225 5.0 6.5 1
See also: extract-feature-segments, wav-copy, wav-to-duration
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    grid: SampleGrid,
    recordings: InputName,
    segments: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(extract_segments))
    .in_pieces(&[(kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Lines(1))]);

fn extract_segments(opts: Options) -> anyhow::Result<Tally> {
    let grid = opts.grid;
    let mut recordings = RandomAccessReader::open_in_place::<WaveFile>(&opts.recordings, Placed::read)?;
    let mut target = TableWriter::create(&opts.target)?;
    let mut lines = Lines::open(&opts.segments)?;

    let mut tally = Tally::default();
    while let Some(line) = lines.next_line()? {
        let cut = match parse(line.as_bstr()) {
            Some(segment) => cut(&mut recordings, &grid, &segment, line.as_bstr())?,
            None => None,
        };
        match cut {
            Some(record) => {
                target.put(record)?;
                tally.done += 1;
            }
            None => tally.failed += 1,
        }
    }
    log!("Successfully processed {} lines out of {} in the segments file.", tally.done, tally.done + tally.failed);
    recordings.finish()?;
    target.finish()?;
    Ok(tally.always_ok())
}

/// Cuts out one segment, or warns of the reason why not.
fn cut(
    recordings: &mut RandomAccessReader<Placed>,
    grid: &SampleGrid,
    segment: &Segment<'_>,
    line: &BStr,
) -> anyhow::Result<Option<Record<Wave>>> {
    let Segment { name, recording, .. } = *segment;
    let Some(placed) = recordings.get(recording)? else {
        warning!("Could not find recording {recording}, skipping segment {name}");
        return Ok(None);
    };
    let sound = &placed.recording;
    let samples = match grid.samples(segment.span.start, segment.span.end, sound.sample_rate(), sound.num_samples()) {
        Ok(samples) => samples,
        Err(NoSamples::Short) => {
            warning!("Segment {name} too short, skipping it.");
            return Ok(None);
        }
        Err(outside) => {
            warning!("{outside}; skipping segment '{line}'");
            return Ok(None);
        }
    };
    let num_channels = sound.num_channels();
    let channel = match segment.channel {
        Some(channel) if channel as usize >= num_channels => {
            warning!("Invalid channel {channel} >= {num_channels}. Skipping segment {name}");
            return Ok(None);
        }
        Some(channel) => channel as usize,
        None if num_channels == 1 => 0,
        None => bail!(
            "{name}: Your data has multiple channels. You must specify the channel in the segments file: recording \
             {recording} has {num_channels}"
        ),
    };
    if samples.is_empty() {
        bail!("{name}: expected a segment of one sample or more, got none in '{line}'");
    }
    Ok(Some(Record::from_value(name, placed.part(channel, samples)?, Format::Binary)))
}

/// A recording, and its entry in the table.
struct Placed {
    recording: Recording,
    entry: RawEntry,
}

impl Placed {
    /// Opens a long recording, and reads a short one.
    fn read(entry: &RawEntry) -> kaldi_table::Result<Self> {
        let opened = match entry.range() {
            None => Recording::open(entry.blob()).map_err(|error| entry.error(error))?,
            Some(_) => None,
        };
        let recording = match opened {
            Some(recording) => {
                entry.warn_of(recording.remarks().to_vec());
                recording
            }
            None => entry.parse::<Wave>()?.into(),
        };
        Ok(Self { recording, entry: entry.clone() })
    }

    fn part(&self, channel: usize, samples: Range<usize>) -> kaldi_table::Result<Wave> {
        self.recording.part(channel..channel + 1, samples).map_err(|error| self.entry.error(error))
    }
}

/// Reads a line, or warns of it.
fn parse(line: &BStr) -> Option<Segment<'_>> {
    let reason = match Segment::parse(line) {
        Ok(segment) if segment.span.is_forward() => return Some(segment),
        Ok(_) => " [empty or invalid segment]".to_owned(),
        Err(Some(reason)) => format!(" [{reason}]"),
        Err(None) => String::new(),
    };
    warning!("Invalid line in segments file{reason}: {line}");
    None
}
