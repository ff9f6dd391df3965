//! Copies a table of matrices: `cargo run -p kaldi-tables --example copy-table scp:samples/feats.scp ark,t:-`.

use kaldi_tables::matrix::Matrix;
use kaldi_tables::table::{Reader, SequentialReader, TableWriter};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let [source, target] = names.as_slice() else { return Err("expected 2 names: rspecifier wspecifier".into()) };

    let mut source = SequentialReader::<Matrix<f32>>::open(source)?;
    let mut target = TableWriter::create(target)?;
    while let Some((key, feats)) = source.next()? {
        target.write(key, &feats)?;
    }
    // The files get their names here, when they are complete.
    Ok(target.finish()?)
}
