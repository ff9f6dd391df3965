//! Finds the words of least expected error in lattices.
//!
//! Matches Kaldi's `lattice-mbr-decode`; a lattice without a path, or with paths of different times to a state, is an error
//! with a message.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::{log, warning};
use kaldi_lattice::{BayesRisk, BayesRiskOptions, CompactLattice, CostScaleArguments, Scale};
use kaldi_table::{SequentialReader, TableWriter};
use kaldi_value::number::general;
use kaldi_value::{Posterior, SymbolTable};

use crate::usable::if_usable;

const USAGE: &str = "\
Finds the words of least expected error in each lattice (minimum Bayes risk); writes them, and if wanted the expected
number of errors, the bins of words with their probabilities, and the begin and end of each bin in frames. Each output but
the first may be left out, all may be ''.

Usage: lattice-mbr-decode [options] <lattice-rspecifier> <transcriptions-wspecifier>
         [<bayes-risk-wspecifier> [<sausage-stats-wspecifier> [<times-wspecifier>]]]
 e.g.: lattice-mbr-decode --acoustic-scale=0.1 ark:1.lats ark,t:text ark:/dev/null ark:1.sau
See also: lattice-to-ctm-conf, lattice-best-path, lattice-combine
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    scale: CostScaleArguments,
    /// Symbol table of words; it is read, and has no effect
    #[arg(long)]
    word_symbol_table: Option<InputName>,
    /// Write the times of the words instead of those of the bins
    #[arg(long)]
    one_best_times: bool,
    source: InputName,
    transcriptions: OutputName,
    bayes_risks: Option<OutputName>,
    sausages: Option<OutputName>,
    times: Option<OutputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(lattice_mbr_decode)).by_entry(0);

fn lattice_mbr_decode(opts: Options) -> anyhow::Result<Tally> {
    let scale = Scale::from(&opts.scale);
    opts.word_symbol_table.as_deref().map(SymbolTable::read).transpose()?;
    let source = SequentialReader::<CompactLattice>::open(&opts.source)?;
    let mut outputs = Outputs::create(&opts)?;

    let rows = source.par_map(move |entry| {
        let mut lattice = entry.read()?;
        lattice.scale(&scale);
        let found = if_usable(entry.key(), lattice.bayes_risk(None, BayesRiskOptions::default()))?;
        let findings = found.iter().flat_map(|found| &found.findings);
        findings.for_each(|finding| warning!("{}: {finding}", entry.key()));
        Ok(found)
    });
    let (mut done, mut failed, mut words, mut risk) = (0_u64, 0, 0_usize, 0.0_f64);
    let ended = rows.drain(|key, found| {
        let Some(found) = found else {
            failed += 1;
            return Ok(());
        };
        (done, words, risk) = (done + 1, words + found.words.len(), risk + found.risk);
        outputs.write(&key, found, opts.one_best_times)
    })?;
    log!("Done {done} lattices.");
    let (per_sentence, per_word) = (general(risk / done as f64), general(risk / words as f64));
    log!("Average Bayes Risk per sentence is {per_sentence} and per word, {per_word}");
    ended.finish()?;
    outputs.finish()?;
    Ok(Tally::new(done, failed))
}

struct Outputs {
    transcriptions: Option<TableWriter<Vec<i32>>>,
    risks: Option<TableWriter<f32>>,
    sausages: Option<TableWriter<Posterior>>,
    times: Option<TableWriter<Vec<(f32, f32)>>>,
}

impl Outputs {
    fn create(opts: &Options) -> anyhow::Result<Self> {
        fn named(name: Option<&OutputName>) -> Option<&OutputName> {
            name.filter(|name| !name.is_empty())
        }
        Ok(Self {
            transcriptions: named(Some(&opts.transcriptions)).map(TableWriter::create).transpose()?,
            risks: named(opts.bayes_risks.as_ref()).map(TableWriter::create).transpose()?,
            sausages: named(opts.sausages.as_ref()).map(TableWriter::create).transpose()?,
            times: named(opts.times.as_ref()).map(TableWriter::create).transpose()?,
        })
    }

    fn write(&mut self, key: impl AsRef<[u8]>, found: BayesRisk, one_best_times: bool) -> anyhow::Result<()> {
        let key = key.as_ref();
        if let Some(target) = &mut self.transcriptions {
            target.write(key, &found.words)?;
        }
        if let Some(target) = &mut self.risks {
            target.write(key, &(found.risk as f32))?;
        }
        if let Some(target) = &mut self.sausages {
            target.write(key, &Posterior(found.bins))?;
        }
        if let Some(target) = &mut self.times {
            target.write(key, if one_best_times { &found.times } else { &found.bin_times })?;
        }
        Ok(())
    }

    fn finish(self) -> anyhow::Result<()> {
        self.transcriptions.map_or(Ok(()), TableWriter::finish)?;
        self.risks.map_or(Ok(()), TableWriter::finish)?;
        self.sausages.map_or(Ok(()), TableWriter::finish)?;
        Ok(self.times.map_or(Ok(()), TableWriter::finish)?)
    }
}
