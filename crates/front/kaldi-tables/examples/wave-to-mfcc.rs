//! Computes the MFCC features of a WAV file: `cargo run -p kaldi-tables --example wave-to-mfcc samples/audio/anna.wav mfcc.mat`.

use kaldi_tables::feat::extract::{Extractor, Mfcc, MfccOptions};
use kaldi_tables::table::{read_file, write_file};
use kaldi_tables::value::Format;
use kaldi_tables::wave::Wave;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let names: Vec<String> = std::env::args().skip(1).collect();
    let [wave, target] = names.as_slice() else { return Err("expected 2 names: WAV file, file of features".into()) };

    let wave: Wave = read_file(wave)?;
    let mut options = MfccOptions::default();
    options.frames.sample_frequency = wave.sample_rate();
    // No noise is added, so that every run gives the same features.
    options.frames.dither = 0.0;
    // 1 is the warp factor of a speaker who needs no normalization of the length of the vocal tract.
    let feats = Mfcc::new(&options)?.compute(wave.channel(0), 1.0)?;
    Ok(write_file(target, &feats, Format::Text)?)
}
