//! Entries of tables in the forms that files have for them.

use array_files::DType;
use bstr::BString;
use kaldi_any::ValueType;
use kaldi_egs::{NnetChainExample, NnetExample};
use kaldi_lattice::{Graph, GraphForm};
use kaldi_wave::Wave;

use crate::array::Array;
use crate::exact::Exact;
use crate::graph_parts::{graph_from_parts, graph_parts};

/// The value of an entry.
#[derive(Clone, Debug)]
pub enum Item {
    /// Numbers in at most two dimensions.
    Array(Array),
    /// A word.
    Word(BString),
    /// The words of a line.
    Words(Vec<BString>),
    /// Lists of integers.
    Lists(Vec<Vec<i32>>),
    /// For each frame, indices and their weights.
    Posterior(Vec<Vec<(i32, f32)>>),
    /// For each frame, indices and the weights of their Gaussians.
    GaussPost(Vec<Vec<(i32, Vec<f32>)>>),
    /// A waveform.
    Wave(Wave),
    /// A training example.
    Example(NnetExample),
    /// A training example of a chain model.
    ChainExample(NnetChainExample),
    /// A lattice or an FST.
    Graph(Graph, GraphForm),
}

impl Item {
    /// The type of tables that the value fits: of two dimensions a matrix, of one a vector, of floating-point numbers or of integers;
    /// a number by its type.
    pub fn table_type(&self) -> ValueType {
        match self {
            Self::Array(array) => match (array.dims.len(), array.dtype) {
                (2, dtype) if dtype.is_float() || dtype == DType::Bool => ValueType::Matrix,
                (2, _) => ValueType::Int32Matrix,
                (1, dtype) if dtype.is_float() => ValueType::Vector,
                (1, _) => ValueType::Int32Vector,
                (_, DType::Float64) => ValueType::Double,
                (_, DType::Bool) => ValueType::Bool,
                (_, dtype) if dtype.is_float() => ValueType::Float,
                _ => ValueType::Int32,
            },
            Self::Word(_) => ValueType::Token,
            Self::Words(_) => ValueType::TokenVector,
            Self::Lists(_) => ValueType::Int32VectorVector,
            Self::Posterior(_) => ValueType::Posterior,
            Self::GaussPost(_) => ValueType::GaussPost,
            Self::Wave(_) => ValueType::Wave,
            Self::Example(_) => ValueType::Nnet3Example,
            Self::ChainExample(_) => ValueType::Nnet3ChainExample,
            Self::Graph(_, GraphForm::Plain) => ValueType::Lattice,
            Self::Graph(_, GraphForm::Compact) => ValueType::CompactLattice,
            Self::Graph(_, GraphForm::Standard) => ValueType::Fst,
        }
    }

    /// Whether it is an array without numbers, which fits every type of vectors and matrices.
    pub fn is_empty_array(&self) -> bool {
        matches!(self, Self::Array(array) if array.is_empty())
    }

    /// The arrays that hold a value that is no single array, in the order of their names
    /// (`part_names`); nothing for words, and for examples, whose arrays have names of their own.
    pub(crate) fn parts(&self) -> Vec<Array> {
        let ints = |values: &[i32]| Array::from_i32(&[values.len()], values);
        let floats = |values: &[f32]| Array::from_f32(&[values.len()], values);
        match self {
            Self::Array(_) | Self::Word(_) | Self::Words(_) | Self::Example(_) | Self::ChainExample(_) => Vec::new(),
            Self::Lists(lists) => vec![ints(&lengths(lists)), ints(&lists.concat())],
            Self::Posterior(frames) => {
                let (index, weight): (Vec<i32>, Vec<f32>) = frames.iter().flatten().copied().unzip();
                vec![ints(&lengths(frames)), ints(&index), floats(&weight)]
            }
            Self::GaussPost(frames) => {
                let index: Vec<i32> = frames.iter().flatten().map(|(index, _)| *index).collect();
                let sizes: Vec<i32> = frames.iter().flatten().map(|(_, weights)| weights.len() as i32).collect();
                let weight: Vec<f32> = frames.iter().flatten().flat_map(|(_, weights)| weights).copied().collect();
                vec![ints(&lengths(frames)), ints(&index), ints(&sizes), floats(&weight)]
            }
            Self::Wave(wave) => {
                let rate = Array::from_i32(&[], &[wave.sample_rate() as i32]);
                vec![rate, Array::from_i32(&[], &[wave.num_channels() as i32]), samples(wave)]
            }
            Self::Graph(graph, form) => graph_parts(graph, *form),
        }
    }

    /// Puts a value together from the arrays of [`Item::parts`].
    ///
    /// # Errors
    /// If they do not fit each other.
    pub(crate) fn from_parts(table_type: ValueType, parts: &[Array]) -> Result<Self, String> {
        if let Some(form) = table_type.graph_form() {
            return Ok(Self::Graph(graph_from_parts(form, parts)?, form));
        }
        match (table_type, parts) {
            (ValueType::Int32VectorVector, [lengths, values]) => Ok(Self::Lists(cut(integers(values)?, lengths)?)),
            (ValueType::Posterior, [lengths, index, weight]) => {
                let (index, weight) = (integers(index)?, singles(weight)?);
                same(index.len(), weight.len())?;
                Ok(Self::Posterior(cut(index.into_iter().zip(weight).collect(), lengths)?))
            }
            (ValueType::GaussPost, [lengths, index, sizes, weight]) => {
                let (index, weights) = (integers(index)?, cut(singles(weight)?, sizes)?);
                same(index.len(), weights.len())?;
                Ok(Self::GaussPost(cut(index.into_iter().zip(weights).collect(), lengths)?))
            }
            (ValueType::Wave, [rate, channels, samples]) => {
                let number = |array: &Array| integers(array).ok().filter(|values| values.len() == 1).map(|it| it[0]);
                let (Some(rate), Some(channels)) = (number(rate), number(channels)) else {
                    return Err("expected a sample rate and a number of channels, got others".into());
                };
                wave(f64::from(rate), channels.into(), singles(samples)?)
            }
            _ => Err(format!("expected one array for a {table_type}, got {}", parts.len())),
        }
    }
}

/// Makes a waveform of samples that have one of each channel after the other.
pub(crate) fn wave(rate: f64, num_channels: i64, samples: Vec<f32>) -> Result<Item, String> {
    let channels = usize::try_from(num_channels).ok().filter(|count| (1..=32767).contains(count));
    let channels = channels.ok_or_else(|| format!("expected 1 to 32767 channels, got {num_channels}"))?;
    if !(rate >= 1.0 && rate <= f64::from(i32::MAX) && rate.fract() == 0.0) {
        return Err(format!("expected a sample rate in whole hertz, got {rate}"));
    }
    if !samples.len().is_multiple_of(channels) {
        return Err(format!("expected samples of {channels} channels, got {} in all", samples.len()));
    }
    let channel = |channel: usize| samples.iter().skip(channel).step_by(channels).copied().collect();
    Ok(Item::Wave(Wave::new(rate as f32, (0..channels).map(channel).collect())))
}

/// Samples of a waveform, one of each channel after the other: of 16 bits where they are such.
fn samples(wave: &Wave) -> Array {
    let channels: Vec<&[f32]> = (0..wave.num_channels()).map(|number| wave.channel(number)).collect();
    let count = channels.len() * wave.num_samples();
    let all = || (0..wave.num_samples()).flat_map(|at| channels.iter().map(move |channel| channel[at]));
    if all().all(|sample| f32::from(sample as i16) == sample) {
        let bytes: Vec<u8> = all().flat_map(|sample| (sample as i16).to_le_bytes()).collect();
        return Array::new(DType::Int16, &[count], bytes);
    }
    Array::from_f32(&[count], &all().collect::<Vec<_>>())
}

fn lengths<T>(lists: &[Vec<T>]) -> Vec<i32> {
    lists.iter().map(|list| list.len() as i32).collect()
}

fn same(first: usize, second: usize) -> Result<(), String> {
    if first == second { Ok(()) } else { Err(format!("expected as many indices as weights, got {first} and {second}")) }
}

pub(crate) fn integers(array: &Array) -> Result<Vec<i32>, String> {
    Exact::of(array).to_i32()
}

pub(crate) fn singles(array: &Array) -> Result<Vec<f32>, String> {
    match Exact::of(array).into_real()? {
        Exact::Single(values) => Ok(values),
        Exact::Double(values) => Ok(values.into_iter().map(|value| value as f32).collect()),
        Exact::Integer(_) => Err("expected real numbers, got integers".into()),
    }
}

/// Cuts values into lists of these lengths.
fn cut<T>(values: Vec<T>, lengths: &Array) -> Result<Vec<Vec<T>>, String> {
    let lengths = integers(lengths)?;
    let sum = lengths.iter().try_fold(0_usize, |sum, &length| sum.checked_add(usize::try_from(length).ok()?));
    if sum != Some(values.len()) {
        return Err(format!("expected lengths that add up to {} values, got others", values.len()));
    }
    let mut values = values.into_iter();
    Ok(lengths.into_iter().map(|length| values.by_ref().take(length as usize).collect()).collect())
}
