//! The stage that normalizes features by statistics of all training data.

use std::sync::Arc;

use kaldi_feat::CmvnStats;
use kaldi_io::read_text_file;
use kaldi_matrix::Matrix;
use kaldi_value::{Cursor, Value as _};
use serde_json::Value;

use crate::params::Params;
use crate::{Error, Refusal, Registry, Result, SampleShape, Stage};

pub(super) fn register(registry: &mut Registry) {
    registry.register("cmvn", cmvn);
}

fn cmvn(params: &mut Params) -> Result<Stage> {
    let Some(file) = params.file("file")? else {
        return Err(params.error("file", "the file of statistics", "nothing"));
    };
    let stats = read_stats(&file)?;
    Stage::cmvn(&stats).map_err(|message| Error::Conf { place: file, message })
}

impl Stage {
    /// `cmvn`: gives each column of the features the mean 0 and the variance 1 over all data, by statistics of all data.
    ///
    /// # Errors
    /// If the statistics are those of no frames.
    pub fn cmvn(stats: &CmvnStats) -> std::result::Result<Self, String> {
        let dim = stats.dim();
        let moments = stats.means_and_variances().map_err(|error| error.to_string())?;
        let moments = moments.ok_or("expected statistics of frames with their variances, got others")?;
        // As in WeNet.
        let scales: Vec<(f64, f64)> =
            (0..dim).map(|column| (moments.row(0)[column], 1.0 / moments.row(1)[column].max(1e-20).sqrt())).collect();
        let scales: Arc<[(f64, f64)]> = scales.into();
        Ok(Self::sample(move |sample| {
            let SampleShape::Feats { num_frames, dim: found } = sample.shape() else {
                return Err(Refusal::Bad("expected features before cmvn, got sound".to_owned()));
            };
            if found != dim && num_frames > 0 {
                return Err(Refusal::Bad(format!("expected features of {dim} dimensions for cmvn, got {found}")));
            }
            let scales = Arc::clone(&scales);
            sample.map_feats(num_frames, move |mut feats| {
                for row in feats.rows_mut() {
                    for (value, (mean, scale)) in row.iter_mut().zip(&*scales) {
                        *value = ((f64::from(*value) - mean) * scale) as f32;
                    }
                }
                Ok(feats)
            });
            Ok(())
        }))
    }
}

/// Reads statistics: an object in JSON with `mean_stat`, `var_stat` and `frame_num`, as WeNet has them, or a matrix as
/// `compute-cmvn-stats` writes it.
fn read_stats(file: &str) -> Result<CmvnStats> {
    let wrong = |message: String| Error::Conf { place: file.to_owned(), message };
    let (_, bytes) = read_text_file(file.into())?;
    let matrix = match bytes.trim_ascii_start().starts_with(b"{") {
        true => of_json(&bytes).map_err(wrong)?,
        false => Matrix::<f64>::read(&mut Cursor::new(&bytes))
            .map_err(|error| Error::Conf { place: format!("{file}:{}", error.offset), message: error.to_string() })?,
    };
    CmvnStats::from_matrix(matrix).map_err(|error| wrong(error.to_string()))
}

fn of_json(bytes: &[u8]) -> std::result::Result<Matrix<f64>, String> {
    let object: Value =
        serde_json::from_slice(bytes).map_err(|error| format!("expected an object in JSON: {error}"))?;
    let list = |name: &str| {
        let numbers = object.get(name).and_then(Value::as_array).map(|list| list.iter().map(Value::as_f64).collect());
        numbers.flatten().ok_or_else(|| format!("expected a list of numbers as the field \"{name}\", got none"))
    };
    let (mut sums, mut squares): (Vec<f64>, Vec<f64>) = (list("mean_stat")?, list("var_stat")?);
    let frames = object.get("frame_num").and_then(Value::as_f64);
    let frames = frames.ok_or("expected a number as the field \"frame_num\", got none")?;
    if sums.len() != squares.len() || sums.is_empty() {
        let (sums, squares) = (sums.len(), squares.len());
        return Err(format!("expected as many sums as sums of squares, got {sums} and {squares}"));
    }
    let columns = sums.len() + 1;
    sums.push(frames);
    squares.push(0.0);
    Ok(Matrix::from_vec(2, columns, [sums, squares].concat()))
}
