//! Examples of chain models.

use bstr::BString;
use kaldi_io::ParseError;
use kaldi_matrix::Vector;
use kaldi_value::{Cursor, Format, Frame, Value, write_basic, write_token};

use crate::example::read_count;
use crate::supervision::walk_counted;
use crate::walk::{self, Walk};
use crate::{ChainSupervision, Index, NnetIo};

type Result<T, E = ParseError> = std::result::Result<T, E>;

/// An output of a chain model: a name, an index for each frame of each sequence, and what it should be (Kaldi's
/// `NnetChainSupervision`).
#[derive(Clone, Debug, PartialEq)]
pub struct ChainOutput {
    /// The name of the node; a token.
    pub name: BString,
    /// All sequences of the first frame, then those of the next one, in equal steps; x is 0.
    pub indexes: Vec<Index>,
    /// What it should be.
    pub supervision: ChainSupervision,
    /// A weight for each index, not negative; empty if all are 1.
    pub deriv_weights: Vec<f32>,
}

impl ChainOutput {
    fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        cursor.expect_token("<NnetChainSup>")?;
        let name = BString::from(cursor.read_token()?);
        let at = cursor.offset();
        let indexes = Index::read_all(cursor)?;
        let supervision = ChainSupervision::read(cursor)?;
        check_indexes(&indexes, &supervision).map_err(|message| ParseError::new(at, message))?;
        let at = cursor.offset();
        let deriv_weights = match cursor.read_token()? {
            b"</NnetChainSup>" => Vec::new(),
            token @ (b"<DW2>" | b"<DW>") => {
                let at = cursor.offset();
                let weights = match token {
                    b"<DW>" if cursor.is_binary() => read_bytes_as_weights(cursor)?,
                    _ => Vector::<f32>::read_part(cursor)?.into_vec(),
                };
                check_weights(&weights, indexes.len()).map_err(|message| ParseError::new(at, message))?;
                cursor.expect_token("</NnetChainSup>")?;
                weights
            }
            token => {
                let message = format!(
                    "expected token \"<DW2>\", \"<DW>\" or \"</NnetChainSup>\", got \"{}\"",
                    kaldi_io::excerpt(token)
                );
                return Err(ParseError::new(at, message));
            }
        };
        Ok(Self { name, indexes, supervision, deriv_weights })
    }

    fn walk(walk: &mut Walk<'_>) -> Result<()> {
        walk.token("<NnetChainSup>")?;
        walk.name()?;
        Index::walk_all(walk)?;
        ChainSupervision::walk(walk)?;
        match walk.cursor.read_token()? {
            b"<DW2>" => walk.vector()?,
            b"<DW>" => walk_counted(&mut walk.cursor, 1)? as usize,
            _ => return Ok(()),
        };
        walk.token("</NnetChainSup>")
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        write_token(out, b"<NnetChainSup>");
        write_token(out, &self.name);
        Index::write_all(&self.indexes, out, format);
        self.supervision.write(out, format);
        write_token(out, b"<DW2>");
        Vector::from_vec(self.deriv_weights.clone()).write_part(out, format);
        write_token(out, b"</NnetChainSup>");
    }

    /// Checks what readers of examples rely on: see the fields.
    ///
    /// # Errors
    /// With what is wrong.
    pub fn check(&self) -> Result<(), String> {
        let ChainSupervision { num_sequences, frames_per_sequence, label_dim, .. } = self.supervision;
        if [num_sequences, frames_per_sequence, label_dim].iter().any(|&size| size < 1) {
            return Err(format!(
                "expected sequences, frames and pdfs, got {num_sequences}, {frames_per_sequence} and {label_dim}"
            ));
        }
        let (expected, got) = (self.supervision.num_fsts(), self.supervision.fsts.len());
        if got != expected {
            return Err(format!("expected {expected} acceptors, got {got}"));
        }
        check_indexes(&self.indexes, &self.supervision)?;
        check_weights(&self.deriv_weights, self.indexes.len())
    }
}

/// Reads a size byte, a count, and a byte for each weight: 255 is 1.
fn read_bytes_as_weights(cursor: &mut Cursor<'_>) -> Result<Vec<f32>> {
    const SCALE: f32 = (1.0 / 255.0) as f32;
    let mut ahead = cursor.clone();
    let count = walk_counted(&mut ahead, 1)? as usize;
    cursor.advance(5);
    Ok(cursor.take(count)?.iter().map(|&byte| SCALE * f32::from(byte)).collect())
}

fn check_indexes(indexes: &[Index], supervision: &ChainSupervision) -> Result<(), String> {
    let (sequences, frames) = (supervision.num_sequences, supervision.frames_per_sequence);
    let expected = i64::from(sequences) * i64::from(frames);
    if indexes.len() as i64 != expected {
        return Err(format!(
            "expected {expected} indexes, {frames} frames of {sequences} sequences, got {}",
            indexes.len()
        ));
    }
    if frames < 2 {
        return Err(format!("expected at least 2 frames of each sequence, got {frames}"));
    }
    let (first, step) = (indexes[0].t, indexes[sequences as usize].t.wrapping_sub(indexes[0].t));
    for (frame, of_frame) in indexes.chunks(sequences as usize).enumerate() {
        let t = first.wrapping_add(step.wrapping_mul(frame as i32));
        for (n, &index) in of_frame.iter().enumerate() {
            if index != (Index { n: n as i32, t, x: 0 }) {
                let Index { n: got_n, t: got_t, x } = index;
                return Err(format!("expected the index {n}, {t}, 0 (n, t, x), got {got_n}, {got_t}, {x}"));
            }
        }
    }
    Ok(())
}

fn check_weights(weights: &[f32], num_indexes: usize) -> Result<(), String> {
    if !weights.is_empty() && weights.len() != num_indexes {
        return Err(format!("expected {num_indexes} weights, one for each index, or none, got {}", weights.len()));
    }
    match weights.iter().find(|&&weight| weight < 0.0) {
        Some(weight) => Err(format!("expected weights that are not negative, got {weight}")),
        None => Ok(()),
    }
}

/// An example of a chain model (Kaldi's `NnetChainExample`). There is at least one input and one output.
#[derive(Clone, Debug, PartialEq)]
pub struct NnetChainExample {
    /// The inputs, in any order.
    pub inputs: Vec<NnetIo>,
    /// The outputs.
    pub outputs: Vec<ChainOutput>,
}

impl NnetChainExample {
    fn walk(walk: &mut Walk<'_>) -> Result<()> {
        walk.token("<Nnet3ChainEg>")?;
        walk.token("<NumInputs>")?;
        for _ in 0..read_count(&mut walk.cursor)? {
            walk.io()?;
        }
        walk.token("<NumOutputs>")?;
        for _ in 0..read_count(&mut walk.cursor)? {
            ChainOutput::walk(walk)?;
        }
        walk.token("</Nnet3ChainEg>")
    }
}

/// Appends a token, the number of parts, and each part, in lines of text.
fn write_all<T>(out: &mut Vec<u8>, format: Format, token: &[u8], parts: &[T], write: fn(&T, &mut Vec<u8>, Format)) {
    write_token(out, token);
    write_basic(out, format, parts.len() as i32);
    format.end_line(out);
    for part in parts {
        write(part, out, format);
        format.end_line(out);
    }
}

/// An example of a chain model, binary or text. Text ends with a space instead of a newline, as in Kaldi.
impl Value for NnetChainExample {
    const NAME: &'static str = "nnet3 chain example";

    fn frame(window: &[u8], at_end: bool) -> Result<Frame> {
        walk::frame::<Self>(window, at_end, Self::walk, "<Nnet3ChainEg>", "/Nnet3ChainEg>")
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        cursor.read_marker()?;
        cursor.expect_token("<Nnet3ChainEg>")?;
        cursor.expect_token("<NumInputs>")?;
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        for _ in 0..read_count(cursor)? {
            inputs.push(NnetIo::read(cursor)?);
        }
        cursor.expect_token("<NumOutputs>")?;
        for _ in 0..read_count(cursor)? {
            outputs.push(ChainOutput::read(cursor)?);
        }
        cursor.expect_token("</Nnet3ChainEg>")?;
        Ok(Self { inputs, outputs })
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        format.write_marker(out);
        write_token(out, b"<Nnet3ChainEg>");
        write_all(out, format, b"<NumInputs>", &self.inputs, NnetIo::write);
        write_all(out, format, b"<NumOutputs>", &self.outputs, ChainOutput::write);
        write_token(out, b"</Nnet3ChainEg>");
    }
}

#[cfg(test)]
mod tests {
    use kaldi_value::testing::{SeededRandom, keeps_the_contract_of_parsed};

    use super::*;

    /// The bytes of weights from 0 to 1, in the older form.
    fn older_weights(weights: &[u8]) -> Vec<u8> {
        [&[1], &(weights.len() as i32).to_le_bytes()[..], weights].concat()
    }

    fn output(random: &mut SeededRandom) -> ChainOutput {
        let (sequences, frames) = (1 + random.below(2) as i32, 2 + random.below(2) as i32);
        let (first, step) = (random.below(9) as i32 - 4, 1 + random.below(3) as i32);
        let index = |at: i32| Index { n: at % sequences, t: first + step * (at / sequences), x: 0 };
        let is_end_to_end = random.below(2) == 0;
        let num_fsts = if is_end_to_end { sequences } else { 1 };
        let num_indexes = sequences * frames;
        ChainOutput {
            name: "output".into(),
            indexes: (0..num_indexes).map(index).collect(),
            supervision: ChainSupervision {
                weight: random.float(),
                num_sequences: sequences,
                frames_per_sequence: frames,
                label_dim: 1 + random.below(9) as i32,
                is_end_to_end,
                fsts: (0..num_fsts).map(|_| crate::fst::tests::fst(random)).collect(),
                alignment_pdfs: random.many(3, |random| random.below(9) as i32),
            },
            deriv_weights: (0..num_indexes * random.below(2) as i32).map(|_| random.float().abs()).collect(),
        }
    }

    fn example(random: &mut SeededRandom) -> NnetChainExample {
        NnetChainExample { inputs: vec![crate::example::tests::io(random, false)], outputs: vec![output(random)] }
    }

    #[test]
    fn chain_examples_keep_the_contract() {
        keeps_the_contract_of_parsed(example);
    }

    #[test]
    fn older_forms_of_weights_are_read() {
        let mut random = SeededRandom::seeded(4);
        let mut example = NnetChainExample {
            inputs: vec![crate::example::tests::io(&mut random, false)],
            outputs: vec![output(&mut random)],
        };
        let count = example.outputs[0].indexes.len();
        example.outputs[0].deriv_weights = Vec::new();
        let bytes = example.to_bytes(Format::Binary);
        let place = bytes.windows(6).position(|token| token == b"<DW2> ").unwrap();
        let rest = place + b"<DW2> FV \x04....".len();
        let none = [&bytes[..place], &bytes[rest..]].concat();
        assert_eq!(NnetChainExample::read(&mut Cursor::new(&none)), Ok(example.clone()));
        assert_eq!(NnetChainExample::frame(&none, false), Ok(Frame::Whole(none.len())));
        let older = [&bytes[..place], b"<DW> ", &older_weights(&vec![128; count]), &bytes[rest..]].concat();
        let read = NnetChainExample::read(&mut Cursor::new(&older)).unwrap();
        assert_eq!(read.outputs[0].deriv_weights, vec![128.0 * (1.0 / 255.0) as f32; count]);
        assert_eq!(NnetChainExample::frame(&older, false), Ok(Frame::Whole(older.len())));
    }

    #[test]
    fn indexes_and_weights_are_checked() {
        let sound = output(&mut SeededRandom::seeded(2));
        assert_eq!(sound.check(), Ok(()));
        let damages: [fn(&mut ChainOutput); 7] = [
            |output| (output.supervision.num_sequences, output.indexes) = (0, Vec::new()),
            |output| output.supervision.fsts.clear(),
            |output| output.indexes[1].x = 1,
            |output| output.indexes.truncate(1),
            |output| output.deriv_weights = vec![1.0],
            |output| output.deriv_weights = vec![-1.0; output.indexes.len()],
            |output| output.supervision.frames_per_sequence += 1,
        ];
        for damage in damages {
            let mut output = sound.clone();
            damage(&mut output);
            assert!(output.check().is_err(), "{output:?}");
        }
    }
}
