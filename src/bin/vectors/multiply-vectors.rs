//! Multiplies vectors element by element: of several tables those with the same key, or files.
//!
//! Matches Kaldi's `multiply-vectors`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::is_specifier;
use kaldi_io::log::{log, vlog, warning};
use kaldi_matrix::Vector;
use kaldi_table::{SequentialReader, TableWriter, Tables, read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Multiplies vectors, such as weights of frames, element by element. If their lengths differ by no more than
--length-tolerance, they are cut to the shortest.

Usage: multiply-vectors [options] <vector-rspecifier1> <vector-rspecifier2> [<vector-rspecifier3> ...] <vector-wspecifier>
  or:  multiply-vectors [options] <vector-rxfilename1> <vector-rxfilename2> [<vector-rxfilename3> ...] <vector-wxfilename>
 e.g.: multiply-vectors ark:weights1.ark ark:weights2.ark ark:weights.ark
       multiply-vectors 1.vec 2.vec 3.vec product.vec
See also: vector-sum, paste-vectors
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode (only relevant if the output is a wxfilename)
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// The largest difference of lengths in elements; if they differ by more, there is no product
    #[arg(long, default_value_t = 0)]
    length_tolerance: i32,
    first: InputName,
    #[arg(required = true)]
    others: Vec<InputName>,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(multiply_vectors)).by_entry(0);

fn multiply_vectors(opts: Options) -> anyhow::Result<Tally> {
    if is_specifier(&opts.first) { multiply_tables(opts) } else { multiply_files(&opts) }
}

fn multiply_tables(opts: Options) -> anyhow::Result<Tally> {
    let first = SequentialReader::<Vector<f32>>::open(&opts.first)?;
    let others = Tables::<Vector<f32>>::open(&opts.others)?;
    let target = TableWriter::create(&opts.target)?;

    let written = first.par_map_with_into(others, target, move |entry, found| {
        let (mut product, key) = (entry.read()?, entry.key());
        let others = match found.all() {
            Ok(others) => others,
            Err(name) => {
                warning!("Missing utt {key} from input {name}");
                return Ok(None);
            }
        };
        let is_done = multiply(&mut product, &others, opts.length_tolerance, &format!(" for utt {key}"));
        Ok(is_done.then(|| entry.into_record(product)))
    })?;
    log!("Done {} utts, errors on {}", written.done(), written.skipped());
    Ok(Tally::from(written.finish()?).error_if_none())
}

fn multiply_files(opts: &Options) -> anyhow::Result<Tally> {
    let mut product: Vector<f32> = read_file(&opts.first)?;
    let others: Vec<Vector<f32>> = opts.others.iter().map(read_file).collect::<Result<_, _>>()?;
    let others: Vec<&Vector<f32>> = others.iter().collect();
    if !multiply(&mut product, &others, opts.length_tolerance, "") {
        return Ok(Tally::new(0, 1));
    }
    write_file(&opts.target, &product, Format::from_binary(opts.binary))?;
    log!("Wrote multiplied vector to {}", opts.target);
    Ok(Tally::new(1, 0))
}

/// Multiplies `product` by all others, cut to the shortest of them; warns if their lengths differ by too much, or
/// nothing would be left.
fn multiply(product: &mut Vector<f32>, others: &[&Vector<f32>], tolerance: i32, whose: &str) -> bool {
    let lengths = || others.iter().map(|vector| vector.dim()).chain([product.dim()]);
    let (min, max) = (lengths().min().unwrap_or(0), lengths().max().unwrap_or(0));
    if (max - min) as i64 > i64::from(tolerance) || min == 0 {
        warning!("Length mismatch {max} vs. {min}{whose} exceeds tolerance {tolerance}");
        return false;
    }
    if max > min {
        vlog!(2, "Length mismatch {max} vs. {min}{whose} within tolerance {tolerance}");
    }
    product.resize(min);
    for other in others {
        for (element, factor) in product.as_mut_slice().iter_mut().zip(other.as_slice()) {
            *element *= factor;
        }
    }
    true
}
