//! Computes the MFCC features of a table of waveforms on all threads: `cargo run -p kaldi-tables --example waves-to-features
//! scp:samples/audio/wav.scp ark,t:-`.

use kaldi_tables::feat::extract::{Extractor, Mfcc, MfccOptions};
use kaldi_tables::matrix::Matrix;
use kaldi_tables::table::{SequentialReader, Session, TableWriter};
use kaldi_tables::wave::Wave;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let [source, target] = names.as_slice() else { return Err("expected 2 names: table of waveforms, table".into()) };

    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let waves = SequentialReader::<Wave>::open_with(source, Session::current().threads(threads))?;
    let mut options = MfccOptions::default();
    options.frames.dither = 0.0;
    let mfcc = Mfcc::new(&options)?;
    // The closure runs on the threads; results are written in the order of the table.
    let written = waves.par_map_into(TableWriter::<Matrix<f32>>::create(target)?, move |entry| {
        let wave = entry.read()?;
        Ok(entry.record(&mfcc.compute(wave.channel(0), 1.0)?))
    })?;
    written.finish()?;
    Ok(())
}
