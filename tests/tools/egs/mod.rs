//! Tools of training examples.

use bstr::ByteSlice;

use crate::support::Scratch;

pub mod arrays;
pub mod chain;
pub mod nnet3_copy_egs;
pub mod nnet3_get_egs;
pub mod nnet3_get_egs_dense_targets;
pub mod nnet3_get_egs_simple;
pub mod nnet3_merge_egs;
pub mod nnet3_shuffle_egs;
pub mod nnet3_subset_egs;
pub mod nnet3_xvector_get_egs;
pub mod types;

/// Features of some frames with one column, the number of the frame.
fn feats(utt: &str, num_frames: usize) -> String {
    let rows: Vec<String> = (0..num_frames).map(|frame| format!("  {frame}")).collect();
    format!("{utt}  [\n{} ]\n", rows.join("\n"))
}

/// Posteriors of some frames: one label each, the number of the frame modulo 7.
fn post(utt: &str, num_frames: usize) -> String {
    let frames: Vec<String> = (0..num_frames).map(|frame| format!("[ {} 1 ]", frame % 7)).collect();
    format!("{utt} {}\n", frames.join(" "))
}

/// Writes `small.egs`, examples of 4 labelled frames with one frame before and after them: `a-0`, `a-4`, `a-8`, `b-0`, `b-4`.
pub fn small(scratch: &Scratch) {
    scratch.write("feats", feats("a", 12) + &feats("b", 8)).write("post", post("a", 12) + &post("b", 8));
    let options = "--num-pdfs=7 --left-context=1 --right-context=1 --num-frames=4 --compress=false";
    scratch.sh(&format!("nnet3-get-egs {options} ark:feats ark:post ark:small.egs")).succeeds();
}

/// The keys in text archives of examples, which have no line of their own each.
fn keys(text: &[u8]) -> Vec<String> {
    let text = text.to_str_lossy();
    let before_examples = text.match_indices(" <Nnet3").map(|(place, _)| &text[..place]);
    before_examples.filter_map(|before| before.rsplit([' ', '\n']).next()).map(str::to_owned).collect()
}
