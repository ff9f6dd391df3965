//! Whole models of Gaussian mixtures: transitions, and a mixture for each pdf.

use kaldi_hmm::TransitionModel;
use kaldi_io::{ParseError, excerpt};
use kaldi_value::{Cursor, Format, Frame, KaldiObject, Value, frame_by_parsing};

use crate::AmDiagGmm;

/// A file `final.mdl` of Gaussian mixtures: a transition model and an acoustic model, with one marker before both.
#[derive(Clone, Debug, PartialEq)]
pub struct AcousticModel {
    /// The transitions of the states.
    pub transitions: TransitionModel,
    /// The mixtures of the pdfs.
    pub pdfs: AmDiagGmm,
}

impl KaldiObject for AcousticModel {
    const NAME: &'static str = "model of Gaussian mixtures";

    fn frame_object(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        if at_end || !window.starts_with(b"\0B") {
            return frame_by_parsing::<Self>(window, at_end);
        }
        let start = match TransitionModel::frame(window, false)? {
            Frame::Whole(length) => length,
            unknown => return Ok(unknown),
        };
        let mut cursor = Cursor::new_open(window);
        cursor.read_marker()?;
        cursor.advance(start - cursor.offset());
        let more = window.len() as u64 + 1;
        match skip_pdfs(&mut cursor) {
            Ok(None) => Ok(Frame::Whole(cursor.offset())),
            Ok(Some(length)) => Ok(Frame::Partial(length.max(more))),
            Err(error) if error.at_end => Ok(Frame::Partial(more)),
            Err(error) => Err(error),
        }
    }

    fn read_part(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let transitions = TransitionModel::read_part(cursor)?;
        Ok(Self { transitions, pdfs: AmDiagGmm::read_part(cursor)? })
    }

    fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        self.transitions.write_part(out, format);
        self.pdfs.write_part(out, format);
    }
}

/// The mixtures of a file, with or without a transition model before them.
#[derive(Clone, Debug, PartialEq)]
pub struct GaussiansOnly(pub AmDiagGmm);

impl GaussiansOnly {
    fn has_transitions(bytes: &[u8]) -> bool {
        let text = bytes.strip_prefix(b"\0B").unwrap_or(bytes).trim_ascii_start();
        let first: &[u8] = b"<TransitionModel>";
        text.starts_with(first) || (!text.is_empty() && first.starts_with(text))
    }
}

/// What is written has no transition model.
impl Value for GaussiansOnly {
    const NAME: &'static str = "Gaussian mixtures";

    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        match Self::has_transitions(window) {
            true => AcousticModel::frame(window, at_end),
            false => AmDiagGmm::frame(window, at_end),
        }
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        match Self::has_transitions(cursor.rest()) {
            true => AcousticModel::read(cursor).map(|model| Self(model.pdfs)),
            false => AmDiagGmm::read(cursor).map(Self),
        }
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        self.0.write(out, format);
    }
}

/// Skips the mixtures of a binary model; returns a length that the file has at least if that is beyond the cursor's bytes.
fn skip_pdfs(cursor: &mut Cursor<'_>) -> Result<Option<u64>, ParseError> {
    cursor.expect_token("<DIMENSION>")?;
    let _: i32 = cursor.read_basic()?;
    cursor.expect_token("<NUMPDFS>")?;
    let num_pdfs: i32 = cursor.read_basic()?;
    for _ in 0..num_pdfs {
        let start = cursor.offset();
        // <DiagGMM>, or <DiagGMMBegin> in old models; reading says what is wrong with another token.
        cursor.read_token()?;
        loop {
            let is_end = matches!(cursor.read_token()?, b"</DiagGMM>" | b"<DiagGMMEnd>");
            if is_end {
                break;
            }
            let at = cursor.offset();
            let (width, is_matrix) = match cursor.read_token()? {
                b"FV" => (4, false),
                b"DV" => (8, false),
                b"FM" => (4, true),
                b"DM" => (8, true),
                token => {
                    let message = format!("expected numbers of a mixture, got \"{}\"", excerpt(token));
                    return Err(ParseError::new(at.max(start), message));
                }
            };
            let rows = read_size(cursor)?;
            let columns = if is_matrix { read_size(cursor)? } else { 1 };
            let length = rows.saturating_mul(columns).saturating_mul(width);
            if length > cursor.rest().len() as u64 {
                return Ok(Some((cursor.offset() as u64).saturating_add(length)));
            }
            cursor.skip(length)?;
        }
    }
    Ok(None)
}

fn read_size(cursor: &mut Cursor<'_>) -> Result<u64, ParseError> {
    let start = cursor.offset();
    let size: i32 = cursor.read_basic()?;
    u64::try_from(size).map_err(|_| ParseError::new(start, format!("expected a size, got {size}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
<TransitionModel> \n<Topology> \n<TopologyEntry> \n<ForPhones> \n1 \n</ForPhones> \n<State> 0 <PdfClass> 0 <Transition> 0 0.5 \
<Transition> 1 0.5 </State> \n<State> 1 </State> \n</TopologyEntry> \n</Topology> \n<Triples> 1 \n1 0 0 \n</Triples> \n\
<LogProbs> \n [ 0 -0.5 -1 ]\n</LogProbs> \n</TransitionModel> \n<DIMENSION> 1 <NUMPDFS> 1 <DiagGMM> \n<GCONSTS>  [ -8.225791 \
]\n<WEIGHTS>  [ 1 ]\n<MEANS_INVVARS>  [\n  8 ]\n<INV_VARS>  [\n  4 ]\n</DiagGMM> \n";

    fn model() -> AcousticModel {
        AcousticModel::read(&mut Cursor::new(TEXT.as_bytes())).unwrap()
    }

    fn written(format: Format) -> Vec<u8> {
        model().to_bytes(format)
    }

    #[test]
    fn what_is_written_is_read_again() {
        assert_eq!((model().transitions.num_pdfs(), model().pdfs.num_pdfs(), model().pdfs.dim()), (1, 1, 1));
        assert_eq!(String::from_utf8(written(Format::Text)).unwrap(), TEXT);
        assert_eq!(AcousticModel::read(&mut Cursor::new(&written(Format::Binary))), Ok(model()));
    }

    #[test]
    fn transitions_may_be_skipped_or_missing() {
        let expected = Ok(GaussiansOnly(model().pdfs));
        let without = TEXT.split_once("</TransitionModel> \n").unwrap().1;
        for text in [TEXT, without] {
            assert_eq!(GaussiansOnly::read(&mut Cursor::new(text.as_bytes())), expected);
            let length = text.len() - 1;
            assert_eq!(GaussiansOnly::frame(text.as_bytes(), true), Ok(Frame::Whole(length)));
        }
        assert_eq!(GaussiansOnly::read(&mut Cursor::new(&written(Format::Binary))), expected);
    }

    #[test]
    fn a_cut_model_is_no_model() {
        let bytes = written(Format::Binary);
        for cut in 0..bytes.len() {
            let error = AcousticModel::read(&mut Cursor::new(&bytes[..cut])).unwrap_err();
            assert!(error.at_end, "{cut}: {error}");
            let frame = AcousticModel::frame(&bytes[..cut], false);
            let range = cut as u64 + 1..=bytes.len() as u64;
            assert!(matches!(frame, Ok(Frame::Partial(least)) if range.contains(&least)), "{cut}: {frame:?}");
        }
        let longer = [&bytes, &b"rest"[..]].concat();
        assert_eq!(AcousticModel::frame(&longer, false), Ok(Frame::Whole(bytes.len())));
        assert_eq!(AcousticModel::frame(&longer, true), Ok(Frame::Whole(bytes.len())));
    }
}
