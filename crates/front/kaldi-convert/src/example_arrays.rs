//! Training examples as arrays: each input and output is some of them.

use bstr::{BString, ByteSlice};
use kaldi_any::ValueType;
use kaldi_egs::{
    ChainOutput, ChainSupervision, CompactElement, CompactFst, Index, IoMatrix, NnetChainExample, NnetExample, NnetIo,
    SparseRows,
};
use kaldi_matrix::Matrix;

use crate::array::Array;
use crate::item::{Item, integers, singles};

/// The elements of a full matrix. It has no name of its own.
pub(crate) const MATRIX: &str = "";
pub(crate) const INDEXES: &str = "indexes";
/// The elements of each row of a sparse matrix.
pub(crate) const LENGTHS: &str = "lengths";
const INDEX: &str = "index";
/// The values of a sparse matrix, or how much an output of a chain model counts.
pub(crate) const WEIGHT: &str = "weight";
/// The columns of a sparse matrix: one number, or one for each row if they differ.
pub(crate) const DIM: &str = "dim";
pub(crate) const DERIV_WEIGHTS: &str = "deriv_weights";
/// The frames of a sequence; only outputs of chain models have it.
pub(crate) const FRAMES: &str = "frames";
pub(crate) const SEQUENCES: &str = "sequences";
pub(crate) const LABEL_DIM: &str = "label_dim";
const PDFS: &str = "alignment_pdfs";
/// Where each acceptor starts; left out if all start in state 0.
const FST_START: &str = "fst.start";
/// The number of states of each acceptor; only if each sequence has one of its own.
const FST_STATES: &str = "fst.states";
const FST_OFFSETS: &str = "fst.offsets";
const FST_LABEL: &str = "fst.label";
pub(crate) const FST_WEIGHT: &str = "fst.weight";
const FST_NEXT: &str = "fst.next";

/// The arrays of inputs and outputs of plain examples, and after them those of outputs of chain models.
pub(crate) const PARTS: [&str; 17] = [
    MATRIX,
    INDEXES,
    LENGTHS,
    INDEX,
    WEIGHT,
    DIM,
    FRAMES,
    SEQUENCES,
    LABEL_DIM,
    DERIV_WEIGHTS,
    PDFS,
    FST_START,
    FST_STATES,
    FST_OFFSETS,
    FST_LABEL,
    FST_WEIGHT,
    FST_NEXT,
];

/// An input or output of an example. Lists that are empty may be left out.
#[derive(Debug)]
pub struct IoArrays {
    pub(crate) name: BString,
    pub(crate) parts: Vec<(&'static str, Array)>,
}

impl IoArrays {
    /// Puts an example together. Of a chain model, those with frames are outputs.
    ///
    /// # Errors
    /// If arrays are missing, or do not fit each other.
    pub(crate) fn join(table_type: ValueType, all: Vec<Self>) -> Result<Item, String> {
        let (outputs, inputs): (Vec<_>, Vec<_>) = all.into_iter().partition(|io| io.find(FRAMES).is_some());
        let is_chain = table_type == ValueType::Nnet3ChainExample;
        if let (false, Some(output)) = (is_chain, outputs.first()) {
            return Err(format!(
                "{}: expected a matrix for a {table_type}, got an output of a chain model",
                output.name
            ));
        }
        if inputs.is_empty() || is_chain && outputs.is_empty() {
            return Err(format!("expected inputs and outputs for a {table_type}, got no such arrays"));
        }
        let inputs = inputs.iter().map(|io| io.told(io.to_io())).collect::<Result<_, _>>()?;
        if !is_chain {
            return Ok(NnetExample { io: inputs }.into());
        }
        let outputs = outputs.iter().map(|io| io.told(io.to_output())).collect::<Result<_, _>>()?;
        Ok(NnetChainExample { inputs, outputs }.into())
    }

    /// The result, with the name in the message of an error.
    fn told<T>(&self, result: Result<T, String>) -> Result<T, String> {
        result.map_err(|message| format!("{}: {message}", self.name))
    }

    pub(crate) fn of_io(io: &NnetIo) -> Self {
        let mut parts = Vec::new();
        match &io.matrix {
            IoMatrix::Full(matrix) => parts.push((MATRIX, of_matrix(matrix))),
            IoMatrix::Compressed(matrix) => parts.push((MATRIX, of_matrix(&matrix.to_matrix()))),
            IoMatrix::Sparse(_) => {}
        }
        parts.push((INDEXES, of_indexes(&io.indexes)));
        if let IoMatrix::Sparse(rows) = &io.matrix {
            let (index, weight): (Vec<i32>, Vec<f32>) = rows.rows().flat_map(|(_, row)| row).copied().unzip();
            let lengths: Vec<i32> = rows.rows().map(|(_, row)| row.len() as i32).collect();
            let dim = match rows.odd_dim() {
                None => Array::from_i32(&[], &[rows.num_cols() as i32]),
                Some(_) => ints(&rows.rows().map(|(dim, _)| dim).collect::<Vec<_>>()),
            };
            parts.extend([(LENGTHS, ints(&lengths)), (INDEX, ints(&index)), (WEIGHT, floats(&weight)), (DIM, dim)]);
        }
        Self { name: io.name.clone(), parts }
    }

    pub(crate) fn of_output(output: &ChainOutput) -> Self {
        let supervision = &output.supervision;
        let number = |value| Array::from_i32(&[], &[value]);
        let mut parts = vec![
            (INDEXES, of_indexes(&output.indexes)),
            (DERIV_WEIGHTS, floats(&output.deriv_weights)),
            (WEIGHT, Array::from_f32(&[], &[supervision.weight])),
            (FRAMES, number(supervision.frames_per_sequence)),
            (SEQUENCES, number(supervision.num_sequences)),
            (LABEL_DIM, number(supervision.label_dim)),
        ];
        if !supervision.alignment_pdfs.is_empty() {
            parts.push((PDFS, ints(&supervision.alignment_pdfs)));
        }
        let fsts = &supervision.fsts;
        let starts: Vec<i32> = fsts.iter().map(|fst| fst.start().map_or(-1, |start| start as i32)).collect();
        if starts.iter().any(|&start| start != 0) {
            parts.push((FST_START, ints(&starts)));
        }
        if supervision.is_end_to_end {
            parts.push((FST_STATES, ints(&fsts.iter().map(|fst| fst.num_states() as i32).collect::<Vec<_>>())));
        }
        let elements = || fsts.iter().flat_map(|fst| fst.elements());
        let offsets: Vec<i32> = fsts.iter().flat_map(CompactFst::offsets).map(|offset| offset as i32).collect();
        parts.extend([
            (FST_OFFSETS, ints(&offsets)),
            (FST_LABEL, ints(&elements().map(|element| element.label).collect::<Vec<_>>())),
            (FST_WEIGHT, floats(&elements().map(|element| element.weight).collect::<Vec<_>>())),
            (FST_NEXT, ints(&elements().map(|element| element.next).collect::<Vec<_>>())),
        ]);
        Self { name: output.name.clone(), parts }
    }

    pub(crate) fn find(&self, part: &str) -> Option<&Array> {
        self.parts.iter().find(|(name, _)| *name == part).map(|(_, array)| array)
    }

    fn integers(&self, part: &str) -> Result<Vec<i32>, String> {
        let values = self.find(part).map_or(Ok(Vec::new()), integers);
        values.map_err(|message| format!("{part}: {message}"))
    }

    fn singles(&self, part: &str) -> Result<Vec<f32>, String> {
        let values = self.find(part).map_or(Ok(Vec::new()), singles);
        values.map_err(|message| format!("{part}: {message}"))
    }

    fn number(&self, part: &str) -> Result<i32, String> {
        match self.integers(part)?[..] {
            [number] => Ok(number),
            ref others => Err(format!("expected one number as {part}, got {}", others.len())),
        }
    }

    fn indexes(&self) -> Result<Vec<Index>, String> {
        let Some(array) = self.find(INDEXES) else { return Ok(Vec::new()) };
        let values = self.integers(INDEXES)?;
        if !values.is_empty() && array.size().1 != 3 {
            return Err(format!("expected rows of n, t and x as indexes, got {:?}", array.dims()));
        }
        Ok(values.as_chunks().0.iter().map(|&[n, t, x]| Index { n, t, x }).collect())
    }

    fn to_io(&self) -> Result<NnetIo, String> {
        let indexes = self.indexes()?;
        let matrix = match self.find(LENGTHS) {
            Some(_) => IoMatrix::Sparse(self.sparse()?),
            None => IoMatrix::Full(self.matrix()?),
        };
        let (expected, got) = (indexes.len(), matrix.num_rows());
        if got != expected {
            return Err(format!("expected {expected} rows, one for each index, got {got}"));
        }
        token(&self.name)?;
        Ok(NnetIo { name: self.name.clone(), indexes, matrix })
    }

    fn matrix(&self) -> Result<Matrix<f32>, String> {
        let Some(array) = self.find(MATRIX) else { return Err("expected a matrix, got none".into()) };
        match array.dims()[..] {
            _ if array.is_empty() => Ok(Matrix::default()),
            [rows, columns] => Ok(Matrix::from_vec(rows, columns, singles(array)?)),
            ref dims => Err(format!("expected an array of 2 dimensions, got {}", dims.len())),
        }
    }

    fn sparse(&self) -> Result<SparseRows, String> {
        let (lengths, dims) = (self.integers(LENGTHS)?, self.integers(DIM)?);
        let (index, weight) = (self.integers(INDEX)?, self.singles(WEIGHT)?);
        let sum = lengths.iter().try_fold(0_usize, |sum, &length| sum.checked_add(usize::try_from(length).ok()?));
        if (sum, index.len()) != (Some(weight.len()), weight.len()) {
            let (index, weight) = (index.len(), weight.len());
            return Err(format!(
                "expected lengths that add up to the elements, got {index} indices and {weight} weights"
            ));
        }
        if dims.len() != 1 && dims.len() != lengths.len() {
            return Err(format!("expected one dim, or one for each of {} rows, got {}", lengths.len(), dims.len()));
        }
        let mut elements = index.into_iter().zip(weight);
        let mut rows = SparseRows::default();
        for (row, &length) in lengths.iter().enumerate() {
            let dim = if dims.len() == 1 { dims[0] } else { dims[row] };
            let of_row: Vec<(i32, f32)> = elements.by_ref().take(length as usize).collect();
            rows.push_row(dim, &of_row).map_err(|error| error.to_string())?;
        }
        Ok(rows)
    }

    fn to_output(&self) -> Result<ChainOutput, String> {
        token(&self.name)?;
        let weight = match self.singles(WEIGHT)?[..] {
            [weight] => weight,
            ref others => return Err(format!("expected one number as weight, got {}", others.len())),
        };
        let output = ChainOutput {
            name: self.name.clone(),
            indexes: self.indexes()?,
            supervision: ChainSupervision {
                weight,
                num_sequences: self.number(SEQUENCES)?,
                frames_per_sequence: self.number(FRAMES)?,
                label_dim: self.number(LABEL_DIM)?,
                is_end_to_end: self.find(FST_STATES).is_some(),
                fsts: self.fsts()?,
                alignment_pdfs: self.integers(PDFS)?,
            },
            deriv_weights: self.singles(DERIV_WEIGHTS)?,
        };
        output.check()?;
        Ok(output)
    }

    fn fsts(&self) -> Result<Vec<CompactFst>, String> {
        let offsets = self.integers(FST_OFFSETS)?.into_iter().map(u32::try_from).collect::<Result<Vec<_>, _>>();
        let offsets = offsets.map_err(|_| "expected offsets of an FST that are not negative")?;
        let (label, weight, next) = (self.integers(FST_LABEL)?, self.singles(FST_WEIGHT)?, self.integers(FST_NEXT)?);
        if [weight.len(), next.len()] != [label.len(); 2] {
            return Err("expected as many labels as weights and next states in an FST, got others".into());
        }
        let states = match self.find(FST_STATES) {
            Some(_) => self.integers(FST_STATES)?,
            None => vec![offsets.len() as i32 - 1],
        };
        let starts = match self.integers(FST_START)? {
            none if none.is_empty() => states.iter().map(|&states| if states > 0 { 0 } else { -1 }).collect(),
            starts if starts.len() == states.len() => starts,
            starts => return Err(format!("expected {} states to start in, got {}", states.len(), starts.len())),
        };
        let element = |((label, weight), next)| CompactElement { label, weight, next };
        let mut elements = label.into_iter().zip(weight).zip(next).map(element);
        let mut offsets = offsets.into_iter();
        let mut fsts = Vec::new();
        for (&states, &start) in states.iter().zip(&starts) {
            let count = usize::try_from(states).map_err(|_| format!("expected states of an FST, got {states}"))?;
            let of_fst: Vec<u32> = offsets.by_ref().take(count + 1).collect();
            if of_fst.len() != count + 1 {
                return Err(format!(
                    "expected {count} states and their end in the offsets of an FST, got {}",
                    of_fst.len()
                ));
            }
            let end = of_fst.last().copied().unwrap_or(0) as usize;
            let of_elements = elements.by_ref().take(end).collect();
            let fst = CompactFst::from_parts(usize::try_from(start).ok(), &of_fst, of_elements);
            fsts.push(fst.map_err(|error| error.message.to_string())?);
        }
        if offsets.next().is_some() || elements.next().is_some() {
            return Err("expected the offsets and elements of all FSTs, got more".into());
        }
        Ok(fsts)
    }
}

pub(crate) fn ints(values: &[i32]) -> Array {
    Array::from_i32(&[values.len()], values)
}

/// Checks that a name is a token.
pub(crate) fn token(name: &[u8]) -> Result<(), String> {
    match name.is_empty() || name.iter().any(u8::is_ascii_whitespace) {
        true => Err(format!("expected a name without spaces, got {:?}", name.as_bstr())),
        false => Ok(()),
    }
}

fn floats(values: &[f32]) -> Array {
    Array::from_f32(&[values.len()], values)
}

pub(crate) fn of_matrix(matrix: &Matrix<f32>) -> Array {
    Array::from_f32(&[matrix.num_rows(), matrix.num_cols()], matrix.as_slice())
}

pub(crate) fn of_indexes(indexes: &[Index]) -> Array {
    let values: Vec<i32> = indexes.iter().flat_map(|index| [index.n, index.t, index.x]).collect();
    Array::from_i32(&[indexes.len(), 3], &values)
}
