//! Cuts segments out of features.
//!
//! Matches Kaldi's `extract-feature-segments`, except that a segment without frames, which a negative
//! `--min-segment-length` permits, is left out with a warning.

use bstr::{BStr, ByteSlice};
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_corpus::Segment;
use kaldi_feat::{FrameGrid, NoFrames};
use kaldi_io::Input;
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{RandomAccessReader, Record, TableWriter};

const USAGE: &str = "\
Cuts segments out of features. For a script file of features, ranges at the ends of its lines do the same without a
copy.

Usage: extract-feature-segments [options] <feats-rspecifier> <segments-file> <feats-wspecifier>
 e.g.: extract-feature-segments scp:feats.scp segments ark:-
A line of the segments file: <segment-id> <utterance-or-speaker-id> <start> <end>, in seconds:
       call-861225-A-0050-0065 call-861225-A 5.0 6.5
See also: subset-feats, subsample-feats, copy-feats, extract-segments
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    grid: FrameGrid,
    feats: InputName,
    segments: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(extract_feature_segments))
    .in_pieces(&[(kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Lines(1))]);

fn extract_feature_segments(opts: Options) -> anyhow::Result<Tally> {
    let grid = opts.grid;
    grid.check()?;
    let mut feats = RandomAccessReader::<Matrix<f32>>::open(&opts.feats)?;
    let mut target = TableWriter::create(&opts.target)?;
    let mut segments = Input::open(&opts.segments)?;
    let lines = segments.read_text()?;

    let mut tally = Tally::default();
    for line in lines.lines() {
        let Some((segment, end)) = parse(line.as_bstr()) else {
            tally.failed += 1;
            continue;
        };
        let (name, recording) = (segment.name, segment.recording);
        let Some(feats) = feats.get(recording)? else {
            warning!("Did not find features for utterance {recording}, skipping segment {name}");
            tally.failed += 1;
            continue;
        };
        let (num_frames, dim) = feats.size();
        match grid.frames(segment.span.start, end, num_frames) {
            Ok(frames) => {
                let cut = feats.range(frames, 0..dim);
                target.put(Record::from_value(name, cut, target.format()))?;
                tally.done += 1;
            }
            Err(why) => {
                match why {
                    NoFrames::Start(frame) => warning!(
                        "Start sample out of range {frame} [length:] {num_frames}x{dim}, skipping segment {name}"
                    ),
                    NoFrames::End(frame) => warning!(
                        "End sample too far out of range {frame} [length:] {num_frames}x{dim}, skipping segment {name}"
                    ),
                    NoFrames::Short => warning!("Segment {name} too short, skipping it."),
                }
                tally.failed += 1;
            }
        }
    }
    log!("Successfully processed {} lines out of {} in the segments file.", tally.done, tally.done + tally.failed);
    segments.finish()?;
    feats.finish()?;
    target.finish()?;
    Ok(tally.error_if_none())
}

/// Reads a line and its end, or warns of it. As in Kaldi, features do not tell the end of the recording.
fn parse(line: &BStr) -> Option<(Segment<'_>, f64)> {
    let reason = match Segment::parse(line) {
        Ok(segment) if segment.span.is_forward() && segment.span.end.is_some() => {
            return Some((segment, segment.span.end?));
        }
        Ok(_) => " [empty or invalid segment]".to_owned(),
        Err(Some(reason)) => format!(" [{reason}]"),
        Err(None) => String::new(),
    };
    warning!("Invalid line in segments file{reason}: {line}");
    None
}
