//! Makes the questions of a tree from sets of phones.
//!
//! Matches Kaldi's `compile-questions`; windows have at most 1000 phones.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally, read_text};
use kaldi_hmm::{HmmTopology, KeyQuestions, PDF_CLASS, Questions, Refinement, read_phone_sets};
use kaldi_io::log::{log, warning};
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Makes the questions of a tree: of each phone in the window, whether it is in one of the given sets; and of the pdf class,
whether it is one of the first ones. The topology tells the phones and the number of classes.

Usage: compile-questions [options] <topology-rxfilename> <questions-text-rxfilename> <questions-wxfilename>
 e.g.: compile-questions topo questions.txt questions.qst
See also: cluster-phones, build-tree
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// The number of phones in the window, as for acc-tree-stats
    #[arg(long, default_value_t = 3)]
    context_width: i32,
    /// The position of the phone itself in the window; has no effect
    #[arg(long, default_value_t = 1)]
    central_position: i32,
    /// How often a question is refined for its place in the tree; 0 for not at all
    #[arg(long, default_value_t = 0)]
    num_iters_refine: i32,
    topology: InputName,
    sets: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(compile_questions));

fn compile_questions(opts: Options) -> anyhow::Result<Tally> {
    let _ = opts.central_position;
    if opts.context_width > 1000 {
        bail!("expected --context-width to be at most 1000, got {}", opts.context_width);
    }
    let topology: HmmTopology = read_file(&opts.topology)?;
    let mut sets = read_text(&opts.sets, read_phone_sets)?;
    for set in &mut sets {
        set.sort_unstable();
        if let Some(pair) = set.windows(2).find(|pair| pair[0] == pair[1]) {
            bail!("{}: Questions contain duplicate phones: {} comes twice", opts.sets, pair[0]);
        }
    }
    let count = sets.len();
    sets.sort_unstable();
    sets.dedup();
    if sets.len() != count {
        warning!("{} duplicate questions present in {}", count - sets.len(), opts.sets);
    }
    check_phones(&topology, &sets)?;
    let counts = topology.phones().iter().filter_map(|&phone| topology.num_pdf_classes(phone));
    let num_classes = counts.max().unwrap_or(0);
    log!("Max # pdf classes is {num_classes}");

    let refinement = Refinement { num_iters: opts.num_iters_refine, ..Refinement::default() };
    let mut questions = Questions::default();
    for key in 0..opts.context_width {
        log!("Setting questions for phonetic-context position {key}");
        questions.insert(key, KeyQuestions { sets: sets.clone(), refinement });
    }
    log!("Setting questions for hmm-position [hmm-position ranges from 0 to {}]", num_classes - 1);
    let classes = (0..num_classes - 1).map(|last| (0..=last).collect()).collect();
    questions.insert(PDF_CLASS, KeyQuestions { sets: classes, refinement });
    write_file(&opts.target, &questions, Format::from_binary(opts.binary))?;
    log!("Wrote questions to {}", opts.target);
    Ok(Tally::new(1, 0))
}

/// Compares the phones that are asked for with those of the topology.
fn check_phones(topology: &HmmTopology, sets: &[Vec<i32>]) -> anyhow::Result<()> {
    let mut seen = sets.concat();
    seen.sort_unstable();
    seen.dedup();
    if seen != topology.phones() {
        let list = |phones: &[i32]| phones.iter().map(i32::to_string).collect::<Vec<_>>().join(" ");
        warning!(
            "ProcessTopo: phones seen in questions differ from those in topology: [ {} ] vs. [ {} ]",
            list(&seen),
            list(topology.phones())
        );
        if seen.len() > topology.phones().len() {
            bail!("phones are asked about that are undefined in the topology");
        }
    }
    Ok(())
}
