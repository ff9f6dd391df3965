//! Prints the posterior probabilities of the arcs of lattices.
//!
//! Matches Kaldi's `lattice-arc-post`.

use anyhow::bail;
use bstr::BStr;
use kaldi_cli::{InputName, OutputName, Tally, wrong_usage};
use kaldi_hmm::TransitionModel;
use kaldi_io::log::{log, warning};
use kaldi_lattice::{CompactLattice, CostScaleArguments, Error, Result, Scale};
use kaldi_table::{SequentialReader, create_output, read_file};
use kaldi_value::number::Digits;

const USAGE: &str = "\
Prints a line for each arc of lattices, with tabs: utterance, first frame, number of frames, posterior probability, word; if
wanted the transition-ids; and if there is a model, the phones. The lattices should be aligned with words.

Usage: lattice-arc-post [options] [<model-rxfilename>] <lattice-rspecifier> <text-wxfilename>
 e.g.: lattice-arc-post --acoustic-scale=0.1 final.mdl 'ark:gunzip -c lat.1.gz |' post.txt
See also: lattice-to-post, lattice-to-ctm-conf, lattice-align-words
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    scale: CostScaleArguments,
    /// Print transition-ids
    #[arg(long)]
    print_alignment: bool,
    /// Leave out arcs that are no more probable than this
    #[arg(long, default_value_t = 0.0001)]
    min_post: f32,
    #[arg(required = true)]
    sources: Vec<InputName>,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_arc_post)).whole("a model may come first");

fn lattice_arc_post(opts: Options) -> anyhow::Result<Tally> {
    let (model, source) = match &opts.sources[..] {
        [source] => (None, source),
        [model, source] => (Some(read_file::<TransitionModel>(model)?), source),
        _ => return Ok(wrong_usage(USAGE, "expected at most three arguments")),
    };
    if opts.scale.acoustic_scale == 0.0 {
        bail!("expected an acoustic scale that is not 0");
    }
    let scale = Scale::from(&opts.scale);
    let mut target = create_output(&opts.target, false)?;
    let source = SequentialReader::<CompactLattice>::open(source)?;
    let (print_alignment, min_post) = (opts.print_alignment, opts.min_post);

    let rows = source.par_map(move |entry| {
        let mut lattice = entry.read()?;
        lattice.scale(&scale);
        if !lattice.sort_if_needed() {
            return Err(Error::Cycle.into());
        }
        let key = entry.key();
        let printed = match arc_lines(key, &lattice, model.as_ref(), min_post, print_alignment) {
            Err(error @ (Error::Cost { .. } | Error::NoPath)) => {
                warning!("No posterior printed for {key}: {error}");
                return Ok((Vec::new(), 0));
            }
            printed => printed?,
        };
        if printed.1 == 0 {
            warning!("No posterior printed for {key}");
        }
        Ok(printed)
    });
    let (mut done, mut failed, mut total) = (0, 0, 0);
    let ended = rows.drain(|_, (lines, count)| {
        if count > 0 {
            done += 1
        } else {
            failed += 1
        }
        total += count;
        target.write_all(&lines)?;
        anyhow::Ok(())
    })?;
    log!(
        "Printed posteriors for {done} lattices ({failed} with errors); on average printed {} posteriors per lattice.",
        total / done.max(1)
    );
    ended.finish()?;
    target.finish()?;
    Ok(Tally::new(done, failed))
}

/// The lines of a lattice and their number.
fn arc_lines(
    key: &BStr,
    lattice: &CompactLattice,
    model: Option<&TransitionModel>,
    min_post: f32,
    print_alignment: bool,
) -> Result<(Vec<u8>, u64)> {
    let (mut lines, mut count) = (Vec::new(), 0);
    for (start, arc, posterior) in lattice.arc_posteriors()? {
        let posterior = posterior as f32;
        if posterior <= min_post {
            continue;
        }
        count += 1;
        let ids = lattice.string(arc.string);
        lines.extend_from_slice(key);
        let post = Digits(posterior.into(), 7);
        lines.extend_from_slice(format!("\t{start}\t{}\t{post}\t{}", ids.len(), arc.input).as_bytes());
        if print_alignment {
            let ids: Vec<String> = ids.iter().map(i32::to_string).collect();
            lines.extend_from_slice(format!("\t{}", ids.join(",")).as_bytes());
        }
        if let Some(model) = model {
            let mut phones = Vec::new();
            for &id in ids {
                let facts = model.facts(id)?;
                phones.extend(facts.is_final.then(|| facts.phone.to_string()));
            }
            lines.extend_from_slice(format!("\t{}", phones.join(" ")).as_bytes());
        }
        lines.push(b'\n');
    }
    Ok((lines, count))
}
