mod every_type;
mod foreign;
mod graphs;
mod kinds;
mod sparse;
mod table_check;
mod table_diff;
mod table_export;
mod table_export_lines;
mod table_get;
mod table_head;
mod table_import;
mod table_info;
mod table_keys;
mod table_report;
mod table_report_copies;
mod table_report_page;
mod table_sample;
mod table_stats;
mod table_view;
mod table_view_memory;
mod table_view_safety;
mod unknown_values;

use crate::support::Scratch;
use crate::support::sample::{Sample, binary_archive};
use crate::support::wave::wave;

/// A folder with tables: features in an archive with its script file, an alignment, words, waveforms.
fn tables() -> Scratch {
    let scratch = Scratch::new();
    let feats = |rows: usize| Sample::Matrix((0..rows).map(|row| vec![row as f32, 0.5]).collect());
    scratch.write("feats.ark", binary_archive(&[("a", feats(3)), ("b", feats(1)), ("c", feats(2))]));
    scratch.sh("ark-to-scp feats.ark feats.scp").succeeds();
    scratch.write("ali.ark", binary_archive(&[("a", Sample::Ints(vec![1; 3])), ("b", Sample::Ints(vec![7]))]));
    scratch.write("text", "a two words\nb one\n").write("utt2spk", "a x\nb x\nc y\n");
    scratch.write("a.wav", wave(8000, &[&[1; 4000]])).write("wav.scp", "rec a.wav\n");
    scratch
}
