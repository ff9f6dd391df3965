//! Training examples as JSON, in the form that `table-head --json` has.

use std::io::Write;

use bstr::BStr;
use kaldi_egs::{
    ChainOutput, ChainSupervision, CompactElement, CompactFst, Index, IoMatrix, NnetChainExample, NnetExample, NnetIo,
    SparseRows,
};
use kaldi_matrix::Matrix;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::array::Array;
use crate::example_arrays::{ints, of_indexes, of_matrix, token};
use crate::json_read::Single;
use crate::text_write::{write_array, write_list, write_single, write_word};

type Out = Vec<u8>;

/// Appends an example as an object.
///
/// # Errors
/// If a name is not UTF-8, or rows of a sparse matrix have different dimensions.
pub(crate) fn write_example(out: &mut Out, example: &NnetExample) -> Result<(), String> {
    out.extend_from_slice(b"{\"io\": ");
    write_list(out, &example.io, write_io)?;
    out.push(b'}');
    Ok(())
}

/// As [`write_example`], for an example of a chain model.
pub(crate) fn write_chain_example(out: &mut Out, example: &NnetChainExample) -> Result<(), String> {
    out.extend_from_slice(b"{\"inputs\": ");
    write_list(out, &example.inputs, write_io)?;
    out.extend_from_slice(b", \"outputs\": ");
    write_list(out, &example.outputs, write_output)?;
    out.push(b'}');
    Ok(())
}

fn write_start(out: &mut Out, name: &BStr, indexes: &[Index]) -> Result<(), String> {
    out.extend_from_slice(b"{\"name\": ");
    write_word(out, name)?;
    write_named_array(out, "indexes", &of_indexes(indexes));
    Ok(())
}

fn write_named_array(out: &mut Out, name: &str, array: &Array) {
    // Writing to memory does not fail.
    let _ = write!(out, ", \"{name}\": ");
    write_array(out, array);
}

fn write_io(out: &mut Out, io: &NnetIo) -> Result<(), String> {
    write_start(out, io.name.as_ref(), &io.indexes)?;
    match &io.matrix {
        IoMatrix::Full(matrix) => write_named_array(out, "matrix", &of_matrix(matrix)),
        IoMatrix::Compressed(matrix) => write_named_array(out, "matrix", &of_matrix(&matrix.to_matrix())),
        IoMatrix::Sparse(rows) => {
            if rows.odd_dim().is_some() {
                return Err("expected rows of one dimension for JSON, got several".into());
            }
            let _ = write!(out, ", \"dim\": {}, \"sparse\": ", rows.num_cols());
            let rows: Vec<_> = rows.rows().map(|(_, row)| row).collect();
            write_list(out, &rows, |out, row| {
                write_list(out, row, |out, (index, value)| {
                    let _ = write!(out, "{index}, ");
                    write_single(out, *value);
                    Ok(())
                })
            })?;
        }
    }
    out.push(b'}');
    Ok(())
}

fn write_output(out: &mut Out, output: &ChainOutput) -> Result<(), String> {
    let supervision = &output.supervision;
    write_start(out, output.name.as_ref(), &output.indexes)?;
    write_named_array(out, "weight", &Array::from_f32(&[], &[supervision.weight]));
    for (name, number) in [
        ("sequences", supervision.num_sequences),
        ("frames", supervision.frames_per_sequence),
        ("label_dim", supervision.label_dim),
    ] {
        let _ = write!(out, ", \"{name}\": {number}");
    }
    let _ = write!(out, ", \"end_to_end\": {}, \"fsts\": ", supervision.is_end_to_end);
    write_list(out, &supervision.fsts, |out, fst| {
        let start = fst.start().map_or("null".to_owned(), |start| start.to_string());
        let offsets: Vec<i32> = fst.offsets().map(|offset| offset as i32).collect();
        let _ = write!(out, "{{\"start\": {start}");
        write_named_array(out, "offsets", &ints(&offsets));
        out.extend_from_slice(b", \"elements\": ");
        write_list(out, fst.elements(), |out, element| {
            let _ = write!(out, "[{}, ", element.label);
            write_single(out, element.weight);
            let _ = write!(out, ", {}]", element.next);
            Ok(())
        })?;
        out.push(b'}');
        Ok(())
    })?;
    write_named_array(out, "alignment_pdfs", &ints(&supervision.alignment_pdfs));
    let weights = &output.deriv_weights;
    write_named_array(out, "deriv_weights", &Array::from_f32(&[weights.len()], weights));
    out.push(b'}');
    Ok(())
}

#[derive(Deserialize)]
struct ExampleObject<'a> {
    #[serde(borrow)]
    io: Vec<IoObject<'a>>,
}

#[derive(Deserialize)]
struct ChainExampleObject<'a> {
    #[serde(borrow)]
    inputs: Vec<IoObject<'a>>,
    outputs: Vec<OutputObject>,
}

#[derive(Deserialize)]
struct IoObject<'a> {
    name: String,
    indexes: Vec<(i32, i32, i32)>,
    matrix: Option<Vec<Vec<Single>>>,
    dim: Option<i32>,
    #[serde(borrow)]
    sparse: Option<Vec<Vec<&'a RawValue>>>,
}

#[derive(Deserialize)]
struct OutputObject {
    name: String,
    indexes: Vec<(i32, i32, i32)>,
    weight: Single,
    sequences: i32,
    frames: i32,
    label_dim: i32,
    #[serde(default)]
    end_to_end: bool,
    fsts: Vec<FstObject>,
    #[serde(default)]
    alignment_pdfs: Vec<i32>,
    #[serde(default)]
    deriv_weights: Vec<Single>,
}

#[derive(Deserialize)]
struct FstObject {
    start: Option<usize>,
    offsets: Vec<u32>,
    elements: Vec<(i32, Single, i32)>,
}

/// Reads what [`write_example`] writes.
///
/// # Errors
/// If it is something else.
pub(crate) fn parse_example(text: &str) -> Result<NnetExample, String> {
    let object: ExampleObject<'_> = serde_json::from_str(text)
        .map_err(|error| format!("expected {{\"io\": [{{\"name\": ..., \"indexes\": ..., ...}}]}}: {error}"))?;
    Ok(NnetExample { io: inputs(object.io)? })
}

/// Reads what [`write_chain_example`] writes.
///
/// # Errors
/// If it is something else.
pub(crate) fn parse_chain_example(text: &str) -> Result<NnetChainExample, String> {
    let object: ChainExampleObject<'_> = serde_json::from_str(text)
        .map_err(|error| format!("expected {{\"inputs\": [...], \"outputs\": [...]}}: {error}"))?;
    let outputs: Vec<_> = object.outputs.into_iter().map(OutputObject::into_output).collect::<Result<_, _>>()?;
    if outputs.is_empty() {
        return Err("expected at least one output, got none".into());
    }
    Ok(NnetChainExample { inputs: inputs(object.inputs)?, outputs })
}

fn inputs(objects: Vec<IoObject<'_>>) -> Result<Vec<NnetIo>, String> {
    if objects.is_empty() {
        return Err("expected at least one input, got none".into());
    }
    let named = |object: IoObject<'_>| {
        let name = object.name.clone();
        object.into_io().map_err(|message| format!("{name}: {message}"))
    };
    objects.into_iter().map(named).collect()
}

fn to_indexes(indexes: Vec<(i32, i32, i32)>) -> Vec<Index> {
    indexes.into_iter().map(|(n, t, x)| Index { n, t, x }).collect()
}

fn plain(values: Vec<Single>) -> Vec<f32> {
    values.into_iter().map(|value| value.0).collect()
}

impl IoObject<'_> {
    fn into_io(self) -> Result<NnetIo, String> {
        token(self.name.as_bytes())?;
        let matrix = match (self.matrix, self.sparse) {
            (Some(rows), None) => {
                let (count, columns) = (rows.len(), rows.first().map_or(0, Vec::len));
                if let Some(odd) = rows.iter().find(|row| row.len() != columns) {
                    return Err(format!("expected rows of {columns} numbers, got {}", odd.len()));
                }
                let values: Vec<f32> = rows.into_iter().flat_map(plain).collect();
                let is_empty = values.is_empty();
                IoMatrix::Full(if is_empty { Matrix::default() } else { Matrix::from_vec(count, columns, values) })
            }
            (None, Some(rows)) => {
                let dim = self.dim.ok_or("expected the dim of sparse rows, got none")?;
                let mut sparse = SparseRows::default();
                for row in rows {
                    sparse.push_row(dim, &pairs(&row)?).map_err(|error| error.to_string())?;
                }
                IoMatrix::Sparse(sparse)
            }
            _ => return Err("expected either a matrix or sparse rows".into()),
        };
        let (expected, got) = (self.indexes.len(), matrix.num_rows());
        if got != expected {
            return Err(format!("expected {expected} rows, one for each index, got {got}"));
        }
        Ok(NnetIo { name: self.name.into(), indexes: to_indexes(self.indexes), matrix })
    }
}

/// The elements of a row: index, value, index, value.
fn pairs(row: &[&RawValue]) -> Result<Vec<(i32, f32)>, String> {
    let (pairs, []) = row.as_chunks() else { return Err("expected pairs of an index and a value".into()) };
    let pair = |&[index, value]: &[&RawValue; 2]| {
        let index = serde_json::from_str(index.get()).map_err(|error| format!("expected an index: {error}"))?;
        let value: Single = serde_json::from_str(value.get()).map_err(|error| format!("expected a value: {error}"))?;
        Ok((index, value.0))
    };
    pairs.iter().map(pair).collect()
}

impl OutputObject {
    fn into_output(self) -> Result<ChainOutput, String> {
        token(self.name.as_bytes())?;
        let fst = |FstObject { start, offsets, elements }| {
            let element = |(label, weight, next): (i32, Single, i32)| CompactElement { label, weight: weight.0, next };
            CompactFst::from_parts(start, &offsets, elements.into_iter().map(element).collect())
        };
        let fsts = self.fsts.into_iter().map(fst).collect::<Result<_, _>>();
        let output = ChainOutput {
            name: self.name.into(),
            indexes: to_indexes(self.indexes),
            supervision: ChainSupervision {
                weight: self.weight.0,
                num_sequences: self.sequences,
                frames_per_sequence: self.frames,
                label_dim: self.label_dim,
                is_end_to_end: self.end_to_end,
                fsts: fsts.map_err(|error| error.message.to_string())?,
                alignment_pdfs: self.alignment_pdfs,
            },
            deriv_weights: plain(self.deriv_weights),
        };
        output.check().map_err(|message| format!("{}: {message}", output.name))?;
        Ok(output)
    }
}
