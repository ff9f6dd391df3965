//! Writes the matrix of one key as text: `cargo run -p kaldi-tables --example look-up scp:samples/feats.scp anna-02`.

use kaldi_tables::matrix::Matrix;
use kaldi_tables::table::{RandomAccessReader, write_file};
use kaldi_tables::value::Format;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let [table, key] = names.as_slice() else { return Err("expected an rspecifier and a key".into()) };

    let mut table = RandomAccessReader::<Matrix<f32>>::open(table)?;
    let Some(feats) = table.get(key)? else { return Err(format!("the table has no key {key}").into()) };
    // "-" is standard output.
    Ok(write_file("-", feats.as_ref(), Format::Text)?)
}
