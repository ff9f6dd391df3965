//! Applies transforms, one after the other, to matrices or vectors.
//!
//! Kaldi has no such program: it does the same as `transform-feats` for matrices and `transform-vec` for vectors, with
//! any number of transforms.

use anyhow::Context;
use kaldi_cli::{InputName, MapName, OutputName, Tally};
use kaldi_io::is_specifier;
use kaldi_io::log::{log, warning};
use kaldi_matrix::{ComposedTransform, Matrix, MatrixOrVector, Vector};
use kaldi_table::{MappedReader, Record, SequentialReader, TableWriter, read_file};
use kaldi_value::{Cursor, Value};

const USAGE: &str = "\
Applies transforms in the order given to the rows of matrices, or to vectors; the table may hold either. A transform is
linear if it has as many columns as its input, and affine if it has one more, its offset. If it comes from a file, it is
the same for all; if it comes from a table, it is looked up by key, or through --utt2spk. Entries that lack a transform
or do not fit one are left out and counted.

Usage: apply-transform [options] <transform> [<transform>...] <in-rspecifier> <out-wspecifier>
 e.g.: apply-transform lda.mat mllt.mat ark:- ark:-
       apply-transform --utt2spk=ark:utt2spk lda.mat ark:fmllr.ark scp:feats.scp ark:out.ark
See also: transform-feats, transform-vec, compose-transforms
";

#[derive(clap::Args)]
struct Options {
    /// Rspecifier of the map from the keys of the input to those of the tables of transforms
    #[arg(long, default_value = "")]
    utt2spk: MapName,
    #[arg(required = true)]
    transforms: Vec<InputName>,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(apply_transform)).in_pieces(&[
    (kaldi_cli::PiecesIf::NumArguments(3), kaldi_cli::Pieces::Entries(1)),
    (kaldi_cli::PiecesIf::NumArguments(4), kaldi_cli::Pieces::Entries(2)),
    (kaldi_cli::PiecesIf::NumArguments(5), kaldi_cli::Pieces::Entries(3)),
]);

fn apply_transform(opts: Options) -> anyhow::Result<Tally> {
    let transforms = Transforms::open(&opts.transforms, &opts.utt2spk)?;
    let mut source = SequentialReader::<MatrixOrVector>::open(&opts.source)?;
    let is_vector = |cursor: &mut Cursor<'_>, _: Option<&[u8]>| Ok(MatrixOrVector::is_vector(cursor.rest()));
    match source.peek()? {
        Some(first) if first.read_with(is_vector)? => {
            transform_table::<Vector<f32>>(source.retyped(), transforms, &opts)
        }
        _ => transform_table::<Matrix<f32>>(source.retyped(), transforms, &opts),
    }
}

/// The input of transforms.
trait Transformed: Value {
    const PLURAL: &str;
    fn dim(&self) -> usize;
    fn transformed(&self, transform: &Matrix<f32>) -> kaldi_matrix::Result<Self>;
}

impl Transformed for Matrix<f32> {
    const PLURAL: &str = "matrices";

    fn dim(&self) -> usize {
        self.num_cols()
    }

    fn transformed(&self, transform: &Matrix<f32>) -> kaldi_matrix::Result<Self> {
        self.transformed(transform)
    }
}

impl Transformed for Vector<f32> {
    const PLURAL: &str = "vectors";

    fn dim(&self) -> usize {
        self.dim()
    }

    fn transformed(&self, transform: &Matrix<f32>) -> kaldi_matrix::Result<Self> {
        self.transformed(transform)
    }
}

fn transform_table<T: Transformed>(
    source: SequentialReader<T>,
    transforms: Transforms,
    opts: &Options,
) -> anyhow::Result<Tally> {
    let target = TableWriter::create(&opts.target)?;
    let format = target.format();

    let Transforms { steps, tables } = transforms;
    let written = source.par_map_with_into(tables, target, move |entry, found| {
        let key = entry.key();
        let mut found = found.into_iter();
        let mut value = entry.read()?;
        for Step { name, global } in &steps {
            let transformed = match global {
                Some(global) => global.for_dim(value.dim()).and_then(|transform| value.transformed(transform)),
                None => {
                    let Some(transform) = found.next().flatten() else {
                        warning!("No transform available for {key} in {name}, producing no output for it");
                        return Ok(None);
                    };
                    value.transformed(&transform)
                }
            };
            match transformed {
                Ok(transformed) => value = transformed,
                Err(error) => {
                    warning!("{key} does not fit transform {name}, producing no output for it: {error}");
                    return Ok(None);
                }
            }
        }
        Ok(Some(Record::new(key, &value, format)))
    })?;
    log!(
        "Applied {} transforms to {} {}; {} had errors.",
        opts.transforms.len(),
        written.done(),
        T::PLURAL,
        written.skipped()
    );
    Ok(written.finish()?.into())
}

/// The transforms in their order.
struct Transforms {
    steps: Vec<Step>,
    /// The tables of the steps that are not global, in their order.
    tables: Vec<MappedReader<Matrix<f32>>>,
}

/// A transform to apply, or several that are composed.
struct Step {
    name: String,
    /// The transform from files; `None` if this step is the next one of the tables.
    global: Option<ComposedTransform<f32>>,
}

impl Transforms {
    /// Reads the transforms that are the same for all, composes adjacent ones, and opens the tables of the others.
    fn open(names: &[InputName], utt2spk: &MapName) -> anyhow::Result<Self> {
        let mut transforms = Self { steps: Vec::new(), tables: Vec::new() };
        let mut pending = None;
        for name in names {
            if is_specifier(name) {
                transforms.push_global(pending.take());
                transforms.tables.push(MappedReader::open(name, utt2spk)?);
                transforms.steps.push(Step { name: name.to_string(), global: None });
                continue;
            }
            let matrix = read_file::<Matrix<f64>>(name)?;
            pending = Some(match pending {
                None => (name.to_string(), ComposedTransform::new(matrix)),
                Some((names, composed)) => {
                    let composed = composed.then(&matrix);
                    let composed = composed.with_context(|| format!("{name} does not fit after {names}"))?;
                    (format!("{names}, {name}"), composed)
                }
            });
        }
        transforms.push_global(pending);
        Ok(transforms)
    }

    fn push_global(&mut self, global: Option<(String, ComposedTransform<f64>)>) {
        self.steps.extend(global.map(|(name, composed)| Step { name, global: Some(composed.to_precision()) }));
    }
}
