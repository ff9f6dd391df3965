mod arrow;
mod as_tables;
mod check_shards;
mod copy_shards;
mod cuts;
mod data_dirs;
mod export_cuts;
mod export_parquet;
mod export_sound;
mod extract_shards;
mod hostile_manifests;
mod json_fields;
mod list_shards;
mod make_raw_list;
mod make_shard_list;
mod manifest_options;
mod missing_parts;
mod nemo_tars;
mod number_types;
mod odd_names;
mod parquet;
mod sets;
mod shar;
mod shards_to_scp;
mod supervisions;

use crate::support::Scratch;
use crate::support::tar::shard;
use crate::support::wave::wave;

/// Two shards of three samples, and the list of them: `a.tar` with u1 (1 s) and u2 (2 s), `b.tar` with d/u3 (0.5 s).
fn shards() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("a.tar", shard(&[("u1", "hello", &sound(16000)), ("u2", "hello world", &sound(32000))]));
    scratch.write("b.tar", shard(&[("d/u3", "\u{4f60}\u{597d}", &sound(8000))]));
    scratch.write("data.list", "a.tar\nb.tar\n");
    scratch
}

/// A WAV file of this many samples at 16 kHz.
fn sound(num_samples: usize) -> Vec<u8> {
    let samples: Vec<i16> = (0..num_samples).map(|at| (at * 7919 + num_samples) as i16).collect();
    wave(16000, &[&samples])
}
