//! Doubles the numbers of all matrices, on four threads:
//! `cargo run -p kaldi-tables --example double-table scp:samples/feats.scp ark,scp:doubled.ark,doubled.scp`.

use kaldi_tables::matrix::Matrix;
use kaldi_tables::table::{SequentialReader, Session, TableWriter};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let [source, target] = names.as_slice() else { return Err("expected 2 names: rspecifier wspecifier".into()) };

    let source = SequentialReader::<Matrix<f32>>::open_with(source, Session::current().threads(4))?;
    let target = TableWriter::create(target)?;
    let written = source.par_map_into(target, |entry| {
        let mut feats = entry.read()?;
        feats.as_mut_slice().iter_mut().for_each(|number| *number *= 2.0);
        Ok(entry.into_record(feats))
    })?;
    written.finish()?;
    Ok(())
}
