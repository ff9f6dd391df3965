//! Clusters phones by their statistics, for questions or as classes.
//!
//! Matches Kaldi's `cluster-phones`, except that sets of phones that cannot be told apart are written as they are, where
//! Kaldi aborts. An unknown `--mode` writes an empty file there, too; here with a warning,
//! and a file that is there stays.

use anyhow::{Context, bail};
use kaldi_cli::{InputName, OutputName, Tally, read_text};
use kaldi_hmm::{PhoneClusterer, TreeStats, parse_phones, read_phone_sets};
use kaldi_io::Output;
use kaldi_io::log::{log, warning};
use kaldi_table::read_file;

const USAGE: &str = "\
Clusters phones, or sets of phones that stay together, by their statistics. The clusters become questions for trees, or
classes of phones.

Usage: cluster-phones [options] <stats-rxfilename> <phone-sets-rxfilename> <clusters-wxfilename>
 e.g.: cluster-phones treeacc phonesets.txt questions.txt
       cluster-phones --mode=k-means --num-classes=10 treeacc phonesets.txt classes.txt
See also: acc-tree-stats, compile-questions
";

#[derive(clap::Args)]
struct Options {
    /// The position of the phone itself in the window of the statistics, from 0
    #[arg(long, default_value_t = 1)]
    central_position: i32,
    /// The number of phones in the window of the statistics; has no effect
    #[arg(long, default_value_t = 3)]
    context_width: i32,
    /// Pdf classes whose statistics count, separated by colons
    #[arg(long, default_value = "1")]
    pdf_class_list: String,
    /// questions: sets that are worth a question; k-means: as many classes as --num-classes says
    #[arg(long, default_value = "questions")]
    mode: String,
    /// The number of classes for --mode=k-means
    #[arg(long, default_value_t = -1)]
    num_classes: i32,
    stats: InputName,
    sets: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(cluster_phones));

fn cluster_phones(opts: Options) -> anyhow::Result<Tally> {
    let _ = opts.context_width;
    let stats: TreeStats = read_file(&opts.stats)?;
    let classes = parse_phones(opts.pdf_class_list.as_bytes()).ok().filter(|classes| !classes.is_empty());
    let classes = classes
        .with_context(|| format!("expected classes such as 0:1 for --pdf-class-list, got {:?}", opts.pdf_class_list))?;
    let sets = read_text(&opts.sets, read_phone_sets)?;
    if sets.is_empty() {
        bail!("{}: No phone sets in phone sets file", opts.sets);
    }
    let clusterer =
        PhoneClusterer { stats: &stats, sets: &sets, pdf_classes: &classes, central_position: opts.central_position };
    let mut is_unknown = false;
    let clusters = match opts.mode.as_str() {
        "questions" if opts.num_classes != -1 => bail!("--num-classes needs --mode=k-means"),
        "questions" => clusterer.questions()?,
        "k-means" => match usize::try_from(opts.num_classes) {
            Ok(num_classes) => clusterer.classes(num_classes)?,
            Err(_) => bail!("--mode=k-means needs --num-classes, got {}", opts.num_classes),
        },
        mode => {
            warning!("--mode={mode} is neither questions nor k-means: there are no clusters");
            is_unknown = true;
            Vec::new()
        }
    };
    let mut text = String::new();
    for cluster in &clusters {
        let phones: Vec<String> = cluster.iter().map(i32::to_string).collect();
        text += &(phones.join(" ") + "\n");
    }
    let mut target = Output::create(&opts.target, false)?;
    target.write_all(text.as_bytes())?;
    target.finish()?;
    log!("Wrote questions to {}", opts.target);
    Ok(Tally::new(clusters.len() as u64, u64::from(is_unknown)).always_ok())
}
