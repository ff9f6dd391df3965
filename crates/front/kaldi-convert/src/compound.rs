//! Values that are no single array: lists, posteriors, waveforms, lattices and FSTs, training examples.

use std::io::Write;

use array_files::DType;
use kaldi_any::ValueType;
use kaldi_egs::{NnetChainExample, NnetExample};
use kaldi_lattice::{CompactLattice, Fst, GraphValue, Lattice};
use kaldi_value::{GaussPost, Posterior};
use kaldi_wave::Wave;

use crate::array::Array;
use crate::example_arrays::IoArrays;
use crate::example_json::{parse_chain_example, parse_example, write_chain_example, write_example};
use crate::graph_parts::{graph_from_parts, graph_part_names, graph_parts, parse_graph};
use crate::item::{Compound, Item, integers, singles};
use crate::json_read::{Single, expected};
use crate::text_write::{write_array, write_list, write_single};

impl Compound for Vec<Vec<i32>> {
    fn part_names() -> &'static [&'static str] {
        &["lengths", "values"]
    }

    fn from_parts(parts: &[Array]) -> Result<Self, String> {
        let [lengths, values] = parts else { return Err(other_parts(parts)) };
        cut(integers(values)?, lengths)
    }

    fn parse_json(text: &str) -> Result<Item, String> {
        Ok(serde_json::from_str::<Self>(text).map_err(expected("lists of integers in a list"))?.into())
    }

    fn table_type(&self) -> ValueType {
        ValueType::Int32VectorVector
    }

    fn parts(&self) -> Vec<Array> {
        vec![lengths(self), ints(&self.concat())]
    }

    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), String> {
        write_list(out, self, |out, list| {
            write_list(out, list, |out, value| {
                let _ = write!(out, "{value}");
                Ok(())
            })
        })
    }

    fn rows(&self, delimiter: char) -> Option<Vec<String>> {
        let row = |list: &Vec<i32>| list.iter().map(|value| format!("{delimiter}{value}")).collect();
        Some(self.iter().map(row).collect())
    }
}

/// Readers of posteriors in text take no words for numbers.
const NOT_FINITE: &str = "expected finite weights, as the text form of posteriors has no others (remove the option t of \
                          the table)";

fn finite<'a>(mut weights: impl Iterator<Item = &'a f32>) -> Result<(), String> {
    if weights.all(|weight| weight.is_finite()) { Ok(()) } else { Err(NOT_FINITE.into()) }
}

impl Compound for Posterior {
    fn part_names() -> &'static [&'static str] {
        &["lengths", "index", "weight"]
    }

    fn from_parts(parts: &[Array]) -> Result<Self, String> {
        let [lengths, index, weight] = parts else { return Err(other_parts(parts)) };
        let (index, weight) = (integers(index)?, singles(weight)?);
        same(index.len(), weight.len())?;
        Ok(Self(cut(index.into_iter().zip(weight).collect(), lengths)?))
    }

    fn parse_json(text: &str) -> Result<Item, String> {
        let frames: Vec<Vec<(i32, Single)>> =
            serde_json::from_str(text).map_err(expected("for each frame a list of [index, weight]"))?;
        let plain = |frame: Vec<(i32, Single)>| frame.into_iter().map(|(index, weight)| (index, weight.0)).collect();
        Ok(Self(frames.into_iter().map(plain).collect()).into())
    }

    fn check_text(&self) -> Result<(), String> {
        finite(self.0.iter().flatten().map(|(_, weight)| weight))
    }

    fn table_type(&self) -> ValueType {
        ValueType::Posterior
    }

    fn parts(&self) -> Vec<Array> {
        let (index, weight): (Vec<i32>, Vec<f32>) = self.0.iter().flatten().copied().unzip();
        vec![lengths(&self.0), ints(&index), floats(&weight)]
    }

    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), String> {
        write_list(out, &self.0, |out, frame| {
            write_list(out, frame, |out, (index, weight)| {
                let _ = write!(out, "[{index}, ");
                write_single(out, *weight);
                out.push(b']');
                Ok(())
            })
        })
    }

    fn rows(&self, delimiter: char) -> Option<Vec<String>> {
        let pair = |(index, weight): &(i32, f32)| format!("{delimiter}{index}{delimiter}{weight:?}");
        Some(self.0.iter().map(|frame| frame.iter().map(pair).collect()).collect())
    }
}

impl Compound for GaussPost {
    fn part_names() -> &'static [&'static str] {
        &["lengths", "index", "sizes", "weight"]
    }

    fn from_parts(parts: &[Array]) -> Result<Self, String> {
        let [lengths, index, sizes, weight] = parts else { return Err(other_parts(parts)) };
        let (index, weights) = (integers(index)?, cut(singles(weight)?, sizes)?);
        same(index.len(), weights.len())?;
        Ok(Self(cut(index.into_iter().zip(weights).collect(), lengths)?))
    }

    fn parse_json(text: &str) -> Result<Item, String> {
        let frames: Vec<Vec<(i32, Vec<Single>)>> =
            serde_json::from_str(text).map_err(expected("for each frame a list of [index, [weight, ...]]"))?;
        let weights = |weights: Vec<Single>| weights.into_iter().map(|weight| weight.0).collect();
        let plain = |frame: Vec<(i32, Vec<Single>)>| frame.into_iter().map(|(index, it)| (index, weights(it)));
        Ok(Self(frames.into_iter().map(|frame| plain(frame).collect()).collect()).into())
    }

    fn check_text(&self) -> Result<(), String> {
        finite(self.0.iter().flatten().flat_map(|(_, weights)| weights))
    }

    fn table_type(&self) -> ValueType {
        ValueType::GaussPost
    }

    fn parts(&self) -> Vec<Array> {
        let entries = || self.0.iter().flatten();
        let index: Vec<i32> = entries().map(|(index, _)| *index).collect();
        let sizes: Vec<i32> = entries().map(|(_, weights)| weights.len() as i32).collect();
        let weight: Vec<f32> = entries().flat_map(|(_, weights)| weights).copied().collect();
        vec![lengths(&self.0), ints(&index), ints(&sizes), floats(&weight)]
    }

    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), String> {
        write_list(out, &self.0, |out, frame| {
            write_list(out, frame, |out, (index, weights)| {
                let _ = write!(out, "[{index}, ");
                write_list(out, weights, |out, weight| {
                    write_single(out, *weight);
                    Ok(())
                })?;
                out.push(b']');
                Ok(())
            })
        })
    }
}

impl Compound for Wave {
    fn part_names() -> &'static [&'static str] {
        &["rate", "channels", "samples"]
    }

    fn from_parts(parts: &[Array]) -> Result<Self, String> {
        let [rate, channels, samples] = parts else { return Err(other_parts(parts)) };
        let number = |array: &Array| integers(array).ok().filter(|values| values.len() == 1).map(|it| it[0]);
        let (Some(rate), Some(channels)) = (number(rate), number(channels)) else {
            return Err("expected a sample rate and a number of channels, got others".into());
        };
        wave(f64::from(rate), channels.into(), &singles(samples)?)
    }

    fn table_type(&self) -> ValueType {
        ValueType::Wave
    }

    fn parts(&self) -> Vec<Array> {
        let number = |number: i32| Array::from_i32(&[], &[number]);
        vec![number(self.sample_rate() as i32), number(self.num_channels() as i32), samples(self)]
    }

    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), String> {
        let (rate, channels) = (self.sample_rate(), self.num_channels());
        let _ = write!(out, "\"rate\": {rate}, \"channels\": {channels}, \"samples\": ");
        write_array(out, &samples(self));
        Ok(())
    }

    fn is_entries(&self) -> bool {
        true
    }
}

/// Makes a waveform of samples that have one of each channel after the other.
pub(crate) fn wave(rate: f64, num_channels: i64, samples: &[f32]) -> Result<Wave, String> {
    let channels = usize::try_from(num_channels).ok().filter(|count| (1..=32767).contains(count));
    let channels = channels.ok_or_else(|| format!("expected 1 to 32767 channels, got {num_channels}"))?;
    if !(rate >= 1.0 && rate <= f64::from(i32::MAX) && rate.fract() == 0.0) {
        return Err(format!("expected a sample rate in whole hertz, got {rate}"));
    }
    if !samples.len().is_multiple_of(channels) {
        return Err(format!("expected samples of {channels} channels, got {} in all", samples.len()));
    }
    let channel = |channel: usize| samples.iter().skip(channel).step_by(channels).copied().collect();
    Ok(Wave::new(rate as f32, (0..channels).map(channel).collect()))
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

impl Compound for NnetExample {
    fn parse_json(text: &str) -> Result<Item, String> {
        parse_example(text).map(Item::from)
    }

    fn table_type(&self) -> ValueType {
        ValueType::Nnet3Example
    }

    fn examples(&self) -> Vec<IoArrays> {
        self.io.iter().map(IoArrays::of_io).collect()
    }

    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), String> {
        write_example(out, self)
    }
}

impl Compound for NnetChainExample {
    fn parse_json(text: &str) -> Result<Item, String> {
        parse_chain_example(text).map(Item::from)
    }

    fn table_type(&self) -> ValueType {
        ValueType::Nnet3ChainExample
    }

    fn examples(&self) -> Vec<IoArrays> {
        let inputs = self.inputs.iter().map(IoArrays::of_io);
        inputs.chain(self.outputs.iter().map(IoArrays::of_output)).collect()
    }

    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), String> {
        write_chain_example(out, self)
    }
}

/// A lattice or an FST. (Functions over all types of a trait of another crate would rule out those over single types.)
pub(crate) trait GraphExchange: GraphValue {}

impl GraphExchange for Lattice {}
impl GraphExchange for CompactLattice {}
impl GraphExchange for Fst {}

impl<T: GraphExchange> Compound for T {
    fn part_names() -> &'static [&'static str] {
        graph_part_names(T::FORM)
    }

    fn from_parts(parts: &[Array]) -> Result<Self, String> {
        graph_from_parts(T::FORM, parts).map(T::from)
    }

    fn parse_json(text: &str) -> Result<Item, String> {
        Ok(Item::from(T::from(parse_graph(text, T::FORM)?)))
    }

    fn table_type(&self) -> ValueType {
        ValueType::of_graph(T::FORM)
    }

    fn parts(&self) -> Vec<Array> {
        graph_parts(self, T::FORM)
    }

    /// An object of its arrays.
    fn write_json(&self, out: &mut Vec<u8>) -> Result<(), String> {
        out.push(b'{');
        for (number, (name, array)) in T::part_names().iter().zip(self.parts()).enumerate() {
            let separator = if number > 0 { ", " } else { "" };
            let _ = write!(out, "{separator}\"{name}\": ");
            write_array(out, &array);
        }
        out.push(b'}');
        Ok(())
    }
}

fn ints(values: &[i32]) -> Array {
    Array::from_i32(&[values.len()], values)
}

fn floats(values: &[f32]) -> Array {
    Array::from_f32(&[values.len()], values)
}

fn other_parts(parts: &[Array]) -> String {
    format!("expected other arrays, got {}", parts.len())
}

fn lengths<T>(lists: &[Vec<T>]) -> Array {
    ints(&lists.iter().map(|list| list.len() as i32).collect::<Vec<_>>())
}

fn same(first: usize, second: usize) -> Result<(), String> {
    if first == second { Ok(()) } else { Err(format!("expected as many indices as weights, got {first} and {second}")) }
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
