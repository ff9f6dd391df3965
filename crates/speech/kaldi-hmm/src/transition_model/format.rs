//! The two forms of a transition model in files.

use kaldi_io::{ParseError, excerpt};
use kaldi_matrix::Vector;
use kaldi_value::{Cursor, Format, Frame, KaldiObject, frame_between_tokens, write_basic, write_token};

use super::{TransitionModel, TransitionTuple};
use crate::topology::HmmTopology;

type Result<T> = std::result::Result<T, ParseError>;

/// The length of an integer with its size byte.
const INTEGER: u64 = 5;

fn read_count(cursor: &mut Cursor<'_>) -> Result<i32> {
    let start = cursor.offset();
    match cursor.read_basic()? {
        count @ 0.. => Ok(count),
        count => Err(ParseError::new(start, format!("expected a number of tuples, got {count}"))),
    }
}

fn expect_end(cursor: &mut Cursor<'_>) -> Result<()> {
    let mut ahead = cursor.clone();
    if ahead.read_token()? == b"</Tuples>" {
        *cursor = ahead;
        return Ok(());
    }
    cursor.expect_token("</Triples>")
}

/// The length of a binary transition model that starts with the window, or a number above the window's length that it has
/// at least. What is not needed for that is not looked at.
fn reach(window: &[u8]) -> Result<u64> {
    let mut cursor = Cursor::new_open(window);
    let more = window.len() as u64 + 1;
    match skip(&mut cursor) {
        Ok(None) => Ok(cursor.offset() as u64),
        Ok(Some(length)) => Ok(length.max(more)),
        Err(error) if error.at_end => Ok(more),
        Err(error) => Err(error),
    }
}

/// Skips a binary transition model; returns a length that it has at least if that is beyond the cursor's bytes.
fn skip(cursor: &mut Cursor<'_>) -> Result<Option<u64>> {
    cursor.read_marker()?;
    cursor.expect_token("<TransitionModel>")?;
    HmmTopology::read_part(cursor)?;
    let numbers = if cursor.read_token()? == b"<Tuples>" { 4 } else { 3 };
    let count = read_count(cursor)? as u64;
    let tuples = count * numbers * INTEGER;
    if tuples > cursor.rest().len() as u64 {
        return Ok(Some(cursor.offset() as u64 + tuples));
    }
    cursor.skip(tuples)?;
    expect_end(cursor)?;
    cursor.expect_token("<LogProbs>")?;
    let start = cursor.offset() as u64;
    let (width, dim) = match cursor.read_token()? {
        b"FV" => (4, read_count(cursor)?),
        b"DV" => (8, read_count(cursor)?),
        token => {
            let message = format!("expected token \"FV\", got \"{}\"", excerpt(token));
            return Err(ParseError::new(start as usize, message));
        }
    };
    let numbers = width * dim as u64;
    if numbers > cursor.rest().len() as u64 {
        return Ok(Some(cursor.offset() as u64 + numbers));
    }
    cursor.skip(numbers)?;
    cursor.expect_token("</LogProbs>")?;
    cursor.expect_token("</TransitionModel>")?;
    Ok(None)
}

impl KaldiObject for TransitionModel {
    const NAME: &'static str = "transition model";

    fn frame_object(window: &[u8], at_end: bool) -> Result<Frame> {
        if at_end || !window.starts_with(b"\0B") {
            return frame_between_tokens::<Self>(window, at_end, "<TransitionModel>", "</TransitionModel>");
        }
        let reach = reach(window)?;
        Ok(if reach <= window.len() as u64 { Frame::Whole(reach as usize) } else { Frame::Partial(reach) })
    }

    fn read_part(cursor: &mut Cursor<'_>) -> Result<Self> {
        cursor.expect_token("<TransitionModel>")?;
        let topology = HmmTopology::read_part(cursor)?;
        // Kaldi takes any word but <Tuples> for <Triples>.
        let has_two_pdfs = cursor.read_token()? == b"<Tuples>";
        let start = cursor.offset();
        let mut tuples = Vec::new();
        for _ in 0..read_count(cursor)? {
            let (phone, state, forward_pdf) = (cursor.read_basic()?, cursor.read_basic()?, cursor.read_basic()?);
            let self_loop_pdf = if has_two_pdfs { cursor.read_basic()? } else { forward_pdf };
            tuples.push(TransitionTuple { phone, state, forward_pdf, self_loop_pdf });
        }
        expect_end(cursor)?;
        cursor.expect_token("<LogProbs>")?;
        let log_probs = Vector::read_part(cursor)?;
        cursor.expect_token("</LogProbs>")?;
        cursor.expect_token("</TransitionModel>")?;
        Self::new(topology, tuples, log_probs).map_err(|message| ParseError::new(start, message))
    }

    fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        let is_hmm = self.topology.is_hmm();
        let token = |out: &mut Vec<u8>, token: &[u8]| {
            write_token(out, token);
            format.end_line(out);
        };
        token(out, b"<TransitionModel>");
        self.topology.write_part(out, format);
        write_token(out, if is_hmm { b"<Triples>" } else { b"<Tuples>" });
        write_basic(out, format, self.tuples.len() as i32);
        format.end_line(out);
        for tuple in &self.tuples {
            let numbers = [tuple.phone, tuple.state, tuple.forward_pdf, tuple.self_loop_pdf];
            for &number in if is_hmm { &numbers[..3] } else { &numbers } {
                write_basic(out, format, number);
            }
            format.end_line(out);
        }
        token(out, if is_hmm { b"</Triples>" } else { b"</Tuples>" });
        token(out, b"<LogProbs>");
        self.log_probs.write_part(out, format);
        token(out, b"</LogProbs>");
        token(out, b"</TransitionModel>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::tests::state;
    use crate::topology::{HmmState, PdfClasses};
    use crate::transition_model::tests::model;
    use kaldi_value::Value;

    const TEXT: &str = "\
<TransitionModel> \n<Topology> \n<TopologyEntry> \n<ForPhones> \n2 7 \n</ForPhones> \n<State> 0 <PdfClass> 0 <Transition> 0 \
0.75 <Transition> 1 0.25 </State> \n<State> 1 </State> \n</TopologyEntry> \n</Topology> \n<Triples> 2 \n2 0 1 \n7 0 0 \n\
</Triples> \n<LogProbs> \n [ 0 -0.5 -1 -0.25 -2 ]\n</LogProbs> \n</TransitionModel> \n";

    fn read(text: &str) -> Result<TransitionModel> {
        TransitionModel::read(&mut Cursor::new(text.as_bytes()))
    }

    /// A model in which the self-loops have pdfs of their own.
    fn chain() -> TransitionModel {
        let classes = Some(PdfClasses { forward: 0, self_loop: 1 });
        let entry = vec![HmmState { pdf_classes: classes, transitions: vec![(0, 0.5), (1, 0.5)] }, state(-1, &[])];
        let topology = HmmTopology::from_entries(vec![(vec![3, 1], entry)]).unwrap();
        let tuple = |phone, forward_pdf, self_loop_pdf| TransitionTuple { phone, state: 0, forward_pdf, self_loop_pdf };
        TransitionModel::from_tuples(topology, vec![tuple(1, 0, 2), tuple(3, 1, 2)]).unwrap()
    }

    #[test]
    fn text_is_as_kaldi_writes_it() {
        let text = read(TEXT).unwrap();
        assert_eq!(String::from_utf8(text.to_bytes(Format::Text)).unwrap(), TEXT);
        let chain = String::from_utf8(chain().to_bytes(Format::Text)).unwrap();
        assert!(chain.contains("<State> 0 <ForwardPdfClass> 0 <SelfLoopPdfClass> 1 <Transition> 0 0.5 "), "{chain}");
        assert!(chain.contains("<Tuples> 2 \n1 0 0 2 \n3 0 1 2 \n</Tuples> \n"), "{chain}");
    }

    #[test]
    fn both_forms_are_read_up_to_their_end() {
        for model in [model(), chain()] {
            for format in [Format::Binary, Format::Text] {
                let mut bytes = model.to_bytes(format);
                let length = bytes.len() - usize::from(format == Format::Text);
                for cut in 0..length {
                    let error = TransitionModel::read(&mut Cursor::new(&bytes[..cut])).unwrap_err();
                    assert!(error.at_end || format == Format::Text, "{cut}: {error}");
                    let frame = TransitionModel::frame(&bytes[..cut], false);
                    assert!(
                        matches!(frame, Ok(Frame::Partial(least)) if (cut as u64 + 1..=length as u64).contains(&least))
                    );
                    assert!(TransitionModel::frame(&bytes[..cut], true).is_err());
                }
                bytes.extend_from_slice(b"<DIMENSION> \x04");
                let mut cursor = Cursor::new(&bytes);
                assert_eq!(
                    TransitionModel::read(&mut cursor).as_ref().map(TransitionModel::num_pdfs),
                    Ok(model.num_pdfs())
                );
                for at_end in [false, true] {
                    assert_eq!(TransitionModel::frame(&bytes, at_end), Ok(Frame::Whole(cursor.offset())));
                }
            }
        }
    }

    /// What says that it is long is not waited for in steps.
    #[test]
    fn claims_say_how_much_is_needed() {
        let bytes = model().to_bytes(Format::Binary);
        let at = bytes.windows(10).position(|window| window == b"<Triples> ").unwrap() + 10;
        let mut claim = bytes[..at].to_vec();
        claim.extend_from_slice(b"\x04\0\0\0\x40");
        assert_eq!(TransitionModel::frame(&claim, false), Ok(Frame::Partial(at as u64 + 5 + 15 * (1 << 30))));
        claim[at + 4] = 0x80;
        let error = TransitionModel::frame(&claim, false).unwrap_err();
        assert_eq!(error.to_string(), "expected a number of tuples, got -2147483648");
    }

    #[test]
    fn damage_is_named() {
        let t = |from: &str, to: &str| {
            assert!(TEXT.contains(from), "{from}");
            read(&TEXT.replacen(from, to, 1)).unwrap_err().to_string()
        };
        assert_eq!(t("<TransitionModel>", "<Model>"), "expected token \"<TransitionModel>\", got \"<Model>\"");
        assert_eq!(t("<Topology>", "<Topo>"), "expected token \"<Topology>\", got \"<Topo>\"");
        assert_eq!(t("<TopologyEntry>", "x"), "expected <TopologyEntry> or </Topology>, got \"x\"");
        assert_eq!(t("2 7 ", "2 y "), "expected a phone or </ForPhones>, got \"y\"");
        assert_eq!(t("2 7 ", "2 2 "), "phone 2 comes twice");
        assert_eq!(t("<State> 0", "<State> 3"), "expected state 0, since states are in order, got 3");
        assert_eq!(t("<State> 0", "<Stat> 0"), "expected <State> or </TopologyEntry>, got \"<Stat>\"");
        assert_eq!(t("<Transition> 1 0.25", "<Final> 1"), "a topology of the oldest form, with <Final>, is not read");
        assert_eq!(t("<Transition> 1 0.25", "<T> 1"), "expected <Transition> or </State>, got \"<T>\"");
        assert_eq!(t("<Transition> 1", "<Transition> -1"), "expected the number of a state, got -1");
        let half = "expected <ForwardPdfClass> before <SelfLoopPdfClass>, got \"<PdfClass>\"";
        assert_eq!(t("<PdfClass> 0", "<PdfClass> 0 <SelfLoopPdfClass> 0"), half);
        assert_eq!(t("</Triples>", "</Triple>"), "expected token \"</Triples>\", got \"</Triple>\"");
        assert_eq!(t("<Triples> 2", "<Triples> -2"), "expected a number of tuples, got -2");
        assert_eq!(t("2 0 1", "5 0 1"), "tuple 1: phone 5 is not in the topology");
        assert_eq!(t(" -2 ]", " ]"), "expected 5 log-probabilities for 4 transition-ids, got 4");
        assert_eq!(t("<LogProbs>", "<Logs>"), "expected token \"<LogProbs>\", got \"<Logs>\"");
    }

    #[test]
    fn kaldis_freedoms_are_ours() {
        let t = |from: &str, to: &str| assert_eq!(read(&TEXT.replace(from, to)), read(TEXT), "{from}");
        t("<Triples>", "<Pairs>");
        t("</Triples>", "</Tuples>");
        t("\n", "\r\n");
        t("<LogProbs>", "LogProbs>");
    }

    #[test]
    fn doubtful_probabilities_are_warnings() {
        let text = TEXT.replace("0 0.75", "0 0.5");
        let mut cursor = Cursor::new(text.as_bytes());
        TransitionModel::read(&mut cursor).unwrap();
        let warnings: Vec<_> = cursor.take_warnings().iter().map(ToString::to_string).collect();
        assert_eq!(warnings, ["Total probability for state 0 in topology entry is 0.75"]);
    }
}
