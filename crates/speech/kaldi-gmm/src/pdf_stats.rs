//! Statistics of the mixtures of all pdfs.

use kaldi_io::ParseError;
use kaldi_value::{Cursor, Format, KaldiObject, write_basic, write_token};

use crate::normal::NormalGmm;
use crate::{AccumDiagGmm, AmDiagGmm, Error, GmmFlags, GmmStats, Mixture, Result};

/// Statistics of the mixtures of all pdfs (Kaldi's `AccumAmDiagGmm`), also derivatives by them. They are the second part of
/// [`crate::AcousticStats`].
///
/// As text, the number of pdfs, the statistics of each ([`AccumDiagGmm`]), and totals:
///
/// ```text
/// <NUMPDFS> 1 <GMMACCS> ... </GMMACCS> <total_like> -12.5 <total_frames> 4
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PdfStats {
    pub(crate) pdfs: Vec<AccumDiagGmm>,
    pub(crate) log_like: f64,
    pub(crate) frames: f64,
}

impl PdfStats {
    /// Starts statistics of zeros for a model; the frames to add may have another dimension than those of the model.
    pub fn new(model: &AmDiagGmm, dim: usize, flags: GmmFlags) -> Self {
        let pdfs = model.pdfs().iter().map(|gmm| AccumDiagGmm::new(gmm.num_gauss(), dim, flags)).collect();
        Self { pdfs, log_like: 0.0, frames: 0.0 }
    }

    /// The statistics of each pdf.
    pub fn pdfs(&self) -> &[AccumDiagGmm] {
        &self.pdfs
    }

    /// The number of frames that all Gaussians have, as a sum of their weights.
    pub fn total_count(&self) -> f64 {
        self.pdfs.iter().map(|stats| stats.occupancy().iter().sum::<f64>()).sum()
    }

    /// Refuses statistics of another number of pdfs.
    ///
    /// # Errors
    /// If the number is another one.
    pub fn check_num_pdfs(&self, expected: usize) -> Result<()> {
        match self.pdfs.len() {
            got if got == expected => Ok(()),
            got => Err(Error::OtherStats { expected, got }),
        }
    }

    /// Adds `tau` frames to each Gaussian that has frames in `source`; they have the mean and the variance that it has there
    /// (I-smoothing, Kaldi's `IsmoothStatsAmDiagGmm`).
    ///
    /// # Errors
    /// If `source` is of another model, or has no sums that these statistics have.
    pub fn smooth(&mut self, source: &Self, tau: f64) -> Result<()> {
        source.check_num_pdfs(self.pdfs.len())?;
        for (pdf, (target, source)) in self.pdfs.iter_mut().zip(&source.pdfs).enumerate() {
            target.smooth(source, tau).map_err(Error::in_pdf(pdf))?;
        }
        Ok(())
    }

    /// As [`PdfStats::smooth`], with the means and variances of a model (Kaldi's `IsmoothStatsAmDiagGmmFromModel`).
    ///
    /// # Errors
    /// If the model is another one.
    pub fn smooth_from_model(&mut self, model: &AmDiagGmm, tau: f64) -> Result<()> {
        self.check_num_pdfs(model.num_pdfs())?;
        for (pdf, (target, gmm)) in self.pdfs.iter_mut().zip(model.pdfs()).enumerate() {
            target.smooth(&of_mixture(gmm), tau).map_err(Error::in_pdf(pdf))?;
        }
        Ok(())
    }
}

/// The statistics that one frame would have if each Gaussian had its weight of it.
fn of_mixture(gmm: &crate::DiagGmm) -> AccumDiagGmm {
    let NormalGmm { weights, means, vars } = NormalGmm::of(gmm);
    let mut stats = AccumDiagGmm::new(gmm.num_gauss(), gmm.dim(), GmmFlags::ALL);
    for (gauss, &weight) in weights.iter().enumerate() {
        let sums: Vec<f64> = means.row(gauss).iter().map(|mean| weight * mean).collect();
        let moments = means.row(gauss).iter().zip(vars.row(gauss));
        let squares: Vec<f64> = moments.map(|(mean, var)| weight * mean * mean + weight * var).collect();
        stats.add_sums(gauss, weight, &sums, &squares);
    }
    stats
}

impl KaldiObject for PdfStats {
    const NAME: &'static str = "statistics of pdfs";

    fn read_part(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.expect_token("<NUMPDFS>")?;
        let start = cursor.offset();
        let num_pdfs: i32 = cursor.read_basic()?;
        if num_pdfs < 1 {
            return Err(ParseError::new(start, format!("expected pdfs, got {num_pdfs} of them")));
        }
        let mut pdfs = Vec::new();
        for _ in 0..num_pdfs {
            pdfs.push(AccumDiagGmm::read_part(cursor)?);
        }
        let (mut log_like, mut frames) = (0.0, 0.0);
        // Old files end here.
        if !cursor.rest().trim_ascii_start().is_empty() {
            cursor.expect_token("<total_like>")?;
            log_like = cursor.read_basic()?;
            cursor.expect_token("<total_frames>")?;
            frames = cursor.read_basic()?;
        }
        Ok(Self { pdfs, log_like, frames })
    }

    fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        write_token(out, b"<NUMPDFS>");
        write_basic(out, format, self.pdfs.len() as i32);
        self.pdfs.iter().for_each(|stats| stats.write_part(out, format));
        write_token(out, b"<total_like>");
        write_basic(out, format, self.log_like);
        write_token(out, b"<total_frames>");
        write_basic(out, format, self.frames);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{model, stats};
    use kaldi_value::Value;

    #[test]
    fn what_is_written_is_read_again() {
        for format in [Format::Binary, Format::Text] {
            let bytes = stats([2.0, 4.0, 9.0]).to_bytes(format);
            assert_eq!(PdfStats::read(&mut Cursor::new(&bytes)), Ok(stats([2.0, 4.0, 9.0])));
            let old = bytes.windows(12).position(|window| window == b"<total_like>").unwrap();
            for length in (0..bytes.len()).filter(|length| *length != old) {
                let cut = PdfStats::read(&mut Cursor::new(&bytes[..length]));
                assert!(cut.is_err() || bytes[length..].trim_ascii().is_empty(), "{length}");
            }
            assert!(PdfStats::read(&mut Cursor::new(&bytes[..old])).is_ok());
        }
        let claim = PdfStats::read(&mut Cursor::new(b"<NUMPDFS> 2000000000 <GMMACCS> "));
        assert!(claim.unwrap_err().at_end);
    }

    #[test]
    fn smoothing_adds_frames_of_the_same_moments() {
        // Two frames with a sum of 4 and squares of 9: a mean of 2 and a second moment of 4.5.
        let mut target = stats([10.0, 10.0, 10.0]);
        target.smooth(&stats([2.0, 4.0, 9.0]), 4.0).unwrap();
        assert_eq!(target, stats([14.0, 18.0, 28.0]));
        assert_eq!(target.total_count(), 14.0);
        // Without frames there are no moments.
        target.smooth(&stats([0.0, 0.0, 0.0]), 4.0).unwrap();
        assert_eq!(target.total_count(), 14.0);
        // A mean of 3 and a variance of 0.5.
        target.smooth_from_model(&model(3.0, 0.5), 2.0).unwrap();
        assert_eq!(target, stats([16.0, 24.0, 47.0]));
    }

    #[test]
    fn statistics_of_other_models_are_refused() {
        let mut two = stats([1.0, 1.0, 1.0]);
        two.pdfs.push(two.pdfs[0].clone());
        let message = stats([1.0, 1.0, 1.0]).smooth(&two, 1.0).unwrap_err().to_string();
        assert_eq!(message, "expected statistics of 1 pdfs or counts of transitions, got 2: of another model");
        two.pdfs[1] = AccumDiagGmm::new(3, 1, GmmFlags::ALL);
        let twice = AmDiagGmm::new([model(1.0, 1.0).pdfs(), model(1.0, 1.0).pdfs()].concat()).unwrap();
        let message = two.smooth_from_model(&twice, 1.0).unwrap_err().to_string();
        assert!(message.starts_with("pdf 1: dimension or flags mismatch"), "{message}");
    }
}
