//! Writes features with the pdfs of their frames as text for `pfile_create` of Quicknet.
//!
//! Matches Kaldi's `build-pfile-from-ali`; a number that is not a transition-id of the model is an error.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::AcousticModel;
use kaldi_io::log::{log, warning};
use kaldi_matrix::Matrix;
use kaldi_table::{RandomAccessReader, SequentialReader, create_output, read_file};
use kaldi_value::number::general;

const USAGE: &str = "\
Writes a line for each frame: the numbers of the utterance and of the frame, the features, and the pdf that is aligned
with it. The program pfile_create of Quicknet makes a pfile of these lines.

Usage: build-pfile-from-ali [options] <model-rxfilename> <alignments-rspecifier> <feats-rspecifier> <pfile-wxfilename>
 e.g.: build-pfile-from-ali final.mdl ark:1.ali scp:feats.scp '| pfile_create -i - -o pfile.1 -f 143 -l 1'
See also: ali-to-pdf, copy-feats
";

#[derive(clap::Args)]
struct Options {
    /// Write one frame in this many
    #[arg(long, default_value_t = 1)]
    every_nth_frame: i32,
    model: InputName,
    alignments: InputName,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(build_pfile_from_ali))
    .whole("utterances are numbered over the whole table");

/// Why an utterance is left out.
enum Missing {
    Alignment,
    Frames,
}

fn build_pfile_from_ali(opts: Options) -> anyhow::Result<Tally> {
    let every = match usize::try_from(opts.every_nth_frame) {
        Ok(every @ 1..) => every,
        _ => bail!("expected --every-nth-frame to be 1 or more, got {}", opts.every_nth_frame),
    };
    let model = read_file::<AcousticModel>(&opts.model)?.transitions;
    let source = SequentialReader::<Matrix<f32>>::open(&opts.source)?;
    let alignments = RandomAccessReader::<Vec<i32>>::open(&opts.alignments)?;
    let mut target = create_output(&opts.target, false)?;

    let rows = source.par_map_with(alignments, move |entry, alignment| {
        let Some(alignment) = alignment else {
            warning!("Did not find alignment for utterance {}", entry.key());
            return Ok(Err(Missing::Alignment));
        };
        let feats = entry.read()?;
        if alignment.len() != feats.num_rows() {
            let (expected, got) = (feats.num_rows(), alignment.len());
            warning!("{}: Alignment vector has wrong size {got} vs. {expected}", entry.key());
            return Ok(Err(Missing::Frames));
        }
        Ok(Ok(lines(&feats, &model.pdfs_of(&alignment)?, every)))
    });
    let (mut done, mut unaligned, mut wrong) = (0_u64, 0, 0);
    let ended = rows.drain(|_, row| {
        match row {
            Ok(lines) => {
                for line in lines {
                    target.write_all(format!("{done} {line}\n").as_bytes())?;
                }
                done += 1;
            }
            Err(Missing::Alignment) => unaligned += 1,
            Err(Missing::Frames) => wrong += 1,
        }
        anyhow::Ok(())
    })?;
    ended.finish()?;
    target.finish()?;
    log!("Converted {done} alignments to pfiles.");
    log!("{unaligned} utterances have no alignment; {wrong} utterances have other errors.");
    Ok(Tally::new(done, unaligned + wrong).always_ok())
}

/// The frames that are kept: their numbers, features and pdfs.
fn lines(feats: &Matrix<f32>, pdfs: &[i32], every: usize) -> Vec<String> {
    let frames = feats.rows().zip(pdfs).step_by(every).enumerate();
    let line = |(frame, (feats, pdf)): (usize, (&[f32], &i32))| {
        let feats: String = feats.iter().map(|&feature| format!(" {}", general(f64::from(feature)))).collect();
        format!("{frame}{feats} {pdf}")
    };
    frames.map(line).collect()
}
