//! Acoustic models: a mixture for each pdf.

use kaldi_io::ParseError;
use kaldi_value::{Cursor, Format, KaldiObject, write_basic, write_token};

use crate::{DiagGmm, Error, Mixture, Result};

/// An acoustic model of mixtures with diagonal covariances, one for each pdf (Kaldi's `AmDiagGmm`). A file `final.mdl` has
/// a transition model before it.
///
/// As text, the numbers of dimensions and pdfs, and the mixtures:
///
/// ```text
/// <DIMENSION> 1 <NUMPDFS> 1 <DiagGMM>
/// <GCONSTS>  [ -8.225791 ]
/// ...
/// </DiagGMM>
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AmDiagGmm {
    pdfs: Vec<DiagGmm>,
}

impl AmDiagGmm {
    /// Makes a model of the mixtures of the pdfs.
    ///
    /// # Errors
    /// If there are none, or their dimensions differ.
    pub fn new(pdfs: Vec<DiagGmm>) -> Result<Self> {
        let Some(first) = pdfs.first() else { return Err(Error::NoPdfs) };
        let dim = first.dim();
        match pdfs.iter().position(|gmm| gmm.dim() != dim) {
            Some(pdf) => Err(Error::PdfDim { pdf, expected: dim, got: pdfs[pdf].dim() }),
            None => Ok(Self { pdfs }),
        }
    }

    /// The number of pdfs.
    pub fn num_pdfs(&self) -> usize {
        self.pdfs.len()
    }

    /// The number of dimensions.
    pub fn dim(&self) -> usize {
        self.pdfs[0].dim()
    }

    /// The number of Gaussians of all pdfs.
    pub fn num_gauss(&self) -> usize {
        self.pdfs.iter().map(Mixture::num_gauss).sum()
    }

    /// The mixtures of the pdfs.
    pub fn pdfs(&self) -> &[DiagGmm] {
        &self.pdfs
    }

    /// The mixture of a pdf; `None` if there is no such pdf.
    pub fn pdf(&self, pdf: i32) -> Option<&DiagGmm> {
        self.pdfs.get(usize::try_from(pdf).ok()?)
    }
}

impl KaldiObject for AmDiagGmm {
    const NAME: &'static str = "acoustic model";

    fn read_part(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.expect_token("<DIMENSION>")?;
        let start = cursor.offset();
        let dim: i32 = cursor.read_basic()?;
        cursor.expect_token("<NUMPDFS>")?;
        let num_pdfs: i32 = cursor.read_basic()?;
        if num_pdfs < 1 {
            return Err(ParseError::new(start, format!("expected pdfs, got {num_pdfs} of them")));
        }
        let mut pdfs = Vec::new();
        for pdf in 0..num_pdfs {
            let start = cursor.offset();
            let gmm = DiagGmm::read_part(cursor)?;
            if i32::try_from(gmm.dim()) != Ok(dim) {
                let message = format!("expected pdf {pdf} in {dim} dimensions, got {}", gmm.dim());
                return Err(ParseError::new(start, message));
            }
            pdfs.push(gmm);
        }
        Ok(Self { pdfs })
    }

    fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        write_token(out, b"<DIMENSION>");
        write_basic(out, format, self.dim() as i32);
        write_token(out, b"<NUMPDFS>");
        write_basic(out, format, self.num_pdfs() as i32);
        self.pdfs.iter().for_each(|gmm| gmm.write_part(out, format));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaldi_value::Value;

    const GMM: &str = "<DiagGMM> \n<GCONSTS>  [ -8.225791 ]\n<WEIGHTS>  [ 1 ]\n<MEANS_INVVARS>  [\n  8 ]\n<INV_VARS>  [\n  4 \
                       ]\n</DiagGMM> \n";

    fn text() -> String {
        format!("<DIMENSION> 1 <NUMPDFS> 2 {GMM}{GMM}")
    }

    fn read(text: &str) -> Result<AmDiagGmm, ParseError> {
        AmDiagGmm::read(&mut Cursor::new(text.as_bytes()))
    }

    #[test]
    fn what_is_written_is_read_again() {
        let model = read(&text()).unwrap();
        assert_eq!((model.num_pdfs(), model.dim(), model.num_gauss()), (2, 1, 2));
        assert!(model.pdf(1).is_some() && model.pdf(2).is_none() && model.pdf(-1).is_none());
        for format in [Format::Binary, Format::Text] {
            let bytes = model.to_bytes(format);
            assert_eq!(AmDiagGmm::read(&mut Cursor::new(&bytes)), Ok(model.clone()));
            for length in 0..bytes.len() {
                assert!(AmDiagGmm::read(&mut Cursor::new(&bytes[..length])).is_err() || bytes[length..] == *b"\n");
            }
        }
        assert_eq!(AmDiagGmm::new(model.pdfs().to_vec()), Ok(model));
    }

    #[test]
    fn what_is_no_model_is_refused() {
        let message = |from: &str, to: &str| read(&text().replace(from, to)).unwrap_err().to_string();
        assert_eq!(message("<DIMENSION> 1", "<DIMENSION> 3"), "expected pdf 0 in 3 dimensions, got 1");
        assert_eq!(message("<NUMPDFS> 2", "<NUMPDFS> 0"), "expected pdfs, got 0 of them");
        assert!(read(&text().replace("<NUMPDFS> 2", "<NUMPDFS> 2000000000")).unwrap_err().at_end);
        assert_eq!(AmDiagGmm::new(Vec::new()), Err(Error::NoPdfs));
    }
}
