//! What is measured of single entries, such as sound, and its statistics.

use bstr::BStr;
use corpus_quality::{Distribution, MeasuredUtterance, Moments, SoundMeasures};
use kaldi_io::ParseError;
use kaldi_lattice::{GraphForm, PathSize, StoredGraph};
use kaldi_value::{Cursor, Value as _};
use kaldi_wave::{Wave, WaveInfo};

use crate::group::Group;

/// Decodes a file of sound in memory.
///
/// # Errors
/// If it cannot be read, or is shorter than its header says.
pub fn decode_sound(bytes: &[u8]) -> Result<Wave, ParseError> {
    let wave = Wave::read(&mut Cursor::new(bytes))?;
    let info = WaveInfo::read(&mut Cursor::new(bytes), None).ok();
    let wrong = |message| Err(ParseError::new(bytes.len(), message));
    let claimed = info.as_ref().and_then(WaveInfo::num_samples);
    if let Some(claimed) = claimed.filter(|&claimed| claimed > wave.num_samples() as u64) {
        return wrong(format!("expected {claimed} samples as the header says, got {}", wave.num_samples()));
    }
    info.as_ref().and_then(WaveInfo::fault).map_or(Ok(wave), |fault| wrong(fault.to_owned()))
}

/// What was measured of an entry, by name. `None` means a level of minus infinity, or that it cannot be measured.
pub type Measures = Vec<(&'static str, Option<f64>)>;

/// Measures sound.
pub fn measure_sound(wave: &Wave) -> SoundMeasures {
    let channels: Vec<&[f32]> = (0..wave.num_channels()).map(|channel| wave.channel(channel)).collect();
    SoundMeasures::of(wave.sample_rate().into(), &channels)
}

/// What was measured of sound, by name.
pub fn sound_measures(sound: SoundMeasures) -> Measures {
    MeasuredUtterance { sound: Some(sound), ..MeasuredUtterance::default() }.measures().collect()
}

/// Measures a lattice: states, arcs, frames, words of the best path, and arcs across a frame; of an FST the first two. A
/// number about which paths disagree is NaN.
pub fn measure_graph(graph: &StoredGraph) -> Measures {
    let size = graph.size();
    let mut measures = vec![("states", Some(size.states as f64)), ("arcs", Some(size.arcs as f64))];
    if graph.form != GraphForm::Standard {
        let path = |part: fn(&PathSize) -> f64| Some(size.path.as_ref().map_or(f64::NAN, part));
        measures.extend([
            ("frames", path(|path| path.frames as f64)),
            ("words", path(|path| path.words as f64)),
            (
                "depth",
                path(|path| if path.frames > 0 { path.arc_frames as f64 / path.frames as f64 } else { f64::NAN }),
            ),
        ]);
    }
    measures
}

/// Everything that was measured of the entries of a table.
#[derive(Debug, Default)]
pub struct MeasureStatistics {
    num_entries: u64,
    /// The names of measures, and their numbers.
    values: Vec<(&'static str, Vec<f64>)>,
}

impl MeasureStatistics {
    /// Adds what was measured of an entry.
    pub fn add(&mut self, measures: &[(&'static str, Option<f64>)]) {
        self.num_entries += 1;
        if self.values.is_empty() {
            self.values = measures.iter().map(|&(name, _)| (name, Vec::new())).collect();
        }
        for ((_, values), (_, value)) in self.values.iter_mut().zip(measures) {
            values.push(value.unwrap_or(f64::NEG_INFINITY));
        }
    }

    /// The number of entries.
    pub fn num_entries(&self) -> u64 {
        self.num_entries
    }

    /// A group for each measure, whose name is that of the measure. Quantiles are exact.
    pub fn groups(&self) -> Vec<Group> {
        let group = |(name, values): &(&'static str, Vec<f64>)| {
            let [low, _, first, third, _, high] =
                distribution(values).map_or([f64::NAN; 6], |distribution| distribution.quantiles);
            let median = distribution(values).map_or(f64::NAN, |distribution| distribution.median);
            let moments = Moments::of_doubles(values.iter().copied());
            Group { name: BStr::new(name).to_owned(), moments, quantiles: [low, first, median, third, high] }
        };
        self.values.iter().map(group).collect()
    }

    /// The distributions of the measures in which utterances differ.
    pub fn distributions(&self) -> impl Iterator<Item = (&'static str, Distribution)> + '_ {
        let of = |(name, values): &(&'static str, Vec<f64>)| Some((*name, distribution(values)?));
        self.values.iter().filter_map(of).filter(|(_, found)| found.min < found.max)
    }
}

fn distribution(values: &[f64]) -> Option<Distribution> {
    Distribution::of(values.iter().copied().filter(|value| value.is_finite()).collect())
}
