//! What an output of a chain model should be: acceptors of pdfs.

use byteorder::{ByteOrder, LittleEndian};
use kaldi_io::ParseError;
use kaldi_value::{Cursor, Format, write_basic, write_int_vector, write_token};

use crate::CompactFst;
use crate::walk::Walk;

type Result<T, E = ParseError> = std::result::Result<T, E>;

/// The supervision of an output of a chain model (Kaldi's `chain::Supervision`). Labels of its acceptors are pdfs plus 1.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainSupervision {
    /// How much it counts.
    pub weight: f32,
    /// The number of sequences that are merged in it, at least 1.
    pub num_sequences: i32,
    /// The frames of each sequence, at least 1.
    pub frames_per_sequence: i32,
    /// The number of pdfs, at least 1.
    pub label_dim: i32,
    /// Whether there is an acceptor for each sequence, as in training without alignments, instead of one for all.
    pub is_end_to_end: bool,
    /// One acceptor, or as many as there are sequences.
    pub fsts: Vec<CompactFst>,
    /// A pdf for each frame, if they are known.
    pub alignment_pdfs: Vec<i32>,
}

impl ChainSupervision {
    /// The number of acceptors that there should be.
    pub fn num_fsts(&self) -> usize {
        if self.is_end_to_end { self.num_sequences as usize } else { 1 }
    }

    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        cursor.expect_token("<Supervision>")?;
        cursor.expect_token("<Weight>")?;
        let weight = cursor.read_basic()?;
        let [num_sequences, frames_per_sequence, label_dim] = read_sizes(cursor)?;
        cursor.expect_token("<End2End>")?;
        let is_end_to_end = read_flag(cursor)?;
        let mut fsts = Vec::new();
        if is_end_to_end {
            cursor.expect_token("<Fsts>")?;
            for _ in 0..num_sequences {
                fsts.push(read_fst(cursor)?);
            }
            cursor.expect_token("</Fsts>")?;
        } else {
            fsts.push(read_fst(cursor)?);
        }
        let mut alignment_pdfs = Vec::new();
        if has_alignment(cursor) {
            cursor.expect_token("<AlignmentPdfs>")?;
            alignment_pdfs = cursor.read_int_vector()?;
        }
        cursor.expect_token("</Supervision>")?;
        Ok(Self { weight, num_sequences, frames_per_sequence, label_dim, is_end_to_end, fsts, alignment_pdfs })
    }

    pub(crate) fn walk(walk: &mut Walk<'_>) -> Result<()> {
        walk.token("<Supervision>")?;
        walk.token("<Weight>")?;
        walk.float()?;
        let [num_sequences, _, _] = read_sizes(&mut walk.cursor)?;
        walk.token("<End2End>")?;
        if read_flag(&mut walk.cursor)? {
            walk.token("<Fsts>")?;
            for _ in 0..num_sequences {
                CompactFst::walk(walk)?;
            }
            walk.token("</Fsts>")?;
        } else {
            CompactFst::walk(walk)?;
        }
        // The two tokens differ after their brackets, of which the first one may be missing.
        if walk.cursor.rest().len() < 2 {
            return Err(walk.cursor.end("token \"</Supervision>\""));
        }
        if has_alignment(&walk.cursor) {
            walk.token("<AlignmentPdfs>")?;
            walk_counted(&mut walk.cursor, 4)?;
        }
        walk.token("</Supervision>")
    }

    pub(crate) fn write(&self, out: &mut Vec<u8>, format: Format) {
        write_token(out, b"<Supervision>");
        write_token(out, b"<Weight>");
        write_basic(out, format, self.weight);
        let sizes = [self.num_sequences, self.frames_per_sequence, self.label_dim];
        for (token, size) in SIZES.iter().zip(sizes) {
            write_token(out, token.as_bytes());
            write_basic(out, format, size);
        }
        write_token(out, b"<End2End>");
        write_basic(out, format, self.is_end_to_end);
        if self.is_end_to_end {
            write_token(out, b"<Fsts>");
        }
        for fst in &self.fsts {
            match format {
                Format::Binary => fst.write(out),
                Format::Text => fst.write_text(out),
            }
        }
        if self.is_end_to_end {
            write_token(out, b"</Fsts>");
        }
        if !self.alignment_pdfs.is_empty() {
            write_token(out, b"<AlignmentPdfs>");
            write_int_vector(out, format, &self.alignment_pdfs);
        }
        write_token(out, b"</Supervision>");
    }
}

const SIZES: [&str; 3] = ["<NumSequences>", "<FramesPerSeq>", "<LabelDim>"];

fn read_sizes(cursor: &mut Cursor<'_>) -> Result<[i32; 3]> {
    let mut sizes = [0; 3];
    for (token, size) in SIZES.iter().zip(&mut sizes) {
        cursor.expect_token(token)?;
        let at = cursor.offset();
        *size = cursor.read_basic()?;
        if *size < 1 {
            return Err(ParseError::new(at, format!("expected a number above 0 after {token}, got {size}")));
        }
    }
    Ok(sizes)
}

/// Reads T or F; in text form a space follows it.
fn read_flag(cursor: &mut Cursor<'_>) -> Result<bool> {
    cursor.read_basic()
}

fn read_fst(cursor: &mut Cursor<'_>) -> Result<CompactFst> {
    if cursor.is_binary() { CompactFst::read(cursor) } else { CompactFst::read_text(cursor) }
}

/// Whether the token that follows starts with an A, after its bracket.
fn has_alignment(cursor: &Cursor<'_>) -> bool {
    cursor.is_before("<A") || cursor.is_before("A")
}

/// Walks over a size byte, a count and as many elements.
pub(crate) fn walk_counted(cursor: &mut Cursor<'_>, size: u8) -> Result<u64> {
    let at = cursor.offset();
    let got = cursor.take(1)?[0];
    if got != size {
        return Err(ParseError::new(at, format!("expected element size {size}, got {got}")));
    }
    let count = LittleEndian::read_i32(cursor.take(4)?);
    let Ok(count) = u64::try_from(count) else {
        return Err(ParseError::new(at + 1, format!("expected a count, got {count}")));
    };
    cursor.skip(count * u64::from(size))?;
    Ok(count)
}
