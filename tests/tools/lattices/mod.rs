pub mod costs;
pub mod lattice_1best;
pub mod lattice_add_penalty;
pub mod lattice_add_trans_probs;
pub mod lattice_align_phones;
pub mod lattice_align_words;
pub mod lattice_align_words_lexicon;
pub mod lattice_arc_post;
pub mod lattice_best_path;
pub mod lattice_boost_ali;
pub mod lattice_combine;
pub mod lattice_copy;
pub mod lattice_depth;
pub mod lattice_depth_per_frame;
pub mod lattice_equivalent;
pub mod lattice_interp;
pub mod lattice_limit_depth;
pub mod lattice_mbr_decode;
pub mod lattice_oracle;
pub mod lattice_project;
pub mod lattice_prune;
pub mod lattice_push;
pub mod lattice_reverse;
pub mod lattice_rmali;
pub mod lattice_scale;
pub mod lattice_score;
pub mod lattice_to_ctm_conf;
pub mod lattice_to_fst;
pub mod lattice_to_nbest;
pub mod lattice_to_phone_lattice;
pub mod lattice_to_post;
pub mod lattice_union;
pub mod linear_to_nbest;
pub mod nbest_to_ctm;
pub mod nbest_to_lattice;
pub mod nbest_to_linear;
pub mod nbest_to_prons;

use crate::support::Scratch;

/// Two lattices: `a` has the words 5 7 and 6 7, of which the latter is better, `b` the word 8; and a list of the key `b`.
fn ambiguous() -> Scratch {
    let scratch = Scratch::new();
    scratch.write("lats", "a \n0 1 5 1,2,3_3\n0 1 6 2,0.5,4_4\n1 2 7 0,0,5\n2 0.5,0,\n\nb \n0 1 8 1,1,6\n1\n\n");
    scratch.write("keys", "b\n");
    scratch
}

/// A folder with the lattices and models of the recorded cases.
fn golden() -> Scratch {
    let scratch = Scratch::new();
    let data = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/data/lattices");
    scratch.sh(&format!("cp '{data}'/* . && chmod u+w *")).succeeds();
    scratch
}

/// What a command that succeeds prints.
#[track_caller]
fn text_of(scratch: &Scratch, script: &str) -> String {
    String::from_utf8(scratch.sh(script).succeeds().stdout().to_vec()).unwrap()
}
