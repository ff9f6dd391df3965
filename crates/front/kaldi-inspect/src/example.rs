//! Training examples as JSON.

use bstr::ByteSlice;
use kaldi_any::ValueType;
use kaldi_egs::{ChainOutput, Index, IoMatrix, NnetChainExample, NnetExample, NnetIo};
use kaldi_table::RawEntry;
use kaldi_value::{Cursor, Value as _};
use serde_json::{Map, Value, json};

use crate::Result;
use crate::show::number;

/// The entry as an object: `io` of a plain example, `inputs` and `outputs` of one of a chain model. Each of them has its name and
/// indexes (n, t, x), and rows: `matrix`, or `dim` and `sparse` with pairs of index and value one after the other.
pub(crate) fn example_json(entry: &RawEntry, value_type: ValueType) -> Result<Value> {
    let bytes = entry.bytes()?;
    let mut cursor = Cursor::new(&bytes);
    let value = match value_type {
        ValueType::Nnet3ChainExample => NnetChainExample::read(&mut cursor).map(|example| {
            json!({
                "inputs": example.inputs.iter().map(io).collect::<Vec<_>>(),
                "outputs": example.outputs.iter().map(output).collect::<Vec<_>>(),
            })
        }),
        _ => {
            NnetExample::read(&mut cursor).map(|example| json!({ "io": example.io.iter().map(io).collect::<Vec<_>>() }))
        }
    };
    value.map_err(|error| entry.error(error).into())
}

fn io(io: &NnetIo) -> Value {
    let mut object = Map::new();
    object.insert("name".into(), io.name.to_str_lossy().into());
    object.insert("indexes".into(), indexes(&io.indexes));
    let of_row = |row: &[f32]| row.iter().map(|&value| number(&value.into())).collect::<Value>();
    match &io.matrix {
        IoMatrix::Sparse(rows) => {
            let pairs = |(_, row): (i32, &[(i32, f32)])| {
                row.iter().flat_map(|&(index, value)| [json!(index), number(&value.into())]).collect::<Value>()
            };
            object.insert("dim".into(), json!(rows.num_cols()));
            object.insert("sparse".into(), rows.rows().map(pairs).collect());
        }
        IoMatrix::Full(matrix) => drop(object.insert("matrix".into(), matrix.rows().map(of_row).collect())),
        IoMatrix::Compressed(matrix) => {
            let matrix = matrix.to_matrix::<f32>();
            object.insert("matrix".into(), matrix.rows().map(of_row).collect());
        }
    }
    Value::Object(object)
}

fn indexes(indexes: &[Index]) -> Value {
    indexes.iter().map(|index| json!([index.n, index.t, index.x])).collect()
}

fn output(output: &ChainOutput) -> Value {
    let supervision = &output.supervision;
    let fsts = supervision.fsts.iter().map(|fst| {
        let elements = fst.elements().iter().map(|arc| json!([arc.label, number(&arc.weight.into()), arc.next]));
        json!({
            "start": fst.start(),
            "offsets": fst.offsets().collect::<Vec<_>>(),
            "elements": elements.collect::<Vec<_>>(),
        })
    });
    json!({
        "name": output.name.to_str_lossy(),
        "indexes": indexes(&output.indexes),
        "weight": number(&supervision.weight.into()),
        "sequences": supervision.num_sequences,
        "frames": supervision.frames_per_sequence,
        "label_dim": supervision.label_dim,
        "end_to_end": supervision.is_end_to_end,
        "fsts": fsts.collect::<Vec<_>>(),
        "alignment_pdfs": supervision.alignment_pdfs,
        "deriv_weights": output.deriv_weights.iter().map(|&weight| number(&weight.into())).collect::<Vec<_>>(),
    })
}
